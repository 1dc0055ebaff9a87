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
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Skips a substitution: S_, S1_, SA_, or two letters. */
static void
skip_substitution(struct scan *s)
{
	s->at++;
	if (islower((unsigned char)*s->at))
		s->at++;
	else {
		s->at += strcspn(s->at, "_");
		s->at += *s->at == '_';
	}
}

/* Skips the arguments of a template, with all that is in them, and its E. */
static bool
skip_arguments(struct scan *s)
{
	unsigned depth = 0;

	do {
		if (isdigit((unsigned char)*s->at)) {
			s->at += take_length(&s->at);
			continue;
		}
		if (*s->at == 'S') {
			skip_substitution(s);
			continue;
		}
		if (strchr("INXJFL", *s->at) != NULL && *s->at != '\0')
			depth++;
		else if (*s->at == 'E')
			depth--;
		else if (*s->at == '\0')
			return (false);
		s->at++;
	} while (depth > 0);
	return (true);
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
		return (!first && skip_arguments(s));
	case 'B':
		s->at++;
		s->at += take_length(&s->at);
		return (!first);
	case 'S':
		s->at += 2;
		return (first && s->at[-1] == 't' && put(s, "", "std", 3));
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

const char *
pid_name_match(const char *glob, const char *symbol, char name[PID_SCOPED])
{
	if (*glob == '\0' || fnmatch(glob, symbol, 0) == 0)
		return (symbol);
	return (pid_scoped(symbol, name) && fnmatch(glob, name, 0) == 0 ?
	    name : NULL);
}
