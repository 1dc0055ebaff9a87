/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Draws over the contents of a terminal.  Lines that are wider than the
 * terminal are cut, as they would take two rows.
 */
#ifndef TBUFCTL_PRINT_TERMINAL_H
#define TBUFCTL_PRINT_TERMINAL_H

#include "base/output.h"

struct format;

struct screen {
	struct output *terminal;
	struct output text;
	unsigned rows, columns;	/* 0: unknown */
};

/* Collects the format's output in memory until screen_end(). */
void	screen_begin(struct screen *, struct format *);
/* Writes the collected output to the terminal, with its lines cut. */
void	screen_end(struct screen *, struct format *);

#endif
