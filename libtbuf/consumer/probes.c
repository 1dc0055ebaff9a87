/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The probes of a run.  A target's table is copied once, with everything in
 * it bounded and cleaned, and equal probes of several targets become one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "atomics.h"
#include "consumer/internal.h"

#define FIELD_MAX	255
#define NFIELDS		(4 + TBUF_NARGS)

/* A probe out of a target's table, before it has an id. */
struct copy {
	unsigned nargs;
	uint8_t types[TBUF_NARGS];
	unsigned length[NFIELDS];	/* NUL counted */
	char text[NFIELDS][FIELD_MAX + 1];
};

/* Printing a name must not move a terminal's cursor. */
static void
clean(char *text)
{
	unsigned char *p = (unsigned char *)text;

	for (; *p != '\0'; p++)
		if (*p <= ' ' || *p == 0x7f || *p == ':' || *p == ',' ||
		    (*p == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0))
			*p = '?';
}

/*
 * Copy a string of the heap; the target may change it meanwhile, so only
 * what has been copied counts.  Gives its length with the NUL, 0 if it has
 * no end.
 */
static unsigned
copy_string(const struct tbuf_view *view, uint32_t offset, char *to)
{
	const char *heap = (const char *)view->base + TBUF_STRINGS;
	uint32_t used = tbuf_load(&tbuf_view_control(view)->strings);
	size_t room;
	const char *nul;

	if (used > TBUF_STRINGS_SIZE)
		used = TBUF_STRINGS_SIZE;
	if (offset >= used)
		return (0);
	room = used - offset < FIELD_MAX + 1 ? used - offset : FIELD_MAX + 1;
	memcpy(to, heap + offset, room);
	if ((nul = memchr(to, '\0', room)) == NULL)
		return (0);
	clean(to);
	return ((unsigned)(nul - to) + 1);
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
		    copy->types[i] > TBUF_BINARY)
			return (false);
	}
	return (true);
}

static bool
copy_probe(const struct tbuf_view *view, uint32_t index, struct copy *copy)
{
	const struct tbuf_probe_entry *entry = tbuf_view_probe(view, index);
	const uint32_t offsets[4] = {
		tbuf_load(&entry->provider), tbuf_load(&entry->module),
		tbuf_load(&entry->function), tbuf_load(&entry->name)
	};
	uint32_t at = tbuf_load(&entry->argnames);
	unsigned i;

	if (!copy_types(entry, copy))
		return (false);
	for (i = 0; i < 4; i++) {
		copy->length[i] = copy_string(view, offsets[i], copy->text[i]);
		if (copy->length[i] == 0)
			return (false);
	}
	for (i = 4; i < 4 + copy->nargs; i++) {
		copy->length[i] = copy_string(view, at, copy->text[i]);
		if (copy->length[i] == 0)
			return (false);
		at += copy->length[i];
	}
	return (true);
}

/* FNV-1a over what makes a probe: its four fields and its types. */
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

static bool
same(const struct tbuf_probe_info *info, const struct copy *copy)
{
	return (strcmp(info->provider, copy->text[0]) == 0 &&
	    strcmp(info->module, copy->text[1]) == 0 &&
	    strcmp(info->function, copy->text[2]) == 0 &&
	    strcmp(info->name, copy->text[3]) == 0 &&
	    info->nargs == copy->nargs &&
	    memcmp(info->types, copy->types, sizeof(info->types)) == 0);
}

/* A probe and its strings in one piece of memory. */
static struct tbuf_probe_info *
info_new(const struct copy *copy)
{
	struct tbuf_probe_info *info;
	const char *at[NFIELDS] = { NULL };
	size_t size = sizeof(*info);
	unsigned i;
	char *p;

	for (i = 0; i < 4 + copy->nargs; i++)
		size += copy->length[i];
	if ((info = calloc(1, size)) == NULL)
		return (NULL);
	p = (char *)(info + 1);
	for (i = 0; i < 4 + copy->nargs; i++) {
		at[i] = memcpy(p, copy->text[i], copy->length[i]);
		p += copy->length[i];
	}
	info->provider = at[0];
	info->module = at[1];
	info->function = at[2];
	info->name = at[3];
	info->nargs = copy->nargs;
	memcpy(info->types, copy->types, sizeof(info->types));
	for (i = 0; i < copy->nargs; i++)
		info->argnames[i] = at[4 + i];
	return (info);
}

/* Twice as large, the ids hashed again. */
static int
grow(struct tbuf_probes *probes)
{
	unsigned size = probes->hash_size == 0 ? 256 : 2 * probes->hash_size;
	struct tbuf_probe_info **infos;
	struct copy copy;
	uint32_t *hash, at;
	unsigned i, j;

	infos = reallocarray(probes->infos, size / 2, sizeof(*infos));
	if (infos == NULL)
		return (-ENOMEM);
	probes->infos = infos;
	if ((hash = calloc(size, sizeof(*hash))) == NULL)
		return (-ENOMEM);
	for (i = 0; i < probes->count; i++) {
		const char *fields[4] = {
			infos[i]->provider, infos[i]->module,
			infos[i]->function, infos[i]->name
		};

		for (j = 0; j < 4; j++)
			copy.length[j] = (unsigned)tbuf_copy(copy.text[j],
			    fields[j], sizeof(copy.text[j])) + 1;
		copy.nargs = infos[i]->nargs;
		memcpy(copy.types, infos[i]->types, sizeof(copy.types));
		at = copy_hash(&copy) & (size - 1);
		while (hash[at] != 0)
			at = (at + 1) & (size - 1);
		hash[at] = i + 1;
	}
	free(probes->hash);
	probes->hash = hash;
	probes->hash_size = size;
	probes->room = size / 2;
	return (0);
}

static int
intern(struct tbuf_probes *probes, const struct copy *copy,
    const struct tbuf_probe_info **info)
{
	struct tbuf_probe_info *fresh;
	uint32_t at;

	if (probes->count == probes->room && grow(probes) != 0)
		return (-ENOMEM);
	at = copy_hash(copy) & (probes->hash_size - 1);
	while (probes->hash[at] != 0) {
		*info = probes->infos[probes->hash[at] - 1];
		if (same(*info, copy))
			return (1);
		at = (at + 1) & (probes->hash_size - 1);
	}
	if ((fresh = info_new(copy)) == NULL)
		return (-ENOMEM);
	fresh->id = probes->count + 1;
	probes->infos[probes->count++] = fresh;
	probes->hash[at] = fresh->id;
	*info = fresh;
	return (1);
}

int
tbuf_probes_read(struct tbuf_probes *probes, const struct tbuf_view *view,
    uint32_t index, const struct tbuf_probe_info **info)
{
	struct copy copy;

	if (index >= TBUF_NPROBES ||
	    index >= tbuf_load_acquire(&tbuf_view_control(view)->nprobes) ||
	    tbuf_load_acquire(&tbuf_view_probe(view, index)->ready) != 1)
		return (0);
	if (!copy_probe(view, index, &copy))
		return (0);
	return (intern(probes, &copy, info));
}

void
tbuf_probes_free(struct tbuf_probes *probes)
{
	unsigned i;

	for (i = 0; i < probes->count; i++)
		free(probes->infos[i]);
	free(probes->infos);
	free(probes->hash);
}

void
tbuf_probe_names(const struct tbuf_probe_info *info, struct tbuf_names *names)
{
	names->provider = info->provider;
	names->module = info->module;
	names->function = info->function;
	names->name = info->name;
}
