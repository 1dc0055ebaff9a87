/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A program whose events are a list, for registry.sh.  It executes its
 * arguments in order:
 *
 *	fire=N		N requests: start, look, done
 *	kill		ends by SIGKILL
 */
#include <err.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <tbuf_registry.h>

#define REG_EVENTS(E)							\
	E(reg, request__start, 0x101, TBUF_ALWAYS, request,		\
	    (uint64_t, id), (const char *, op))				\
	E(reg, request__done, 0x102, TBUF_ALWAYS, request,		\
	    (uint64_t, id), (int, status))				\
	E(reg, look, 0x201, TBUF_DEBUG, table, (uint32_t, slot))	\
	E(reg, idle, 0x301, TBUF_ALWAYS, loop)
TBUF_RELATION(REG_EVENTS);

static void
fire(uint64_t n)
{
	uint64_t id;

	for (id = 1; id <= n; id++) {
		TBUF_EVENT(request__start, id, id % 2 == 0 ? "set" : "get");
		TBUF_EVENT(look, (uint32_t)id % 7);
		TBUF_EVENT(request__done, id, id % 10 == 0);
	}
	TBUF_EVENT(idle);
}

int
main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++) {
		if (strncmp(argv[i], "fire=", 5) == 0)
			fire(strtoull(argv[i] + 5, NULL, 10));
		else if (strcmp(argv[i], "kill") == 0)
			raise(SIGKILL);
		else
			errx(99, "unknown order %s", argv[i]);
	}
	return (0);
}
