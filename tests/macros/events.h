/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Events of a list, in C and in C++: codes, kinds, the declared types of the
 * arguments, and sites that TBUF_RELEASE takes away.
 */
#ifndef TBUF_TESTS_EVENTS_H
#define TBUF_TESTS_EVENTS_H

#include <tbuf_registry.h>

#include "fake.h"

#define TEST_EVENTS(E)							\
	E(test, event__start, 0x101, TBUF_ALWAYS, request,		\
	    (uint64_t, id), (const char *, op))				\
	E(test, event__look, 0x202, TBUF_DEBUG, table,			\
	    (int16_t, slot), (float, load), (struct tbuf_bytes, key),	\
	    (const void *, at))						\
	E(test, event__text, 0x401, TBUF_ALWAYS, text,			\
	    (char, before), (struct tbuf_interned, word))		\
	E(test, event__tick, 0xffff, TBUF_ALWAYS, loop)			\
	E(test, event__wide, 0x301, TBUF_ALWAYS, loop, (int, a), (int, b), \
	    (int, c), (int, d), (int, e), (int, f), (int, g), (int, h),	\
	    (int, i), (int, j))
TBUF_RELATION(TEST_EVENTS);

#ifdef TBUF_RELEASE
#define EVENTS_DEBUG	0
#else
#define EVENTS_DEBUG	1
#endif

static int event_arguments;

static inline int
event_argument(int x)
{
	event_arguments++;
	return (x);
}

static inline void
event_types(int on)
{
	const int16_t slot = -7;
	int id = 5;

	TBUF_EVENT(event__start, 7u, "get");
	EXPECT_INTEGER(fake_fires(), on);
	if (!on)
		return;
	EXPECT_STRING(fake_last.provider, "test-request");
	EXPECT_STRING(fake_last.name, "event-start");
	EXPECT_STRING(fake_last.function, "event_types");
	EXPECT_INTEGER(fake_last.code, 0x101);
	EXPECT_ARGUMENT(0, "id", TBUF_UINT64, 7);
	EXPECT_BYTES(1, "op", TBUF_STRING, "get", 3);
	TBUF_EVENT(event__look, slot, 0.5f,
	    TBUF_BYTES("abc", 2), &id);
	EXPECT_INTEGER(fake_fires(), EVENTS_DEBUG);
	if (EVENTS_DEBUG) {
		EXPECT_STRING(fake_last.provider, "test-table");
		EXPECT_INTEGER(fake_last.code, 0x202);
		EXPECT_ARGUMENT(0, "slot", TBUF_INT16, 0xfffffffffffffff9);
		EXPECT_ARGUMENT(1, "load", TBUF_FLOAT, 0x3f000000);
		EXPECT_BYTES(2, "key", TBUF_BINARY, "ab", 2);
		EXPECT_INTEGER(fake_last.arguments[3].type, TBUF_POINTER);
	}
	TBUF_EVENT(event__text, 'x', TBUF_INTERNED(id));
	EXPECT_INTEGER(fake_fires(), 1);
	EXPECT_ARGUMENT(0, "before", TBUF_CHAR, 'x');
	EXPECT_ARGUMENT(1, "word", TBUF_STRING_INTERNED, 5);
	TBUF_PROBE(test, event__text, TBUF_INTERNED(id), TBUF_INTERNED(7));
	EXPECT_INTEGER(fake_fires(), 1);
	EXPECT_ARGUMENT(0, "id", TBUF_STRING_INTERNED, 5);
	EXPECT_ARGUMENT(1, "arg1", TBUF_STRING_INTERNED, 7);
	TBUF_EVENT(event__wide, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
	EXPECT_INTEGER(fake_last.nargs, 10);
	EXPECT_ARGUMENT(9, "j", TBUF_INT32, 10);
	EXPECT_INTEGER(fake_fires(), 1);
}

static inline void
events(int on)
{
	static const char *const names[] = { "event-start", "event-look",
		"event-tick", "event-wide", "event-text" };
	unsigned n;

	for (n = 0; n < sizeof(names) / sizeof(names[0]); n++)
		EXPECT((fake_enable(names[n], on) > 0) ==
		    (n != 1 || EVENTS_DEBUG));
	event_types(on);
	event_arguments = 0;
	if (on)
		TBUF_EVENT(event__tick);
	else
		TBUF_EVENT(event__wide, event_argument(1), 2, 3, 4, 5, 6, 7,
		    8, 9, event_argument(10));
	TBUF_EVENT(event__look, event_argument(1) != 0, 1.0f,
	    TBUF_BYTES("", 0), &on);
	EXPECT_INTEGER(fake_fires(), on * (1 + EVENTS_DEBUG));
	EXPECT_INTEGER(event_arguments, on * EVENTS_DEBUG);
	EXPECT((TBUF_EVENT_ENABLED(event__tick) ? 1 : 0) == on);
	EXPECT((TBUF_EVENT_ENABLED(event__look) ? 1 : 0) ==
	    (on && EVENTS_DEBUG));
}

#endif
