/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The record clock in nanoseconds.
 */
#ifndef TBUF_CONSUMER_UTIL_CLOCK_SYNC_H
#define TBUF_CONSUMER_UTIL_CLOCK_SYNC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "layout/layout.h"

/*
 * Two calibration points; the clock is linear between them and after the
 * second.
 */
struct tbuf_timeline {
	enum tbuf_clock clock;
	struct tbuf_moment base;
	struct tbuf_moment latest;
	uint64_t slope;			/* ns a tick, fixed point */
};

#define TBUF_SLOPE_BITS	48		/* bits of the slope's fraction */

void	tbuf_timeline_start(struct tbuf_timeline *, enum tbuf_clock,
	    const struct tbuf_moment *base);
/* Sets the second point: `latest`, or the present moment if that is NULL. */
void	tbuf_timeline_update(struct tbuf_timeline *,
	    const struct tbuf_moment *latest);
/*
 * Returns the ns a tick since an earlier moment, with 32 bits of fraction.
 * Clauses in targets compute timestamps with it.
 */
uint64_t tbuf_timeline_multiplier(const struct tbuf_moment *);
/* Returns the ticks that `ns' take. */
uint64_t tbuf_timeline_ticks(const struct tbuf_timeline *, uint64_t ns);
/* Returns the reading that the record clock will have `ns` from now. */
uint64_t tbuf_timeline_ahead(const struct tbuf_timeline *, uint64_t ns);

/*
 * Converts ticks to CLOCK_MONOTONIC, inline because each record needs it.
 * Returns false for ticks before the first point.
 */
static inline bool
tbuf_timeline_since(const struct tbuf_timeline *line, uint64_t ticks,
    uint64_t *mono)
{
	const struct tbuf_moment *a = &line->base;

	*mono = ticks;
	if (line->clock != TBUF_CLOCK_COUNTER)
		return (true);
	if (ticks < a->ticks)
		return (false);
	*mono = a->mono + (uint64_t)(((unsigned __int128)(ticks - a->ticks) *
	    line->slope) >> TBUF_SLOPE_BITS);
	return (true);
}

static inline uint64_t
tbuf_timeline_mono(const struct tbuf_timeline *line, uint64_t ticks)
{
	const struct tbuf_moment *a = &line->base;
	unsigned __int128 back;
	uint64_t mono;

	if (tbuf_timeline_since(line, ticks, &mono))
		return (mono);
	back = ((unsigned __int128)(a->ticks - ticks) * line->slope) >>
	    TBUF_SLOPE_BITS;
	return (back < a->mono ? a->mono - (uint64_t)back : 0);
}

static inline uint64_t
tbuf_timeline_wall(const struct tbuf_timeline *line, uint64_t mono)
{
	return (mono + (line->latest.real - line->latest.mono));
}

#endif
