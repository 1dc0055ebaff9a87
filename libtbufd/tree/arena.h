/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Memory that is freed at once: all that a compiler makes lies here, so an
 * error may leave from anywhere.
 */
#ifndef LIBTBUFD_TREE_ARENA_H
#define LIBTBUFD_TREE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena {
	struct arena_chunk *chunks;
	char *at, *end;		/* what is left of the newest chunk */
};

void	arena_free(struct arena *arena);
/* Zeroed, aligned for anything; NULL if there is no memory. */
void	*arena_allocate(struct arena *arena, size_t size);

/* The same for a compiler, which leaves by its error if there is none. */
struct d_compiler;
void	*d_allocate(struct d_compiler *c, size_t size);
char	*d_copy(struct d_compiler *c, const char *text, size_t length);
char	*d_format(struct d_compiler *c, const char *format, ...)
	    __attribute__((format(printf, 2, 3)));

#endif
