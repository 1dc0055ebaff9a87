/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The output of tbufctl for the actions of clauses, in records made by hand.
 */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/check_main.h"
#include "lib/scratch.h"
#include "options/command_line.h"
#include "print/action.h"
#include "print/format.h"
#include "printf.h"

/* ------------------------------------------------------------ types */

#define INTEGER(type, bytes, sign)	{				\
	.kind = TBUF_KIND_INTEGER, .is_signed = (sign), .size = (bytes), \
	.name = type							\
}

static const struct tbuf_d_shape s8 = INTEGER("int8_t", 1, 1);
static const struct tbuf_d_shape s16 = INTEGER("short", 2, 1);
static const struct tbuf_d_shape s32 = INTEGER("int", 4, 1);
static const struct tbuf_d_shape s64 = INTEGER("int64_t", 8, 1);
static const struct tbuf_d_shape u8 = INTEGER("uint8_t", 1, 0);
static const struct tbuf_d_shape u16 = INTEGER("uint16_t", 2, 0);
static const struct tbuf_d_shape u32 = INTEGER("uint32_t", 4, 0);
static const struct tbuf_d_shape u64 = INTEGER("uint64_t", 8, 0);
static const struct tbuf_d_shape character = {
	.kind = TBUF_KIND_CHARACTER, .is_signed = 1, .size = 1, .name = "char"
};
static const struct tbuf_d_shape string = {
	.kind = TBUF_KIND_TEXT, .size = 8, .name = "string"
};
static const struct tbuf_d_shape real = {
	.kind = TBUF_KIND_FLOAT, .size = 8, .name = "double"
};
static const struct tbuf_d_shape pointer = {
	.kind = TBUF_KIND_POINTER, .size = 8, .name = "void *"
};
static const struct tbuf_d_shape letters = {
	.kind = TBUF_KIND_ARRAY, .size = 5, .count = 5, .name = "char [5]",
	.of = &character
};
static const struct tbuf_d_shape numbers = {
	.kind = TBUF_KIND_ARRAY, .size = 12, .count = 3, .name = "int [3]",
	.of = &s32
};
static const struct tbuf_d_member colours[] = {
	{ .name = "RED", .value = 0 }, { .name = "GREEN", .value = 1 }
};
static const struct tbuf_d_shape colour = {
	.kind = TBUF_KIND_ENUM, .is_signed = 1, .size = 4,
	.name = "enum colour", .members = colours, .nmembers = 2
};
static const struct tbuf_d_member inner_members[] = {
	{ .name = "x", .shape = &s32 }, { .name = "y", .shape = &s32,
	    .offset = 4 }
};
static const struct tbuf_d_shape inner = {
	.kind = TBUF_KIND_STRUCT, .size = 8, .name = "struct inner",
	.members = inner_members, .nmembers = 2
};
static const struct tbuf_d_member outer_members[] = {
	{ .name = "a", .shape = &s32 },
	{ .name = "b", .shape = &u8, .offset = 4, .bits = 7 },
	{ .name = "c", .shape = &inner, .offset = 8 },
	{ .name = "d", .shape = &letters, .offset = 16 },
	{ .name = "e", .shape = &colour, .offset = 24 }
};
static const struct tbuf_d_shape outer = {
	.kind = TBUF_KIND_STRUCT, .size = 28, .name = "struct outer",
	.members = outer_members, .nmembers = 5
};

/* a 1, b 5, c { 0, -2 }, d "te", e GREEN */
static const unsigned char bytes[28] = {
	1, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff,
	't', 'e', 0, 0, 0, 0, 0, 0, 1, 0, 0, 0
};

/* ------------------------------------------------------------ a record */

#define PIECES	2000
#define ACTIONS	4

static struct tbuf_d_piece pieces[PIECES];
static struct tbuf_value values[PIECES];
static struct tbuf_d_action actions[ACTIONS];
static struct tbuf_d_record layout;
static struct options options;
static struct output out;
static struct format format;

static const struct tbuf_probe_info probe = {
	.id = 1, .provider = "dtrace", .module = "", .function = "",
	.name = "BEGIN"
};

static void
setup(void)
{
	memset(&options, 0, sizeof(options));
	layout = (struct tbuf_d_record){
		.actions = actions, .pieces = pieces
	};
	output_memory(&out);
	options.quiet = true;
	format_init(&format, &out, &options);
}

static void
teardown(void)
{
	format_free(&format);
	free(out.buffer);
}

static void
action(enum tbuf_d_action_kind kind, const char *text)
{
	actions[layout.nactions++] = (struct tbuf_d_action){
		.kind = kind, .first = layout.npieces, .format = text
	};
}

static struct tbuf_value *
piece(enum tbuf_d_piece_kind kind, const struct tbuf_d_shape *shape)
{
	struct tbuf_value *v = &values[layout.npieces];

	pieces[layout.npieces++] = (struct tbuf_d_piece){
		.kind = kind, .shape = shape
	};
	actions[layout.nactions - 1].count++;
	memset(v, 0, sizeof(*v));
	return (v);
}

static void
number(const struct tbuf_d_shape *shape, uint64_t value)
{
	struct tbuf_value *v = piece(TBUF_PIECE_INTEGER, shape);

	v->type = shape->is_signed ? TBUF_INT64 : TBUF_UINT64;
	v->u = value;
}

static void
text(const char *value)
{
	struct tbuf_value *v = piece(TBUF_PIECE_TEXT, &string);

	v->type = TBUF_STRING;
	v->data = value;
	v->size = (uint32_t)strlen(value);
}

static void
memory(const struct tbuf_d_shape *shape, const void *data, size_t size)
{
	struct tbuf_value *v = piece(TBUF_PIECE_BYTES, shape);

	v->type = TBUF_BINARY;
	v->data = data;
	v->size = (uint32_t)size;
}

static void
give(void)
{
	const struct tbuf_record record = {
		.cpu = 2, .epid = 3, .pid = 4, .tid = 5, .time = 6,
		.execname = "kvd",
		.probe = &probe, .layout = &layout, .pieces = values,
		.npieces = layout.npieces
	};

	action_record(&format, &record);
	layout.nactions = layout.npieces = 0;
}

static void
expect(const char *wanted)
{
	*output_room(&out, 1) = '\0';
	out.buffer[out.used] = '\0';
	ck_assert_str_eq(out.buffer, wanted);
	out.used = 0;
}

/* Prints a number by one conversion. */
static void
printed(const char *conversion, const struct tbuf_d_shape *shape,
    uint64_t value, const char *wanted)
{
	action(TBUF_ACTION_PRINTF, conversion);
	number(shape, value);
	give();
	expect(wanted);
}

static void
spelled(const char *conversion, const char *value, const char *wanted)
{
	action(TBUF_ACTION_PRINTF, conversion);
	text(value);
	give();
	expect(wanted);
}

static void
say(const char *what)
{
	action(TBUF_ACTION_PRINTF, what);
	give();
}

/* ------------------------------------------------------------ printf() */

START_TEST(printf_integers_by_width_and_sign)
{
	printed("%d", &s8, (uint64_t)-1, "-1");
	printed("%d", &u8, 0xff, "255");
	printed("%d", &s16, (uint64_t)-300, "-300");
	printed("%d", &u16, 65535, "65535");
	printed("%d", &s32, (uint64_t)INT32_MIN, "-2147483648");
	printed("%d", &u32, UINT32_MAX, "4294967295");
	printed("%d", &s64, (uint64_t)INT64_MIN, "-9223372036854775808");
	printed("%i", &u64, UINT64_MAX, "18446744073709551615");
	printed("%u", &s8, (uint64_t)-1, "255");
	printed("%u", &s32, (uint64_t)-1, "4294967295");
	printed("%x", &s8, (uint64_t)-1, "ff");
	printed("%x", &s16, (uint64_t)-1, "ffff");
	printed("%X", &s32, (uint64_t)-1, "FFFFFFFF");
	printed("%x", &s64, (uint64_t)-1, "ffffffffffffffff");
	printed("%o", &u8, 8, "10");
	printed("%hd", &s16, (uint64_t)-5, "-5");
	printed("%lld", &s64, (uint64_t)-5, "-5");
	printed("%llx", &u64, 255, "ff");
	printed("%p", &pointer, 0xbeef, "beef");
	printed("%a", &u64, 0x10, "0x10");
	printed("%A", &u64, 0, "0x0");
}
END_TEST

START_TEST(printf_flags_widths_and_precisions)
{
	printed("[%5d]", &s32, 42, "[   42]");
	printed("[%-5d]", &s32, 42, "[42   ]");
	printed("[%05d]", &s32, (uint64_t)-42, "[-0042]");
	printed("[%-05d]", &s32, 42, "[00042]");
	printed("[%0-5d]", &s32, 42, "[42   ]");
	printed("[%+d]", &s32, 42, "[+42]");
	printed("[% d]", &s32, 42, "[ 42]");
	printed("[%#x]", &u32, 255, "[0xff]");
	printed("[%#o]", &u32, 8, "[010]");
	printed("[%.3d]", &s32, 7, "[007]");
	printed("[%8.3d]", &s32, 7, "[     007]");
	printed("[%'d]", &s32, 1234567, "[1234567]");
	printed("[%?x]", &u64, 255, "[              ff]");
	printed("[%4a]", &u64, 1, "[ 0x1]");
	printed("[%6p]", &pointer, 255, "[    ff]");
	printed("100%%, %d", &s32, 1, "100%, 1");
}
END_TEST

static void
starred(const char *conversion, int width, const char *wanted)
{
	action(TBUF_ACTION_PRINTF, conversion);
	number(&s32, (uint64_t)(int64_t)width);
	number(&s32, 7);
	give();
	expect(wanted);
}

START_TEST(printf_stars)
{
	starred("[%*d]", 4, "[   7]");
	starred("[%*d]", -4, "[7   ]");
	starred("[%*d]", 0, "[7]");
	starred("[%.*d]", 3, "[007]");
	action(TBUF_ACTION_PRINTF, "[%*.*s]");
	number(&s32, 5);
	number(&s32, 2);
	text("hello");
	give();
	expect("[   he]");
}
END_TEST

/* Prints a number in a text of this size: blanks or zeros, and one digit. */
static void
padded(const char *conversion, const struct tbuf_d_shape *star, uint64_t value,
    size_t size)
{
	action(TBUF_ACTION_PRINTF, conversion);
	if (star != NULL)
		number(star, value);
	number(&s32, 7);
	give();
	ck_assert_uint_eq(out.used, size);
	out.used = 0;
}

START_TEST(widths_and_precisions_have_a_limit)
{
	struct tbuf_value *v;

	padded("%*d", &s32, 65535, 65535);
	padded("%*d", &s32, 65537, 65536);
	padded("%*d", &s32, 2000000000, 65536);
	padded("%-*d", &s32, 2000000000, 65536);
	padded("%*d", &s32, (uint64_t)INT32_MIN + 1, 65536);
	padded("%0*d", &s32, 2000000000, 65536);
	padded("%.*d", &s32, 2000000000, 65536);
	padded("%.*x", &s64, INT32_MAX, 65536);
	padded("%*c", &s32, 2000000000, 65536);
	padded("%*C", &s32, 2000000000, 65536);
	padded("%*Y", &s32, 2000000000, 65536);
	padded("%*a", &s32, 2000000000, 65536);
	padded("%2000000000d", NULL, 0, 65536);
	padded("%.2000000000d", NULL, 0, 65536);
	action(TBUF_ACTION_PRINTF, "%-*s%.*f");
	number(&s32, 2000000000);
	text("x");
	number(&s32, 2000000000);
	v = piece(TBUF_PIECE_INTEGER, &real);
	v->type = TBUF_DOUBLE;
	v->d = 1.5;
	give();
	ck_assert_uint_eq(out.used, 65536 + 2 + 65536);
	out.used = 0;
}
END_TEST

START_TEST(printf_texts)
{
	spelled("%s", "hello", "hello");
	spelled("[%8s]", "hello", "[   hello]");
	spelled("[%-8s]", "hello", "[hello   ]");
	spelled("[%.2s]", "hello", "[he]");
	spelled("[%.0s]", "hello", "[hello]");
	spelled("%s", "", "");
	spelled("%S", "a\tb\"\\\n\001\377", "a\\tb\\\"\\\\\\n\\001\\377");
	action(TBUF_ACTION_PRINTF, "[%s]");
	memory(&letters, "te\0xx", 5);
	give();
	expect("[te]");
}
END_TEST

START_TEST(printf_characters)
{
	printed("[%c]", &s32, 'x', "[x]");
	printed("[%3c]", &s32, 'x', "[  x]");
	printed("%C", &s8, '\n', "\\n");
	printed("%C", &s8, 0, "\\0");
	printed("%C", &s32, 'x', "x");
}
END_TEST

START_TEST(printf_times)
{
	(void)setenv("TZ", "UTC0", 1);
	printed("%Y", &u64, UINT64_C(1000000000000000000),
	    "2001 Sep  9 01:46:40");
	printed("%T", &u64, UINT64_C(1000000000000000000),
	    "Sun, 09 Sep 2001 01:46:40 UTC");
	printed("[%24Y]", &u64, 0, "[    1970 Jan  1 00:00:00]");
}
END_TEST

START_TEST(printf_floating)
{
	struct tbuf_value *v;

	action(TBUF_ACTION_PRINTF, "%f %g %.2f %e");
	for (unsigned i = 0; i < 4; i++) {
		v = piece(TBUF_PIECE_ARGUMENT, &real);
		v->type = TBUF_DOUBLE;
		v->d = 1.5;
	}
	give();
	expect("1.500000 1.5 1.50 1.500000e+00");
}
END_TEST

/* ------------------------------------------------------------ trace() */

static void
traced(const struct tbuf_d_shape *shape, uint64_t value, const char *wanted)
{
	action(TBUF_ACTION_TRACE, NULL);
	number(shape, value);
	give();
	expect(wanted);
}

static const char row[] = "  2      1                           :BEGIN ";

static void
in_a_row(const char *wanted)
{
	char line[512];

	(void)snprintf(line, sizeof(line), "%s%s\n", row, wanted);
	expect(line);
}

START_TEST(trace_columns)
{
	static const struct {
		const struct tbuf_d_shape *shape;
		uint64_t value;
		const char *wanted;
	} cases[] = {
		{ &s64, (uint64_t)-1, "                  -1" },
		{ &u64, 1, "                    1" },
		{ &s32, (uint64_t)-1, "         -1" },
		{ &u32, UINT32_MAX, " 4294967295" },
		{ &s16, 1, "     1" },
		{ &u8, 255, " 255" }
	};
	unsigned i;

	format.quiet = false;
	format.started = true;
	for (i = 0; i < 6; i++) {
		action(TBUF_ACTION_TRACE, NULL);
		number(cases[i].shape, cases[i].value);
		give();
		in_a_row(cases[i].wanted);
	}
	action(TBUF_ACTION_TRACE, NULL);
	text("hello");
	give();
	in_a_row("  hello                            ");
}
END_TEST

START_TEST(trace_quiet)
{
	traced(&s64, (uint64_t)-1, "-1");
	traced(&u8, 200, "200");
	action(TBUF_ACTION_TRACE, NULL);
	text("hello");
	give();
	expect("hello");
}
END_TEST

#define DUMP_HEAD	"\n             0  1  2  3  4  5  6  7  8  9  a  b  c" \
			"  d  e  f  0123456789abcdef\n"

START_TEST(trace_dumps_memory)
{
	action(TBUF_ACTION_TRACE, NULL);
	memory(&letters, "te\0xx", 5);
	give();
	expect(DUMP_HEAD "         0: 74 65 00 78 78"
	    "                                   te.xx\n");
}
END_TEST

START_TEST(tracemem_sizes)
{
	static const struct {
		uint64_t size;
		const char *wanted;
	} cases[] = {
		{ 2, DUMP_HEAD "         0: 74 65 "
		    "                                           te\n" },
		{ 0, "" },
		{ (uint64_t)-1, DUMP_HEAD "         0: 74 65 00 "
		    "                                        te.\n" }
	};
	unsigned i;

	for (i = 0; i < 3; i++) {
		action(TBUF_ACTION_TRACEMEM, NULL);
		memory(NULL, "te\0xx", 3);
		number(&s64, cases[i].size);
		give();
		expect(cases[i].wanted);
	}
}
END_TEST

START_TEST(rawbytes_dump_the_room_of_a_text)
{
	format.rawbytes = true;
	action(TBUF_ACTION_TRACE, NULL);
	text("te");
	give();
	expect(DUMP_HEAD "         0: 74 65 00 00 00 00 00 00 00"
	    "                       te.......\n");
}
END_TEST

/* ------------------------------------------------------------ print() */

static void
shown(const struct tbuf_d_shape *shape, uint64_t value, const char *wanted)
{
	action(TBUF_ACTION_PRINT, NULL);
	number(shape, value);
	give();
	expect(wanted);
}

START_TEST(print_values)
{
	shown(&s32, 0x17, "int 0x17\n");
	shown(&s32, (uint64_t)-1, "int 0xffffffff\n");
	shown(&character, 'a', "char 'a'\n");
	shown(&character, '\n', "char '\\12'\n");
	shown(&pointer, 0x12, "void * 0x12\n");
	shown(&colour, 1, "enum colour GREEN\n");
	shown(&colour, 7, "enum colour 7\n");
	action(TBUF_ACTION_PRINT, NULL);
	text("x");
	give();
	expect("string \"x\"\n");
	action(TBUF_ACTION_PRINT, NULL);
	memory(&numbers, "\1\0\0\0\2\0\0\0\3\0\0\0", 12);
	give();
	expect("int [3] [ 0x1, 0x2, 0x3 ]\n");
}
END_TEST

START_TEST(print_a_structure)
{
	action(TBUF_ACTION_PRINT, NULL);
	memory(&outer, bytes, sizeof(bytes));
	give();
	expect("struct outer {\n"
	    "    int a = 0x1\n"
	    "    uint8_t b :7 = 0x5\n"
	    "    struct inner c = {\n"
	    "        int x = 0\n"
	    "        int y = 0xfffffffe\n"
	    "    }\n"
	    "    char [5] d = [ \"te\" ]\n"
	    "    enum colour e = GREEN\n"
	    "}");
}
END_TEST

#define MARGIN	"                                            "

static void
print_pointed_to(size_t size)
{
	action(TBUF_ACTION_PRINT, NULL);
	actions[0].pointer = 1;
	number(&pointer, 0x1000);
	memory(&outer, bytes, size);
	give();
}

START_TEST(print_what_a_pointer_points_to)
{
	print_pointed_to(sizeof(bytes));
	expect("0x1000 = *\n"
	    MARGIN "(struct outer) {\n"
	    MARGIN " .a = (int)1,\n"
	    MARGIN " .b = (uint8_t)5,\n"
	    MARGIN " .c = (struct inner) {\n"
	    MARGIN "  .y = (int)-2,\n"
	    MARGIN " },\n"
	    MARGIN " .d = (char [5]) [\n"
	    MARGIN "  (char)'t',\n"
	    MARGIN "  (char)'e',\n"
	    MARGIN " ],\n"
	    MARGIN " .e = (enum colour)GREEN,\n"
	    MARGIN "}\n");
	print_pointed_to(4);
	expect("0x1000 = *\n"
	    MARGIN "(struct outer) {\n"
	    MARGIN " .a = (int)1,\n"
	    MARGIN " ...\n"
	    MARGIN "}\n");
}
END_TEST

/* ------------------------------------------------------------ rows, JSON */

START_TEST(a_row_for_each_record)
{
	char lines[512];

	format.quiet = false;
	give();
	(void)snprintf(lines, sizeof(lines), "%3s %6s %32s\n%s\n", "CPU",
	    "ID", "FUNCTION:NAME", row);
	expect(lines);
	action(TBUF_ACTION_PRINTF, "a");
	action(TBUF_ACTION_PRINTF, "b\n");
	give();
	in_a_row("ab\n");
}
END_TEST

START_TEST(objects)
{
	options.json = true;
	format_free(&format);
	format_init(&format, &out, &options);
	action(TBUF_ACTION_TRACE, NULL);
	number(&s8, 0xff);
	action(TBUF_ACTION_PRINTF, "%d \"%s\"\n");
	number(&s32, 1);
	text("x");
	action(TBUF_ACTION_TRACE, NULL);
	text("y");
	give();
	expect("{\"type\":\"record\",\"cpu\":2,\"id\":1,\"pid\":4,\"tid\":5,"
	    "\"execname\":\"kvd\","
	    "\"time\":6,\"provider\":\"dtrace\",\"module\":\"\","
	    "\"function\":\"\",\"name\":\"BEGIN\",\"args\":{},"
	    "\"values\":[-1,\"y\"]}\n"
	    "{\"type\":\"output\",\"text\":\"1 \\\"x\\\"\\n\"}\n");
	action(TBUF_ACTION_PRINTF, "x");
	give();
	expect("{\"type\":\"output\",\"text\":\"x\"}\n");
}
END_TEST

START_TEST(options_that_a_clause_sets)
{
	action(TBUF_ACTION_SETOPT, NULL);
	text("quiet");
	text("off");
	action(TBUF_ACTION_PRINTF, "x");
	give();
	expect("x\n");
	ck_assert(!format.quiet);
	ck_assert_ptr_null(action_setopt(&format, "rawbytes", NULL));
	ck_assert(format.rawbytes);
	ck_assert_str_eq(action_setopt(&format, "nonsense", NULL),
	    "Invalid option name");
	ck_assert_str_eq(action_setopt(&format, "quiet", "perhaps"),
	    "Invalid value for specified option");
}
END_TEST

/* ------------------------------------------------------------ bounds */

#define MEGABYTE	((size_t)1 << 20)

/* Prints 1,000 integers, each as wide as the record's value says. */
static void
give_wide(uint64_t width)
{
	static char text[5001];
	unsigned i;

	for (i = 0; i < 1000; i++)
		memcpy(text + 5 * i, " %-*d", 5);
	action(TBUF_ACTION_PRINTF, text);
	for (i = 0; i < 1000; i++) {
		number(&s32, width);
		number(&s32, 7);
	}
	give();
}

/* Checks the size and the end of the output since the last call. */
static void
expect_end(size_t size, const char *end)
{
	size_t n = strlen(end);

	ck_assert_uint_eq(out.used, size);
	ck_assert_uint_ge(size, n);
	ck_assert_mem_eq(out.buffer + size - n, end, n);
	out.used = 0;
}

/* Output that the share of a record of 2,000 integers allows. */
#define SHARE_WIDE	(1024 + 64 * 16000)

START_TEST(output_of_a_record_has_a_bound)
{
	give_wide(999);
	expect_end(1000000, "        ");
	give_wide(2000000000);
	expect_end(SHARE_WIDE + 16 * MEGABYTE + 4, "   ...\n");
	say("x");
	expect("x");
}
END_TEST

START_TEST(records_of_a_drain_share_a_bound)
{
	unsigned i;

	for (i = 0; i < 4; i++) {
		give_wide(2000000000);
		expect_end(SHARE_WIDE + 16 * MEGABYTE + 4, "   ...\n");
	}
	give_wide(2000000000);
	expect_end(SHARE_WIDE + 4, "   ...\n");
	give_wide(999);
	expect_end(1000000, "  ");
	format_drain(&format);
	give_wide(2000000000);
	expect_end(SHARE_WIDE + 16 * MEGABYTE + 4, "   ...\n");
}
END_TEST

START_TEST(objects_have_a_bound)
{
	static const char begin[] = "{\"type\":\"output\",\"text\":\"";

	options.json = true;
	format_free(&format);
	format_init(&format, &out, &options);
	give_wide(2000000000);
	expect_end(strlen(begin) + SHARE_WIDE + 16 * MEGABYTE + 8,
	    "   ...\\n\"}\n");
}
END_TEST

START_TEST(arrays_of_nothing_have_a_bound)
{
	static const struct tbuf_d_shape empty = {
		.kind = TBUF_KIND_STRUCT, .name = "struct empty"
	};
	static const struct tbuf_d_shape many = {
		.kind = TBUF_KIND_ARRAY, .name = "struct empty []",
		.count = UINT32_MAX, .of = &empty
	};
	static const struct tbuf_d_member member[] = {
		{ .name = "m", .shape = &many }, { .name = "x", .shape = &s32 }
	};
	static const struct tbuf_d_shape holder = {
		.kind = TBUF_KIND_STRUCT, .name = "struct holder", .size = 4,
		.members = member, .nmembers = 2
	};

	action(TBUF_ACTION_PRINT, NULL);
	memory(&holder, "\1\0\0", 4);
	give();
	expect_end(1024 + 64 * 12 + 16 * MEGABYTE + 4, "...\n");
	action(TBUF_ACTION_PRINT, NULL);
	actions[0].pointer = true;
	number(&pointer, 0x10);
	memory(&many, "\1\0\0", 4);
	give();
	ck_assert_ptr_nonnull(strstr(out.buffer, "0x10 = *"));
	out.used = 0;
}
END_TEST

/*
 * Work that prints little counts as output: else these records, of 64 KB, would
 * take ten billion steps and more.
 */
#define HOSTILE		65536

START_TEST(a_search_for_enumerators_has_a_bound)
{
	static struct tbuf_d_member members[200000];
	static const struct tbuf_d_shape enumeration = {
		.kind = TBUF_KIND_ENUM, .name = "enum e", .size = 1,
		.members = members,
		.nmembers = sizeof(members) / sizeof(members[0])
	};
	static const struct tbuf_d_shape many = {
		.kind = TBUF_KIND_ARRAY, .name = "enum e [65536]",
		.size = HOSTILE, .count = HOSTILE, .of = &enumeration
	};
	static char data[HOSTILE];
	size_t i;

	for (i = 0; i < enumeration.nmembers; i++)
		members[i] = (struct tbuf_d_member){
			.name = "A", .value = 1000 + i
		};
	action(TBUF_ACTION_PRINT, NULL);
	memory(&many, data, sizeof(data));
	give();
	ck_assert_uint_lt(out.used, 5 * HOSTILE);
	expect_end(out.used, "...\n");
}
END_TEST

START_TEST(a_search_for_zeroes_has_a_bound)
{
	static struct tbuf_d_member members[200000];
	static const struct tbuf_d_shape text_shape = {
		.kind = TBUF_KIND_ARRAY, .name = "char [65536]",
		.size = HOSTILE, .count = HOSTILE, .of = &character
	};
	static const struct tbuf_d_shape everything = {
		.kind = TBUF_KIND_UNION, .name = "union all",
		.size = HOSTILE, .members = members,
		.nmembers = sizeof(members) / sizeof(members[0])
	};
	static char data[HOSTILE];
	size_t i;

	for (i = 0; i < everything.nmembers; i++)
		members[i] = (struct tbuf_d_member){
			.name = "t", .shape = &text_shape
		};
	action(TBUF_ACTION_PRINT, NULL);
	actions[0].pointer = true;
	number(&pointer, 0x10);
	memory(&everything, data, sizeof(data));
	give();
	expect("0x10 = *\n" "                                            "
	    "(union all) {\n...\n");
}
END_TEST

START_TEST(a_bound_holds_while_a_file_is_written)
{
	char folder[256], path[300];

	scratch_directory(folder, sizeof(folder));
	(void)snprintf(path, sizeof(path), "%s/file", folder);
	free(out.buffer);
	output_init(&out, -1);
	ck_assert_int_eq(output_append(&out, path), 0);
	say("begin ");
	give_wide(2000000000);
	say("end");
	output_flush(&out);
	ck_assert_int_eq(lseek(out.fd, 0, SEEK_CUR),
	    (off_t)(6 + SHARE_WIDE + 16 * MEGABYTE + 4 + 3));
	(void)close(out.fd);
}
END_TEST

/* ------------------------------------------------------------ terminals */

/* Control characters of ASCII and of UTF-8, then a line end and a tab. */
#define CONTROLS	"\033[2Ja\r\b\x7f\xc2\x9b\xc3\xa4\n\t"
#define CLEANED		"?[2Ja?????\xc3\xa4\n\t"

START_TEST(texts_are_cleaned_for_a_terminal)
{
	static const struct tbuf_d_member text_members[] = {
		{ .name = "t", .shape = &string }
	};
	static const struct tbuf_d_shape holder = {
		.kind = TBUF_KIND_STRUCT, .name = "struct t", .size = 8,
		.members = text_members, .nmembers = 1
	};
	int terminal;

	for (terminal = 0; terminal < 2; terminal++) {
		out.terminal = terminal != 0;
		spelled("%s", CONTROLS, terminal ? CLEANED : CONTROLS);
		spelled("%-3.1s|", CONTROLS, terminal ? "?  |" : "\033  |");
		spelled("%3.1s|", CONTROLS, terminal ? "  ?|" : "  \033|");
		printed("%2c", &s8, '\033', terminal ? " ?" : " \033");
		printed("%c", &s8, '\n', "\n");
		action(TBUF_ACTION_TRACE, NULL);
		text(CONTROLS);
		give();
		expect(terminal ? CLEANED : CONTROLS);
		action(TBUF_ACTION_PRINT, NULL);
		text("\033c");
		give();
		expect(terminal ? "string \"?c\"\n" :
		    "string \"\033c\"\n");
		action(TBUF_ACTION_PRINT, NULL);
		memory(&holder, "\033c\0\0\0\0\0\0", 8);
		give();
		expect(terminal ? "struct t {\n    string t = \"?c\"\n}" :
		    "struct t {\n    string t = \"\033c\"\n}");
	}
}
END_TEST

/* The escapes of a script's own format are those that it asks for. */
START_TEST(a_format_is_not_cleaned)
{
	out.terminal = true;
	say("\033[H");
	expect("\033[H");
}
END_TEST

/* ------------------------------------------------------------ files */

static char *
file_text(const char *path)
{
	static char room[256];
	int fd = open(path, O_RDONLY);
	ssize_t n;

	ck_assert_int_ne(fd, -1);
	ck_assert_int_ge(n = read(fd, room, sizeof(room) - 1), 0);
	room[n] = '\0';
	(void)close(fd);
	return (room);
}

START_TEST(output_goes_where_freopen_says)
{
	char folder[256], path[300], other[310];

	scratch_directory(folder, sizeof(folder));
	(void)snprintf(path, sizeof(path), "%s/file", folder);
	(void)snprintf(other, sizeof(other), "%s.1", path);
	free(out.buffer);
	output_init(&out, -1);
	ck_assert_int_eq(output_append(&out, path), 0);
	say("one ");
	action(TBUF_ACTION_FREOPEN, "%s.%d");
	text(path);
	number(&s32, 1);
	give();
	say("two ");
	action(TBUF_ACTION_FREOPEN, "%s");
	text("");
	give();
	say("three");
	output_flush(&out);
	ck_assert_str_eq(file_text(path), "one three");
	ck_assert_str_eq(file_text(other), "two ");
	action(TBUF_ACTION_FTRUNCATE, NULL);
	give();
	say("four");
	output_flush(&out);
	ck_assert_str_eq(file_text(path), "four");
	(void)close(out.fd);
}
END_TEST

START_TEST(faults_in_words)
{
	struct tbuf_event e = {
		.fault = 1, .action = 2, .offset = 7, .address = 0x1234
	};
	char what[160];

	fault_describe(what, sizeof(what), &e);
	ck_assert_str_eq(what,
	    "invalid address (0x1234) in action #2 at DIF offset 7");
	e.fault = 4;
	e.action = 0;
	fault_describe(what, sizeof(what), &e);
	ck_assert_str_eq(what,
	    "divide-by-zero in predicate at DIF offset 7");
	e.fault = 11;
	e.address = 10;
	fault_describe(what, sizeof(what), &e);
	ck_assert_str_eq(what,
	    "index out of bounds (10) in predicate at DIF offset 7");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("actions");
	TCase *tc = tcase_create("actions");

	/* The flag ' depends on the user's locale. */
	setenv("LC_ALL", "C", 1);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, printf_integers_by_width_and_sign);
	tcase_add_test(tc, printf_flags_widths_and_precisions);
	tcase_add_test(tc, printf_stars);
	tcase_add_test(tc, widths_and_precisions_have_a_limit);
	tcase_add_test(tc, printf_texts);
	tcase_add_test(tc, printf_characters);
	tcase_add_test(tc, printf_times);
	tcase_add_test(tc, printf_floating);
	tcase_add_test(tc, trace_columns);
	tcase_add_test(tc, trace_quiet);
	tcase_add_test(tc, trace_dumps_memory);
	tcase_add_test(tc, tracemem_sizes);
	tcase_add_test(tc, rawbytes_dump_the_room_of_a_text);
	tcase_add_test(tc, print_values);
	tcase_add_test(tc, print_a_structure);
	tcase_add_test(tc, print_what_a_pointer_points_to);
	tcase_add_test(tc, a_row_for_each_record);
	tcase_add_test(tc, objects);
	tcase_add_test(tc, output_of_a_record_has_a_bound);
	tcase_add_test(tc, records_of_a_drain_share_a_bound);
	tcase_add_test(tc, objects_have_a_bound);
	tcase_add_test(tc, arrays_of_nothing_have_a_bound);
	tcase_add_test(tc, a_search_for_enumerators_has_a_bound);
	tcase_add_test(tc, a_search_for_zeroes_has_a_bound);
	tcase_add_test(tc, a_bound_holds_while_a_file_is_written);
	tcase_add_test(tc, texts_are_cleaned_for_a_terminal);
	tcase_add_test(tc, a_format_is_not_cleaned);
	tcase_add_test(tc, options_that_a_clause_sets);
	tcase_add_test(tc, output_goes_where_freopen_says);
	tcase_add_test(tc, faults_in_words);
	suite_add_tcase(s, tc);
	return (run_suite(s));
}
