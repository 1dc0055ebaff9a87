/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The macros in C: effects of a disabled and of an enabled probe, and the
 * values of each argument type.  matrix.sh compiles it with every warning.
 */
#include <stdint.h>
#include <string.h>

#include "events.h"
#include "fake.h"
#include "inline.h"

/* The names of probes and arguments are not expanded as macros. */
#define ANSWER		42
#define test		wrong
#define PAIR		1, 2

enum colour { RED, GREEN = 70000 };

struct fields {
	unsigned small : 3;
	int negative : 5;
	unsigned long wide : 40;
	long wide_negative : 40;
	_Bool flag : 1;
	enum colour colour : 20;
};

static int evaluated;

static int
evaluate(int x)
{
	evaluated++;
	return (x);
}

static void
integers(void)
{
	volatile short vshort = -300;
	const unsigned char uchar = 200;
	signed char schar = -100;
	unsigned short ushort_value = 60000;
	int i = -1;
	unsigned u = 4000000000u;
	long l = -5000000000;
	unsigned long ul = 0xf000000000000001;
	long long ll = INT64_MIN;
	unsigned long long ull = UINT64_MAX;

	TBUF_PROBE(test, integers, schar, uchar, vshort, ushort_value, i, u, l,
	    ul, ll, ull);
	EXPECT_INTEGER(fake_fires(), 1);
	EXPECT_ARGUMENT(0, "schar", TBUF_INT8, (uint64_t)-100);
	EXPECT_ARGUMENT(1, "uchar", TBUF_UINT8, 200);
	EXPECT_ARGUMENT(2, "vshort", TBUF_INT16, (uint64_t)-300);
	EXPECT_ARGUMENT(3, "ushort_value", TBUF_UINT16, 60000);
	EXPECT_ARGUMENT(4, "i", TBUF_INT32, UINT64_MAX);
	EXPECT_ARGUMENT(5, "u", TBUF_UINT32, 4000000000u);
	EXPECT_ARGUMENT(6, "l", TBUF_INT64, (uint64_t)-5000000000);
	EXPECT_ARGUMENT(7, "ul", TBUF_UINT64, 0xf000000000000001);
	EXPECT_ARGUMENT(8, "ll", TBUF_INT64, (uint64_t)INT64_MIN);
	EXPECT_ARGUMENT(9, "ull", TBUF_UINT64, UINT64_MAX);
	EXPECT_STRING(fake_last.provider, "test");
	EXPECT_STRING(fake_last.name, "integers");
	EXPECT_STRING(fake_last.function, "integers");
}

static void
small_types(void)
{
	_Bool yes = 1;
	char c = (char)-1;
	enum colour colour = GREEN;
	float f = -1.5f;
	double d = 1e300;
	uint64_t bits;

	TBUF_PROBE(test, small__types, yes, c, colour, f, d, 'x', RED, 1.0f,
	    2.0, ANSWER);
	EXPECT_INTEGER(fake_fires(), 1);
	EXPECT_ARGUMENT(0, "yes", TBUF_BOOL, 1);
	EXPECT_ARGUMENT(1, "c", TBUF_CHAR, (uint64_t)(char)-1);
	EXPECT_ARGUMENT(2, "colour", TBUF_UINT32, 70000);
	EXPECT_ARGUMENT(3, "f", TBUF_FLOAT, 0xbfc00000);
	memcpy(&bits, &d, sizeof(bits));
	EXPECT_ARGUMENT(4, "d", TBUF_DOUBLE, bits);
	EXPECT_ARGUMENT(5, "arg5", TBUF_INT32, 'x');
	EXPECT_ARGUMENT(6, "RED", TBUF_INT32, 0);
	EXPECT_ARGUMENT(7, "arg7", TBUF_FLOAT, 0x3f800000);
	EXPECT_ARGUMENT(8, "arg8", TBUF_DOUBLE, 0x4000000000000000);
	EXPECT_ARGUMENT(9, "ANSWER", TBUF_INT32, 42);
}

static void
bit_fields(void)
{
	struct fields fields = { 7, -16, 0xffffffffff, -1, 1, GREEN };
	const struct fields *p = &fields;

	TBUF_PROBE(test, bit__fields, fields.small, fields.negative,
	    p->wide, p->wide_negative, p->flag, p->colour);
	EXPECT_INTEGER(fake_fires(), 1);
	EXPECT_STRING(fake_last.arguments[0].name, "small");
	EXPECT_INTEGER(fake_value(0), 7);
	EXPECT_INTEGER(fake_value(1), -16);
	EXPECT_INTEGER(fake_value(2), 0xffffffffff);
	EXPECT_INTEGER(fake_value(3), -1);
	EXPECT_INTEGER(fake_value(4), 1);
	EXPECT_INTEGER(fake_value(5), GREEN);
}

static void
strings(void)
{
	char array[8] = "array", *changing = array;
	const char *constant = "constant", *nothing = NULL;
	const char *const *indirect = &constant;

	TBUF_PROBE(test, strings, array, changing, constant, nothing,
	    "a \"literal\", with a comma", *indirect, array + 1,
	    changing != NULL ? changing : constant, (char *)NULL,
	    TBUF_TEXT(constant, 3));
	EXPECT_INTEGER(fake_fires(), 1);
	EXPECT_BYTES(0, "array", TBUF_STRING, "array", 5);
	EXPECT_BYTES(1, "changing", TBUF_STRING, "array", 5);
	EXPECT_BYTES(2, "constant", TBUF_STRING, "constant", 8);
	EXPECT_ARGUMENT(3, "nothing", TBUF_STRING, 0);
	EXPECT_BYTES(4, "arg4", TBUF_STRING, "a \"literal\", with a comma", 25);
	EXPECT_BYTES(5, "indirect", TBUF_STRING, "constant", 8);
	EXPECT_BYTES(6, "arg6", TBUF_STRING, "rray", 4);
	EXPECT_BYTES(7, "arg7", TBUF_STRING, "array", 5);
	EXPECT_ARGUMENT(8, "NULL", TBUF_STRING, 0);
	EXPECT_BYTES(9, "arg9", TBUF_STRING_SIZED, "con", 3);
}

static void
texts(void)
{
	static const unsigned char raw[] = { 'r', 0, 'w' };
	const char *text = "not ended";
	struct tbuf_text made = TBUF_TEXT(text, 3);
	size_t length = 5;

	TBUF_PROBE(test, texts, TBUF_TEXT(text, length), made,
	    TBUF_TEXT(raw, sizeof(raw)), TBUF_TEXT(NULL, 0),
	    (TBUF_TEXT(text + 4, length)), TBUF_TEXT("literal", 3));
	EXPECT_INTEGER(fake_fires(), 1);
	EXPECT_BYTES(0, "text", TBUF_STRING_SIZED, "not e", 5);
	EXPECT_BYTES(1, "made", TBUF_STRING_SIZED, "not", 3);
	EXPECT_BYTES(2, "raw", TBUF_STRING_SIZED, "r\0w", 3);
	EXPECT_BYTES(3, "NULL", TBUF_STRING_SIZED, "", 0);
	EXPECT_BYTES(4, "arg4", TBUF_STRING_SIZED, "ended", 5);
	EXPECT_BYTES(5, "arg5", TBUF_STRING_SIZED, "lit", 3);
}

/* A program's own macro may contain a probe. */
#define WRAPPED(...)	TBUF_PROBE(test, __VA_ARGS__)

/* Any argument can be named. */
static void
given_names(void)
{
	struct fields fields = { 7, -16, 3, -1, 1, RED };
	char array[8] = "array";
	float f = 1.5f;
	int i = 0;

	evaluated = 0;
	TBUF_PROBE(test, names, TBUF_NAMED(sum, evaluate(5) + i++),
	    TBUF_NAMED(body, TBUF_BYTES(array, 2)),
	    TBUF_NAMED(s, TBUF_TEXT(array, 3)), TBUF_NAMED(array, array),
	    TBUF_NAMED(bits, fields.negative), TBUF_NAMED(number, f),
	    TBUF_NAMED(literal, "literal"), TBUF_NAMED(f, evaluate),
	    (TBUF_NAMED(ANSWER, ANSWER)), TBUF_NAMED(i, i == 1 ? 2u : 3u));
	EXPECT_INTEGER(fake_fires(), 1);
	EXPECT_INTEGER(evaluated, 1);
	EXPECT_INTEGER(i, 1);
	EXPECT_ARGUMENT(0, "sum", TBUF_INT32, 5);
	EXPECT_BYTES(1, "body", TBUF_BINARY, "ar", 2);
	EXPECT_BYTES(2, "s", TBUF_STRING_SIZED, "arr", 3);
	EXPECT_BYTES(3, "array", TBUF_STRING, "array", 5);
	EXPECT_STRING(fake_last.arguments[4].name, "bits");
	EXPECT_INTEGER(fake_value(4), -16);
	EXPECT_ARGUMENT(5, "number", TBUF_FLOAT, 0x3fc00000);
	EXPECT_BYTES(6, "literal", TBUF_STRING, "literal", 7);
	EXPECT_ARGUMENT(7, "f", TBUF_POINTER, (uintptr_t)evaluate);
	EXPECT_ARGUMENT(8, "ANSWER", TBUF_INT32, 42);
	EXPECT_ARGUMENT(9, "i", TBUF_UINT32, 2);

	WRAPPED(names, i, TBUF_NAMED(given, i + 1), TBUF_TEXT(array, 2));
	EXPECT_INTEGER(fake_fires(), 1);
	EXPECT_ARGUMENT(0, "i", TBUF_INT32, 1);
	EXPECT_ARGUMENT(1, "given", TBUF_INT32, 2);
	EXPECT_BYTES(2, "arg2", TBUF_STRING_SIZED, "ar", 2);
}

static void
pointers(void)
{
	int numbers[3] = { 1, 2, 3 }, (*function)(int) = evaluate;
	unsigned char bytes[2] = { 0, 0 };
	const volatile char *volatile_string = "";
	struct fields fields, *p = &fields;
	void *nothing = NULL;

	TBUF_PROBE(test, pointers, numbers, function, bytes, volatile_string,
	    p, nothing, evaluate, &numbers[1], L"wide", NULL);
	EXPECT_INTEGER(fake_fires(), 1);
	EXPECT_ARGUMENT(0, "numbers", TBUF_POINTER, (uintptr_t)numbers);
	EXPECT_ARGUMENT(1, "function", TBUF_POINTER, (uintptr_t)evaluate);
	EXPECT_ARGUMENT(2, "bytes", TBUF_POINTER, (uintptr_t)bytes);
	EXPECT_ARGUMENT(3, "volatile_string", TBUF_POINTER,
	    (uintptr_t)volatile_string);
	EXPECT_ARGUMENT(4, "p", TBUF_POINTER, (uintptr_t)&fields);
	EXPECT_ARGUMENT(5, "nothing", TBUF_POINTER, 0);
	EXPECT_ARGUMENT(6, "evaluate", TBUF_POINTER, (uintptr_t)evaluate);
	EXPECT_ARGUMENT(7, "arg7", TBUF_POINTER, (uintptr_t)&numbers[1]);
	EXPECT_INTEGER(fake_last.arguments[8].type, TBUF_POINTER);
	EXPECT_ARGUMENT(9, "NULL", TBUF_POINTER, 0);
}

static void
bytes(void)
{
	unsigned char buffer[4] = { 1, 0, 255, 3 };
	struct tbuf_bytes made = TBUF_BYTES("made", 2);
	int length = 4;

	TBUF_PROBE(test, bytes, TBUF_BYTES(buffer, length), made,
	    TBUF_BYTES(NULL, 0), (TBUF_BYTES(buffer + 1, sizeof(buffer) - 1)));
	EXPECT_INTEGER(fake_fires(), 1);
	EXPECT_BYTES(0, "buffer", TBUF_BINARY, "\1\0\377\3", 4);
	EXPECT_BYTES(1, "made", TBUF_BINARY, "ma", 2);
	EXPECT_BYTES(2, "NULL", TBUF_BINARY, "", 0);
	EXPECT_BYTES(3, "arg3", TBUF_BINARY, "\0\377\3", 3);
}

static void
evaluation(int on)
{
	int i = 0;

	evaluated = 0;
	TBUF_PROBE(test, evaluation, i++, evaluate(i), i++, evaluate(i), i);
	EXPECT_INTEGER(i, on ? 2 : 0);
	EXPECT_INTEGER(evaluated, on ? 2 : 0);
	EXPECT_INTEGER(fake_fires(), on);
	if (!on)
		return;
	/* Arguments are evaluated from left to right. */
	EXPECT_INTEGER(fake_value(0), 0);
	EXPECT_INTEGER(fake_value(1), 1);
	EXPECT_INTEGER(fake_value(2), 1);
	EXPECT_INTEGER(fake_value(3), 2);
	EXPECT_INTEGER(fake_value(4), 2);
}

static void
statements(int on)
{
	int i, first = 0;

	if (on)
		TBUF_PROBE(test, statements);
	else
		TBUF_PROBE(test, statements, on);
	for (i = 0; i < 3; i++)
		TBUF_PROBE(test, statements, i, first);
	switch (on) {
	case 0:
		TBUF_PROBE(test, statements, PAIR);
		break;
	default:
		TBUF_PROBE(test, statements, on, PAIR);
	}
	EXPECT_INTEGER(fake_fires(), on ? 5 : 0);
	if (on) {
		EXPECT_INTEGER(fake_last.nargs, 3);
		/* The text has one argument, but the site has three. */
		EXPECT_ARGUMENT(0, "arg0", TBUF_INT32, 1);
		EXPECT_ARGUMENT(2, "arg2", TBUF_INT32, 2);
	}
}

static void
tests(int on)
{
	int seen = TBUF_ENABLED(test, tests) + 0;

	EXPECT_INTEGER(seen, on);
	if (TBUF_ENABLED(test, tests) && !TBUF_ENABLED(test, no__such))
		EXPECT(on);
	else
		EXPECT(!on);
	TBUF_PROBE(test, tests, TBUF_ENABLED(test, tests));
	EXPECT_INTEGER(fake_fires(), on);
}

static void
inlines(int on)
{
	EXPECT_INTEGER(inline_probe(3), on ? 3 : -3);
	EXPECT_INTEGER(fake_fires(), on);
	EXPECT_INTEGER(other_unit(4), on ? 4 : -4);
	EXPECT_INTEGER(fake_fires(), 2 * on);
	if (on)
		EXPECT_STRING(fake_last.function, "inline_probe");
}

static void
everything(int on)
{
	static const char *const names[] = { "evaluation", "statements",
		"tests", "in-inline", "in-other" };
	unsigned n;

	for (n = 0; n < sizeof(names) / sizeof(names[0]); n++)
		EXPECT(fake_enable(names[n], on) > 0);
	evaluation(on);
	statements(on);
	tests(on);
	inlines(on);
	events(on);
}

int
main(void)
{
	static const char *const enabled[] = { "integers", "small-types",
		"bit-fields", "strings", "texts", "names", "pointers",
		"bytes" };
	unsigned n;

	/* The optimizer may copy code including the site. */
	EXPECT(fake_sites("statements", NULL) >= 5);
	EXPECT(fake_sites("tests", NULL) >= 4);
	EXPECT(fake_sites("in-inline", "inline_probe") >= 4);
	for (n = 0; n < sizeof(enabled) / sizeof(enabled[0]); n++)
		EXPECT(fake_enable(enabled[n], 1) > 0);
	integers();
	small_types();
	bit_fields();
	strings();
	texts();
	given_names();
	pointers();
	bytes();
	everything(0);
	everything(1);
	everything(0);
	return (fake_end());
}
