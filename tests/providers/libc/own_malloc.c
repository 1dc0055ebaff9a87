/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A program with a malloc of its own, which a provider must not replace: the
 * program's definitions take precedence in all objects.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static union {
	char bytes[1 << 22];
	max_align_t align;
} heap;
static size_t used;
static unsigned allocations, frees;

static int
is_own(const void *p)
{
	return ((size_t)((const char *)p - heap.bytes) < sizeof(heap.bytes));
}

void *
malloc(size_t size)
{
	size_t at = used;

	if (size > sizeof(heap.bytes) - 64 - at) {
		errno = ENOMEM;
		return (NULL);
	}
	memcpy(heap.bytes + at, &size, sizeof(size));
	used = (at + 16 + size + 15) & ~(size_t)15;
	allocations++;
	return (heap.bytes + at + 16);
}

void
free(void *p)
{
	if (p == NULL)
		return;
	if (!is_own(p))
		abort();
	frees++;
}

void *
calloc(size_t n, size_t size)
{
	return (malloc(n * size));
}

void *
realloc(void *p, size_t size)
{
	void *new = malloc(size);
	size_t old;

	if (p == NULL || new == NULL)
		return (new);
	if (!is_own(p))
		abort();
	memcpy(&old, (char *)p - 16, sizeof(old));
	memcpy(new, p, old < size ? old : size);
	return (new);
}

int
main(void)
{
	char *line = NULL, *copy = strdup("copied");
	size_t size = 0;
	FILE *file = fopen("/proc/self/stat", "r");

	if (file == NULL || getline(&line, &size, file) <= 0)
		return (1);
	fclose(file);
	if (!is_own(line) || !is_own(copy))
		return (2);
	free(line);
	free(copy);
	if (allocations < 3 || frees < 2)
		return (3);
	puts("own malloc used");
	return (0);
}
