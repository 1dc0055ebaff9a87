/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Which entries and exits of an object's functions can be armed.  A function's
 * exits are one probe, so they are armed all or not at all, unless a part of
 * them is wanted, too.
 */
#ifndef TBUF_PROVIDERS_PID_PLAN_H
#define TBUF_PROVIDERS_PID_PLAN_H

#include "functions.h"
#include "patch/region.h"

#pragma GCC visibility push(hidden)

/* A function of which probes are wanted. */
struct pid_wish {
	size_t function;		/* index in the map */
	bool entry, exits;		/* the probes */
	const char *entry_problem;	/* why it is not armed, or NULL */
	const char *exit_problem;	/* why some are not */
	size_t nexits, refused;		/* the places; those without room */
};

/* An instruction of a function, by its offset. */
struct pid_spot {
	size_t function;
	uintptr_t at;
	const char *name;		/* as a description has it */
	const char *problem;
};

struct pid_plan {
	struct pid_functions *functions;
	struct pid_wish *wishes;	/* in the order of the functions */
	size_t nwishes;
	struct pid_spot *spots;
	size_t nspots;
	struct patch_point *points;	/* by address */
	size_t npoints, room;
	struct patch_regions regions;
	size_t *wish_of;		/* by function; for its points */
	bool is_partial;		/* some exits are better than none */
	bool is_once;			/* loops back to entries do not count */
	bool failed;			/* out of memory */
};

/*
 * pid_plan_begin() allocates a plan, pid_plan_add() wants probes of a function,
 * of ascending index, pid_plan_add_spot() then wants instructions of it, and
 * pid_plan_make() plans them all.  They return NULL, or
 * the reason of a failure.  Free the plan in any case.
 */
const char *pid_plan_begin(struct pid_plan *, struct pid_functions *);
void	pid_plan_add(struct pid_plan *, size_t function, bool entry,
	    bool exits);
void	pid_plan_add_spot(struct pid_plan *, size_t function, uint64_t offset,
	    const char *name);
const char *pid_plan_make(struct pid_plan *);
void	pid_plan_free(struct pid_plan *);

/* Returns the spot of a point. */
struct pid_spot *pid_plan_spot(const struct pid_plan *,
	    const struct patch_point *);

/* Returns true if exits of a wish are armed. */
static inline bool
pid_plan_returns(const struct pid_plan *p, const struct pid_wish *wish)
{
	return (wish->nexits > wish->refused &&
	    (wish->exit_problem == NULL || p->is_partial));
}

/* Formats why a wish's exits are not armed, or not all of them. */
#define PID_WHY		160u

void	pid_plan_why(const struct pid_wish *, char why[PID_WHY]);

#pragma GCC visibility pop

#endif
