/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A record into a unit's table, as the one before it was written: by one
 * section.  What it goes by is a guess that the section checks.  And the end of
 * a unit of which nothing is kept, where all its records were written so.  As
 * async-signal-safe as fire.c.
 */
#include "producer/unit.h"

#define WORDS_MAX	4	/* arguments */

/* Words in front of the arguments. */
#define WORDS_HEADER	(sizeof(struct tbuf_lock_record) / 8)

/* One record and its bytes, in the lower half of a head. */
#define LOW_RECORD	(UINT32_C(1) << 24)
#define LOW_BYTES	(LOW_RECORD - 1)

/* One by one: for a loop the compiler has an instruction that is slow. */
static inline void
copy(uint64_t *to, const uint64_t *from, uint64_t n)
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

_Static_assert(WORDS_MAX == 4, "copy");

/*
 * The lower half of head becomes what it will be within the section: no handler
 * comes between the two.  A section that is given up leaves it ahead: then the
 * next one fails, and whoever writes as unit_write.c does puts it right.
 *
 * Before that the selection is noted, by one instruction where it has not been:
 * what a handler notes meanwhile stays, even if it never comes back here.
 */
static inline bool
store(struct tbuf_bound *b, uint32_t epid, uint32_t mask,
    const uint64_t *words, uint64_t size)
{
	uint32_t low = tbuf_load(&b->head[0]);
	uint64_t high = tbuf_load(&b->head[1]), used = 8 * (low & LOW_BYTES);
	uint64_t record[WORDS_HEADER + WORDS_MAX], whole;
	uint32_t next;

	whole = 8 * WORDS_HEADER + size;
	next = low + LOW_RECORD + (uint32_t)whole / 8;
	if (next < low || used > b->size || whole > b->size - used)
		return (false);
	if (b->wraps && (tbuf_unit_laps(high << 32) & 1) != 0)
		used += b->size;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if ((mask & ~tbuf_load(&b->selected)) != 0)
		__atomic_fetch_or(&b->selected, mask, __ATOMIC_RELAXED);
	record[0] = tbuf_unit_clock();
	record[1] = epid | whole << 16 | (uint64_t)tbuf_thread.tid << 32;
	record[2] = b->memo.cpu;
	copy(record + WORDS_HEADER, words, size / 8);
	return (tbuf_rseq_publish(&b->memo, &(struct tbuf_publish){
		.word = &b->entry->head, .old = high << 32 | low,
		.new = high << 32 | next, .from = record, .size = whole,
		.to = (uint64_t *)(void *)(b->table + used),
		.slot = &b->head[0], .offset = next
	}) == TBUF_COMMITTED);
}

/*
 * The EPID stands there when all else does: by a section, or two handlers that
 * come one after the other could leave one's EPID with another one's mask.
 */
static __attribute__((noinline)) bool
meet(struct tbuf_bound *b, uint32_t epid, uint32_t *mask)
{
	struct tbuf_unit_met *met = &b->met[epid % TBUF_UNIT_MET];
	struct tbuf_unit_met now = { .epid = 0 };
	uint32_t slot;

	*mask = now.mask = tbuf_unit_selection(b->fire.base, b->fire.slot,
	    epid, &now);
	if (now.epid == 0)
		return (false);
	tbuf_store(&met->epid, 0);
	(void)tbuf_rseq_publish(&b->memo, &(struct tbuf_publish){
		.word = &met->epid, .old = 0, .new = epid,
		.to = &met->epid + 1, .from = &now.epid + 1,
		.size = sizeof(now) - sizeof(now.epid), .slot = &slot
	});
	return (true);
}

/*
 * The EPID is looked at before and behind the rest, which is a handler's else:
 * where nothing has been met there is no word.
 */
static inline bool
selection(struct tbuf_bound *b, uint32_t epid, uint32_t *mask)
{
	const struct tbuf_unit_met *met = &b->met[epid % TBUF_UNIT_MET];
	const uint32_t *word;
	uint32_t value;

	if (tbuf_load(&met->epid) != epid)
		return (meet(b, epid, mask));
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	word = tbuf_load(&met->word);
	value = tbuf_load(&met->value);
	*mask = tbuf_load(&met->mask);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return ((tbuf_load(&met->epid) == epid && tbuf_load(word) == value) ||
	    meet(b, epid, mask));
}

bool
tbuf_unit_again(const struct tbuf_site *site, const uint64_t *words,
    uint64_t size, uint32_t bits)
{
	struct tbuf_unit *u = tbuf_thread.unit;
	struct tbuf_bound *b = &u->bound[0];
	uint32_t epid, mask;

	if (b->again != bits || tbuf_load(&u->busy) ||
	    tbuf_thread.shared != 0 || size > 8 * WORDS_MAX ||
	    tbuf_load(&tbuf_local->base) != b->fire.base ||
	    tbuf_load_acquire(&b->fire.slot->generation) != b->fire.generation)
		return (false);
	epid = tbuf_load(b->heads + site->index);
	return (epid != 0 && epid < TBUF_EPID_UNIT &&
	    selection(b, epid, &mask) && store(b, epid, mask, words, size));
}

/*
 * The table has not wrapped, and its totals are those that it had when it was
 * kept for this unit.  The first rule is that of successes, unless somebody has
 * changed it.
 */
bool
tbuf_unit_discard(struct tbuf_bound *b, int32_t outcome)
{
	uint64_t word = tbuf_unit_word(b->fire.generation, b->instance,
	    TBUF_UNIT_BOUND), rule;
	unsigned next = tbuf_unit_totals(word) ^ 1;
	struct tbuf_unit_total total = b->totals;
	uint32_t slot;

	if (b->again == 0 || tbuf_thread.shared != 0 || b->others ||
	    !b->counted || tbuf_rseq_load(&b->memo, &rule, b->units->rules,
	    sizeof(rule)) != TBUF_COMMITTED)
		return (false);
	rule ^= tbuf_unit_default(0);
	if (tbuf_unit_outcome(rule) != outcome ||
	    ((uint32_t)rule & b->selected) != 0)
		return (false);
	total.discarded += tbuf_unit_records((uint64_t)b->head[1] << 32 |
	    b->head[0]);
	if (tbuf_rseq_publish(&b->memo, &(struct tbuf_publish){
	    .word = &b->entry->word, .old = word,
	    .new = tbuf_unit_word(b->fire.generation, b->instance,
	    TBUF_UNIT_KEPT), .from = &total.extra, .size = sizeof(total),
	    .to = &b->entry->total[next].extra, .slot = &slot }) !=
	    TBUF_COMMITTED)
		return (false);
	b->totals = total;
	b->kept = true;
	return (true);
}

bool
tbuf_unit_count(const struct tbuf_bound *b, uint64_t *word)
{
	uint64_t n;

	return (b->again != 0 && tbuf_thread.shared == 0 &&
	    tbuf_rseq_load(&b->memo, &n, word, sizeof(n)) == TBUF_COMMITTED &&
	    tbuf_rseq_swap(&b->memo, word, n, n + 1) == TBUF_COMMITTED);
}
