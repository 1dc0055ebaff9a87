/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Choosing and reading the record clock.
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
 * Returns true if the process may not read the counter (PR_SET_TSC).  All
 * clocks of its vDSO except the coarse ones would then fault, too.
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

	/* The first 32 bits of the id are random enough. */
	return (read_text("/proc/sys/kernel/random/boot_id", text,
	    sizeof(text)) ? strtoull(text, NULL, 16) : 0);
}

#if defined(__x86_64__)
#define CLOCKSOURCE	"/sys/devices/system/clocksource/clocksource0/"

/*
 * Returns true if the text has this word.  It calls few functions, as each
 * program runs this when it starts, and a function may cost a page.
 */
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
 * Returns true if the kernel trusts the counter, or its choice of a clock
 * cannot be read.  The kernel watches the counter and takes another clock if it
 * differs between CPUs, even if CPUID calls it invariant.  Virtual machines
 * have a clock of their host that is computed from the counter, and old kernels
 * prefer that to a good counter; in that case an unfit counter is missing from
 * the available clocks.
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
 * Chooses CLOCK_MONOTONIC_COARSE on x86-64 if the counter is not fit: without
 * an invariant counter the kernel has no vDSO clock that reads one, and
 * CLOCK_MONOTONIC may be a system call, which a fire must not make.
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
 * Takes the best of several tries, the one with the least time between its two
 * readings of the record clock: a preemption in between would make every time
 * stamp wrong.
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
