/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The output of tbufctl for aggregations: columns, histograms, printa() and the
 * rest at the end.  A consumer aggregates by a clause of BEGIN, made by hand.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/check_main.h"
#include "options/command_line.h"
#include "print/action.h"
#include "print/aggregation.h"
#include "print/format.h"
#include "print/histogram.h"
#include "unit/script/begin.h"

/* ------------------------------------------------------------ a script */

#define INTEGER(bytes, sign)	{					\
	.kind = TBUF_KIND_INTEGER, .is_signed = (sign), .size = (bytes), \
	.name = "integer"						\
}

static const struct tbuf_d_shape s8 = INTEGER(1, 1), s16 = INTEGER(2, 1),
    s32 = INTEGER(4, 1), s64 = INTEGER(8, 1);
static const struct tbuf_d_shape string = {
	.kind = TBUF_KIND_TEXT, .size = 256, .name = "string"
};
static const struct tbuf_d_shape letters = {
	.kind = TBUF_KIND_ARRAY, .size = 5, .count = 5, .name = "char [5]"
};

static const struct tbuf_d_shape stack = {
	.kind = TBUF_KIND_STRUCT, .size = 24, .name = "stack"
};
static const struct tbuf_d_shape address = {
	.kind = TBUF_KIND_INTEGER, .size = 8, .name = "_symaddr"
};

_Static_assert(FUNCTION_COUNT == (int)TBUF_AGG_COUNT &&
    FUNCTION_SUM == (int)TBUF_AGG_SUM && FUNCTION_MIN == (int)TBUF_AGG_MIN &&
    FUNCTION_MAX == (int)TBUF_AGG_MAX && FUNCTION_AVG == (int)TBUF_AGG_AVG &&
    FUNCTION_STDDEV == (int)TBUF_AGG_STDDEV &&
    FUNCTION_QUANTIZE == (int)TBUF_AGG_QUANTIZE &&
    FUNCTION_LQUANTIZE == (int)TBUF_AGG_LQUANTIZE &&
    FUNCTION_LLQUANTIZE == (int)TBUF_AGG_LLQUANTIZE, "one numbering");

enum key {
	KEY_8, KEY_16, KEY_32, KEY_64, KEY_TEXT, KEY_BYTES, KEY_STACK,
	KEY_ADDRESS
};
static const struct tbuf_d_piece keys[] = {
	[KEY_8] = { .kind = TBUF_PIECE_INTEGER, .shape = &s8 },
	[KEY_16] = { .kind = TBUF_PIECE_INTEGER, .shape = &s16 },
	[KEY_32] = { .kind = TBUF_PIECE_INTEGER, .shape = &s32 },
	[KEY_64] = { .kind = TBUF_PIECE_INTEGER, .shape = &s64 },
	[KEY_TEXT] = { .kind = TBUF_PIECE_TEXT, .shape = &string },
	[KEY_BYTES] = { .kind = TBUF_PIECE_BYTES, .bytes = 5,
	    .shape = &letters },
	[KEY_STACK] = { .kind = TBUF_PIECE_BYTES, .bytes = 24,
	    .shape = &stack },
	[KEY_ADDRESS] = { .kind = TBUF_PIECE_INTEGER, .shape = &address }
};

/* Returns a parameter as struct tbuf_d_aggregation has it. */
static uint64_t
linear(int32_t base, uint64_t levels, uint64_t step)
{
	return (step << 48 | levels << 32 | (uint32_t)base);
}

static uint64_t
log_linear(uint64_t factor, uint64_t low, uint64_t high, uint64_t steps)
{
	return (factor << 48 | low << 32 | high << 16 | steps);
}

/* ------------------------------------------------------------ a run */

static struct options options;
static struct output out;
static struct format format;

static void
setup(void)
{
	memset(&options, 0, sizeof(options));
	begin_set_up(keys);
	output_memory(&out);
	options.quiet = true;
	format_init(&format, &out, &options);
	ck_assert_ptr_nonnull(format.consumer = tbuf_consumer_new());
}

static void
teardown(void)
{
	tbuf_consumer_close(format.consumer);
	format_free(&format);
	free(out.buffer);
}

static void
set(const char *name, const char *value)
{
	ck_assert_int_eq(tbuf_consumer_set(format.consumer, name, value), 0);
}

static void
run(void)
{
	ck_assert_int_eq(tbuf_consumer_script(format.consumer, &script), 0);
	ck_assert_int_eq(tbuf_consumer_go(format.consumer), 0);
}

/* Compares the output since the last call. */
static void
expect(const char *text)
{
	*output_room(&out, 1) = '\0';
	ck_assert_str_eq(out.buffer, text);
	out.used = 0;
}

static void
printa(uint32_t id, const char *text)
{
	aggregation_printa(&format, &out, &id, 1, text);
}

/* ------------------------------------------------------------ columns */

START_TEST(columns_by_size)
{
	uint32_t id = aggregation(TBUF_AGG_SUM, 0, KEY_8, 5);

	begin_key();
	key_number(-2);
	key_number(-3);
	key_number(-4);
	key_number(-5);
	key_text("text");
	update(id, -6, 1);
	run();
	printa(id, NULL);
	expect("\n 254 65533       -4               -5  text              "
	    "                                               -6\n");
}
END_TEST

START_TEST(keys_are_cleaned_for_a_terminal)
{
	uint32_t id = aggregation(TBUF_AGG_COUNT, 0, KEY_TEXT, 1);

	by_text(id, "a\033\r\xc2\x9b", 0);
	run();
	printa(id, "%s\n");
	expect("a\033\r\xc2\x9b\n");
	out.terminal = true;
	printa(id, "%s\n");
	expect("a????\n");
	printa(id, NULL);
	expect("\n  a????                                             "
	    "                1\n");
}
END_TEST

START_TEST(a_text_that_is_too_long)
{
	uint32_t id = aggregation(TBUF_AGG_COUNT, 0, KEY_TEXT, 1);

	by_text(id, "0123456789012345678901234567890123456789012345678901", 0);
	by_text(id, "", 0);
	by_text(id, "", 0);
	run();
	printa(id, NULL);
	expect("\n  0123456789012345678901234567890123456789012345678901"
	    "                1\n"
	    "                                                    "
	    "                2\n");
}
END_TEST

/* Printable bytes are a string, others are dumped. */
START_TEST(bytes_as_keys)
{
	uint32_t id = aggregation(TBUF_AGG_COUNT, 0, KEY_BYTES, 1);

	begin_key();
	load_bytes("abc\0", 5);
	op(TBUF_OP_KEYB, 4, 0, 0, 5);
	update(id, 0, 1);
	begin_key();
	load_bytes("\1bc\0d", 5);
	op(TBUF_OP_KEYB, 4, 0, 0, 5);
	update(id, 0, 1);
	run();
	printa(id, NULL);
	expect("\n\n"
	    "             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f"
	    "  0123456789abcdef\n"
	    "         0: 01 62 63 00 64                                 "
	    "  .bc.d\n                1\n"
	    "  abc                                               "
	    "                1\n");
}
END_TEST

START_TEST(addresses_as_keys)
{
	uint32_t id = aggregation(TBUF_AGG_COUNT, 0, KEY_STACK, 2);

	begin_key();
	load_bytes("\x34\x12\0\0\0\0\0\0\x78\x56\0\0\0\0\0\0"
	    "\0\0\0\0\0\0\0", 24);
	op(TBUF_OP_KEYB, 4, 0, 0, 24);
	key_number(0xabc);
	update(id, 0, 1);
	run();
	printa(id, NULL);
	expect("\n\n              0x1234\n              0x5678\n"
	    "  0xabc                                             "
	    "                1\n");
}
END_TEST

START_TEST(nothing_to_print)
{
	uint32_t id = aggregation(TBUF_AGG_COUNT, 0, KEY_8, 1);

	number(1, 0);
	run();
	printa(id, NULL);
	expect("\n");
	printa(id, "%d %@d\n");
	expect("");
	aggregation_rest(&format);
	expect("");
}
END_TEST

START_TEST(several_in_one)
{
	uint32_t ids[2];

	ids[0] = aggregation(TBUF_AGG_COUNT, 0, KEY_TEXT, 1);
	ids[1] = aggregation(TBUF_AGG_QUANTIZE, 0, KEY_TEXT, 1);
	by_text(ids[0], "only", 0);
	by_text(ids[0], "both", 0);
	by_text(ids[0], "both", 0);
	by_text(ids[1], "both", 1);
	run();
	aggregation_printa(&format, &out, ids, 2, NULL);
	expect("\n  only                                              "
	    "                1\n"
	    "           value  ------------- Distribution ------------- "
	    "count    \n"
	    "              -1 |                                         "
	    "0        \n"
	    "               0 |                                         "
	    "0        \n"
	    "               1 |                                         "
	    "0        \n"
	    "\n  both                                              "
	    "                2\n"
	    "           value  ------------- Distribution ------------- "
	    "count    \n"
	    "               0 |                                         "
	    "0        \n"
	    "               1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ "
	    "1        \n"
	    "               2 |                                         "
	    "0        \n"
	    "\n");
	/* %@ takes the next aggregation, and repeats the last. */
	aggregation_printa(&format, &out, ids, 1, "%s %@d %@x %@5d|\n");
	expect("only 1 1     1|\nboth 2 2     2|\n");
}
END_TEST

/* ------------------------------------------------------------ formats */

START_TEST(formats)
{
	uint32_t sum = aggregation(TBUF_AGG_SUM, 0, KEY_32, 2);
	uint32_t ids[] = { sum, aggregation(TBUF_AGG_AVG, 0, KEY_32, 2) };

	begin_key();
	key_number(7);
	key_number(-8);
	update(sum, -255, 1);
	begin_key();
	key_number(7);
	key_number(-8);
	update(ids[1], 9, 1);
	run();
	printa(sum, "%d:%5d:%@d %%\n");
	expect("7:   -8:-255 %\n");
	/* The format has fewer conversions than keys. */
	printa(sum, "%@-8d|%x");
	expect("-255    |7");
	printa(sum, "none\n");
	expect("none\n");
	/* A width takes a key, too. */
	printa(sum, "%*d|");
	expect("     -8|");
	aggregation_printa(&format, &out, ids, 2, "%@d %@d %@d\n");
	expect("-255 9 9\n");
}
END_TEST

START_TEST(a_histogram_in_a_format)
{
	uint32_t id = aggregation(TBUF_AGG_QUANTIZE, 0, KEY_TEXT, 1);

	by_text(id, "x", 4);
	run();
	printa(id, "<%s>%@d</>\n");
	expect("<x>\n"
	    "           value  ------------- Distribution ------------- "
	    "count    \n"
	    "               2 |                                         "
	    "0        \n"
	    "               4 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ "
	    "1        \n"
	    "               8 |                                         "
	    "0        \n"
	    "</>\n");
}
END_TEST

/* ------------------------------------------------------------ histograms */

START_TEST(shares)
{
	static const int64_t values[] = { 10, 20, 30, 40, 50 };
	uint32_t id = aggregation(TBUF_AGG_QUANTIZE, 0, KEY_8, 0);
	unsigned i;

	for (i = 0; i < 5; i++)
		update(id, values[i], 1);
	run();
	printa(id, NULL);
	expect("\n\n"
	    "           value  ------------- Distribution ------------- "
	    "count    \n"
	    "               4 |                                         "
	    "0        \n"
	    "               8 |@@@@@@@@                                 "
	    "1        \n"
	    "              16 |@@@@@@@@@@@@@@@@                         "
	    "2        \n"
	    "              32 |@@@@@@@@@@@@@@@@                         "
	    "2        \n"
	    "              64 |                                         "
	    "0        \n"
	    "\n");
}
END_TEST

/* The outermost buckets have no neighbour. */
START_TEST(the_ends)
{
	uint32_t id = aggregation(TBUF_AGG_LQUANTIZE, linear(-10, 2, 10),
	    KEY_8, 0);

	update(id, -11, 1);
	update(id, 10, 3);
	run();
	printa(id, NULL);
	expect("\n\n"
	    "           value  ------------- Distribution ------------- "
	    "count    \n"
	    "           < -10 |@@@@@@@@@@                               "
	    "1        \n"
	    "             -10 |                                         "
	    "0        \n"
	    "               0 |                                         "
	    "0        \n"
	    "           >= 10 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@           "
	    "3        \n"
	    "\n");
	ck_assert_int_eq(tbuf_consumer_clear(format.consumer, id), 0);
	printa(id, NULL);
	expect("\n\n"
	    "           value  ------------- Distribution ------------- "
	    "count    \n"
	    "           < -10 |                                         "
	    "0        \n"
	    "             -10 |                                         "
	    "0        \n"
	    "               0 |                                         "
	    "0        \n"
	    "\n");
}
END_TEST

START_TEST(negative_counts)
{
	uint32_t both = aggregation(TBUF_AGG_QUANTIZE, 0, KEY_8, 0);
	uint32_t below = aggregation(TBUF_AGG_QUANTIZE, 0, KEY_8, 0);

	update(both, 1, 3);
	update(both, 2, -1);
	update(below, 1, -3);
	update(below, 2, -1);
	run();
	printa(both, NULL);
	expect("\n\n"
	    "           value  ------------- Distribution ------------- "
	    "count    \n"
	    "               0                     |                     "
	    "0        \n"
	    "               1                     |@@@@@@@@@@@@@@@      "
	    "3        \n"
	    "               2                @@@@@|                     "
	    "-1       \n"
	    "               4                     |                     "
	    "0        \n"
	    "\n");
	printa(below, NULL);
	expect("\n\n"
	    "           value  ------------- Distribution ------------- "
	    "count    \n"
	    "               0                                         | "
	    "0        \n"
	    "               1           @@@@@@@@@@@@@@@@@@@@@@@@@@@@@@| "
	    "-3       \n"
	    "               2                               @@@@@@@@@@| "
	    "-1       \n"
	    "               4                                         | "
	    "0        \n"
	    "\n");
}
END_TEST

/* Values 0 to 1499 of llquantize(i, 3, 3, 5, 27); the ends are compared. */
START_TEST(steps_of_a_magnitude)
{
	uint32_t id = aggregation(TBUF_AGG_LLQUANTIZE, log_linear(3, 3, 5,
	    27), KEY_8, 0);
	uint32_t up = aggregation(TBUF_AGG_LLQUANTIZE, log_linear(10, 2, 2,
	    5), KEY_8, 0);
	uint32_t unit = aggregation(TBUF_AGG_LLQUANTIZE, log_linear(10, 0,
	    0, 10), KEY_8, 0);

	update(id, 26, 27);
	update(id, 27, 3);
	update(id, 729, 771);
	update(id, -729, 1);
	update(up, 100, 1);
	update(unit, 0, 1);
	run();
	printa(id, "%@d");
	*output_room(&out, 1) = '\0';
	ck_assert_ptr_nonnull(strstr(out.buffer, "count    \n"
	    "         <= -729 |                                         "
	    "1        \n"
	    "            -702 |                                         "
	    "0        \n"));
	ck_assert_ptr_nonnull(strstr(out.buffer, "\n"
	    "             -27 |                                         "
	    "0        \n"
	    "      abs() < 27 |@                                        "
	    "27       \n"
	    "              27 |                                         "
	    "3        \n"
	    "              30 |                                         "
	    "0        \n"));
	ck_assert_ptr_nonnull(strstr(out.buffer, "\n"
	    "             702 |                                         "
	    "0        \n"
	    "          >= 729 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@   "
	    "771      \n"));
	out.used = 0;
	/* 100, 200, 400, 600, 800, >= 1000; lower steps are hidden. */
	printa(up, "%@d");
	expect("\n"
	    "           value  ------------- Distribution ------------- "
	    "count    \n"
	    "           < 100 |                                         "
	    "0        \n"
	    "             100 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ "
	    "1        \n"
	    "             200 |                                         "
	    "0        \n");
	printa(unit, "%@d");
	expect("\n"
	    "           value  ------------- Distribution ------------- "
	    "count    \n"
	    "              -1 |                                         "
	    "0        \n"
	    "               0 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ "
	    "1        \n"
	    "               1 |                                         "
	    "0        \n");
	ck_assert_int_eq(tbuf_consumer_clear(format.consumer, unit), 0);
	printa(unit, "%@d");
	expect("\n"
	    "           value  ------------- Distribution ------------- "
	    "count    \n"
	    "               0 |                                         "
	    "0        \n"
	    "               1 |                                         "
	    "0        \n"
	    "               2 |                                         "
	    "0        \n");
}
END_TEST

/* Counts are divided, labels and bars are not. */
START_TEST(normalized)
{
	uint32_t id = aggregation(TBUF_AGG_LQUANTIZE, linear(0, 3, 5),
	    KEY_8, 0);
	uint32_t sum = aggregation(TBUF_AGG_SUM, 0, KEY_8, 1);

	update(id, 5, 100);
	update(id, 10, 300);
	by_number(sum, 1, 1999);
	run();
	ck_assert_int_eq(tbuf_consumer_normalize(format.consumer, id, 10),
	    0);
	ck_assert_int_eq(tbuf_consumer_normalize(format.consumer, sum, 10),
	    0);
	printa(id, NULL);
	expect("\n\n"
	    "           value  ------------- Distribution ------------- "
	    "count    \n"
	    "               0 |                                         "
	    "0        \n"
	    "               5 |@@@@@@@@@@                               "
	    "10       \n"
	    "              10 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@           "
	    "30       \n"
	    "           >= 15 |                                         "
	    "0        \n"
	    "\n");
	printa(sum, "%d %@d\n");
	expect("1 199\n");
}
END_TEST

/* ------------------------------------------------------------ agg* */

START_TEST(zoomed)
{
	uint32_t id = aggregation(TBUF_AGG_LQUANTIZE, linear(0, 3, 1),
	    KEY_8, 0);

	update(id, 0, 4);
	update(id, 1, 2);
	set("aggzoom", NULL);
	run();
	printa(id, "%@d");
	expect("\n"
	    "           value  ------------- Distribution ------------- "
	    "count    \n"
	    "             < 0 |                                         "
	    "0        \n"
	    "               0 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@   "
	    "4        \n"
	    "               1 |@@@@@@@@@@@@@@@@@@@                      "
	    "2        \n"
	    "               2 |                                         "
	    "0        \n");
}
END_TEST

START_TEST(bars_of_keys)
{
	uint32_t id = aggregation(TBUF_AGG_COUNT, 0, KEY_TEXT, 1);
	uint32_t min = aggregation(TBUF_AGG_MIN, 0, KEY_32, 1);

	by_text(id, "write", 0);
	by_text(id, "write", 0);
	by_text(id, "write", 0);
	by_text(id, "read", 0);
	by_number(min, 1, 2);
	set("agghist", NULL);
	run();
	printa(id, NULL);
	expect("\n\n"
	    "              key  ------------- Distribution ------------- "
	    "count    \n"
	    "             read |@@@@@@@@@@                               "
	    "1        \n"
	    "            write |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@           "
	    "3        \n");
	/* Bars would be meaningless for min(). */
	printa(min, NULL);
	expect("\n        1                2\n");
}
END_TEST

START_TEST(packed)
{
	uint32_t id = aggregation(TBUF_AGG_QUANTIZE, 0, KEY_32, 1);
	uint32_t line = aggregation(TBUF_AGG_LQUANTIZE, linear(0, 3, 10),
	    KEY_8, 0);

	by_number(id, 1, 1);
	by_number(id, 1, 4);
	by_number(id, 2, 600);
	update(line, 5, 1);
	update(line, 100, 1);
	set("aggpack", NULL);
	run();
	ck_assert_int_eq(setenv("TERM", "dumb", 1), 0);
	printa(id, NULL);
	/* Both span 0 to 1024; x is half of all, X is all. */
	expect("\n\n"
	    "      key  min .------------. max  | count\n"
	    "        1    0 : x x        : 1024 | 2\n"
	    "        2    0 :          X : 1024 | 1\n");
	printa(line, NULL);
	expect("\n\n"
	    "     min .-----. max      | count\n"
	    "     < 0 : x  x: >= 30    | 2\n");
	set("encoding", "utf8");
	printa(line, NULL);
	set("encoding", "default");
	ck_assert_int_eq(setenv("TERM", "xterm", 1), 0);
	out.used = 0;
	printa(line, NULL);
	expect("\n\n"
	    "     min .-----. max      | count\n"
	    "     < 0 : \xe2\x96\x85  \xe2\x96\x85: >= 30    | 2\n");
}
END_TEST

/* 3 of 7 are 17 1/7 columns of 40, 1 of 7 is 5 5/7. */
START_TEST(bars_of_blocks)
{
	uint32_t id = aggregation(TBUF_AGG_LQUANTIZE, linear(0, 2, 1),
	    KEY_8, 0);
#define BLOCK	"\xe2\x96\x88"
#define FIVE	BLOCK BLOCK BLOCK BLOCK BLOCK

	update(id, 0, 3);
	update(id, 1, 1);
	update(id, 5, 3);
	set("encoding", "utf8");
	run();
	printa(id, "%@d");
	expect("\n"
	    "           value  ------------- Distribution ------------- "
	    "count    \n"
	    "             < 0 |                                         "
	    "0        \n"
	    "               0 |" FIVE FIVE FIVE BLOCK BLOCK "\xe2\x96\x8f"
	    "                       3        \n"
	    "               1 |" FIVE "\xe2\x96\x8b"
	    "                                   1        \n"
	    "            >= 2 |" FIVE FIVE FIVE BLOCK BLOCK "\xe2\x96\x8f"
	    "                       3        \n");
}
END_TEST

/* ------------------------------------------------------------ the end */

START_TEST(what_was_never_printed)
{
	uint32_t a = aggregation(TBUF_AGG_COUNT, 0, KEY_8, 0);
	uint32_t b = aggregation(TBUF_AGG_COUNT, 0, KEY_8, 1);
	uint32_t c = aggregation(TBUF_AGG_SUM, 0, KEY_8, 0);

	update(a, 0, 1);
	by_number(b, 1, 0);
	update(c, 5, 1);
	run();
	aggregation_rest(&format);
	expect("                1\n   1                1\n"
	    "                5\n");
	set("aggsortrev", NULL);
	aggregation_rest(&format);
	expect("                5\n   1                1\n"
	    "                1\n");
	printa(c, "");
	printa(a, NULL);
	expect("\n                1\n");
	aggregation_rest(&format);
	expect("   1                1\n");
	options.json = true;
	format.ops = &format_json;
	aggregation_rest(&format);
	expect("{\"type\":\"aggregation\",\"name\":\"@a\",\"keys\":[1],"
	    "\"value\":1}\n");
}
END_TEST

/* ------------------------------------------------------------ actions */

/* Performs an action such as clear(@a) or trunc(@a, n). */
static void
act_by_format(enum tbuf_d_action_kind kind, uint32_t id, int64_t n,
    const char *text)
{
	const struct tbuf_d_piece piece = {
		.kind = TBUF_PIECE_INTEGER, .shape = &s32
	};
	const struct tbuf_d_action action = {
		.kind = kind, .count = n != INT64_MIN,
		.aggregations = &id, .naggregations = 1, .format = text
	};
	const struct tbuf_d_record layout = {
		.actions = &action, .nactions = 1, .pieces = &piece,
		.npieces = action.count
	};
	const struct tbuf_probe_info probe = {
		.id = 1, .provider = "dtrace", .module = "", .function = "",
		.name = "BEGIN"
	};
	const struct tbuf_value value = { .type = TBUF_INT64, .i = n };
	const struct tbuf_record record = {
		.probe = &probe, .npieces = layout.npieces, .pieces = &value,
		.layout = &layout, .epid = 1
	};

	action_record(&format, &record);
}

static void
act(enum tbuf_d_action_kind kind, uint32_t id, int64_t n)
{
	act_by_format(kind, id, n, NULL);
}

START_TEST(actions)
{
	uint32_t id = aggregation(TBUF_AGG_SUM, 0, KEY_8, 1);

	by_number(id, 1, 100);
	by_number(id, 2, 200);
	by_number(id, 3, 300);
	run();
	act(TBUF_ACTION_NORMALIZE, id, 10);
	act(TBUF_ACTION_PRINTA, id, INT64_MIN);
	expect("\n   1               10\n   2               20\n"
	    "   3               30\n");
	act(TBUF_ACTION_DENORMALIZE, id, INT64_MIN);
	act(TBUF_ACTION_TRUNC, id, -2);
	act(TBUF_ACTION_PRINTA, id, INT64_MIN);
	expect("\n   1              100\n   2              200\n");
	act(TBUF_ACTION_TRUNC, id, 1);
	act(TBUF_ACTION_CLEAR, id, INT64_MIN);
	act(TBUF_ACTION_PRINTA, id, INT64_MIN);
	expect("\n   2                0\n");
	act(TBUF_ACTION_TRUNC, id, INT64_MIN);
	act(TBUF_ACTION_PRINTA, id, INT64_MIN);
	expect("\n");
	options.json = format.objects = true;
	format.ops = &format_json;
	act(TBUF_ACTION_PRINTA, id, INT64_MIN);
	expect("{\"type\":\"output\",\"text\":\"\\n\"}\n");
}
END_TEST

/* A printa() is as long as its aggregation; each tuple has a bound. */
START_TEST(output_of_a_tuple_has_a_bound)
{
	uint32_t id = aggregation(TBUF_AGG_SUM, 0, KEY_8, 1);
	int i;

	for (i = 0; i < 100; i++)
		by_number(id, i, 1);
	run();
	format.spare = 0;
	act_by_format(TBUF_ACTION_PRINTA, id, INT64_MIN, "%1000d\n");
	ck_assert_uint_eq(out.used, 100 * 1001);
	out.used = 0;
	act_by_format(TBUF_ACTION_PRINTA, id, INT64_MIN, "%3000d\n");
	ck_assert_uint_eq(out.used, 100 * (1024 + 64 * 16 + 4));
	out.used = 0;
	format_drain(&format);
	act_by_format(TBUF_ACTION_PRINTA, id, INT64_MIN, "%3000d\n");
	ck_assert_uint_eq(out.used, 100 * 3001);
	out.used = 0;
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("printa");
	TCase *tc = tcase_create("output");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, columns_by_size);
	tcase_add_test(tc, keys_are_cleaned_for_a_terminal);
	tcase_add_test(tc, a_text_that_is_too_long);
	tcase_add_test(tc, bytes_as_keys);
	tcase_add_test(tc, addresses_as_keys);
	tcase_add_test(tc, nothing_to_print);
	tcase_add_test(tc, several_in_one);
	tcase_add_test(tc, formats);
	tcase_add_test(tc, a_histogram_in_a_format);
	tcase_add_test(tc, output_of_a_tuple_has_a_bound);
	tcase_add_test(tc, shares);
	tcase_add_test(tc, the_ends);
	tcase_add_test(tc, negative_counts);
	tcase_add_test(tc, steps_of_a_magnitude);
	tcase_add_test(tc, normalized);
	tcase_add_test(tc, zoomed);
	tcase_add_test(tc, bars_of_keys);
	tcase_add_test(tc, packed);
	tcase_add_test(tc, bars_of_blocks);
	tcase_add_test(tc, what_was_never_printed);
	tcase_add_test(tc, actions);
	suite_add_tcase(suite, tc);
	return (run_suite(suite));
}
