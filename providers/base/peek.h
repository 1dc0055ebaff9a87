/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads by the functions that stubs call, of memory of the program that may be
 * unmapped, also during the read.
 */
#ifndef PROVIDERS_BASE_PEEK_H
#define PROVIDERS_BASE_PEEK_H

#include <stddef.h>
#include <stdint.h>

#include "base/safe_read.h"

#pragma GCC visibility push(hidden)

/*
 * Copies at most `size` bytes, and none beyond the end of the page, as the next
 * page may not be mapped.  Returns the number of bytes copied, or a negative
 * errno.
 */
long	peek(enum tbuf_peek, uintptr_t from, char *to, size_t size);

/* Returns the length of the text, `size` if it has no NUL. */
size_t	peek_length(const volatile char *text, size_t size);

#pragma GCC visibility pop

#endif
