/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A tool that reads a recording of registry_target.c and knows its events by
 * the same list: it prints the code and the name of each record, as the list
 * has them.
 */
#include <err.h>
#include <stdio.h>

#include <tbuf_consumer.h>

#include "registry/registry_events.h"

#define ROW(provider, name, code, always, kind, ...)			\
	{ code, #name, #provider },

static const struct {
	unsigned code;
	const char *name, *provider;
} events[] = { REG_EVENTS(ROW) };

static void
print(unsigned code)
{
	unsigned i;

	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (events[i].code == code)
			printf("%s %s\n", events[i].provider, events[i].name);
}

int
main(int argc, char **argv)
{
	struct tbuf_consumer *c = tbuf_consumer_new();
	struct tbuf_event event;
	int more;

	if (argc != 2 || c == NULL ||
	    tbuf_consumer_set(c, "temporal", NULL) < 0 ||
	    tbuf_consumer_open_file(c, argv[1]) < 0 ||
	    tbuf_consumer_go(c) < 0)
		errx(1, "%s", c == NULL ? "" : tbuf_consumer_error(c));
	do {
		more = tbuf_consumer_work(c);
		while (tbuf_consumer_next(c, &event) > 0)
			if (event.type == TBUF_EVENT_RECORD)
				print(event.record.probe->code);
	} while (more > 0);
	tbuf_consumer_close(c);
	return (0);
}
