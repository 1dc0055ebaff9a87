/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -F: how deep in calls a record is.
 */
#ifndef TBUFCTL_PRINT_FLOW_INDENT_H
#define TBUFCTL_PRINT_FLOW_INDENT_H

#include <stddef.h>

#include <tbuf_consumer.h>

/* What a probe does to the depth, by its name. */
enum flow_kind {
	FLOW_NONE,
	FLOW_ENTRY,		/* entry, or something-entry */
	FLOW_RETURN		/* return, or something-return */
};

/* The depth in each buffer, which is that of a CPU and a process. */
struct flow {
	struct flow_lane *lanes;
	size_t count;
	size_t last;		/* the lane that was found last */
};

enum flow_kind flow_kind(const char *name);

/*
 * Take a record of this kind into account: the depth that it is shown at.
 * *kind becomes FLOW_NONE for one that does not move.
 */
unsigned flow_step(struct flow *, const struct tbuf_record *,
	    enum flow_kind *kind);

/* Buffers that are read anew begin at depth 0. */
void	flow_begin(struct flow *);

void	flow_free(struct flow *);

#endif
