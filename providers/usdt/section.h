/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * ELF sections of a file, which others may write to: headers, names and each
 * part that is copied are read once.
 */
#ifndef TBUF_PROVIDERS_USDT_SECTION_H
#define TBUF_PROVIDERS_USDT_SECTION_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct usdt_sections {
	int fd;
	Elf64_Ehdr header;
	Elf64_Shdr *all;
	size_t count;
	char *names;
	size_t names_size;
};

extern const char usdt_damaged[];

/* Returns NULL, or the reason of a failure; free the sections in any case. */
const char *usdt_sections_read(struct usdt_sections *, int fd);
void	usdt_sections_free(struct usdt_sections *);

/* Returns the first section of a name, or NULL. */
const Elf64_Shdr *usdt_sections_find(const struct usdt_sections *,
	    const char *name);

bool	usdt_read_at(int fd, void *to, size_t size, uint64_t offset);

/*
 * Allocates a table: one of some size has large pages, as the first access to
 * each page costs a fault.  Its bytes are 0.
 */
void	*usdt_table(size_t size);
void	usdt_table_free(void *, size_t size);

/* Returns a copy of a part of a file, with a NUL; NULL beyond `max` bytes. */
void	*usdt_copy(int fd, uint64_t offset, uint64_t size, size_t max);

#pragma GCC visibility pop

#endif
