/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The record clock.
 */
#include <sys/prctl.h>

#include <time.h>

#include "arch/counter.h"
#include "common/clock.h"

static uint64_t
nanoseconds(clockid_t id)
{
	struct timespec t;

	if (clock_gettime(id, &t) != 0)
		return (0);
	return ((uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec);
}

/*
 * A process may have the counter taken away (PR_SET_TSC); its vDSO then has
 * no clock either that would not fault, but for the coarse one.
 */
static bool
counter_forbidden(void)
{
#if defined(__x86_64__)
	int mode = PR_TSC_ENABLE;

	return (prctl(PR_GET_TSC, &mode, 0, 0, 0) == 0 &&
	    mode != PR_TSC_ENABLE);
#else
	return (false);
#endif
}

/*
 * Without an invariant counter the kernel has no vDSO clock that reads one,
 * and CLOCK_MONOTONIC may be a system call: a fire must not make one.
 */
enum tbuf_clock
tbuf_clock_choose(void)
{
	if (counter_forbidden())
		return (TBUF_CLOCK_COARSE);
	if (tbuf_counter_invariant())
		return (TBUF_CLOCK_COUNTER);
#if defined(__x86_64__)
	return (TBUF_CLOCK_COARSE);
#else
	return (TBUF_CLOCK_MONOTONIC);
#endif
}

uint64_t
tbuf_clock_read(enum tbuf_clock clock)
{
	switch (clock) {
	case TBUF_CLOCK_COUNTER:
		return (tbuf_counter_read());
	case TBUF_CLOCK_COARSE:
		return (nanoseconds(CLOCK_MONOTONIC_COARSE));
	default:
		return (nanoseconds(CLOCK_MONOTONIC));
	}
}

/*
 * Of several tries the one whose two readings of the record clock are
 * closest together: a preemption in between would bend every time stamp.
 */
void
tbuf_moment_take(enum tbuf_clock clock, struct tbuf_moment *best)
{
	uint64_t before, after, mono, width = UINT64_MAX;
	int try;

	for (try = 0; try < 5; try++) {
		before = tbuf_clock_read(clock);
		mono = nanoseconds(CLOCK_MONOTONIC);
		after = tbuf_clock_read(clock);
		if (after - before >= width)
			continue;
		width = after - before;
		best->ticks = before + width / 2;
		best->mono = mono;
		best->real = nanoseconds(CLOCK_REALTIME);
	}
}
