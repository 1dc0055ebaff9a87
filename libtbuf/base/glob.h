/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Descriptions of probes, and globs, which are their fields.  No malloc.
 */
#ifndef TBUF_BASE_GLOB_H
#define TBUF_BASE_GLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layout/layout.h"

/* The four fields of a probe, in memory that no other process can write. */
struct tbuf_names {
	const char *provider, *module, *function, *name;
};

/*
 * Checks a list of descriptions.  Returns 0, or -EINVAL for more than four
 * fields, an unclosed [, white space inside or a backslash at the end.  The
 * function may have up to 16 `::` in it, each between two names; if there are
 * two readings, X::Y:name, a probe matches by either.  A selection of 32 bits
 * may follow the last description.
 */
int	tbuf_description_check(const char *description);

/* Returns true if a description of the list matches the probe's names. */
bool	tbuf_description_match(const char *description,
	    const struct tbuf_names *);

/* Matches a list that ends at `last`, and may change while it is read. */
bool	tbuf_description_match_to(const char *description, const char *last,
	    const struct tbuf_names *);

/*
 * A description of four fields that can be read in one way, as in most
 * enablings, or of a name alone: it is read once and matched with many probes.
 */
struct tbuf_plain {
	struct tbuf_field {
		const char *start;
		const char *end;
	} parts[4];		/* name, function, module, provider */
};

/*
 * Reads a list that ends at `last`.  Returns false if it is not one plain
 * description.  The text may change later, but must remain readable.
 */
bool	tbuf_plain_read(const char *description, const char *last,
	    struct tbuf_plain *);
bool	tbuf_plain_match(const struct tbuf_plain *, const struct tbuf_names *);

/*
 * Returns the end of an enabling's descriptions: `last`, or the equals sign of
 * a selection, which a number follows.  *selection becomes TBUF_SELECTION_SET
 * | the mask, or 0.  The text may change while it is read.
 */
const char *tbuf_description_end(const char *description, const char *last,
	    uint64_t *selection);

/*
 * Returns true if the text matches a glob of * ? [a-z] [!a-z] and backslashes,
 * by the rules of fnmatch(3) without flags, except for named classes.  An empty
 * pattern matches all texts.  The pattern is part of a NUL-terminated text.
 */
bool	tbuf_glob(const char *pattern, size_t length, const char *text);

#endif
