/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The file of debug information of an object, which has the symbols that the
 * object was stripped of.
 */
#ifndef TBUF_PROVIDERS_USDT_DEBUG_FILE_H
#define TBUF_PROVIDERS_USDT_DEBUG_FILE_H

#include <stddef.h>

#pragma GCC visibility push(hidden)

/*
 * Opens the file that a build ID names, if it has this ID.  Returns a
 * descriptor, or -1.
 */
int	usdt_debug_open(const unsigned char *id, size_t size);

#pragma GCC visibility pop

#endif
