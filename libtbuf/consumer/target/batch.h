/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A batch: records that were kept back in a target, and are given where a
 * record of their lane says so.  Speculations and work units come so.
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
	const struct tbuf_source *source;
};

struct tbuf_batch {
	TAILQ_ENTRY(tbuf_batch) link;
	uint32_t id;			/* from 0 on */
	uint64_t instance;
	uint64_t drops;			/* records that found no room there */
	bool due;			/* its mark should have come by now */
	bool kept;			/* it is in the list */
	unsigned count, next;		/* of its records; to be given */
	uint64_t size;
	unsigned char *bytes;		/* as the lanes had them */
	struct tbuf_batch_item *items;	/* by time */
	bool unit;			/* of a work unit, this one: */
	struct tbuf_unit_info info;
};

void	tbuf_batch_free(struct tbuf_target *, struct tbuf_batch *);

#endif
