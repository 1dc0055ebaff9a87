/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Decodes the comparisons of arguments that a program begins with (plan.h).
 * Values that are the same at each fire of the probe in this process, such as
 * pid and execname, are compared here, once.
 */
#include "base/optimize_size.h"

#include "machine/internal.h"
#include "target/clause/clause.h"
#include "target/clause/plan_decode.h"
#include "target/lane/lane.h"

static unsigned
bits_of(unsigned type)
{
	switch (type) {
	case TBUF_INT8:
	case TBUF_UINT8:
	case TBUF_CHAR:
	case TBUF_BOOL:
		return (8);
	case TBUF_INT16:
	case TBUF_UINT16:
		return (16);
	case TBUF_INT32:
	case TBUF_UINT32:
	case TBUF_FLOAT:
	case TBUF_STRING_INTERNED:
		return (32);
	default:
		return (64);
	}
}

static bool
sign_of(unsigned type)
{
	return (type == TBUF_INT8 || type == TBUF_INT16 ||
	    type == TBUF_INT32 || (type == TBUF_CHAR && (char)-1 < 0));
}

/* Sets the place of an argument in the words of a fire: tbuf_decode_cut(). */
static void
cut_make(const struct tbuf_site *site, unsigned argument, bool packed,
    struct tbuf_cut *cut)
{
	unsigned i, at = 0, bits = 64;

	*cut = (struct tbuf_cut){ .at = (uint8_t)argument };
	if (!packed)
		return;
	for (i = 0; i <= argument; i++) {
		bits = bits_of(site->types[i]);
		at = (at + bits - 1) & -bits;
		at += bits;
	}
	at -= bits;
	cut->at = (uint8_t)(at / 64);
	cut->up = (uint8_t)(64 - bits - at % 64);
	cut->down = (uint8_t)(64 - bits);
	cut->is_signed = sign_of(site->types[argument]);
}

bool
tbuf_decode_cut(const struct tbuf_decoder *g, uint32_t selector,
    struct tbuf_cut *cut)
{
	unsigned n = tbuf_select(g->machine, selector), type;

	if (n >= g->site->nargs)
		return (false);
	type = g->site->types[n];
	if (type == TBUF_STRING || type == TBUF_STRING_SIZED ||
	    type == TBUF_BINARY || type == TBUF_STRING_INTERNED ||
	    type == TBUF_FLOAT)
		return (false);
	cut_make(g->site, n, g->packed, cut);
	return (true);
}

/* A range of numbers modulo 2^64, from low to low + span; or none. */
struct stretch {
	uint64_t low, span;
	bool none;
};

/*
 * Returns the arguments for which a comparison with an immediate holds or, with
 * `others`, all for which it does not.
 */
static struct stretch
holds(uint64_t word, bool *others)
{
	const uint64_t least = UINT64_C(1) << 63;
	uint64_t y = (uint64_t)(int64_t)(int32_t)tbuf_word_immediate(word);

	*others = false;
	switch (tbuf_word_operation(word)) {
	case TBUF_OP_JANEI:
		*others = true;
		/* FALLTHROUGH */
	case TBUF_OP_JAEQI:
		return ((struct stretch){ y, 0, false });
	case TBUF_OP_JAGEI:
		*others = true;
		/* FALLTHROUGH */
	case TBUF_OP_JALTI:
		return ((struct stretch){ least, y - 1 - least, false });
	case TBUF_OP_JAGTI:
		*others = true;
		/* FALLTHROUGH */
	case TBUF_OP_JALEI:
		return ((struct stretch){ least, y - least, false });
	case TBUF_OP_JAGEUI:
		*others = true;
		/* FALLTHROUGH */
	case TBUF_OP_JALTUI:
		return ((struct stretch){ 0, y - 1, y == 0 });
	}
	*others = tbuf_word_operation(word) == TBUF_OP_JAGTUI;
	return ((struct stretch){ 0, y, false });
}

/*
 * Returns the part of a range that an argument of fewer bits can have, counted
 * from its least value.  A range that wraps is one range there, too.
 */
static struct stretch
cut_stretch(struct stretch s, const struct tbuf_cut *cut)
{
	uint64_t most = UINT64_MAX >> cut->down;
	uint64_t least = cut->is_signed ? ~(most >> 1) : 0;
	uint64_t from = s.low - least, to = from + s.span;

	if (s.none || cut->down == 0)
		return (s);
	s.low = least + (from <= most ? from : 0);
	if (from > most) {
		s.none = to >= from;
		s.span = to < most ? to : most;
	} else if (to >= from)
		s.span = (to < most ? to : most) - from;
	else
		s.span = most - from + 1 + to;
	return (s);
}

static bool
builtin_constant(const struct tbuf_decoder *g, uint32_t which,
    struct tbuf_number *to)
{
	switch (which) {
	case TBUF_BUILTIN_PID:
		to->cut.at = TBUF_CUT_NONE;
		to->constant = tbuf_run_pid(g->run);
		return (true);
	case TBUF_BUILTIN_EXECNAME ... TBUF_BUILTIN_PROBENAME:
		to->cut.at = TBUF_CUT_NAME;
		to->constant = which;
		return (true);
	}
	return (false);
}

bool
tbuf_decode_constant(struct tbuf_decoder *g, uint64_t word)
{
	const struct tbuf_number *from =
	    &g->registers[tbuf_word_b(word) % TBUF_REGISTERS];
	struct tbuf_number *to =
	    &g->registers[tbuf_word_a(word) % TBUF_REGISTERS];
	uint32_t immediate = tbuf_word_immediate(word);

	switch (tbuf_word_operation(word)) {
	case TBUF_OP_LDI:
		to->cut.at = TBUF_CUT_NONE;
		to->constant = (uint64_t)(int64_t)(int32_t)immediate;
		return (true);
	case TBUF_OP_LDIH:
		to->constant = (uint32_t)to->constant |
		    (uint64_t)immediate << 32;
		return (to->cut.at == TBUF_CUT_NONE);
	case TBUF_OP_LDC:
		to->cut.at = TBUF_CUT_LITERAL;
		to->constant = immediate;
		return (true);
	case TBUF_OP_LDB:
		return (builtin_constant(g, immediate, to));
	case TBUF_OP_EXT4S:
	case TBUF_OP_EXT4U:
		if (from->cut.at != TBUF_CUT_NONE ||
		    from->constant > INT32_MAX)
			return (false);
		*to = *from;
		return (true);
	}
	return (false);
}

/* Finds a text that is the same at each fire: the script's, or a built-in's. */
static bool
text_find(const struct tbuf_decoder *g, const struct tbuf_number *number,
    struct tbuf_span *span)
{
	const struct tbuf_machine *m = g->machine;
	uint64_t constant = number->constant;

	if (number->cut.at == TBUF_CUT_NAME)
		return (tbuf_run_builtin_text(g->run, (uint32_t)constant,
		    span) == 0);
	if (number->cut.at != TBUF_CUT_LITERAL || constant >= m->constants_size)
		return (false);
	span->at = (uint8_t *)(uintptr_t)m->constants + constant;
	span->size = m->constants_size - constant;
	return (true);
}

/* Compares texts as the machine does, up to strsize. */
static bool
texts_same(const struct tbuf_decoder *g, const struct tbuf_span *a,
    const struct tbuf_span *b)
{
	uint32_t strsize = tbuf_fire_strsize(g->run->fire->slot), i;
	int x, y;

	for (i = 0; i < strsize; i++) {
		x = i < a->size ? tbuf_load(&a->at[i]) : 0;
		y = i < b->size ? tbuf_load(&b->at[i]) : 0;
		if (x != y || x == 0)
			return (x == y);
	}
	return (true);
}

/* Decides a jump.  Returns false if it depends on the fire. */
static bool
jump_find(const struct tbuf_decoder *g, uint64_t word, bool *jumps)
{
	unsigned operation = tbuf_word_operation(word);
	const struct tbuf_number *a =
	    &g->registers[tbuf_word_a(word) % TBUF_REGISTERS];
	const struct tbuf_number *b =
	    &g->registers[tbuf_word_b(word) % TBUF_REGISTERS];
	uint64_t immediate = (uint64_t)(int32_t)tbuf_word_immediate(word);
	struct tbuf_span left, right;

	switch (operation) {
	case TBUF_OP_JMP:
		*jumps = true;
		return (true);
	case TBUF_OP_JEQI:
	case TBUF_OP_JNEI:
		*jumps = (a->constant == immediate) ==
		    (operation == TBUF_OP_JEQI);
		return (a->cut.at == TBUF_CUT_NONE);
	case TBUF_OP_TJEQ:
	case TBUF_OP_TJNE:
		if (!text_find(g, a, &left) || !text_find(g, b, &right))
			return (false);
		*jumps = texts_same(g, &left, &right) ==
		    (operation == TBUF_OP_TJEQ);
		return (true);
	}
	return (false);
}

static uint32_t
jump_distance(uint64_t word)
{
	unsigned operation = tbuf_word_operation(word);

	return (operation == TBUF_OP_JEQI || operation == TBUF_OP_JNEI ?
	    tbuf_word_distance(word) : tbuf_word_immediate(word));
}

static void
registers_forget(struct tbuf_decoder *g)
{
	unsigned i;

	for (i = 0; i < TBUF_REGISTERS; i++)
		g->registers[i].cut.at = TBUF_CUT_UNSET;
}

/*
 * Returns where the program goes on from an instruction: after all jumps that
 * are the same at each fire, and the loads for these.  The registers are
 * forgotten, as other paths may lead there, too.
 */
static uint32_t
program_skip(struct tbuf_decoder *g, uint32_t from)
{
	const struct tbuf_machine *m = g->machine;
	uint64_t word, pc = from;
	bool jumps;

	registers_forget(g);
	while (pc < m->length) {
		word = tbuf_load(&m->code[pc++]);
		if (tbuf_decode_constant(g, word))
			continue;
		if (tbuf_word_operation(word) == TBUF_OP_END)
			return (m->length);
		if (!jump_find(g, word, &jumps))
			return (from);
		pc += jumps ? jump_distance(word) : 0;
		from = pc < m->length ? (uint32_t)pc : m->length;
		g->skips = true;
	}
	return (from);
}

/* Tests, in ascending order, and the first instruction that is none. */
struct found {
	uint32_t at[TBUF_PLAN_TESTS];
	uint32_t n;
	uint32_t behind;
};

static bool
test_is(const struct tbuf_decoder *g, uint64_t word, struct tbuf_cut *cut)
{
	unsigned operation = tbuf_word_operation(word);

	return (operation >= TBUF_OP_JAEQI && operation <= TBUF_OP_JAGEUI &&
	    tbuf_decode_cut(g, tbuf_word_a(word), cut));
}

/* Adds an instruction that the program comes to. */
static void
found_add(const struct tbuf_decoder *g, uint32_t pc, struct found *found)
{
	struct tbuf_cut cut;
	uint32_t i, n;

	if (pc >= g->machine->length)
		return;
	for (i = 0; i < found->n && found->at[i] < pc; i++)
		continue;
	if (i < found->n && found->at[i] == pc)
		return;
	if (found->n == TBUF_PLAN_TESTS ||
	    !test_is(g, tbuf_load(&g->machine->code[pc]), &cut)) {
		if (pc < found->behind)
			found->behind = pc;
		return;
	}
	for (n = found->n++; n > i; n--)
		found->at[n] = found->at[n - 1];
	found->at[i] = pc;
}

static uint32_t
test_leads(struct tbuf_decoder *g, uint32_t pc, bool jumps)
{
	uint64_t word = tbuf_load(&g->machine->code[pc]);

	return (program_skip(g, pc + 1 + (jumps ?
	    tbuf_word_distance(word) : 0)));
}

/*
 * Finds all tests.  Jumps lead forward: tests come after those that lead there.
 */
static void
found_make(struct tbuf_decoder *g, struct found *found)
{
	uint32_t i;

	found->n = 0;
	found->behind = g->machine->length;
	found_add(g, program_skip(g, 0), found);
	for (i = 0; i < found->n; i++) {
		found_add(g, test_leads(g, found->at[i], false), found);
		found_add(g, test_leads(g, found->at[i], true), found);
	}
}

/* Returns tbuf_test.next for the instruction that a test leads to. */
static uint8_t
test_next(const struct tbuf_decoder *g, const struct found *found, uint32_t pc)
{
	uint32_t i;

	if (pc >= g->machine->length)
		return (TBUF_TEST_END);
	if (pc == found->behind)
		return ((uint8_t)found->n);
	for (i = 0; i < found->n; i++)
		if (found->at[i] == pc)
			return ((uint8_t)i);
	return (TBUF_TEST_RUN);
}

static void
test_make(struct tbuf_decoder *g, const struct found *found, uint32_t n,
    struct tbuf_test *test)
{
	uint64_t word = tbuf_load(&g->machine->code[found->at[n]]);
	struct tbuf_cut cut = { .at = 0 };
	struct stretch s;
	bool others;

	*test = (struct tbuf_test){
		.next = { TBUF_TEST_RUN, TBUF_TEST_RUN }
	};
	if (!test_is(g, word, &cut))
		return;
	s = holds(word, &others);
	s = cut_stretch(s, &cut);
	others ^= s.none;
	test->low = s.none ? 0 : s.low << cut.down;
	test->span = s.none ? UINT64_MAX :
	    s.span << cut.down | ((UINT64_C(1) << cut.down) - 1);
	test->at = cut.at;
	test->up = cut.up;
	test->next[others] = test_next(g, found,
	    test_leads(g, found->at[n], false));
	test->next[!others] = test_next(g, found,
	    test_leads(g, found->at[n], true));
}

uint32_t
tbuf_decode_tests(struct tbuf_decoder *g, struct tbuf_plan *p)
{
	struct found found;
	uint32_t i;

	g->skips = false;
	found_make(g, &found);
	for (i = 0; i < found.n; i++)
		test_make(g, &found, i, &p->tests[i]);
	p->ntests = (uint8_t)found.n;
	return (found.behind);
}
