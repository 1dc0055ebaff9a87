/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Chains of ECBs: both sides insert an ECB when an enabling matches a probe.
 * No malloc; safe against garbage in shared memory.
 */
#ifndef TBUF_SHARED_ECB_CHAIN_H
#define TBUF_SHARED_ECB_CHAIN_H

#include <stddef.h>
#include <stdint.h>

#include "base/glob.h"
#include "shared/file_view.h"
#include "shared/program_select.h"

/*
 * A side's function to back pages of the file, which returns 0 or -errno, and
 * the pages that were backed last: probes of a session are matched in order, so
 * the next one most often needs the same pages.  For the same reason the first
 * pattern is read once, and `alike' has the hits of the last two probes: the
 * entry and the return of functions take turns.  Probes that differ in their
 * function alone have the same hits if no pattern has a function.
 */
struct tbuf_backing {
	int (*back)(void *, uint64_t offset, uint64_t length);
	void *argument;
	uint64_t pages[3];	/* offset + 1: chain heads, ECBs, clauses */
	const char *patterns;	/* the session's; NULL: not read */
	const char *first_end;	/* of the first; NULL: it is not plain */
	struct tbuf_plain plain;
	bool no_function;	/* the patterns are plain and have none */
	struct tbuf_alike {
		uint32_t at[3];	/* provider, module, name; 0: nothing */
		uint64_t hits;	/* a bit for each pattern */
	} alike[2];		/* probes with even and odd indexes */
	struct tbuf_fitted {
		unsigned after;	/* the enabling + 1; 0: nothing */
		struct tbuf_fit fit;
	} fitted[4];		/* by the enabling's last bits */
};

/*
 * Inserts an ECB, if there is none yet, for each pattern of the session in
 * `slot` that matches `probe` and no elder of it, then sets the probe's enable
 * bit.  The session's chain heads and ECB table are in the view.  `names` are
 * the probe's.  `patterns` are npatterns NUL-terminated texts in patterns_size
 * bytes, which another process may change while they are read.  Returns the
 * number of patterns that matched and have their ECB.  A pattern that found no
 * room for it is counted in the slot's `unmet`, and one without a program for
 * this probe (shared/program_select.h) in its `unfit`.  Both sides may call
 * this at any time, even at once [inv.attach]; the caller handles fences and
 * states.
 */
unsigned tbuf_match(const struct tbuf_view *, unsigned slot, uint32_t probe,
	    const struct tbuf_names *names, const char *patterns,
	    size_t patterns_size, unsigned npatterns, struct tbuf_backing *);

/*
 * Matches a ready probe with its names in the file, which are copied only if
 * the probe two before it had another provider, module or name, or if a pattern
 * has a function.
 */
unsigned tbuf_match_next(const struct tbuf_view *, unsigned slot,
	    uint32_t probe, struct tbuf_names_copy *, const char *patterns,
	    size_t patterns_size, unsigned npatterns, struct tbuf_backing *);

/* Clears a session's bit in every enable word. */
void	tbuf_disable_all(const struct tbuf_view *, unsigned slot);

#endif
