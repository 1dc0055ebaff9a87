/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The identity of a text, and reading its table of findings.
 */
#include "table.h"

#include <sys/stat.h>

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define SECOND	UINT64_C(1000000000)

/* Hashes bytes, eight at a time. */
static uint64_t
hash(const void *bytes, size_t size, uint64_t value)
{
	const uint8_t *p = bytes;
	uint64_t word;
	size_t n;

	for (; size > 0; size -= n, p += n) {
		n = size < sizeof(word) ? size : sizeof(word);
		word = n;
		memcpy(&word, p, n);
		value = (value ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		value ^= value >> 29;
	}
	return (value);
}

/*
 * Finds the build ID in the notes of a segment.  Returns its size, or 0.  The
 * sizes in a note may be wrong.
 */
static size_t
id_in(const uint8_t *notes, size_t size, const uint8_t **id)
{
	const ElfW(Nhdr) *note;
	size_t at, name, data;

	for (at = 0; at + sizeof(*note) <= size; at += data) {
		note = (const void *)(notes + at);
		name = at + sizeof(*note);
		data = ((size_t)note->n_namesz + 3) & ~(size_t)3;
		if (data > size - name || note->n_descsz > size - name - data)
			return (0);
		*id = notes + name + data;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz ==
		    sizeof("GNU") && memcmp(notes + name, "GNU",
		    sizeof("GNU")) == 0)
			return (note->n_descsz);
		data += sizeof(*note) +
		    (((size_t)note->n_descsz + 3) & ~(size_t)3);
		if (data > size - at)
			return (0);
	}
	return (0);
}

static size_t
build_id(const struct patch_text *text, const uint8_t **id)
{
	const ElfW(Phdr) *p = text->parts, *end = p + text->nparts;
	uintptr_t notes;
	size_t size = 0;

	for (; p < end && size == 0; p++) {
		notes = text->base + p->p_vaddr;
		if (p->p_type == PT_NOTE && notes % 4 == 0 &&
		    patch_readable(text, notes, p->p_memsz))
			size = id_in((const uint8_t *)notes, p->p_memsz, id);
	}
	return (size);
}

/* The start of this object, which the linker defines. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

/*
 * Returns the hash of the build ID of this object, 0 if it has none: another
 * build may find something else in the same text.
 */
static uint64_t
provider(void)
{
	const uint8_t *start = (const uint8_t *)&__ehdr_start, *id = NULL;
	const ElfW(Phdr) *p = (const void *)(start + __ehdr_start.e_phoff);
	const ElfW(Phdr) *end = p + __ehdr_start.e_phnum;
	size_t size = 0;

	/* Its addresses count from its start. */
	for (; p < end && size == 0 && __ehdr_start.e_type == ET_DYN; p++)
		if (p->p_type == PT_NOTE && p->p_align == 4)
			size = id_in(start + p->p_vaddr, p->p_memsz, &id);
	return (size == 0 ? 0 : hash(id, size, 0));
}

static uint64_t
nanoseconds(const struct timespec *t)
{
	return ((uint64_t)t->tv_sec * SECOND + (uint64_t)t->tv_nsec);
}

bool
patch_identity(const struct patch_text *text, const char *path,
    enum patch_table_kind kind, struct patch_identity *identity)
{
	const uint8_t *id = NULL;
	struct stat st;
	size_t size;

	memset(identity, 0, sizeof(*identity));
	if (text->end - text->start < PATCH_TABLE_TEXT ||
	    (size = build_id(text, &id)) == 0 || size > PATCH_ID_MAX ||
	    stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return (false);
	identity->kind = kind;
	identity->provider = provider();
	identity->id_size = (uint32_t)size;
	memcpy(identity->id, id, size);
	identity->device = st.st_dev;
	identity->inode = st.st_ino;
	identity->size = (uint64_t)st.st_size;
	identity->modified = nanoseconds(&st.st_mtim);
	identity->changed = nanoseconds(&st.st_ctim);
	identity->text = text->start - text->base;
	identity->text_size = text->end - text->start;
	return (true);
}

uint64_t
patch_table_hash(const struct patch_table *table)
{
	return (hash(table->rows, table->head.size, hash(&table->head.identity,
	    sizeof(table->head.identity), PATCH_TABLE_VERSION)));
}

void
patch_table_name(const struct patch_identity *identity,
    char name[PATCH_TABLE_NAME])
{
	static const char prefix[] = PATCH_TABLE_PREFIX;
	uint64_t number = hash(identity, sizeof(*identity), 0);
	char *p = name + sizeof(prefix) - 1;
	int shift;

	memcpy(name, prefix, sizeof(prefix) - 1);
	for (shift = 60; shift >= 0; shift -= 4)
		*p++ = "0123456789abcdef"[number >> shift & 15];
	*p = '\0';
}

bool
patch_table_sound(const struct patch_table *table, size_t size,
    const struct patch_identity *identity)
{
	const struct patch_table_head *head = &table->head;

	return (size >= sizeof(*head) && size <= sizeof(*table) &&
	    memcmp(head->magic, PATCH_TABLE_MAGIC, sizeof(head->magic)) == 0 &&
	    head->version == PATCH_TABLE_VERSION &&
	    head->size == size - sizeof(*head) &&
	    memcmp(&head->identity, identity, sizeof(*identity)) == 0 &&
	    head->hash == patch_table_hash(table));
}

/* Returns true for a file of this user that no other user may write to. */
static bool
is_own(int fd)
{
	struct stat st;

	return (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_uid == geteuid() && (st.st_mode & 022) == 0);
}

bool
patch_table_read(int directory, const struct patch_identity *identity,
    struct patch_table *table)
{
	char name[PATCH_TABLE_NAME];
	ssize_t n = -1;
	int fd;

	patch_table_name(identity, name);
	/* O_NONBLOCK: do not wait for a named pipe, or a lease. */
	fd = openat(directory, name,
	    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd == -1)
		return (false);
	if (is_own(fd))
		n = pread(fd, table, sizeof(*table), 0);
	close(fd);
	return (n > 0 && patch_table_sound(table, (size_t)n, identity));
}
