/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tbuf_consumer.h>

#include "base/bpftrace_words.h"
#include "base/description_field.h"
#include "base/dtrace_providers.h"
#include "base/messages.h"
#include "base/string_list.h"
#include "base/suggest.h"
#include "enablings.h"
#include "tbufd.h"

/* A description that matches nothing: no name has a colon in it. */
#define NOTHING	"\\:"

/* The highest of the ids of BEGIN, END and ERROR, which begin at 1. */
#define OWN_IDS	3

/* Returns the offset of the = of a selection after a list, or of the end. */
static size_t
selection_at(const char *text)
{
	const char *equals = strrchr(text, '=');

	if (equals == NULL || !isdigit((unsigned char)equals[1]) ||
	    strpbrk(equals, ":,]") != NULL ||
	    (equals > text && equals[-1] == '\\'))
		return (strlen(text));
	return ((size_t)(equals - text));
}

/* Returns true if there is an equals sign with a digit after it. */
static bool
has_mask(const char *text)
{
	const char *p;

	for (p = text; (p = strchr(p, '=')) != NULL; p++)
		if (isdigit((unsigned char)p[1]))
			return (true);
	return (false);
}

/* Returns the end of a description in a comma list: its comma, or the end. */
static const char *
description_end(const char *p)
{
	while (*(p = field_end(p)) == ':')
		p++;
	return (p);
}

/* Returns the end of [p, end) without its trailing blanks. */
static const char *
trim(const char *p, const char *end)
{
	while (end > p && isspace((unsigned char)end[-1]))
		end--;
	return (end);
}

#define FIELDS	4

/* Returns true if there are more fields than the flag allows: one for -P. */
static bool
has_too_many(int flag, const char *p)
{
	return (field_count(p) + strlen(description_suffix(flag)) > FIELDS);
}

/* Returns true if there is an X::Y, perhaps of a C++ function. */
static bool
has_scope(const char *p, const char *end)
{
	for (; p + 3 < end; p++)
		if (p[0] != ':' && p[1] == ':' && p[2] == ':' && p[3] != ':')
			return (true);
	return (false);
}

/* Returns true for one colon too many, before all fields, which is ignored. */
static bool
has_leading(int flag, const char *p, const char *end)
{
	return (*p == ':' && !has_scope(p, end) &&
	    field_count(p) + strlen(description_suffix(flag)) == FIELDS + 1);
}

/*
 * Returns the error of a list that ends in a class or after a backslash, or
 * NULL.  A flag's suffix after it would belong to the class or the backslash.
 */
static const char *
unended(const char *p)
{
	const char *first;

	for (; *p != '\0'; p++) {
		if (*p == '\\') {
			if (*++p == '\0')
				return ("a backslash at its end quotes "
				    "nothing");
			continue;
		}
		if (*p != '[')
			continue;
		first = p += p[1] == '!' || p[1] == '^' ? 2 : 1;
		for (; *p != '\0' && (p == first || *p != ']'); p++)
			if (*p == '\\' && p[1] != '\0')
				p++;
		if (*p == '\0')
			return ("a closing ] is missing");
	}
	return (NULL);
}

/* Returns the error of a list with blanks in a description, or NULL. */
static const char *
has_blank(const char *p)
{
	const char *end;

	for (;; p = end + 1) {
		while (isspace((unsigned char)*p))
			p++;
		end = description_end(p);
		for (; p < trim(p, end); p++)
			if (isspace((unsigned char)*p))
				return ("a blank is in a description (commas "
				    "separate them)");
			else if (iscntrl((unsigned char)*p))
				return ("a control character is in a "
				    "description");
		if (*end == '\0')
			return (NULL);
	}
}

/* Reports why the library refuses the argument of a flag. */
static int
refuse(const struct description *d)
{
	const char *blank = has_blank(d->text), *p, *end;
	char *why;

	if (has_mask(d->text))
		return (bad_usage(MSG_BAD_PROBE, d->text,
		    "a selection must be a mask of 32 bits at the end"));
	if (blank != NULL)
		return (bad_usage(MSG_BAD_PROBE, d->text, blank));
	for (p = d->text; *(end = description_end(p)) != '\0' &&
	    !has_too_many(d->flag, p); p = end + 1)
		continue;
	while (isspace((unsigned char)*p))
		p++;
	why = string_format("invalid probe description \"%.*s\": "
	    "Overspecified probe description", (int)(trim(p, end) - p), p);
	(void)fail(MSG_BAD_PROBE, d->text, why);
	free(why);
	return (EXIT_FAILED);
}

/*
 * Adds the flag's suffix to each description of a comma list, and removes the
 * blanks around it.  Returns NULL if a description in a list is empty, as it
 * would match everything; else the caller frees the result.
 */
static char *
complete(int flag, const char *text)
{
	const char *add = description_suffix(flag), *p = text, *end;
	size_t lists = 1;
	char *full, *to;

	for (p = text; *p != '\0'; p++)
		lists += *p == ',';
	full = to = memory_get(NULL, 1, p - text + lists * strlen(add) + 1);
	for (p = text;; p = end + 1) {
		while (isspace((unsigned char)*p))
			p++;
		end = description_end(p);
		if (trim(p, end) == p && lists > 1) {
			free(full);
			return (NULL);
		}
		p += has_leading(flag, p, end);
		to = mempcpy(to, p, trim(p, end) - p);
		to = stpcpy(to, add);
		if (*end == '\0')
			return (full);
		*to++ = ',';
	}
}

/*
 * Adds, after each description with a provider such as python[0-9]*, where
 * DTrace has a pid after the name, one with the provider python.  Frees `list`.
 * Returns a list that the caller frees.
 */
static char *
with_bare(char *list)
{
	char *both = memory_get(NULL, 2, strlen(list) + 1), *to = both;
	const char *p = list, *end, *field;
	size_t length;

	for (;; p = end + 1) {
		end = description_end(p);
		field = field_end(p);
		length = d_provider_bare(p, (size_t)(field - p));
		to = mempcpy(to, p, (size_t)(end - p));
		if (length != 0 && field_count(p) == FIELDS) {
			*to++ = ',';
			to = mempcpy(to, p, length);
			to = mempcpy(to, field, (size_t)(end - field));
		}
		if (*end == '\0') {
			*to = '\0';
			free(list);
			return (both);
		}
		*to++ = ',';
	}
}

/* Returns the id of a target's probe; 0 for other text, such as a name. */
static unsigned
target_id(const char *text)
{
	const char *error = NULL;
	char *id = string_format("%.*s", (int)selection_at(text), text);
	unsigned number;

	number = (unsigned)strtonum(id, OWN_IDS + 1, INT_MAX, &error);
	free(id);
	return (error == NULL ? number : 0);
}

/* Returns true if a comma list has a probe of tbufctl's.  Modifies the list. */
static bool
has_own(char *list)
{
	char *p = list, *end;
	bool last;

	do {
		end = p + (description_end(p) - p);
		last = *end == '\0';
		*end = '\0';
		if (tbuf_consumer_own(p) > 0)
			return (true);
		p = end + 1;
	} while (!last);
	return (false);
}

/* Returns true for a macro that D expands to a number, as in python$target. */
static bool
has_macro(const char *text)
{
	const char *p = strchr(text, '$');

	return (p != NULL && (isdigit((unsigned char)p[1]) ||
	    strncmp(p, "$target", strlen("$target")) == 0));
}

/*
 * Returns true if a text has to be compiled as D: it has a clause (no field or
 * glob can contain its characters), or macros, or names probes of tbufctl
 * itself, which no target has.
 */
static bool
is_program(int flag, const char *text)
{
	char *full;
	bool own;

	if (flag == 's' || strpbrk(text, "{/;") != NULL || has_macro(text))
		return (true);
	if (flag == 'i')
		return (target_id(text) == 0);
	if (*text == '\0' || text[selection_at(text)] != '\0' ||
	    strpbrk(text, "*?[") != NULL ||
	    text[strlen(text) - 1] == ':' ||
	    (full = complete(flag, text)) == NULL)
		return (false);
	own = has_own(full);
	free(full);
	return (own);
}

/* Parses an id or a list, without its selection.  Returns 0 or EXIT_USAGE. */
static int
describe(struct description *d, const char *list)
{
	if (d->flag == 'i') {
		d->id = target_id(list);
		return (0);
	}
	if (unended(list) != NULL)
		return (bad_usage(MSG_BAD_PROBE, d->text, unended(list)));
	d->full = complete(d->flag, list);
	if (d->full == NULL)
		return (bad_usage(MSG_BAD_PROBE, d->text,
		    "the list has an empty description"));
	d->full = with_bare(d->full);
	return (0);
}

int
program_add(struct program *program, int flag, const char *text)
{
	size_t at = selection_at(text);
	struct description *d;
	char *list;
	int status;

	program->all = memory_get(program->all, program->count + 1,
	    sizeof(*program->all));
	d = &program->all[program->count++];
	*d = (struct description){
		.text = text, .flag = flag, .selection = text + at,
		.is_program = is_program(flag, text)
	};
	if (d->is_program) {
		program->programs++;
		return (0);
	}
	list = string_format("%.*s", (int)at, text);
	status = describe(d, list);
	free(list);
	return (status);
}

/* Enables a description with its selection.  Returns its number or an error. */
static int
enable(const struct description *d, struct tbuf_consumer *consumer)
{
	char *whole = string_format("%s%s", d->full, d->selection);
	int enabling = tbuf_consumer_enable(consumer, whole);

	free(whole);
	return (enabling);
}

/* Returns a comma list with others; frees it. */
static char *
extend(char *list, char *(*more)(void *, const char *), void *context)
{
	char *all = memory_string(list), *item, *others, *longer;
	const char *p, *end;

	for (p = list;; p = end + 1) {
		end = description_end(p);
		item = string_format("%.*s", (int)(end - p), p);
		others = more(context, item);
		longer = string_format("%s%s", all, others);
		free(item);
		free(others);
		free(all);
		all = longer;
		if (*end == '\0')
			break;
	}
	free(list);
	return (all);
}

void
program_extend(struct program *program, char *(*more)(void *, const char *),
    void *context)
{
	struct description *d = program->all;
	const struct description *last = d + program->count;

	for (; d < last; d++)
		if (!d->is_program && d->full != NULL)
			d->full = extend(d->full, more, context);
}

/* Writes a field as a pattern that matches only itself.  Returns its end. */
static char *
put_exact(char *to, const char *field)
{
	for (; *field != '\0'; field++) {
		if (strchr("*?[\\:", *field) != NULL)
			*to++ = '\\';
		*to++ = *field;
	}
	return (to);
}

static char *
exact(const struct tbuf_probe_info *probe)
{
	const char *fields[] = {
		probe->provider, probe->module, probe->function, probe->name
	};
	size_t i, size = 0;
	char *full, *to;

	for (i = 0; i < 4; i++)
		size += 2 * strlen(fields[i]) + 1;
	full = to = memory_get(NULL, 1, size);
	for (i = 0; i < 4; i++) {
		to = put_exact(to, fields[i]);
		*to++ = i < 3 ? ':' : '\0';
	}
	return (full);
}

static int
resolve(void *arg, pid_t pid, const struct tbuf_probe_info *probe)
{
	struct program *program = arg;
	struct description *d;
	size_t i;

	(void)pid;
	for (i = 0; i < program->count; i++) {
		d = &program->all[i];
		if (d->full == NULL && !d->is_program && d->id == probe->id)
			d->full = exact(probe);
	}
	return (0);
}

static bool
has_ids(const struct program *program)
{
	size_t i;

	for (i = 0; i < program->count; i++)
		if (program->all[i].full == NULL &&
		    !program->all[i].is_program)
			return (true);
	return (false);
}

int
program_enable(struct program *program, struct tbuf_consumer *consumer,
    bool has_targets)
{
	struct description *d;
	size_t i;

	/* Named targets without enablings are attached to report their ends. */
	if (program->programs == program->count && program->programs > 0 &&
	    has_targets)
		(void)tbuf_consumer_enable(consumer, NOTHING);
	/* Before the first enabling, which would restrict the list. */
	if (has_ids(program) &&
	    tbuf_consumer_list(consumer, resolve, program) < 0)
		return (fail(MSG_LIBRARY, tbuf_consumer_error(consumer)));
	for (i = 0; i < program->count; i++) {
		d = &program->all[i];
		if (d->is_program)
			continue;
		if (d->full == NULL)
			d->full = memory_string(NOTHING);
		d->enabling = enable(d, consumer);
		if (d->enabling == -EINVAL)
			return (refuse(d));
		if (d->enabling < 0)
			return (bad_usage(MSG_LIBRARY,
			    tbuf_consumer_error(consumer)));
	}
	return (0);
}

/*
 * Returns a suggestion for a comma list of which nothing matches, in the form
 * that the same flag takes, to be freed; NULL if nothing is near.
 */
static char *
near_list(const struct description *d, near_one *suggest, void *context)
{
	char *list = memory_string(""), *longer, *item, *near;
	const char *p, *end;
	bool found = false;

	for (p = d->full;; p = end + 1) {
		end = description_end(p);
		item = string_format("%.*s", (int)(end - p), p);
		if ((near = suggest(context, item)) == NULL)
			near = memory_string(item);
		else
			found = true;
		free(item);
		near[strlen(near) - strlen(description_suffix(d->flag))] = '\0';
		longer = string_format("%s%s%s", list, p == d->full ? "" : ",",
		    near);
		free(near);
		free(list);
		list = longer;
		if (*end == '\0')
			break;
	}
	if (found)
		return (list);
	free(list);
	return (NULL);
}

/* Reports providers of a list that only DTrace has.  Returns true if any is. */
static bool
tell_providers(const char *list)
{
	const char *p = list, *end;
	bool missing = false;
	char *provider;

	for (;; p = end + 1) {
		end = description_end(p);
		provider = string_format("%.*s", (int)(field_end(p) - p), p);
		if (field_count(p) == FIELDS)
			missing |= missing_tell(provider, "");
		free(provider);
		if (*end == '\0')
			return (missing);
	}
}

/* Reports a description that matches nothing in DTrace's words. */
static void
tell_no_match(const struct description *d)
{
	unsigned fields = field_count(d->full);
	int length = (int)(description_end(d->full) - d->full);
	char *why;

	if (d->id != 0)
		why = string_format(MSG_NO_ID, d->id);
	else
		why = string_format(MSG_NO_PROBE, fields > FIELDS ? "" :
		    &":::"[fields - 1],
		    length, d->full);
	message(MSG_BAD_PROBE, d->text, why);
	free(why);
}

/* Returns true if a description has the name of a timer that does not exist. */
static bool
is_wrong_timer(const char *text)
{
	const char *colon = strrchr(text, ':');
	const char *name = colon == NULL ? text : colon + 1;
	size_t length = strcspn(name, "-");

	if (*text != ':' && colon != NULL &&
	    strncmp(text, "profile:", strlen("profile:")) != 0)
		return (false);
	return (((length == 4 && strncmp(name, "tick", length) == 0) ||
	    (length == 7 && strncmp(name, "profile", length) == 0)) &&
	    strpbrk(name, "*?[\\") == NULL && tbuf_consumer_own(text) <= 0);
}

bool
description_tell_timer(const char *list)
{
	bool found = false;
	size_t length;
	char *one;

	for (; *list != '\0' && !found; list += length) {
		list += strspn(list, ", \t\n");
		length = strcspn(list, ", \t\n");
		one = string_format("%.*s", (int)length, list);
		if ((found = is_wrong_timer(one)))
			message(MSG_TIMER);
		free(one);
	}
	return (found);
}

/* Reports a description that matches nothing, with a suggestion. */
static enum unmatched
tell_unmatched(const struct description *d, near_one *suggest,
    void *context)
{
	char *near = d->hinted ? NULL : near_list(d, suggest, context);
	bool explained = near != NULL || d->hinted || d->id != 0;

	tell_no_match(d);
	if (near != NULL)
		message(MSG_HINT, near);
	free(near);
	explained |= bpftrace_tell_descriptions(d->text);
	explained |= description_tell_timer(d->text);
	explained |= tell_providers(d->full);
	return (explained ? UNMATCHED_EXPLAINED : UNMATCHED_PLAIN);
}

void
program_tell_nothing(const struct description *d, near_one *suggest,
    void *context)
{
	char *near = near_list(d, suggest, context);

	tell_no_match(d);
	if (near != NULL)
		message(MSG_HINT, near);
	free(near);
}

/* Returns true if lacks() is true for all descriptions of a list. */
static bool
lacks_all(const char *list, bool (*lacks)(void *, const char *),
    void *context)
{
	const char *p = list, *end;
	bool result;
	char *item;

	for (;; p = end + 1) {
		end = description_end(p);
		item = string_format("%.*s", (int)(end - p), p);
		result = lacks(context, item);
		free(item);
		if (!result || *end == '\0')
			return (result);
	}
}

bool
program_lacking(const struct program *program, bool (*lacks)(void *,
    const char *), near_one *suggest, void *context)
{
	const struct description *d = program->all;
	const struct description *last = d + program->count;
	bool found = false;

	for (; d < last; d++)
		if (!d->is_program && d->full != NULL &&
		    lacks_all(d->full, lacks, context)) {
			(void)tell_unmatched(d, suggest, context);
			found = true;
		}
	return (found);
}

static void
hint(struct description *d, near_one *suggest, void *context)
{
	char *near = near_list(d, suggest, context);

	if (near == NULL)
		return;
	message(MSG_MATCHED, d->text, 0u, PLURAL(0));
	message(MSG_HINT, near);
	free(near);
	d->hinted = true;
}

void
program_hint(const struct program *program, struct tbuf_consumer *consumer,
    bool (*absent)(void *, const char *), near_one *suggest, void *context)
{
	struct description *d = program->all;
	const struct description *last = d + program->count;

	for (; d < last; d++)
		if (!d->is_program && !d->has_own && !d->hinted &&
		    d->id == 0 && d->full != NULL &&
		    tbuf_consumer_matched(consumer, d->enabling) == 0 &&
		    lacks_all(d->full, absent, context))
			hint(d, suggest, context);
}

enum unmatched
program_unmatched(const struct program *program,
    struct tbuf_consumer *consumer, near_one *suggest, void *context)
{
	enum unmatched most = UNMATCHED_NONE, one;
	const struct description *d;
	size_t i;

	for (i = 0; i < program->count; i++) {
		d = &program->all[i];
		if (d->is_program || d->has_own ||
		    tbuf_consumer_matched(consumer, d->enabling) != 0)
			continue;
		one = tell_unmatched(d, suggest, context);
		most = one > most ? one : most;
	}
	return (most);
}

void
program_free(struct program *program)
{
	size_t i;

	for (i = 0; i < program->count; i++) {
		free(program->all[i].full);
		free(program->all[i].script);
	}
	free(program->all);
}
