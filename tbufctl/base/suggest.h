/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Suggests known names for an unknown word.
 */
#ifndef TBUFCTL_BASE_SUGGEST_H
#define TBUFCTL_BASE_SUGGEST_H

#include <stddef.h>

struct tbuf_consumer;

/*
 * Returns how many letters have to be changed, added, removed or swapped with
 * their neighbour to turn one word into the other; NEAR_NEVER if they are too
 * many for a slip.
 */
#define NEAR_NEVER	1000u
unsigned near_distance(const char *word, size_t length, const char *meant);

/* Returns the nearest of some names, or NULL if none is near. */
const char *near_name(const char *word, size_t length,
	    const char *const *names, size_t count);

/*
 * Returns the nearest description that matches a probe of the consumer's
 * targets, for one that matches nothing.  It has the same number of fields, and
 * the caller frees it.  Returns NULL if none is near.
 */
char	*near_description(const char *, struct tbuf_consumer *);

#endif
