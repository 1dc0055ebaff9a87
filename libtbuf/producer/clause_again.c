/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The fast path of a probe's only clause.  Most clauses do one of these things:
 * their predicate does not hold, they record numbers that are arguments of the
 * probe, they aggregate a value by such numbers, or they store a time of the
 * thread's, and aggregate what has passed since.  A program that does no more
 * is kept, decoded, in memory of this process, so that a fire neither reads the
 * session nor runs the machine; of other programs it is kept where they lie.
 * A generation is never used twice: what is kept holds for as long as the slot
 * has it, and for no other session.
 */
#include "common/machine_parts.h"
#include "producer/clause_kept.h"

/*
 * Where the program goes on behind its tests.  What is read may be of two
 * probes: then it is within bounds, and counts for nothing.
 */
static inline uint32_t
test_all(const struct tbuf_kept *k, const uint64_t *words, uint64_t size)
{
	const struct tbuf_test *test;
	uint32_t pc = 0;

	while (pc < k->ntests) {
		test = &k->tests[pc];
		if (tbuf_word_operation(test->word) == TBUF_OP_END)
			return (UINT32_MAX);
		if (test->cut.at * sizeof(*words) >= size)
			return (0);
		pc += 1 + (tbuf_argument_holds(test->word,
		    tbuf_cut_out(&test->cut, words)) ?
		    tbuf_word_distance(test->word) : 0);
	}
	return (pc);
}

/* What stands behind the tests, and is no value with a key. */
static __attribute__((noinline)) bool
effect_again(const struct tbuf_site *site, const uint64_t *words,
    uint64_t size, const struct tbuf_kept *k, uint64_t version)
{
	struct tbuf_kept_fire fire = {
		.words = words, .size = size, .version = version,
		.base = tbuf_load(&tbuf_local->base)
	};

	return ((fire.base != 0 && (k->self.used ?
	    tbuf_clause_self(site, k, &fire) : tbuf_kept_effect(k, &fire))) ||
	    tbuf_kept_run(site, words, size, k, version));
}

/*
 * A value of an aggregation without a key, where it is known by now.  Once it
 * is added it is done, wherever a handler's fires have brought `looks'.
 */
static inline bool
count_again(const struct tbuf_kept *k, uint64_t version)
{
	if (!tbuf_kept_unchanged(k, version) ||
	    (uint8_t)(tbuf_thread.looks + 1) == 0 ||
	    !tbuf_kept_add(k, version, 0, 1))
		return (false);
	tbuf_thread.looks++;
	return (true);
}

/* What stands behind the tests; apart from these, for most end there. */
static __attribute__((noinline)) bool
behind_tests(const struct tbuf_site *site, const uint64_t *words,
    uint64_t size, const struct tbuf_kept *k, uint64_t version)
{
	if (k->keyed)
		return (tbuf_kept_keyed(site, words, size, k, version));
	if (k->counts && count_again(k, version))
		return (true);
	return (effect_again(site, words, size, k, version));
}

static __attribute__((noinline)) bool
tests_again(const struct tbuf_site *site, const uint64_t *words,
    uint64_t size, const struct tbuf_kept *k, uint64_t version)
{
	uint32_t pc = test_all(k, words, size);

	if (pc >= k->length)
		/* The deadline is looked at now and then. */
		return (tbuf_kept_unchanged(k, version) &&
		    ++tbuf_thread.looks != 0);
	return (pc == k->ntests ? behind_tests(site, words, size, k, version) :
	    tbuf_kept_run(site, words, size, k, version));
}

static inline const struct tbuf_slot *
slot_at(uint64_t base, unsigned number)
{
	return ((const struct tbuf_slot *)(uintptr_t)(base + TBUF_SLOTS +
	    number * (uint64_t)TBUF_SLOT_SIZE));
}

/*
 * A copy would cost more than the comparisons: another thread may write while
 * they are made, and what they say counts only if none has.
 */
bool
tbuf_clause_again(const struct tbuf_site *site, const uint64_t *words,
    uint64_t size, unsigned number)
{
	const struct tbuf_kept *k = tbuf_kept_place(site->index);
	uint64_t version = tbuf_load_acquire(&k->version), base;
	const struct tbuf_slot *slot;

	if (!k->useful || (version & 1) != 0 || k->index != site->index ||
	    k->number != number ||
	    (base = tbuf_load(&tbuf_local->base)) == 0)
		return (false);
	slot = slot_at(base, number);
	/* An ECB that comes later is seen: the other side may meet it still. */
	if (tbuf_load_acquire(&slot->generation) != k->generation ||
	    tbuf_load(k->head) != k->only)
		return (false);
	return (k->ntests == 0 ? behind_tests(site, words, size, k, version) :
	    tests_again(site, words, size, k, version));
}

bool
tbuf_clause_met(const struct tbuf_site *site, uint32_t bits)
{
	const struct tbuf_kept *k = tbuf_kept_place(site->index);
	uint64_t base = tbuf_load(&tbuf_local->base);
	unsigned number = k->number % TBUF_NSESSIONS;

	return (base != 0 && k->index == site->index &&
	    bits == UINT32_C(1) << number &&
	    tbuf_load(&slot_at(base, number)->generation) == k->generation);
}
