/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <stdbool.h>
#include <string.h>

#include "clean_text.h"

static bool
is_control(unsigned char c, const char *keep)
{
	return ((c < ' ' || c == 0x7f) && c != '\0' &&
	    strchr(keep, c) == NULL);
}

void
text_clean(char *text, size_t size, char by, const char *keep)
{
	unsigned char *p = (unsigned char *)text, *end = p + size;

	for (; p < end; p++)
		if (*p == 0xc2 && p + 1 < end && p[1] >= 0x80 && p[1] < 0xa0)
			p[0] = p[1] = (unsigned char)by;
		else if (is_control(*p, keep))
			*p = (unsigned char)by;
}

char *
name_clean(char *name)
{
	if (name != NULL)
		text_clean(name, strlen(name), '?', "");
	return (name);
}
