/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Whom a run traces: pids, commands, and targets that come.
 */
#ifndef TBUF_CONSUMER_ATTACH_SELECT_H
#define TBUF_CONSUMER_ATTACH_SELECT_H

#include <sys/types.h>

#include <stdbool.h>

#include "consumer/files/files.h"
#include "consumer/run/run.h"

/* Be told of new files in it. */
int	tbuf_consumer_watch(struct tbuf_consumer *);

/*
 * Add the directory's targets that are not there yet.  Those that there are
 * no descriptors for are left out.
 */
int	tbuf_consumer_scan(struct tbuf_consumer *);
/*
 * May there be files that no scan has found?  One is told before its target
 * goes on, so where nothing was told since there are none.
 */
bool	tbuf_consumer_told(struct tbuf_consumer *);

/*
 * tbuf_find_pid() of a process that may have been begun just now: one that is
 * no target so far is waited for, for a second at most.
 */
int	tbuf_find_young(const struct tbuf_consumer *, pid_t,
	    struct tbuf_found *);

/*
 * Adds a target that was found, as the last one of the run.  The descriptors
 * become its own, or are closed.
 */
int	tbuf_target_add(struct tbuf_consumer *, const struct tbuf_found *);

/*
 * The sessions of a control file behind a descriptor, which is closed: 0, 1 if
 * it was cut off, or -errno and what is wrong in words.
 */
int	tbuf_file_add(struct tbuf_consumer *, int fd,
	    char words[TBUF_PROBLEM_MAX]);
/* The same of what a core has of one, up to `cut` if that is not 0. */
int	tbuf_image_add(struct tbuf_consumer *, int fd, uint64_t cut,
	    char words[TBUF_PROBLEM_MAX]);

struct tbuf_target *tbuf_target_new(struct tbuf_consumer *, pid_t);
void	tbuf_target_free(struct tbuf_consumer *, struct tbuf_target *);

/* Is this pid a target of ours already? */
struct tbuf_target *tbuf_target_find(struct tbuf_consumer *, pid_t);
/* ... or the file with this name in the runtime directory? */
struct tbuf_target *tbuf_target_named(struct tbuf_consumer *, const char *);

/*
 * May a target that has ended have left a child that becomes a target?  A
 * forked child keeps its parent's window until it has decided; if it becomes
 * one, its own file has a name before it gives the window up.  A descendant of
 * the command may become one whenever it executes another program.
 */
bool	tbuf_find_orphan(struct tbuf_consumer *);

int	tbuf_spawn_go(struct tbuf_consumer *);
void	tbuf_spawn_abandon(struct tbuf_consumer *);

/* Targets that have come into the directory, to be attached to. */
void	tbuf_consumer_meet_new(struct tbuf_consumer *);
/* Many a command is there to set something up, and calls exec at once. */
void	tbuf_consumer_meet_command(struct tbuf_consumer *, uint64_t now);
/* When something is to be done next, not before now; ns. */
uint64_t tbuf_consumer_due(const struct tbuf_consumer *, uint64_t now);

#endif
