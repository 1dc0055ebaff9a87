/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Buffers that fill faster than they are switched.  Where nobody has said how
 * often that is to be, a round comes as soon as a quarter of a buffer is in
 * use: a program that calls malloc(3) writes 4 MiB in some ten milliseconds,
 * and loses what comes behind.  When to look is told by how fast they have
 * filled since the last look.
 *
 * A buffer that was made small fills before any look, and loses what it ever
 * did: that is left to who has made it so.
 */
#include "arch/atomics.h"
#include "consumer/attach/attach.h"
#include "consumer/run/run.h"
#include "consumer/target/target.h"
#include "consumer/util/util.h"

#define PACE_LEAST	(UINT64_C(256) << 10)	/* bytes of a buffer */
#define PACE_PART	4			/* of it */
#define PACE_PERIOD	(TBUF_SECOND / 10)	/* between looks, at most, */
#define PACE_SHORT	(TBUF_SECOND / 1000)	/* and at least; */
#define PACE_ROUND	(TBUF_SECOND / 200)	/* between rounds of ours */

/* When so many bytes more will have come, if they come as before. */
static uint64_t
time_for(uint64_t more, uint64_t came, uint64_t elapsed)
{
	double ns = (double)more / (double)came * (double)elapsed;

	return (ns < (double)PACE_PERIOD ? (uint64_t)ns : PACE_PERIOD);
}

/* Is that much in use?  A head that makes no sense is the round's to tell. */
static bool
source_look(struct tbuf_source *s, uint64_t elapsed, uint64_t *wait)
{
	uint64_t head = tbuf_load(&s->lane->head), before = s->paced, used;
	uint64_t part = s->size / PACE_PART, ns;

	if (s->size < PACE_LEAST || head < s->position || head > s->limit)
		return (false);
	s->paced = head;
	used = head - s->position;
	if (used >= part)
		return (true);
	if (head > before && elapsed != 0) {
		ns = time_for(part - used, head - before, elapsed);
		if (ns < *wait)
			*wait = ns;
	}
	return (false);
}

bool
tbuf_pace_look(struct tbuf_consumer *c, uint64_t now)
{
	uint64_t elapsed = c->paced == 0 ? 0 : now - c->paced;
	uint64_t wait = PACE_PERIOD, least;
	struct tbuf_target *t;
	bool full = false;
	unsigned i;

	if (now < c->next_pace)
		return (false);
	TAILQ_FOREACH(t, &c->targets, link) {
		if (t->life != TBUF_ALIVE || t->truncated ||
		    !tbuf_session_holds(t) || t->file_only)
			continue;
		for (i = 0; i < t->nsources; i++)
			full |= source_look(&t->sources[i], elapsed, &wait);
	}
	/* What a merge holds back stays in its buffer, full as that is. */
	least = full ? PACE_ROUND : PACE_SHORT;
	c->paced = now;
	c->next_pace = now + (wait > least ? wait : least);
	return (full);
}
