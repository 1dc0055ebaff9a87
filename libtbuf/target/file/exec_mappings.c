/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Executable mappings of this program at its start, stored in its control file
 * for a consumer that wants names for addresses: the program may have ended
 * before the consumer reads them.
 */
#include "base/optimize_size.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "target/file/file.h"
#include "target/file/probe_table.h"
#include "target/self/self.h"

/*
 * The size of the longest line: with that much room each read(2) returns whole
 * lines.
 */
#define LINE_MAX_BYTES	8192u

static char text[TBUF_MAPPINGS_MAX];

/* Returns true if "START-END PERMISSIONS ..." is an executable mapping. */
static bool
line_wanted(const char *line, size_t size)
{
	const char *blank = memchr(line, ' ', size);

	return (blank != NULL && (size_t)(blank - line) + 3 < size &&
	    blank[3] == 'x');
}

/* Removes unwanted lines from `used' on.  Returns the end of the others. */
static size_t
lines_keep(size_t used, size_t end)
{
	size_t at = used, size;
	const char *newline;

	while ((newline = memchr(text + at, '\n', end - at)) != NULL) {
		size = (size_t)(newline + 1 - (text + at));
		if (line_wanted(text + at, size)) {
			memmove(text + used, text + at, size);
			used += size;
		}
		at += size;
	}
	return (used);
}

static uint32_t
lines_read(void)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	size_t used = 0;
	ssize_t n;

	if (fd == -1)
		return (0);
	while (sizeof(text) - used >= LINE_MAX_BYTES && (n = read(fd,
	    text + used, sizeof(text) - used)) > 0)
		used = lines_keep(used, used + (size_t)n);
	close(fd);
	return ((uint32_t)used);
}

/* Takes no lock: no probe registers before the process is a target. */
void
tbuf_mappings_leave(void)
{
	const struct tbuf_view view = tbuf_file_view();

	if (tbuf_session_any(&view, TBUF_S_NAMES))
		tbuf_table_leave(&view, text, lines_read());
}
