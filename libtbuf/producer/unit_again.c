/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A record into a unit's table, as the one before it was written: by one
 * section.  What it goes by is a guess that the section checks.  As
 * async-signal-safe as fire.c.
 */
#include "producer/unit.h"

#define WORDS_MAX	4	/* arguments */

/* Words in front of the arguments. */
#define WORDS_HEADER	(sizeof(struct tbuf_lock_record) / 8)

/* One record and its bytes, in the lower half of a head. */
#define LOW_RECORD	(UINT32_C(1) << 24)
#define LOW_BYTES	(LOW_RECORD - 1)

/*
 * The lower half of head becomes what it will be within the section: no handler
 * comes between the two.  A section that is given up leaves it ahead: then the
 * next one fails, and whoever writes as unit_write.c does puts it right.
 */
static inline bool
store(struct tbuf_bound *b, uint32_t epid, const uint64_t *words,
    uint64_t size)
{
	uint32_t low = tbuf_load(&b->head[0]);
	uint64_t high = tbuf_load(&b->head[1]), used = 8 * (low & LOW_BYTES);
	uint64_t record[WORDS_HEADER + WORDS_MAX], whole, i;
	uint32_t next;

	whole = 8 * WORDS_HEADER + size;
	next = low + LOW_RECORD + (uint32_t)whole / 8;
	if (next < low || used > b->size || whole > b->size - used)
		return (false);
	if (b->wraps && (tbuf_unit_laps(high << 32) & 1) != 0)
		used += b->size;
	record[0] = tbuf_unit_clock();
	record[1] = epid | whole << 16 | (uint64_t)tbuf_thread.tid << 32;
	record[2] = b->memo.cpu;
	for (i = 0; i < size / 8; i++)
		record[WORDS_HEADER + i] = words[i];
	return (tbuf_rseq_publish(&b->memo, &(struct tbuf_publish){
		.word = &b->entry->head, .old = high << 32 | low,
		.new = high << 32 | next, .from = record, .size = whole,
		.to = (uint64_t *)(void *)(b->table + used),
		.slot = &b->head[0], .offset = next
	}) == TBUF_COMMITTED);
}

bool
tbuf_unit_again(const struct tbuf_site *site, const uint64_t *words,
    uint64_t size, uint32_t bits)
{
	struct tbuf_unit *u = tbuf_thread.unit;
	struct tbuf_bound *b = &u->bound[0];
	uint32_t epid;

	if (b->again != bits || tbuf_load(&u->busy) ||
	    tbuf_thread.shared != 0 || size > 8 * WORDS_MAX ||
	    tbuf_load(&tbuf_local->base) != b->fire.base ||
	    tbuf_load_acquire(&b->fire.slot->generation) != b->fire.generation)
		return (false);
	epid = tbuf_load(b->heads + site->index);
	return (epid != 0 && epid < TBUF_EPID_UNIT &&
	    store(b, epid, words, size));
}
