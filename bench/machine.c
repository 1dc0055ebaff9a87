/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Cost of programs on the machine alone, as multiples of a counter read.  A
 * machine is prepared for each run, as at a fire.
 */
#include <stdio.h>

#include "bench.h"
#include "machine/machine.h"
#include "tbuf.h"

#define TIMES	20000
#define TURNS	20

struct program {
	const char *what;
	const char *figure;
	uint64_t words[8];
	uint32_t length;
};

static const char constants[] = "/index.html";
static const char path[] = "/index.html";
static const struct tbuf_surroundings surroundings;

static void
run(void *cookie, uint64_t times)
{
	static const uint8_t types[] = { TBUF_STRING, TBUF_INT64 };
	const struct program *p = cookie;
	const uint64_t values[] = { (uint64_t)(uintptr_t)path, 99 };
	struct tbuf_machine m;
	uint64_t i;

	for (i = 0; i < times; i++) {
		m.code = p->words;
		m.length = p->length;
		m.constants = (const uint8_t *)constants;
		m.constants_size = sizeof(constants);
		m.values = values;
		m.types = types;
		m.nargs = 2;
		m.binding = 0;
		m.strsize = 256;
		m.surroundings = &surroundings;
		m.scratch.room = m.scratch.used = 0;
		m.temporary.room = m.key.room = m.record.room = 0;
		m.token.room = 0;
		m.token_at = TBUF_TOKEN_NONE;
		m.fuel = TBUF_FUEL;
		__asm__ volatile("" : : "r"(&m) : "memory");
		tbuf_machine_run(&m);
	}
}

static void
measure(struct program *p)
{
	const struct bench_side sides[2] = {
		{ p->what, run, NULL, p },
		{ "counter", bench_counter, NULL, NULL }
	};
	struct bench_result r;

	bench_pair(sides, TIMES, TURNS, &r);
	bench_row(p->what, r.ns[0], "a counter read", r.ns[1], p->figure);
}

int
main(void)
{
	struct program programs[] = {
		{ "machine: empty program", "", {
		    tbuf_word(TBUF_OP_END, 0, 0, 0, 0) }, 1 },
		{ "machine: /arg1 > 4096/, false", "<= 1.20", {
		    tbuf_word(TBUF_OP_JALEI, 1, 1, 0, 4096),
		    tbuf_word(TBUF_OP_FAULT, 0, 0, 0, 1),
		    tbuf_word(TBUF_OP_END, 0, 0, 0, 0) }, 3 },
		{ "machine: the same, not fused", "", {
		    tbuf_word(TBUF_OP_LDA, 1, 0, 0, 1),
		    tbuf_word(TBUF_OP_JLEI, 1, 1, 0, 4096),
		    tbuf_word(TBUF_OP_FAULT, 0, 0, 0, 1),
		    tbuf_word(TBUF_OP_END, 0, 0, 0, 0) }, 4 },
		{ "machine: /path == \"/index.html\"/, true", "", {
		    tbuf_word(TBUF_OP_LDAT, 1, 0, 0, 0),
		    tbuf_word(TBUF_OP_LDC, 2, 0, 0, 0),
		    tbuf_word(TBUF_OP_TJEQ, 1, 2, 0, 1),
		    tbuf_word(TBUF_OP_FAULT, 0, 0, 0, 1),
		    tbuf_word(TBUF_OP_END, 0, 0, 0, 0) }, 5 },
	};
	int cpus[64], n = bench_cpus(cpus, 64);
	unsigned i;

	bench_pin(cpus[n - 1]);
	for (i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		measure(&programs[i]);
	return (0);
}
