/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * States that a search of a model has visited, each as 128 bits of hash.
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

/* A zeroed structure is empty. */
struct model_seen {
	struct model_hash *table;
	uint64_t size;		/* a power of two */
	uint64_t used;
};

/* True if the state is new, which adds it.  The size is of whole words. */
bool	model_seen_first(struct model_seen *, const unsigned char *bytes,
	    size_t size);
void	model_seen_free(struct model_seen *);

#endif
