/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Where provider files are.
 */
#ifndef TBUF_PROVIDERS_USDT_FILE_H
#define TBUF_PROVIDERS_USDT_FILE_H

#include "probe.h"

#pragma GCC visibility push(hidden)

/*
 * Visit the probes of a file.  Returns NULL, or what is wrong in *line, or, if
 * that is 0, why it could not be read; probes before it have been visited.
 */
const char *usdt_file_read(const char *path, void (*visit)(void *,
	    const struct usdt_description *), void *arg, unsigned *line);

/* Those of the file that is installed for a provider, if there is one. */
void	usdt_file_installed(const char *provider, void (*visit)(void *,
	    const struct usdt_description *), void *arg);

/* Those of all files that are installed. */
void	usdt_files_installed(void (*visit)(void *,
	    const struct usdt_description *), void *arg);

#pragma GCC visibility pop

#endif
