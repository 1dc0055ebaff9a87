/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds names of addresses in programs.
 */
#ifndef TBUFCTL_DEBUGINFO_SYMBOLIZE_H
#define TBUFCTL_DEBUGINFO_SYMBOLIZE_H

#include <stdbool.h>
#include <stdint.h>

struct tbuf_consumer;

/* Strings are valid until symbol_free(). */
struct symbol {
	const char *module;	/* base name of the file; NULL: unknown */
	const char *function;	/* NULL: unknown */
	uint64_t offset;	/* in the function */
	uint64_t start;		/* of one mapping of the file in the image */
	uint64_t place;		/* of the address in the file */
};

/* Finds the names of an address of an image; false if no file is known. */
bool	symbol_find(struct tbuf_consumer *, uint64_t image, uint64_t address,
	    struct symbol *);
void	symbol_free(void);

#endif
