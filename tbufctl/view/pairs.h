/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Pairs of probes by their names: one that begins a slice of time and one that
 * ends it, such as request-start and request-done.
 */
#ifndef TBUFCTL_VIEW_PAIRS_H
#define TBUFCTL_VIEW_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tbuf_consumer.h>

enum pair_role {
	PAIR_UNKNOWN,		/* not looked at yet */
	PAIR_NONE,
	PAIR_BEGIN,
	PAIR_END
};

/* A probe's role.  Two probes are a pair if `pair` is equal. */
struct pair_place {
	enum pair_role role;
	uint64_t pair;		/* hash of the words before FROM or TO, and of
				   the provider; without such words of the
				   module and the function as well */
	char *name;		/* of the slice */
	char *alone;		/* of a record without a partner */
};

/* Adds FROM,TO to the pairs. */
void	pairs_add(const char *text);

/* Stores the place of a probe; its names are to be freed. */
void	pairs_find(const struct tbuf_probe_info *, struct pair_place *);

/* Returns `hash` with more bytes (FNV-1a); the first one is 0. */
uint64_t pairs_hash(uint64_t hash, const void *bytes, size_t size);

#endif
