/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Addresses of semaphores in the notes of USDT probes, which are in sections of
 * a program's file that are not mapped.  The file is not trusted: each number
 * is checked, and so are the bytes that are read of all files together.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "consumer/files/files.h"

#define SEGMENTS_MAX	64u	/* which are data */
#define OWNER		"stapsdt"
#define TYPE		3u
#define BASE_SECTION	".stapsdt.base"

/* A file while it is read. */
struct object {
	int fd;
	Elf64_Ehdr header;
	Elf64_Shdr *sections;
	size_t nsections;
	uint64_t base;		/* address of BASE_SECTION; 0: none */
	uint64_t *left;		/* bytes that may be read */
};

/* Reads `size` bytes.  Returns memory that the caller frees, or NULL. */
static void *
copy(const struct object *o, uint64_t at, uint64_t size)
{
	void *bytes = size == 0 || size > *o->left ? NULL : malloc(size);

	if (bytes == NULL)
		return (NULL);
	*o->left -= size;
	if (tbuf_file_read(o->fd, bytes, size, at))
		return (bytes);
	free(bytes);
	return (NULL);
}

static bool
read_header(struct object *o)
{
	Elf64_Ehdr *h = &o->header;

	if (!tbuf_file_read(o->fd, h, sizeof(*h), 0) ||
	    memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 ||
	    h->e_ident[EI_CLASS] != ELFCLASS64 ||
	    h->e_shentsize != sizeof(Elf64_Shdr) ||
	    h->e_phentsize != sizeof(Elf64_Phdr) || h->e_phnum == PN_XNUM)
		return (false);
	o->nsections = h->e_shnum;
	o->sections = copy(o, h->e_shoff, o->nsections * sizeof(Elf64_Shdr));
	return (o->sections != NULL);
}

/* Finds the section whose distance from its linked address is the notes'. */
static void
read_base(struct object *o)
{
	const Elf64_Shdr *names, *s;
	const char *text;
	size_t i;

	if (o->header.e_shstrndx >= o->nsections)
		return;
	names = &o->sections[o->header.e_shstrndx];
	text = copy(o, names->sh_offset, names->sh_size);
	for (i = 0, s = o->sections; text != NULL && i < o->nsections; i++, s++)
		if (s->sh_name < names->sh_size &&
		    names->sh_size - s->sh_name >= sizeof(BASE_SECTION) &&
		    memcmp(text + s->sh_name, BASE_SECTION,
		    sizeof(BASE_SECTION)) == 0)
			o->base = s->sh_addr;
	free((void *)(uintptr_t)text);
}

static void
add(struct tbuf_notes *n, uint64_t semaphore)
{
	uint64_t *more = reallocarray(n->semaphores, n->count + 1,
	    sizeof(*more));

	if (more == NULL)
		return;
	n->semaphores = more;
	n->semaphores[n->count++] = semaphore;
}

/* Takes a note's numbers: addresses of its probe, its base, its semaphore. */
static void
take_note(struct tbuf_notes *n, const struct object *o, const char *text,
    size_t size)
{
	uint64_t numbers[3];

	if (size < sizeof(numbers))
		return;
	memcpy(numbers, text, sizeof(numbers));
	if (numbers[2] != 0)
		add(n, numbers[2] +
		    (o->base == 0 ? 0 : o->base - numbers[1]));
}

static uint64_t
aligned(uint64_t size)
{
	return ((size + 3) & ~UINT64_C(3));
}

static void
take_notes(struct tbuf_notes *n, const struct object *o, const char *notes,
    uint64_t size)
{
	uint64_t at = 0, name, text;
	Elf64_Nhdr header;

	while (size - at >= sizeof(header)) {
		memcpy(&header, notes + at, sizeof(header));
		name = at + sizeof(header);
		if (aligned(header.n_namesz) > size - name)
			return;
		text = name + aligned(header.n_namesz);
		if (header.n_descsz > size - text)
			return;
		if (header.n_type == TYPE && header.n_namesz == sizeof(OWNER) &&
		    memcmp(notes + name, OWNER, sizeof(OWNER)) == 0)
			take_note(n, o, notes + text, header.n_descsz);
		/* The end of the last note may not be aligned. */
		if (aligned(header.n_descsz) > size - text)
			return;
		at = text + aligned(header.n_descsz);
	}
}

static void
read_notes(struct tbuf_notes *n, struct object *o)
{
	const Elf64_Shdr *s = o->sections;
	char *notes;
	size_t i;

	for (i = 0; i < o->nsections; i++, s++) {
		if (s->sh_type != SHT_NOTE)
			continue;
		notes = copy(o, s->sh_offset, s->sh_size);
		if (notes != NULL)
			take_notes(n, o, notes, s->sh_size);
		free(notes);
	}
}

/* Keeps the segments that are data: a loop over them is short. */
static void
read_segments(struct tbuf_notes *n, const struct object *o)
{
	size_t count = o->header.e_phnum, i;
	Elf64_Phdr *all = copy(o, o->header.e_phoff, count * sizeof(*all));

	for (i = 0; all != NULL && i < count && n->nsegments < SEGMENTS_MAX;
	    i++)
		if (all[i].p_type == PT_LOAD && (all[i].p_flags & PF_W) != 0)
			all[n->nsegments++] = all[i];
	n->segments = all;
}

static int
compare(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return ((left > right) - (left < right));
}

void
tbuf_notes_read(struct tbuf_notes *n, int fd, uint64_t *left)
{
	struct object o = { .fd = fd, .left = left };

	*n = (struct tbuf_notes){ .count = 0 };
	if (!read_header(&o))
		return;
	read_base(&o);
	read_notes(n, &o);
	free(o.sections);
	read_segments(n, &o);
	if (n->count != 0)
		qsort(n->semaphores, n->count, sizeof(*n->semaphores), compare);
}

void
tbuf_notes_free(struct tbuf_notes *n)
{
	free(n->semaphores);
	free(n->segments);
	*n = (struct tbuf_notes){ .count = 0 };
}

bool
tbuf_notes_have(const struct tbuf_notes *n, uint64_t offset)
{
	const Elf64_Phdr *s = n->segments;
	uint64_t address;
	size_t i;

	for (i = 0; i < n->nsegments && n->count != 0; i++, s++) {
		address = s->p_vaddr + (offset - s->p_offset);
		if (offset >= s->p_offset &&
		    offset - s->p_offset < s->p_memsz &&
		    bsearch(&address, n->semaphores, n->count,
		    sizeof(address), compare) != NULL)
			return (true);
	}
	return (false);
}
