/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A part of the grammar of the Itanium C++ ABI: names that consist of
 * identifiers, constructors and destructors, with arguments of templates, which
 * are left out.
 */
#include "name.h"

#include <ctype.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX	64	/* of types in types */

struct scan {
	const char *at;
	char *name;
	size_t length;
	const char *last;	/* the last identifier, and its length */
	size_t last_length;
};

/* Takes the length of an identifier, which follows.  Returns 0 without one. */
static size_t
take_length(const char **at)
{
	char *end;
	unsigned long length = 0;

	if (isdigit((unsigned char)**at)) {
		length = strtoul(*at, &end, 10);
		*at = end;
	}
	return (length < PID_SCOPED && strnlen(*at, length) == length ?
	    length : 0);
}

static bool
put(struct scan *s, const char *mark, const char *part, size_t length)
{
	size_t room = PID_SCOPED - s->length;
	int n = snprintf(s->name + s->length, room, "%s%s%.*s",
	    s->length == 0 ? "" : "::", mark, (int)length, part);

	s->length += n > 0 ? (size_t)n : 0;
	return (n > 0 && (size_t)n < room);
}

static bool
put_identifier(struct scan *s)
{
	s->last_length = take_length(&s->at);
	s->last = s->at;
	s->at += s->last_length;
	return (s->last_length != 0 && put(s, "", s->last, s->last_length));
}

/* Skips the rest of an index, with its underscore. */
static void
skip_to_underscore(struct scan *s)
{
	s->at += strcspn(s->at, "_");
	s->at += *s->at == '_';
}

static void
skip_identifier(struct scan *s)
{
	size_t length = take_length(&s->at);

	s->at += length;
}

/* Skips a substitution: S_, S1_, SA_, or two letters. */
static void
skip_substitution(struct scan *s)
{
	s->at++;
	if (islower((unsigned char)*s->at))
		s->at++;
	else
		skip_to_underscore(s);
}

static bool	skip_group(struct scan *, unsigned depth);

/* Skips the type and the value of a literal, from the type up to the E. */
static bool
skip_literal(struct scan *s, unsigned depth)
{
	if (strncmp(s->at, "_Z", 2) == 0) {
		s->at++;
		return (skip_group(s, depth));
	}
	if (strncmp(s->at, "St", 2) == 0)
		s->at += 2;
	if (isdigit((unsigned char)*s->at))
		skip_identifier(s);
	else if (*s->at == 'N' && !skip_group(s, depth))
		return (false);
	else if (*s->at == 'S')
		skip_substitution(s);
	s->at += strcspn(s->at, "E");
	return (*s->at++ == 'E');
}

/* Skips a part of a group; `kind` is the group's first letter. */
static bool
skip_in_group(struct scan *s, char kind, unsigned depth)
{
	switch (*s->at) {
	case '0' ... '9':
		skip_identifier(s);
		return (true);
	case 'S':
		skip_substitution(s);
		return (true);
	case 'T':
	case 'A':
		s->at++;
		if (*s->at == '_' || isdigit((unsigned char)*s->at))
			skip_to_underscore(s);
		return (true);
	case '_':
		s->at += 1 + strspn(s->at + 1, "0123456789");
		return (true);
	case 'I':
	case 'N':
	case 'X':
	case 'J':
	case 'F':
	case 'Z':
		return (skip_group(s, depth));
	case 'D':
		s->at++;
		if (*s->at == 'v')
			skip_to_underscore(s);
		else if (*s->at != '\0' && strchr("tTO", *s->at) != NULL)
			return (skip_group(s, depth));
		s->at += *s->at != '\0';
		return (true);
	case 'C':
		s->at += s->at[1] == '\0' ? 1 : 2;
		return (true);
	case 'L':
		s->at++;
		return (kind == 'N' || skip_literal(s, depth));
	case 'U':
		s->at++;
		if (*s->at == 'l' && !skip_group(s, depth))
			return (false);
		skip_to_underscore(s);
		return (true);
	default:
		s->at++;
		return (true);
	}
}

/* Skips a group: from its letter to its E, with all groups in it. */
static bool
skip_group(struct scan *s, unsigned depth)
{
	char kind = *s->at++;

	if (depth == DEPTH_MAX)
		return (false);
	while (*s->at != 'E')
		if (*s->at == '\0' || !skip_in_group(s, kind, depth + 1))
			return (false);
	s->at++;
	return (true);
}

bool
pid_skip_group(const char **at)
{
	struct scan s = { .at = *at };
	bool good = skip_group(&s, 0);

	*at = s.at;
	return (good);
}

void
pid_skip_substitution(const char **at)
{
	struct scan s = { .at = *at };

	skip_substitution(&s);
	*at = s.at;
}

/* Puts the name that a substitution of two letters stands for. */
static bool
put_standard(struct scan *s, char letter)
{
	static const char *const names[] = {
		['a'] = "allocator", ['b'] = "basic_string",
		['d'] = "basic_iostream", ['i'] = "basic_istream",
		['o'] = "basic_ostream", ['s'] = "basic_string", ['t'] = ""
	};
	const char *name = letter < 'a' || letter > 't' ? NULL :
	    names[(unsigned)letter];

	if (name == NULL || !put(s, "", "std", 3) || *name == '\0')
		return (name != NULL);
	s->last = name;
	s->last_length = strlen(name);
	return (put(s, "", name, s->last_length));
}

/* Takes a part of a nested name. */
static bool
take_part(struct scan *s)
{
	bool first = s->length == 0;

	switch (*s->at) {
	case 'C':
	case 'D':
		if (first || s->last == NULL || !isdigit((unsigned char)
		    s->at[1]))
			return (false);
		s->at += 2;
		return (put(s, s->at[-2] == 'D' ? "~" : "", s->last,
		    s->last_length));
	case 'I':
		return (!first && skip_group(s, 0));
	case 'B':
		s->at++;
		skip_identifier(s);
		return (!first);
	case 'S':
		s->at += 2;
		return (first && put_standard(s, s->at[-1]));
	case 'L':
		s->at++;
		return (put_identifier(s));
	default:
		return (put_identifier(s));
	}
}

bool
pid_scoped(const char *symbol, char name[PID_SCOPED])
{
	struct scan s = { .name = name };

	*name = '\0';
	if (strncmp(symbol, "_Z", 2) != 0)
		return (false);
	s.at = symbol + 2;
	if (*s.at != 'N') {
		if (strncmp(s.at, "St", 2) == 0 && !take_part(&s))
			return (false);
		s.at += *s.at == 'L';
		return (put_identifier(&s));
	}
	for (s.at++; *s.at != '\0' && strchr("rVKRO", *s.at) != NULL; s.at++)
		continue;
	while (*s.at != 'E')
		if (!take_part(&s))
			return (false);
	return (s.length > 0);
}

/* FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/ (32 bits). */
static uint32_t
hash(const char *text)
{
	uint32_t value = 2166136261u;

	for (; *text != '\0'; text++)
		value = (value ^ (uint8_t)*text) * 16777619u;
	return (value);
}

/* Functions of templates may differ in the rest alone: the hash is of all. */
const char *
pid_name_fit(const char *symbol, char name[PID_SCOPED])
{
	if (strnlen(symbol, PID_SCOPED) < PID_SCOPED)
		return (symbol);
	(void)snprintf(name, PID_SCOPED, "%.*s...%08" PRIx32, PID_SCOPED - 12,
	    symbol, hash(symbol));
	return (name);
}

const char *
pid_name_match(const char *glob, const char *symbol, char name[PID_SCOPED])
{
	const char *whole = pid_name_fit(symbol, name);

	if (*glob == '\0' || fnmatch(glob, whole, 0) == 0)
		return (whole);
	return (pid_scoped(symbol, name) && fnmatch(glob, name, 0) == 0 ?
	    name : NULL);
}
