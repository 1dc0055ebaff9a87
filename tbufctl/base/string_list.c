/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Growing lists of strings.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "messages.h"
#include "string_list.h"


void
words_add(struct words *w, const char *format, ...)
{
	va_list ap;

	w->all = memory_get(w->all, w->count + 1, sizeof(*w->all));
	va_start(ap, format);
	if (vasprintf(&w->all[w->count], format, ap) < 0)
		exit(fail(MSG_MEMORY));
	va_end(ap);
	w->count++;
}

void
words_free(struct words *w)
{
	size_t i;

	for (i = 0; i < w->count; i++)
		free(w->all[i]);
	free(w->all);
}
