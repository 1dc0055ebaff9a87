/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Formats of printf(), printa(), system() and freopen().  The compiler has
 * checked them against their arguments.
 */
#ifndef TBUFCTL_PRINT_PRINTF_H
#define TBUFCTL_PRINT_PRINTF_H

#include <stdbool.h>

#include "base/output.h"
#include "typed_value.h"

/* A conversion; take_stars() replaces a * by its value. */
struct conversion {
	char name[4];		/* "lld" */
	char flags[8];		/* # + ' and blank, as C has them */
	bool left_aligned, zero;	/* - and 0 */
	bool aggregation;	/* @ */
	bool star_width, star_precision;
	int width;
	int precision;
};

/* Arguments of a format, in its order. */
struct printf_values {
	const struct tbuf_d_piece *pieces;
	const struct tbuf_value *values;
	unsigned count;
	/* Prints %@; NULL if there is no aggregation. */
	void (*aggregation)(void *, struct output *, const struct conversion *);
	void *arg;
};

void	printf_put(struct output *, const char *format,
	    const struct printf_values *);

/* Prints one value by one conversion. */
void	printf_convert(struct output *, const struct conversion *,
	    const struct datum *);

#endif
