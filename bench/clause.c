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

#define W(op, a, b, c, i)						\
	((uint64_t)TBUF_OP_##op | (uint64_t)(a) << 8 |			\
	(uint64_t)(b) << 16 | (uint64_t)(c) << 24 |			\
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

/* Of this program, in a ring. */
static void
measure(const struct clause *of, const uint64_t *code, uint32_t length)
{
	static char path[] = "/usr/share/doc/tbuf/READ";
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
	struct bench_side side[2] = {
		{ "", of->run, NULL, path },
		{ "counter", bench_counter, NULL, NULL }
	};
	struct tbuf_consumer *c = tbuf_consumer_new();
	struct bench_result r;
	int error;

	if (c == NULL)
		err(1, "tbuf_consumer_new");
	if ((error = tbuf_consumer_set(c, "bufpolicy", "ring")) < 0 ||
	    (error = tbuf_consumer_set(c, "bufsize", "1m")) < 0 ||
	    (error = tbuf_consumer_script(c, &script)) < 0 ||
	    (error = tbuf_consumer_grab(c, getpid())) < 0 ||
	    (error = tbuf_consumer_go(c)) < 0)
		errx(1, "%s", tbuf_consumer_error(c));
	bench_pair(side, TIMES, TURNS, &r);
	bench_row(of->what, r.ns[0], side[1].name, r.ns[1], of->figure);
	tbuf_consumer_close(c);
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
	return (0);
}
