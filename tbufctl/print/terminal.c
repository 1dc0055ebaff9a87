/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Cuts lines to a terminal's width.
 */
#include <sys/ioctl.h>

#include <stdlib.h>

#include "format.h"
#include "terminal.h"

#define TAB	8

void
screen_begin(struct screen *screen, struct format *f)
{
	struct winsize w = { 0 };

	screen->terminal = f->out;
	if (ioctl(f->out->fd, TIOCGWINSZ, &w) != 0)
		w = (struct winsize){ 0 };
	screen->rows = w.ws_row;
	screen->columns = w.ws_col;
	output_memory(&screen->text);
	screen->text.terminal = f->out->terminal;
	f->out = &screen->text;
}

/*
 * Returns the length of a sequence such as ESC [ 0 K, which takes no column, or
 * 0 if there is none.
 */
static size_t
sequence(const unsigned char *s, size_t size)
{
	size_t n = 2;

	if (size < 3 || s[0] != '\033' || s[1] != '[')
		return (0);
	while (n < size && s[n] >= 0x20 && s[n] < 0x40)
		n++;
	return (n < size ? n + 1 : 0);
}

/*
 * Returns the columns that a character takes, at most, and sets *bytes to its
 * length.  Characters of the Far East take two columns; those with lower
 * numbers, and the blocks of bars, take one.
 */
static unsigned
width(const unsigned char *s, size_t size, unsigned column, size_t *bytes)
{
	*bytes = 1;
	if (*s == '\t')
		return (TAB - column % TAB);
	if ((*bytes = sequence(s, size)) != 0)
		return (0);
	if ((*bytes = utf8_sequence(s, size)) == 0)
		*bytes = 1;
	return (*bytes == 4 || (*bytes == 3 && (s[0] > 0xe2 ||
	    (s[0] == 0xe2 && s[1] >= 0xba))) ? 2 : 1);
}

/* Returns the number of bytes of a line that fit. */
static size_t
fits(const char *line, size_t length, unsigned columns)
{
	size_t at, bytes;
	unsigned column = 0;

	if (columns == 0)
		return (length);
	for (at = 0; at < length; at += bytes) {
		column += width((const unsigned char *)line + at, length - at,
		    column, &bytes);
		if (column > columns)
			break;
	}
	return (at);
}

void
screen_end(struct screen *screen, struct format *f)
{
	const char *p = screen->text.buffer, *end = p + screen->text.used;
	const char *line_end;
	size_t size, n;

	for (; p < end; p = line_end) {
		size = (size_t)(end - p);
		line_end = memchr(p, '\n', size);
		if (line_end != NULL)
			size = (size_t)(line_end - p);
		n = fits(p, size, screen->columns);
		output_taken(screen->terminal, put_bytes(output_room(
		    screen->terminal, n + 1), p, n));
		line_end = p + size;
		if (line_end < end) {
			output_printf(screen->terminal, "\n");
			line_end++;
		}
	}
	free(screen->text.buffer);
	f->out = screen->terminal;
}
