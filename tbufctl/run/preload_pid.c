/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Descriptions of the pid provider, which it has to know before main().
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/description_field.h"
#include "base/messages.h"
#include "base/string_list.h"
#include "options/enablings.h"
#include "preload.h"

#define FIELDS	4

/* Returns true for pid$target, pid1234, and globs that match such names. */
static bool
is_pid(const char *field, size_t length)
{
	char *glob = string_format("%.*s", (int)length, field);
	bool is = length > 1 && (strcmp(glob, "pid$target") == 0 ||
	    fnmatch(glob, "pid", 0) == 0 || fnmatch(glob, "pid1", 0) == 0 ||
	    (strncmp(glob, "pid", 3) == 0 &&
	    glob[3 + strspn(glob + 3, "0123456789")] == '\0'));

	free(glob);
	return (is);
}

/* Adds the descriptions of a comma list that are complete. */
static void
look_at_list(struct words *found, const char *p)
{
	const char *first, *end;
	unsigned fields;

	for (;; p++) {
		first = p;
		end = p = field_end(p);
		for (fields = 1; *p == ':'; fields++)
			p = field_end(p + 1);
		if (fields == FIELDS && is_pid(first, (size_t)(end - first)))
			words_add(found, "%.*s", (int)(p - first), first);
		if (*p == '\0')
			return;
	}
}

/*
 * Adds those in a D program, which is compiled later.  A word in a comment or a
 * string may look like one: then more is armed than is traced.
 */
static void
look_at_program(struct words *found, const struct description *d)
{
	char *rest = memory_string(d->flag == 's' ? d->script : d->text);
	char *all = rest, *word, *full;
	bool first = true;

	while ((word = strsep(&rest, " \t\n,;{}()/\"")) != NULL) {
		if (*word == '\0')
			continue;
		full = string_format("%s%s", word, first ?
		    description_suffix(d->flag) : "");
		look_at_list(found, full);
		free(full);
		first = false;
	}
	free(all);
}

static void
look_at(struct words *found, const struct program *program)
{
	const struct description *d;
	size_t i;

	for (i = 0; i < program->count; i++) {
		d = &program->all[i];
		if (d->is_program)
			look_at_program(found, d);
		else if (d->full != NULL)
			look_at_list(found, d->full);
	}
}

bool
preload_wants_pid(const struct program *program)
{
	struct words found = { NULL, 0 };
	bool wants;

	look_at(&found, program);
	wants = found.count > 0;
	words_free(&found);
	return (wants);
}

char *
preload_pid_setting(const struct program *program)
{
	struct words found = { NULL, 0 };
	char *setting = memory_string("TBUF_PID="), *longer;
	size_t i;

	look_at(&found, program);
	for (i = 0; i < found.count; i++) {
		longer = string_format("%s%s%s", setting, i == 0 ? "" : ",",
		    found.all[i]);
		free(setting);
		setting = longer;
	}
	words_free(&found);
	return (setting);
}
