/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Sets of names, as trees: each level has the next two bits of a name's hash.
 * A name that is added changes one pointer, and no other name moves, so that a
 * copy of a tree's nodes is a copy of the tree (guess.c).
 */
#ifndef LIBTBUFD_TREE_NAMES_H
#define LIBTBUFD_TREE_NAMES_H

#include <stdint.h>

/* A node, at the start of a structure that is found by its name. */
struct d_name {
	struct d_name *child[4];
	const char *text;
};

uint64_t d_name_hash(const char *text);
/* Returns a hash of two numbers. */
uint64_t d_number_hash(uint64_t one, uint64_t other);

/*
 * Returns the next node on the path of a hash, of which it takes two bits; or
 * the place for a node at its end.  A node that was added later comes later.
 */
static inline struct d_name **
d_name_step(struct d_name *one, uint64_t *hash)
{
	unsigned child = (unsigned)(*hash >> 62);

	*hash <<= 2;
	return (&one->child[child]);
}

/* Adds a node, also if another one has its name. */
void	d_names_add(struct d_name **root, struct d_name *one, uint64_t hash);

/* Returns the node of this name that was added last, or NULL. */
struct d_name *d_names_find(struct d_name *root, const char *text);

#endif
