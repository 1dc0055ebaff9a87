/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The record clock in nanoseconds: linear between two calibration points, the
 * beginning of tracing and the latest one, and after the second.
 */
#include <time.h>

#include "consumer/util/clock_sync.h"
#include "consumer/util/util.h"

#define SLOPE_ONE	(UINT64_C(1) << TBUF_SLOPE_BITS)

/* Two points closer than this, in ns, say little about the slope. */
#define SPAN_MIN	UINT64_C(1000000)

uint64_t
tbuf_nanoseconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return ((uint64_t)t.tv_sec * TBUF_SECOND + (uint64_t)t.tv_nsec);
}

uint64_t
tbuf_now(void)
{
	return (tbuf_nanoseconds(CLOCK_MONOTONIC));
}

/* Sets the slope, which must be harmless: the target wrote its points. */
static void
set_slope(struct tbuf_timeline *line)
{
	const struct tbuf_moment *a = &line->base, *b = &line->latest;
	unsigned __int128 slope;

	line->slope = SLOPE_ONE;
	if (line->clock != TBUF_CLOCK_COUNTER || b->ticks <= a->ticks ||
	    b->mono <= a->mono)
		return;
	slope = ((unsigned __int128)(b->mono - a->mono) << TBUF_SLOPE_BITS) /
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
tbuf_timeline_ticks(const struct tbuf_timeline *line, uint64_t ns)
{
	unsigned __int128 ticks = ns;

	if (line->clock == TBUF_CLOCK_COUNTER)
		ticks = (ticks << TBUF_SLOPE_BITS) / line->slope;
	return (ticks < UINT64_MAX ? (uint64_t)ticks : UINT64_MAX);
}

uint64_t
tbuf_timeline_ahead(const struct tbuf_timeline *line, uint64_t ns)
{
	uint64_t now = tbuf_clock_read(line->clock);

	return (now + (uint64_t)(((unsigned __int128)ns << TBUF_SLOPE_BITS) /
	    line->slope));
}

uint64_t
tbuf_timeline_multiplier(const struct tbuf_moment *base)
{
	struct tbuf_timeline line;

	tbuf_timeline_start(&line, tbuf_clock_choose(false), base);
	return (line.slope >> (TBUF_SLOPE_BITS - 32));
}
