/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The states of a target and of its session, as drawn in target.h.  Only these
 * functions change them.
 */
#include "consumer/target/target.h"

void
tbuf_target_leave(struct tbuf_target *t)
{
	if (t->state == TBUF_ALIVE)
		t->state = TBUF_EXECED;
}

void
tbuf_target_close(struct tbuf_target *t)
{
	if (t->state == TBUF_EXECED)
		t->state = TBUF_CLOSED;
}

void
tbuf_target_replace(struct tbuf_target *t)
{
	if (t->state < TBUF_REPLACED)
		t->state = TBUF_REPLACED;
	t->without_libtbuf = false;
}

void
tbuf_target_resign(struct tbuf_target *t)
{
	if (t->state == TBUF_ALIVE)
		t->state = TBUF_RESIGNED;
}

void
tbuf_target_die(struct tbuf_target *t)
{
	if (t->state < TBUF_DEAD)
		t->state = TBUF_DEAD;
}

void
tbuf_target_tell(struct tbuf_target *t)
{
	t->state = TBUF_REPORTED;
}

void
tbuf_session_begin(struct tbuf_target *t)
{
	t->session = TBUF_SESSION_ACTIVE;
}

void
tbuf_session_drain(struct tbuf_target *t)
{
	if (t->session == TBUF_SESSION_ACTIVE)
		t->session = TBUF_SESSION_DRAINED;
}

void
tbuf_session_stop(struct tbuf_target *t)
{
	if (t->session != TBUF_SESSION_RETIRED)
		t->session = TBUF_SESSION_STOPPED;
}

void
tbuf_session_retire(struct tbuf_target *t)
{
	t->session = TBUF_SESSION_RETIRED;
}

void
tbuf_session_end(struct tbuf_target *t)
{
	t->slot = -1;
	t->session = TBUF_SESSION_NONE;
}
