/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <stdio.h>
#include <string.h>

#include "base/messages.h"
#include "base/string_list.h"
#include "pairs.h"

#define FNV_BASIS	UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME	UINT64_C(0x100000001b3)

struct pair_words {
	const char *from, *to;
};

static struct pair_words *own;
static unsigned nown;

static const struct pair_words known[] = {
	{ "entry", "return" }, { "start", "done" }, { "begin", "end" },
	{ "open", "close" }
};
#define NKNOWN	(sizeof(known) / sizeof(known[0]))

void
pairs_add(const char *text)
{
	char *words = memory_string(text), *comma = strchr(words, ',');

	*comma = '\0';
	own = memory_get(own, nown + 1, sizeof(*own));
	own[nown++] = (struct pair_words){ words, comma + 1 };
}

uint64_t
pairs_hash(uint64_t hash, const void *bytes, size_t size)
{
	const unsigned char *p = bytes;
	size_t i;

	if (hash == 0)
		hash = FNV_BASIS;
	for (i = 0; i < size; i++)
		hash = (hash ^ p[i]) * FNV_PRIME;
	return (hash);
}

/* The terminating NUL of a text separates it from the next one. */
static uint64_t
hash_text(uint64_t hash, const char *text)
{
	return (pairs_hash(hash, text, strlen(text) + 1));
}

/*
 * Returns the length of the name before the word, with its hyphen, or -1:
 * "method-entry" ends with the word, "gentry" does not.
 */
static int
before_word(const char *name, const char *word)
{
	size_t n = strlen(name), m = strlen(word);

	if (n < m || strcmp(name + n - m, word) != 0 ||
	    (n > m && name[n - m - 1] != '-'))
		return (-1);
	return ((int)(n - m));
}

static bool
is_pair_of(const struct pair_words *words, const struct tbuf_probe_info *probe,
    struct pair_place *place)
{
	int n = before_word(probe->name, words->from);
	uint64_t hash;

	place->role = n >= 0 ? PAIR_BEGIN : PAIR_END;
	if (n < 0 && (n = before_word(probe->name, words->to)) < 0)
		return (false);
	hash = hash_text(hash_text(0, words->from), probe->provider);
	hash = pairs_hash(hash, probe->name, (size_t)n);
	if (n == 0)
		hash = hash_text(hash_text(hash, probe->module),
		    probe->function);
	place->pair = hash;
	place->name = n == 0 ? memory_string(probe->function) :
	    string_format("%.*s", n - 1, probe->name);
	place->alone = n > 0 ? memory_string(probe->name) :
	    string_format("%s:%s", probe->function, probe->name);
	return (true);
}

void
pairs_find(const struct tbuf_probe_info *probe, struct pair_place *place)
{
	size_t i;

	for (i = 0; i < nown; i++)
		if (is_pair_of(&own[i], probe, place))
			return;
	for (i = 0; i < NKNOWN; i++)
		if (is_pair_of(&known[i], probe, place))
			return;
	*place = (struct pair_place){ .role = PAIR_NONE };
	place->name = memory_string(probe->name);
	place->alone = memory_string(probe->name);
}
