/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The events of registry_target.c, which registry_tool.c knows by this header.
 */
#ifndef TBUF_TESTS_REGISTRY_EVENTS_H
#define TBUF_TESTS_REGISTRY_EVENTS_H

#include <stdbool.h>

#include <tbuf_registry.h>

#define REG_EVENTS(E)							\
	E(reg, request__start, 0x101, TBUF_ALWAYS, request,		\
	    (uint64_t, id), (const char *, op))				\
	E(reg, request__done, 0x102, TBUF_ALWAYS, request,		\
	    (uint64_t, id), (int, status))				\
	E(reg, look, 0x201, TBUF_DEBUG, table, (uint32_t, slot))	\
	E(reg, idle, 0x301, TBUF_ALWAYS, loop)				\
	E(reg, interned, 0x401, TBUF_ALWAYS, text,			\
	    (int, before), (struct tbuf_interned, word),		\
	    (uint8_t, after))						\
	E(reg, mixed, 0x402, TBUF_ALWAYS, text,				\
	    (const char *, plain), (struct tbuf_interned, word))	\
	E(reg, types, 0x501, TBUF_ALWAYS, type, (bool, yes),		\
	    (short, number), (double, real), (void *, pointer),		\
	    (const char *, string), (struct tbuf_text, sized),		\
	    (struct tbuf_bytes, bytes))
TBUF_RELATION(REG_EVENTS);

#endif
