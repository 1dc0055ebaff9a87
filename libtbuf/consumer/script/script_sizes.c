/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lowers the sizes that no run can have, and those of a script that runs in the
 * consumer alone.  Its buffers take memory only as they are filled, but are
 * allowed no more than those of programs.
 */
#include <errno.h>

#include "base/policy.h"
#include "consumer/script/script.h"

#define SCRATCHSIZE_MAX	(UINT64_C(1) << 30)

static bool
has_dynamic(const struct tbuf_d_script *source)
{
	uint32_t i;

	for (i = 0; i < source->nvariables; i++)
		if (source->variables[i].nkeys != 0 ||
		    source->variables[i].scope == TBUF_SCOPE_THREAD)
			return (true);
	return (false);
}

/* Lowers the sizes of a script in the consumer until they fit its budget. */
static int
lower_own(struct tbuf_consumer *c)
{
	const struct tbuf_d_script *source = c->script->source;
	struct tbuf_options *o = &c->options;
	uint64_t ncpus = tbuf_cpus_number(), budget, need;
	const struct tbuf_share shares[] = {
		{ &o->bufsize, ncpus * tbuf_policy(o->bufpolicy)->halves,
		    TBUF_RECORD_LEAST },
		{ &o->aggsize, source->naggregations != 0 ? ncpus : 0,
		    TBUF_TABLE_MIN },
		{ &o->specsize, tbuf_script_speculates(source) ?
		    ncpus * o->nspec : 0, TBUF_RECORD_LEAST },
		{ &o->dynvarsize, has_dynamic(source), TBUF_TABLE_MIN }
	};
	const unsigned count = sizeof(shares) / sizeof(shares[0]);
	unsigned i;
	int error;

	if ((error = tbuf_budget_own(c, &budget)) != 0)
		return (error);
	for (;;) {
		for (i = 0, need = 0; i < count; i++)
			if (__builtin_add_overflow(need,
			    tbuf_share_space(&shares[i]), &need))
				need = UINT64_MAX;
		if (need <= budget)
			return (0);
		c->lowered = true;
		if (o->bufresize != 0 || !tbuf_share_halve(shares, count))
			return (-ENOSPC);
	}
}

int
tbuf_sizes_lower(struct tbuf_consumer *c)
{
	struct tbuf_options *o = &c->options;
	int error = 0;

	tbuf_size_bound(c, "strsize", &o->strsize, TBUF_STRSIZE_MAX);
	tbuf_size_bound(c, "scratchsize", &o->scratchsize, SCRATCHSIZE_MAX);
	if (c->script != NULL && tbuf_script_speculates(c->script->source))
		tbuf_size_bound(c, "nspec", &o->nspec, TBUF_NSPEC_MAX);
	if (c->script != NULL && (c->alone || c->replay != NULL))
		error = lower_own(c);
	return (error == 0 && tbuf_sizes_refused(c) ? -ENOSPC : error);
}
