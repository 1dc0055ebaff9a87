/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Descriptions of probes, and the globs that their fields are.  No malloc.
 */
#ifndef TBUF_BASE_GLOB_H
#define TBUF_BASE_GLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layout/layout.h"

/* The four fields of a probe, in memory that nobody else can write. */
struct tbuf_names {
	const char *provider, *module, *function, *name;
};

/*
 * 0 or -EINVAL: more than four fields, an unclosed [, white space inside, a
 * backslash at the end.  The field of the function may have up to 16 `::` in
 * it, each between two names; where that leaves two readings, X::Y:name, a
 * probe matches by either.  Behind all of them a selection may stand, and has
 * to be one of 32 bits.
 */
int	tbuf_description_check(const char *description);

/* Does a list of descriptions match? */
bool	tbuf_description_match(const char *description,
	    const struct tbuf_names *);

/* The same of one that ends at `last`, and may change while it is read. */
bool	tbuf_description_match_to(const char *description, const char *last,
	    const struct tbuf_names *);

/*
 * Where the descriptions of an enabling end that end at `last`, or have a
 * selection behind them, an equals sign and a number: TBUF_SELECTION_GIVEN and
 * the mask, or 0.  May change while it is read.
 */
const char *tbuf_description_end(const char *description, const char *last,
	    uint64_t *selection);

/*
 * A glob with * ? [a-z] [!a-z] and a backslash, by the rules of fnmatch(3)
 * with no flags, but for named classes; an empty one matches all.  The pattern
 * is part of a NUL-terminated text.
 */
bool	tbuf_glob(const char *pattern, size_t length, const char *text);

#endif
