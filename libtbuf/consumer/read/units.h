/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What units.c and units_unfinished.c have in common: looks at tables of work units.
 */
#ifndef TBUF_CONSUMER_READ_UNITS_H
#define TBUF_CONSUMER_READ_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#include "consumer/target/batch.h"
#include "consumer/target/target.h"
#include "consumer/target/unit_tables.h"

/* Where a table's entry is, and what it says; false: that cannot be read. */
uint64_t tbuf_unit_entry_at(const struct tbuf_target *, uint32_t i);
bool	tbuf_unit_entry_read(const struct tbuf_target *, uint32_t i,
	    struct tbuf_unit_entry *);

/* Is an entry of this session in that state? */
bool	tbuf_unit_in(const struct tbuf_target *, uint64_t word,
	    enum tbuf_unit_state);

/* Has the target tables that can be read now? */
bool	tbuf_units_any(const struct tbuf_target *);

/*
 * What a table holds that the mask selects; NULL: it is another unit's by now,
 * or no memory.
 */
struct tbuf_batch *tbuf_unit_table(struct tbuf_consumer *,
	    struct tbuf_target *, uint32_t i, const struct tbuf_unit_entry *,
	    uint32_t mask);

/* Whose a batch is. */
void	tbuf_unit_describe(const struct tbuf_target *, struct tbuf_batch *,
	    uint64_t kind, uint64_t id, uint64_t began);

#endif
