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
#include "options/command_line.h"
#include "preload.h"

#define FIELDS	4

/* Returns true for pid$target, pid1234, and globs that match such names. */
static bool
is_pid(const char *field, size_t length)
{
	char *glob = string_format("%.*s", (int)length, field), *target;
	bool is;

	if ((target = strchr(glob, '$')) != NULL &&
	    strcmp(target, "$target") == 0)
		*target = '\0';
	is = length > 1 && (fnmatch(glob, "pid", 0) == 0 ||
	    fnmatch(glob, "pid1", 0) == 0 ||
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
		/* A function of C++ has pairs of colons. */
		if (fields >= FIELDS && (fields - FIELDS) % 2 == 0 &&
		    is_pid(first, (size_t)(end - first)))
			words_add(found, "%.*s", (int)(p - first), first);
		if (*p == '\0')
			return;
	}
}

/*
 * Returns the macro argument $N that ends a field, or NULL.  One that is
 * missing is refused when the program is compiled.
 */
static const char *
argument(const struct options *o, const char *dollar, const char *end)
{
	const char *digits = dollar + 1;
	unsigned long n;

	if (dollar == end || digits == end ||
	    digits + strspn(digits, "0123456789") != end)
		return (NULL);
	n = strtoul(digits, NULL, 10);
	if (n < (unsigned long)o->nwords)
		return (o->words[n]);
	return (o->d.defaultargs ? "" : NULL);
}

/*
 * Returns a word with macro arguments in the place of their variables, as the
 * compiler makes of it: the first $ of a field begins one.
 */
static char *
expand(const struct options *o, const char *word)
{
	char *expanded = memory_string(""), *old;
	const char *end, *dollar, *value;

	for (;; word = end + 1) {
		end = field_end(word);
		dollar = word + strcspn(word, "$");
		dollar = dollar < end ? dollar : end;
		if ((value = argument(o, dollar, end)) == NULL)
			dollar = end;
		old = expanded;
		expanded = string_format("%s%.*s%s%.*s", old,
		    (int)(dollar - word), word, value == NULL ? "" : value,
		    *end == '\0' ? 0 : 1, end);
		free(old);
		if (*end == '\0')
			return (expanded);
	}
}

/*
 * Adds those in a D program, which is compiled later.  A word in a comment or a
 * string may look like one: then more is armed than is traced.
 */
static void
look_at_program(struct words *found, const struct options *o,
    const struct description *d)
{
	char *rest = memory_string(d->flag == 's' ? d->script : d->text);
	char *all = rest, *word, *expanded, *full;
	bool first = true;

	while ((word = strsep(&rest, " \t\n,;{}()/\"")) != NULL) {
		if (*word == '\0')
			continue;
		expanded = expand(o, word);
		full = string_format("%s%s", expanded, first ?
		    description_suffix(d->flag) : "");
		look_at_list(found, full);
		free(full);
		free(expanded);
		first = false;
	}
	free(all);
}

static void
look_at(struct words *found, const struct options *o)
{
	const struct program *program = &o->program;
	const struct description *d;
	size_t i;

	for (i = 0; i < program->count; i++) {
		d = &program->all[i];
		if (d->is_program)
			look_at_program(found, o, d);
		else if (d->full != NULL)
			look_at_list(found, d->full);
	}
}

bool
preload_wants_pid(const struct options *o)
{
	struct words found = { NULL, 0 };
	bool wants;

	look_at(&found, o);
	wants = found.count > 0;
	words_free(&found);
	return (wants);
}

char *
preload_pid_setting(const struct options *o)
{
	struct words found = { NULL, 0 };
	char *setting = memory_string("TBUF_PID="), *longer;
	size_t i;

	look_at(&found, o);
	for (i = 0; i < found.count; i++) {
		longer = string_format("%s%s%s", setting, i == 0 ? "" : ",",
		    found.all[i]);
		free(setting);
		setting = longer;
	}
	words_free(&found);
	return (setting);
}
