/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Provider files, which describe the probes of a program as DTrace has them.
 *
 *	provider kv {
 *		probe request__start(int id, const char *path);
 *		probe request__done(char answer[size], int size);
 *	};
 */
#ifndef TBUF_PROVIDERS_USDT_DESCRIPTION_H
#define TBUF_PROVIDERS_USDT_DESCRIPTION_H

#include <stddef.h>

#include <tbuf.h>

#pragma GCC visibility push(hidden)

/* The limit of systemtap's macros; TBUF_ARGS_MAX of these are traced. */
#define USDT_ARGUMENTS	12

#define USDT_NAME	64	/* bytes of a name, with its NUL */

struct usdt_argument {
	enum tbuf_type type;	/* TBUF_NONE: as wide as at the site */
	char name[USDT_NAME];	/* "" if it has none */
	unsigned length;	/* 0, or 1 + the index of the text's length */
};

struct usdt_description {
	char provider[USDT_NAME];
	char name[USDT_NAME];	/* as it is written, with `__` */
	unsigned nargs;
	struct usdt_argument args[USDT_ARGUMENTS];
};

/*
 * Calls visit() for each probe of a text that ends with a NUL.  Returns NULL,
 * or the error in *line, from 1 on; probes before it have been visited.
 * Allocates nothing.
 */
const char *usdt_describe(const char *text, void (*visit)(void *,
	    const struct usdt_description *), void *arg, unsigned *line);

#pragma GCC visibility pop

#endif
