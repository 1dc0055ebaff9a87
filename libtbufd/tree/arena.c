/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "compiler.h"
#include "errors.h"

#define CHUNK_SIZE	((size_t)64 << 10)

struct arena_chunk {
	struct arena_chunk *next;
	alignas(max_align_t) char bytes[];
};

void
arena_free(struct arena *arena)
{
	struct arena_chunk *chunk, *next;

	for (chunk = arena->chunks; chunk != NULL; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	*arena = (struct arena){ 0 };
}

static bool
grow(struct arena *arena, size_t size)
{
	struct arena_chunk *chunk;
	size_t room = size > CHUNK_SIZE ? size : CHUNK_SIZE;

	if (size > SIZE_MAX / 2 ||
	    (chunk = calloc(1, sizeof(*chunk) + room)) == NULL)
		return (false);
	chunk->next = arena->chunks;
	arena->chunks = chunk;
	arena->at = chunk->bytes;
	arena->end = chunk->bytes + room;
	return (true);
}

void *
arena_allocate(struct arena *arena, size_t size)
{
	void *memory;

	size = (size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
	if (arena->at == NULL || size > (size_t)(arena->end - arena->at))
		if (!grow(arena, size))
			return (NULL);
	memory = arena->at;
	arena->at += size;
	return (memory);
}

void *
d_allocate(struct d_compiler *c, size_t size)
{
	void *memory = arena_allocate(&c->arena, size);

	if (memory == NULL)
		d_fail(c, D_UNKNOWN, "Memory allocation failure");
	return (memory);
}

char *
d_copy(struct d_compiler *c, const char *text, size_t length)
{
	char *copy = d_allocate(c, length + 1);

	memcpy(copy, text, length);
	return (copy);
}

char *
d_format(struct d_compiler *c, const char *format, ...)
{
	va_list arguments;
	char *text;
	int length;

	va_start(arguments, format);
	length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	if (length < 0)
		length = 0;
	text = d_allocate(c, (size_t)length + 1);
	va_start(arguments, format);
	vsnprintf(text, (size_t)length + 1, format, arguments);
	va_end(arguments);
	return (text);
}
