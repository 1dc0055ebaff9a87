/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The verifier: programs of the compiler have to pass it.  The machine does not
 * depend on it.
 */
#include <stdlib.h>
#include <string.h>

#include "machine/names.h"

/* The state of a check, with one bit for each register. */
struct check {
	const struct tbuf_program *program;
	uint16_t *set;		/* registers set before each word, and at the
				   end; all if no path leads there */
	uint16_t now;		/* registers set after the current word */
	const char *wrong;
};

static bool
fail(struct check *c, const char *why)
{
	c->wrong = why;
	return (false);
}

static bool
bounded(struct check *c, uint64_t n, uint64_t end, const char *why)
{
	return (n < end || fail(c, why));
}

static bool
reads(struct check *c, unsigned r)
{
	if (r >= TBUF_REGISTERS)
		return (fail(c, "no such register"));
	return ((c->now >> r & 1) != 0 ||
	    fail(c, "register read before it is set"));
}

static bool
writes(struct check *c, unsigned r)
{
	if (r >= TBUF_REGISTERS)
		return (fail(c, "no such register"));
	c->now |= (uint16_t)(1u << r);
	return (true);
}

/* Checks an argument of the probe, or a name that the program binds. */
static bool
selects(struct check *c, uint32_t n)
{
	if (n < TBUF_SELECT_NAME)
		return (bounded(c, n, 10, "no such argument"));
	return (bounded(c, n - TBUF_SELECT_NAME, c->program->names,
	    "no such name"));
}

/* Checks the registers that an aggregating function takes. */
static bool
aggregates(struct check *c, uint64_t word)
{
	unsigned function = tbuf_word_c(word), b = tbuf_word_b(word);

	if (function >= TBUF_AGGREGATORS)
		return (fail(c, "no such aggregating function"));
	if (function != TBUF_AGG_COUNT && !reads(c, tbuf_word_a(word)))
		return (false);
	if (function >= TBUF_AGG_QUANTIZE && !reads(c, b))
		return (false);
	return (function < TBUF_AGG_LQUANTIZE || reads(c, b + 1));
}

static bool
calls(struct check *c, uint64_t word)
{
	uint32_t number = tbuf_word_immediate(word);
	unsigned count = tbuf_word_c(word), i;
	const struct tbuf_subroutine_row *row;

	if (number > 255 || *tbuf_subroutine_table[number].name == '\0')
		return (fail(c, "no such subroutine"));
	row = &tbuf_subroutine_table[number];
	if (count < row->least || count > row->most)
		return (fail(c, "wrong number of arguments"));
	for (i = 0; i < count; i++)
		if (!reads(c, tbuf_word_b(word) + i))
			return (false);
	return (true);
}

/* Checks that a text ends within the program's constants. */
static bool
constant(struct check *c, uint32_t at)
{
	const struct tbuf_program *p = c->program;

	return (bounded(c, at, p->constants_size, "no such constant") &&
	    (memchr(p->constants + at, '\0', p->constants_size - at) != NULL ||
	    fail(c, "constant is not NUL-terminated")));
}

static bool
reads_field(struct check *c, char kind, unsigned n, uint64_t word)
{
	switch (kind) {
	case 'r':
	case '+':
		return (reads(c, n));
	case 's':
		return (bounded(c, n, TBUF_SCOPES, "no such scope"));
	case 'q':
		return (selects(c, n));
	case 'f':
		return (aggregates(c, word));
	case 'm':
		return (calls(c, word));
	case '-':
		return (n == 0 || fail(c, "unused operand is not 0"));
	}
	return (true);
}

static bool
reads_immediate(struct check *c, char kind, uint64_t word)
{
	const struct tbuf_program *p = c->program;
	uint32_t n = tbuf_word_immediate(word);

	switch (kind) {
	case '-':
		return (n == 0 || fail(c, "unused operand is not 0"));
	case 'k':
		return (constant(c, n));
	case 'q':
		return (selects(c, n));
	case 'v':
		return (bounded(c, n, p->variables[tbuf_word_c(word)],
		    "no such variable"));
	case 'b':
		return (bounded(c, n, TBUF_BUILTIN_END,
		    "no such built-in variable"));
	case 't':
		return (bounded(c, n, p->aggregations,
		    "no such aggregation"));
	case 'e':
		return (bounded(c, n, p->records, "no such record"));
	case 'x':
		return (bounded(c, n - 1, TBUF_FAULTS - 1, "no such fault"));
	case 'p':
		return (n == 1 || n == 2 || n == 4 || n == 8 ||
		    fail(c, "no such size"));
	}
	return (true);
}

/* Adds a path to a word: registers are set there if they are on all paths. */
static bool
meets(struct check *c, uint64_t to)
{
	if (to > c->program->length)
		return (fail(c, "jump out of the program"));
	c->set[to] &= c->now;
	return (true);
}

/* Adds the paths to the words that may come next. */
static bool
follows(struct check *c, const struct tbuf_operation_row *row, uint64_t word,
    uint64_t next)
{
	unsigned operation = tbuf_word_operation(word);

	if (row->immediate == 'j' &&
	    !meets(c, next + tbuf_word_immediate(word)))
		return (false);
	if (row->fields[1] == 'd' &&
	    !meets(c, next + tbuf_word_distance(word)))
		return (false);
	if (operation == TBUF_OP_JMP || operation == TBUF_OP_END ||
	    operation == TBUF_OP_RET || operation == TBUF_OP_FAULT)
		return (true);
	return (meets(c, next));
}

static bool
check_word(struct check *c, uint64_t word, uint64_t next)
{
	const struct tbuf_operation_row *row =
	    &tbuf_operation_table[tbuf_word_operation(word)];
	unsigned fields[3] = { tbuf_word_a(word), tbuf_word_b(word),
	    tbuf_word_c(word) }, i;

	if (*row->name == '\0')
		return (fail(c, "no such operation"));
	for (i = 0; i < 3; i++)
		if (!reads_field(c, row->fields[i], fields[i], word))
			return (false);
	if (!reads_immediate(c, row->immediate, word))
		return (false);
	for (i = 0; i < 3; i++)
		if (row->fields[i] == 'w' && !writes(c, fields[i]))
			return (false);
	return (follows(c, row, word, next));
}

static const char *
check(struct check *c, uint32_t *at)
{
	const struct tbuf_program *p = c->program;

	c->set[0] = 0;
	for (*at = 0; *at < p->length; (*at)++) {
		c->now = c->set[*at];
		if (!check_word(c, p->code[*at], *at + UINT64_C(1)))
			return (c->wrong);
	}
	return (NULL);
}

const char *
tbuf_program_check(const struct tbuf_program *program, uint32_t *at)
{
	struct check c = { .program = program };
	size_t size = (program->length + UINT64_C(1)) * sizeof(*c.set);
	const char *wrong;

	*at = 0;
	if (program->length > program->length_max)
		return ("program too long");
	c.set = malloc(size);
	if (c.set == NULL)
		return ("out of memory");
	memset(c.set, 0xff, size);
	wrong = check(&c, at);
	free(c.set);
	return (wrong);
}
