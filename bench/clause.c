/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What clauses cost at a fire: programs made by hand, as a compiler makes
 * them, as multiples of one reading of the cycle counter.
 */
#include <err.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <tbuf.h>
#include <tbuf_consumer.h>

#include "bench.h"
#include "common/machine_code.h"
#include "tbuf_program.h"

#define TIMES	3000		/* in a turn */
#define TURNS	150

#define W(op, a, b, c, i)	((uint64_t)TBUF_OP_##op |		\
	(uint64_t)(a) << 8 | (uint64_t)(b) << 16 | (uint64_t)(c) << 24 | \
	(uint64_t)(uint32_t)(i) << 32)

static void
fire(void *cookie, uint64_t times)
{
	const char *path = cookie;
	uint64_t i;

	for (i = 0; i < times; i++)
		TBUF_PROBE(bench, plain, i, times, i, path);
}

static void
fire_numbers(void *cookie, uint64_t times)
{
	uint64_t i;

	(void)cookie;
	for (i = 0; i < times; i++)
		TBUF_PROBE(bench, numbers, i, times, i, times);
}

static const struct tbuf_d_piece pieces[] = {
	{ .kind = TBUF_PIECE_INTEGER, .bytes = 8 },
	{ .kind = TBUF_PIECE_INTEGER, .bytes = 8 },
	{ .kind = TBUF_PIECE_INTEGER, .bytes = 8 },
	{ .kind = TBUF_PIECE_INTEGER, .bytes = 8 },
	{ .kind = TBUF_PIECE_TEXT }
};
static const struct tbuf_d_record numbers = {
	.pieces = pieces, .npieces = 4, .bytes = 32, .charge = 32
};
static const struct tbuf_d_record text = {
	.pieces = pieces + 4, .npieces = 1, .bytes = 258, .charge = 256
};

static const struct tbuf_d_aggregation count = {
	.name = "", .function = TBUF_AGG_COUNT
};
static const struct tbuf_d_aggregation count_by_number = {
	.name = "", .function = TBUF_AGG_COUNT, .keys = pieces, .nkeys = 1
};
static const struct tbuf_d_aggregation quantize_by_text = {
	.name = "", .function = TBUF_AGG_QUANTIZE, .keys = pieces + 4,
	.nkeys = 1, .is_signed = 1
};

/* A clause at a probe, which a function fires; it leaves a record, or not. */
struct clause {
	const char *what;
	const char *description;
	void (*run)(void *, uint64_t);
	const struct tbuf_d_record *record;
	const struct tbuf_d_aggregation *aggregation;
	const char *figure;
};

/* A script at probes of this program, in a ring. */
static void
measure_script(const char *what, const struct tbuf_d_script *script,
    void (*run)(void *, uint64_t), const char *figure)
{
	static char path[] = "/usr/share/doc/tbuf/READ";
	struct bench_side side[2] = {
		{ "", run, NULL, path },
		{ "counter", bench_counter, NULL, NULL }
	};
	struct tbuf_consumer *c = tbuf_consumer_new();
	struct bench_result r;
	int error;

	if (c == NULL)
		err(1, "tbuf_consumer_new");
	if ((error = tbuf_consumer_set(c, "bufpolicy", "ring")) < 0 ||
	    (error = tbuf_consumer_set(c, "bufsize", "1m")) < 0 ||
	    (error = tbuf_consumer_script(c, script)) < 0 ||
	    (error = tbuf_consumer_grab(c, getpid())) < 0 ||
	    (error = tbuf_consumer_go(c)) < 0)
		errx(1, "%s", tbuf_consumer_error(c));
	bench_pair(side, TIMES, TURNS, &r);
	bench_row(what, r.ns[0], side[1].name, r.ns[1], figure);
	tbuf_consumer_close(c);
}

static void
measure(const struct clause *of, const uint64_t *code, uint32_t length)
{
	const struct tbuf_d_program program = {
		.code = code, .length = length
	};
	const struct tbuf_d_clause clause = {
		.descriptions = &of->description, .ndescriptions = 1,
		.programs = &program, .nprograms = code != NULL,
		.records = of->record, .nrecords = of->record != NULL
	};
	const struct tbuf_d_script script = {
		.clauses = &clause, .nclauses = 1,
		.aggregations = of->aggregation,
		.naggregations = of->aggregation != NULL
	};

	measure_script(of->what, &script, of->run, of->figure);
}

#define MEASURE(what, description, run, record, aggregation, figure, ...) do { \
	static const struct clause clause_ = { (what), (description), (run), \
	    (record), (aggregation), (figure) };			\
	static const uint64_t code_[] = { __VA_ARGS__ };		\
									\
	measure(&clause_, code_, sizeof(code_) / sizeof(code_[0]));	\
} while (0)

static void
measure_records(void)
{
	MEASURE("false predicate", "bench:::numbers", fire_numbers, &numbers,
	    NULL, "<= 1.20", W(JALEI, 0, 1, 0, -1), W(END, 0, 0, 0, 0),
	    W(EMIT, 0, 0, 0, 0));
	MEASURE("false predicate beside a string", "bench:::plain", fire,
	    &numbers, NULL, "", W(JALEI, 0, 1, 0, -1), W(END, 0, 0, 0, 0),
	    W(EMIT, 0, 0, 0, 0));
	MEASURE("printf of four integers", "bench:::numbers", fire_numbers,
	    &numbers, NULL, "<= 3.50", W(PUTA, 0, 0, 0, 0),
	    W(PUTA, 0, 0, 0, 1), W(PUTA, 0, 0, 0, 2), W(PUTA, 0, 0, 0, 3),
	    W(EMIT, 0, 0, 0, 0));
	MEASURE("printf of a string of 24", "bench:::plain", fire, &text,
	    NULL, "", W(PUTA, 0, 0, 0, 3), W(EMIT, 0, 0, 0, 0));
}

static void
measure_aggregations(void)
{
	MEASURE("@ = count()", "bench:::numbers", fire_numbers, NULL, &count,
	    "<= 1.20", W(UPD, 0, 1, TBUF_AGG_COUNT, 0));
	MEASURE("@[k] = count()", "bench:::numbers", fire_numbers, NULL,
	    &count_by_number, "<= 2.50", W(LDA, 0, 0, 0, 1),
	    W(KEY, 0, 0, 0, 8), W(UPD, 0, 1, TBUF_AGG_COUNT, 0));
	MEASURE("@[path] = quantize(n)", "bench:::plain", fire, NULL,
	    &quantize_by_text, "<= 3.00", W(LDA, 0, 0, 0, 0),
	    W(LDI, 1, 0, 0, 1), W(KEYA, 0, 0, 0, 3),
	    W(UPD, 0, 1, TBUF_AGG_QUANTIZE, 0));
}

static void
measure_speculations(void)
{
	MEASURE("speculation, a record, discard", "bench:::numbers",
	    fire_numbers, &numbers, NULL, "", W(SPECN, 5, 0, 0, 0),
	    W(SPEC, 5, 0, 0, 0), W(PUTA, 0, 0, 0, 0), W(PUTA, 0, 0, 0, 1),
	    W(PUTA, 0, 0, 0, 2), W(PUTA, 0, 0, 0, 3), W(EMIT, 0, 0, 0, 0),
	    W(DISCARD, 5, 0, 0, 0));
}

/* ------------------------------------------------------------ variables */

static void
fire_pairs(void *cookie, uint64_t times)
{
	uint64_t i;

	(void)cookie;
	for (i = 0; i < times; i++) {
		TBUF_PROBE(bench, start, i, times);
		TBUF_PROBE(bench, done, i, times);
	}
}

static const struct tbuf_d_shape number = {
	.kind = TBUF_KIND_INTEGER, .size = 8, .name = "uint64_t"
};
static const struct tbuf_d_variable variables[] = {
	{ .name = "ts", .scope = TBUF_SCOPE_THREAD, .shape = &number },
	{ .name = "x", .scope = TBUF_SCOPE_ARRAY, .shape = &number,
	  .keys = pieces, .nkeys = 1 }
};
static const struct tbuf_d_aggregation quantize = {
	.name = "", .function = TBUF_AGG_QUANTIZE
};

/* A program at the start and one at the end, for both fires. */
static void
measure_pair(const char *what, const struct tbuf_d_program programs[2],
    const char *figure)
{
	static const char *const descriptions[] = {
		"bench:::start", "bench:::done"
	};
	struct tbuf_d_clause clauses[2] = {
		{ .descriptions = &descriptions[0], .ndescriptions = 1,
		  .programs = &programs[0], .nprograms = 1 },
		{ .descriptions = &descriptions[1], .ndescriptions = 1,
		  .programs = &programs[1], .nprograms = 1 }
	};
	const struct tbuf_d_script script = {
		.clauses = clauses, .nclauses = 2, .variables = variables,
		.nvariables = 2, .aggregations = &quantize, .naggregations = 1
	};

	measure_script(what, &script, fire_pairs, figure);
}

#define PROGRAM(...)	{						\
	.code = (const uint64_t []){ __VA_ARGS__ },			\
	.length = sizeof((const uint64_t []){ __VA_ARGS__ }) / 8	\
}
#define TIME(r)		W(LDB, r, 0, 0, TBUF_BUILTIN_TIMESTAMP)
/* Of the difference of r1 and r2. */
#define QUANTIZE							\
	W(SUB, 4, 1, 2, 0), W(LDI, 5, 0, 0, 1), W(LDI, 6, 0, 0, 0),	\
	W(UPD, 4, 5, TBUF_AGG_QUANTIZE, 0)

/* self->ts = timestamp; /self->ts/ { @ = quantize(timestamp - self->ts); } */
static const struct tbuf_d_program by_thread[2] = {
	PROGRAM(TIME(1), W(STV, 1, 0, TBUF_SCOPE_THREAD, 0)),
	PROGRAM(W(LDV, 1, 0, TBUF_SCOPE_THREAD, 0), W(JZ, 1, 0, 0, 8),
	    TIME(1), W(LDV, 2, 0, TBUF_SCOPE_THREAD, 0), QUANTIZE,
	    W(LDI, 1, 0, 0, 0), W(STV, 1, 0, TBUF_SCOPE_THREAD, 0))
};

#define BY_ID								\
	W(KEYN, 0, 0, 0, 0), W(LDA, 3, 0, 0, 0), W(KEY, 3, 0, 0, 8)
static const struct tbuf_d_program by_id[2] = {
	PROGRAM(TIME(1), BY_ID, W(STV, 1, 0, TBUF_SCOPE_ARRAY, 0)),
	PROGRAM(BY_ID, W(LDV, 2, 0, TBUF_SCOPE_ARRAY, 0), W(JZ, 2, 0, 0, 10),
	    TIME(1), QUANTIZE, W(LDI, 1, 0, 0, 0), BY_ID,
	    W(STV, 1, 0, TBUF_SCOPE_ARRAY, 0))
};

int
main(void)
{
	static const struct clause plain = { "default record, four integers",
	    "bench:::numbers", fire_numbers, NULL, NULL, "" };
	int cpus[64], n = bench_cpus(cpus, 64);

	bench_pin(cpus[n - 1]);
	measure(&plain, NULL, 0);
	measure_records();
	measure_aggregations();
	measure_speculations();
	measure_pair("start and end by self->ts", by_thread, "<= 7.00");
	measure_pair("start and end by start[id]", by_id, "");
	return (0);
}
