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
#include "typed_value.h"

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
 * How bytes of a key are printed: as a number, if their size is one's; else as
 * text, if they are printable up to the NULs at their end; else byte by byte.
 */
bool	columns_is_number(size_t size);
bool	columns_is_text(const struct datum *, size_t *length);

/*
 * columns_see() takes each tuple into account for the scale; then columns_put()
 * prints each.
 */
void	columns_see(struct columns *, const struct tbuf_tuple *);
void	columns_put(struct output *, struct columns *,
	    const struct tbuf_tuple *);

#endif
