/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The table of all symbols, which a file has unless it is stripped: no other
 * table has static variables and functions.
 */
#ifndef TBUF_PROVIDERS_USDT_SYMBOL_H
#define TBUF_PROVIDERS_USDT_SYMBOL_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct usdt_function;

struct usdt_symbols {
	Elf64_Sym *all;
	size_t all_size, count;	/* bytes; symbols, 0: there is no table */
	char *names;
	size_t names_size;
	struct usdt_function *functions;	/* sorted at the first use */
	size_t nfunctions;
};

/* Reads the table; a table that cannot be read is empty. */
void	usdt_symbols_read(struct usdt_symbols *, int fd);

/* Reads the loader's table, which a stripped file has, too. */
void	usdt_symbols_read_loader(struct usdt_symbols *, int fd);
void	usdt_symbols_free(struct usdt_symbols *);

/*
 * Finds the address of a variable, as the object is linked.  Returns false if
 * there is none, or if several variables have that name.
 */
bool	usdt_symbol_find(const struct usdt_symbols *, const char *name,
	    uint64_t *address);

/*
 * Returns the name of the function that has the address, as the object is
 * linked, or NULL.  A global name is preferred.
 */
const char *usdt_symbol_function(struct usdt_symbols *, uint64_t address);

#pragma GCC visibility pop

#endif
