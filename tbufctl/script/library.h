/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -L: libraries of D, which are compiled before anything else.
 */
#ifndef TBUFCTL_SCRIPT_LIBRARY_H
#define TBUFCTL_SCRIPT_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

struct words;

struct library {
	char *path;
	char *name;		/* without its directory */
	char *text;
	size_t length;
	bool visited;
	bool sorted;		/* and all that it depends on */
};

struct libraries {
	struct library *all;	/* those that others depend on come first */
	size_t count;
	char *wrong;		/* with what they depend on, or NULL */
};

/* All *.d in these directories; one that cannot be read is left out. */
void	libraries_read(struct libraries *, const struct words *directories);
void	libraries_free(struct libraries *);

#endif
