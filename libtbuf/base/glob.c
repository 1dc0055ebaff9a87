/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Globs, and descriptions of probes, which consist of globs.
 */
#include "base/optimize_size.h"

#include <errno.h>
#include <string.h>

#include "base/glob.h"

/*
 * Patterns are read in place, maybe in a file that another process changes
 * meanwhile.  Each read is therefore bounded by a pointer, never by a byte that
 * was read before: changed bytes change the answer, and do no other harm.
 */

/* Most steps for one text, so that a hostile pattern cannot make this slow. */
#define GLOB_STEPS	100000

/*
 * Returns the ] of the class that begins at p, after its [, or `end` if it has
 * none.  As in fnmatch(3), a ] that comes first is an ordinary character, and
 * so is any character after a backslash.
 */
static const char *
class_end(const char *p, const char *end)
{
	const char *first = p += p < end && (*p == '!' || *p == '^');

	for (; p < end && (p == first || *p != ']'); p++)
		if (*p == '\\' && p + 1 < end)
			p++;
	return (p);
}

/* Reads a character of a class that ends at close.  Returns the next place. */
static const char *
class_item(const char *p, const char *close, unsigned char *c)
{
	p += p + 1 < close && *p == '\\';
	*c = (unsigned char)*p;
	return (p + 1);
}

/* Returns true if the class [p, close) matches c. */
static bool
class_match(const char *p, const char *close, unsigned char c)
{
	bool negate = *p == '!' || *p == '^', hit = false;
	unsigned char low, high;

	for (p += negate; p < close;) {
		p = class_item(p, close, &low);
		high = low;
		if (p + 1 < close && *p == '-')
			p = class_item(p + 1, close, &high);
		if (low <= c && c <= high)
			hit = true;
	}
	return (hit != negate);
}

/* Matches a character, escape or class with c.  Returns the place after it. */
static const char *
one_match(const char *p, const char *end, unsigned char c, bool *hit)
{
	const char *close;

	if (*p == '[' && (close = class_end(p + 1, end)) < end) {
		*hit = class_match(p + 1, close, c);
		return (close + 1);
	}
	if (*p == '?') {
		*hit = true;
		return (p + 1);
	}
	p += *p == '\\';
	*hit = p < end && (unsigned char)*p == c;
	return (p + 1);
}

bool
tbuf_glob(const char *pattern, size_t length, const char *text)
{
	const char *p = pattern, *end = pattern + length;
	const char *star = NULL, *mark = NULL, *next;
	unsigned steps;
	bool hit;

	if (length == 0)
		return (true);
	for (steps = 0; *text != '\0' && steps < GLOB_STEPS; steps++) {
		if (p < end && *p == '*') {
			star = ++p;
			mark = text;
			continue;
		}
		if (p < end) {
			next = one_match(p, end, (unsigned char)*text, &hit);
			if (hit) {
				p = next;
				text++;
				continue;
			}
		}
		if (star == NULL)
			return (false);
		p = star;
		text = ++mark;
	}
	while (p < end && *p == '*')
		p++;
	return (p == end && *text == '\0');
}

/*
 * Returns the end of the field that begins at p: its colon or comma, or `end`.
 * In a class or after a backslash these are ordinary characters.  *open is set
 * if a class has no end, or a backslash is the last character.
 */
static const char *
field_end(const char *p, const char *end, bool *open)
{
	for (*open = false; p < end && *p != ':' && *p != ','; p++) {
		if (*p == '[')
			p = class_end(p + 1, end);
		else if (*p == '\\')
			p++;
		if (p >= end) {
			*open = true;
			return (end);
		}
	}
	return (p);
}

static unsigned
digit(char c)
{
	return (c >= '0' && c <= '9' ? (unsigned)(c - '0') :
	    c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 :
	    c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10 : 16);
}

/* Reads 32 bits, decimal or, after 0x, hexadecimal.  Returns false if wrong. */
static bool
mask_read(const char *p, const char *last, uint64_t *mask)
{
	unsigned base = last - p > 2 && p[0] == '0' && (p[1] | ' ') == 'x' ?
	    16 : 10, d;

	*mask = 0;
	for (p += base == 16 ? 2 : 0; p < last; p++) {
		d = digit(*p);
		if (d >= base)
			return (false);
		*mask = *mask * base + d;
		if (*mask > UINT32_MAX)
			return (false);
	}
	return (true);
}

/*
 * Returns the = before the selection of the last description: outside of
 * classes and before a digit; or `last`.
 */
static const char *
selection_find(const char *p, const char *last)
{
	const char *found = last;

	for (; p < last; p++) {
		if (*p == '[')
			p = class_end(p + 1, last);
		else if (*p == '\\')
			p++;
		else if (*p == ':' || *p == ',')
			found = last;
		else if (*p == '=' && last - p > 1 && digit(p[1]) < 10)
			found = p;
	}
	return (found);
}

const char *
tbuf_description_end(const char *p, const char *last, uint64_t *selection)
{
	const char *end = selection_find(p, last);

	uint64_t mask;

	*selection = 0;
	if (end < last && mask_read(end + 1, last, &mask))
		*selection = mask | TBUF_SELECTION_SET;
	return (end);
}

/* Most colons of a function, and of a description. */
#define FUNCTION_COLONS	32
#define COLONS_MAX	(FUNCTION_COLONS + 3)

/* One description of a list, up to its comma or the list's end. */
struct description {
	const char *start;
	const char *end;
	const char *colons[COLONS_MAX];
	unsigned ncolons;
	bool bad;		/* too many colons, or a class without an end */
};

static void
description_read(const char *p, const char *last, struct description *d)
{
	bool open;

	d->start = p;
	d->ncolons = 0;
	for (d->bad = false;; p++) {
		p = field_end(p, last, &open);
		d->bad |= open;
		if (p == last || *p != ':')
			break;
		if (d->ncolons == COLONS_MAX)
			d->bad = true;
		else
			d->colons[d->ncolons++] = p;
	}
	d->end = p;
}

/* Returns true if all colons in a function form ::, each between two names. */
static bool
is_function(struct tbuf_field part, const char *const *colons, unsigned n)
{
	const char *behind = part.start;
	unsigned i;

	for (i = 0; i + 1 < n; i += 2) {
		if (colons[i] == behind || colons[i + 1] != colons[i] + 1)
			return (false);
		behind = colons[i + 1] + 1;
	}
	return (n % 2 == 0 && n <= FUNCTION_COLONS &&
	    (n == 0 || behind < part.end));
}

/*
 * Reads a description as n fields; parts[0] is the last one.  The name is after
 * the last colon, and the function may have :: in it.  Returns false if that
 * is not possible.  Only X::Y:name can be read in two ways, even if Y has more
 * :: in it: as provider X and function Y, or as function X::Y.
 */
static bool
description_fields(const struct description *d, unsigned n,
    struct tbuf_field parts[4])
{
	const char *start = d->start;
	unsigned i;

	if (d->bad || d->ncolons + 1 < n || (n == 1 && d->ncolons > 0))
		return (false);
	for (i = n - 1; i > 1; i--) {
		parts[i] = (struct tbuf_field){ start, d->colons[n - 1 - i] };
		start = parts[i].end + 1;
	}
	parts[0] = (struct tbuf_field){ start, d->end };
	if (n == 1)
		return (true);
	parts[1] = (struct tbuf_field){ start, d->colons[d->ncolons - 1] };
	parts[0].start = parts[1].end + 1;
	return (is_function(parts[1], d->colons + n - 2,
	    d->ncolons - 1 - (n - 2)));
}

int
tbuf_description_check(const char *description)
{
	const char *end = strchr(description, '\0'), *last, *p;
	struct description d;
	struct tbuf_field parts[4];
	uint64_t selection;
	unsigned n;

	last = tbuf_description_end(description, end, &selection);
	if (last < end && selection == 0)
		return (-EINVAL);
	for (;; description = d.end + 1) {
		description_read(description, last, &d);
		for (n = 1; n <= 4 && !description_fields(&d, n, parts); n++)
			continue;
		if (n > 4 || selection_find(d.start, d.end) < d.end)
			return (-EINVAL);
		for (p = d.start; p < d.end; p++)
			if ((unsigned char)*p <= ' ' || *p == 0x7f)
				return (-EINVAL);
		if (d.end == last)
			return (0);
	}
}

/* Returns true if n fields match names. */
static bool
fields_match(const struct tbuf_field *parts, unsigned n,
    const struct tbuf_names *names)
{
	const char *const text[4] = {
		names->name, names->function, names->module, names->provider
	};
	unsigned i;

	for (i = 0; i < n; i++)
		if (!tbuf_glob(parts[i].start,
		    (size_t)(parts[i].end - parts[i].start), text[i]))
			return (false);
	return (true);
}

/* Matches a description of a list that ends at `last`.  Returns its end. */
static const char *
single_match(const char *p, const char *last, const struct tbuf_names *names,
    bool *hit)
{
	struct description d;
	struct tbuf_field parts[4];
	unsigned n;

	description_read(p, last, &d);
	for (*hit = false, n = 1; n <= 4 && !*hit; n++)
		*hit = description_fields(&d, n, parts) &&
		    fields_match(parts, n, names);
	return (d.end);
}

bool
tbuf_plain_read(const char *p, const char *last, struct tbuf_plain *plain)
{
	struct description d;
	uint64_t selection;
	unsigned i;

	last = tbuf_description_end(p, last, &selection);
	description_read(p, last, &d);
	if (d.end != last)
		return (false);
	if (d.ncolons == 0) {
		for (i = 1; i < 4; i++)
			plain->parts[i] = (struct tbuf_field){ p, p };
		return (description_fields(&d, 1, plain->parts));
	}
	/* Two fields, X::Y:name, are the other way to read three colons. */
	return (d.ncolons == 3 && !description_fields(&d, 2, plain->parts) &&
	    description_fields(&d, 4, plain->parts));
}

bool
tbuf_plain_match(const struct tbuf_plain *plain,
    const struct tbuf_names *names)
{
	return (fields_match(plain->parts, 4, names));
}

bool
tbuf_description_match_to(const char *p, const char *last,
    const struct tbuf_names *names)
{
	uint64_t selection;
	bool hit;

	last = tbuf_description_end(p, last, &selection);
	for (;; p++) {
		p = single_match(p, last, names, &hit);
		if (hit || p == last)
			return (hit);
	}
}

bool
tbuf_description_match(const char *description, const struct tbuf_names *names)
{
	return (tbuf_description_match_to(description,
	    strchr(description, '\0'), names));
}
