/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Tables of work units as they have been read of a target.
 */
#ifndef TBUF_CONSUMER_TARGET_UNIT_TABLES_H
#define TBUF_CONSUMER_TARGET_UNIT_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "consumer/target/batch.h"
#include "consumer/target/target.h"

/* What was seen of a table. */
struct tbuf_unit_seen {
	uint64_t given;			/* the instance that was given last */
	uint64_t noted;			/* that was DONE before this round */
};

/* What all tables have counted. */
struct tbuf_unit_sums {
	uint64_t counters[TBUF_UNIT_COUNTERS];
	uint64_t kept, given;		/* records of units that have ended */
};

/* What is as it was at one moment, though the target goes on. */
struct tbuf_unit_held {
	struct tbuf_unit_sums sums;
	bool copied;
	struct tbuf_batch **done;	/* that lanes have marks of, or NULL */
	struct tbuf_batch *batches[];	/* of units in flight; then those */
};

/*
 * Maps the head of a target's unit tables, once.  Returns NULL if it cannot be
 * mapped.
 */
struct tbuf_units *tbuf_units_map(struct tbuf_target *);

#endif
