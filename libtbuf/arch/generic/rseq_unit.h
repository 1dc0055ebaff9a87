/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * KEEP of rseq_unit.h for a processor that has no section of its own for it.
 * Values read before the committing section are guesses: the section checks
 * them, or only a signal handler of this thread can have changed them.
 */
#ifndef TBUF_ARCH_GENERIC_RSEQ_UNIT_H
#define TBUF_ARCH_GENERIC_RSEQ_UNIT_H

#include "arch/atomics.h"

/* Words before the arguments, and words of arguments at most. */
#define TBUF_KEEP_HEADER	(sizeof(struct tbuf_lock_record) / 8)
#define TBUF_KEEP_WORDS		4

/* One record and its bytes, in the lower half of a head. */
#define TBUF_KEEP_RECORD	(UINT32_C(1) << 24)
#define TBUF_KEEP_BYTES		(TBUF_KEEP_RECORD - 1)

/*
 * Returns true if the EPID is cached and its word unchanged; *mask becomes its
 * selection.  The EPID is loaded before and after the other fields: if it has
 * changed, a signal handler wrote them.  An entry with EPID 0 has no word.
 */
static inline bool
tbuf_keep_known(const struct tbuf_unit_way *w, uint32_t epid, uint32_t *mask)
{
	const struct tbuf_unit_epid *cached = &w->epids[epid % TBUF_UNIT_EPIDS];
	const uint32_t *word;
	uint32_t value;

	if (epid == 0 || tbuf_load(&cached->epid) != epid)
		return (false);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	word = tbuf_load(&cached->word);
	value = tbuf_load(&cached->value);
	*mask = tbuf_load(&cached->mask);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return (tbuf_load(&cached->epid) == epid && tbuf_load(word) == value);
}

/* Copies n words one by one: for a loop compilers use a slow instruction. */
static inline void
tbuf_keep_copy(uint64_t *to, const uint64_t *from, uint64_t n)
{
	if (n > 0)
		to[0] = from[0];
	if (n > 1)
		to[1] = from[1];
	if (n > 2)
		to[2] = from[2];
	if (n > 3)
		to[3] = from[3];
}

/*
 * KEEP in steps.  The section stores the new lower half of head to known[0] as
 * well, so that no signal handler can run between the two stores.
 */
static inline enum tbuf_outcome
tbuf_rseq_keep(struct tbuf_unit_way *w, const struct tbuf_site *site,
    const uint64_t *values, uint64_t size)
{
	const struct tbuf_memo *m = &w->memo;
	uint32_t low = tbuf_load(&w->known[0]), next, mask, epid;
	uint64_t high = tbuf_load(&w->known[1]);
	uint64_t used = 8 * (uint64_t)(low & TBUF_KEEP_BYTES);
	uint64_t whole = 8 * TBUF_KEEP_HEADER + size;
	uint64_t record[TBUF_KEEP_HEADER + TBUF_KEEP_WORDS];

	next = low + TBUF_KEEP_RECORD + (uint32_t)whole / 8;
	epid = tbuf_load(w->heads + site->index);
	if (next < low || used > w->size || whole > w->size - used ||
	    !tbuf_keep_known(w, epid, &mask))
		return (TBUF_CHANGED);
	if ((tbuf_unit_laps(high << 32) & 1) != 0)
		used += w->half;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if ((mask & ~tbuf_load(&w->selected)) != 0)
		__atomic_fetch_or(&w->selected, mask, __ATOMIC_RELAXED);
	record[0] = tbuf_counter_glance();
	record[1] = epid | whole << 16 | (uint64_t)m->tid << 32;
	record[2] = m->cpu;
	tbuf_keep_copy(record + TBUF_KEEP_HEADER, values, size / 8);
	return (tbuf_rseq_publish(m, &(struct tbuf_publish){
		.word = w->head, .old = high << 32 | low,
		.new = high << 32 | next, .from = record, .size = whole,
		.to = (uint64_t *)(void *)(w->table + used),
		.slot = &w->known[0], .offset = next
	}));
}

#endif
