/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Report files, to which providers append lines about places in the program.
 * The environment names them.
 */
#ifndef PROVIDERS_BASE_REPORT_H
#define PROVIDERS_BASE_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#pragma GCC visibility push(hidden)

/*
 * Opens the file that a variable names.  A file that must exist must be a
 * regular one of this user, as the name may have outlived it.  Returns NULL
 * without one.
 */
FILE	*provider_report_open(const char *setting, bool must_exist);

/* Opens such a file that must exist, to read it.  Returns -1 without one. */
int	provider_report_read(const char *setting);

/*
 * Sets a variable of the environment, or removes it (value is NULL), by the C
 * library's functions: those of a program, as bash has them, may make variables
 * of its own before it knows those of the environment.
 */
void	provider_setenv(const char *name, const char *value);

#pragma GCC visibility pop

#endif
