/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Checks of a session during a fire: whether it is still active, whether its
 * consumer has died, the next ECB of a chain.  As async-signal-safe as fire.c.
 */
#include "shared/ecb_chain.h"
#include "target/file/file.h"
#include "target/lane/lane.h"
#include "target/self/self.h"

bool
tbuf_fire_current(const struct tbuf_fire *f)
{
	return (tbuf_load(&tbuf_local->base) == f->base &&
	    tbuf_load(&f->slot->generation) == f->generation);
}

void
tbuf_fire_leave(const struct tbuf_fire *f, uint64_t exit)
{
	struct tbuf_view view = tbuf_target_view();
	uint64_t generation;
	uint32_t *state;

	if (view.base == NULL)
		return;
	state = &tbuf_view_control(&view)->state[f->number];
	if (!tbuf_cas(state, TBUF_ACTIVE, TBUF_GIVINGUP))
		return;
	generation = tbuf_load(&f->slot->generation);
	/* 0: its consumer has ended it meanwhile, without waiting for us. */
	if (generation != f->generation && generation != 0) {
		/* Our facts belong to an earlier session. */
		tbuf_store_release(state, TBUF_ACTIVE);
		return;
	}
	tbuf_store(&f->slot->exit, exit);
	tbuf_disable_all(&view, f->number);
	tbuf_store_release(state, exit != 0 ? TBUF_EXITED : TBUF_GIVENUP);
}

/* inv.consumer: a dead consumer must not keep this target busy. */
bool
tbuf_fire_deadline(const struct tbuf_fire *f)
{
	uint64_t now, deadline;

	/*
	 * The clock first: if we are delayed after it, we see an extended
	 * deadline.
	 */
	now = tbuf_clock_read(tbuf_self.clock);
	deadline = tbuf_load(&f->slot->deadline);
	if (deadline == 0 || now < deadline)
		return (false);
	tbuf_fire_leave(f, 0);
	return (true);
}

uint32_t
tbuf_fire_next(const struct tbuf_fire *f)
{
	uint64_t max;
	const struct tbuf_ecb *ecbs = tbuf_fire_ecbs(f->base, f->slot, &max);

	return (f->epid < max ? tbuf_load(&ecbs[f->epid].next) : 0);
}

struct tbuf_lane_counters *
tbuf_counters_find(uint64_t base, const struct tbuf_lane *lane)
{
	uint64_t end = tbuf_file_end(base), at = tbuf_load(&lane->counters);

	if (at < TBUF_TABLES || at % 64 != 0 || at > end ||
	    end - at < sizeof(struct tbuf_lane_counters))
		return (NULL);
	return ((struct tbuf_lane_counters *)(uintptr_t)(base + at));
}
