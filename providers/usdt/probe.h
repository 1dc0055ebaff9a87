/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A probe, made from the notes that have its name.
 */
#ifndef TBUF_PROVIDERS_USDT_PROBE_H
#define TBUF_PROVIDERS_USDT_PROBE_H

#include <tbuf.h>

#include "description.h"
#include "note.h"

#pragma GCC visibility push(hidden)

struct usdt_probe {
	char provider[USDT_NAME];
	char name[USDT_NAME];		/* as it is traced: request-start */
	char note_name[USDT_NAME];	/* as in notes: request__start */
	unsigned nargs;			/* at most TBUF_ARGS_MAX */
	unsigned cut;			/* arguments beyond that */
	enum tbuf_type types[TBUF_ARGS_MAX];
	char names[TBUF_ARGS_MAX][USDT_NAME];	/* "": argN */
	uint8_t lengths[TBUF_ARGS_MAX];	/* of texts, as in a description */
};

/* Makes a probe.  Returns false if its names are too long, or not valid. */
bool	usdt_probe_make(struct usdt_probe *, const struct usdt_note *);

/*
 * Returns why the site of a note cannot be armed, or NULL if its file does not
 * say.
 */
const char *usdt_note_problem(const struct usdt_object *,
	    const struct usdt_note *);

/* Returns true for a note of the same probe. */
bool	usdt_probe_has(const struct usdt_probe *, const struct usdt_note *);

/*
 * Adds a note: an argument is as wide as the widest of its operands, and the
 * note with the fewest operands determines the number of arguments.
 */
void	usdt_probe_add(struct usdt_probe *, const struct usdt_note *);

/* Applies the description of a provider file, if it is of this probe. */
void	usdt_probe_describe(struct usdt_probe *,
	    const struct usdt_description *);

#pragma GCC visibility pop

#endif
