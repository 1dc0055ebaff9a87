/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Safe reads of the program's memory by a provider.  Part of a fire: compiled
 * with -mgeneral-regs-only.
 */
#include "peek.h"

#define PAGE	4096u

long
peek(enum tbuf_peek way, uintptr_t from, char *to, size_t size)
{
	size_t most = PAGE - from % PAGE < size ? PAGE - from % PAGE : size;
	const struct iovec piece = { (void *)from, most };

	return (tbuf_peek(way, &piece, 1, to, most));
}

/* Replaces strnlen(3) of the C library, which would use vector registers. */
size_t
peek_length(const volatile char *text, size_t size)
{
	size_t n = 0;

	while (n < size && text[n] != '\0')
		n++;
	return (n);
}
