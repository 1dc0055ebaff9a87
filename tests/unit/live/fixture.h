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
 * The whole of main(): runs the target that the arguments name, or the tests.
 *	serve			see struct live_server
 *	ward			the parent of one that serves
 *	many COUNT		as many probes, and one more
 *	breed CHILDREN		children with 10 fires each
 *	relay COUNT		a child that fires, and 20 times more by exec
 *				when there is a byte for it to read
 *	fire|exit|kill COUNT	and then exit with 0, with 3, or SIGKILL
 *	exec COUNT MODE ...	and then again, as MODE
 *	drop COUNT MODE ...	then as MODE, as another user
 *	out COUNT MODE ...	then as MODE, with tracing disabled
 *	look COUNT MODE ...	maps the command's first file, writes a byte,
 *				reads one; then as MODE, with tracing enabled
 *	idle			until it is killed
 *	nest MODE ...		the first process of a pid namespace
 */
int	live_main(int argc, char *argv[], Suite *(*make)(void));

/* Returns a test case with its own runtime directory. */
TCase	*live_case(const char *name);

/* Returns true if this process can make a pid namespace. */
bool	live_nests(void);
/* Returns true under a filter of system calls, as in most containers. */
bool	live_filtered(void);

/* A target that fires on request. */
struct live_server {
	pid_t pid;
	int in, out;
};

/* Starts a server with `variable` (NAME=VALUE, or NULL) in its environment. */
void	live_server_start(struct live_server *, const char *variable);
/* Starts a server with a parent that waits for it late.  Returns the parent. */
pid_t	live_server_start_ward(struct live_server *);
void	live_ward_end(pid_t parent);
/* Makes it fire; returns when the fires are done. */
void	live_server_fire(const struct live_server *, unsigned long count);
/* Lets it execute a new image, soon after this returns. */
void	live_server_exec(const struct live_server *);
/* Lets it exit with a status, soon after this returns. */
void	live_server_exit(const struct live_server *, unsigned char status);
/* Ends it; it has to exit with 0. */
void	live_server_stop(struct live_server *);

/* These functions fail the test if they do not succeed. */
void	live_go(struct tbuf_consumer *);
void	live_grab(struct tbuf_consumer *, pid_t);
pid_t	live_spawn(struct tbuf_consumer *, const char *mode,
	    const char *count, const char *const *add);

/* Works until the end, and sums all events up. */
int	live_work(struct tbuf_consumer *, struct tally *);
uint64_t live_drops(const struct tally *);

#endif
