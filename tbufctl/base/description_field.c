/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "description_field.h"
#include "messages.h"
#include "string_list.h"

/* The longest program of the command line that a message repeats whole. */
#define TITLE_MAX	72

/* Returns the ] of the class that begins with the [ before p, or the end. */
static const char *
class_end(const char *p)
{
	const char *first = p += *p == '!' || *p == '^';

	for (; *p != '\0' && (p == first || *p != ']'); p++)
		if (*p == '\\' && p[1] != '\0')
			p++;
	return (p);
}

const char *
field_end(const char *p)
{
	for (; *p != '\0' && *p != ':' && *p != ','; p++) {
		if (*p == '[')
			p = class_end(p + 1);
		else if (*p == '\\')
			p++;
		if (*p == '\0')
			break;
	}
	return (p);
}

unsigned
field_count(const char *p)
{
	unsigned fields = 1;

	while (*(p = field_end(p)) == ':') {
		fields++;
		p++;
	}
	return (fields);
}

/* Returns the text without the blanks before it. */
static const char *
trim(const char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	return (text);
}

const char *
description_cut(const char *text)
{
	size_t length, most = TITLE_MAX;

	text = trim(text);
	length = strcspn(text, "\n");
	if (length > most) {
		/* A character of UTF-8 has at most four bytes. */
		while (most > TITLE_MAX - 3 && (text[most] & 0xc0) == 0x80)
			most--;
		return (text + most);
	}
	return (*trim(text + length) == '\0' ? text + strlen(text) :
	    text + length);
}

char *
description_title(int flag, const char *text)
{
	const char *end = description_cut(text), *start = trim(text);
	const char *rest = *end == '\0' ? "" : " ...";

	if (flag == 's')
		return (memory_string(text));
	while (end > start && isspace((unsigned char)end[-1]))
		end--;
	return (string_format("%.*s%s", (int)(end - start), start, rest));
}

char *
description_module(const char *glob, const char *file, bool is_program)
{
	char *name = memory_string(file), *dot = name;

	if (*glob == '\0' || fnmatch(glob, name, 0) == 0)
		return (name);
	if (is_program && fnmatch(glob, "a.out", 0) == 0) {
		free(name);
		return (memory_string("a.out"));
	}
	while ((dot = strchr(dot + 1, '.')) != NULL) {
		*dot = '\0';
		if (fnmatch(glob, name, 0) == 0)
			return (name);
		*dot = '.';
	}
	free(name);
	return (NULL);
}

const char *
description_suffix(int flag)
{
	switch (flag) {
	case 'P':
		return (":::");
	case 'm':
		return ("::");
	case 'f':
		return (":");
	default:
		return ("");
	}
}
