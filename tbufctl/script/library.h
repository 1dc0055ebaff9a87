/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -L: libraries of D, which are compiled before everything else.
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
	bool sorted;		/* after all that it depends on */
};

struct libraries {
	struct library *all;	/* each after those it depends on */
	size_t count;
	char *wrong;		/* an error in dependencies, or NULL */
};

/* Reads all *.d in the directories; files that cannot be read are left out. */
void	libraries_read(struct libraries *, const struct words *directories);
void	libraries_free(struct libraries *);

#endif
