/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Unit tables, as read from a target.
 */
#ifndef TBUF_CONSUMER_TARGET_UNIT_TABLES_H
#define TBUF_CONSUMER_TARGET_UNIT_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "consumer/target/batch.h"
#include "consumer/target/target.h"

/* Progress in a table. */
struct tbuf_unit_seen {
	uint64_t returned;		/* instance last returned */
	uint64_t noted;			/* instance DONE before this drain */
};

/* Sums over all tables. */
struct tbuf_unit_sums {
	uint64_t counters[TBUF_UNIT_COUNTERS];
	uint64_t committed, returned;	/* records of units that have ended */
};

/* The units of a live target at one moment. */
struct tbuf_unit_held {
	struct tbuf_unit_sums sums;
	bool copied;
	struct tbuf_batch **done;	/* with commit records, or NULL */
	struct tbuf_batch *batches[];	/* units in flight, then `done` */
};

/*
 * Maps the header of a target's unit tables, once.  Returns NULL if it cannot
 * be mapped.
 */
struct tbuf_units *tbuf_units_map(struct tbuf_target *);

#endif
