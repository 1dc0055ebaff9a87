/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Values of the options of consumers and recorders.  No malloc, no stdio.
 */
#ifndef TBUF_BASE_OPTION_H
#define TBUF_BASE_OPTION_H

#include <stdint.h>

enum tbuf_option_kind {
	TBUF_OPTION_SIZE,	/* bytes of a buffer: a multiple of 8 */
	TBUF_OPTION_BYTES,
	TBUF_OPTION_STRSIZE,
	TBUF_OPTION_FLAG,
	TBUF_OPTION_CPU,
	TBUF_OPTION_POLICY,
	TBUF_OPTION_RESIZE,	/* 0: auto, 1: manual */
	TBUF_OPTION_SCOPE,	/* 0: cpu, 1: thread */
	TBUF_OPTION_NBUF,	/* number of thread lanes */
	TBUF_OPTION_UNITS,	/* number of unit tables */
	TBUF_OPTION_UNITSIZE,	/* bytes of a unit table: a power of two */
	TBUF_OPTION_UNITPOLICY,	/* 0: fill, 1: ring */
	TBUF_OPTION_TIME,	/* ns, less than TBUF_TIME_MAX */
	TBUF_OPTION_KINDS
};

#define TBUF_TIME_MAX	(UINT64_C(1) << 60)

/* Parses a value, NULL for a bare name.  Returns 0 or -EINVAL. */
int	tbuf_option_value(enum tbuf_option_kind, const char *value,
	    int64_t *number);

/* The end of a message about a wrong value, with examples of right ones. */
extern const char *const tbuf_option_wrong[TBUF_OPTION_KINDS];

/*
 * Sets rules of work units by a list of OUTCOME:MASK; an outcome * is any
 * other.  Rules of other outcomes do not change.  The text may also be `level':
 * outcomes are levels, until a list replaces all rules.  Returns 0, -EINVAL or,
 * for too many outcomes, -E2BIG; after an error no rule has changed.
 */
int	tbuf_option_rules(const char *text, uint64_t *rules);

/*
 * Parse a size with a suffix k, m, g or t, and one of several words, which
 * count from 0 and end with NULL.  Both return 0 or -EINVAL.
 */
int	tbuf_option_bytes(const char *text, uint64_t *bytes);
int	tbuf_option_word(const char *value, const char *const *words,
	    int64_t *number);

#endif
