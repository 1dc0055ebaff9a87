/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A table of texts, each stored once: arguments of programs may be a million
 * different ones, or one a million times.
 */
#ifndef TBUFCTL_VIEW_TEXTS_H
#define TBUFCTL_VIEW_TEXTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/output.h"

struct texts {
	struct output bytes;	/* all texts, one after the other */
	size_t *ends;		/* where each of them ends */
	uint32_t count;
	uint32_t *slots;	/* numbers + 1 by hash; 0: free */
	size_t nslots;		/* a power of two */
};

void	texts_init(struct texts *);

/* Returns the number of a text, from 0 on, and adds it if it is new. */
uint32_t texts_number(struct texts *, const char *text, size_t size);

void	texts_free(struct texts *);

#endif
