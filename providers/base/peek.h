/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Memory of a program that may not be there, or be unmapped meanwhile, as what
 * stubs call reads it.
 */
#ifndef PROVIDERS_BASE_PEEK_H
#define PROVIDERS_BASE_PEEK_H

#include <stddef.h>
#include <stdint.h>

#include "base/safe_read.h"

#pragma GCC visibility push(hidden)

/*
 * Copy at most `size` bytes, no further than to the end of a page, as the next
 * one may not be there.  Returns how many, or a negative errno.
 */
long	peek(enum tbuf_peek, uintptr_t from, char *to, size_t size);

/* How long a text is: `size`, if it has no end. */
size_t	peek_length(const volatile char *text, size_t size);

#pragma GCC visibility pop

#endif
