/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * tbuf_text.h: log messages, for C and C++ programs.
 *
 *	#include <tbuf_text.h>
 *
 *	TBUF_COMPONENT(store, "store");
 *
 *	tbuf_text(&store, TBUF_WARNING, "%s is %zu bytes long", key, bytes);
 *	TBUF_ASSERT(entry != NULL);
 *
 * A message is a record of the probe text:MODULE:COMPONENT:LEVEL, and also a
 * line of the text trace if that is on for its component and level: in a file,
 * in the system's log, or in memory.  See tbuf_text(3).
 */
#ifndef TBUF_TEXT_H
#define TBUF_TEXT_H

#include <stdarg.h>
#include <stddef.h>

#include <tbuf.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* A level includes those above it. */
enum tbuf_level {
	TBUF_SEVERE = 1,	/* something has failed */
	TBUF_WARNING = 2,	/* something may fail */
	TBUF_INFO = 3,		/* the program's actions */
	TBUF_DEBUG = 4,		/* the data of these actions */
	TBUF_FLOW = 5		/* functions entered and left */
};

/* Elements for all levels, and for any other number modulo this. */
#define TBUF_LEVELS	8

/*
 * A component: a part of a program with messages that can be turned on and
 * off.  TBUF_COMPONENT makes one; a program that knows its components only at
 * run time makes its own, zeroed except for the name, and registers them.
 * Programs must not use the other fields.
 */
struct tbuf_component {
	const char *name;
	const uint32_t *wanted[TBUF_LEVELS];	/* by level */
	const uint32_t *order;	/* not 0: another process orders a change */
	struct tbuf_component *next;
	uint32_t zero;
	uint32_t state;		/* private to the library */
	struct tbuf_site sites[TBUF_FLOW];	/* one for each level */
};

/*
 * Registers a component, before its first message.  The component and its name
 * must stay at their addresses until it is unregistered.  Returns 0 or an
 * error of tbuf_probe_register(); with -ENOSPC it has no probes, but its
 * messages go to the text trace.  Not async-signal-safe.
 */
int	tbuf_component_register(struct tbuf_component *);
/*
 * Unregisters a component.  No thread may be printing a message of it.  Not
 * async-signal-safe.
 */
void	tbuf_component_unregister(struct tbuf_component *);

/*
 * Changes the text trace of this process: PROPERTY=VALUE, several with `;`
 * between them, as in tbuf_text(3).  Returns 0, an error of tbuf_text_flush()
 * for the trace file, or
 *	-EINVAL	the setting is not valid; tbuf_text_check() has a message
 *	-EBUSY	the size is fixed by now, a thread does not leave the trace, or
 *		this thread is already changing a setting
 *	-ENOENT	the facility is File, and there is no traceFilePath
 *	-ENOMEM	there is no memory for the trace: it is off for this process
 * If the trace in memory cannot be flushed, the facility remains Memory.  Not
 * async-signal-safe.
 */
int	tbuf_text_set(const char *setting);
/* Returns 0, or -EINVAL with a message about the error in *wrong. */
int	tbuf_text_check(const char *setting, const char **wrong);

/*
 * Appends lines of the trace in memory to the trace file, unless a flush has
 * written them before.  Returns 0, also if there is no trace file or no trace
 * in memory; -EPERM if another user could have made, or could change, the file
 * or its directory; -ELOOP if it is a symbolic link; -EINVAL if it is not a
 * regular file; or an error of open(2) or write(2).  Async-signal-safe.
 */
int	tbuf_text_flush(void);

/*
 * Sets a function that flushes the trace in memory in another way; NULL: there
 * is none.  It is called when the facility is changed from Memory, when an
 * assertion has failed, and by tbuf_text_flush(), which returns its result.  If
 * the function itself calls tbuf_text_flush(), that writes to the trace file.
 */
void	tbuf_text_flush_set(int (*flush)(void));

/*
 * Returns the address of the trace in memory, which begins with its eye-catcher
 * and remains until the facility is changed, and stores its size in bytes; NULL
 * and 0 if this process has none.  Async-signal-safe.
 */
const void *tbuf_text_memory(size_t *size);

/* Returns the number of lines that this process has lost. */
uint64_t tbuf_text_lost(void);

/*
 * Prints a complete message, without formatting it: up to 1023 bytes, of which
 * the last ones are `[cut]' if it is longer.  Async-signal-safe unless
 * the facility is Log.
 */
void	tbuf_text_string(struct tbuf_component *, int level, const char *text);

/* Functions for the macros, which have tested that the message is wanted. */
void	tbuf_text_print(struct tbuf_component *, int level,
	    const char *format, ...)
	    __attribute__((format(printf, 3, 4), cold));
void	tbuf_text_vprint(struct tbuf_component *, int level,
	    const char *format, va_list)
	    __attribute__((format(printf, 3, 0), cold));
void	tbuf_assert_failed(const char *expression, const char *file,
	    unsigned line, const char *function)
	    __attribute__((noreturn, cold));

/*
 * Returns non-zero if a message of this level of the component would be
 * recorded or printed.  Programs test it before they compute costly data.
 * Async-signal-safe.
 */
static inline int
tbuf_text_wanted(const struct tbuf_component *component, int level)
{
	const uint32_t *wanted = __atomic_load_n(
	    &component->wanted[level & (TBUF_LEVELS - 1)],
	    __ATOMIC_RELAXED);

	return (__builtin_expect((__atomic_load_n(wanted, __ATOMIC_RELAXED) |
	    __atomic_load_n(component->order, __ATOMIC_RELAXED)) != 0, 0) != 0);
}

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

/*
 * TBUF_COMPONENT(identifier, "name")
 *
 * Defines, at file scope, a component of this file; other files may have
 * components of the same name.
 *
 * tbuf_text(component, level, format, ...)
 *
 * A statement that prints a message, formatted as by printf(3).  The arguments
 * are evaluated only if the message would be recorded or printed.
 *
 * TBUF_ASSERT(expression)
 *
 * If the expression is 0, prints a severe message of the component `assert`, on
 * standard error, too, flushes the trace in memory, writes the last records to
 * standard error (tbuf_backtrace()), and calls abort(3).
 */
#define TBUF_COMPONENT(identifier, text)				\
	static struct tbuf_component identifier = {			\
		text, {							\
		    &identifier.zero, &identifier.zero,			\
		    &identifier.zero, &identifier.zero,			\
		    &identifier.zero, &identifier.zero,			\
		    &identifier.zero, &identifier.zero },		\
		&identifier.zero, TBUF_PRIVATE_NULL, 0, 0,		\
		TBUF_PRIVATE_NO_SITES					\
	};								\
	static __attribute__((constructor)) void			\
	tbuf_private_begin_##identifier(void)				\
	{								\
		(void)tbuf_component_register(&identifier);		\
	}								\
	static __attribute__((destructor)) void				\
	tbuf_private_end_##identifier(void)				\
	{								\
		tbuf_component_unregister(&identifier);			\
	}								\
	struct tbuf_private_use_##identifier

#define tbuf_text(component, level, ...)				\
	do {								\
		if (tbuf_text_wanted((component), (level)))		\
			tbuf_text_print((component), (level),		\
			    __VA_ARGS__);				\
	} while (0)

#define TBUF_ASSERT(expression)						\
	(__builtin_expect(!(expression), 0) ?				\
	    tbuf_assert_failed(#expression, __FILE__, __LINE__,		\
	    __func__) : (void)0)

/* Private from here on. */

#define TBUF_PRIVATE_NO_SITES	{					\
	TBUF_PRIVATE_NO_SITE, TBUF_PRIVATE_NO_SITE,			\
	TBUF_PRIVATE_NO_SITE, TBUF_PRIVATE_NO_SITE,			\
	TBUF_PRIVATE_NO_SITE						\
}
#define TBUF_PRIVATE_NO_SITE						\
	{ TBUF_PRIVATE_NULL, TBUF_PRIVATE_NULL, TBUF_PRIVATE_NULL,	\
	    TBUF_PRIVATE_NULL, 0, 0, 0, 0, { 0 }, 0, 0, 0, TBUF_PRIVATE_NULL }

#endif
