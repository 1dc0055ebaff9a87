/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Prints messages: each is one line, in one write.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clean_text.h"
#include "messages.h"
#include "signals.h"

static void (*before)(void *);
static void *before_arg;

void
messages_init(void (*function)(void *), void *arg)
{
	before = function;
	before_arg = arg;
}

/* Errors are ignored: without a reader of messages, tbufctl goes on. */
static void
write_line(const char *line, size_t size)
{
	ssize_t n;

	while (size > 0) {
		n = write(STDERR_FILENO, line, size);
		if (n == -1 && errno == EINTR && !signals_late())
			continue;
		if (n <= 0)
			return;
		line += n;
		size -= n;
	}
}

/* Control characters are replaced, so that quoted text cannot add lines. */
static void
tell(const char *keep, const char *format, va_list ap)
{
	static const char prefix[] = "tbufctl: ";
	char small[512], *line = small;
	size_t at = sizeof(prefix) - 1, size = sizeof(small);
	va_list again;
	int n;

	if (before != NULL)
		before(before_arg);
	memcpy(line, prefix, at);
	va_copy(again, ap);
	n = vsnprintf(line + at, size - at, format, ap);
	if (n > 0 && at + n + 1 > size) {
		size = at + n + 1;
		if ((line = malloc(size)) != NULL) {
			memcpy(line, prefix, at);
			(void)vsnprintf(line + at, size - at, format, again);
		} else {
			line = small;
			n = sizeof(small) - at - 1;
		}
	}
	va_end(again);
	if (n >= 0) {
		text_clean(line, at + n, ' ', keep);
		line[at + n] = '\n';
		write_line(line, at + n + 1);
	}
	if (line != small)
		free(line);
}

void
message(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	tell("", format, ap);
	va_end(ap);
}

int
fail(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	tell("", format, ap);
	va_end(ap);
	return (EXIT_FAILED);
}

void
message_lines(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	tell("\n\t", format, ap);
	va_end(ap);
}

int
bad_usage(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	tell("", format, ap);
	va_end(ap);
	return (EXIT_USAGE);
}

void *
memory_get(void *old, size_t count, size_t size)
{
	void *new;

	if ((new = reallocarray(old, count, size)) == NULL)
		exit(fail(MSG_MEMORY));
	return (new);
}

char *
memory_string(const char *text)
{
	size_t size = strlen(text) + 1;

	return (memcpy(memory_get(NULL, 1, size), text, size));
}
