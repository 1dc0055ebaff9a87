/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A heap of the youngest records found; the oldest of them is at its top.  Also
 * copies bytes of a lane's stream.
 */
#include "base/optimize_size.h"

#include <string.h>

#include "target/crash/last_records.h"
#include "target/self/thread.h"

void
tbuf_last_copy(const struct tbuf_place *p, uint64_t at, void *to, size_t size)
{
	uint64_t offset = at & (p->storage - 1), first = p->storage - offset;

	if (first > size)
		first = size;
	memcpy(to, p->data + offset, first);
	memcpy((char *)to + first, p->data, size - first);
}

uint64_t
tbuf_last_tail(const struct tbuf_slot *slot, const struct tbuf_lane *lane)
{
	if (tbuf_load(&slot->terms.policy) != TBUF_RING)
		return (tbuf_load_acquire(&lane->tail));
	return (tbuf_load(&lane->pair[tbuf_load_acquire(&lane->sequence) &
	    1].tail));
}

static void
swap(struct tbuf_last *heap, unsigned a, unsigned b)
{
	struct tbuf_last last = heap[a];

	heap[a] = heap[b];
	heap[b] = last;
}

/* Moves the record at the top down among n. */
static void
sink(struct tbuf_last *heap, unsigned n)
{
	unsigned i = 0, child;

	while ((child = 2 * i + 1) < n) {
		if (child + 1 < n && heap[child + 1].time < heap[child].time)
			child++;
		if (heap[i].time <= heap[child].time)
			break;
		swap(heap, i, child);
		i = child;
	}
}

void
tbuf_last_keep(struct tbuf_lasts *l, const struct tbuf_last *last)
{
	struct tbuf_last *heap = l->heap;
	unsigned i;

	l->seen++;
	if (l->count == l->most) {
		if (last->time > heap[0].time) {
			heap[0] = *last;
			sink(heap, l->count);
		}
		return;
	}
	heap[l->count] = *last;
	for (i = l->count++; i > 0 && heap[i].time < heap[(i - 1) / 2].time;
	    i = (i - 1) / 2)
		swap(heap, i, (i - 1) / 2);
}

void
tbuf_last_sort(struct tbuf_lasts *l)
{
	unsigned n, i;

	for (n = l->count; n > 1; n--) {
		swap(l->heap, 0, n - 1);
		sink(l->heap, n - 1);
	}
	for (i = 0; i < l->count / 2; i++)
		swap(l->heap, i, l->count - 1 - i);
}
