/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Texts of scripts, as they are in files or as cpp(1) leaves them.
 */
#ifndef TBUFCTL_SCRIPT_CPP_H
#define TBUFCTL_SCRIPT_CPP_H

#include <stddef.h>

struct d_settings;

/*
 * All of a file, with a NUL behind it, to be freed; NULL and errno when it
 * cannot be read.
 */
char	*text_read(const char *path, size_t *length);

/*
 * What cpp makes of a text, which is freed; NULL, and why, when it failed.  The
 * line of #! is not shown to it.
 */
char	*cpp_run(const struct d_settings *, char *text, size_t *length,
	    const char **why);

#endif
