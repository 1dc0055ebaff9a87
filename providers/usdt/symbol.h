/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The table of all symbols, which a file has unless it is stripped: static
 * variables and functions stand in no other.
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
	size_t count;		/* 0: there is no table */
	char *names;
	size_t names_size;
	struct usdt_function *functions;	/* sorted when one is wanted */
	size_t nfunctions;
};

/* What cannot be read is no table. */
void	usdt_symbols_read(struct usdt_symbols *, int fd);
void	usdt_symbols_free(struct usdt_symbols *);

/*
 * The address of a variable, as the object is linked.  False if there is none,
 * or several of that name, of which nobody says which is meant.
 */
bool	usdt_symbol_find(const struct usdt_symbols *, const char *name,
	    uint64_t *address);

/*
 * The name of the function that has the address, as the object is linked, or
 * NULL.  Of several names one that others may see is taken.
 */
const char *usdt_symbol_function(struct usdt_symbols *, uint64_t address);

#pragma GCC visibility pop

#endif
