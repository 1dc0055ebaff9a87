/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Everything is read once into memory of our own, and looked at there.
 */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "note.h"

#define SECTIONS_MAX	65536u
#define NAMES_MAX	(1u << 24)	/* bytes of the names of sections */
#define NOTES_MAX	(1u << 26)	/* bytes of a section of notes */

#define OWNER		"stapsdt"
#define TYPE		3u

static const char damaged[] = "its sections are damaged";

#if defined(__x86_64__)
#define MACHINE	EM_X86_64
#else
#define MACHINE	EM_AARCH64
#endif

struct sections {
	int fd;
	Elf64_Ehdr header;
	Elf64_Shdr *all;
	size_t count;
	char *names;
	size_t names_size;
};

/* ------------------------------------------------------------ reading */

static bool
read_at(int fd, void *to, size_t size, uint64_t offset)
{
	size_t done = 0;
	ssize_t n;

	if (offset > INT64_MAX - size)
		return (false);
	while (done < size) {
		n = pread(fd, (char *)to + done, size - done,
		    (off_t)(offset + done));
		if (n == 0 || (n == -1 && errno != EINTR))
			return (false);
		done += n > 0 ? (size_t)n : 0;
	}
	return (true);
}

/* A copy of a part of a file, and a NUL behind it. */
static void *
copy(int fd, uint64_t offset, uint64_t size, size_t max)
{
	char *memory;

	if (size == 0 || size > max || (memory = malloc(size + 1)) == NULL)
		return (NULL);
	if (read_at(fd, memory, size, offset)) {
		memory[size] = '\0';
		return (memory);
	}
	free(memory);
	return (NULL);
}

static const char *
read_header(struct sections *s)
{
	const Elf64_Ehdr *h = &s->header;

	if (!read_at(s->fd, &s->header, sizeof(s->header), 0) ||
	    memcmp(h->e_ident, ELFMAG, SELFMAG) != 0)
		return ("it is no ELF file");
	if (h->e_ident[EI_CLASS] != ELFCLASS64 ||
	    h->e_ident[EI_DATA] != ELFDATA2LSB || h->e_machine != MACHINE)
		return ("it is for another machine");
	return (NULL);
}

/* Where there are too many for the header, the first section has the number. */
static const char *
read_sections(struct sections *s)
{
	const Elf64_Ehdr *h = &s->header;
	Elf64_Shdr first;
	size_t names = h->e_shstrndx;

	if (h->e_shoff == 0)
		return (NULL);
	if (h->e_shentsize != sizeof(first) ||
	    !read_at(s->fd, &first, sizeof(first), h->e_shoff))
		return (damaged);
	s->count = h->e_shnum != 0 ? h->e_shnum : first.sh_size;
	if (names == SHN_XINDEX)
		names = first.sh_link;
	if (s->count > SECTIONS_MAX || names >= s->count)
		return (damaged);
	s->all = copy(s->fd, h->e_shoff, s->count * sizeof(first),
	    SECTIONS_MAX * sizeof(first));
	if (s->all == NULL)
		return (damaged);
	s->names_size = s->all[names].sh_size;
	s->names = copy(s->fd, s->all[names].sh_offset, s->names_size,
	    NAMES_MAX);
	return (s->names == NULL ? damaged : NULL);
}

static const Elf64_Shdr *
find(const struct sections *s, const char *name)
{
	size_t i;

	for (i = 0; i < s->count; i++)
		if (s->all[i].sh_name < s->names_size &&
		    strcmp(s->names + s->all[i].sh_name, name) == 0)
			return (&s->all[i]);
	return (NULL);
}

/* ------------------------------------------------------------ one object */

/* Size of a part of a note, with the bytes that align the next one. */
static uint64_t
aligned(uint32_t size)
{

	return (((uint64_t)size + 3) & ~(uint64_t)3);
}

static void
read_build_id(struct usdt_object *o, const struct sections *s)
{
	const Elf64_Shdr *section = find(s, ".note.gnu.build-id");
	struct {
		Elf64_Nhdr header;
		char name[4];
		unsigned char id[USDT_BUILD_ID];
	} note;

	if (section == NULL || section->sh_size < offsetof(typeof(note), id))
		return;
	memset(&note, 0, sizeof(note));
	if (!read_at(s->fd, &note, section->sh_size < sizeof(note) ?
	    section->sh_size : sizeof(note), section->sh_offset) ||
	    note.header.n_type != NT_GNU_BUILD_ID ||
	    note.header.n_namesz != sizeof(note.name))
		return;
	o->build_id_size = note.header.n_descsz < sizeof(note.id) ?
	    note.header.n_descsz : sizeof(note.id);
	memcpy(o->build_id, note.id, o->build_id_size);
}

static const char *
read_notes(struct usdt_object *o, const struct sections *s)
{
	const Elf64_Shdr *section;

	if ((section = find(s, ".stapsdt.base")) != NULL)
		o->base = section->sh_addr;
	o->has_sites = find(s, "tbuf_sites") != NULL;
	read_build_id(o, s);
	section = find(s, ".note.stapsdt");
	if (section == NULL || section->sh_size == 0)
		return (NULL);
	o->size = section->sh_size;
	o->notes = section->sh_type != SHT_NOTE ? NULL :
	    copy(s->fd, section->sh_offset, o->size, NOTES_MAX);
	return (o->notes == NULL ? damaged : NULL);
}

const char *
usdt_object_read(struct usdt_object *o, int fd)
{
	struct sections s = { .fd = fd };
	const char *error;

	*o = (struct usdt_object){ .notes = NULL };
	if ((error = read_header(&s)) == NULL &&
	    (error = read_sections(&s)) == NULL)
		error = read_notes(o, &s);
	free(s.all);
	free(s.names);
	return (error);
}

void
usdt_object_free(struct usdt_object *o)
{

	free(o->notes);
	o->notes = NULL;
}

/* ------------------------------------------------------------ notes */

/* The string at *p, which is moved behind it; NULL if nothing ends it. */
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
		/* Nothing may align the end of the last. */
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
