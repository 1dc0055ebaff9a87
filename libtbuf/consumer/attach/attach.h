/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Sessions on the targets of a run, and for those to come; what they may take,
 * and their end.
 */
#ifndef TBUF_CONSUMER_ATTACH_ATTACH_H
#define TBUF_CONSUMER_ATTACH_ATTACH_H

#include <stdbool.h>
#include <stdint.h>

#include "shared/program_file.h"
#include "consumer/files/files.h"
#include "consumer/run/run.h"

/*
 * Sessions on all targets of a consumer that have none yet, all or none:
 * space, then contents, then the probes' bits.  Lowers bufsize under `auto`.
 */
int	tbuf_attach_all(struct tbuf_consumer *);
/* The same for targets that came while tracing runs: each by itself. */
void	tbuf_attach_new(struct tbuf_consumer *);
/* The file of a target's new image, after exec. */
void	tbuf_consumer_regrab(struct tbuf_consumer *, struct tbuf_target *);

/* Stop the sessions of a consumer, or the one on a target. */
void	tbuf_consumer_quiesce(struct tbuf_consumer *);
void	tbuf_target_quiesce(struct tbuf_consumer *, struct tbuf_target *);

/*
 * Is a buffer so full that it is to be switched now?  When to look again is
 * next_pace.
 */
bool	tbuf_pace_look(struct tbuf_consumer *, uint64_t now);

/*
 * How many probes this run would enable in a target whose session is planned,
 * every enabling counted, if that is more than it holds; else 0.
 */
uint64_t tbuf_target_excess(struct tbuf_consumer *, struct tbuf_target *);

/*
 * What a target's library lacks of what its planned session needs, in words;
 * NULL: nothing.  A file that waits for its program asks that itself
 * (target/file/map.c).
 */
const char *tbuf_target_lacks(const struct tbuf_target *);

/* Probes that found no room in the target's table, since the last call. */
uint64_t tbuf_target_lost(struct tbuf_target *);

/* Probes that could not be enabled, since the last call that found any. */
uint64_t tbuf_target_unmet(struct tbuf_consumer *, struct tbuf_target *,
	    bool last);

/* Probes that a clause does not fit, since the last call. */
uint64_t tbuf_target_unfit(struct tbuf_consumer *, struct tbuf_target *);

/* ------------------------------------------------------------ missed */

/*
 * A program that cannot be traced says so on the board, if it can.  These are
 * for those that cannot: the new image of a process that was a target, which
 * tbuf_find_pid() has refused with this error, and a command that has not
 * become one.
 */
void	tbuf_miss_image(struct tbuf_consumer *, struct tbuf_target *, int error,
	    const struct tbuf_found *);
void	tbuf_miss_command(struct tbuf_consumer *, struct tbuf_target *);

/* Its forked children that cannot see the board, since the last call. */
void	tbuf_miss_children(struct tbuf_consumer *, struct tbuf_target *);

/* Targets that became programs without libtbuf. */
void	tbuf_miss_strangers(struct tbuf_consumer *);

/*
 * One more process that could not be traced, for a reason seen here, which is
 * counted in its place.
 */
void	tbuf_consumer_miss(struct tbuf_consumer *, unsigned which,
	    const char *why);
/* So many processes by now, for a reason that another process has written. */
void	tbuf_missed_set(struct tbuf_missed *, const char *why,
	    uint64_t count);

/* ------------------------------------------------------------ board */

/*
 * What targets need beside the terms to build sessions with clauses: parts by
 * enum tbuf_programs_part, copied; before the run begins.  -E2BIG, -ENOMEM.
 */
int	tbuf_consumer_programs(struct tbuf_consumer *,
	    const void *const parts[TBUF_PARTS],
	    const size_t sizes[TBUF_PARTS]);

/*
 * The file of programs that an entry names, whose lock is held: make it, if
 * this run has any, or remove it.  -ENOSPC, -EEXIST, ...
 */
int	tbuf_programs_post(const struct tbuf_consumer *, int dirfd,
	    struct tbuf_board_entry *);
void	tbuf_programs_remove(int dirfd, struct tbuf_board_entry *);
/* Those that dead consumers have left; fd is the board's and holds no lock. */
void	tbuf_programs_reap(int dirfd, struct tbuf_board *, int fd);

/* Put this consumer's order on the board, for targets to come; take it off. */
int	tbuf_board_post(struct tbuf_consumer *);
void	tbuf_board_withdraw(struct tbuf_consumer *);
/* What processes say that could not be traced, into c->missed. */
void	tbuf_board_missed(struct tbuf_consumer *);

/*
 * A file's session that its target built for us: 1 if there is one, which is
 * a target now if it made sense; 0; or what was lacking.
 */
int	tbuf_board_adopt(struct tbuf_consumer *, int fd, const char *name,
	    const struct tbuf_control *, bool alive);

#endif
