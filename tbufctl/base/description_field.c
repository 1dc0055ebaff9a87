/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "description_field.h"

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
