/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The probes of a run.  Each entry of a target's table is copied once, bounded
 * and cleaned, and equal probes of several targets become one.
 */
#include <sys/param.h>

#include <errno.h>
#include <search.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "arch/atomics.h"
#include "consumer/decode/probe_ids.h"
#include "shared/program_select.h"

#define NFIELDS		(4 + TBUF_NARGS)

/* A copy of a probe out of a target's table, before it has an id. */
struct copy {
	unsigned nargs;
	unsigned code;
	const struct tbuf_probe_info *elder;
	uint8_t types[TBUF_NARGS];
	unsigned length[NFIELDS];	/* with the NUL */
	char text[NFIELDS][TBUF_FIELD_SIZE];
};

/*
 * Replaces characters that could move a terminal's cursor, and delimiters.
 * Only names of functions may have colons.
 */
static void
clean(char *text, bool function)
{
	unsigned char *p = (unsigned char *)text;

	for (; *p != '\0'; p++)
		if (*p == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0)
			p[0] = p[1] = '?';
		else if (*p <= ' ' || *p == 0x7f || *p == ',' ||
		    (*p == ':' && !function))
			*p = '?';
}

/* Entries and strings: a target's own, which may change, or a copy. */
struct table {
	const struct tbuf_probe_entry *entries;
	const char *heap;
	uint32_t used;			/* bytes of the heap */
};

static struct table
table_of(const struct tbuf_view *view)
{
	return ((struct table){ tbuf_view_probe(view, 0),
	    (const char *)view->base + view->tables.strings,
	    tbuf_view_heap(view) });
}

/*
 * Copies a string of the heap.  Returns its length with the NUL, 0 if it has no
 * end.
 */
static unsigned
copy_string(const struct table *table, uint32_t offset,
    char to[TBUF_FIELD_SIZE], bool function)
{
	size_t size = tbuf_heap_text(table->heap, table->used, offset, to,
	    TBUF_FIELD_SIZE);

	if (size != 0)
		clean(to, function);
	return ((unsigned)size);
}

static bool
copy_types(const struct tbuf_probe_entry *entry, struct copy *copy)
{
	unsigned i;

	copy->nargs = tbuf_load(&entry->nargs);
	if (copy->nargs > TBUF_NARGS)
		return (false);
	memset(copy->types, 0, sizeof(copy->types));
	for (i = 0; i < copy->nargs; i++) {
		copy->types[i] = tbuf_load(&entry->types[i]);
		if (copy->types[i] == TBUF_NONE ||
		    copy->types[i] > TBUF_STRING_INTERNED)
			return (false);
	}
	return (true);
}

static bool
copy_probe(const struct table *table, uint32_t index, struct copy *copy)
{
	const struct tbuf_probe_entry *entry = &table->entries[index];
	const uint32_t offsets[4] = {
		tbuf_load(&entry->provider), tbuf_load(&entry->module),
		tbuf_load(&entry->function), tbuf_load(&entry->name)
	};
	uint32_t at = tbuf_load(&entry->argnames);
	unsigned i;

	if (!copy_types(entry, copy))
		return (false);
	copy->code = tbuf_load(&entry->code) & TBUF_CODE_MAX;
	for (i = 0; i < 4; i++) {
		copy->length[i] = copy_string(table, offsets[i],
		    copy->text[i], i == 2);
		if (copy->length[i] == 0)
			return (false);
	}
	for (i = 4; i < 4 + copy->nargs; i++) {
		copy->length[i] = copy_string(table, at, copy->text[i],
		    false);
		if (copy->length[i] == 0)
			return (false);
		at += copy->length[i];
	}
	return (true);
}

/* Computes FNV-1a over the identity of a probe: its four fields and types. */
static uint32_t
copy_hash(const struct copy *copy)
{
	uint32_t hash = 2166136261u;
	unsigned i, j;

	for (i = 0; i < 4; i++)
		for (j = 0; j < copy->length[i]; j++)
			hash = (hash ^ (uint8_t)copy->text[i][j]) * 16777619u;
	for (i = 0; i < copy->nargs; i++)
		hash = (hash ^ copy->types[i]) * 16777619u;
	return (hash);
}

/*
 * The identity of a probe: its hash, its four fields, types, its elder, and the
 * code, which two programs may have changed.
 */
struct identity {
	uint32_t hash;
	const char *fields[4];
	const struct tbuf_probe_info *elder;
	unsigned code;
	unsigned nargs;
	const uint8_t *types;
};

/* A probe and the layout of its records; its strings follow this struct. */
struct known {
	struct tbuf_probe_info info;
	struct identity identity;
	unsigned elders;
	union {
		struct tbuf_record_layout layout;
		unsigned char room[TBUF_ARGUMENTS_LAYOUT];
	} arguments;
};

const struct tbuf_record_layout *
tbuf_probe_layout(const struct tbuf_probe_info *info)
{
	return (&((const struct known *)(const void *)info)->arguments.layout);
}

static struct identity
copy_identity(const struct copy *copy)
{
	return ((struct identity){ copy_hash(copy), { copy->text[0],
	    copy->text[1], copy->text[2], copy->text[3] }, copy->elder,
	    copy->code, copy->nargs, copy->types });
}

/*
 * Orders identities.  Hashes rarely let strings be compared; a hostile target
 * chooses names with one hash.
 */
static int
compare(const void *one, const void *other)
{
	const struct identity *a = one, *b = other;
	unsigned i;
	int order;

	if (a->hash != b->hash)
		return (a->hash < b->hash ? -1 : 1);
	for (i = 0; i < 4; i++)
		if ((order = strcmp(a->fields[i], b->fields[i])) != 0)
			return (order);
	if (a->elder != b->elder)
		return (a->elder < b->elder ? -1 : 1);
	if (a->code != b->code)
		return (a->code < b->code ? -1 : 1);
	if (a->nargs != b->nargs)
		return (a->nargs < b->nargs ? -1 : 1);
	return (memcmp(a->types, b->types, a->nargs));
}

/* Returns how many probes an alias has before it, with this elder. */
static unsigned
elders_of(const struct tbuf_probe_info *elder)
{
	return (elder == NULL ? 0 : 1 +
	    ((const struct known *)(const void *)elder)->elders);
}

static struct known *
known_new(const struct copy *copy)
{
	struct tbuf_probe_info *info;
	struct known *known;
	const char *at[NFIELDS] = { NULL };
	size_t size = sizeof(*known);
	unsigned i;
	char *p;

	for (i = 0; i < 4 + copy->nargs; i++)
		size += copy->length[i];
	if ((known = calloc(1, size)) == NULL)
		return (NULL);
	info = &known->info;
	p = (char *)(known + 1);
	for (i = 0; i < 4 + copy->nargs; i++) {
		at[i] = memcpy(p, copy->text[i], copy->length[i]);
		p += copy->length[i];
	}
	info->provider = at[0];
	info->module = at[1];
	info->function = at[2];
	info->name = at[3];
	info->nargs = copy->nargs;
	info->code = copy->code;
	info->elder = copy->elder;
	known->elders = elders_of(copy->elder);
	memcpy(info->types, copy->types, sizeof(info->types));
	for (i = 0; i < copy->nargs; i++)
		info->argnames[i] = at[4 + i];
	tbuf_layout_arguments(&known->arguments.layout, info);
	known->identity = (struct identity){ copy_hash(copy), { at[0], at[1],
	    at[2], at[3] }, copy->elder, info->code, info->nargs,
	    info->types };
	return (known);
}

/* Doubles the table.  Returns 0 or -ENOMEM. */
static int
grow(struct tbuf_probes *probes)
{
	unsigned room = probes->room == 0 ? 128 : 2 * probes->room;
	struct tbuf_probe_info **infos;

	infos = reallocarray(probes->infos, room, sizeof(*infos));
	if (infos == NULL)
		return (-ENOMEM);
	probes->infos = infos;
	probes->room = room;
	return (0);
}

static const struct tbuf_probe_info *
info_of(struct identity *const *node)
{
	const struct known *known = (const struct known *)(const void *)
	    ((const char *)*node - offsetof(struct known, identity));

	return (&known->info);
}

static int
intern(struct tbuf_probes *probes, const struct copy *copy,
    const struct tbuf_probe_info **info)
{
	const struct identity identity = copy_identity(copy);
	struct identity **node = tfind(&identity, &probes->tree, compare);
	struct known *fresh;

	if (node != NULL) {
		*info = info_of(node);
		return (1);
	}
	if ((probes->count == probes->room && grow(probes) != 0) ||
	    (fresh = known_new(copy)) == NULL)
		return (-ENOMEM);
	if (tsearch(&fresh->identity, &probes->tree, compare) == NULL) {
		free(fresh);
		return (-ENOMEM);
	}
	probes->infos[probes->count++] = &fresh->info;
	fresh->info.id = TBUF_IDS_OWN + probes->count;
	*info = &fresh->info;
	return (1);
}

/* Reads a probe alone, if it is ready.  *info is its elder's before. */
static int
read_one(struct tbuf_probes *probes, const struct table *table,
    uint32_t index, const struct tbuf_probe_info **info)
{
	struct copy copy = { .elder = elders_of(*info) > TBUF_ELDERS_MAX ?
	    NULL : *info };

	*info = NULL;
	if (tbuf_load_acquire(&table->entries[index].ready) != 1 ||
	    !copy_probe(table, index, &copy))
		return (0);
	return (intern(probes, &copy, info));
}

/* Reads the probe at an index and its elders, as tbuf_probes_read() does. */
static int
read_probe(struct tbuf_probes *probes, const struct table *table,
    uint32_t index, const struct tbuf_probe_info **info)
{
	uint32_t all[TBUF_ELDERS_MAX + 1], alias;
	unsigned n = 0;
	int result = 0;

	do {
		all[n++] = index;
		alias = tbuf_load(&table->entries[index].alias);
		if (alias == 0 || alias > index)
			break;
		index = alias - 1;
	} while (n <= TBUF_ELDERS_MAX);
	for (*info = NULL; n > 0 && result >= 0; n--)
		result = read_one(probes, table, all[n - 1], info);
	return (result);
}

int
tbuf_probes_read(struct tbuf_probes *probes, const struct tbuf_view *view,
    uint32_t index, const struct tbuf_probe_info **info)
{
	struct table table;

	if (index >= tbuf_probes_count(view))
		return (0);
	table = table_of(view);
	return (read_probe(probes, &table, index, info));
}

/* ------------------------------------------------------------ whole tables */

/* A copy of a target's table, and the probes that were read from it. */
struct tbuf_probes_whole {
	uint32_t n;			/* probes */
	uint32_t used;			/* bytes of strings */
	size_t size;			/* bytes that follow, in this order: */
	const struct tbuf_probe_info **infos;	/* array of n */
	struct tbuf_probe_entry *entries;	/* array of n */
	char *heap;
};

/* Makes room for a table in a copy, which may be NULL, or returns NULL. */
static struct tbuf_probes_whole *
whole_room(struct tbuf_probes_whole *w, uint32_t n, uint32_t used)
{
	size_t infos = n * sizeof(*w->infos);
	size_t size = infos + n * sizeof(*w->entries) + used;

	if (w == NULL || w->size < size) {
		free(w);
		if ((w = malloc(sizeof(*w) + size)) == NULL)
			return (NULL);
		w->size = size;
	}
	w->n = n;
	w->used = used;
	w->infos = (const struct tbuf_probe_info **)(w + 1);
	w->entries = (struct tbuf_probe_entry *)(w->infos + n);
	w->heap = (char *)(w->entries + n);
	return (w);
}

/* Copies a table without the fields that change while a probe exists. */
static void
whole_take(struct tbuf_probes_whole *w, const struct table *table)
{
	struct tbuf_probe_entry *entry;

	memcpy(w->entries, table->entries, w->n * sizeof(*w->entries));
	memcpy(w->heap, table->heap, w->used);
	for (entry = w->entries; entry < w->entries + w->n; entry++) {
		entry->sites = 0;
		entry->selection = 0;
		entry->semaphore = 0;
	}
}

static bool
whole_same(const struct tbuf_probes_whole *a,
    const struct tbuf_probes_whole *b)
{
	return (a->n == b->n && a->used == b->used &&
	    memcmp(a->entries, b->entries, a->n * sizeof(*a->entries)) == 0 &&
	    memcmp(a->heap, b->heap, a->used) == 0);
}

/* Reads the probes from the copy, which later tables are compared with. */
static void
whole_read(struct tbuf_probes *probes, struct tbuf_probes_whole *w)
{
	const struct table table = { w->entries, w->heap, w->used };
	uint32_t i;

	for (i = 0; i < w->n; i++)
		if (read_probe(probes, &table, i, &w->infos[i]) != 1)
			w->infos[i] = NULL;
}

void
tbuf_probes_read_all(struct tbuf_probes *probes, const struct tbuf_view *view,
    const struct tbuf_probe_info **infos)
{
	struct tbuf_probes_whole *w, *last = probes->whole[0];
	uint32_t n = tbuf_probes_count(view);
	/* After the count: a counted probe has its strings. */
	struct table table = table_of(view);

	w = whole_room(probes->whole[1], n, table.used);
	if ((probes->whole[1] = w) == NULL)
		return;
	whole_take(w, &table);
	if (last == NULL || !whole_same(w, last)) {
		whole_read(probes, w);
		probes->whole[0] = w;
		probes->whole[1] = last;
	}
	memcpy(infos, probes->whole[0]->infos, n * sizeof(*infos));
}

/* The nodes of the tree name probes that are freed by their ids. */
static void
keep(void *node)
{
	(void)node;
}

void
tbuf_probes_free(struct tbuf_probes *probes)
{
	unsigned i;

	tdestroy(probes->tree, keep);
	for (i = 0; i < probes->count; i++)
		free(probes->infos[i]);
	free(probes->infos);
	free(probes->whole[0]);
	free(probes->whole[1]);
}

bool
tbuf_probe_matches(const struct tbuf_probe_info *info, const char *description)
{
	const struct tbuf_names names = {
		.provider = info->provider, .module = info->module,
		.function = info->function, .name = info->name
	};

	return (tbuf_description_match(description, &names));
}

bool
tbuf_probe_chosen(const struct tbuf_probe_info *info, const char *description)
{
	bool chosen = tbuf_probe_matches(info, description);

	while (chosen && (info = info->elder) != NULL)
		chosen = !tbuf_probe_matches(info, description);
	return (chosen);
}
