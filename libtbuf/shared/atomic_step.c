/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Steps in a session's memory (atomic_step.h).
 */
#include "arch/atomics.h"
#include "arch/rseq.h"
#include "shared/atomic_step.h"

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
tbuf_step_swap(const struct tbuf_memo *memo, uint64_t *word, uint64_t old,
    uint64_t new)
{
	if (memo != NULL)
		return (tbuf_rseq_swap(memo, word, old, new));
	return (tbuf_cas(word, old, new) ? TBUF_COMMITTED : TBUF_CHANGED);
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

enum tbuf_outcome
tbuf_step_publish(const struct tbuf_memo *memo, uint64_t *word, uint64_t old,
    uint64_t new, uint64_t *to, const uint64_t *from, uint64_t size)
{
	uint32_t unused;
	uint64_t i;

	if (memo != NULL)
		return (tbuf_rseq_publish(memo, &(struct tbuf_publish){
			.word = word, .old = old, .new = new, .to = to,
			.from = from, .size = size, .slot = &unused
		}));
	if (tbuf_load(word) != old)
		return (TBUF_CHANGED);
	tbuf_fence_stores();
	for (i = 0; i < size / 8; i++)
		tbuf_store(&to[i], from[i]);
	tbuf_store_release(word, new);
	return (TBUF_COMMITTED);
}

static uint64_t
mix(uint64_t a, uint64_t b)
{
	__extension__ typedef unsigned __int128 wide;
	wide m = (wide)(a ^ UINT64_C(0x9e3779b97f4a7c15)) *
	    (b ^ UINT64_C(0xe7037ed1a0b428db));

	return ((uint64_t)m ^ (uint64_t)(m >> 64));
}

uint64_t
tbuf_step_hash(const uint64_t *words, uint32_t n)
{
	uint64_t hash = n;
	uint32_t i;

	for (i = 0; i < n; i++)
		hash = mix(hash, words[i]);
	return (mix(hash, n));
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
