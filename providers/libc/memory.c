/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The libc provider: the malloc family.
 *
 * If the program, or a library that comes later, has a malloc of its own, that
 * is the real one here, and the module of the probes is its file.
 */
#include "libc.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS	MEMORY_FUNCTIONS

LIBC_FAMILY(tbuf_libc_memory)

/*
 * Memory for dlsym(3) while it finds the real functions.  A block comes after
 * its size and is never freed, so every block is zeroed when it is allocated.
 */
#define EARLY_SIZE	32768
#define EARLY_ALIGN	16

static union {
	char bytes[EARLY_SIZE];
	max_align_t align;
} early;
static size_t early_used;

static bool
is_early(const void *ptr)
{
	return ((uintptr_t)ptr - (uintptr_t)early.bytes < EARLY_SIZE);
}

static void *
early_allocate(size_t size)
{
	size_t need, at;
	char *block;

	if (size > EARLY_SIZE - 2 * EARLY_ALIGN) {
		errno = ENOMEM;
		return (NULL);
	}
	need = EARLY_ALIGN + ((size + EARLY_ALIGN - 1) & -(size_t)EARLY_ALIGN);
	at = __atomic_load_n(&early_used, __ATOMIC_RELAXED);
	do {
		if (need > EARLY_SIZE - at) {
			errno = ENOMEM;
			return (NULL);
		}
	} while (!__atomic_compare_exchange_n(&early_used, &at, at + need,
	    true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	block = early.bytes + at;
	memcpy(block, &size, sizeof(size));
	return (block + EARLY_ALIGN);
}

static size_t
early_size(const void *ptr)
{
	size_t size;

	memcpy(&size, (const char *)ptr - EARLY_ALIGN, sizeof(size));
	return (size);
}

/* Moves a block to memory that can be freed. */
static void *
early_move(void *ptr, size_t size)
{
	size_t old = early_size(ptr);
	void *new = malloc(size);

	if (new != NULL)
		memcpy(new, ptr, old < size ? old : size);
	return (new);
}

/* Returns false while dlsym(3) needs memory to find the function. */
static bool
ready(struct libc_function *f)
{
	return (__builtin_expect(
	    __atomic_load_n(&f->real, __ATOMIC_RELAXED) != NULL, 1) ||
	    (tbuf_libc_resolve() && f->real != NULL));
}

TRACED_CALL(void *, malloc, (size_t size), (size), (size), ADDRESS(result),
    error_if(result == NULL))

void *
malloc(size_t size)
{
	struct libc_function *f = &functions[FN_malloc];

	if (quiet(f))
		return (REAL(malloc, f)(size));
	if (!ready(f))
		return (early_allocate(size));
	PASS(malloc, malloc, (size));
}

TRACED_CALL(void *, calloc, (size_t nmemb, size_t size), (nmemb, size), (nmemb,
    size), ADDRESS(result), error_if(result == NULL))

void *
calloc(size_t nmemb, size_t size)
{
	struct libc_function *f = &functions[FN_calloc];
	size_t total;

	if (quiet(f))
		return (REAL(calloc, f)(nmemb, size));
	if (!ready(f)) {
		if (__builtin_mul_overflow(nmemb, size, &total))
			total = SIZE_MAX;
		return (early_allocate(total));
	}
	PASS(calloc, calloc, (nmemb, size));
}

/* A size of 0 frees the block; a result of NULL is no failure then. */
TRACED_CALL(void *, realloc, (void *ptr, size_t size), (ptr, size),
    (ADDRESS(ptr), size), ADDRESS(result),
    error_if(result == NULL && size != 0))

void *
realloc(void *ptr, size_t size)
{
	struct libc_function *f = &functions[FN_realloc];

	if (__builtin_expect(is_early(ptr), 0))
		return (early_move(ptr, size));
	if (quiet(f))
		return (REAL(realloc, f)(ptr, size));
	if (!ready(f))
		/* The size of a block from elsewhere is not known. */
		return (early_allocate(ptr == NULL ? size : SIZE_MAX));
	PASS(realloc, realloc, (ptr, size));
}

TRACED_CALL(void *, reallocarray, (void *ptr, size_t nmemb, size_t size), (ptr,
    nmemb, size), (ADDRESS(ptr), nmemb, size), ADDRESS(result),
    error_if(result == NULL && nmemb != 0 && size != 0))

void *
reallocarray(void *ptr, size_t nmemb, size_t size)
{
	size_t total;

	if (__builtin_expect(is_early(ptr), 0) &&
	    !__builtin_mul_overflow(nmemb, size, &total))
		return (early_move(ptr, total));
	PASS(reallocarray, reallocarray, (ptr, nmemb, size));
}

TRACED void
traced_free(void *ptr)
{
	struct libc_function *f = &functions[FN_free];

	FIRE(f->entry, ADDRESS(ptr));
	REAL(free, f)(ptr);
	FIRE(f->leave, 0);
}

void
free(void *ptr)
{
	struct libc_function *f = &functions[FN_free];

	/* Early blocks are never freed, nor others until free() is found. */
	if (__builtin_expect(is_early(ptr), 0))
		return;
	if (quiet(f))
		REAL(free, f)(ptr);
	else if (!ready(f))
		return;
	else if (is_own(__builtin_return_address(0)))
		REAL(free, f)(ptr);
	else
		traced_free(ptr);
}

WRAPPER(int, posix_memalign, (void **memptr, size_t alignment, size_t size),
    (memptr, alignment, size), (ADDRESS(memptr), alignment, size), result,
    result == 0 ? ADDRESS(*memptr) : 0)

WRAPPER(void *, aligned_alloc, (size_t alignment, size_t size), (alignment,
    size), (alignment, size), ADDRESS(result), error_if(result == NULL))

WRAPPER(void *, memalign, (size_t alignment, size_t size), (alignment, size),
    (alignment, size), ADDRESS(result), error_if(result == NULL))

WRAPPER(void *, valloc, (size_t size), (size), (size), ADDRESS(result),
    error_if(result == NULL))

WRAPPER(void *, pvalloc, (size_t size), (size), (size), ADDRESS(result),
    error_if(result == NULL))
