/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Fires on behalf of code that a provider has redirected: the stack that
 * clauses see begins there, and not in the provider.
 */
#include "arch/rseq_area.h"
#include "target/provider.h"
#include "target/self/thread.h"

/*
 * Stores where the redirected code goes on.  A handler that fires in between
 * finds `site` set, and restores all fields; one that fires the same site sees
 * its own, as they are read only when all are stored.  The fences are the
 * compiler's: one thread.
 */
static inline __attribute__((always_inline)) void
put(const struct tbuf_from *from)
{
	struct tbuf_from *to = &tbuf_thread.from;

	tbuf_store(&to->site, from->site);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	tbuf_store(&to->inner, from->inner);
	tbuf_store(&to->pc, from->pc);
	tbuf_store(&to->sp, from->sp);
	tbuf_store(&to->fp, from->fp);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Fires in a handler that has interrupted another such fire. */
static __attribute__((noinline)) void
fire_amid(struct tbuf_site *site, const uint64_t *values,
    const struct tbuf_from *from)
{
	struct tbuf_from outer = tbuf_thread.from;

	put(from);
	site->fire(site, values);
	put(&outer);
}

void
tbuf_site_fire_from(struct tbuf_site *site, const uint64_t *values,
    uint64_t inner, uint64_t pc, uint64_t sp, uint64_t fp)
{
	const struct tbuf_from from = { site, inner, pc, sp, fp };

	if (!tbuf_probe_enabled(site) || !tbuf_rseq_thread())
		return;
	/* Pairs with the release of `enabled'. */
	(void)__atomic_load_n(&site->enabled, __ATOMIC_ACQUIRE);
	if (tbuf_load(&tbuf_thread.from.site) != NULL) {
		fire_amid(site, values, &(const struct tbuf_from){ site, inner,
		    pc, sp, fp });
		return;
	}
	put(&from);
	site->fire(site, values);
	tbuf_store(&tbuf_thread.from.site, NULL);
}
