/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Files in which providers that are preloaded into a command tell of its code,
 * a line a place: where that is, ": ", and what became of it.
 */
#ifndef TBUFCTL_ELF_PROVIDER_REPORT_H
#define TBUFCTL_ELF_PROVIDER_REPORT_H

#include <stdio.h>

struct told {
	char *setting;		/* of the environment */
	const char *path;	/* in it */
	FILE *file;		/* NULL: nobody tells */
};

/*
 * What to set in the command's environment: NAME=PATH, or NULL if there can be
 * no file; and afterwards, to see each line, of which nothing is proven.
 */
const char *told_begin(struct told *, const char *name);
void	told_end(struct told *, void (*)(void *, char *line), void *);

#endif
