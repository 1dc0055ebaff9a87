/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * tbuf.h: probes for C and C++ programs.
 *
 *	#include <tbuf.h>
 *
 *	TBUF_PROBE(kv, request__start, r->id, path, bytes);
 *	if (TBUF_ENABLED(kv, request__start))
 *		...compute an argument that is costly...
 *
 * Link with `pkg-config --cflags --libs libtbuf`.  See libtbuf(3).
 */
#ifndef TBUF_H
#define TBUF_H

#include <stddef.h>
#include <stdint.h>

/* Programs may be compiled with -Wzero-as-null-pointer-constant. */
#ifdef __cplusplus
#define TBUF_PRIVATE_NULL	nullptr
#else
#define TBUF_PRIVATE_NULL	NULL
#endif

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

#define TBUF_ARGS_MAX	10	/* most arguments of a probe */

/*
 * The type of an argument.  The numbers are part of the file format and are
 * never reused.
 */
enum tbuf_type {
	TBUF_NONE = 0,
	TBUF_INT8 = 1,
	TBUF_INT16 = 2,
	TBUF_INT32 = 3,
	TBUF_INT64 = 4,
	TBUF_UINT8 = 5,
	TBUF_UINT16 = 6,
	TBUF_UINT32 = 7,
	TBUF_UINT64 = 8,
	TBUF_CHAR = 9,		/* decimal, with the platform's sign of char */
	TBUF_BOOL = 10,		/* one byte, 0 or 1 */
	TBUF_FLOAT = 11,
	TBUF_DOUBLE = 12,
	TBUF_POINTER = 13,
	TBUF_STRING = 14,	/* NUL-terminated, or NULL */
	TBUF_STRING_SIZED = 15,	/* with a length: struct tbuf_bytes */
	TBUF_BINARY = 16,	/* bytes with a length: struct tbuf_bytes */
	TBUF_STRING_INTERNED = 17 /* the number of an interned text */
};

/* Bytes with a length, as TBUF_BYTES(p, n) makes them. */
struct tbuf_bytes {
	const void *data;
	size_t size;		/* bytes */
};

/* A string with a length, as TBUF_TEXT(p, n) makes it. */
struct tbuf_text {
	struct tbuf_bytes bytes;
};

/* An interned text, as TBUF_INTERNED(number) makes it. */
struct tbuf_interned {
	uint32_t number;
};

/*
 * A site: one place of a probe in a program.  TBUF_PROBE makes sites.
 * Providers and language bindings that know their probes only at run time make
 * their own, and register them with tbuf_probe_register().
 *
 * `enabled` points at the site's own `zero` until the site is registered, and
 * then at the probe's enable word in the control file.  TBUF_PROBE tests a copy
 * of that pointer, in an ELF section of its own, so that the bytes that
 * disabled probes read are close together.  The layout is part of the library's
 * ABI; programs must not use the fields.
 */
struct tbuf_site {
	const uint32_t *enabled;
	void (*fire)(struct tbuf_site *, const uint64_t *);
	const char *text;	/* the macro's arguments as they were written */
	const char *function;	/* as the compiler spells it */
	uint32_t index;		/* in the probe table; before registration its
				   selection */
	uint8_t version;	/* of this structure: TBUF_SITE_VERSION */
	uint8_t kind;		/* TBUF_SITE_* */
	uint8_t nargs;
	uint8_t types[TBUF_ARGS_MAX];	/* enum tbuf_type */
	uint8_t state;		/* private to the library */
	uint16_t packing;	/* private to the library; before registration
				   its code */
	uint32_t zero;
	const uint32_t **hot;	/* the copy of `enabled`, or NULL */
};

#define TBUF_SITE_VERSION	2
#define TBUF_SITE_PROBE		0	/* TBUF_PROBE */
#define TBUF_SITE_TEST		1	/* TBUF_ENABLED: never fires */

/*
 * Registers a probe with a name and types that are known only at run time.
 *
 * The caller owns `site`, which is zeroed or unregistered, and must stay at
 * its address until tbuf_probe_unregister().  The strings and arrays are
 * copied.  `name` is used unchanged (`__` does not become `-`).  `names`, and
 * each of its elements, may be NULL: such an argument is called argN, and so
 * is one that has the name of another.
 *
 * Returns 0, also when tracing is off for this process (the probe is then
 * never enabled); -EINVAL for more than TBUF_ARGS_MAX arguments, an unknown
 * type, no types, or a field that is NULL, longer than 255 bytes, or contains a
 * colon, a comma, white space or a control character (`::` between two parts of
 * `function` is allowed), or an argument's name that contains one of these or
 * is longer than 63 bytes; -ENOSPC if the probe table or the runtime directory
 * is full; -EBUSY if a function that the program interposes calls it while the
 * library is initializing itself (it may be called again later).  Not
 * async-signal-safe.
 */
int	tbuf_probe_register(struct tbuf_site *site, const char *provider,
	    const char *module, const char *function, const char *name,
	    unsigned nargs, const enum tbuf_type *types,
	    const char *const *names);

/*
 * Sets the selection that the probe of a zeroed or unregistered site gets when
 * it is registered next, as TBUF_PROBE_SEL() does; 0: none.  Does nothing to a
 * registered site.  Async-signal-safe.
 */
void	tbuf_probe_select(struct tbuf_site *site, uint32_t mask);

/*
 * Unregisters a probe.  No thread may be firing it.  Does nothing to a site
 * that is not registered.  Not async-signal-safe.
 */
void	tbuf_probe_unregister(struct tbuf_site *site);

/*
 * Fires a site; for the macros only.  The load pairs with the release of *hot,
 * so that the other fields, stored before it by another thread, are seen.
 * (`cold` makes gcc move the code that prepares a fire away from the code
 * around a disabled probe.)
 */
static __attribute__((cold, noinline, unused)) void
tbuf_private_fire(struct tbuf_site *site, const uint64_t *values)
{
	(void)__atomic_load_n(site->hot, __ATOMIC_ACQUIRE);
	site->fire(site, values);
}

/* Returns non-zero if the probe is enabled.  Async-signal-safe. */
static inline int
tbuf_probe_enabled(const struct tbuf_site *site)
{
	return (site->enabled != TBUF_PRIVATE_NULL &&
	    __atomic_load_n(site->enabled, __ATOMIC_RELAXED) != 0);
}

/*
 * Fires a registered probe, if it is enabled.  `values` has one element for
 * each argument: an integer widened to 64 bits, the bits of a float (in the
 * low half) or a double, a pointer, the address of a NUL-terminated string or
 * NULL, or the address of a struct tbuf_bytes.  A record that finds no room is
 * counted as a drop.  Async-signal-safe; does not change errno.
 */
static inline void
tbuf_probe_fire(struct tbuf_site *site, const uint64_t *values)
{
	if (!tbuf_probe_enabled(site))
		return;
	/* Pairs with the release of `enabled`, after the other fields. */
	(void)__atomic_load_n(&site->enabled, __ATOMIC_ACQUIRE);
	site->fire(site, values);
}

/*
 * Probes for bindings of other languages, which call functions but can neither
 * inline code nor lay out structures.  struct tbuf_probe is opaque.
 *
 * tbuf_probe_new() creates a probe, which the caller owns until it calls
 * tbuf_probe_free(); the strings and arrays are copied.  The arguments are
 * those of tbuf_probe_register() and, after `name`, the selection of
 * tbuf_probe_select(), or 0.  Each call returns another pointer, also for names
 * and types that are in use: such pointers are sites of one probe.  Returns a
 * probe, also when tracing is off for this process (it is then never wanted),
 * or NULL with errno set to EINVAL, ENOSPC or EBUSY, by the rules of
 * tbuf_probe_register(), or to ENOMEM.
 *
 * tbuf_probe_free() ends a probe.  No thread may be using it, and it must not
 * be used afterwards.  Records that were written stay.  A probe that is not
 * freed ends with the process.
 *
 * tbuf_probe_wanted() returns 1 if a session has enabled the probe, else 0.
 *
 * tbuf_probe_emit() fires the probe if it is enabled.  `values` has one element
 * for each argument, as for tbuf_probe_fire(); of an integer, the low bits that
 * its type has are recorded.  An address of a string or of bytes has to be
 * readable until the call returns.  Returns 0, also if the probe is not enabled
 * or the record finds no room, which is counted as a drop; -EINVAL if `nvalues`
 * is not the probe's number of arguments.
 *
 * NULL is a probe that is never wanted: no function does anything with it.
 * tbuf_probe_wanted() and tbuf_probe_emit() are async-signal-safe, may be
 * called by any number of threads at once, and do not change errno.  The other
 * two are not async-signal-safe; threads may call them at once for different
 * probes.
 * In a child of fork(2) a probe is the child's own: both free it.
 */
struct tbuf_probe;

struct tbuf_probe *tbuf_probe_new(const char *provider, const char *module,
	    const char *function, const char *name, uint32_t selection,
	    unsigned nargs, const enum tbuf_type *types,
	    const char *const *names);
void	tbuf_probe_free(struct tbuf_probe *probe);
int	tbuf_probe_wanted(const struct tbuf_probe *probe);
int	tbuf_probe_emit(struct tbuf_probe *probe, unsigned nvalues,
	    const uint64_t *values);

/*
 * Stores a text of at most 255 bytes once in the control file.  Returns its
 * number, always the same for the same text in this process, which
 * TBUF_INTERNED() records in 4 bytes: readers see the text.  0 is not a text's
 * number, and is recorded as NULL.  Returns 0 and sets errno to EINVAL (NULL,
 * or longer), ENOSPC (more than TBUF_INTERN_MAX texts, or no room for more),
 * ECANCELED (tracing is off) or EBUSY, as tbuf_probe_register() does.  A child
 * of fork(2) has the numbers of its parent, and becomes a target by this
 * function.  Not async-signal-safe; any number of threads may call it at once.
 */
#define TBUF_INTERN_MAX	4096	/* texts of a process */
uint32_t tbuf_intern(const char *text);

/*
 * Makes this process a target if it is a child of fork(2) that is to stay, such
 * as a worker that a server forks beforehand.  Most children call exec or end
 * soon, so a child is not a target at first, unless a consumer follows children
 * or traces all of the user's targets.  daemon(3), setsid(2) and registering a
 * probe have the same effect as this function.  Returns 0, also if the process
 * is a target already, -ECANCELED if tracing is off, or -EBUSY as
 * tbuf_probe_register() does.  Not async-signal-safe.
 */
int	tbuf_process_register(void);

/*
 * tbuf_recorder_start() starts a recorder, which records probes of this process
 * into its own control file, without a consumer.  $TBUF_OPTIONS has the same
 * form and starts one with the program:
 *
 *	tbuf_recorder_start("bufsize=1m,probes=kv:::;libc::open*:");
 *
 * The options are bufsize (of each CPU's buffer; default 4m), bufpolicy (ring,
 * or fill), bufresize, bufscope, nbuf, strsize, cpu, follow (forked children
 * record into files of their own), nunits, unitsize, unitpolicy, unitselect and
 * unitslow.  `probes=` comes last; semicolons separate descriptions.  The
 * file remains when the process ends in any way, and is read by tbufctl
 * --read.
 *
 * Returns 0; -EINVAL if the options or $TBUF_KEEP are not valid; -EALREADY if
 * a recorder is running; -ENOSPC if there is no space for the buffers; -EUSERS
 * if all sessions are in use (each different text takes one); -ECANCELED if
 * tracing is off; -EBUSY as tbuf_probe_register() does, or if a consumer keeps
 * the file locked; or an error of open(2).
 *
 * tbuf_recorder_stop() ends recording.  The records remain, and a recorder
 * that is started with the same text continues in the same buffers.  Returns
 * 0, or -ENOENT if none runs.
 *
 * tbuf_recorder_save() writes the present records of the recorder, which may
 * have been stopped, to a new file that tbufctl --read reads.  NULL: a file in
 * the runtime directory, which tbufctl --left lists, and $TBUF_KEEP limits.
 * Other threads go on; their records of meanwhile may or may not be in it.
 * Returns 0; -ENODATA if there is no recorder; -EEXIST if the path exists, also
 * as a link; -ENOSPC if there is no space; -EFBIG, as
 * RLIMIT_FSIZE is smaller; -EINVAL if $TBUF_KEEP is not valid; -ECANCELED and
 * -EBUSY as above; or an error of open(2), sendfile(2) or linkat(2).  Then the
 * file does not exist.
 *
 * tbuf_recorder_error() returns a message for the last of these calls that
 * failed in this process.  None of them is async-signal-safe.
 */
int	tbuf_recorder_start(const char *options);
int	tbuf_recorder_stop(void);
int	tbuf_recorder_save(const char *path);
const char *tbuf_recorder_error(void);

/*
 * Asks the consumers of this process to switch buffers now, and not when their
 * switchrate says so: they read the records that have been written so far.  The
 * function does not wait for that.  Returns the number of consumers that were
 * asked: 0 if there are none, or all have the policy ring or fill, by which
 * buffers are not switched.  Async-signal-safe, without a system call; does not
 * change errno.
 */
int	tbuf_flush(void);

/*
 * Writes the last n records of this process, at most 1024, to a descriptor, a
 * line each, by time, the oldest first: those that the buffers of its sessions
 * still contain, of all CPUs and threads.  A probe that several sessions trace
 * has a line for each.  Returns the number of records written, 0 without a
 * line if no session has traced; -EINVAL for n < 1; -ECANCELED if tracing is
 * off; -EBUSY if another thread is in this function; or an error of write(2),
 * such as -EBADF, -EPIPE (with SIGPIPE) or -EAGAIN.  Does not change errno.
 * Async-signal-safe; allocates no memory and needs at most 2 KiB of stack.
 */
int	tbuf_backtrace(int fd, int n);

/*
 * Installs handlers that call tbuf_backtrace() when the process ends by
 * SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL or SIGSYS.  Then the handler that
 * was set before is called, or the default action follows, with the same exit
 * status and core as without this.  `options` is NULL or a list such as
 * "records=100,fd=5" (defaults: 32 and 2).
 *
 * The calling thread gets an alternate signal stack if it has none, in case its
 * stack overflows; other threads get one by calling the function.  Handlers are
 * installed once; further calls change the options.  A handler that is set
 * afterwards replaces this one.
 *
 * Returns 0, -EINVAL (not such a list), -ENOMEM or -EAGAIN.  Not
 * async-signal-safe.
 */
int	tbuf_on_fatal(const char *options);

/*
 * Work units, such as requests.  The records of a thread that is in a unit are
 * kept apart, and the outcome decides which of them consumers get.  0 is a
 * success, which keeps few records (TBUF_PROBE_SEL); any other outcome is a
 * failure, which keeps all.  -x unitselect changes these rules.  tbufctl
 * --units shows units that have not ended, even of a dead process.
 *
 * tbuf_unit_begin() begins a unit, which the thread enters.  `kind` (at most 31
 * bytes; NULL: none) is copied.  Returns the unit's number, never used twice in
 * a process, or 0 if units are not traced now: the other functions do nothing
 * for unit 0.  Units may be nested: records go to the one that was entered last.
 *
 * tbuf_unit_leave() and tbuf_unit_enter() pass a unit to another thread, or to
 * the same thread later.  tbuf_unit_end() is called by the thread that is in
 * the unit, or by any thread if none is.  They return 0; -ENOENT if the unit
 * has ended, or belongs to a parent; -EBUSY if another thread is in it, or,
 * for leave, the calling thread is not; -ECANCELED if the unit was abandoned
 * while the calling thread was in it, which it is not any more.
 *
 * tbuf_unit_abandon() ends a unit as tbuf_unit_end() does, but also while
 * another thread is in it, as a watchdog does with a unit that hangs.  Records
 * that this thread writes afterwards do not belong to a unit.  Also returns
 * -EBUSY if that thread is leaving or ending the unit, or is kept from
 * finishing a record, and -ENOSYS if the kernel refuses membarrier(2).
 *
 * None of them is async-signal-safe.
 */
uint64_t tbuf_unit_begin(const char *kind, uint64_t id);
int	tbuf_unit_enter(uint64_t unit);
int	tbuf_unit_leave(uint64_t unit);
int	tbuf_unit_end(uint64_t unit, int outcome);
int	tbuf_unit_abandon(uint64_t unit, int outcome);

/*
 * Register or unregister the sites [start, stop) of one object; for the macros
 * only.  Idempotent.
 */
void	tbuf_sites_register(struct tbuf_site *start, struct tbuf_site *stop);
void	tbuf_sites_unregister(struct tbuf_site *start, struct tbuf_site *stop);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

/*
 * TBUF_PROBE(provider, name, arguments...)
 *
 * A probe with up to TBUF_ARGS_MAX arguments, which are evaluated once, from
 * left to right, if the probe is enabled, and otherwise not at all.  It is a
 * statement.  `__` in the name becomes `-`.  An argument that is a variable or
 * a member (`r->id`, `(long)v[i].size`) has its name, any other one is `argN`.
 * It may be an integer of any width, a char, bool, enum, bit-field, float,
 * double, string (char *, char array, std::string, std::string_view),
 * TBUF_TEXT(p, n), TBUF_BYTES(p, n), TBUF_INTERNED(n) or another pointer.  An
 * argument may have commas in parentheses only, as for any macro, and up to
 * C++17 no lambda expression.
 *
 * TBUF_PROBE_SEL(mask, provider, name, arguments...)
 *
 * A probe with a selection: a constant mask of 32 bits, by which the outcome of
 * a work unit selects records (tbuf_unit_begin()).  Other probes have
 * TBUF_SEL_FAILURE; with TBUF_SEL_SUCCESS records of successes are kept, too;
 * the other bits are free.
 *
 * TBUF_ENABLED(provider, name)
 *
 * An expression (in C++ a bool) that is true if the probe of that name in this
 * function is enabled, or, if the function has none, in this program or
 * library.  Programs test it before they compute a costly argument.
 *
 * TBUF_BYTES(p, n)
 *
 * An argument: n bytes at p.
 *
 * TBUF_TEXT(p, n)
 *
 * An argument: a string of n bytes at p, which needs no NUL at its end.
 *
 * TBUF_INTERNED(n)
 *
 * An argument: the text whose number tbuf_intern() has returned.
 *
 * TBUF_NAMED(name, argument)
 *
 * An argument with this name.
 */
#define TBUF_PROBE(provider, ...)					\
	TBUF_PRIVATE_PROBE(#provider ", " #__VA_ARGS__,			\
	    TBUF_PRIVATE_NAMES(tbuf_name_##provider,			\
		tbuf_name_##__VA_ARGS__, 0),				\
	    0, TBUF_PRIVATE_COUNT(__VA_ARGS__), __VA_ARGS__)

#define TBUF_PROBE_SEL(mask, provider, ...)				\
	TBUF_PRIVATE_PROBE(#provider ", " #__VA_ARGS__,			\
	    TBUF_PRIVATE_NAMES(tbuf_name_##provider,			\
		tbuf_name_##__VA_ARGS__, 0),				\
	    mask, TBUF_PRIVATE_COUNT(__VA_ARGS__), __VA_ARGS__)

#define TBUF_SEL_FAILURE	0x1u
#define TBUF_SEL_SUCCESS	0x2u

#define TBUF_ENABLED(provider, name)					\
	TBUF_PRIVATE_ENABLED(#provider ", " #name,			\
	    TBUF_PRIVATE_NAMES(tbuf_name_##provider, tbuf_name_##name, 0))

#ifdef __cplusplus
#define TBUF_BYTES(p, n)	(::tbuf_private::bytes(p, n))
#define TBUF_TEXT(p, n)		(::tbuf_private::text(p, n))
#define TBUF_INTERNED(n)	(::tbuf_private::interned(n))
#define TBUF_NAMED(name, x)						\
	((void)sizeof(struct tbuf_name_##name *), (x))
#else
#define TBUF_BYTES(p, n)	((struct tbuf_bytes){ (p), (size_t)(n) })
#define TBUF_TEXT(p, n)		((struct tbuf_text){ TBUF_BYTES(p, n) })
#define TBUF_INTERNED(n)	((struct tbuf_interned){ (uint32_t)(n) })
#define TBUF_NAMED(name, x)						\
	__builtin_choose_expr(sizeof(struct tbuf_name_##name *) != 0, (x), 0)
#endif

/* Private from here on. */

#if !defined(__LP64__) || !(defined(__x86_64__) || defined(__aarch64__))
#error "tbuf: probes need a 64-bit x86 or Arm processor"
#endif

#ifdef __cplusplus
#define TBUF_PRIVATE_ASSERT(what, words)	static_assert(what, words)
#else
#define TBUF_PRIVATE_ASSERT(what, words)	_Static_assert(what, words)
#endif

/* The text that the library derives the probe's function from. */
#ifdef __cplusplus
#define TBUF_PRIVATE_FUNCTION	__PRETTY_FUNCTION__
#else
#define TBUF_PRIVATE_FUNCTION	__func__
#endif

/*
 * Instructions for the hot word and the site's address, and constraints for
 * strings and numbers.  gcc on x86 has no constraint for a symbol's address
 * that works under -fPIC, but accepts anything as X.
 */
#ifdef __x86_64__
#define TBUF_PRIVATE_HOT						\
	"{movq .Ltbuf_hot%=(%%rip), %0|mov %0, .Ltbuf_hot%=[rip]}\n\t"
#define TBUF_PRIVATE_ADDRESS						\
	"{leaq .Ltbuf_site%=(%%rip), %1|lea %1, .Ltbuf_site%=[rip]}"
#else
#define TBUF_PRIVATE_HOT						\
	"adrp %0, .Ltbuf_hot%=\n\t"					\
	"ldr %0, [%0, :lo12:.Ltbuf_hot%=]\n\t"
#define TBUF_PRIVATE_ADDRESS						\
	"adrp %1, .Ltbuf_site%=\n\tadd %1, %1, :lo12:.Ltbuf_site%="
#endif

#if defined(__clang__)
#define TBUF_PRIVATE_SYMBOL	"i"
#define TBUF_PRIVATE_PLAIN	"%c"
#elif defined(__x86_64__)
#define TBUF_PRIVATE_SYMBOL	"X"
#define TBUF_PRIVATE_PLAIN	"%p"
#else
#define TBUF_PRIVATE_SYMBOL	"S"
#define TBUF_PRIVATE_PLAIN	"%c"
#endif

/*
 * Emits a struct tbuf_site and its hot word, loads the hot word, and, with
 * TBUF_PRIVATE_ADDRESS, the site's address.  Only the assembler can put them
 * into the section group ("?") of the surrounding function (inline, template or
 * plain), and emit them for each copy that the compiler makes of it.  `enabled`
 * and the hot word point at the site's own `zero`.  (`inline` makes gcc count
 * the two instructions, not the many lines, when it decides whether to inline
 * the function.)
 */
#define TBUF_PRIVATE_SITE(word, site, address, text, kind, select, code, \
    nargs, types0, types8)						\
	__asm__ __volatile__ __inline__(				\
	    ".pushsection tbuf_hot,\"aw?\"\n"				\
	    "\t.balign 8\n"						\
	    ".Ltbuf_hot%=:\n"						\
	    "\t.8byte .Ltbuf_site%=+" TBUF_PRIVATE_PLAIN "[zero]\n"	\
	    "\t.popsection\n"						\
	    ".pushsection tbuf_sites,\"aw?\"\n"				\
	    "\t.balign 8\n"						\
	    ".Ltbuf_site%=:\n"						\
	    "\t.8byte .Ltbuf_site%=+" TBUF_PRIVATE_PLAIN "[zero], 0\n"	\
	    "\t.8byte " TBUF_PRIVATE_PLAIN "[string]\n"			\
	    "\t.8byte " TBUF_PRIVATE_PLAIN "[function]\n"		\
	    "\t.4byte " TBUF_PRIVATE_PLAIN "[mask]\n"			\
	    "\t.byte " TBUF_PRIVATE_PLAIN "[version]\n"			\
	    "\t.byte " TBUF_PRIVATE_PLAIN "[what]\n"			\
	    "\t.byte " TBUF_PRIVATE_PLAIN "[count]\n"			\
	    "\t.8byte " TBUF_PRIVATE_PLAIN "[low]\n"			\
	    "\t.2byte " TBUF_PRIVATE_PLAIN "[high]\n"			\
	    "\t.byte 0\n"						\
	    "\t.2byte " TBUF_PRIVATE_PLAIN "[number]\n"			\
	    "\t.4byte 0\n"						\
	    "\t.8byte .Ltbuf_hot%=\n"					\
	    "\t.popsection\n\t"						\
	    TBUF_PRIVATE_HOT address					\
	    : "=r" (word) site						\
	    : [string] TBUF_PRIVATE_SYMBOL (text),			\
	    [function] TBUF_PRIVATE_SYMBOL (TBUF_PRIVATE_FUNCTION),	\
	    [zero] "i" (offsetof(struct tbuf_site, zero)),		\
	    [version] "i" (TBUF_SITE_VERSION), [what] "i" (kind),	\
	    [mask] "i" (TBUF_PRIVATE_MASK(select)), [number] "i" (code), \
	    [count] "i" (nargs), [low] "i" (types0), [high] "i" (types8))

/*
 * TBUF_PRIVATE_CONSTANT() is 1 if a mask is constant.  In C an optimizing gcc
 * has no answer of __builtin_constant_p() for an assertion, but a constant 0 is
 * a null pointer there, and does not make the other pointer a void *.
 */
#ifdef __cplusplus
#define TBUF_PRIVATE_MASK(select)	static_cast<uint32_t>(select)
#define TBUF_PRIVATE_CONSTANT(select)					\
	__builtin_constant_p(TBUF_PRIVATE_MASK(select))
#else
#define TBUF_PRIVATE_MASK(select)	((uint32_t)(select))
#define TBUF_PRIVATE_CONSTANT(select)					\
	__builtin_types_compatible_p(int *, __typeof__(1 ?		\
	    (void *)(0 * (uintptr_t)TBUF_PRIVATE_MASK(select)) : (int *)8))
#endif

#define TBUF_PRIVATE_OUTPUT(site)	, "=r" (site)

/* The assembly above relies on these offsets. */
TBUF_PRIVATE_ASSERT(offsetof(struct tbuf_site, version) == 36 &&
    offsetof(struct tbuf_site, types) == 39 &&
    offsetof(struct tbuf_site, packing) == 50 &&
    offsetof(struct tbuf_site, zero) == 52 &&
    offsetof(struct tbuf_site, hot) == 56 &&
    sizeof(struct tbuf_site) == 64, "tbuf_site");

/* Atomic for sanitizers, which do not see the load of the hot word. */
#define TBUF_PRIVATE_WANTED(word)					\
	(__builtin_expect(__atomic_load_n(word, __ATOMIC_RELAXED) != 0, 0) != 0)

/* clang warns about side effects in operands that are not evaluated. */
#ifdef __clang__
#define TBUF_PRIVATE_QUIET						\
	_Pragma("clang diagnostic push")				\
	_Pragma("clang diagnostic ignored \"-Wunevaluated-expression\"")
#define TBUF_PRIVATE_LOUD						\
	_Pragma("clang diagnostic pop")
#else
#define TBUF_PRIVATE_QUIET
#define TBUF_PRIVATE_LOUD
#endif

/* Compiles only if provider and name are identifiers. */
#define TBUF_PRIVATE_NAMES(provider, name, ...)				\
	(void)sizeof(struct provider *);				\
	(void)sizeof(struct name *);

#define TBUF_PRIVATE_ENABLED(text, names)				\
	(__extension__ ({						\
		const uint32_t *tbuf_private_test;			\
		names							\
		TBUF_PRIVATE_SITE(tbuf_private_test,			\
		    , , text, TBUF_SITE_TEST, 0, 0, 0, 0, 0);		\
		TBUF_PRIVATE_WANTED(tbuf_private_test);			\
	}))

#define TBUF_PRIVATE_PROBE(text, names, select, count, ...)		\
	TBUF_PRIVATE_COUNTED(text, names, select, count, __VA_ARGS__)
#define TBUF_PRIVATE_COUNTED(text, names, select, count, ...)		\
	TBUF_PRIVATE_STATEMENT(text, names, select, count,		\
	    TBUF_PRIVATE_EACH_##count, __VA_ARGS__)
#define TBUF_PRIVATE_STATEMENT(text, names, select, count, each, ...)	\
	do {								\
		const uint32_t *tbuf_private_word;			\
		struct tbuf_site *tbuf_private_site;			\
		TBUF_PRIVATE_QUIET					\
		TBUF_PRIVATE_ASSERT(TBUF_PRIVATE_CONSTANT(select),	\
		    "tbuf: a selection mask is a constant");		\
		each(TBUF_PRIVATE_CHECK, __VA_ARGS__)			\
		names							\
		TBUF_PRIVATE_SITE(tbuf_private_word,			\
		    TBUF_PRIVATE_OUTPUT(tbuf_private_site),		\
		    TBUF_PRIVATE_ADDRESS, text, TBUF_SITE_PROBE,	\
		    select, 0, count,					\
		    0 each(TBUF_PRIVATE_LOW, __VA_ARGS__),		\
		    0 each(TBUF_PRIVATE_HIGH, __VA_ARGS__));		\
		if (TBUF_PRIVATE_WANTED(tbuf_private_word)) {		\
			TBUF_PRIVATE_FIRE(tbuf_private_site,		\
			    (count) + !(count), each,			\
			    TBUF_PRIVATE_VALUE, __VA_ARGS__)		\
		}							\
		TBUF_PRIVATE_LOUD					\
	} while (0)

/* Expand to op(N, argument) for each argument after the name; 11: too many. */
#define TBUF_PRIVATE_EACH_0(op, name)
#define TBUF_PRIVATE_EACH_1(op, name, a)	op(0, a)
#define TBUF_PRIVATE_EACH_2(op, name, a, b)				\
	TBUF_PRIVATE_EACH_1(op, name, a) op(1, b)
#define TBUF_PRIVATE_EACH_3(op, name, a, b, c)				\
	TBUF_PRIVATE_EACH_2(op, name, a, b) op(2, c)
#define TBUF_PRIVATE_EACH_4(op, name, a, b, c, d)			\
	TBUF_PRIVATE_EACH_3(op, name, a, b, c) op(3, d)
#define TBUF_PRIVATE_EACH_5(op, name, a, b, c, d, e)			\
	TBUF_PRIVATE_EACH_4(op, name, a, b, c, d) op(4, e)
#define TBUF_PRIVATE_EACH_6(op, name, a, b, c, d, e, f)			\
	TBUF_PRIVATE_EACH_5(op, name, a, b, c, d, e) op(5, f)
#define TBUF_PRIVATE_EACH_7(op, name, a, b, c, d, e, f, g)		\
	TBUF_PRIVATE_EACH_6(op, name, a, b, c, d, e, f) op(6, g)
#define TBUF_PRIVATE_EACH_8(op, name, a, b, c, d, e, f, g, h)		\
	TBUF_PRIVATE_EACH_7(op, name, a, b, c, d, e, f, g) op(7, h)
#define TBUF_PRIVATE_EACH_9(op, name, a, b, c, d, e, f, g, h, i)	\
	TBUF_PRIVATE_EACH_8(op, name, a, b, c, d, e, f, g, h) op(8, i)
#define TBUF_PRIVATE_EACH_10(op, name, a, b, c, d, e, f, g, h, i, j)	\
	TBUF_PRIVATE_EACH_9(op, name, a, b, c, d, e, f, g, h, i) op(9, j)
#define TBUF_PRIVATE_EACH_11(op, ...)	op##_MANY

/* The number of arguments after the name: 0 to 10, or 11 for 11 to 63. */
#define TBUF_PRIVATE_COUNT(...)						\
	TBUF_PRIVATE_PICK(__VA_ARGS__,					\
	    11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11,	\
	    11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11,	\
	    11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11,	\
	    11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 10, 9, 8, 7,	\
	    6, 5, 4, 3, 2, 1, 0, 0)
#define TBUF_PRIVATE_PICK(						\
	    a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12,	\
	    a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23,	\
	    a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34,	\
	    a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45,	\
	    a46, a47, a48, a49, a50, a51, a52, a53, a54, a55, a56,	\
	    a57, a58, a59, a60, a61, a62, a63, count, ...)		\
	count

/*
 * CHECK stores the type of argument n as the size of an array, because clang
 * treats an enum's value as a constant of the file and rejects a compound
 * literal in it.  LOW and HIGH pack the types into numbers, a byte each.
 */
#define TBUF_PRIVATE_CHECK(n, x)					\
	TBUF_PRIVATE_PREPARE(n, x)					\
	typedef char tbuf_private_type##n[1 + TBUF_PRIVATE_TYPE(n, x)]; \
	TBUF_PRIVATE_ASSERT(sizeof(tbuf_private_type##n) > 1,		\
	    TBUF_PRIVATE_UNTRACEABLE);
#define TBUF_PRIVATE_LOW(n, x)						\
	| ((n) < 8 ? (sizeof(tbuf_private_type##n) - 1) << 8 * ((n) & 7) : 0)
#define TBUF_PRIVATE_HIGH(n, x)						\
	| ((n) < 8 ? 0 : (sizeof(tbuf_private_type##n) - 1) << 8 * ((n) & 7))

#define TBUF_PRIVATE_CHECK_MANY						\
	TBUF_PRIVATE_ASSERT(0, "tbuf: a probe has at most 10 arguments");
#define TBUF_PRIVATE_LOW_MANY
#define TBUF_PRIVATE_HIGH_MANY
#define TBUF_PRIVATE_VALUE_MANY

#define TBUF_PRIVATE_UNTRACEABLE					\
	"tbuf: this argument's type cannot be traced"

/* Registers this object's sites; the linker defines the ends if it has any. */
#ifdef __cplusplus
extern "C" {
#endif

extern struct tbuf_site tbuf_private_start[]
    __asm__("__start_tbuf_sites") __attribute__((weak, visibility("hidden")));
extern struct tbuf_site tbuf_private_stop[]
    __asm__("__stop_tbuf_sites") __attribute__((weak, visibility("hidden")));

#ifndef TBUF_PRIVATE_LIBRARY	/* the library itself has no sites */
__attribute__((constructor(101))) static void
tbuf_private_register(void)
{
	struct tbuf_site *first = tbuf_private_start;
	struct tbuf_site *end = tbuf_private_stop;

	if (first != end)
		tbuf_sites_register(first, end);
}

__attribute__((destructor(101))) static void
tbuf_private_unregister(void)
{
	struct tbuf_site *first = tbuf_private_start;
	struct tbuf_site *end = tbuf_private_stop;

	if (first != end)
		tbuf_sites_unregister(first, end);
}
#endif

static inline uint64_t
tbuf_private_float(float value)
{
	uint32_t bits;

	__builtin_memcpy(&bits, &value, sizeof(bits));
	return (bits);
}

static inline uint64_t
tbuf_private_double(double value)
{
	uint64_t bits;

	__builtin_memcpy(&bits, &value, sizeof(bits));
	return (bits);
}

#ifdef __cplusplus
}
#endif

#ifndef __cplusplus

#define TBUF_PRIVATE_PREPARE(n, x)	/* comma: for bit-fields */	\
	TBUF_PRIVATE_ASSERT(!__builtin_types_compatible_p(void,		\
	    __typeof__((void)0, (x))), TBUF_PRIVATE_UNTRACEABLE);

#define TBUF_PRIVATE_FIRE(site, count, each, value, ...)		\
	uint64_t tbuf_private_values[count];				\
	tbuf_private_values[0] = 0;	/* without arguments */		\
	each(value, __VA_ARGS__)					\
	tbuf_private_fire(site, tbuf_private_values);

/* _Generic converts arrays and functions to pointers. */
#define TBUF_PRIVATE_TYPE(n, x)						\
	_Generic((x),							\
	    _Bool: TBUF_BOOL, char: TBUF_CHAR,				\
	    signed char: TBUF_INT8, unsigned char: TBUF_UINT8,		\
	    short: TBUF_INT16, unsigned short: TBUF_UINT16,		\
	    int: TBUF_INT32, unsigned int: TBUF_UINT32,			\
	    long: TBUF_INT64, unsigned long: TBUF_UINT64,		\
	    long long: TBUF_INT64, unsigned long long: TBUF_UINT64,	\
	    float: TBUF_FLOAT, double: TBUF_DOUBLE,			\
	    char *: TBUF_STRING, const char *: TBUF_STRING,		\
	    struct tbuf_bytes: TBUF_BINARY,				\
	    struct tbuf_text: TBUF_STRING_SIZED,			\
	    struct tbuf_interned: TBUF_STRING_INTERNED,			\
	    default: TBUF_PRIVATE_OTHER(x))

/*
 * Types of pointers, and of integers (type class 1 to 4) that are none of the
 * above: bit-fields, for which only the promoted type is known, and integers of
 * more than 64 bits.
 */
#define TBUF_PRIVATE_OTHER(x)						\
	(TBUF_PRIVATE_CLASS(x) == 5 ? TBUF_POINTER :			\
	    !TBUF_PRIVATE_INTEGRAL(x) ? TBUF_NONE :			\
	    sizeof(TBUF_PRIVATE_PROMOTED(x)) > 8 ? TBUF_NONE :		\
	    sizeof(TBUF_PRIVATE_PROMOTED(x)) > 4 ? TBUF_INT64 : TBUF_INT32)
#define TBUF_PRIVATE_CLASS(x)	/* without promoting a float */		\
	__builtin_classify_type(_Generic((x), float: 0, default: (x)))
#define TBUF_PRIVATE_INTEGRAL(x)					\
	(TBUF_PRIVATE_CLASS(x) >= 1 && TBUF_PRIVATE_CLASS(x) <= 4)
#define TBUF_PRIVATE_PROMOTED(x)					\
	(+__builtin_choose_expr(TBUF_PRIVATE_INTEGRAL(x), (x), 0))

/* Each association has to compile for every type. */
#define TBUF_PRIVATE_VALUE(n, x)					\
	tbuf_private_values[n] = _Generic((x),				\
	    float: tbuf_private_float(					\
		_Generic((x), float: (x), default: 0)),			\
	    double: tbuf_private_double(				\
		_Generic((x), double: (x), default: 0)),		\
	    struct tbuf_bytes: (uint64_t)(const struct tbuf_bytes[1]){	\
		_Generic((x), struct tbuf_bytes: (x),			\
		    default: (struct tbuf_bytes){ 0, 0 }) },		\
	    struct tbuf_text: (uint64_t)(const struct tbuf_text[1]){	\
		_Generic((x), struct tbuf_text: (x),			\
		    default: (struct tbuf_text){ { 0, 0 } }) },		\
	    struct tbuf_interned: _Generic((x),				\
		struct tbuf_interned: (x),				\
		default: (struct tbuf_interned){ 0 }).number,		\
	    default: (uint64_t)_Generic((x), float: 0, double: 0,	\
		struct tbuf_bytes: 0, struct tbuf_text: 0,		\
		struct tbuf_interned: 0, default: (x)));

#else /* __cplusplus */

extern "C++" {	/* in case it is included inside extern "C" */

#include <type_traits>

/* Names the type, as g++ rejects ({ }) in a template's arguments. */
#define TBUF_PRIVATE_PREPARE(n, x)					\
	typedef decltype((x)) tbuf_private_argument##n;
#define TBUF_PRIVATE_TYPE(n, x)						\
	(::tbuf_private::argument_of<tbuf_private_argument##n>::type)

/* The temporaries live until fire() has returned. */
#define TBUF_PRIVATE_FIRE(site, count, each, value, ...)		\
	::tbuf_private::values<count>{{					\
		each(value, __VA_ARGS__)				\
	}}.fire(site);
#define TBUF_PRIVATE_VALUE(n, x)					\
	::tbuf_private::argument_of<tbuf_private_argument##n>(x).value(),

namespace tbuf_private {

#ifndef __clang__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuseless-cast"
#endif

#define TBUF_PRIVATE_INLINE	__attribute__((always_inline)) inline

/* An argument of 64 bits: any type except texts and bytes. */
template <unsigned Type>
struct word {
	enum : unsigned { type = Type };
	TBUF_PRIVATE_INLINE explicit word(uint64_t b) : bits(b) {}
	TBUF_PRIVATE_INLINE uint64_t value() const { return bits; }
	uint64_t bits;
};

/* An argument of bytes stored elsewhere: texts and bytes. */
template <unsigned Type>
struct span {
	enum : unsigned { type = Type };
	TBUF_PRIVATE_INLINE span(const void *p, size_t n) : bytes{p, n} {}
	TBUF_PRIVATE_INLINE uint64_t value() const
	{
		return reinterpret_cast<uint64_t>(&bytes);
	}
	tbuf_bytes bytes;
};

template <class T>
constexpr unsigned
integer_type()
{
	return std::is_same<T, bool>::value ? unsigned(TBUF_BOOL) :
	    std::is_same<T, char>::value ? unsigned(TBUF_CHAR) :
	    unsigned(std::is_signed<T>::value ? TBUF_INT8 : TBUF_UINT8) +
	    (sizeof(T) >= 2) + (sizeof(T) >= 4) + (sizeof(T) >= 8);
}

/* Detects std::string, std::string_view and the like: they have a char_type. */
template <class T>
auto text_test(const T *t) -> typename std::enable_if<
    std::is_same<typename T::traits_type::char_type, char>::value &&
    std::is_convertible<decltype(t->data()), const char *>::value &&
    std::is_convertible<decltype(t->size()), size_t>::value,
    std::true_type>::type;
std::false_type text_test(...);

template <class T>
using is_text = decltype(text_test(static_cast<T *>(nullptr)));

template <class T, class = void>
struct argument : word<TBUF_NONE> {
	static_assert(!std::is_same<T, T>::value, TBUF_PRIVATE_UNTRACEABLE);
	template <class U>
	explicit argument(const U &) : word(0) {}
};

template <class T>
using argument_of = argument<typename std::decay<T>::type>;

template <class T>
struct argument<T, typename std::enable_if<std::is_integral<T>::value &&
    sizeof(T) <= 8>::type> : word<integer_type<T>()> {
	TBUF_PRIVATE_INLINE explicit argument(T v) :
	    word<integer_type<T>()>(static_cast<uint64_t>(v)) {}
};

template <class T>
struct argument<T, typename std::enable_if<std::is_enum<T>::value>::type> :
    argument<typename std::underlying_type<T>::type> {
	typedef typename std::underlying_type<T>::type integer;
	TBUF_PRIVATE_INLINE explicit argument(T v) :
	    argument<integer>(static_cast<integer>(v)) {}
};

template <>
struct argument<float> : word<TBUF_FLOAT> {
	TBUF_PRIVATE_INLINE explicit argument(float v) :
	    word(tbuf_private_float(v)) {}
};

template <>
struct argument<double> : word<TBUF_DOUBLE> {
	TBUF_PRIVATE_INLINE explicit argument(double v) :
	    word(tbuf_private_double(v)) {}
};

template <>
struct argument<std::nullptr_t> : word<TBUF_POINTER> {
	TBUF_PRIVATE_INLINE explicit argument(std::nullptr_t) : word(0) {}
};

template <class T>
struct argument<T *> : word<std::is_same<const T, const char>::value ?
    TBUF_STRING : TBUF_POINTER> {
	TBUF_PRIVATE_INLINE explicit argument(T *v) :
	    argument::word(reinterpret_cast<uint64_t>(v)) {}
};

template <class T>
struct argument<T, typename std::enable_if<is_text<T>::value>::type> :
    span<TBUF_STRING_SIZED> {
	TBUF_PRIVATE_INLINE explicit argument(const T &v) :
	    span(v.data(), v.size()) {}
};

template <>
struct argument<tbuf_bytes> : span<TBUF_BINARY> {
	TBUF_PRIVATE_INLINE explicit argument(const tbuf_bytes &v) :
	    span(v.data, v.size) {}
};

template <>
struct argument<tbuf_text> : span<TBUF_STRING_SIZED> {
	TBUF_PRIVATE_INLINE explicit argument(const tbuf_text &v) :
	    span(v.bytes.data, v.bytes.size) {}
};

template <>
struct argument<tbuf_interned> : word<TBUF_STRING_INTERNED> {
	TBUF_PRIVATE_INLINE explicit argument(const tbuf_interned &v) :
	    word(v.number) {}
};

template <class T>
TBUF_PRIVATE_INLINE tbuf_bytes
bytes(const void *p, T n)
{
	return tbuf_bytes{p, static_cast<size_t>(n)};
}

template <class T>
TBUF_PRIVATE_INLINE tbuf_interned
interned(T number)
{
	return tbuf_interned{static_cast<uint32_t>(number)};
}

template <class T>
TBUF_PRIVATE_INLINE tbuf_text
text(const void *p, T n)
{
	return tbuf_text{bytes(p, n)};
}

template <unsigned N>
struct values {
	uint64_t value[N];
	TBUF_PRIVATE_INLINE void fire(tbuf_site *site) const
	{
		tbuf_private_fire(site, value);
	}
};

#undef TBUF_PRIVATE_INLINE

/* The number that tbuf::unit and tbuf::inside contain. */
struct unit_number {
	explicit unit_number(uint64_t n) : number(n) {}
	unit_number(const unit_number &) = delete;
	unit_number &operator=(const unit_number &) = delete;
	uint64_t number;
};

#ifndef __clang__
#pragma GCC diagnostic pop
#endif

}	/* namespace */

namespace tbuf {

/*
 * A work unit that ends with its scope: with the outcome that was set, or with
 * 1, a failure, if none was, as when an exception leaves the scope.
 */
class unit : private tbuf_private::unit_number {
public:
	unit(const char *kind, uint64_t id) :
	    unit_number(tbuf_unit_begin(kind, id)), outcome_(1) {}
	~unit() { (void)tbuf_unit_end(number, outcome_); }
	void outcome(int value) { outcome_ = value; }
	/* Returns the number, for a thread that continues the unit. */
	uint64_t get() const { return number; }
	int enter() { return tbuf_unit_enter(number); }
	int leave() { return tbuf_unit_leave(number); }
private:
	int outcome_;
};

/* A scope in which the thread continues a unit that was begun elsewhere. */
class inside : private tbuf_private::unit_number {
public:
	explicit inside(uint64_t unit) : unit_number(
	    tbuf_unit_enter(unit) == 0 ? unit : 0) {}
	~inside() { (void)tbuf_unit_leave(number); }
};

}	/* namespace */
}	/* extern */

#endif /* __cplusplus */

#endif
