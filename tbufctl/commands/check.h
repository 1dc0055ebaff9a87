/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compares the probes of an earlier list, tbufctl -l --format=json, with the
 * present ones.
 */
#ifndef TBUFCTL_COMMANDS_CHECK_H
#define TBUFCTL_COMMANDS_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#define LISTED_ARGS	10
#define LISTED_NAME	255	/* bytes of a field, and of an argument's */

struct output;

/* A probe of a list.  Its strings have no control characters. */
struct listing_probe {
	const char *fields[4];	/* provider, module, function, name */
	unsigned id;
	unsigned code;		/* or 0 */
	unsigned nargs;
	struct {
		const char *name, *type;
	} args[LISTED_ARGS];
	bool met;		/* the other list has it, maybe changed */
};

struct listing {
	struct listing_probe *all;
	size_t count, room;
};

void	listing_add(struct listing *, const struct listing_probe *);
void	listing_free(struct listing *);

/*
 * Parses a list, `size` bytes and a NUL after them, which it overwrites and
 * which has to stay, and leaves out tbufctl's own probes.  Returns 0, or the
 * number of the first line that is not one of a list.
 */
size_t	listing_parse(struct listing *, char *text, size_t size);

/*
 * Prints a line for each difference.  Returns true if one is `median`: a
 * reader of the old probes would break.
 */
bool	listing_compare(struct listing *before, struct listing *now,
	    struct output *);

#endif
