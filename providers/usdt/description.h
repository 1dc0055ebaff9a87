/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Provider files: what probes a program has, in the words of DTrace.
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

/* As many as systemtap's macros take; TBUF_ARGS_MAX of them are traced. */
#define USDT_ARGUMENTS	12

#define USDT_NAME	64	/* bytes of a name, with its NUL */

struct usdt_argument {
	enum tbuf_type type;	/* TBUF_NONE: as wide as the site has it */
	char name[USDT_NAME];	/* "" if it has none */
	unsigned length;	/* 0, or 1 + the number of the argument that
				 * says how long the text is */
};

struct usdt_description {
	char provider[USDT_NAME];
	char name[USDT_NAME];	/* as it is written, with `__` */
	unsigned nargs;
	struct usdt_argument args[USDT_ARGUMENTS];
};

/*
 * Visit each probe of a text, which a NUL ends.  Returns NULL, or what is wrong
 * in *line, from 1 on; probes before it have been visited.  Takes no memory.
 */
const char *usdt_describe(const char *text, void (*visit)(void *,
	    const struct usdt_description *), void *arg, unsigned *line);

#pragma GCC visibility pop

#endif
