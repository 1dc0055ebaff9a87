/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What most fires of clauses are: a predicate that does not hold, or a record
 * of numbers that are arguments of the probe.  Where a probe's only program is
 * no more than that it is remembered, decoded, in memory of this process, so
 * that neither the session nor the machine is looked at.  A generation comes
 * once: what is remembered holds for as long as the slot has it, and for nobody
 * else.
 */
#include "common/machine_parts.h"
#include "producer/clause.h"

#define KEPT	64		/* probes, by the low bits of their index */
#define TESTS	6
#define NUMBERS	8

/* An argument of fixed size, where it lies in the words that fires have. */
struct cut {
	uint8_t at;		/* of the words */
	uint8_t up, down;	/* shifts that cut it out */
	bool is_signed;
};

/* A comparison. */
struct test {
	uint64_t word;		/* of the program; an operation, a distance */
	struct cut cut;
};

/* `version` is odd while somebody writes here, and another one afterwards. */
struct kept {
	uint64_t version;
	uint64_t generation;
	const uint32_t *head;	/* of the probe's chain */
	uint32_t only;		/* what it is while the ECB is the only one */
	uint32_t index;		/* of the probe */
	uint32_t number;	/* of the slot */
	bool useful;		/* there is anything of this below */
	uint32_t length;	/* of the program */
	uint32_t ntests;
	uint32_t nnumbers;	/* of a record behind the tests; 0: none */
	uint32_t epid;		/* of that */
	struct cut numbers[NUMBERS];
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

static inline uint64_t
cut_out(const struct cut *cut, const uint64_t *words)
{
	uint64_t x = words[cut->at] << cut->up;

	return (cut->is_signed ? (uint64_t)((int64_t)x >> cut->down) :
	    x >> cut->down);
}

static bool
holds(uint64_t word, uint64_t x)
{
	uint64_t y = (uint64_t)(int64_t)(int32_t)tbuf_word_immediate(word);

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
 * Where the program goes on behind its tests.  What is read may be of two
 * probes: then it is within bounds, and counts for nothing.
 */
static inline uint32_t
test_all(const struct kept *k, const uint64_t *words, uint64_t size)
{
	const struct test *test;
	uint32_t pc = 0;

	while (pc < k->ntests) {
		test = &k->tests[pc];
		if (tbuf_word_operation(test->word) == TBUF_OP_END)
			return (UINT32_MAX);
		if (test->cut.at * sizeof(*words) >= size)
			return (0);
		pc += 1 + (holds(test->word, cut_out(&test->cut, words)) ?
		    tbuf_word_distance(test->word) : 0);
	}
	return (pc);
}

/* Is what has been read of one program, and no longer than the fire's words? */
static inline bool
unchanged(const struct kept *k, uint64_t version)
{
	tbuf_fence_loads();
	return (tbuf_load(&k->version) == version);
}

/* The record, by what is remembered of the session. */
static bool
write_numbers(const struct kept *k, uint64_t version, const uint64_t *words,
    uint64_t size)
{
	uint64_t numbers[NUMBERS];
	struct tbuf_fire f;
	uint32_t i, n = k->nnumbers, epid = k->epid;

	if (n == 0 || n > NUMBERS)
		return (false);
	for (i = 0; i < n; i++) {
		if (k->numbers[i].at * sizeof(*words) >= size)
			return (false);
		numbers[i] = cut_out(&k->numbers[i], words);
	}
	f.bits = UINT64_C(1) << (k->number & (TBUF_NSESSIONS - 1)) |
	    TBUF_MEMO_CLAUSES;
	f.generation = k->generation;
	f.index = k->index;
	return (unchanged(k, version) &&
	    tbuf_record_write(&f, epid, numbers, n * sizeof(*numbers)));
}

/*
 * A copy would cost more than the comparisons: another thread may write while
 * they are made, and what they say counts only if none has.
 */
bool
tbuf_clause_again(const struct tbuf_site *site, const uint64_t *words,
    uint64_t size, unsigned number)
{
	const struct kept *k = place(site->index);
	uint64_t version = tbuf_load_acquire(&k->version), base;
	const struct tbuf_slot *slot;
	uint32_t pc;

	if (!k->useful || (version & 1) != 0 || k->index != site->index ||
	    k->number != number ||
	    (base = tbuf_load(&tbuf_local->base)) == 0)
		return (false);
	slot = (const struct tbuf_slot *)(uintptr_t)(base + TBUF_SLOTS +
	    number * (uint64_t)TBUF_SLOT_SIZE);
	/* An ECB that comes later is seen: the other side may meet it still. */
	if (tbuf_load_acquire(&slot->generation) != k->generation ||
	    tbuf_load(k->head) != k->only)
		return (false);
	pc = test_all(k, words, size);
	if (pc >= k->length)
		/* The deadline is looked at now and then. */
		return (unchanged(k, version) && ++tbuf_thread.looks != 0);
	return (pc == k->ntests && write_numbers(k, version, words, size));
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

/*
 * Where an argument lies: packed behind those before it; or as it is, where a
 * site has texts and its fires have not packed anything yet.
 */
static void
cut_make(const struct tbuf_site *site, unsigned argument, bool packed,
    struct cut *cut)
{
	unsigned i, at = 0, bits = 64;

	*cut = (struct cut){ .at = (uint8_t)argument };
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

/* What is kept, of whom. */
struct keeping {
	const struct tbuf_site *site;
	const struct tbuf_machine *machine;
	bool packed;
	struct cut registers[TBUF_REGISTERS];
	uint32_t loaded;		/* of these, a bit each */
};

/* An argument of fixed size that is meant by a selector; false: it is none. */
static bool
cut_select(const struct keeping *g, uint32_t selector, struct cut *cut)
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

/* One more test, if it is such, or an end. */
static bool
test_make(const struct keeping *g, uint64_t word, struct test *test)
{
	unsigned operation = tbuf_word_operation(word);

	*test = (struct test){ .word = word };
	return (operation == TBUF_OP_END ||
	    (operation >= TBUF_OP_JAEQI && operation <= TBUF_OP_JAGEUI &&
	    cut_select(g, tbuf_word_a(word), &test->cut)));
}

/* One more number of the record. */
static bool
number_add(struct kept *k, const struct cut *cut)
{
	if (k->nnumbers == NUMBERS)
		return (false);
	k->numbers[k->nnumbers++] = *cut;
	return (true);
}

/* An instruction between the tests and emit. */
static bool
number_make(struct keeping *g, uint64_t word, struct kept *k)
{
	unsigned a = tbuf_word_a(word) % TBUF_REGISTERS;
	struct cut cut;

	switch (tbuf_word_operation(word)) {
	case TBUF_OP_ROOM:
		return (true);
	case TBUF_OP_LDA:
		g->loaded |= 1u << a;
		return (cut_select(g, tbuf_word_immediate(word),
		    &g->registers[a]));
	case TBUF_OP_PUT:
		return ((g->loaded & 1u << a) != 0 &&
		    number_add(k, &g->registers[a]));
	case TBUF_OP_PUTA:
		return (cut_select(g, tbuf_word_immediate(word), &cut) &&
		    number_add(k, &cut));
	}
	return (false);
}

/* Are numbers all that the rest leaves?  In one record. */
static void
record_make(struct keeping *g, uint32_t epid, struct kept *k)
{
	const struct tbuf_machine *m = g->machine;
	uint64_t word;
	uint32_t pc;

	k->nnumbers = 0;
	for (pc = k->ntests; pc + 1 < m->length; pc++)
		if (!number_make(g, tbuf_load(&m->code[pc]), k))
			break;
	word = pc + 1 == m->length ? tbuf_load(&m->code[pc]) : 0;
	if (tbuf_word_operation(word) != TBUF_OP_EMIT ||
	    tbuf_word_immediate(word) >= TBUF_EPID_COMMIT - epid)
		k->nnumbers = 0;
	k->epid = epid + tbuf_word_immediate(word);
}

static void
program_make(struct keeping *g, uint32_t epid, struct kept *k)
{
	const struct tbuf_machine *m = g->machine;
	struct test test;
	uint32_t n;

	k->length = m->length;
	for (n = 0; n < TESTS && n < m->length; n++) {
		if (!test_make(g, tbuf_load(&m->code[n]), &test))
			break;
		k->tests[n] = test;
	}
	k->ntests = n;
	record_make(g, epid, k);
}

/* If nobody else is at it. */
static __attribute__((noinline)) void
keep(struct kept *k, const struct tbuf_fire *f, const uint32_t *head,
    struct keeping *g)
{
	uint64_t version = tbuf_load(&k->version);

	if ((version & 1) != 0 || !tbuf_cas(&k->version, version, version | 1))
		return;
	tbuf_fence_stores();
	k->generation = f->generation;
	k->head = head;
	k->only = f->epid | TBUF_HEAD_PROGRAM;
	k->index = f->index;
	k->number = f->number;
	g->loaded = 0;
	program_make(g, f->epid, k);
	k->useful = k->ntests + k->nnumbers != 0;
	tbuf_store_release(&k->version, (version | 1) + 1);
	tbuf_store(&tbuf_clause_kept, true);
}

void
tbuf_clause_keep(const struct tbuf_fire *f, const struct tbuf_site *site,
    const struct tbuf_machine *m, bool packed)
{
	struct kept *k = place(f->index);
	const uint32_t *heads;
	struct keeping g;

	if (k->generation == f->generation && k->index == f->index &&
	    k->number == f->number)
		return;
	heads = tbuf_fire_heads(f->base, f->slot);
	/* It has to be the only one. */
	if (heads == NULL ||
	    tbuf_load(heads + f->index) != (f->epid | TBUF_HEAD_PROGRAM))
		return;
	g.site = site;
	g.machine = m;
	g.packed = packed;
	keep(k, f, heads + f->index, &g);
}
