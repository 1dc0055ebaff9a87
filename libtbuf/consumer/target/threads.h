/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The threads of a target, by the ids that they have in their own namespace.
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
	bool ours;			/* in our own pid namespace */
	bool whole;			/* the list is complete */
};

/* Lists a target's threads, for tbuf_tasks_free(); false on failure. */
bool	tbuf_tasks_list(const struct tbuf_target *, struct tbuf_tasks *);
void	tbuf_tasks_free(struct tbuf_tasks *);

/* Returns false only if the thread has certainly ended before the listing. */
bool	tbuf_tasks_has(const struct tbuf_target *, const struct tbuf_tasks *,
	    uint64_t tid);

#endif
