/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Signs of life: postpones the deadline at which a target gives its consumer
 * up, and notices that a waiting file has got a target.
 */
#include "arch/atomics.h"
#include "consumer/target/target.h"
#include "consumer/util/clock_sync.h"

#define SIGN_PERIOD	(TBUF_DEADLINE / 6)	/* within a round */

void
tbuf_target_deadline(struct tbuf_target *t)
{
	struct tbuf_slot *slot;

	/*
	 * Clauses need not record anything, so that no full lane shows the
	 * target that its consumer has died.
	 */
	if (t->slot == -1 || !t->live || (t->clauses == 0 &&
	    !tbuf_policy(t->order.terms.policy)->deadline))
		return;
	slot = tbuf_target_slot(t);
	tbuf_store(&slot->deadline,
	    tbuf_timeline_ahead(&t->time, TBUF_DEADLINE));
}

void
tbuf_targets_postpone(struct tbuf_target_list *targets, uint64_t *next)
{
	uint64_t now = tbuf_now();
	struct tbuf_target *t;

	if (now < *next)
		return;
	*next = now + SIGN_PERIOD;
	TAILQ_FOREACH(t, targets, link)
		if (tbuf_session_holds(t) && !t->file_only)
			tbuf_target_deadline(t);
}

/* A target without rseq turns the CPUs' lanes of its file into lock lanes. */
static void
relabel(struct tbuf_target *t)
{
	uint32_t i;

	t->first_lock = 0;
	for (i = 0; i < t->nreaders; i++)
		if (!t->readers[i].is_thread_lane)
			t->readers[i].locked = true;
}

void
tbuf_target_refresh(struct tbuf_target *t)
{
	const struct tbuf_control *control = tbuf_view_control(&t->view);
	enum tbuf_clock clock;
	struct tbuf_moment birth;

	if (t->live || t->slot == -1 ||
	    tbuf_load_acquire(&control->stage) == TBUF_STAGE_WAITING)
		return;
	t->live = true;
	clock = (enum tbuf_clock)tbuf_load(&control->clock);
	if (clock != t->time.clock && clock <= TBUF_CLOCK_COARSE) {
		birth = control->birth;
		tbuf_timeline_start(&t->time, clock, &birth);
	}
	if ((tbuf_load(&control->flags) & TBUF_F_RSEQ) == 0)
		relabel(t);
	tbuf_target_deadline(t);
}
