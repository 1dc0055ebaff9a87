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
	uint64_t slope;			/* ns a tick, with a fraction */
};

#define TBUF_SLOPE_BITS	48		/* of the slope's fraction */

void	tbuf_timeline_start(struct tbuf_timeline *, enum tbuf_clock,
	    const struct tbuf_moment *base);
/* Take the latest moment now (NULL), or have it given. */
void	tbuf_timeline_update(struct tbuf_timeline *,
	    const struct tbuf_moment *latest);
/*
 * ns a tick since a moment that is some time ago, 32 bits of it a fraction:
 * what timestamps in targets are made with.
 */
uint64_t tbuf_timeline_multiplier(const struct tbuf_moment *);
/* The record clock's reading some ns from now. */
uint64_t tbuf_timeline_ahead(const struct tbuf_timeline *, uint64_t ns);

/* These are asked for each record.  since: false before the first point. */
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
