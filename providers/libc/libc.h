/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The libc provider's inside: functions of the C library that are interposed
 * so that their calls and returns are probes, libc:MODULE:FUNCTION:entry and
 * :return.  Each family of functions is a table, one row a function, and a
 * wrapper for each row:
 *
 *	WRAPPER(ssize_t, read, (int fd, void *buf, size_t count),
 *	    READ, READ, (fd, buf, count), (fd, ADDRESS(buf), count), OR_ERRNO)
 *
 * What is done for tracers is a function of its own, traced_read(), with a
 * frame record: the wrapper has no frame, and so costs next to nothing where
 * nobody traces the function.
 *
 * RULES OF A WRAPPER
 *
 *   -	The caller's memory is not read before the call has succeeded.
 *   -	errno is the real function's.  Firing leaves it alone.
 *   -	Nothing has to be undone: the real function may not come back (a
 *	cancelled thread, longjmp out of a handler, exec, exit).
 *   -	It may run in a handler, in a forked child, and before this object's
 *	constructor: no allocation, no stdio, no lock.
 *   -	Where nobody traces the function it is left by a jump to the real one
 *	before anything else is done: nothing in it has an address that the
 *	real function could know.
 */
#ifndef PROVIDERS_LIBC_LIBC_H
#define PROVIDERS_LIBC_LIBC_H

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

#include "target/provider.h"

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
	const uint32_t *wanted;	/* two enable words; see quiet() */
	const char *module;	/* base name of its file, as it registers */
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

/*
 * Two words that are not zero: a function that is not known not to be traced.
 * What a table of functions begins as.
 */
extern const uint32_t tbuf_libc_unknown[2];
#define LIBC_FUNCTIONS(n)	{					\
	[0 ... (n) - 1] = { .wanted = tbuf_libc_unknown }		\
}

/*
 * The enable words of two sites, if they lie side by side, which they do when
 * both are registered one after the other; else two that are not zero.
 */
const uint32_t *tbuf_libc_words(const struct tbuf_site *,
	    const struct tbuf_site *);

/* Fire a site that is enabled, for the function with this frame record. */
void	tbuf_libc_fire_1(struct tbuf_site *, const uint64_t *record,
	    const void *sp, uint64_t);
void	tbuf_libc_fire_2(struct tbuf_site *, const uint64_t *record,
	    const void *sp, uint64_t, uint64_t);
void	tbuf_libc_fire_3(struct tbuf_site *, const uint64_t *record,
	    const void *sp, uint64_t, uint64_t, uint64_t);
void	tbuf_libc_fire_4(struct tbuf_site *, const uint64_t *record,
	    const void *sp, uint64_t, uint64_t, uint64_t, uint64_t);
void	tbuf_libc_fire_5(struct tbuf_site *, const uint64_t *record,
	    const void *sp, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
void	tbuf_libc_fire_6(struct tbuf_site *, const uint64_t *record,
	    const void *sp, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
	    uint64_t);

/* A part of an object that is loaded. */
struct libc_code {
	uintptr_t inside;	/* an address in it */
	uintptr_t start, size;	/* size 0: not found */
	const char *file;
};
extern struct libc_code tbuf_libc_library;	/* libtbuf */

extern const struct libc_family tbuf_libc_memory;
extern const struct libc_family tbuf_libc_file;
extern const struct libc_family tbuf_libc_socket;
extern const struct libc_family tbuf_libc_thread;
extern const struct libc_family tbuf_libc_process;

/* The probes of mutexes have been registered. */
void	tbuf_libc_thread_begin(void);

/* Arrange for exit:entry to fire when main returns. */
void	tbuf_libc_process_begin(void);

/*
 * Find the real functions, all at once.  False if the calling thread is at it
 * already: dlsym(3) itself has called one of them.
 */
bool	tbuf_libc_resolve(void);

/* The same for one function, whatever else is under way. */
void	*tbuf_libc_find(struct libc_function *);

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

/* Are both of these words zero? */
static inline bool
quiet_words(const uint32_t *words)
{
	return (__builtin_expect((__atomic_load_n(&words[0],
	    __ATOMIC_RELAXED) | __atomic_load_n(&words[1],
	    __ATOMIC_RELAXED)) == 0, 1));
}

/*
 * Does nobody trace the function's entry or return?  If so, its real one is
 * known: the load pairs with the release of `wanted`.
 */
static inline bool
quiet(const struct libc_function *f)
{
	return (quiet_words(__atomic_load_n(&f->wanted, __ATOMIC_ACQUIRE)));
}

#define REAL(name, f)	((typeof(name) *)(f)->real)

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

/* Is the probe enabled?  A call before the constructor may register it. */
static inline bool
wanted(const struct tbuf_site *site)
{
	if (__builtin_expect(site->enabled == NULL, 0))
		tbuf_libc_begin();
	return (tbuf_probe_enabled(site));
}

/*
 * Is a call from here none of the program's?  libtbuf opens and closes its
 * control file, and another provider reads files while it begins, by functions
 * that call others.
 */
static inline bool
is_own(const void *caller)
{
	return ((uintptr_t)caller - tbuf_libc_library.start <
	    tbuf_libc_library.size || tbuf_thread_hide(0) != 0);
}

/*
 * Fire a probe, with 1 to 6 values, for who has called this function, which
 * has a frame record so.  A macro, for values are made only if somebody wants
 * them.
 */
#define FIRE(site, ...)							\
do {									\
	if (wanted(&(site)))						\
		FIRE_OF(__VA_ARGS__, 6, 5, 4, 3, 2, 1, 0)(&(site),	\
		    __builtin_frame_address(0), __builtin_dwarf_cfa(),	\
		    __VA_ARGS__);					\
} while (0)
#define FIRE_OF(a, b, c, d, e, f, n, ...)	tbuf_libc_fire_##n
#define FIRE_LIST(site, ...)	FIRE(site, __VA_ARGS__)
#define LIST(...)		__VA_ARGS__

/* A function that a wrapper ends with, when there is somebody who traces. */
#define TRACED	static __attribute__((noinline))

/*
 * The usual one: call `name', which has the row `called', and fire the probes
 * of the row `probes', which is another one for a checking version.  The
 * parameters, the arguments, and the values of the entry's probe, stand in
 * parentheses; behind them come those of the return's, which see the result as
 * `result'.
 */
#define TRACED_CALL(type, name, parameters, probes, called, arguments,	\
    values, ...)							\
TRACED type								\
traced_##name parameters						\
{									\
	struct libc_function *f = &functions[probes];			\
	typeof(name) *real = tbuf_libc_real(&functions[called]);	\
	type result;							\
									\
	FIRE_LIST(f->entry, LIST values);				\
	result = real arguments;					\
	FIRE(f->leave, __VA_ARGS__);					\
	return (result);						\
}

/* Go on in the real function, or in the traced one. */
#define PASS(name, probes, called, arguments)				\
do {									\
	if (quiet(&functions[probes]))					\
		return (REAL(name, &functions[called]) arguments);	\
	if (is_own(__builtin_return_address(0)))			\
		return (((typeof(name) *)				\
		    tbuf_libc_real(&functions[called])) arguments);	\
	return (traced_##name arguments);				\
} while (0)

#define WRAPPER(type, name, parameters, probes, called, arguments,	\
    values, ...)							\
TRACED_CALL(type, name, parameters, probes, called, arguments, values,	\
    __VA_ARGS__)							\
type									\
name parameters								\
{									\
	PASS(name, probes, called, arguments);				\
}

/* The return of a call that tells a failure by -1 and errno. */
#define OR_ERRNO	result, error_if(result == -1)

#endif
