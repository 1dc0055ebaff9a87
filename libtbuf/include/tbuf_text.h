/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * tbuf_text.h: messages in words, for C and C++ programs.
 *
 *	#include <tbuf_text.h>
 *
 *	TBUF_COMPONENT(store, "store");
 *
 *	tbuf_text(&store, TBUF_WARNING, "%s is %zu bytes long", key, bytes);
 *	TBUF_ASSERT(entry != NULL);
 *
 * A message is a record of the probe text:MODULE:COMPONENT:LEVEL, and, where
 * the text trace is on for its component and level, a line of that: in a file,
 * in the system's log, or in memory.  See tbuf_text(3).
 */
#ifndef TBUF_TEXT_H
#define TBUF_TEXT_H

#include <stdarg.h>

#include <tbuf.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* A level includes those above it. */
enum tbuf_level {
	TBUF_SEVERE = 1,	/* something has failed */
	TBUF_WARNING = 2,	/* something may fail */
	TBUF_INFO = 3,		/* what the program does */
	TBUF_DEBUG = 4,		/* with which data */
	TBUF_FLOW = 5		/* functions entered and left */
};

/* As many pointers as a level that is none of these can ask for. */
#define TBUF_LEVELS	8

/*
 * A part of a program that has messages of its own.  TBUF_COMPONENT makes them;
 * a program whose components are known only at run time keeps its own, zeroed
 * but for the name, and registers them.  The fields are not for use.
 */
struct tbuf_component {
	const char *name;
	const uint32_t *wanted[TBUF_LEVELS];	/* by level */
	const uint32_t *order;	/* not 0: others ask for a change */
	struct tbuf_component *next;
	uint32_t zero;
	uint32_t state;		/* the library's */
	struct tbuf_site sites[TBUF_FLOW];	/* one a level */
};

/*
 * Let a component have messages.  It and its name have to stay until it is
 * unregistered.  0, or as tbuf_probe_register(); its messages go into the
 * text trace also where it has no probes for lack of room (-ENOSPC).  Not
 * async-signal-safe, as the next.
 */
int	tbuf_component_register(struct tbuf_component *);
/* Take it back.  No thread may be at a message of it. */
void	tbuf_component_unregister(struct tbuf_component *);

/*
 * Change the text trace of this process: PROPERTY=VALUE, several with `;`
 * between them, as tbuf_text(3) has them.  0, or
 *	-EINVAL	tbuf_text_check() says what is wrong
 *	-EBUSY	the size is fixed by now, or a thread is stuck in the trace
 *	-ENOENT	the facility is File, and there is no traceFilePath
 *	-ENOMEM	there is no memory for the trace: it is off for this process
 * and what tbuf_text_flush() says of the trace file.  Where Memory cannot be
 * left, as it cannot be flushed, it stays the facility.  Not
 * async-signal-safe.
 */
int	tbuf_text_set(const char *setting);
/* 0, or -EINVAL and what is wrong, in words. */
int	tbuf_text_check(const char *setting, const char **wrong);

/*
 * Append to the trace file what the trace in memory has and no flush has
 * written before.  0, also when there is no trace file or no trace in memory;
 * -EPERM: others could have made, or could change, the file or its directory;
 * -ELOOP: it is a symbolic link; -EINVAL: it is no regular file; or what
 * open(2) and write(2) say.  Async-signal-safe.
 */
int	tbuf_text_flush(void);

/*
 * Have this function called where the trace in memory is left and where an
 * assertion has failed, instead of tbuf_text_flush(); NULL: that again.
 */
void	tbuf_text_flush_set(int (*flush)(void));

/* How many lines have been lost in this process. */
uint64_t tbuf_text_lost(void);

/*
 * A message that is there already.  It is not formatted, and all of it is
 * async-signal-safe unless the facility is Log.
 */
void	tbuf_text_string(struct tbuf_component *, int level, const char *text);

/* For the macros: the message is wanted by somebody. */
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
 * Does anybody want messages of this level of the component?  To be asked
 * before something that is costly to find out.
 */
static inline int
tbuf_text_wanted(const struct tbuf_component *component, int level)
{
	const uint32_t *wanted = __atomic_load_n(
	    &component->wanted[(unsigned)level % TBUF_LEVELS],
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
 * At file scope: a component of this file, which may be one of the same name
 * in other files.
 *
 * tbuf_text(component, level, format, ...)
 *
 * A message as of printf(3).  It is a statement; the arguments are evaluated
 * if somebody wants the message, and otherwise never.
 *
 * TBUF_ASSERT(expression)
 *
 * If it is 0: a severe message of the component `assert`, the same on standard
 * error, a flush of the trace in memory, the last records on standard error
 * (tbuf_backtrace()), and abort(3).
 */
#define TBUF_COMPONENT(identifier, text)				\
	static struct tbuf_component identifier = {			\
		text, {							\
		    &identifier.zero, &identifier.zero,			\
		    &identifier.zero, &identifier.zero,			\
		    &identifier.zero, &identifier.zero,			\
		    &identifier.zero, &identifier.zero },		\
		&identifier.zero, 0, 0, 0, TBUF_PRIVATE_NO_SITES	\
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

/* From here on nothing is for use. */

#define TBUF_PRIVATE_NO_SITES	{					\
	TBUF_PRIVATE_NO_SITE, TBUF_PRIVATE_NO_SITE,			\
	TBUF_PRIVATE_NO_SITE, TBUF_PRIVATE_NO_SITE,			\
	TBUF_PRIVATE_NO_SITE						\
}
#define TBUF_PRIVATE_NO_SITE						\
	{ 0, 0, 0, 0, 0, 0, 0, 0, { 0 }, 0, 0, 0, 0 }

#endif
