/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Failed assertions: prints a message, flushes the text trace in memory and
 * ends the process.  Async-signal-safe as far as messages are.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "target/crash/fatal_signal.h"
#include "text/text.h"

#define MESSAGE	512

static char *
add(char *p, const char *end, const char *text)
{
	size_t n = strnlen(text, (size_t)(end - p));

	memcpy(p, text, n);
	return (p + n);
}

static char *
add_number(char *p, const char *end, unsigned n)
{
	char digits[12], *d = digits + sizeof(digits) - 1;

	*d = '\0';
	do {
		*--d = (char)('0' + n % 10);
	} while ((n /= 10) != 0);
	return (add(p, end, d));
}

void
tbuf_assert_failed(const char *expression, const char *file, unsigned line,
    const char *function)
{
	char message[MESSAGE], *p = message;
	const char *end = message + sizeof(message) - 2;

	p = add(p, end, file);
	p = add(p, end, ":");
	p = add_number(p, end, line);
	p = add(p, end, ": ");
	p = add(p, end, function);
	p = add(p, end, ": assertion failed: ");
	p = add(p, end, expression);
	if (p == end)
		p = message + tbuf_text_cut(message, (size_t)(p - message));
	*p = '\0';
	if (tbuf_text_wanted(&tbuf_assertions, TBUF_SEVERE))
		tbuf_text_string(&tbuf_assertions, TBUF_SEVERE, message);
	*p++ = '\n';
	if (write(STDERR_FILENO, message, (size_t)(p - message)) < 0)
		p = message;	/* the message cannot be printed */
	(void)tbuf_text_flush();
	tbuf_fatal_assertion();
	abort();
}
