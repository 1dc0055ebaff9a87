/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The comparisons that a program begins with, decoded (clause_kept.h): those
 * of arguments, wherever these lie.
 */
#include "common/machine_parts.h"
#include "producer/clause_decode.h"

/* Bits of an argument of fixed size. */
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

/*
 * Where an argument lies: packed behind those before it; or as it is, where a
 * site has texts and its fires have not packed anything yet.
 */
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
tbuf_decode_cut(const struct tbuf_keeping *g, uint32_t selector,
    struct tbuf_cut *cut)
{
	unsigned n = tbuf_select(g->machine, selector), type;

	if (n >= g->site->nargs)
		return (false);
	type = g->site->types[n];
	if (type == TBUF_STRING || type == TBUF_STRING_SIZED ||
	    type == TBUF_BINARY)
		return (false);
	cut_make(g->site, n, g->packed, cut);
	return (true);
}

/* Of all numbers, counted round, those from one to another; or none. */
struct stretch {
	uint64_t low, span;
	bool none;
};

/*
 * The arguments that have some order to an immediate, or, with `others', all
 * but these.
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
 * What of these an argument of fewer bits may be, from its least value on: the
 * ends of a stretch that goes round are one behind the other there, too.
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

/* Where the program goes on, behind the test before. */
static uint8_t
test_next(const struct tbuf_keeping *g, uint32_t pc, uint32_t ntests)
{
	if (pc >= g->machine->length || (pc < ntests &&
	    tbuf_word_operation(tbuf_load(&g->machine->code[pc])) ==
	    TBUF_OP_END))
		return (TBUF_TEST_END);
	return (pc <= ntests ? (uint8_t)pc : TBUF_TEST_RUN);
}

static bool
test_is(const struct tbuf_keeping *g, uint64_t word, struct tbuf_cut *cut)
{
	unsigned operation = tbuf_word_operation(word);

	return (operation == TBUF_OP_END ||
	    (operation >= TBUF_OP_JAEQI && operation <= TBUF_OP_JAGEUI &&
	    tbuf_decode_cut(g, tbuf_word_a(word), cut)));
}

/* The n-th of so many; an end is one that leads to it in any case. */
static void
test_make(const struct tbuf_keeping *g, uint32_t n, uint32_t ntests,
    struct tbuf_test *test)
{
	uint64_t word = tbuf_load(&g->machine->code[n]);
	struct tbuf_cut cut = { .at = 0 };
	struct stretch s;
	bool others;

	*test = (struct tbuf_test){
		.next = { TBUF_TEST_END, TBUF_TEST_END }
	};
	if (tbuf_word_operation(word) == TBUF_OP_END ||
	    !test_is(g, word, &cut))
		return;
	s = holds(word, &others);
	s = cut_stretch(s, &cut);
	others ^= s.none;
	test->low = s.none ? 0 : s.low << cut.down;
	test->span = s.none ? UINT64_MAX :
	    s.span << cut.down | ((UINT64_C(1) << cut.down) - 1);
	test->at = cut.at;
	test->up = cut.up;
	test->next[others] = test_next(g, n + 1, ntests);
	test->next[!others] = test_next(g, n + 1 + tbuf_word_distance(word),
	    ntests);
}

void
tbuf_decode_tests(const struct tbuf_keeping *g, struct tbuf_kept *k)
{
	const struct tbuf_machine *m = g->machine;
	struct tbuf_cut cut;
	uint32_t n, i;

	for (n = 0; n < TBUF_KEPT_TESTS && n < m->length; n++)
		if (!test_is(g, tbuf_load(&m->code[n]), &cut))
			break;
	for (i = 0; i < n; i++)
		test_make(g, i, n, &k->tests[i]);
	k->ntests = (uint8_t)n;
}
