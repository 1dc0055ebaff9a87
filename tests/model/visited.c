/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The set of states grows as long as there is memory; no state is removed.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "visited.h"

static uint64_t
mix(uint64_t h, uint64_t word)
{
	h = (h ^ word) * UINT64_C(0x9fb21c651e98df25);
	return (h ^ h >> 29);
}

static struct model_hash
hash_bytes(const unsigned char *bytes, size_t size)
{
	struct model_hash h = { 0x243f6a8885a308d3, 0x13198a2e03707344 };
	uint64_t word;
	size_t i;

	for (i = 0; i < size; i += 8) {
		memcpy(&word, bytes + i, 8);
		h.a = mix(h.a, word);
		h.b = mix(h.b + h.a, ~word);
	}
	h.a = mix(h.a, size);
	h.b = mix(h.b, h.a);
	return (h);
}

static bool
insert(struct model_seen *seen, struct model_hash h)
{
	uint64_t i;

	for (i = h.a & (seen->size - 1); seen->table[i].b != 0;
	    i = (i + 1) & (seen->size - 1)) {
		if (seen->table[i].a == h.a && seen->table[i].b == h.b)
			return (false);
	}
	seen->table[i] = h;
	seen->used++;
	return (true);
}

static void
grow(struct model_seen *seen)
{
	struct model_hash *old = seen->table;
	uint64_t i, size = seen->size;

	seen->size = size == 0 ? 1 << 16 : 4 * size;
	seen->used = 0;
	seen->table = calloc(seen->size, sizeof(*old));
	if (seen->table == NULL)
		err(1, "states of a model");
	for (i = 0; i < size; i++) {
		if (old[i].b != 0)
			insert(seen, old[i]);
	}
	free(old);
}

bool
model_seen_first(struct model_seen *seen, const unsigned char *bytes,
    size_t size)
{
	struct model_hash h = hash_bytes(bytes, size);

	if (2 * seen->used >= seen->size)
		grow(seen);
	h.b |= 1;		/* 0: an empty place */
	return (insert(seen, h));
}

void
model_seen_free(struct model_seen *seen)
{
	free(seen->table);
	memset(seen, 0, sizeof(*seen));
}
