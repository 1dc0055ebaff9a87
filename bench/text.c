/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Cost of a message in words: one that is off, compared with an empty loop; and
 * a line of the text trace in memory, compared with snprintf(3) of that line.
 */
#include <sys/types.h>

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <tbuf_text.h>

#include "bench.h"

#define TIMES	2000
#define TURNS	50

TBUF_COMPONENT(store, "store");

static const char *const keys[] = { "key1", "key17", "key354", "key9001" };

static void
message(void *cookie, uint64_t times)
{
	uint64_t i;

	(void)cookie;
	for (i = 0; i < times; i++)
		tbuf_text(&store, TBUF_INFO, "%s: %zu bytes, request %lu",
		    keys[i % 4], (size_t)(i % 100), (unsigned long)i);
}

/* Formats a line with snprintf(3), but reads and converts the time once. */
static void
line(void *cookie, uint64_t times)
{
	const int pid = getpid(), tid = gettid();
	struct timespec now;
	struct tm tm;
	char text[256];
	uint64_t i;

	(void)cookie;
	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &tm);
	for (i = 0; i < times; i++) {
		snprintf(text, sizeof(text), "%04d-%02d-%02dT%02d:%02d:%02d."
		    "%06ldZ %d:%d %s %s: %s: %zu bytes, request %lu\n",
		    tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour,
		    tm.tm_min, tm.tm_sec, now.tv_nsec / 1000, pid, tid,
		    "store", "info", keys[i % 4], (size_t)(i % 100),
		    (unsigned long)i);
		__asm__ volatile("" : : "r" (text) : "memory");
	}
}

int
main(void)
{
	const struct bench_side off[2] = {
		{ "a message that is off", message, NULL, NULL },
		{ "a loop that does nothing", bench_nothing, NULL, NULL }
	};
	const struct bench_side memory[2] = {
		{ "a line of text to Memory", message, NULL, NULL },
		{ "snprintf of the same line", line, NULL, NULL }
	};
	struct bench_result r;

	unsetenv("TBUF_TEXT");
	bench_pin(-1);
	bench_pair(off, TIMES * 10, TURNS, &r);
	bench_row(off[0].name, r.ns[0], off[1].name, r.ns[1], "");
	if (tbuf_text_set("traceFacility=Memory") != 0)
		errx(1, "no memory for the text trace");
	bench_pair(memory, TIMES, TURNS, &r);
	bench_row(memory[0].name, r.ns[0], memory[1].name, r.ns[1], "1.5");
	return (tbuf_text_lost() != 0);
}
