/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Texts of scripts, read from files or preprocessed by cpp(1).
 */
#ifndef TBUFCTL_SCRIPT_CPP_H
#define TBUFCTL_SCRIPT_CPP_H

#include <stddef.h>

struct d_settings;

/*
 * Reads a file.  Returns its text with a NUL at the end, for the caller to
 * free; NULL and errno if it cannot be read, EFBIG if it exceeds 16 MiB, EINTR
 * after a signal that ends the run.
 */
char	*text_read(const char *path, size_t *length);

/*
 * Preprocesses a text, without its line of #!, and frees it.  Returns the
 * result; NULL and *why after a failure.
 */
char	*cpp_run(const struct d_settings *, char *text, size_t *length,
	    const char **why);

#endif
