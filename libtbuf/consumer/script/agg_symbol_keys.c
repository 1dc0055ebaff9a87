/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Addresses as keys: usym(), ufunc() and umod() mean all addresses with the
 * same name.  Targets do not know names; the caller's function returns the
 * address that stands for all others, and their tallies are merged into its
 * tally.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "consumer/script/agg.h"

/* Returns true if a piece is an image and an address that means a name. */
static bool
has_name(const struct tbuf_d_piece *piece)
{
	const char *shape = piece->shape != NULL ? piece->shape->name : NULL;

	return (piece->kind == TBUF_PIECE_BYTES && piece->bytes == 16 &&
	    shape != NULL && (strcmp(shape, "usym") == 0 ||
	    strcmp(shape, "ufunc") == 0 || strcmp(shape, "umod") == 0));
}

/* Replaces addresses in a key.  Returns true if any has changed. */
static bool
name_key(const struct tbuf_aggregates *a,
    const struct tbuf_d_aggregation *source, uint8_t *key, uint32_t size)
{
	uint64_t word[2], address, at = 0;
	bool changed = false;
	uint32_t i;

	for (i = 0; i < source->nkeys; i++) {
		at = tbuf_key_end(&source->keys[i], key, at, size);
		if (!has_name(&source->keys[i]))
			continue;
		memcpy(word, key + at - sizeof(word), sizeof(word));
		address = a->name(a->name_arg, source->keys[i].shape->name,
		    word[0], word[1]);
		changed |= address != word[1];
		word[1] = address;
		memcpy(key + at - sizeof(word), word, sizeof(word));
	}
	return (changed);
}

/* Moves all values of a tally to that of another key. */
static int
move(struct tbuf_aggregates *a, struct tbuf_tally *from, const uint8_t *key)
{
	struct tbuf_tally *to = tbuf_tally_get(a, from->id, key,
	    from->key_size);

	if (to == NULL)
		return (-ENOMEM);
	to->named = true;
	tbuf_tally_join(a, to, from);
	tbuf_tally_remove(a, from);
	return (0);
}

static int
name_tally(struct tbuf_aggregates *a, struct tbuf_tally *t)
{
	uint8_t *key;
	int error = 0;

	if (t->key_size == 0)
		return (0);
	if ((key = malloc(t->key_size)) == NULL)
		return (-ENOMEM);
	memcpy(key, t->key, t->key_size);
	if (name_key(a, a->all[t->id].source, key, t->key_size))
		error = move(a, t, key);
	free(key);
	return (error);
}

int
tbuf_aggregates_name(struct tbuf_aggregates *a)
{
	struct tbuf_tally *t, *next;
	int error = 0;

	if (a->name == NULL)
		return (0);
	for (t = TAILQ_FIRST(&a->tallies); t != NULL && error == 0 &&
	    !tbuf_aggregates_hurried(a); t = next) {
		next = TAILQ_NEXT(t, link);
		if (t->named)
			continue;
		t->named = true;
		error = name_tally(a, t);
	}
	return (error);
}
