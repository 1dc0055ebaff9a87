/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Consumers and real targets: the test's own program is both, by its first
 * argument.
 */
#ifndef TESTS_UNIT_LIVE_FIXTURE_H
#define TESTS_UNIT_LIVE_FIXTURE_H

#include <sys/types.h>

#include <check.h>

#include "unit/consumer/fixture.h"

/* This program, and the runtime directory of the test. */
extern char live_self[4096];
extern char live_directory[64];

/*
 * The whole of main(): the target that the arguments ask for, or the tests.
 *	serve			see struct live_server
 *	ward			the parent of one that serves
 *	many COUNT		so many probes more than one
 *	breed CHILDREN		children with 10 fires each
 *	relay COUNT		a child that fires, and 20 times more by exec
 *				when there is a byte for it to read
 *	fire|exit|kill COUNT	and then exit with 0, with 3, or SIGKILL
 *	exec COUNT MODE ...	and then again, as MODE
 *	drop COUNT MODE ...	the same, as another user
 *	out COUNT MODE ...	the same, not to be traced any more
 *	idle			until it is killed
 *	nest MODE ...		the first process of a pid namespace
 */
int	live_main(int argc, char *argv[], Suite *(*make)(void));

/* A test case in a runtime directory of its own. */
TCase	*live_case(const char *name);

/* May this process make a pid namespace? */
bool	live_nests(void);
/* Is it under a filter of system calls, as in most containers? */
bool	live_filtered(void);

/* A target that fires when it is told to. */
struct live_server {
	pid_t pid;
	int in, out;
};

/* With `variable` (NAME=VALUE, or NULL) in its environment. */
void	live_server_start(struct live_server *, const char *variable);
/* One whose parent, which is given back, waits for it when it is to end. */
pid_t	live_server_start_ward(struct live_server *);
void	live_ward_end(pid_t parent);
/* So many fires, which are done when this returns. */
void	live_server_fire(const struct live_server *, unsigned long count);
/* It becomes a new image by exec(2), soon. */
void	live_server_exec(const struct live_server *);
/* It leaves with a status, soon. */
void	live_server_exit(const struct live_server *, unsigned char status);
/* Its end; it has to exit with 0. */
void	live_server_stop(struct live_server *);

/* What has to succeed. */
void	live_go(struct tbuf_consumer *);
void	live_grab(struct tbuf_consumer *, pid_t);
pid_t	live_spawn(struct tbuf_consumer *, const char *mode,
	    const char *count, const char *const *add);

/* Work until the end; the sum of everything. */
int	live_work(struct tbuf_consumer *, struct tally *);
uint64_t live_drops(const struct tally *);

#endif
