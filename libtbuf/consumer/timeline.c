/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The record clock in nanoseconds: a line through the moment when tracing
 * began and the latest one taken.
 */
#include <string.h>
#include <time.h>

#include "consumer/internal.h"

#define SLOPE_BITS	48
#define SLOPE_ONE	(UINT64_C(1) << SLOPE_BITS)

/* Two moments closer than this say little about the slope. */
#define SPAN_MIN	UINT64_C(1000000)

uint64_t
tbuf_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return ((uint64_t)t.tv_sec * TBUF_SECOND + (uint64_t)t.tv_nsec);
}

/* A target's moments are its own word: any slope has to be harmless. */
static void
set_slope(struct tbuf_timeline *line)
{
	const struct tbuf_moment *a = &line->base, *b = &line->latest;
	unsigned __int128 slope;

	line->slope = SLOPE_ONE;
	if (line->clock != TBUF_CLOCK_COUNTER || b->ticks <= a->ticks ||
	    b->mono <= a->mono)
		return;
	slope = ((unsigned __int128)(b->mono - a->mono) << SLOPE_BITS) /
	    (b->ticks - a->ticks);
	if (slope > 0 && slope <= UINT64_MAX)
		line->slope = (uint64_t)slope;
}

void
tbuf_timeline_start(struct tbuf_timeline *line, enum tbuf_clock clock,
    const struct tbuf_moment *base)
{
	line->clock = clock;
	line->base = *base;
	tbuf_timeline_update(line, NULL);
}

void
tbuf_timeline_update(struct tbuf_timeline *line,
    const struct tbuf_moment *latest)
{
	if (latest != NULL)
		line->latest = *latest;
	else
		do {
			tbuf_moment_take(line->clock, &line->latest);
		} while (line->latest.mono - line->base.mono < SPAN_MIN);
	set_slope(line);
}

uint64_t
tbuf_timeline_mono(const struct tbuf_timeline *line, uint64_t ticks)
{
	const struct tbuf_moment *a = &line->base;

	if (line->clock != TBUF_CLOCK_COUNTER)
		return (ticks);
	if (ticks >= a->ticks)
		return (a->mono + (uint64_t)(((unsigned __int128)
		    (ticks - a->ticks) * line->slope) >> SLOPE_BITS));
	return (a->mono - (uint64_t)(((unsigned __int128)
	    (a->ticks - ticks) * line->slope) >> SLOPE_BITS));
}

uint64_t
tbuf_timeline_wall(const struct tbuf_timeline *line, uint64_t mono)
{
	return (mono + (line->latest.real - line->latest.mono));
}

uint64_t
tbuf_timeline_ahead(const struct tbuf_timeline *line, uint64_t ns)
{
	uint64_t now = tbuf_clock_read(line->clock);

	return (now + (uint64_t)(((unsigned __int128)ns << SLOPE_BITS) /
	    line->slope));
}
