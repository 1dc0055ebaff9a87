/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The probe table in the control file.  Only the target writes it; what it
 * has to rely on later (how much is in use, each entry's hash) it keeps in
 * its own memory.
 */
#include <errno.h>
#include <string.h>

#include "target/target.h"

/* Storage is backed in steps of so many bytes. */
#define STEP	32768u

static uint32_t hashes[TBUF_NPROBES];
static uint32_t nprobes;
static uint32_t strings = 1;
static uint32_t backed_probes, backed_strings;

/* FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/ (32 bits). */
static uint32_t
hash_bytes(uint32_t hash, const void *data, size_t size)
{
	const unsigned char *p = data;

	while (size-- > 0)
		hash = (hash ^ *p++) * 16777619u;
	return (hash);
}

static uint32_t
hash_candidate(const struct tbuf_candidate *c)
{
	uint32_t hash = 2166136261u;

	hash = hash_bytes(hash, c->names.provider,
	    strlen(c->names.provider) + 1);
	hash = hash_bytes(hash, c->names.module, strlen(c->names.module) + 1);
	hash = hash_bytes(hash, c->names.function,
	    strlen(c->names.function) + 1);
	hash = hash_bytes(hash, c->names.name, strlen(c->names.name) + 1);
	return (hash_bytes(hash, c->types, c->nargs));
}

static bool
names_equal(const struct tbuf_names *a, const struct tbuf_names *b)
{
	return (strcmp(a->provider, b->provider) == 0 &&
	    strcmp(a->module, b->module) == 0 &&
	    (b->function == NULL || strcmp(a->function, b->function) == 0) &&
	    strcmp(a->name, b->name) == 0);
}

static bool
is_probe(const struct tbuf_view *view, uint32_t index,
    const struct tbuf_candidate *c)
{
	const struct tbuf_probe_entry *entry = tbuf_view_probe(view, index);
	struct tbuf_names names;

	tbuf_view_names(view, index, &names);
	return (entry->nargs == c->nargs &&
	    memcmp(entry->types, c->types, c->nargs) == 0 &&
	    names_equal(&names, &c->names));
}

unsigned
tbuf_table_find(const struct tbuf_names *wanted, uint32_t *index)
{
	struct tbuf_view view = tbuf_target_view();
	struct tbuf_names names;
	unsigned found = 0;
	uint32_t i;

	for (i = 0; i < nprobes; i++) {
		tbuf_view_names(&view, i, &names);
		if (names_equal(&names, wanted) && found++ == 0)
			*index = i;
	}
	return (found);
}

/* Back [at, at + size) of a part that starts at `start` of the file. */
static int
back(uint32_t start, uint32_t *backed, uint32_t at, uint32_t size)
{
	uint32_t length;
	int error;

	while (at + size > *backed) {
		length = STEP - *backed % STEP;
		if ((error = tbuf_file_back(start + *backed, length)) != 0)
			return (error);
		*backed += length;
	}
	return (0);
}

/* A string's offset in the heap; `like` is one that may be the same. */
static uint32_t
intern(const struct tbuf_view *view, const char *text, size_t size,
    uint32_t like)
{
	uint32_t at = strings;

	if (like != 0 && strcmp(tbuf_view_string(view, like), text) == 0)
		return (like);
	memcpy(view->base + TBUF_STRINGS + at, text, size);
	strings += (uint32_t)size;
	tbuf_store_release(&tbuf_view_control(view)->strings, strings);
	return (at);
}

static void
fill(const struct tbuf_view *view, uint32_t index,
    const struct tbuf_candidate *c)
{
	static const struct tbuf_probe_entry none;
	struct tbuf_probe_entry *entry = tbuf_view_probe(view, index);
	const struct tbuf_probe_entry *last = index == 0 ? &none : entry - 1;
	const struct tbuf_names *n = &c->names;

	entry->provider = intern(view, n->provider, strlen(n->provider) + 1,
	    last->provider);
	entry->module = intern(view, n->module, strlen(n->module) + 1,
	    last->module);
	entry->function = intern(view, n->function, strlen(n->function) + 1,
	    last->function);
	entry->name = intern(view, n->name, strlen(n->name) + 1, 0);
	entry->argnames = c->argnames_size == 0 ? 0 :
	    intern(view, c->argnames, c->argnames_size, 0);
	entry->hash = hashes[index];
	entry->nargs = (uint8_t)c->nargs;
	memcpy(entry->types, c->types, c->nargs);
	entry->sites = 1;
}

static int
append(const struct tbuf_view *view, const struct tbuf_candidate *c,
    uint32_t hash)
{
	struct tbuf_control *control = tbuf_view_control(view);
	size_t size = strlen(c->names.provider) + strlen(c->names.module) +
	    strlen(c->names.function) + strlen(c->names.name) + 4 +
	    c->argnames_size;
	uint32_t index = nprobes;

	if (index >= TBUF_NPROBES || size > TBUF_STRINGS_SIZE - strings ||
	    back(TBUF_PROBES, &backed_probes,
	    index * (uint32_t)sizeof(struct tbuf_probe_entry),
	    sizeof(struct tbuf_probe_entry)) != 0 ||
	    back(TBUF_STRINGS, &backed_strings, strings,
	    (uint32_t)size) != 0) {
		tbuf_store(&control->lost_probes, control->lost_probes + 1);
		return (-ENOSPC);
	}
	hashes[index] = hash;
	fill(view, index, c);
	nprobes++;
	tbuf_store_release(&tbuf_view_probe(view, index)->ready, 1);
	tbuf_store_release(&control->nprobes, nprobes);
	return ((int)index);
}

int
tbuf_table_add(const struct tbuf_candidate *c)
{
	struct tbuf_view view = tbuf_target_view();
	uint32_t hash = hash_candidate(c), i;

	for (i = 0; i < nprobes; i++) {
		if (hashes[i] == hash && is_probe(&view, i, c)) {
			tbuf_add(&tbuf_view_probe(&view, i)->sites, 1);
			return ((int)i);
		}
	}
	return (append(&view, c, hash));
}

void
tbuf_table_remove(uint32_t index)
{
	struct tbuf_view view = tbuf_target_view();

	if (view.base != NULL && index < nprobes)
		tbuf_add(&tbuf_view_probe(&view, index)->sites, (uint32_t)-1);
}

void
tbuf_table_extent(uint32_t *probes, uint32_t *heap)
{
	*probes = backed_probes;
	*heap = backed_strings;
}

void
tbuf_table_claim(struct tbuf_control *control)
{
	control->nprobes = nprobes;
	control->strings = strings;
}
