/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The libc provider: the malloc family.
 *
 * Where the program or a library that comes later has a malloc of its own,
 * that is the real one here, and the probes' module says so.
 */
#include "libc.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

enum {
	MALLOC, CALLOC, REALLOC, REALLOCARRAY, FREE, POSIX_MEMALIGN,
	ALIGNED_ALLOC, MEMALIGN, VALLOC, PVALLOC, NFUNCTIONS
};

static const struct libc_row rows[NFUNCTIONS] = {
	[MALLOC] = { "malloc",
	    "size:u64", "result:ptr errno:i32" },
	[CALLOC] = { "calloc",
	    "nmemb:u64 size:u64", "result:ptr errno:i32" },
	[REALLOC] = { "realloc",
	    "ptr:ptr size:u64", "result:ptr errno:i32" },
	[REALLOCARRAY] = { "reallocarray",
	    "ptr:ptr nmemb:u64 size:u64", "result:ptr errno:i32" },
	[FREE] = { "free",
	    "ptr:ptr", "" },
	[POSIX_MEMALIGN] = { "posix_memalign",
	    "memptr:ptr alignment:u64 size:u64", "result:i32 ptr:ptr" },
	[ALIGNED_ALLOC] = { "aligned_alloc",
	    "alignment:u64 size:u64", "result:ptr errno:i32" },
	[MEMALIGN] = { "memalign",
	    "alignment:u64 size:u64", "result:ptr errno:i32" },
	[VALLOC] = { "valloc",
	    "size:u64", "result:ptr errno:i32" },
	[PVALLOC] = { "pvalloc",
	    "size:u64", "result:ptr errno:i32" },
};

static struct libc_function functions[NFUNCTIONS] =
    LIBC_FUNCTIONS(NFUNCTIONS);

const struct libc_family tbuf_libc_memory = {
	rows, functions, NFUNCTIONS, NULL, NULL, 0
};

/*
 * Memory for dlsym(3) while it looks for the real functions.  A block is
 * preceded by its size and never given back, so it is zero when it is handed
 * out.
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

/* Move a block to memory that can be given back. */
static void *
early_move(void *ptr, size_t size)
{
	size_t old = early_size(ptr);
	void *new = malloc(size);

	if (new != NULL)
		memcpy(new, ptr, old < size ? old : size);
	return (new);
}

/* False while dlsym(3) needs memory to find the function. */
static bool
ready(struct libc_function *f)
{
	return (__builtin_expect(
	    __atomic_load_n(&f->real, __ATOMIC_RELAXED) != NULL, 1) ||
	    (tbuf_libc_resolve() && f->real != NULL));
}

void *
malloc(size_t size)
{
	struct libc_function *f = &functions[MALLOC];
	typeof(malloc) *real;
	void *result;

	if (quiet(f))
		return (REAL(malloc, f)(size));
	if (!ready(f))
		return (early_allocate(size));
	real = f->real;
	FIRE(f->entry, size);
	result = real(size);
	FIRE(f->leave, ADDRESS(result), error_if(result == NULL));
	return (result);
}

void *
calloc(size_t nmemb, size_t size)
{
	struct libc_function *f = &functions[CALLOC];
	typeof(calloc) *real;
	void *result;
	size_t total;

	if (quiet(f))
		return (REAL(calloc, f)(nmemb, size));
	if (!ready(f)) {
		if (__builtin_mul_overflow(nmemb, size, &total))
			total = SIZE_MAX;
		return (early_allocate(total));
	}
	real = f->real;
	FIRE(f->entry, nmemb, size);
	result = real(nmemb, size);
	FIRE(f->leave, ADDRESS(result), error_if(result == NULL));
	return (result);
}

void *
realloc(void *ptr, size_t size)
{
	struct libc_function *f = &functions[REALLOC];
	typeof(realloc) *real;
	void *result;

	if (__builtin_expect(is_early(ptr), 0))
		return (early_move(ptr, size));
	if (quiet(f))
		return (REAL(realloc, f)(ptr, size));
	if (!ready(f))
		/* Where else it may be from cannot be told. */
		return (early_allocate(ptr == NULL ? size : SIZE_MAX));
	real = f->real;
	FIRE(f->entry, ADDRESS(ptr), size);
	result = real(ptr, size);
	/* A size of 0 frees, and there NULL is no failure. */
	FIRE(f->leave, ADDRESS(result), error_if(result == NULL && size != 0));
	return (result);
}

void *
reallocarray(void *ptr, size_t nmemb, size_t size)
{
	struct libc_function *f = &functions[REALLOCARRAY];
	typeof(reallocarray) *real;
	void *result;
	size_t total;

	if (__builtin_expect(is_early(ptr), 0) &&
	    !__builtin_mul_overflow(nmemb, size, &total))
		return (early_move(ptr, total));
	if (quiet(f))
		return (REAL(reallocarray, f)(ptr, nmemb, size));
	real = tbuf_libc_real(f);
	FIRE(f->entry, ADDRESS(ptr), nmemb, size);
	result = real(ptr, nmemb, size);
	FIRE(f->leave, ADDRESS(result),
	    error_if(result == NULL && nmemb != 0 && size != 0));
	return (result);
}

void
free(void *ptr)
{
	struct libc_function *f = &functions[FREE];
	typeof(free) *real;

	/* Nothing that dlsym(3) got elsewhere can be given back under it. */
	if (__builtin_expect(is_early(ptr), 0))
		return;
	if (quiet(f)) {
		REAL(free, f)(ptr);
		return;
	}
	if (!ready(f))
		return;
	real = f->real;
	FIRE(f->entry, ADDRESS(ptr));
	real(ptr);
	FIRE(f->leave, 0);
}

int
posix_memalign(void **memptr, size_t alignment, size_t size)
{
	struct libc_function *f = &functions[POSIX_MEMALIGN];
	typeof(posix_memalign) *real;
	int result;

	if (quiet(f))
		return (REAL(posix_memalign, f)(memptr, alignment, size));
	real = tbuf_libc_real(f);
	FIRE(f->entry, ADDRESS(memptr), alignment, size);
	result = real(memptr, alignment, size);
	FIRE(f->leave, result, result == 0 ? ADDRESS(*memptr) : 0);
	return (result);
}

void *
aligned_alloc(size_t alignment, size_t size)
{
	struct libc_function *f = &functions[ALIGNED_ALLOC];
	typeof(aligned_alloc) *real;
	void *result;

	if (quiet(f))
		return (REAL(aligned_alloc, f)(alignment, size));
	real = tbuf_libc_real(f);
	FIRE(f->entry, alignment, size);
	result = real(alignment, size);
	FIRE(f->leave, ADDRESS(result), error_if(result == NULL));
	return (result);
}

void *
memalign(size_t alignment, size_t size)
{
	struct libc_function *f = &functions[MEMALIGN];
	typeof(memalign) *real;
	void *result;

	if (quiet(f))
		return (REAL(memalign, f)(alignment, size));
	real = tbuf_libc_real(f);
	FIRE(f->entry, alignment, size);
	result = real(alignment, size);
	FIRE(f->leave, ADDRESS(result), error_if(result == NULL));
	return (result);
}

void *
valloc(size_t size)
{
	struct libc_function *f = &functions[VALLOC];
	typeof(valloc) *real;
	void *result;

	if (quiet(f))
		return (REAL(valloc, f)(size));
	real = tbuf_libc_real(f);
	FIRE(f->entry, size);
	result = real(size);
	FIRE(f->leave, ADDRESS(result), error_if(result == NULL));
	return (result);
}

void *
pvalloc(size_t size)
{
	struct libc_function *f = &functions[PVALLOC];
	typeof(pvalloc) *real;
	void *result;

	if (quiet(f))
		return (REAL(pvalloc, f)(size));
	real = tbuf_libc_real(f);
	FIRE(f->entry, size);
	result = real(size);
	FIRE(f->leave, ADDRESS(result), error_if(result == NULL));
	return (result);
}
