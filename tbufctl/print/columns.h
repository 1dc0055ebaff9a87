/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The columns of aggregations: keys, then values.
 */
#ifndef TBUFCTL_PRINT_COLUMNS_H
#define TBUFCTL_PRINT_COLUMNS_H

#include <stdbool.h>

#include <tbuf_consumer.h>

#include "base/output.h"
#include "histogram.h"

/*
 * Layout of one aggregation: in columns, as a histogram of all its keys
 * (agghist), or with a histogram on one line for each key (aggpack).
 */
struct columns {
	bool hist, pack;	/* agghist, aggpack */
	struct bars style;	/* style of all bars */
	struct bars bars;	/* agghist: scale of its bars */
	struct packed packed;
	bool begun;		/* the heading has been printed */
};

/*
 * columns_see() takes each tuple into account for the scale; then columns_put()
 * prints each.
 */
void	columns_see(struct columns *, const struct tbuf_tuple *);
void	columns_put(struct output *, struct columns *,
	    const struct tbuf_tuple *);

#endif
