/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Workspaces: memory of this process for clauses that make texts.  No page of
 * it exists before it is used.  There are few in a program that has little.
 *
 * A fire takes one and gives it back.  A fire that never comes back (longjmp,
 * cancellation) keeps its own for good, as it keeps a lock lane.
 */
#include "target/clause/clause.h"

#define FEW	2

static struct tbuf_workspace few[FEW], *workspaces = few;
static uint32_t none = ~UINT32_C(0) << FEW;	/* a bit each: not there */
static uint32_t taken = ~UINT32_C(0) << FEW;	/* not there, or in use */

_Static_assert(TBUF_WORKSPACES == 8 * sizeof(taken), "bits");

void
tbuf_workspaces_have(struct tbuf_workspace *all)
{
	workspaces = all;
	none = 0;
	tbuf_store(&taken, 0);
}

struct tbuf_workspace *
tbuf_workspace_take(void)
{
	uint32_t seen, bit;

	while ((seen = tbuf_load(&taken)) != UINT32_MAX) {
		bit = ~seen & (seen + 1);
		if (tbuf_cas(&taken, seen, seen | bit))
			return (&workspaces[__builtin_ctz(bit)]);
	}
	return (NULL);
}

void
tbuf_workspace_give(struct tbuf_workspace *workspace)
{
	tbuf_and(&taken, ~(1u << (workspace - workspaces)));
}

void
tbuf_workspaces_forget(void)
{
	tbuf_store(&taken, none);
}
