/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Report files, which providers that are preloaded into a command write about
 * its code: for each place a line with the place, ": ", and the result.
 */
#ifndef TBUFCTL_ELF_PROVIDER_REPORT_H
#define TBUFCTL_ELF_PROVIDER_REPORT_H

#include <stdio.h>

struct report {
	char *setting;		/* NAME=PATH, for the environment */
	const char *path;	/* in setting */
	FILE *file;		/* NULL: there is no report */
};

/*
 * report_begin() creates a report file.  Returns NAME=PATH for the command's
 * environment, or NULL without a file.  report_look() visits each line that has
 * been added to the report, none of which is trusted; report_end() does it for
 * the last time, and removes the file.
 */
const char *report_begin(struct report *, const char *name);
void	report_look(struct report *, void (*)(void *, char *line), void *);
void	report_end(struct report *, void (*)(void *, char *line), void *);

#endif
