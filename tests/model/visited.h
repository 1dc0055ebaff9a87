/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * States that a search of a model has seen, by 128 bits of hash of each.
 */
#ifndef TESTS_MODEL_VISITED_H
#define TESTS_MODEL_VISITED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct model_hash {
	uint64_t a;
	uint64_t b;
};

/* Zeroes: none. */
struct model_seen {
	struct model_hash *table;
	uint64_t size;		/* a power of two */
	uint64_t used;
};

/* True if it has not been there before.  The size is one of whole words. */
bool	model_seen_first(struct model_seen *, const unsigned char *bytes,
	    size_t size);
void	model_seen_free(struct model_seen *);

#endif
