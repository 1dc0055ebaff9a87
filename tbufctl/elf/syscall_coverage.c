/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/messages.h"
#include "provider_report.h"
#include "syscall_coverage.h"

#define OBJECTS_MAX	512u

struct object {
	char *name;
	uint64_t traced, all;
};

struct covered {
	struct object objects[OBJECTS_MAX];
	unsigned count;
};

static struct report report;

/* Lines of one object are adjacent.  Returns NULL if there are too many. */
static struct object *
object_of(struct covered *c, const char *name)
{
	if (c->count > 0 && strcmp(c->objects[c->count - 1].name, name) == 0)
		return (&c->objects[c->count - 1]);
	if (c->count == OBJECTS_MAX)
		return (NULL);
	c->objects[c->count] = (struct object){ memory_string(name), 0, 0 };
	return (&c->objects[c->count++]);
}

/*
 * Counts a line, "OBJECT+OFFSET: traced" or with the reason why not, which is
 * printed.  A line without an offset is about the whole process.
 */
static void
see(void *arg, char *line)
{
	struct covered *c = arg;
	struct object *o;
	char *name = memory_string(line), *end = strstr(name, ": ");
	bool traced = end != NULL && strcmp(end, ": traced") == 0;

	if (!traced)
		message(MSG_UNCOVERED, line);
	else if (strcmp(line, "other system calls: traced") == 0)
		message(MSG_COVERED_ALL);
	if (end != NULL) {
		*end = '\0';
		end = strrchr(name, '+');
	}
	if (end != NULL) {
		*end = '\0';
		o = object_of(c, name);
		if (o != NULL) {
			o->all++;
			o->traced += traced;
		}
	}
	free(name);
}

const char *
covered_begin(void)
{
	return (report_begin(&report, "TBUF_SYSCALL_LIST"));
}

void
covered_end(void)
{
	struct covered c;
	unsigned i;

	c.count = 0;
	report_end(&report, see, &c);
	for (i = 0; i < c.count; i++) {
		message(MSG_COVERED, c.objects[i].name, c.objects[i].traced,
		    c.objects[i].all, PLURAL(c.objects[i].all));
		free(c.objects[i].name);
	}
}
