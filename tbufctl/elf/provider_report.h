/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Report files, which providers that are preloaded into a command write about
 * its code: for each place a line with the place, ": ", and the result.
 */
#ifndef TBUFCTL_ELF_PROVIDER_REPORT_H
#define TBUFCTL_ELF_PROVIDER_REPORT_H

#include <stdio.h>

struct told {
	char *setting;		/* NAME=PATH, for the environment */
	const char *path;	/* in setting */
	FILE *file;		/* NULL: there is no report */
};

/*
 * told_begin() creates a report file.  Returns NAME=PATH for the command's
 * environment, or NULL without a file.  told_end() visits each line of the
 * report, none of which is trusted, and removes the file.
 */
const char *told_begin(struct told *, const char *name);
void	told_end(struct told *, void (*)(void *, char *line), void *);

#endif
