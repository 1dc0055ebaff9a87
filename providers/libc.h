/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The libc provider's inside: functions of the C library that are interposed
 * so that their calls and returns are probes, libc:MODULE:FUNCTION:entry and
 * :return.  Each family of functions is a table, one row a function, and a
 * wrapper for each row:
 *
 *	ssize_t
 *	read(int fd, void *buf, size_t count)
 *	{
 *		struct libc_function *f = &functions[READ];
 *		typeof(read) *real = tbuf_libc_real(f);
 *		ssize_t result;
 *
 *		FIRE(f->entry, fd, ADDRESS(buf), count);
 *		result = real(fd, buf, count);
 *		FIRE(f->leave, result, error_if(result == -1));
 *		return (result);
 *	}
 *
 * RULES OF A WRAPPER
 *
 *   -	The caller's memory is not read before the call has succeeded.
 *   -	errno is the real function's.  Firing leaves it alone.
 *   -	Nothing has to be undone: the real function may not come back (a
 *	cancelled thread, longjmp out of a handler, exec, exit).
 *   -	It may run in a handler, in a forked child, and before this object's
 *	constructor: no allocation, no stdio, no lock.
 *   -	Without a consumer it costs a load and a branch a probe.
 */
#ifndef TBUF_PROVIDERS_LIBC_H
#define TBUF_PROVIDERS_LIBC_H

/*
 * The functions are defined here under their own names, so the headers must
 * neither define checking versions of them nor rename them.
 */
#undef _FORTIFY_SOURCE
#undef _FILE_OFFSET_BITS

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tbuf.h>

#pragma GCC visibility push(hidden)

/*
 * A row.  Arguments are written as "name:type name:type", the types being
 * i32 u32 i64 u64 ptr str, as tbuf_libc(7) lists them.
 */
struct libc_row {
	const char *name;
	const char *entry;	/* NULL: fires the probes of another row */
	const char *leave;	/* NULL: does not return */
};

struct libc_function {
	void *real;		/* the next definition, once it is known */
	struct tbuf_site entry;
	struct tbuf_site leave;
};

/* A probe of a function that is neither its entry nor its return. */
struct libc_event {
	const char *name;
	const char *arguments;
	unsigned function;	/* its row */
};

struct libc_family {
	const struct libc_row *rows;
	struct libc_function *functions;
	unsigned nrows;
	const struct libc_event *events;
	struct tbuf_site *sites;	/* of the events */
	unsigned nevents;
};

extern const struct libc_family tbuf_libc_memory;
extern const struct libc_family tbuf_libc_file;
extern const struct libc_family tbuf_libc_socket;
extern const struct libc_family tbuf_libc_thread;
extern const struct libc_family tbuf_libc_process;

/* Arrange for exit:entry to fire when main returns. */
void	tbuf_libc_process_begin(void);

/*
 * Find the real functions, all at once.  False if the calling thread is at it
 * already: dlsym(3) itself has called one of them.
 */
bool	tbuf_libc_resolve(void);

/* The same for one function, whatever else is under way. */
void	*tbuf_libc_find(struct libc_function *);

/*
 * Is this address in libtbuf?  What the library does for itself (it opens and
 * closes its control file) is not the program's.
 */
bool	tbuf_libc_is_library(const void *address);

/* Register the probes, if it is time to: a call came before the constructor. */
void	tbuf_libc_begin(void);

#pragma GCC visibility pop

/* The real function; void *, so that it fits every pointer to a function. */
static inline void *
tbuf_libc_real(struct libc_function *f)
{
	void *real = __atomic_load_n(&f->real, __ATOMIC_RELAXED);

	return (__builtin_expect(real != NULL, 1) ? real : tbuf_libc_find(f));
}

/*
 * A return's errno: 0 where the call succeeded.
 */
static inline int
error_if(bool failed)
{
	return (failed ? errno : 0);
}

/* A pointer as a probe's value. */
#define ADDRESS(pointer)	((uintptr_t)(pointer))

/*
 * Fire a wrapper's probe.  A macro, for the return address has to be the
 * wrapper's own, and values are made only if somebody wants them.
 */
#define FIRE(site, ...)							\
do {									\
	if (__builtin_expect((site).enabled == NULL, 0))		\
		tbuf_libc_begin();					\
	if (__builtin_expect(tbuf_probe_enabled(&(site)), 0) &&	\
	    !tbuf_libc_is_library(__builtin_return_address(0)))		\
		tbuf_probe_fire(&(site),				\
		    (const uint64_t[]){ __VA_ARGS__ });			\
} while (0)

#endif
