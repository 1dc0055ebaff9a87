/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Values of options, as consumers and recorders are given them.  No malloc, no
 * stdio.
 */
#ifndef TBUF_BASE_OPTION_H
#define TBUF_BASE_OPTION_H

#include <stdint.h>

enum tbuf_option_kind {
	TBUF_OPTION_SIZE,	/* of a buffer: a multiple of 8 */
	TBUF_OPTION_BYTES,
	TBUF_OPTION_STRSIZE,
	TBUF_OPTION_FLAG,
	TBUF_OPTION_CPU,
	TBUF_OPTION_POLICY,
	TBUF_OPTION_RESIZE,	/* 0 auto, 1 manual */
	TBUF_OPTION_SCOPE,	/* 0 cpu, 1 thread */
	TBUF_OPTION_NBUF,	/* lanes of threads */
	TBUF_OPTION_UNITS,	/* how many tables work units have */
	TBUF_OPTION_UNITSIZE,	/* and how large: a power of two */
	TBUF_OPTION_UNITPOLICY,	/* 0 fill, 1 ring */
	TBUF_OPTION_KINDS
};

/* What a text says, NULL for a bare name: 0 or -EINVAL. */
int	tbuf_option_value(enum tbuf_option_kind, const char *value,
	    int64_t *number);

/* What a wrong value is, so that it says what would be right. */
extern const char *const tbuf_option_wrong[TBUF_OPTION_KINDS];

/*
 * A list of OUTCOME:MASK as rules of work units; an outcome * is any other.
 * Those that it does not name stay as they are.  -EINVAL, and they all do, or
 * -E2BIG.
 */
int	tbuf_option_rules(const char *text, uint64_t *rules);

/*
 * What several kinds are made of: a size with a suffix k, m, g or t; and one
 * of some words, which count from 0 and end with NULL.
 */
int	tbuf_option_bytes(const char *text, uint64_t *bytes);
int	tbuf_option_word(const char *value, const char *const *words,
	    int64_t *number);

#endif
