/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Predicates that do not hold, which is what most fires of clauses are: the
 * comparisons that a probe's only program begins with are remembered, decoded,
 * in memory of this process, so that neither the session nor the machine is
 * looked at.  A generation comes once: what is remembered holds for as long as
 * the slot has it, and for nobody else.
 */
#include "producer/clause.h"

#define KEPT	64		/* probes, by the low bits of their index */
#define TESTS	6

/* A comparison of a fixed argument, where it lies in the words. */
struct test {
	uint64_t word;		/* of the program; an operation, a distance */
	uint8_t at;		/* of the words */
	uint8_t up, down;	/* shifts that cut it out */
	bool is_signed;
};

/* `version` is odd while somebody writes here, and another one afterwards. */
struct kept {
	uint64_t version;
	uint64_t generation;
	const uint32_t *head;	/* of the probe's chain */
	uint32_t only;		/* what it is while the ECB is the only one */
	uint32_t index;		/* of the probe */
	uint32_t number;	/* of the slot */
	uint32_t length;	/* of the program */
	uint32_t ntests;
	struct test tests[TESTS];
};

static struct kept all[KEPT];
bool tbuf_clause_kept;

static struct kept *
place(uint32_t index)
{
	return (&all[index % KEPT]);
}

/* ------------------------------------------------------------ asking */

static bool
holds(const struct test *test, uint64_t word, const uint64_t *words)
{
	uint64_t x = words[test->at] << test->up;
	uint64_t y = (uint64_t)(int64_t)(int32_t)tbuf_word_immediate(word);

	x = test->is_signed ? (uint64_t)((int64_t)x >> test->down) :
	    x >> test->down;
	switch (tbuf_word_operation(word)) {
	case TBUF_OP_JAEQI:
		return (x == y);
	case TBUF_OP_JANEI:
		return (x != y);
	case TBUF_OP_JALTI:
		return ((int64_t)x < (int64_t)y);
	case TBUF_OP_JALEI:
		return ((int64_t)x <= (int64_t)y);
	case TBUF_OP_JAGTI:
		return ((int64_t)x > (int64_t)y);
	case TBUF_OP_JAGEI:
		return ((int64_t)x >= (int64_t)y);
	case TBUF_OP_JALTUI:
		return (x < y);
	case TBUF_OP_JALEUI:
		return (x <= y);
	case TBUF_OP_JAGTUI:
		return (x > y);
	}
	return (x >= y);
}

/*
 * Does the program end before it does anything?  What is read may be of two
 * probes: then it is within bounds, and counts for nothing.
 */
static bool
ends(const struct kept *k, const uint64_t *words, uint64_t size)
{
	uint32_t pc = 0;
	uint64_t word;

	while (pc < k->ntests) {
		word = k->tests[pc].word;
		if (tbuf_word_operation(word) == TBUF_OP_END)
			return (true);
		if (k->tests[pc].at * sizeof(*words) >= size)
			return (false);
		pc += 1 + (holds(&k->tests[pc], word, words) ?
		    tbuf_word_distance(word) : 0);
	}
	return (pc >= k->length);
}

/*
 * A copy would cost more than the comparisons: another thread may write while
 * they are made, and what they say counts only if none has.
 */
bool
tbuf_clause_idle(const struct tbuf_site *site, const uint64_t *words,
    uint64_t size, unsigned number)
{
	const struct kept *k = place(site->index);
	uint64_t version = tbuf_load_acquire(&k->version), base;
	const struct tbuf_slot *slot;
	bool idle;

	if (version == 0 || (version & 1) != 0 || k->index != site->index ||
	    k->number != number ||
	    (base = tbuf_load(&tbuf_local->base)) == 0)
		return (false);
	slot = (const struct tbuf_slot *)(uintptr_t)(base + TBUF_SLOTS +
	    number * (uint64_t)TBUF_SLOT_SIZE);
	/* An ECB that comes later is seen: the other side may meet it still. */
	idle = tbuf_load_acquire(&slot->generation) == k->generation &&
	    tbuf_load(k->head) == k->only && ends(k, words, size);
	tbuf_fence_loads();
	/* Now and then the session's deadline is looked at, which is not here. */
	return (idle && tbuf_load(&k->version) == version &&
	    ++tbuf_thread.looks != 0);
}

/* ------------------------------------------------------------ keeping */

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

/* Where an argument lies, that is packed behind those before it. */
static void
cut(const struct tbuf_site *site, unsigned argument, struct test *test)
{
	unsigned i, at = 0, bits = 64;

	for (i = 0; i <= argument; i++) {
		bits = bits_of(site->types[i]);
		at = (at + bits - 1) & -bits;
		at += bits;
	}
	at -= bits;
	test->at = (uint8_t)(at / 64);
	test->up = (uint8_t)(64 - bits - at % 64);
	test->down = (uint8_t)(64 - bits);
	test->is_signed = sign_of(site->types[argument]);
}

/* One more, if it is such: of an argument that there is, or an end. */
static bool
decode(const struct tbuf_site *site, const struct tbuf_machine *m,
    uint64_t word, struct test *test)
{
	unsigned operation = tbuf_word_operation(word), argument;

	*test = (struct test){ .word = word };
	if (operation == TBUF_OP_END)
		return (true);
	if (operation < TBUF_OP_JAEQI || operation > TBUF_OP_JAGEUI)
		return (false);
	argument = tbuf_word_a(word);
	argument = (argument & TBUF_SELECT_NAME) != 0 ?
	    (unsigned)(m->binding >> 4 * (argument & 15)) & 15 :
	    argument & 15;
	if (argument >= site->nargs)
		return (false);
	cut(site, argument, test);
	return (true);
}

void
tbuf_clause_keep(const struct tbuf_fire *f, const struct tbuf_site *site,
    const struct tbuf_machine *m)
{
	struct kept *k = place(site->index);
	uint64_t version = tbuf_load(&k->version);
	const uint32_t *heads = tbuf_fire_heads(f->base, f->slot);
	struct test test;
	uint32_t n;

	/* It stands already, or it is not the only one. */
	if (heads == NULL || (k->generation == f->generation &&
	    k->index == site->index && k->number == f->number) ||
	    tbuf_load(heads + f->index) != (f->epid | TBUF_HEAD_PROGRAM))
		return;
	if ((version & 1) != 0 || !tbuf_cas(&k->version, version, version | 1))
		return;
	tbuf_fence_stores();
	k->generation = f->generation;
	k->head = heads + f->index;
	k->only = f->epid | TBUF_HEAD_PROGRAM;
	k->index = site->index;
	k->number = f->number;
	k->length = m->length;
	for (n = 0; n < TESTS && n < m->length; n++) {
		if (!decode(site, m, tbuf_load(&m->code[n]), &test))
			break;
		k->tests[n] = test;
	}
	k->ntests = n;
	tbuf_store_release(&k->version, (version | 1) + 1);
	tbuf_store(&tbuf_clause_kept, true);
}
