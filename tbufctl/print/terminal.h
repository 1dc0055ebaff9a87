/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What is drawn on a terminal, over what stands there: lines that are wider
 * than the terminal would take two of its rows, and are cut.
 */
#ifndef TBUFCTL_PRINT_TERMINAL_H
#define TBUFCTL_PRINT_TERMINAL_H

#include "base/output.h"

struct format;

struct screen {
	struct output *terminal;
	struct output text;
	unsigned rows, columns;	/* 0: not known */
};

/* From here on the format's output is kept ... */
void	screen_begin(struct screen *, struct format *);
/* ... until it is drawn. */
void	screen_end(struct screen *, struct format *);

#endif
