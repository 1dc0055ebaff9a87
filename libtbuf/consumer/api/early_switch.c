/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Early switches, for buffers that fill faster than switchrate.  Unless
 * switchrate was set, a drain begins as soon as a quarter of a buffer is in
 * use: a program that calls malloc(3) writes 4 MiB in some ten milliseconds,
 * and the records after that would be drops.  The time of the next look
 * follows from the rate at which buffers have filled since the last one.
 *
 * A buffer that was made small fills before any look and has as many drops as
 * without early switches: its size is the user's choice.
 */
#include "arch/atomics.h"
#include "consumer/attach/attach.h"
#include "consumer/run/run.h"
#include "consumer/target/target.h"
#include "consumer/util/util.h"

#define EARLY_PART	4			/* 1/4 in use: switch */
#define FILL_PERIOD	(TBUF_SECOND / 10)	/* longest, between looks */
#define FILL_PERIOD_LEAST	(TBUF_SECOND / 1000)	/* shortest, between
							   looks */
#define EARLY_PERIOD	(TBUF_SECOND / 200)	/* shortest, between drains */

/*
 * Returns the time in which `more` bytes will come, at the rate of the last
 * look, but at most FILL_PERIOD.
 */
static uint64_t
time_for(uint64_t more, uint64_t came, uint64_t elapsed)
{
	double ns = (double)more / (double)came * (double)elapsed;

	return (ns < (double)FILL_PERIOD ? (uint64_t)ns : FILL_PERIOD);
}

/*
 * Returns true if a quarter of a lane is in use; else lowers *wait.  The drain
 * reports an invalid head.
 */
static bool
reader_look(struct tbuf_reader *r, uint64_t elapsed, uint64_t *wait)
{
	uint64_t head = tbuf_load(&r->lane->head), before = r->last_fill, used;
	uint64_t part = r->size / EARLY_PART, ns;

	if (r->size < TBUF_EARLY_LEAST || head < r->position || head > r->limit)
		return (false);
	r->last_fill = head;
	used = head - r->position;
	if (used >= part)
		return (true);
	if (head > before && elapsed != 0) {
		ns = time_for(part - used, head - before, elapsed);
		*wait = MIN(*wait, ns);
	}
	return (false);
}

bool
tbuf_early_switch(struct tbuf_consumer *c, uint64_t now)
{
	uint64_t elapsed = c->last_fill == 0 ? 0 : now - c->last_fill;
	uint64_t wait = FILL_PERIOD, least;
	struct tbuf_target *t;
	bool full = false;
	unsigned i;

	if (now < c->next_fill)
		return (false);
	TAILQ_FOREACH(t, &c->targets, link) {
		if (t->state != TBUF_ALIVE || t->truncated ||
		    !tbuf_session_holds(t) || t->file_only)
			continue;
		for (i = 0; i < t->nreaders; i++)
			full |= reader_look(&t->readers[i], elapsed, &wait);
	}
	/* Records that a merge holds back stay in their buffer. */
	least = full ? EARLY_PERIOD : FILL_PERIOD_LEAST;
	c->last_fill = now;
	c->next_fill = now + MAX(wait, least);
	return (full);
}
