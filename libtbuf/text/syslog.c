/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The facility Log: syslog(3), with the program's identity.  As logs cut long
 * messages, they are sent in numbered pieces.
 */
#include <string.h>
#include <syslog.h>

#include "text/text.h"

#define PIECE	900u	/* many logs cut at 1024 bytes */

static const int priorities[] = {
	[TBUF_SEVERE] = LOG_ERR, [TBUF_WARNING] = LOG_WARNING,
	[TBUF_INFO] = LOG_INFO, [TBUF_DEBUG] = LOG_DEBUG,
	[TBUF_FLOW] = LOG_DEBUG
};

void
tbuf_textlog_write(unsigned level, const char *component, const char *text,
    size_t size)
{
	const char *name = tbuf_text_level_name(level);
	size_t i, n = (size + PIECE - 1) / PIECE;

	if (n <= 1)
		syslog(priorities[level], "%s %s: %.*s", component, name,
		    (int)size, text);
	for (i = 0; n > 1 && i < n; i++)
		syslog(priorities[level], "%s %s (%zu/%zu): %.*s", component,
		    name, i + 1, n, (int)(i + 1 < n ? PIECE : size - i * PIECE),
		    text + i * PIECE);
}

void
tbuf_text_say(const char *what, int error)
{
	syslog(LOG_ERR, "tbuf: %s: %s", what, strerror(error));
}
