/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <sys/mman.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "section.h"

#define SECTIONS_MAX	65536u
#define NAMES_MAX	(1u << 24)	/* bytes of the names of sections */
#define LARGE		(1u << 21)	/* bytes of a large page */

const char usdt_damaged[] = "its sections are damaged";

#if defined(__x86_64__)
#define MACHINE	EM_X86_64
#else
#define MACHINE	EM_AARCH64
#endif

bool
usdt_read_at(int fd, void *to, size_t size, uint64_t offset)
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

void *
usdt_table(size_t size)
{
	size_t whole = (size + LARGE - 1) & ~(size_t)(LARGE - 1), head;
	char *memory;

	if (size < LARGE || size > SIZE_MAX / 2)
		return (calloc(1, size + 1));
	memory = mmap(NULL, whole + LARGE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return (NULL);
	head = -(uintptr_t)memory & (LARGE - 1);
	if (head > 0)
		(void)munmap(memory, head);
	(void)munmap(memory + head + whole, LARGE - head);
	(void)madvise(memory + head, whole, MADV_HUGEPAGE);
	return (memory + head);
}

void
usdt_table_free(void *table, size_t size)
{
	if (size < LARGE || table == NULL)
		free(table);
	else
		(void)munmap(table, (size + LARGE - 1) & ~(size_t)(LARGE - 1));
}

void *
usdt_copy(int fd, uint64_t offset, uint64_t size, size_t max)
{
	char *memory;

	if (size == 0 || size > max || (memory = malloc(size + 1)) == NULL)
		return (NULL);
	if (usdt_read_at(fd, memory, size, offset)) {
		memory[size] = '\0';
		return (memory);
	}
	free(memory);
	return (NULL);
}

static const char *
read_header(struct usdt_sections *s)
{
	const Elf64_Ehdr *h = &s->header;

	if (!usdt_read_at(s->fd, &s->header, sizeof(s->header), 0) ||
	    memcmp(h->e_ident, ELFMAG, SELFMAG) != 0)
		return ("it is not an ELF file");
	if (h->e_ident[EI_CLASS] != ELFCLASS64 ||
	    h->e_ident[EI_DATA] != ELFDATA2LSB || h->e_machine != MACHINE)
		return ("it is for another machine");
	return (NULL);
}

/*
 * If there are too many for the header, the first ELF section has the number.
 */
static const char *
read_sections(struct usdt_sections *s)
{
	const Elf64_Ehdr *h = &s->header;
	Elf64_Shdr first;
	size_t names = h->e_shstrndx;

	if (h->e_shoff == 0)
		return (NULL);
	if (h->e_shentsize != sizeof(first) ||
	    !usdt_read_at(s->fd, &first, sizeof(first), h->e_shoff))
		return (usdt_damaged);
	s->count = h->e_shnum != 0 ? h->e_shnum : first.sh_size;
	if (names == SHN_XINDEX)
		names = first.sh_link;
	if (s->count > SECTIONS_MAX || names >= s->count)
		return (usdt_damaged);
	s->all = usdt_copy(s->fd, h->e_shoff, s->count * sizeof(first),
	    SECTIONS_MAX * sizeof(first));
	if (s->all == NULL)
		return (usdt_damaged);
	s->names_size = s->all[names].sh_size;
	s->names = usdt_copy(s->fd, s->all[names].sh_offset, s->names_size,
	    NAMES_MAX);
	return (s->names == NULL ? usdt_damaged : NULL);
}

const Elf64_Shdr *
usdt_sections_find(const struct usdt_sections *s, const char *name)
{
	size_t i;

	for (i = 0; i < s->count; i++)
		if (s->all[i].sh_name < s->names_size &&
		    strcmp(s->names + s->all[i].sh_name, name) == 0)
			return (&s->all[i]);
	return (NULL);
}

const char *
usdt_sections_read(struct usdt_sections *s, int fd)
{
	const char *error;

	*s = (struct usdt_sections){ .fd = fd };
	if ((error = read_header(s)) == NULL)
		error = read_sections(s);
	return (error);
}

void
usdt_sections_free(struct usdt_sections *s)
{
	free(s->all);
	free(s->names);
}
