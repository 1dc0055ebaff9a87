/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Formatted strings, and growing lists of them, such as a command's arguments.
 */
#ifndef TBUFCTL_BASE_STRING_LIST_H
#define TBUFCTL_BASE_STRING_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct words {
	char **all;		/* a NULL follows the last one */
	size_t count;
};

/* Returns a string for the caller to free; exits without memory. */
char	*string_format(const char *format, ...)
	    __attribute__((format(printf, 1, 2)));

/* Adds a string to the list.  Returns it. */
char	*words_add(struct words *, const char *format, ...)
	    __attribute__((format(printf, 2, 3)));
bool	words_have(const struct words *, const char *word);
void	words_free(struct words *);

#endif
