/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -F: the depth of calls at which a record is shown.
 */
#ifndef TBUFCTL_PRINT_FLOW_INDENT_H
#define TBUFCTL_PRINT_FLOW_INDENT_H

#include <stddef.h>

#include <tbuf_consumer.h>

/* Effect of a probe on the depth, by its name. */
enum flow_kind {
	FLOW_NONE,
	FLOW_ENTRY,		/* entry, or something-entry */
	FLOW_RETURN		/* return, or something-return */
};

/* Depth in each buffer, which belongs to one CPU and one process. */
struct flow {
	struct flow_lane *lanes;	/* to be freed */
	size_t count;
	size_t last;		/* index of the lane found last */
};

enum flow_kind flow_kind(const char *name);

/*
 * Accounts for a record of kind *kind.  Returns the depth at which to show it.
 * Sets *kind to FLOW_NONE if the record does not change the depth, because
 * another enabling of the same probe already did.
 */
unsigned flow_step(struct flow *, const struct tbuf_record *,
	    enum flow_kind *kind);

/* Sets all depths to 0, when a drain begins. */
void	flow_begin(struct flow *);

#endif
