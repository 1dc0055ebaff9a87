/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <stdlib.h>
#include <string.h>

#include "base/messages.h"
#include "pairs.h"
#include "texts.h"

#define SLOTS_FIRST	1024

void
texts_init(struct texts *t)
{
	*t = (struct texts){ .nslots = 0 };
	output_memory(&t->bytes);
}

static size_t
begin_of(const struct texts *t, uint32_t number)
{
	return (number == 0 ? 0 : t->ends[number - 1]);
}

/* Returns the slot of a text, or the free slot where it would be. */
static uint32_t *
find(const struct texts *t, const char *text, size_t size)
{
	size_t at = pairs_hash(0, text, size), begin;
	uint32_t *slot;

	for (;; at++) {
		slot = &t->slots[at & (t->nslots - 1)];
		if (*slot == 0)
			return (slot);
		begin = begin_of(t, *slot - 1);
		if (t->ends[*slot - 1] - begin == size &&
		    memcmp(t->bytes.buffer + begin, text, size) == 0)
			return (slot);
	}
}

/* Makes room for twice as many texts. */
static void
grow(struct texts *t)
{
	uint32_t i;

	t->nslots = t->nslots == 0 ? SLOTS_FIRST : 2 * t->nslots;
	free(t->slots);
	t->slots = memory_get(NULL, t->nslots, sizeof(*t->slots));
	memset(t->slots, 0, t->nslots * sizeof(*t->slots));
	t->ends = memory_get(t->ends, t->nslots, sizeof(*t->ends));
	for (i = 0; i < t->count; i++)
		*find(t, t->bytes.buffer + begin_of(t, i),
		    t->ends[i] - begin_of(t, i)) = i + 1;
}

uint32_t
texts_number(struct texts *t, const char *text, size_t size)
{
	uint32_t *slot;
	char *p;

	if (t->count >= t->nslots / 2)
		grow(t);
	slot = find(t, text, size);
	if (*slot == 0) {
		p = output_room(&t->bytes, size);
		output_taken(&t->bytes, put_bytes(p, text, size));
		t->ends[t->count++] = t->bytes.used;
		*slot = t->count;
	}
	return (*slot - 1);
}

void
texts_free(struct texts *t)
{
	free(t->bytes.buffer);
	free(t->ends);
	free(t->slots);
}
