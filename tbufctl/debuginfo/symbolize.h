/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The names that addresses of programs have.
 */
#ifndef TBUFCTL_DEBUGINFO_SYMBOLIZE_H
#define TBUFCTL_DEBUGINFO_SYMBOLIZE_H

#include <stdbool.h>
#include <stdint.h>

struct tbuf_consumer;

/* Texts are valid until symbol_free(). */
struct symbol {
	const char *module;	/* base name of the file; NULL: not known */
	const char *function;	/* or NULL */
	uint64_t offset;	/* in it */
	uint64_t start;		/* of what of the file is mapped there */
};

/* What an address of an image is; false: nothing is known of it. */
bool	symbol_find(struct tbuf_consumer *, uint64_t image, uint64_t address,
	    struct symbol *);
void	symbol_free(void);

#endif
