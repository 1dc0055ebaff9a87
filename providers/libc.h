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
 *		typeof(read) *real;
 *		ssize_t result;
 *
 *		if (quiet(f))
 *			return (REAL(read, f)(fd, buf, count));
 *		real = tbuf_libc_real(f);
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
 *   -	Where nobody traces the function it is left by a jump to the real one
 *	before anything else is done: nothing in it has an address that the
 *	real function could know.
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

/* Fire a site that is enabled, for this caller of the function. */
void	tbuf_libc_fire_1(struct tbuf_site *, const void *caller, uint64_t);
void	tbuf_libc_fire_2(struct tbuf_site *, const void *caller, uint64_t,
	    uint64_t);
void	tbuf_libc_fire_3(struct tbuf_site *, const void *caller, uint64_t,
	    uint64_t, uint64_t);
void	tbuf_libc_fire_4(struct tbuf_site *, const void *caller, uint64_t,
	    uint64_t, uint64_t, uint64_t);
void	tbuf_libc_fire_5(struct tbuf_site *, const void *caller, uint64_t,
	    uint64_t, uint64_t, uint64_t, uint64_t);
void	tbuf_libc_fire_6(struct tbuf_site *, const void *caller, uint64_t,
	    uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

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
 * Fire a wrapper's probe, with 1 to 6 values.  A macro, for the return address
 * has to be the wrapper's own, and values are made only if somebody wants
 * them.  They go by registers: with an array of them here the wrapper could
 * not end in a jump.
 */
#define FIRE(site, ...)							\
do {									\
	if (wanted(&(site)))						\
		FIRE_OF(__VA_ARGS__, 6, 5, 4, 3, 2, 1, 0)(&(site),	\
		    __builtin_return_address(0), __VA_ARGS__);		\
} while (0)
#define FIRE_OF(a, b, c, d, e, f, n, ...)	tbuf_libc_fire_##n

#endif
