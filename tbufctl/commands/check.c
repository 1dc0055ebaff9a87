/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -l --check.  A probe without a code is known by its four fields.  An event
 * (tbuf_registry(7)) is known by provider and name, as its sites may move, and
 * if those have changed, by its code among the events of its provider.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean_text.h"
#include "base/messages.h"
#include "base/output.h"
#include "check.h"

/* Deepest nesting of values that are skipped. */
#define DEPTH_MAX	16

#define ID_OWN		1024	/* tbufctl's own probes have no higher ids */

enum { PROVIDER, MODULE, FUNCTION, NAME };

/* ------------------------------------------------------------ parsing */

/* A text under parsing; `p` never passes the NUL at its end. */
struct parse {
	char *p;
	struct listing_probe probe;
	bool is_probe;
};

static void
skip_blanks(struct parse *s)
{
	s->p += strspn(s->p, " \t\r");
}

/* Skips a character, after blanks.  Returns false if it is not there. */
static bool
take(struct parse *s, char c)
{
	skip_blanks(s);
	if (*s->p != c)
		return (false);
	s->p++;
	return (true);
}

/* Reads \uXXXX after its backslash, as UTF-8.  Surrogates are not joined. */
static bool
take_code_point(struct parse *s, char **to)
{
	char digits[5] = { 0 }, *end;
	unsigned long c;

	if (strspn(s->p + 1, "0123456789abcdefABCDEF") < 4)
		return (false);
	memcpy(digits, s->p + 1, 4);
	c = strtoul(digits, &end, 16);
	s->p += 5;
	if (c == 0)
		return (false);
	if (c >= 0x800) {
		*(*to)++ = (char)(0xe0 | c >> 12);
		*(*to)++ = (char)(0x80 | (c >> 6 & 0x3f));
	} else if (c >= 0x80)
		*(*to)++ = (char)(0xc0 | c >> 6);
	*(*to)++ = (char)(c >= 0x80 ? 0x80 | (c & 0x3f) : c);
	return (true);
}

/* Reads a string in place: no escape is shorter than what it stands for. */
static bool
take_string(struct parse *s, const char **string)
{
	static const char letters[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
	const char *letter;
	char *to;

	if (!take(s, '"'))
		return (false);
	for (*string = to = s->p; *s->p != '"'; ) {
		if (*s->p == '\0')
			return (false);
		if (*s->p != '\\') {
			*to++ = *s->p++;
			continue;
		}
		s->p++;
		if (*s->p == 'u') {
			if (!take_code_point(s, &to))
				return (false);
			continue;
		}
		letter = *s->p == '\0' ? NULL : strchr(letters, *s->p);
		if (letter == NULL)
			return (false);
		*to++ = means[letter - letters];
		s->p++;
	}
	s->p++;
	*to = '\0';
	text_clean((char *)(uintptr_t)*string, (size_t)(to - *string), '?', "");
	return ((size_t)(to - *string) <= LISTED_NAME);
}

static bool
take_number(struct parse *s, unsigned *number)
{
	size_t digits;

	skip_blanks(s);
	digits = strspn(s->p, "0123456789");
	if (digits == 0 || digits > 9)
		return (false);
	*number = (unsigned)strtoul(s->p, &s->p, 10);
	return (true);
}

/* Skips a value of a field that this version does not know. */
static bool
skip_value(struct parse *s, unsigned depth)
{
	const char *string;
	size_t size;
	char close;

	skip_blanks(s);
	if (*s->p == '"')
		return (take_string(s, &string));
	if (*s->p != '{' && *s->p != '[') {
		size = strcspn(s->p, ",]} \t\r");
		s->p += size;
		return (size != 0);
	}
	close = *s->p++ == '{' ? '}' : ']';
	if (depth == DEPTH_MAX)
		return (false);
	if (take(s, close))
		return (true);
	do {
		if (close == '}' && (!take_string(s, &string) ||
		    !take(s, ':')))
			return (false);
		if (!skip_value(s, depth + 1))
			return (false);
	} while (take(s, ','));
	return (take(s, close));
}

/* Reads the object of an argument. */
static bool
take_argument(struct parse *s)
{
	struct listing_probe *l = &s->probe;
	const char *key, *name = NULL, *type = NULL;
	bool good = take(s, '{');

	while (good) {
		good = take_string(s, &key) && take(s, ':');
		if (good && strcmp(key, "name") == 0)
			good = take_string(s, &name);
		else if (good && strcmp(key, "type") == 0)
			good = take_string(s, &type);
		else
			good = good && skip_value(s, 0);
		if (good && !take(s, ','))
			break;
	}
	if (!good || !take(s, '}') || name == NULL || type == NULL ||
	    l->nargs == LISTED_ARGS)
		return (false);
	l->args[l->nargs].name = name;
	l->args[l->nargs++].type = type;
	return (true);
}

static bool
take_arguments(struct parse *s)
{
	s->probe.nargs = 0;
	if (!take(s, '['))
		return (false);
	if (take(s, ']'))
		return (true);
	do
		if (!take_argument(s))
			return (false);
	while (take(s, ','));
	return (take(s, ']'));
}

static bool
take_member(struct parse *s)
{
	static const char *const names[4] = { "provider", "module",
		"function", "name" };
	const char *key, *type;
	unsigned i;

	if (!take_string(s, &key) || !take(s, ':'))
		return (false);
	for (i = 0; i < 4; i++)
		if (strcmp(key, names[i]) == 0)
			return (take_string(s, &s->probe.fields[i]));
	if (strcmp(key, "id") == 0)
		return (take_number(s, &s->probe.id));
	if (strcmp(key, "code") == 0)
		return (take_number(s, &s->probe.code));
	if (strcmp(key, "args") == 0)
		return (take_arguments(s));
	if (strcmp(key, "type") != 0)
		return (skip_value(s, 0));
	if (!take_string(s, &type))
		return (false);
	s->is_probe = strcmp(type, "probe") == 0;
	return (true);
}

/* Parses a line, which ends with a NUL. */
static bool
parse_line(char *line, struct listing_probe *probe)
{
	struct parse s = { .p = line };
	unsigned i;

	if (!take(&s, '{'))
		return (false);
	do
		if (!take_member(&s))
			return (false);
	while (take(&s, ','));
	if (!take(&s, '}') || !s.is_probe)
		return (false);
	skip_blanks(&s);
	for (i = 0; i < 4; i++)
		if (s.probe.fields[i] == NULL)
			return (false);
	*probe = s.probe;
	return (*s.p == '\0');
}

size_t
listing_parse(struct listing *to, char *text, size_t size)
{
	char *line = text, *end = text + size, *next;
	struct listing_probe probe;
	size_t number;

	for (number = 1; line < end; number++, line = next + 1) {
		next = memchr(line, '\n', (size_t)(end - line));
		if (next == NULL)
			next = end;
		*next = '\0';
		if (strlen(line) != (size_t)(next - line))
			return (number);
		if (line[strspn(line, " \t\r")] == '\0')
			continue;
		if (!parse_line(line, &probe))
			return (number);
		if (probe.id == 0 || probe.id > ID_OWN)
			listing_add(to, &probe);
	}
	return (0);
}

void
listing_add(struct listing *to, const struct listing_probe *probe)
{
	if (to->count == to->room) {
		to->room = to->room == 0 ? 64 : 2 * to->room;
		to->all = memory_get(to->all, to->room, sizeof(*to->all));
	}
	to->all[to->count] = *probe;
	/* An event's sites may move. */
	if (probe->code != 0)
		to->all[to->count].fields[MODULE] =
		    to->all[to->count].fields[FUNCTION] = "";
	to->count++;
}

void
listing_free(struct listing *listing)
{
	free(listing->all);
}

/* ------------------------------------------------------------ comparing */

/* Orders by the fields: first by provider and name. */
static int
compare_names(const struct listing_probe *a, const struct listing_probe *b)
{
	static const uint8_t fields[4] = { PROVIDER, NAME, MODULE, FUNCTION };
	unsigned i;
	int order = 0;

	for (i = 0; i < 4 && order == 0; i++)
		order = strcmp(a->fields[fields[i]], b->fields[fields[i]]);
	return (order);
}

static int
compare_args(const struct listing_probe *a, const struct listing_probe *b)
{
	unsigned i;
	int order = 0;

	if (a->nargs != b->nargs)
		return (a->nargs < b->nargs ? -1 : 1);
	for (i = 0; i < a->nargs && order == 0; i++) {
		order = strcmp(a->args[i].name, b->args[i].name);
		if (order == 0)
			order = strcmp(a->args[i].type, b->args[i].type);
	}
	return (order);
}

static int
compare_all(const void *one, const void *other)
{
	const struct listing_probe *a = one, *b = other;
	int order = compare_names(a, b);

	if (order != 0)
		return (order);
	if (a->code != b->code)
		return (a->code < b->code ? -1 : 1);
	return (compare_args(a, b));
}

/* Returns the bytes of a provider's name before its kind. */
static size_t
family(const struct listing_probe *probe)
{
	const char *provider = probe->fields[PROVIDER];
	const char *dash = strrchr(provider, '-');

	return (dash == NULL ? strlen(provider) : (size_t)(dash - provider));
}

/* Orders pointers to events by their codes in their providers. */
static int
compare_codes(const void *one, const void *other)
{
	const struct listing_probe *a = *(struct listing_probe *const *)one;
	const struct listing_probe *b = *(struct listing_probe *const *)other;
	size_t size = family(a);

	if (a->code != b->code)
		return (a->code < b->code ? -1 : 1);
	if (size != family(b))
		return (size < family(b) ? -1 : 1);
	return (memcmp(a->fields[PROVIDER], b->fields[PROVIDER], size));
}

/* Sorts a list, and leaves each probe in it once. */
static void
normalize(struct listing *l)
{
	size_t from, to = 0;

	if (l->count == 0)
		return;
	qsort(l->all, l->count, sizeof(*l->all), compare_all);
	for (from = 1; from < l->count; from++)
		if (compare_all(&l->all[from], &l->all[to]) != 0)
			l->all[++to] = l->all[from];
	l->count = to + 1;
}

/* Returns the first probe that is not before `like`, by all or by names. */
static struct listing_probe *
find(const struct listing *l, const struct listing_probe *like, bool by_names)
{
	size_t low = 0, high = l->count, middle;
	int order;

	while (low < high) {
		middle = low + (high - low) / 2;
		order = by_names ? compare_names(&l->all[middle], like) :
		    compare_all(&l->all[middle], like);
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return (low == l->count ? NULL : &l->all[low]);
}

/* Returns the first probe of these names; NULL: there is none. */
static struct listing_probe *
find_named(const struct listing *now, const struct listing_probe *before)
{
	struct listing_probe like = *before, *found;

	if (before->code == 0) {
		found = find(now, &like, true);
		if (found != NULL && compare_names(found, &like) == 0)
			return (found);
	}
	/* An event has empty fields, which come first. */
	like.fields[MODULE] = like.fields[FUNCTION] = "";
	found = find(now, &like, true);
	if (found == NULL || strcmp(found->fields[PROVIDER],
	    like.fields[PROVIDER]) != 0 ||
	    strcmp(found->fields[NAME], like.fields[NAME]) != 0 ||
	    (before->code == 0 && found->code == 0))
		return (NULL);
	return (found);
}

/* Prints "level PROBE: ". */
static void
begin_line(struct output *out, const char *level, const struct listing_probe *p)
{
	output_printf(out, "%s %s:%s:%s:%s", level, p->fields[PROVIDER],
	    p->fields[MODULE], p->fields[FUNCTION], p->fields[NAME]);
	if (p->code != 0)
		output_printf(out, " (code 0x%x)", p->code);
	output_printf(out, ": ");
}

static void
put_args(struct output *out, const struct listing_probe *p)
{
	unsigned i;

	output_printf(out, "(");
	for (i = 0; i < p->nargs; i++)
		output_printf(out, "%s%s %s", i == 0 ? "" : ", ",
		    p->args[i].type, p->args[i].name);
	output_printf(out, ")");
}

/* Prints how a probe has changed.  Returns true if a reader would break. */
static bool
compare_found(struct output *out, const struct listing_probe *before,
    struct listing_probe *now)
{
	now->met = true;
	if (compare_args(before, now) != 0) {
		begin_line(out, "median", before);
		output_printf(out, "its arguments were ");
		put_args(out, before);
		output_printf(out, " and are ");
		put_args(out, now);
		output_printf(out, "\n");
		return (true);
	}
	if (before->code == 0 || before->code == now->code)
		return (false);
	begin_line(out, "median", before);
	output_printf(out, now->code == 0 ? "it has no code\n" :
	    "its code is 0x%x\n", now->code);
	return (true);
}

/* Returns the present events, sorted by their codes. */
static struct listing_probe **
by_codes(const struct listing *now, size_t *count)
{
	struct listing_probe **events = memory_get(NULL, now->count + 1,
	    sizeof(struct listing_probe *));
	size_t i;

	for (*count = 0, i = 0; i < now->count; i++)
		if (now->all[i].code != 0)
			events[(*count)++] = &now->all[i];
	qsort(events, *count, sizeof(*events), compare_codes);
	return (events);
}

/* Prints that an old probe does not exist, or has another name. */
static void
compare_missing(struct output *out, struct listing_probe *before,
    struct listing_probe **events, size_t count)
{
	struct listing_probe **found = before->code == 0 ? NULL :
	    bsearch(&before, events, count, sizeof(*events), compare_codes);

	begin_line(out, "median", before);
	if (found == NULL)
		output_printf(out, "it is gone\n");
	else {
		output_printf(out, "it is renamed to %s:::%s\n",
		    (*found)->fields[PROVIDER], (*found)->fields[NAME]);
		(*found)->met = true;
	}
}

bool
listing_compare(struct listing *before, struct listing *now,
    struct output *out)
{
	struct listing_probe **events, *old, *found;
	size_t count, i;
	bool breaks = false;

	normalize(before);
	normalize(now);
	events = by_codes(now, &count);
	for (old = before->all; old < before->all + before->count; old++) {
		found = find(now, old, false);
		if (found == NULL || compare_all(found, old) != 0)
			found = find_named(now, old);
		if (found != NULL)
			breaks |= compare_found(out, old, found);
		else {
			compare_missing(out, old, events, count);
			breaks = true;
		}
	}
	for (i = 0; i < now->count; i++)
		if (!now->all[i].met) {
			begin_line(out, "minor", &now->all[i]);
			output_printf(out, "it is new\n");
		}
	free(events);
	return (breaks);
}
