/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The types that tbufctl has read (types.h).
 */
#include <sys/stat.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/report.h"
#include "pid.h"
#include "types.h"

#define BYTES_MAX	((off_t)64 << 20)

/* A line of the object that is armed. */
struct line {
	uintptr_t address;
	const char *rest;
};

static char *text;
static struct line *lines;
static size_t count, room;

void
pid_types_begin(void)
{
	int fd = provider_report_read(PID_TYPES);
	struct stat st;
	ssize_t n = 0;

	if (fd == -1)
		return;
	if (fstat(fd, &st) == 0 && st.st_size > 0 && st.st_size <= BYTES_MAX &&
	    (text = malloc((size_t)st.st_size + 1)) != NULL &&
	    (n = read(fd, text, (size_t)st.st_size)) >= 0)
		text[n] = '\0';
	close(fd);
	if (n < 0)
		pid_types_end();
}

void
pid_types_end(void)
{
	free(text);
	free(lines);
	text = NULL;
	lines = NULL;
	count = room = 0;
}

static int
by_address(const void *a, const void *b)
{
	const struct line *left = a, *right = b;

	return (left->address < right->address ? -1 :
	    left->address > right->address);
}

static bool
add(const char *at)
{
	struct line *all;
	char *rest;

	if (count == room) {
		all = reallocarray(lines, 2 * room + 64, sizeof(*all));
		if (all == NULL)
			return (false);
		lines = all;
		room = 2 * room + 64;
	}
	lines[count].address = strtoul(at, &rest, 16);
	lines[count++].rest = rest;
	return (true);
}

/* ------------------------------------------------------------ objects */

/* Returns the size of the build ID among notes, and sets *id; 0: none. */
static size_t
find_id(const uint8_t *notes, size_t size, size_t align, const uint8_t **id)
{
	const ElfW(Nhdr) *note;
	size_t at = 0, left, name, rest;

	while (size - at >= sizeof(*note)) {
		note = (const void *)(notes + at);
		left = size - at - sizeof(*note);
		name = (note->n_namesz + align - 1) & ~(align - 1);
		rest = (note->n_descsz + align - 1) & ~(align - 1);
		if (name > left || note->n_descsz > left - name)
			return (0);
		*id = notes + at + sizeof(*note) + name;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz ==
		    sizeof("GNU") && memcmp(note + 1, "GNU",
		    sizeof("GNU")) == 0)
			return (note->n_descsz);
		if (rest > left - name)
			return (0);
		at += sizeof(*note) + name + rest;
	}
	return (0);
}

/* Returns the size of the build ID that an object has in memory, or 0. */
static size_t
build_id(const struct pid_object *o, const uint8_t **id)
{
	const ElfW(Phdr) *part = o->memory.info.dlpi_phdr;
	const ElfW(Phdr) *end = part + o->memory.info.dlpi_phnum;
	struct patch_text text;
	uintptr_t notes;
	size_t size = 0, align;

	if (!patch_text_all(&o->memory.info, &text))
		return (0);
	for (; part < end && size == 0; part++) {
		notes = text.base + part->p_vaddr;
		align = part->p_align == 8 ? 8 : 4;
		if (part->p_type == PT_NOTE && notes % align == 0 &&
		    patch_readable(&text, notes, part->p_memsz))
			size = find_id((const void *)notes, part->p_memsz,
			    align, id);
	}
	return (size <= PID_BUILD_ID ? size : 0);
}

/* Returns the size of an object's segments in memory. */
static uint64_t
memory_size(const struct dl_phdr_info *info)
{
	uint64_t low = UINT64_MAX, high = 0;
	const ElfW(Phdr) *part = info->dlpi_phdr;

	for (; part < info->dlpi_phdr + info->dlpi_phnum; part++) {
		if (part->p_type != PT_LOAD)
			continue;
		if (part->p_vaddr < low)
			low = part->p_vaddr;
		if (part->p_vaddr + part->p_memsz > high)
			high = part->p_vaddr + part->p_memsz;
	}
	return (high - low);
}

static bool
identify(const struct pid_object *o, int fd, char id[PID_ID])
{
	const uint8_t *build;
	struct stat st;
	size_t n;

	if ((n = build_id(o, &build)) > 0)
		pid_id_of_build(id, build, n, memory_size(&o->memory.info));
	else if (fstat(fd, &st) == 0)
		pid_id_of_file(id, &st);
	else
		return (false);
	return (true);
}

/* Returns the end of a line, which may be that of the text. */
static const char *
line_end(const char *at)
{
	return (strchrnul(at, '\n'));
}

/* Returns true if the rest of a line is a word. */
static bool
is_rest(const char *at, const char *word)
{
	size_t n = (size_t)(line_end(at) - at);

	return (n == strlen(word) && memcmp(at, word, n) == 0);
}

/*
 * Returns the first line after that of the object; NULL without one, and sets
 * *other if another object has its file's name.
 */
static const char *
find_object(const char *id, const char *file, bool *other)
{
	const char *at = text, *rest;
	size_t n = strlen(id);

	*other = false;
	for (; (at = strstr(at, PID_OBJECT)) != NULL; at = line_end(at)) {
		/* A parameter may have this name. */
		if (at != text && at[-1] != '\n')
			continue;
		at += strlen(PID_OBJECT);
		rest = strchrnul(at, ' ');
		if ((size_t)(rest - at) == n && memcmp(at, id, n) == 0)
			return (*line_end(at) == '\0' ? NULL :
			    line_end(at) + 1);
		*other |= *rest != '\0' && is_rest(rest + 1, file);
	}
	return (NULL);
}

bool
pid_types_object(const struct pid_object *o, int fd)
{
	const char *at, *end;
	char id[PID_ID];
	bool other;

	count = 0;
	if (text == NULL || !identify(o, fd, id))
		return (true);
	if ((at = find_object(id, o->file, &other)) == NULL)
		return (!other);
	for (; *at != '\0' && *at != 'o'; at = end + 1)
		if (*(end = line_end(at)) == '\0' || !add(at))
			break;
	if (count > 0)
		qsort(lines, count, sizeof(*lines), by_address);
	return (true);
}

/* ------------------------------------------------------------ functions */

static bool
is_float(unsigned type)
{
	return (type == TBUF_FLOAT || type == TBUF_DOUBLE);
}

/* Takes a type from a line.  Returns TBUF_NONE at its end. */
static enum tbuf_type
take_type(const char **at)
{
	unsigned long type;
	char *rest;

	if (**at != ' ')
		return (TBUF_NONE);
	type = strtoul(*at + 1, &rest, 10);
	*at = rest;
	/* A fire has words, and no string. */
	return (type <= TBUF_BOOL || type == TBUF_POINTER ||
	    is_float((unsigned)type) ? (enum tbuf_type)type : TBUF_NONE);
}

/*
 * Takes the register of an argument from a line, 0 if it is a word.  Returns
 * false if its type is not passed there.
 */
static bool
take_vector(const char **at, enum tbuf_type type, uint8_t *vector)
{
	const char *text = *at;

	*vector = 0;
	if (*text != 'v' && *text != 'u')
		return (true);
	if (!is_float(type) || (*text == 'u' && type != TBUF_FLOAT) ||
	    text[1] < '0' || text[1] >= (char)('0' + PID_VECTORS))
		return (false);
	*vector = (uint8_t)(PID_VECTOR | (*text == 'u' ? PID_UPPER : 0) |
	    (unsigned)(text[1] - '0'));
	*at = text + 2;
	return (true);
}

/* Takes a blank, and a name of at most PID_NAME - 1 bytes; "" is none. */
static void
take_name(const char **at, char name[PID_NAME])
{
	size_t length;

	*at += 1;
	length = strcspn(*at, " \n");
	if (length >= PID_NAME || (length == 1 && **at == '-'))
		*name = '\0';
	else {
		memcpy(name, *at, length);
		name[length] = '\0';
	}
	*at += length;
}

bool
pid_types_find(uintptr_t address, struct pid_signature *s)
{
	const struct line key = { .address = address }, *line = count == 0 ?
	    NULL : bsearch(&key, lines, count, sizeof(*lines), by_address);
	enum tbuf_type type;
	const char *at;

	if (line == NULL)
		return (false);
	at = line->rest;
	s->nargs = 0;
	if ((s->result = take_type(&at)) == TBUF_NONE)
		return (false);
	while (s->nargs < PID_ARGS && (type = take_type(&at)) != TBUF_NONE &&
	    take_vector(&at, type, &s->vectors[s->nargs]) && *at == ' ') {
		s->types[s->nargs] = type;
		take_name(&at, s->names[s->nargs++]);
	}
	return (true);
}
