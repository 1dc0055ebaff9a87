/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <stddef.h>
#include <string.h>

#include "names.h"

/* Spreads a hash over its upper bits, which a tree uses first. */
static uint64_t
spread(uint64_t hash)
{
	hash ^= hash >> 32;
	hash *= UINT64_C(0x9e3779b97f4a7c15);
	hash ^= hash >> 29;
	return (hash * UINT64_C(0xbf58476d1ce4e5b9));
}

uint64_t
d_name_hash(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	while (*text != '\0')
		hash = (hash ^ (unsigned char)*text++) *
		    UINT64_C(0x100000001b3);
	return (spread(hash));
}

uint64_t
d_number_hash(uint64_t one, uint64_t other)
{
	return (spread(spread(one) + other));
}

void
d_names_add(struct d_name **root, struct d_name *one, uint64_t hash)
{
	while (*root != NULL)
		root = d_name_step(*root, &hash);
	*root = one;
}

struct d_name *
d_names_find(struct d_name *root, const char *text)
{
	uint64_t hash = d_name_hash(text);
	struct d_name *found = NULL;

	for (; root != NULL; root = *d_name_step(root, &hash))
		if (strcmp(root->text, text) == 0)
			found = root;
	return (found);
}
