/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A batch: records of a speculation or a unit that a target has kept apart,
 * and that are returned in the place of a commit record or an envelope.
 */
#ifndef TBUF_CONSUMER_TARGET_BATCH_H
#define TBUF_CONSUMER_TARGET_BATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "consumer/target/target.h"
#include "tbuf_consumer.h"

/* A record of a batch. */
struct tbuf_batch_item {
	const struct tbuf_header *header;
	const struct tbuf_reader *reader;
};

struct tbuf_batch {
	TAILQ_ENTRY(tbuf_batch) link;
	uint32_t id;			/* from 0 on */
	uint64_t instance;
	uint64_t drops;			/* records without room */
	bool due;			/* the commit record is overdue */
	bool retained;			/* it is in the session's list */
	unsigned count, next;		/* of records; next to return */
	uint64_t size;
	unsigned char *bytes;		/* copied from the lanes */
	struct tbuf_batch_item *items;	/* sorted by time */
	bool unit;			/* of a work unit, described by info */
	struct tbuf_unit_info info;
};

void	tbuf_batch_free(struct tbuf_target *, struct tbuf_batch *);

#endif
