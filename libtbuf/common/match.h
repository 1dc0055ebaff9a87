/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Probe descriptions and ECBs: what both sides do when an enabling meets a
 * probe.  No malloc; safe against garbage in shared memory.
 */
#ifndef TBUF_COMMON_MATCH_H
#define TBUF_COMMON_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layout.h"

/* The four fields of a probe. */
struct tbuf_names {
	const char *provider, *module, *function, *name;
};

/*
 * 0 or -EINVAL: more than four fields, an unclosed [, white space inside, a
 * backslash at the end.
 */
int	tbuf_description_check(const char *description);

/* Does a list of descriptions match? */
bool	tbuf_description_match(const char *description,
	    const struct tbuf_names *);

/*
 * A glob with * ? [a-z] [!a-z] and a backslash, by the rules of fnmatch(3)
 * with no flags, but for named classes; an empty one matches all.  The pattern
 * is part of a NUL-terminated text.
 */
bool	tbuf_glob(const char *pattern, size_t length, const char *text);

/* A mapped control file, as either side sees it. */
struct tbuf_view {
	unsigned char *base;	/* of the fixed part */
	uint64_t size;		/* bytes that may be looked at from base */
};

/* Parts of it; `slot` and `probe` are in range. */
struct tbuf_control *tbuf_view_control(const struct tbuf_view *);
struct tbuf_slot *tbuf_view_slot(const struct tbuf_view *, unsigned slot);
struct tbuf_probe_entry *tbuf_view_probe(const struct tbuf_view *,
	    uint32_t probe);
uint32_t *tbuf_view_enable(const struct tbuf_view *, uint32_t probe);
uint16_t *tbuf_view_head(const struct tbuf_view *, unsigned slot,
	    uint32_t probe);

/*
 * A string of the heap that ends within it, else "".
 */
const char *tbuf_view_string(const struct tbuf_view *, uint32_t offset);

/* The four fields of a ready probe. */
void	tbuf_view_names(const struct tbuf_view *, uint32_t probe,
	    struct tbuf_names *);

/*
 * Meet: for each pattern of the session in `slot` (whose ECB table lies in
 * the view) that matches `probe`, insert an ECB if it is not there, then set
 * the probe's enable bit.  `patterns` are npatterns NUL-terminated texts in
 * patterns_size bytes.  Returns how many patterns matched.  Either side may do this at any
 * time, both at once too [inv.attach]; the caller handles fences and states.
 */
unsigned tbuf_meet(const struct tbuf_view *, unsigned slot, uint32_t probe,
	    const char *patterns, size_t patterns_size, unsigned npatterns);

/* Clear a session's bit in every enable word. */
void	tbuf_disable_all(const struct tbuf_view *, unsigned slot);

#endif
