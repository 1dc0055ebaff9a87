/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The notes of an ELF file.  Everything is read once into private memory, and
 * checked there.
 */
#include <stdlib.h>
#include <string.h>

#include "note.h"
#include "section.h"

#define NOTES_MAX	(1u << 26)	/* bytes of an ELF section of notes */

#define OWNER		"stapsdt"
#define TYPE		3u

/* ------------------------------------------------------------ one object */

/* Returns the size of a part of a note, with the bytes that align the next. */
static uint64_t
aligned(uint32_t size)
{
	return (((uint64_t)size + 3) & ~(uint64_t)3);
}

static void
read_build_id(struct usdt_object *o, const struct usdt_sections *s)
{
	const Elf64_Shdr *section = usdt_sections_find(s, ".note.gnu.build-id");
	struct {
		Elf64_Nhdr header;
		char name[4];
		unsigned char id[USDT_BUILD_ID];
	} note;

	if (section == NULL || section->sh_size < offsetof(typeof(note), id))
		return;
	memset(&note, 0, sizeof(note));
	if (!usdt_read_at(s->fd, &note, section->sh_size < sizeof(note) ?
	    section->sh_size : sizeof(note), section->sh_offset) ||
	    note.header.n_type != NT_GNU_BUILD_ID ||
	    note.header.n_namesz != sizeof(note.name))
		return;
	o->build_id_size = note.header.n_descsz < sizeof(note.id) ?
	    note.header.n_descsz : sizeof(note.id);
	memcpy(o->build_id, note.id, o->build_id_size);
}

static void
read_segments(struct usdt_object *o, const struct usdt_sections *s)
{
	const Elf64_Ehdr *h = &s->header;
	Elf64_Phdr p;
	unsigned i;

	o->low = UINT64_MAX;
	for (i = 0; i < h->e_phnum && h->e_phentsize == sizeof(p); i++) {
		if (!usdt_read_at(s->fd, &p, sizeof(p), h->e_phoff +
		    i * sizeof(p)))
			return;
		if (p.p_type == PT_LOAD && p.p_vaddr < o->low)
			o->low = p.p_vaddr;
		if (p.p_type == PT_LOAD && (p.p_flags & PF_X) != 0 &&
		    o->ntexts < USDT_TEXTS) {
			o->texts[o->ntexts].start = p.p_vaddr;
			o->texts[o->ntexts++].size = p.p_memsz;
		}
	}
}

static const char *
read_notes(struct usdt_object *o, const struct usdt_sections *s)
{
	const Elf64_Shdr *section;

	if ((section = usdt_sections_find(s, ".stapsdt.base")) != NULL)
		o->base = section->sh_addr;
	o->has_sites = usdt_sections_find(s, "tbuf_sites") != NULL;
	read_build_id(o, s);
	section = usdt_sections_find(s, ".note.stapsdt");
	if (section == NULL || section->sh_size == 0)
		return (NULL);
	read_segments(o, s);
	o->size = section->sh_size;
	o->notes = section->sh_type != SHT_NOTE ? NULL :
	    usdt_copy(s->fd, section->sh_offset, o->size, NOTES_MAX);
	return (o->notes == NULL ? usdt_damaged : NULL);
}

const char *
usdt_object_read(struct usdt_object *o, int fd)
{
	struct usdt_sections s;
	const char *error;

	*o = (struct usdt_object){ .notes = NULL };
	if ((error = usdt_sections_read(&s, fd)) == NULL)
		error = read_notes(o, &s);
	usdt_sections_free(&s);
	return (error);
}

void
usdt_object_free(struct usdt_object *o)
{
	free(o->notes);
	o->notes = NULL;
}

/* ------------------------------------------------------------ notes */

/* Takes the string at *p, and moves *p after it; NULL if it has no end. */
static const char *
take_string(const char **p, const char *end)
{
	const char *string = *p;
	const char *nul = memchr(string, '\0', (size_t)(end - string));

	if (nul != NULL)
		*p = nul + 1;
	return (nul == NULL ? NULL : string);
}

static bool
parse(const struct usdt_object *o, const char *p, const char *end,
    struct usdt_note *note)
{
	uint64_t numbers[3];

	if ((size_t)(end - p) < sizeof(numbers))
		return (false);
	memcpy(numbers, p, sizeof(numbers));
	p += sizeof(numbers);
	note->address = numbers[0];
	note->semaphore = numbers[2];
	if (o->base != 0) {
		note->address += o->base - numbers[1];
		if (note->semaphore != 0)
			note->semaphore += o->base - numbers[1];
	}
	return ((note->provider = take_string(&p, end)) != NULL &&
	    (note->name = take_string(&p, end)) != NULL &&
	    (note->operands = take_string(&p, end)) != NULL);
}

bool
usdt_note_next(const struct usdt_object *o, size_t *at,
    struct usdt_note *note)
{
	const char *name, *text;
	Elf64_Nhdr header;

	while (o->notes != NULL && o->size - *at >= sizeof(header)) {
		memcpy(&header, o->notes + *at, sizeof(header));
		*at += sizeof(header);
		if (aligned(header.n_namesz) > o->size - *at)
			break;
		name = o->notes + *at;
		*at += aligned(header.n_namesz);
		text = o->notes + *at;
		if (header.n_descsz > o->size - *at)
			break;
		/* The end of the last note may not be aligned. */
		*at = aligned(header.n_descsz) > o->size - *at ? o->size :
		    *at + aligned(header.n_descsz);
		if (header.n_type == TYPE && header.n_namesz ==
		    sizeof(OWNER) && memcmp(name, OWNER, sizeof(OWNER)) == 0 &&
		    parse(o, text, text + header.n_descsz, note))
			return (true);
	}
	*at = o->size;
	return (false);
}

bool
usdt_note_name(const char *name, char *out, size_t size)
{
	for (; *name != '\0' && size > 1; name++, size--) {
		*out++ = name[0] == '_' && name[1] == '_' ? '-' : *name;
		name += name[0] == '_' && name[1] == '_';
	}
	*out = '\0';
	return (*name == '\0');
}
