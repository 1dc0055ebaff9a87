/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The columns of aggregations: keys, then values.
 */
#ifndef TBUFCTL_PRINT_COLUMNS_H
#define TBUFCTL_PRINT_COLUMNS_H

#include <stdbool.h>

#include <tbuf_consumer.h>

#include "histogram.h"
#include "base/output.h"

/*
 * How an aggregation by itself is shown: in columns, as a histogram of all its
 * keys (agghist), or with histograms of one line each (aggpack).
 */
struct columns {
	bool hist, pack;	/* what the options say */
	struct bars style;	/* how bars are drawn */
	struct bars bars;	/* of agghist */
	struct packed packed;
	bool begun;		/* the line above has been printed */
};

/* First each tuple is seen, then each is printed. */
void	columns_see(struct columns *, const struct tbuf_tuple *);
void	columns_put(struct output *, struct columns *,
	    const struct tbuf_tuple *);

#endif
