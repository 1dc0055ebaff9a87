/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads the counters of a lane's losses.
 */
#include <string.h>

#include "arch/atomics.h"
#include "consumer/files/files.h"
#include "consumer/target/target.h"

void
tbuf_reader_counters(const struct tbuf_reader *r,
    struct tbuf_lane_counters *counters)
{
	if (r->counters == 0 || r->target->file_only || !tbuf_file_read(
	    r->target->fd, counters, sizeof(*counters), r->counters))
		memset(counters, 0, sizeof(*counters));
}

uint64_t
tbuf_reader_nolane(const struct tbuf_reader *r, enum tbuf_lost lost)
{
	const struct tbuf_target *t = r->target;
	uint32_t lock;
	uint64_t word;

	if (r->nolane_closed)
		return (r->nolane[lost]);
	/* Until then it is not known which lanes have locks. */
	if (!t->live)
		return (0);
	lock = r->index - t->first_lock;
	if (r->index < t->first_lock || lock >= TBUF_NLOCKS)
		return (0);
	word = tbuf_load(&tbuf_target_slot(t)->locks[lock].nolane[lost]);
	if (((word ^ tbuf_nolane_tag(t->generation)) >>
	    TBUF_NOLANE_SHIFT) != 0)
		return (0);
	return (word & TBUF_NOLANE_COUNT);
}

uint64_t
tbuf_reader_counter(const struct tbuf_reader *r, unsigned counter)
{
	struct tbuf_pair pair;
	struct tbuf_lane_counters counters;

	switch (counter) {
	case TBUF_CAUSE_FULL:
		return (tbuf_full_count(tbuf_load(&r->lane->full)));
	case TBUF_CAUSE_LARGE:
		return (tbuf_load(&r->lane->large));
	case TBUF_AGGREGATION:
		tbuf_reader_counters(r, &counters);
		return (counters.aggregation +
		    tbuf_reader_nolane(r, TBUF_LOST_UPDATE));
	case TBUF_DYNAMIC:
		tbuf_reader_counters(r, &counters);
		return (counters.dynamic +
		    tbuf_reader_nolane(r, TBUF_LOST_STORE));
	case TBUF_OVERWRITTEN:
		tbuf_lane_pair(r->lane, &pair);
		return (pair.overwritten);
	}
	return (tbuf_reader_nolane(r, TBUF_LOST_RECORD));
}
