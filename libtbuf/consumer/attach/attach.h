/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Getting targets and giving them up: selects the processes that a run traces,
 * by pid, a command, and new ones; sessions on them, their limits, and their
 * end.
 */
#ifndef TBUF_CONSUMER_ATTACH_ATTACH_H
#define TBUF_CONSUMER_ATTACH_ATTACH_H

#include <stdbool.h>
#include <stdint.h>

#include "consumer/files/files.h"
#include "consumer/run/run.h"
#include "shared/program_file.h"

/*
 * Builds sessions on all targets of a consumer that have none yet, all or none:
 * space, then contents, then the probes' bits.  Lowers bufsize under `auto`.
 */
int	tbuf_attach_all(struct tbuf_consumer *);
/* Builds sessions on targets that came during the run, each by itself. */
void	tbuf_attach_new(struct tbuf_consumer *);
/* Attaches to a target's new exec image. */
void	tbuf_consumer_regrab(struct tbuf_consumer *, struct tbuf_target *);

/* Most milliseconds in all to wait for processes that end. */
#define TBUF_DYING_PAUSES	1000

/* Stops the sessions of a consumer; `only` (or NULL) selects one target. */
void	tbuf_consumer_quiesce(struct tbuf_consumer *,
	    const struct tbuf_target *only);

/*
 * Returns true if a buffer is so full that it has to be switched now.  Sets
 * next_fill to the time of the next look.
 */
bool	tbuf_early_switch(struct tbuf_consumer *, uint64_t now);

/*
 * Returns how many probes this run would enable in a target with a session that
 * is laid out, counting each enabling, if the session cannot hold them; else 0.
 */
uint64_t tbuf_target_excess(struct tbuf_consumer *, struct tbuf_target *);

/*
 * Returns the name of a feature that the session to be built needs and the
 * target's library lacks, or NULL.  A program with a waiting file checks that
 * itself (target/file/map.c).
 */
const char *tbuf_target_lacks(const struct tbuf_target *);

/* Returns the probes without room in the target's table since the last call. */
uint64_t tbuf_target_lost(struct tbuf_target *);

/* Frees a choice, which may be zeroes. */
void	tbuf_choice_free(struct tbuf_choice *);

/* Returns the probes not enabled, since the last call that found any. */
uint64_t tbuf_target_unmet(struct tbuf_consumer *, struct tbuf_target *,
	    bool last);

/* Returns the probes that a clause does not fit, since the last call. */
uint64_t tbuf_target_unfit(struct tbuf_consumer *, struct tbuf_target *);

/* ------------------------------------------------------------ untraceable */

/*
 * A program that cannot be traced publishes why on the board, if it can.  These
 * functions are for the others: the new exec image of a target, which
 * tbuf_find_pid() has refused with this error, and a command that has not
 * become a target.
 */
void	tbuf_untraceable_image(struct tbuf_consumer *, struct tbuf_target *,
	    int error, const struct tbuf_found *);
void	tbuf_untraceable_command(struct tbuf_consumer *, struct tbuf_target *);

/* Counts new forked children of a target that cannot see the board. */
void	tbuf_untraceable_children(struct tbuf_consumer *, struct tbuf_target *);

/* Counts targets that became programs without libtbuf. */
void	tbuf_untraceable_targets(struct tbuf_consumer *);

/*
 * Counts one more process that could not be traced, for a reason found by this
 * consumer.
 */
void	tbuf_untraceable_add(struct tbuf_consumer *, unsigned which,
	    const char *why);
/* Sets the number of processes for a reason that another one published. */
void	tbuf_untraceable_set(struct tbuf_untraceable *, const char *why,
	    uint64_t count);

/* ------------------------------------------------------------ board */

/*
 * Copies the parts (enum tbuf_programs_part) that targets need, besides the
 * terms, to build sessions with clauses; before the run begins.  -E2BIG,
 * -ENOMEM.
 */
int	tbuf_consumer_programs(struct tbuf_consumer *,
	    const void *const parts[TBUF_PARTS],
	    const size_t sizes[TBUF_PARTS]);

/*
 * Makes the program file that a board entry names, if this run has programs, or
 * removes it.  The caller holds the entry's lock.  -ENOSPC, -EEXIST, ...
 */
int	tbuf_programs_post(const struct tbuf_consumer *, int dirfd,
	    struct tbuf_board_entry *);
void	tbuf_programs_remove(int dirfd, struct tbuf_board_entry *);
/* Removes program files of dead consumers; `fd` is the board's, unlocked. */
void	tbuf_programs_reap(int dirfd, struct tbuf_board *, int fd);

/* Puts this consumer's order on the board, for future targets; removes it. */
int	tbuf_board_post(struct tbuf_consumer *);
void	tbuf_board_withdraw(struct tbuf_consumer *);
/* Copies the reasons that processes have published into c->untraceable. */
void	tbuf_board_untraceable(struct tbuf_consumer *);

/*
 * Adopts a session that a target has built for this run.  Returns 1 if the file
 * has one, which is a target now unless it is damaged, 0 if not, or -errno if
 * descriptors or memory run out.
 */
int	tbuf_board_adopt(struct tbuf_consumer *, int fd, const char *name,
	    const struct tbuf_control *, bool alive);

/* ------------------------------------------------------------ selection */

/*
 * tbuf_consumer_watch() watches the runtime directory for new files,
 * tbuf_consumer_watch_elsewhere() the directories of other users' targets.  A
 * run that has not begun has no inotify descriptor: closing one waits in the
 * kernel, on a busy machine for seconds, and status and lists do without.
 */
int	tbuf_consumer_watch(struct tbuf_consumer *);
void	tbuf_consumer_watch_elsewhere(struct tbuf_consumer *);

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
 * Returns 1 if a process may be added as a target, 0 if it is one already, or
 * -EBUSY or -ENXIO with a message.
 */
int	tbuf_grab_check(struct tbuf_consumer *, pid_t);

/*
 * Calls tbuf_find_pid() for a process that may have started just now: if it is
 * not a target yet, waits; for up to a second for all processes of a run.
 */
int	tbuf_find_starting(struct tbuf_consumer *, pid_t,
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
/*
 * Reaps the command, if it has ended, and fills in the event of its end.
 * Returns true if it did, which is once.
 */
bool	tbuf_spawn_ended(struct tbuf_consumer *, struct tbuf_event *);

/* Attaches to new targets in the directory. */
void	tbuf_consumer_find_new(struct tbuf_consumer *);
void	tbuf_consumer_find_execed(struct tbuf_consumer *);
/*
 * Looks early for the new exec image of a command: wrappers (env, nice, sh -c)
 * execute another program almost at once.
 */
void	tbuf_consumer_find_command(struct tbuf_consumer *, uint64_t now);
/* Returns the time of the next work, ns, not before `now`. */
uint64_t tbuf_consumer_due(const struct tbuf_consumer *, uint64_t now);

/* ------------------------------------------------------------ sampling */

/*
 * profile-N on the command and on targets that were grabbed by pid: the kernel
 * samples their threads, and the clauses run here, as if in the sampled thread.
 *
 *	look()     a new target ---> perf events of its threads
 *	drain()    buffers --------> samples, by time ---> clauses
 *
 * Without sampling profile-N fires for each CPU, and for no process.
 */

/*
 * Begins sampling, before the first target is let go.  If it fails,
 * tbuf_consumer_unsampled() has the reason.
 */
void	tbuf_sampling_begin(struct tbuf_consumer *);
void	tbuf_sampling_free(struct tbuf_consumer *);

/* Fires for the samples taken so far. */
void	tbuf_sampling_drain(struct tbuf_consumer *);
/* Begins sampling new targets, and stops it for those that have ended. */
void	tbuf_sampling_look(struct tbuf_consumer *);
/* Returns the time to read the buffers; UINT64_MAX: there are none. */
uint64_t tbuf_sampling_due(const struct tbuf_consumer *);

#endif
