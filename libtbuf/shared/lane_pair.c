/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads the valid pair of a ring.
 */
#include "base/optimize_size.h"

#include "arch/atomics.h"
#include "shared/lane_pair.h"

/* Tries: a running reader succeeds long before. */
#define PAIR_TRIES	1000

/*
 * The writer fills the pair that `sequence` does not select, then increments
 * `sequence`.  A pair that was read under an unchanged sequence is consistent
 * [inv.killed].
 */
void
tbuf_lane_pair(const struct tbuf_lane *lane, struct tbuf_pair *pair)
{
	uint64_t sequence;
	unsigned i;

	for (i = 0; i < PAIR_TRIES; i++) {
		sequence = tbuf_load_acquire(&lane->sequence);
		pair->tail = tbuf_load(&lane->pair[sequence & 1].tail);
		pair->overwritten =
		    tbuf_load(&lane->pair[sequence & 1].overwritten);
		tbuf_fence_loads();
		if (tbuf_load(&lane->sequence) == sequence)
			break;
	}
}
