/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The formats of printf(), printa() and what else takes one.  The compiler has
 * checked them against their arguments.
 */
#ifndef TBUFCTL_PRINT_PRINTF_H
#define TBUFCTL_PRINT_PRINTF_H

#include <stdbool.h>

#include "typed_value.h"
#include "base/output.h"

/* A conversion, with what a * stands for. */
struct conversion {
	char name[4];		/* "lld" */
	char flags[8];		/* # + ' and blank, as C has them */
	bool left, zero;	/* - and 0 */
	bool aggregation;	/* @ */
	bool star_width, star_precision;
	int width;
	int precision;
};

/* What a format takes, in its order. */
struct printf_values {
	const struct tbuf_d_piece *pieces;
	const struct tbuf_value *values;
	unsigned count;
	/* %@; NULL where there is none. */
	void (*aggregation)(void *, struct output *, const struct conversion *);
	void *arg;
};

void	printf_put(struct output *, const char *format,
	    const struct printf_values *);

/* One conversion of one value. */
void	printf_convert(struct output *, const struct conversion *,
	    const struct datum *);

#endif
