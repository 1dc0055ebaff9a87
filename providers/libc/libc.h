/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Internals of the libc provider: functions of the C library are interposed, so
 * that their calls and returns are probes, libc:MODULE:FUNCTION:entry and
 * :return.  Each family of functions is a table, with one row for each
 * function, and a wrapper for each row:
 *
 *	WRAPPER(ssize_t, read, (int fd, void *buf, size_t count),
 *	    (fd, buf, count), (fd, ADDRESS(buf), count), OR_ERRNO)
 *
 * All work for tracers is in a function of its own, traced_read(), which has a
 * frame record.  The wrapper has no frame, so it costs next to nothing while
 * the function is not traced.
 *
 * RULES OF A WRAPPER
 *
 *   -	It does not read the caller's memory before the call has succeeded.
 *   -	errno is the real function's.  A fire preserves it.
 *   -	It leaves nothing to be undone: the real function may not return (a
 *	cancelled thread, longjmp out of a handler, exec, exit).
 *   -	It may run in a handler, in a forked child, and before this object's
 *	constructor: no allocation, no stdio, no lock.
 *   -	While the function is not traced, the wrapper first of all jumps to the
 *	real function, which never sees a return address in the wrapper.
 */
#ifndef PROVIDERS_LIBC_LIBC_H
#define PROVIDERS_LIBC_LIBC_H

/*
 * This provider defines the functions under their own names, so the headers
 * must neither define checking versions of them nor rename them.
 */
#undef _FORTIFY_SOURCE
#undef _FILE_OFFSET_BITS

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tbuf.h>

#include "functions.h"
#include "target/provider.h"

#pragma GCC visibility push(hidden)

/*
 * A row.  Arguments are written as "name:type name:type", with the types i32
 * u32 i64 u64 ptr str, as in tbuf_libc(7).
 */
struct libc_row {
	const char *name;
	const char *entry;	/* NULL: fires the probes of another row */
	const char *leave;	/* NULL: does not return */
};

struct libc_function {
	void *real;		/* the next definition; NULL: not found yet */
	const uint32_t *wanted;	/* two enable words; see quiet() */
	const char *module;	/* base name of its file, as registered */
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
	struct tbuf_site *sites;	/* one for each event */
	unsigned nevents;
};

/*
 * Initial value of `wanted`: two words that are not 0, as the function may be
 * traced.
 */
extern const uint32_t tbuf_libc_unknown[2];

/*
 * Defines a file's functions from its list FUNCTIONS(ROW), which has each one
 * as ROW(name, entry, leave): their numbers FN_name, rows, and data.
 */
#define LIBC_NUMBER(name, entry, leave)	FN_##name,
#define LIBC_ROW(name, entry, leave)	{ #name, entry, leave },
#define LIBC_FUNCTIONS							\
enum { FUNCTIONS(LIBC_NUMBER) NFUNCTIONS };				\
static const struct libc_row rows[] = { FUNCTIONS(LIBC_ROW) };		\
static struct libc_function functions[NFUNCTIONS] = {			\
	[0 ... NFUNCTIONS - 1] = { .wanted = tbuf_libc_unknown }	\
};

/* Defines them as a family without events. */
#define LIBC_FAMILY(family)						\
LIBC_FUNCTIONS								\
const struct libc_family family = {					\
	rows, functions, NFUNCTIONS, NULL, NULL, 0			\
};

/*
 * Returns the enable words of two sites if they are adjacent, as those of sites
 * registered one after the other are.  Otherwise returns two words that are not
 * 0, or two zeros if the sites can never be enabled.
 */
const uint32_t *tbuf_libc_words(const struct tbuf_site *,
	    const struct tbuf_site *);

/*
 * Fires an enabled site on behalf of the function with this frame record: the
 * frame pointer of its caller, and the address at which the caller resumes,
 * with `sp' as its stack pointer.
 */
void	tbuf_libc_fire(struct tbuf_site *, const uint64_t *record,
	    const void *sp, const uint64_t *values);

/* A loaded segment of an object. */
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

/* Called when the probes of mutexes have been registered. */
void	tbuf_libc_thread_begin(void);

/* Arranges for exit:entry to fire when main returns. */
void	tbuf_libc_process_begin(void);

/*
 * Finds all real functions at once.  Returns false if the calling thread is
 * already doing so: dlsym(3) itself has called one of the functions.
 */
bool	tbuf_libc_resolve(void);

/* Returns one real function, also during tbuf_libc_resolve(), or NULL. */
void	*tbuf_libc_find(struct libc_function *);

/* Registers the probes, if a call before the constructor can do so. */
void	tbuf_libc_begin(void);

#pragma GCC visibility pop

/* Returns the real function; void * fits every pointer to a function. */
static inline void *
tbuf_libc_real(struct libc_function *f)
{
	void *real = __atomic_load_n(&f->real, __ATOMIC_RELAXED);

	return (__builtin_expect(real != NULL, 1) ? real : tbuf_libc_find(f));
}

/* Returns true if both words are 0. */
static inline bool
quiet_words(const uint32_t *words)
{
	return (__builtin_expect((__atomic_load_n(&words[0],
	    __ATOMIC_RELAXED) | __atomic_load_n(&words[1],
	    __ATOMIC_RELAXED)) == 0, 1));
}

/*
 * Returns true if neither the function's entry nor its return is traced.  Its
 * real function is known then: the load pairs with the release of `wanted`.
 */
static inline bool
quiet(const struct libc_function *f)
{
	return (quiet_words(__atomic_load_n(&f->wanted, __ATOMIC_ACQUIRE)));
}

#define REAL(name, f)	((typeof(name) *)(f)->real)

/* Returns the errno of a return probe: 0 if the call succeeded. */
static inline int
error_if(bool failed)
{
	return (failed ? errno : 0);
}

/* A pointer as a probe's value. */
#define ADDRESS(pointer)	((uintptr_t)(pointer))

/* Returns true if the probe is enabled; registers it first if need be. */
static inline bool
wanted(const struct tbuf_site *site)
{
	if (__builtin_expect(site->enabled == NULL, 0))
		tbuf_libc_begin();
	return (tbuf_probe_enabled(site));
}

/*
 * Returns true if a call from here is not the program's: libtbuf opens and
 * closes its control file, and another provider reads files while it begins,
 * both by functions of the C library that call others.
 */
static inline bool
is_own(const void *caller)
{
	return ((uintptr_t)caller - tbuf_libc_library.start <
	    tbuf_libc_library.size || tbuf_thread_hide(0) != 0);
}

/*
 * Fires a probe, with its values, on behalf of the caller of the enclosing
 * function, which has a frame record for it.  As this is a macro, the values
 * are computed only if the probe is enabled.
 */
#define FIRE(site, ...)							\
do {									\
	if (wanted(&(site)))						\
		tbuf_libc_fire(&(site), __builtin_frame_address(0),	\
		    __builtin_dwarf_cfa(),				\
		    (const uint64_t[]){ __VA_ARGS__ });			\
} while (0)
#define FIRE_LIST(site, ...)	FIRE(site, __VA_ARGS__)
#define LIST(...)		__VA_ARGS__

/* A function that a wrapper ends with while its probes are enabled. */
#define TRACED	static __attribute__((noinline))

/*
 * The usual traced function: it calls `name', and fires the probes of the row
 * `probes', which differs for a checking version.  The parameters, the
 * arguments, and the values of the entry's probe are in parentheses; after them
 * come the values of the return's probe, which may use `result'.
 */
#define TRACED_CALL_OF(type, name, probes, parameters, arguments,	\
    values, ...)							\
TRACED type								\
traced_##name parameters						\
{									\
	struct libc_function *f = &functions[FN_##probes];		\
	typeof(name) *real = tbuf_libc_real(&functions[FN_##name]);	\
	type result;							\
									\
	FIRE_LIST(f->entry, LIST values);				\
	result = real arguments;					\
	FIRE(f->leave, __VA_ARGS__);					\
	return (result);						\
}
#define TRACED_CALL(type, name, ...)					\
TRACED_CALL_OF(type, name, name, __VA_ARGS__)

/* Continues in the real function, or in the traced one. */
#define PASS(name, probes, arguments)					\
do {									\
	if (quiet(&functions[FN_##probes]))				\
		return (REAL(name, &functions[FN_##name]) arguments);	\
	if (is_own(__builtin_return_address(0)))			\
		return (((typeof(name) *)				\
		    tbuf_libc_real(&functions[FN_##name])) arguments);	\
	return (traced_##name arguments);				\
} while (0)

#define WRAPPER_OF(type, name, probes, parameters, arguments, values,	\
    ...)								\
TRACED_CALL_OF(type, name, probes, parameters, arguments, values,	\
    __VA_ARGS__)							\
type									\
name parameters								\
{									\
	PASS(name, probes, arguments);					\
}
#define WRAPPER(type, name, ...)					\
WRAPPER_OF(type, name, name, __VA_ARGS__)

/* Values of the return of a call that reports a failure by -1 and errno. */
#define OR_ERRNO	result, error_if(result == -1)

#endif
