/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "messages.h"
#include "string_list.h"

static char *
make(const char *format, va_list ap)
{
	char *text;

	if (vasprintf(&text, format, ap) < 0)
		exit(fail(MSG_MEMORY));
	return (text);
}

char *
string_format(const char *format, ...)
{
	va_list ap;
	char *text;

	va_start(ap, format);
	text = make(format, ap);
	va_end(ap);
	return (text);
}

char *
words_add(struct words *w, const char *format, ...)
{
	va_list ap;

	w->all = memory_get(w->all, w->count + 2, sizeof(*w->all));
	va_start(ap, format);
	w->all[w->count] = make(format, ap);
	va_end(ap);
	w->all[++w->count] = NULL;
	return (w->all[w->count - 1]);
}

bool
words_have(const struct words *w, const char *word)
{
	size_t i;

	for (i = 0; i < w->count; i++)
		if (strcmp(w->all[i], word) == 0)
			return (true);
	return (false);
}

void
words_free(struct words *w)
{
	size_t i;

	for (i = 0; i < w->count; i++)
		free(w->all[i]);
	free(w->all);
}
