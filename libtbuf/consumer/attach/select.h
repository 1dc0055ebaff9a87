/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Selects the processes that a run traces: by pid, a command, and new targets.
 */
#ifndef TBUF_CONSUMER_ATTACH_SELECT_H
#define TBUF_CONSUMER_ATTACH_SELECT_H

#include <sys/types.h>

#include <stdbool.h>

#include "consumer/files/files.h"
#include "consumer/run/run.h"

/* Watches the runtime directory for new files. */
int	tbuf_consumer_watch(struct tbuf_consumer *);

/*
 * Adds the directory's new targets.  If descriptors run out, the others are
 * skipped.
 */
int	tbuf_consumer_scan(struct tbuf_consumer *);
/*
 * Returns true if the directory may have files that no scan has seen.  inotify
 * reports a new file before its target runs on: if it has reported none
 * since the last scan, there is none.
 */
bool	tbuf_consumer_notified(struct tbuf_consumer *);

/*
 * Calls tbuf_find_pid() for a process that may have started just now: if it is
 * not a target yet, waits for up to a second.
 */
int	tbuf_find_starting(const struct tbuf_consumer *, pid_t,
	    struct tbuf_found *);

/*
 * Adds a target that was found, as the last one of the run.  The descriptors
 * become its own, or are closed.
 */
int	tbuf_target_add(struct tbuf_consumer *, const struct tbuf_found *);

/*
 * Adds the sessions of the control file `fd`, which is closed.  Returns 0, 1 if
 * the file is truncated, or -errno with the problem in `words`.
 */
int	tbuf_file_add(struct tbuf_consumer *, int fd,
	    char words[TBUF_PROBLEM_MAX]);
/* Calls tbuf_file_add() for a core image, known up to `cut`; 0: all of it. */
int	tbuf_image_add(struct tbuf_consumer *, int fd, uint64_t cut,
	    char words[TBUF_PROBLEM_MAX]);

struct tbuf_target *tbuf_target_new(struct tbuf_consumer *, pid_t);
void	tbuf_target_free(struct tbuf_consumer *, struct tbuf_target *);

/* Returns the live target with this pid, or NULL. */
struct tbuf_target *tbuf_target_find(struct tbuf_consumer *, pid_t);
/* Returns the target with this file name in the runtime directory, or NULL. */
struct tbuf_target *tbuf_target_named(struct tbuf_consumer *, const char *);

/*
 * Returns true if a child that is not a target yet may become one after its
 * parent has ended.  A forked child keeps its parent's window until it has
 * decided; if it becomes a target, its own file has a name before it gives the
 * window up.  A descendant of the command may become a target whenever it
 * executes another program.
 */
bool	tbuf_find_orphan(struct tbuf_consumer *);

int	tbuf_spawn_go(struct tbuf_consumer *);
void	tbuf_spawn_abandon(struct tbuf_consumer *);

/* Attaches to new targets in the directory. */
void	tbuf_consumer_find_new(struct tbuf_consumer *);
/*
 * Looks early for the new exec image of a command: wrappers (env, nice, sh -c)
 * execute another program almost at once.
 */
void	tbuf_consumer_find_command(struct tbuf_consumer *, uint64_t now);
/* Returns the time of the next work, ns, not before `now`. */
uint64_t tbuf_consumer_due(const struct tbuf_consumer *, uint64_t now);

#endif
