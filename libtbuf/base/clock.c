/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The record clock.
 */
#include "base/optimize_size.h"

#include <sys/prctl.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "arch/counter.h"
#include "base/clock.h"

static uint64_t
nanoseconds(clockid_t id)
{
	struct timespec t;

	if (clock_gettime(id, &t) != 0)
		return (0);
	return ((uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec);
}

/*
 * A process may have the counter taken away (PR_SET_TSC); all clocks of its
 * vDSO but the coarse ones would fault then, too.
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

static bool
read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd == -1)
		return (false);
	n = read(fd, text, size - 1);
	close(fd);
	text[n < 0 ? 0 : n] = '\0';
	return (n > 0);
}

uint64_t
tbuf_boot(void)
{
	char text[40];

	/* Its first 32 bits are random enough. */
	return (read_text("/proc/sys/kernel/random/boot_id", text,
	    sizeof(text)) ? strtoull(text, NULL, 16) : 0);
}

#if defined(__x86_64__)
#define CLOCKSOURCE	"/sys/devices/system/clocksource/clocksource0/"

/* By itself: each program begins with it, and functions are pages. */
static bool
has_word(const char *text, const char *word)
{
	size_t n = strlen(word), length = 0;

	for (; *text != '\0'; text++) {
		if (*text == ' ' || *text == '\n')
			length = 0;
		else if (++length == n && memcmp(text + 1 - n, word, n) == 0 &&
		    (text[1] == ' ' || text[1] == '\n' || text[1] == '\0'))
			return (true);
	}
	return (false);
}

/*
 * The kernel watches the counter and goes over to another clock where it runs
 * apart between CPUs, whatever the processor says of itself.  Virtual
 * machines have a clock of their host's that is made of the counter, and old
 * kernels prefer it to one that is fine: there, an unfit counter is not among
 * the clocks that could be had.  Where nothing can be read nobody objects.
 */
static bool
counter_trusted(void)
{
	static const char *const of_hosts[] = {
		"kvm-clock", "xen", "hyperv_clocksource_tsc_page"
	};
	char text[256];
	size_t i;

	if (!read_text(CLOCKSOURCE "current_clocksource", text,
	    sizeof(text)) || has_word(text, "tsc"))
		return (true);
	for (i = 0; i < sizeof(of_hosts) / sizeof(of_hosts[0]); i++)
		if (has_word(text, of_hosts[i]))
			return (read_text(CLOCKSOURCE "available_clocksource",
			    text, sizeof(text)) && has_word(text, "tsc"));
	return (false);
}
#else
static bool
counter_trusted(void)
{
	return (true);
}
#endif

bool
tbuf_clock_demanded(void)
{
	const char *clock = getenv("TBUF_CLOCK");

	return (clock != NULL && strcmp(clock, "counter") == 0);
}

/*
 * Without an invariant counter the kernel has no vDSO clock that reads one,
 * and CLOCK_MONOTONIC may be a system call: a fire must not make one.
 */
enum tbuf_clock
tbuf_clock_choose(bool trusted)
{
	if (counter_forbidden())
		return (TBUF_CLOCK_COARSE);
	if (tbuf_counter_invariant() &&
	    (trusted || tbuf_clock_demanded() || counter_trusted()))
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
