/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An arena, which is freed as a whole.  All memory of a compiler is in one, so
 * an error may longjmp from anywhere.
 */
#ifndef LIBTBUFD_TREE_ARENA_H
#define LIBTBUFD_TREE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena {
	struct arena_chunk *chunks;
	char *at, *end;		/* free part of the newest chunk */
};

void	arena_free(struct arena *arena);
/* Returns zeroed memory, aligned for any type; NULL if there is none. */
void	*arena_allocate(struct arena *arena, size_t size);

/* For a compiler, which fails with an error if there is no memory. */
struct d_compiler;
void	*d_allocate(struct d_compiler *c, size_t size);
char	*d_copy(struct d_compiler *c, const char *text, size_t length);
char	*d_format(struct d_compiler *c, const char *format, ...)
	    __attribute__((format(printf, 2, 3)));

#endif
