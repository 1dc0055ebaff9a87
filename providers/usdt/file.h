/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Provider files: reading them, and the installed ones.
 */
#ifndef TBUF_PROVIDERS_USDT_FILE_H
#define TBUF_PROVIDERS_USDT_FILE_H

#include "probe.h"

#pragma GCC visibility push(hidden)

/*
 * Calls visit() for each probe of a file.  Returns NULL, or the error in *line,
 * or, if that is 0, the reason why the file could not be read; probes before it
 * have been visited.
 */
const char *usdt_file_read(const char *path, void (*visit)(void *,
	    const struct usdt_description *), void *arg, unsigned *line);

/* Returns the directory of the files that are installed. */
const char *usdt_files_directory(void);

/* Visits the probes of the file that is installed for a provider, if any. */
void	usdt_file_installed(const char *provider, void (*visit)(void *,
	    const struct usdt_description *), void *arg);

/* Visits the probes of all files that are installed. */
void	usdt_files_installed(void (*visit)(void *,
	    const struct usdt_description *), void *arg);

#pragma GCC visibility pop

#endif
