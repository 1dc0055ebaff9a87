/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Growing lists of strings, such as a command's arguments.
 */
#ifndef TBUFCTL_BASE_STRING_LIST_H
#define TBUFCTL_BASE_STRING_LIST_H

#include <stddef.h>

struct words {
	char **all;
	size_t count;
};

void	words_add(struct words *, const char *format, ...)
	    __attribute__((format(printf, 2, 3)));
void	words_free(struct words *);

#endif
