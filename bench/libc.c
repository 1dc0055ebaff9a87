/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Cost of the libc provider per call: malloc and free through it, compared with
 * those of the C library; while no consumer traces, and while their entries and
 * returns are traced.  The program preloads the provider into itself.
 */
#include <dlfcn.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>

#include <tbuf_consumer.h>

#include "bench.h"
#include "self.h"

#define TIMES	2000		/* calls per turn */
#define TURNS	150
#define SIZE	24

static void *(*real_malloc)(size_t);
static void (*real_free)(void *);

/* Makes one call per time; every second one is free(). */
static void
preloaded(void *cookie, uint64_t times)
{
	uint64_t i;
	void *p;

	(void)cookie;
	for (i = 0; i < times; i += 2) {
		p = malloc(SIZE);
		__asm__ volatile("" : "+r" (p) : : "memory");
		free(p);
	}
}

static void
plain(void *cookie, uint64_t times)
{
	uint64_t i;
	void *p;

	(void)cookie;
	for (i = 0; i < times; i += 2) {
		p = real_malloc(SIZE);
		__asm__ volatile("" : "+r" (p) : : "memory");
		real_free(p);
	}
}

static void *
find(const char *name)
{
	void *library = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
	void *function;

	if (library == NULL || (function = dlsym(library, name)) == NULL)
		errx(1, "%s", dlerror());
	return (function);
}

static void
measure(const char *what, const char *figure)
{
	const struct bench_side side[2] = {
		{ "", preloaded, NULL, NULL },
		{ "the C library's", plain, NULL, NULL }
	};
	struct bench_result r;

	bench_pair(side, TIMES, TURNS, &r);
	printf("%-38s %9.2f  %-30s %9.2f  %+6.2f  %s\n", what, r.ns[0],
	    side[1].name, r.ns[1], r.ns[0] - r.ns[1], figure);
	fflush(stdout);
}

int
main(int argc, char *argv[])
{
	int cpus[64], n = bench_cpus(cpus, 64);
	struct tbuf_consumer *c;

	if (argc < 2)
		bench_preload(argv, "libc");
	*(void **)&real_malloc = find("malloc");
	*(void **)&real_free = find("free");
	bench_pin(cpus[n - 1]);
	measure("malloc or free, provider, not traced", "<= +3 ns");
	c = bench_trace("libc::malloc:,libc::free:", 4);
	measure("  entry and return traced", "<= +65 ns");
	tbuf_consumer_close(c);
	return (0);
}
