/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the next record of a lane after damaged bytes, for the writer of a ring
 * and for tbuf_backtrace(): the next multiple of 8 where a header is plausible,
 * and the headers of its successors as well.  Other threads may write to the
 * lane meanwhile, so a position is a hint.
 */
#include "base/optimize_size.h"

#include "target/lane/lane.h"

#define SUCCESSORS	3
/* Bytes that a fire searches at most, if its record needs no more. */
#define SEARCH		UINT64_C(4096)

static uint64_t
word_at(const struct tbuf_place *p, uint64_t at)
{
	at &= p->storage - sizeof(uint64_t);
	return (tbuf_load((const uint64_t *)(const void *)(p->data + at)));
}

/* Returns the size of the record at a position, or 0 if that has none. */
static uint64_t
record_size(const struct tbuf_place *p, uint64_t at, uint64_t head,
    uint64_t *time)
{
	uint64_t stamp = word_at(p, at);
	uint32_t word = (uint32_t)word_at(p, at + 8);

	if ((word & UINT16_MAX) == 0 || stamp < *time ||
	    stamp > tbuf_load(&p->lane->last) ||
	    !tbuf_lane_plausible(tbuf_lane_front(p), word >> 16, head - at))
		return (0);
	*time = stamp;
	return (word >> 16);
}

static bool
is_record(const struct tbuf_place *p, uint64_t at, uint64_t head)
{
	uint64_t time = 0, size;
	unsigned n;

	for (n = 0; n <= SUCCESSORS && at < head; n++, at += size)
		if ((size = record_size(p, at, head, &time)) == 0)
			return (false);
	return (true);
}

uint64_t
tbuf_lane_resync(const struct tbuf_place *p, uint64_t at, uint64_t end,
    uint64_t head)
{
	do
		at += 8;
	while (at < end && !is_record(p, at, head));
	return (at);
}

bool
tbuf_ring_skip(const struct tbuf_place *p, uint64_t head, uint64_t *tail,
    uint64_t size)
{
	uint64_t end = *tail + (size < SEARCH ? SEARCH : size);

	if ((head | *tail) % 8 != 0 || head - *tail > p->size ||
	    head == *tail)
		return (false);
	*tail = tbuf_lane_resync(p, *tail, end < head ? end : head, head);
	return (true);
}
