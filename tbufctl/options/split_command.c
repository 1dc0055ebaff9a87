/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <stdlib.h>
#include <string.h>

#include "base/messages.h"
#include "split_command.h"

static int
is_blank(char c)
{
	return (c == ' ' || c == '\t' || c == '\n');
}

/*
 * Copies one word from *line to `to`.  Returns the end of the copy, or NULL
 * with *error set.
 */
static char *
copy_word(const char **line, char *to, const char **error)
{
	const char *p = *line;
	char quote = '\0';

	for (; *p != '\0' && (quote != '\0' || !is_blank(*p)); p++) {
		if (quote == '\0' && (*p == '\'' || *p == '"')) {
			quote = *p;
		} else if (quote != '\0' && *p == quote) {
			quote = '\0';
		} else if (*p == '\\' && (quote == '\0' || (quote == '"' &&
		    (p[1] == '"' || p[1] == '\\')))) {
			if (*++p == '\0') {
				*error = "a character must follow \\";
				return (NULL);
			}
			*to++ = *p;
		} else
			*to++ = *p;
	}
	if (quote != '\0') {
		*error = quote == '"' ? "a closing \" is missing" :
		    "a closing ' is missing";
		return (NULL);
	}
	*line = p;
	*to++ = '\0';
	return (to);
}

char **
command_split(const char *line, const char **error)
{
	size_t n = 0, room = strlen(line) + 1;
	char **argv, *to;

	/* Each word has at least two bytes, with its blank or NUL. */
	argv = memory_get(NULL, room / 2 + 2, sizeof(*argv));
	to = memory_get(NULL, 1, room);
	argv[0] = to;
	for (;;) {
		while (is_blank(*line))
			line++;
		if (*line == '\0')
			break;
		argv[n++] = to;
		if ((to = copy_word(&line, to, error)) == NULL)
			goto fail;
	}
	if (n == 0) {
		*error = "it is empty";
		goto fail;
	}
	argv[n] = NULL;
	return (argv);
fail:
	command_free(argv);
	return (NULL);
}

/* All words are in one allocation, which the first points to. */
void
command_free(char **argv)
{
	if (argv != NULL)
		free(argv[0]);
	free(argv);
}
