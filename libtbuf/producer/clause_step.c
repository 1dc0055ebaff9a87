/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Steps in the session's memory: clause_step.h.
 */
#include "producer/clause_step.h"

enum tbuf_outcome
tbuf_step_load(const struct tbuf_memo *memo, uint64_t *to,
    const uint64_t *from, uint64_t words)
{
	uint64_t i;

	if (memo != NULL)
		return (tbuf_rseq_load(memo, to, from, 8 * words));
	for (i = 0; i < words; i++)
		to[i] = tbuf_load(&from[i]);
	return (TBUF_COMMITTED);
}

enum tbuf_outcome
tbuf_step_store(const struct tbuf_memo *memo, uint64_t *word, uint64_t value)
{
	if (memo != NULL)
		return (tbuf_rseq_store(memo, word, value));
	tbuf_store(word, value);
	return (TBUF_COMMITTED);
}

enum tbuf_outcome
tbuf_step_add(const struct tbuf_memo *memo, uint64_t *word, uint64_t delta)
{
	if (memo != NULL)
		return (tbuf_rseq_add(memo, word, delta));
	tbuf_store(word, tbuf_load(word) + delta);
	return (TBUF_COMMITTED);
}

enum tbuf_outcome
tbuf_step_swap_pair(const struct tbuf_memo *memo, uint64_t *pair,
    const uint64_t old[2], const uint64_t new[2])
{
	if (memo != NULL)
		return (tbuf_rseq_swap_pair(memo, pair, old, new));
	return (tbuf_swap_pair(pair, old, new) ? TBUF_COMMITTED :
	    TBUF_CHANGED);
}

uint64_t
tbuf_step_gather(const uint8_t *bytes, uint32_t at, uint32_t size)
{
	uint64_t word = 0;
	unsigned i;

	for (i = 0; i < sizeof(word) && at + i < size; i++)
		word |= (uint64_t)tbuf_load(bytes + at + i) << 8 * i;
	return (word);
}

struct tbuf_side *
tbuf_side_find(uint64_t base, const struct tbuf_lane *lane)
{
	uint64_t end = tbuf_fire_end(base), at = tbuf_load(&lane->side);

	if (at < TBUF_TABLES || at % 64 != 0 || at > end ||
	    end - at < sizeof(struct tbuf_side))
		return (NULL);
	return ((struct tbuf_side *)(uintptr_t)(base + at));
}
