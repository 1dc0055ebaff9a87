/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What both sides do when an enabling meets a probe: an ECB in the probe's
 * chain.  No malloc; safe against garbage in shared memory.
 */
#ifndef TBUF_SHARED_ECB_CHAIN_H
#define TBUF_SHARED_ECB_CHAIN_H

#include <stddef.h>
#include <stdint.h>

#include "shared/file_view.h"

/*
 * How a side backs pages of the file: 0 or -errno.  The pages that were backed
 * last are remembered, for one probe comes after the other.
 */
struct tbuf_backing {
	int (*back)(void *, uint64_t offset, uint64_t length);
	void *argument;
	uint64_t pages[3];	/* offset + 1 of one of heads, ECBs, clauses */
};

/*
 * Meet: for each pattern of the session in `slot` (whose heads and ECB table
 * lie in the view) that matches `probe`, insert an ECB if it is not there,
 * then set the probe's enable bit.  `names` are the probe's.  `patterns` are
 * npatterns NUL-terminated texts in patterns_size bytes, which others may
 * change while they are read.  Returns how many patterns matched and have
 * their ECB; one that found no room for it is counted in the slot's `unmet`,
 * and one whose clause has no program for this probe (shared/program_select.h) in its
 * `unfit`.
 * Either side may do this at any time, both at once too [inv.attach]; the
 * caller handles fences and states.
 */
unsigned tbuf_meet(const struct tbuf_view *, unsigned slot, uint32_t probe,
	    const struct tbuf_names *names, const char *patterns,
	    size_t patterns_size, unsigned npatterns, struct tbuf_backing *);

/* Clear a session's bit in every enable word. */
void	tbuf_disable_all(const struct tbuf_view *, unsigned slot);

#endif
