/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -x aggtop: shows the largest values of aggregations in place on a terminal,
 * as top(1) shows processes.
 */
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "aggregation.h"
#include "aggregation_top.h"
#include "base/messages.h"
#include "format.h"
#include "terminal.h"

#define LINES_DEFAULT	24u	/* of a terminal of unknown size */
#define CLEAR		"\033[H\033[J"

const char *
top_problem(const struct format *f)
{

	if (f->options->d.top == 0)
		return (NULL);
	if (f->options->json)
		return (MSG_TOP_JSON);
	return (isatty(f->out->fd) ? NULL : MSG_TOP_TERMINAL);
}

/*
 * Returns the number of lines for each aggregation.  An empty line is above
 * each, and the last line stays empty, or the screen would scroll.
 */
static unsigned
room(const struct format *f, unsigned lines, unsigned count)
{
	unsigned each;

	if (lines == 0)
		lines = LINES_DEFAULT;
	each = count == 0 || lines / count < 3 ? 1 : (lines - 1) / count - 1;
	return (each < f->options->d.top ? each : f->options->d.top);
}

void
top_draw(struct format *f)
{
	struct screen screen;

	if (f->options->d.top == 0 || f->consumer == NULL)
		return;
	screen_begin(&screen, f);
	output_printf(f->out, CLEAR);
	aggregation_largest(f, room(f, screen.rows, aggregation_count(f)));
	screen_end(&screen, f);
	output_flush(f->out);
}

void
top_end(struct format *f)
{

	if (f->options->d.top != 0)
		output_printf(f->out, CLEAR);
}
