/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reading unit tables, for units.c and units_unfinished.c.
 */
#ifndef TBUF_CONSUMER_READ_UNITS_H
#define TBUF_CONSUMER_READ_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#include "consumer/target/batch.h"
#include "consumer/target/target.h"
#include "consumer/target/unit_tables.h"

/* Return the offset of a table's entry; read it (false: that failed). */
uint64_t tbuf_unit_entry_at(const struct tbuf_target *, uint32_t i);
bool	tbuf_unit_entry_read(const struct tbuf_target *, uint32_t i,
	    struct tbuf_unit_entry *);

/* Returns true if an entry's word is of this session and in that state. */
bool	tbuf_unit_in(const struct tbuf_target *, uint64_t word,
	    enum tbuf_unit_state);

/* Returns true if the target has unit tables that can be read now. */
bool	tbuf_units_any(const struct tbuf_target *);

/*
 * Reads the records in a table that the mask selects.  Returns NULL without
 * memory, or if the table has another unit by now.
 */
struct tbuf_batch *tbuf_unit_table(struct tbuf_consumer *,
	    struct tbuf_target *, uint32_t i, const struct tbuf_unit_entry *,
	    uint32_t mask);

/* Sets a batch's description of its unit. */
void	tbuf_unit_describe(const struct tbuf_target *, struct tbuf_batch *,
	    uint64_t kind, uint64_t id, uint64_t began);

#endif
