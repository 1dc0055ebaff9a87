/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The functions of an object, from its file: those of all symbols, of the file
 * itself or of its debug file, then those that only the tables of unwinders
 * have.  One function has one address; its other names are aliases.
 */
#ifndef TBUF_PROVIDERS_PID_FUNCTIONS_H
#define TBUF_PROVIDERS_PID_FUNCTIONS_H

#include "patch/map.h"
#include "usdt/symbol.h"

#pragma GCC visibility push(hidden)

#define PID_TABLES	3u	/* symbols, the debug file's, the loader's */

struct pid_alias {
	uintptr_t address;
	const char *name;
};

struct pid_functions {
	struct patch_text text;
	struct patch_map map;
	struct usdt_symbols symbols[PID_TABLES];
	struct pid_alias *aliases;	/* by address, then the best first */
	size_t naliases;
	uintptr_t *sites;		/* of the provider usdt */
	size_t codes_size;		/* bytes of the map's functions */
};

/*
 * Finds the functions of the text of an object and makes its map.  `mapped` is
 * the object's memory, `fd` its file.  want() marks functions of the map as
 * wanted, before others are left out, and returns false if there is none; if it
 * is NULL, all are.  Free the functions in any case.  Returns NULL, or why none
 * can be armed.
 */
struct pid_memory {
	struct dl_phdr_info info;
	bool is_fixed;		/* it is linked for certain addresses */
	uintptr_t slide;	/* which these are not */
	bool is_passing;	/* it is read from a file, or may be unloaded */
};

typedef bool pid_want(void *, struct pid_functions *);

const char *pid_functions_find(struct pid_functions *,
	    const struct pid_memory *mapped, int fd, pid_want *, void *);
void	pid_functions_free(struct pid_functions *);

extern const char pid_not_text[];	/* a reason why none can be armed */

/* Returns the first alias of an address, or NULL; others follow it. */
const struct pid_alias *pid_alias_first(const struct pid_functions *,
	    uintptr_t address);

/* Formats the name of a function without a symbol: +offset, hexadecimal. */
#define PID_OFFSET	32u

void	pid_offset(const struct pid_functions *, uintptr_t address,
	    char name[PID_OFFSET]);

#pragma GCC visibility pop

#endif
