/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Suggests known names for an unknown word.
 */
#ifndef TBUFCTL_BASE_SUGGEST_H
#define TBUFCTL_BASE_SUGGEST_H

#include <stddef.h>

struct tbuf_probe_info;

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

/* Passes all probes that may be suggested to `visit`; 0 if none stopped it. */
typedef int near_probes(void *context, int (*visit)(void *,
	    const struct tbuf_probe_info *), void *arg);

/* Has the probes of a struct tbuf_consumer's targets. */
near_probes near_targets;

/*
 * Returns the nearest description that matches one of the probes, for one that
 * matches nothing.  It has the same number of fields, or all four for a
 * function or PROVIDER:NAME in the wrong place; the caller frees it.  Returns
 * NULL if none is near.
 */
char	*near_description(const char *, near_probes *, void *context);

/* Suggests a description for one that matches nothing, as that does. */
typedef char *near_one(void *context, const char *description);

#endif
