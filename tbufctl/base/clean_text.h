/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Cleans texts of programs and of their files: control characters in them could
 * move a terminal's cursor, or change its state.
 */
#ifndef TBUFCTL_BASE_CLEAN_TEXT_H
#define TBUFCTL_BASE_CLEAN_TEXT_H

#include <stddef.h>

/*
 * Replaces control characters by `by`, those of UTF-8 (U+0080 to U+009f), too.
 * NULs and the characters in `keep` stay.
 */
void	text_clean(char *text, size_t size, char by, const char *keep);

/* Cleans a name, which may be NULL, in place.  Returns the name. */
char	*name_clean(char *name);

#endif
