/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Instructions as text, and the names of faults.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "machine/names.h"

#define ROW(number, NAME, name, fields, immediate)			\
	[(number)] = { name, fields, immediate },
const struct tbuf_operation_row tbuf_operation_table[256] = {
	TBUF_OPERATIONS(ROW)
};

#define SUBROUTINE(number, NAME, name, least, most)			\
	[(number)] = { name, least, most },
const struct tbuf_subroutine_row tbuf_subroutine_table[256] = {
	TBUF_SUBROUTINES(SUBROUTINE)
};

/* Names as arrays, as in names.h. */
#define BUILTIN(number, NAME, name, text)	[(number)] = name,
static const char builtins[TBUF_BUILTIN_END][16] = {
	TBUF_BUILTINS(BUILTIN)
};

static const char scopes[TBUF_SCOPES][16] = {
	"global", "this", "self", "array", "self-array"
};

static const char aggregators[TBUF_AGGREGATORS][16] = {
	"count", "sum", "min", "max", "avg", "stddev", "quantize",
	"lquantize", "llquantize"
};

static const char faults[TBUF_FAULTS][24] = {
	[TBUF_FAULT_ADDRESS] = "invalid address",
	[TBUF_FAULT_ALIGNMENT] = "invalid alignment",
	[TBUF_FAULT_ILLEGAL] = "illegal operation",
	[TBUF_FAULT_DIVIDE] = "divide-by-zero",
	[TBUF_FAULT_SCRATCH] = "out of scratch space",
	[TBUF_FAULT_KERNEL] = "invalid kernel access",
	[TBUF_FAULT_USER] = "invalid user access",
	[TBUF_FAULT_TUPLE] = "tuple stack overflow",
	[TBUF_FAULT_STACK] = "bad stack",
	[TBUF_FAULT_SIZE] = "invalid size",
	[TBUF_FAULT_INDEX] = "index out of bounds"
};

const char *
tbuf_fault_name(unsigned fault)
{
	return (fault < TBUF_FAULTS && faults[fault][0] != '\0' ?
	    faults[fault] : NULL);
}

/* ------------------------------------------------------------ lines */

struct line {
	char *text;
	size_t size;
	size_t used;
	const char *separator;
};

static __attribute__((format(printf, 2, 3))) void
add(struct line *line, const char *format, ...)
{
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(line->text + line->used, line->size - line->used,
	    format, arguments);
	va_end(arguments);
	if (n > 0)
		line->used += (size_t)n;
	if (line->used >= line->size)
		line->used = line->size - 1;
}

/* Adds the separator before an operand. */
static void
separate(struct line *line)
{
	add(line, "%s", line->separator);
	line->separator = ", ";
}

/* Adds a name from a table with names of one width, or its number. */
static void
name(struct line *line, const char *names, size_t width, unsigned count,
    unsigned n)
{
	if (n < count)
		add(line, "%s", names + n * width);
	else
		add(line, "?%u", n);
}

static void
selector(struct line *line, uint32_t n)
{
	if (n >= TBUF_SELECT_MAX)
		add(line, "?%" PRIu32, n);
	else if (n >= TBUF_SELECT_NAME)
		add(line, "name%" PRIu32, n - TBUF_SELECT_NAME);
	else
		add(line, "arg%" PRIu32, n);
}

static void
field(struct line *line, char kind, unsigned n)
{
	if (kind == '-' || kind == 'd' || kind == 'm')
		return;
	separate(line);
	switch (kind) {
	case 's':
		name(line, scopes[0], sizeof(scopes[0]), TBUF_SCOPES, n);
		break;
	case 'f':
		name(line, aggregators[0], sizeof(aggregators[0]),
		    TBUF_AGGREGATORS, n);
		break;
	case 'q':
		selector(line, n);
		break;
	default:
		add(line, n < TBUF_REGISTERS ? "r%u" : "?r%u", n);
	}
}

/* Adds the destination of a jump, as the index of an instruction. */
static void
target(struct line *line, uint32_t at, uint32_t distance)
{
	separate(line);
	add(line, "%" PRIu64, (uint64_t)at + 1 + distance);
}

static void
subroutine(struct line *line, uint32_t n)
{
	if (n < 256 && *tbuf_subroutine_table[n].name != '\0')
		add(line, "%s", tbuf_subroutine_table[n].name);
	else
		add(line, "?%" PRIu32, n);
}

static void
immediate(struct line *line, char kind, uint32_t n, uint32_t at)
{
	if (kind == '-')
		return;
	if (kind == 'j') {
		target(line, at, n);
		return;
	}
	separate(line);
	switch (kind) {
	case 'i':
		add(line, "%" PRId32, (int32_t)n);
		break;
	case 'q':
		selector(line, n);
		break;
	case 'b':
		name(line, builtins[0], sizeof(builtins[0]), TBUF_BUILTIN_END,
		    n);
		break;
	case 'u':
		subroutine(line, n);
		break;
	case 'x':
		add(line, "%s", tbuf_fault_name(n) != NULL ?
		    tbuf_fault_name(n) : "?");
		break;
	default:
		add(line, "%" PRIu32, n);
	}
}

size_t
tbuf_machine_print(uint64_t word, uint32_t at, char *text, size_t size)
{
	const struct tbuf_operation_row *row =
	    &tbuf_operation_table[tbuf_word_operation(word)];
	struct line line = { text, size, 0, "\t" };

	if (size == 0)
		return (0);
	text[0] = '\0';
	if (*row->name == '\0') {
		add(&line, "?\t0x%016" PRIx64, word);
		return (line.used);
	}
	add(&line, "%s", row->name);
	field(&line, row->fields[0], tbuf_word_a(word));
	field(&line, row->fields[1], tbuf_word_b(word));
	field(&line, row->fields[2], tbuf_word_c(word));
	if (row->fields[2] == 'm')
		add(&line, "+%u", tbuf_word_c(word));
	immediate(&line, row->immediate, tbuf_word_immediate(word), at);
	if (row->fields[1] == 'd')
		target(&line, at, tbuf_word_distance(word));
	return (line.used);
}
