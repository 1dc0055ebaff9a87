/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What was probably meant by a word that is unknown.
 */
#ifndef TBUFCTL_BASE_SUGGEST_H
#define TBUFCTL_BASE_SUGGEST_H

#include <stddef.h>

struct tbuf_consumer;

/*
 * How many letters have to be changed, added, left out or swapped with their
 * neighbour to make one word of the other; NEAR_NEVER when that is so many
 * that nobody meant it.
 */
#define NEAR_NEVER	1000u
unsigned near_distance(const char *word, size_t length, const char *meant);

/* The nearest of some names, or NULL when none is near. */
const char *near_name(const char *word, size_t length,
	    const char *const *names, size_t count);

/*
 * The description that is nearest to one which matches nothing, and matches a
 * probe of the consumer's targets: of the same form, to be freed, or NULL.
 */
char	*near_description(const char *, struct tbuf_consumer *);

#endif
