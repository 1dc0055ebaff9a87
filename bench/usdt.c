/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Cost of a USDT probe with libtbuf-usdt.so: while no consumer traces it,
 * compared with an empty loop; traced, compared with a traced probe of tbuf; a
 * breakpoint with a signal handler, which other tracers use; and a uprobe of
 * the kernel, which perf(1) uses, if it is permitted.  The program preloads the
 * provider into itself.
 */
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <tbuf.h>
#include <tbuf_consumer.h>

#include "bench.h"
#include "self.h"
#include "peers/uprobe.h"

#define TIMES	1000		/* hits per turn */
#define TURNS	150

/*
 * A site with one argument, and its note, as in systemtap's header.  The other
 * probe is registered by a call, as the provider skips a program that has sites
 * of TBUF_PROBE.
 */
#define NOTE								\
	    "990:	nop\n"						\
	    "	.pushsection .note.stapsdt,\"\",\"note\"\n"		\
	    "	.balign 4\n"						\
	    "	.4byte 8, 992f-991f, 3\n"				\
	    "	.asciz \"stapsdt\"\n"					\
	    "991:	.8byte 990b, 0, 0\n"				\
	    "	.asciz \"bench\"\n	.asciz \"hit\"\n"		\
	    "	.asciz \"8@%0\"\n"					\
	    "992:	.balign 4\n"					\
	    "	.popsection\n"
#define HIT(argument)							\
	__asm__ __volatile__ (NOTE					\
	    "	.byte 0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0"		\
	    : : "r" (argument))

static struct tbuf_site fired;

/* Hits in one cache line, like the loop it is compared with. */
static void __attribute__((noinline))
hits(void *cookie, uint64_t times)
{
	uint64_t i;

	(void)cookie;
	__asm__ __volatile__ (".p2align 6");
	for (i = 0; i < times; i++)
		HIT(i);
}

/* Two functions, of which one has a site directly before its call. */
static uint64_t __attribute__((noinline, noclone))
leaf(uint64_t i)
{
	__asm__ __volatile__ ("" : "+r" (i));
	return (i + 1);
}

#define CALLER(name, site)						\
static void __attribute__((noinline, noclone))				\
name(uint64_t i)							\
{									\
	site;								\
	i = leaf(i);							\
	__asm__ __volatile__ ("" : : "r" (i + 1));			\
}									\
static void __attribute__((noinline))					\
name##_times(void *cookie, uint64_t times)				\
{									\
	uint64_t i;							\
									\
	(void)cookie;							\
	for (i = 0; i < times; i++)					\
		name(i);						\
}

CALLER(bare_call, (void)0)
CALLER(hit_call, __asm__ __volatile__ (NOTE : : "r" (i)))

static void __attribute__((noinline))
fires(void *cookie, uint64_t times)
{
	uint64_t i;

	(void)cookie;
	for (i = 0; i < times; i++)
		if (tbuf_probe_enabled(&fired))
			tbuf_probe_fire(&fired, &i);
}

static void
breakpoints(void *cookie, uint64_t times)
{
	uint64_t i;

	(void)cookie;
	for (i = 0; i < times; i++)
		__asm__ __volatile__ ("int3");
}

static void
calls(void *cookie, uint64_t times)
{
	uint64_t i;

	(void)cookie;
	for (i = 0; i < times; i++)
		uprobe_place();
}

static void
handler(int number)
{
	(void)number;
}

static void
untraced(const char *what, void (*with)(void *, uint64_t),
    const char *other, void (*without)(void *, uint64_t))
{
	const struct bench_side side[2] = {
		{ "", with, NULL, NULL },
		{ other, without, NULL, NULL }
	};
	struct bench_result r;

	bench_pair(side, TIMES, TURNS, &r);
	printf("%-38s %9.2f  %-30s %9.2f  %+6.2f  <= +1\n", what, r.ns[0],
	    other, r.ns[1], r.ns[0] - r.ns[1]);
}

static void
compare(const char *what, void (*run)(void *, uint64_t),
    void (*rest)(void *), void *cookie, const char *figure)
{
	const struct bench_side side[2] = {
		{ "", run, rest, cookie },
		{ "a probe of tbuf", fires, NULL, NULL }
	};
	struct bench_result r;

	bench_pair(side, TIMES, TURNS, &r);
	bench_row(what, r.ns[0], side[1].name, r.ns[1], figure);
}

/* Compares a uprobe; until closed, it makes other breakpoints slower. */
static void
compare_uprobe(void)
{
	struct uprobe u;

	if (uprobe_open(&u, TIMES)) {
		compare("  a uprobe of perf", calls, uprobe_read, &u, "");
		uprobe_close(&u);
	} else
		printf("no uprobe of perf: %s\n", strerror(errno));
}

int
main(int argc, char *argv[])
{
	static const enum tbuf_type type = TBUF_UINT64;
	int cpus[64], n = bench_cpus(cpus, 64);
	struct tbuf_consumer *c;

	if (argc < 2)
		bench_preload(argv, "usdt");
	if (tbuf_probe_register(&fired, "bench", "usdt", "main", "fire", 1,
	    &type, NULL) != 0)
		errx(1, "tbuf_probe_register");
	signal(SIGTRAP, handler);
	bench_pin(cpus[n - 1]);
	untraced("USDT, not traced", hits, "the loop alone", bench_nothing);
	untraced("  before a call", hit_call_times, "the calls alone",
	    bare_call_times);
	c = bench_trace("bench:::", 3);
	compare("  traced", hits, NULL, NULL, "<= x2");
	compare("  a breakpoint and its handler", breakpoints, NULL, NULL, "");
	compare_uprobe();
	tbuf_consumer_close(c);
	return (0);
}
