/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The tasks of a target, by the ids that they have themselves.
 */
#ifndef TBUF_CONSUMER_TARGET_THREADS_H
#define TBUF_CONSUMER_TARGET_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "consumer/target/target.h"

struct tbuf_tasks {
	uint64_t *tids;
	size_t count, room;
	bool ours;			/* of our own namespace of pids */
	bool whole;			/* all of them, for sure */
};

/* False: they are not to be had.  To be freed. */
bool	tbuf_tasks_list(const struct tbuf_target *, struct tbuf_tasks *);
void	tbuf_tasks_free(struct tbuf_tasks *);

/* Is it there?  In doubt it is; one that ended before the listing is not. */
bool	tbuf_tasks_has(const struct tbuf_target *, const struct tbuf_tasks *,
	    uint64_t tid);

#endif
