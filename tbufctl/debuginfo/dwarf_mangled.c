/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Parameters of functions of C++ by their symbols (Itanium C++ ABI).  The debug
 * information of clang lacks parameters that a function does not use and that
 * are passed by address; the symbol has the types of all.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf_function.h"
#include "pid/name.h"

#define TYPES_MAX	64u	/* parameters, and members in members */
#define OPERATOR	2	/* letters of an operator's name */

static bool
skip_identifier(const char **at)
{
	char *end;
	unsigned long length = strtoul(*at, &end, 10);

	if (!isdigit((unsigned char)**at) || strnlen(end, length) != length)
		return (false);
	*at = end + length;
	return (length > 0);
}

/* Skips tags of an ABI, and arguments of a template. */
static bool
skip_arguments(const char **at, bool *has_arguments)
{
	*has_arguments = false;
	while (*(*at) == 'B') {
		++*at;
		if (!skip_identifier(at))
			return (false);
	}
	if (**at != 'I')
		return (true);
	*has_arguments = true;
	return (pid_skip_group(at));
}

/* Skips T_, T1_, and the index of an array, up to its underscore. */
static bool
skip_index(const char **at)
{
	*at += 1 + strspn(*at + 1, "0123456789");
	return (*(*at)++ == '_');
}

/* Skips a type that begins with D; false if it may be several parameters. */
static bool
skip_extension(const char **at)
{
	if ((*at)[1] == '\0' || strchr("defhiusacn", (*at)[1]) == NULL)
		return (false);
	*at += 2;
	return (true);
}

/* Skips the name of a class, or of a parameter of a template. */
static bool
skip_class(const char **at)
{
	bool unused;

	if (**at == 'N')
		return (pid_skip_group(at));
	if (strncmp(*at, "St", 2) == 0)
		*at += 2;
	else if (**at == 'S') {
		pid_skip_substitution(at);
		return (skip_arguments(at, &unused));
	}
	if (**at == 'T' ? !skip_index(at) : !skip_identifier(at))
		return (false);
	return (skip_arguments(at, &unused));
}

/*
 * Skips a type.  `is_plain` becomes true for a pointer, a reference or a number
 * of C, which debug information never lacks.
 */
static bool
skip_type(const char **at, bool *is_plain, unsigned depth)
{
	bool unused;

	*is_plain = false;
	for (; **at != '\0' && strchr("rVKPROCGA", **at) != NULL; ++*at) {
		*is_plain |= strchr("PRO", **at) != NULL;
		if (**at == 'A' && (!skip_index(at) || (--*at, false)))
			return (false);
	}
	switch (**at) {
	case 'a' ... 't':
	case 'v' ... 'y':
		*is_plain = true;
		++*at;
		return (true);
	case 'D':
		return (skip_extension(at));
	case 'F':
		return (pid_skip_group(at));
	case 'M':
		++*at;
		return (depth < TYPES_MAX &&
		    skip_type(at, &unused, depth + 1) &&
		    skip_type(at, &unused, depth + 1));
	default:
		return (skip_class(at));
	}
}

/* Skips a part of a nested name. */
static bool
skip_part(const char **at, bool *has_arguments, bool *is_special)
{
	*has_arguments = *is_special = false;
	switch (**at) {
	case 'C':
	case 'D':
		*is_special = isdigit((unsigned char)(*at)[1]);
		*at += 2;
		return (*is_special);
	case 'S':
		pid_skip_substitution(at);
		return (true);
	case 'I':
		*has_arguments = true;
		return (pid_skip_group(at));
	case 'B':
	case 'L':
		++*at;
		return (skip_identifier(at));
	case 'T':
		return (skip_index(at));
	case 'a' ... 'z':
		/* The type of a conversion may have arguments. */
		if (strncmp(*at, "cv", OPERATOR) == 0 ||
		    !islower((unsigned char)(*at)[1]))
			return (false);
		*at += OPERATOR;
		return (true);
	default:
		return (skip_identifier(at));
	}
}

/*
 * Skips a function's name; `has_result` becomes true if its result's type
 * follows, as that of a template's function does.
 */
static bool
skip_name(const char **at, bool *has_result)
{
	bool is_special = false, was_special = false;

	*has_result = false;
	if (**at != 'N') {
		if (strncmp(*at, "St", 2) == 0)
			*at += 2;
		*at += **at == 'L';
		if (islower((unsigned char)**at) ? !skip_part(at, has_result,
		    &is_special) : !skip_identifier(at))
			return (false);
		return (skip_arguments(at, has_result));
	}
	for (++*at; **at != '\0' && strchr("rVKRO", **at) != NULL; ++*at)
		continue;
	while (**at != 'E') {
		was_special = is_special;
		if (**at == '\0' || !skip_part(at, has_result, &is_special))
			return (false);
	}
	++*at;
	*has_result = *has_result && !was_special;
	return (true);
}

bool
dwarf_mangled(const char *symbol, unsigned *all, unsigned *plain)
{
	bool is_plain, has_result, only_plain = true;
	const char *at = symbol + 2;

	*all = *plain = 0;
	if (strncmp(symbol, "_Z", 2) != 0 || !skip_name(&at, &has_result) ||
	    (has_result && !skip_type(&at, &is_plain, 0)))
		return (false);
	if (strcmp(at, "v") == 0 || strncmp(at, "v.", 2) == 0)
		return (true);
	for (; *at != '\0' && *at != '.' && *at != 'z'; ++*all) {
		if (*all == TYPES_MAX || !skip_type(&at, &is_plain, 0))
			return (false);
		only_plain = only_plain && is_plain;
		*plain += only_plain;
	}
	return (true);
}
