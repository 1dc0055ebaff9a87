/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Fires on behalf of code that a provider has redirected: the stack that
 * clauses see begins there, and not in the provider.
 */
#include "producer/mark.h"
#include "producer/producer.h"

/*
 * A handler that fires between these leaves all as it was; one that fires the
 * same site here sees its own.  The fences are the compiler's: one thread.
 */
static inline void
put(const struct tbuf_from *from)
{
	struct tbuf_from *to = &tbuf_thread.from;

	tbuf_store(&to->site, NULL);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	tbuf_store(&to->inner, from->inner);
	tbuf_store(&to->pc, from->pc);
	tbuf_store(&to->sp, from->sp);
	tbuf_store(&to->fp, from->fp);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	tbuf_store(&to->site, from->site);
}

void
tbuf_site_fire_from(struct tbuf_site *site, const uint64_t *values,
    uint64_t inner, uint64_t pc, uint64_t sp, uint64_t fp)
{
	const struct tbuf_from from = { site, inner, pc, sp, fp };
	struct tbuf_from outer;

	if (!tbuf_probe_enabled(site) || !tbuf_rseq_thread())
		return;
	/* Pairs with the release of `enabled'. */
	(void)__atomic_load_n(&site->enabled, __ATOMIC_ACQUIRE);
	outer = tbuf_thread.from;
	put(&from);
	site->fire(site, values);
	put(&outer);
}
