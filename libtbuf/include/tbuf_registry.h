/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * tbuf_registry.h: probes that are declared in one list, with codes, kinds and
 * types.
 *
 *	#define KV_EVENTS(E)						\
 *		E(kv, request__start, 0x101, TBUF_ALWAYS, request,	\
 *		    (uint64_t, id), (const char *, op))			\
 *		E(kv, slot__probe, 0x201, TBUF_DEBUG, table,		\
 *		    (uint32_t, slot))
 *	TBUF_RELATION(KV_EVENTS);
 *
 *	TBUF_EVENT(request__start, r->id, r->op);
 *
 * This site's probe is kv-request:::request-start.  All of it is macros: it is
 * compiled into the program.  See tbuf_registry(7).
 */
#ifndef TBUF_REGISTRY_H
#define TBUF_REGISTRY_H

#include <tbuf.h>

/*
 * TBUF_RELATION(list);
 *
 * Declares the events of a list, a macro that calls its parameter for each:
 *
 *	E(provider, name, code, TBUF_ALWAYS or TBUF_DEBUG, kind, arguments...)
 *
 * Provider, name and kind are identifiers; the probe's provider is
 * provider-kind, and `__` in the name becomes `-`.  The code is a constant from
 * 1 to 0xffff.  An argument is (type, name), of a type that TBUF_PROBE records.
 * A name that is used twice, in any list of the file, and a code that is used
 * twice in a list do not compile.
 *
 * TBUF_EVENT(name, arguments...)
 *
 * A statement, a site of the event; an event may have any number of sites.
 * Arguments are evaluated as TBUF_PROBE does.  An integer converts to an
 * integer, a float or double to either of them, and a pointer other than a
 * string to such a pointer, as by an assignment.  Any other argument, and
 * another number of arguments, do not compile.
 *
 * TBUF_EVENT_ENABLED(name)
 *
 * An expression, true if the event is enabled, as TBUF_ENABLED is.
 *
 * With TBUF_RELEASE defined, sites of events that are not TBUF_ALWAYS compile
 * to nothing; their arguments are checked, but not evaluated.
 */
#define TBUF_RELATION(list)						\
	list(TBUF_PRIVATE_RELATION_EVENT)				\
	__attribute__((unused)) static inline int			\
	tbuf_private_codes_##list(unsigned tbuf_private_code)		\
	{								\
		switch (tbuf_private_code) {				\
		list(TBUF_PRIVATE_RELATION_CODE)			\
		default:						\
			return (0);					\
		}							\
	}								\
	TBUF_PRIVATE_ASSERT(1, "")

/*
 * Fires the probe tbuf:::label, which names an address from now on: a record of
 * the address and its name, if the probe is enabled.  Async-signal-safe.
 */
static inline void
tbuf_label(const void *pointer, const char *text)
{
	TBUF_PROBE(tbuf, label, pointer, text);
}

#define TBUF_EVENT(...)							\
	TBUF_PRIVATE_EVENT(TBUF_PRIVATE_COUNT(__VA_ARGS__),		\
	    TBUF_PRIVATE_FIRST(tbuf_event_##__VA_ARGS__, 0), __VA_ARGS__)

#define TBUF_EVENT_ENABLED(name)					\
	(TBUF_PRIVATE_STAYS(tbuf_event_##name) &&			\
	    TBUF_PRIVATE_ENABLED(tbuf_event_##name##_text, ))

/* Private from here on. */

/* An event: its code, its text as that of a site, and its arguments' types. */
#define TBUF_PRIVATE_RELATION_EVENT(provider, name, code, always, ...)	\
	enum {								\
		tbuf_event_##name##_code = (code),			\
		tbuf_event_##name##_always = TBUF_PRIVATE_IS_##always	\
	};								\
	TBUF_PRIVATE_ASSERT((code) > 0 && (code) <= 0xffff,		\
	    "tbuf: a code is a number from 1 to 0xffff");		\
	struct tbuf_name_##provider;					\
	TBUF_PRIVATE_RELATION_COUNTED(#provider, #name,			\
	    tbuf_event_##name##_text, tbuf_event_##name,		\
	    TBUF_PRIVATE_COUNT(__VA_ARGS__), __VA_ARGS__)
#define TBUF_PRIVATE_RELATION_COUNTED(provider, name, text, event,	\
    count, ...)								\
	TBUF_PRIVATE_RELATION_EACH(provider, name, text, event, count,	\
	    TBUF_PRIVATE_FIRST(__VA_ARGS__, 0), __VA_ARGS__)
#define TBUF_PRIVATE_RELATION_EACH(provider, name, text, event, count,	\
    kind, ...)								\
	TBUF_PRIVATE_RELATION_KIND(provider, name, text, event, count,	\
	    kind, TBUF_PRIVATE_EACH_##count, __VA_ARGS__)
#define TBUF_PRIVATE_RELATION_KIND(provider, name, text, event, count,	\
    kind, each, ...)							\
	struct tbuf_name_##kind;					\
	__attribute__((unused)) static const char text[] =		\
	    provider "-" #kind ", " name				\
	    each(TBUF_PRIVATE_RELATION_NAME, __VA_ARGS__);		\
	struct event {							\
		char counted[1 + (count)];				\
		each(TBUF_PRIVATE_RELATION_MEMBER, __VA_ARGS__)		\
	};
#define TBUF_PRIVATE_RELATION_CODE(provider, name, code, ...)		\
	case tbuf_event_##name##_code:					\
		return (1);

#define TBUF_PRIVATE_IS_TBUF_ALWAYS	1
#define TBUF_PRIVATE_IS_TBUF_DEBUG	0

#define TBUF_PRIVATE_FIRST(first, ...)	first

/* Argument n of a list, (type, name). */
#define TBUF_PRIVATE_RELATION_NAME(n, pair)				\
	", " TBUF_PRIVATE_PAIR_NAME pair
#define TBUF_PRIVATE_RELATION_MEMBER(n, pair)				\
	TBUF_PRIVATE_PAIR_TYPE pair argument##n;
#define TBUF_PRIVATE_PAIR_NAME(type, name)	#name
#define TBUF_PRIVATE_PAIR_TYPE(type, name)	type
#define TBUF_PRIVATE_RELATION_NAME_MANY
#define TBUF_PRIVATE_RELATION_MEMBER_MANY				\
	TBUF_PRIVATE_ASSERT(0, "tbuf: an event has at most 10 arguments");

#ifdef TBUF_RELEASE
#define TBUF_PRIVATE_STAYS(event)	(event##_always != 0)
#else
#define TBUF_PRIVATE_STAYS(event)	(event##_always >= 0)
#endif

#define TBUF_PRIVATE_EVENT(count, event, ...)				\
	TBUF_PRIVATE_EVENT_COUNTED(count, event, __VA_ARGS__)
#define TBUF_PRIVATE_EVENT_COUNTED(count, event, ...)			\
	TBUF_PRIVATE_EVENT_SITE(count, event,				\
	    TBUF_PRIVATE_EACH_##count, __VA_ARGS__)
#define TBUF_PRIVATE_EVENT_SITE(count, event, each, ...)		\
	do {								\
		const uint32_t *tbuf_private_word;			\
		struct tbuf_site *tbuf_private_site;			\
		__attribute__((unused))					\
		struct event tbuf_private_event;			\
		TBUF_PRIVATE_QUIET					\
		TBUF_PRIVATE_ASSERT(sizeof(tbuf_private_event.counted)	\
		    == 1 + (count),					\
		    "tbuf: this event has another number of arguments"); \
		each(TBUF_PRIVATE_EVENT_CHECK, __VA_ARGS__)		\
		if (!TBUF_PRIVATE_STAYS(event))				\
			break;						\
		TBUF_PRIVATE_SITE(tbuf_private_word,			\
		    TBUF_PRIVATE_OUTPUT(tbuf_private_site),		\
		    TBUF_PRIVATE_ADDRESS, event##_text,			\
		    TBUF_SITE_PROBE, 0, event##_code, count,		\
		    0 each(TBUF_PRIVATE_LOW, __VA_ARGS__),		\
		    0 each(TBUF_PRIVATE_HIGH, __VA_ARGS__));		\
		if (TBUF_PRIVATE_WANTED(tbuf_private_word)) {		\
			each(TBUF_PRIVATE_EVENT_SET, __VA_ARGS__)	\
			TBUF_PRIVATE_FIRE(tbuf_private_site,		\
			    (count) + !(count), each,			\
			    TBUF_PRIVATE_EVENT_VALUE, __VA_ARGS__)	\
		}							\
		TBUF_PRIVATE_LOUD					\
	} while (0)

/*
 * CHECK declares the type of argument n, as a site's, and compares it with that
 * of the value: integers are one class, and so are float and double.
 */
#define TBUF_PRIVATE_EVENT_CHECK(n, x)					\
	TBUF_PRIVATE_CHECK(n, tbuf_private_event.argument##n)		\
	TBUF_PRIVATE_GIVEN(n, x)					\
	TBUF_PRIVATE_ASSERT(						\
	    TBUF_PRIVATE_TYPE_CLASS(sizeof(tbuf_private_type##n) - 1) == \
	    TBUF_PRIVATE_TYPE_CLASS(sizeof(tbuf_private_given##n) - 1),	\
	    "tbuf: this event has another type of argument");
#define TBUF_PRIVATE_TYPE_CLASS(type)					\
	((type) >= TBUF_INT8 && (type) <= TBUF_BOOL ? 0u + TBUF_INT64 : \
	    (type) == TBUF_FLOAT ? 0u + TBUF_DOUBLE : (type))
#define TBUF_PRIVATE_EVENT_SET(n, x)	tbuf_private_event.argument##n = (x);
#define TBUF_PRIVATE_EVENT_VALUE(n, x)					\
	TBUF_PRIVATE_VALUE(n, tbuf_private_event.argument##n)
#define TBUF_PRIVATE_EVENT_CHECK_MANY
#define TBUF_PRIVATE_EVENT_SET_MANY
#define TBUF_PRIVATE_EVENT_VALUE_MANY

#ifdef __cplusplus
#define TBUF_PRIVATE_GIVEN(n, x)					\
	typedef decltype((x)) tbuf_private_expression##n;		\
	typedef char tbuf_private_given##n[1 + ::tbuf_private::		\
	    argument_of<tbuf_private_expression##n>::type];
#else
#define TBUF_PRIVATE_GIVEN(n, x)					\
	typedef char tbuf_private_given##n[1 + TBUF_PRIVATE_TYPE(n, x)];
#endif

#endif
