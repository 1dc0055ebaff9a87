/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the ends of fields in probe descriptions, and names programs of the
 * command line in messages.
 */
#ifndef TBUFCTL_BASE_DESCRIPTION_FIELD_H
#define TBUFCTL_BASE_DESCRIPTION_FIELD_H

#include <stdbool.h>

/*
 * Returns the end of the field at p: its colon or comma, or the end of the
 * string.  Those in a class or after a backslash do not count; a ] that comes
 * first in a class is a member of it.
 */
const char *field_end(const char *p);

/* Counts the fields of a description; each `::` of C++ makes two more. */
unsigned field_count(const char *p);

/*
 * Returns the end of the part of a program that messages repeat: its first
 * line, unless that is too long.
 */
const char *description_cut(const char *text);

/*
 * Returns the name of a program in messages, for the caller to free: the file
 * of -s, or the program, cut and with "..." if it is longer.
 */
char	*description_title(int flag, const char *text);

/*
 * Returns the name by which a field calls a file, for the caller to free: its
 * base name, a part of that before a dot, or a.out; NULL if none matches.
 */
char	*description_module(const char *glob, const char *file,
	    bool is_program);

/* Returns the colons that complete the argument of a flag: -P kv is kv:::. */
const char *description_suffix(int flag);

#endif
