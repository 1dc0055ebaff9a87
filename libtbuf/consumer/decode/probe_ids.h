/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The probes of a run, by id.
 */
#ifndef TBUF_CONSUMER_DECODE_PROBE_IDS_H
#define TBUF_CONSUMER_DECODE_PROBE_IDS_H

#include <stdint.h>

#include "shared/file_view.h"
#include "consumer/decode/record_layout.h"
#include "tbuf_consumer.h"

/* A look-up compares hashes first: most slots never touch their probe. */
struct tbuf_probe_slot {
	uint32_t hash;
	uint32_t number;		/* id; 0: free */
};

/* The probes of a run; equal ones of several targets are one. */
struct tbuf_probes {
	struct tbuf_probe_info **infos;	/* by id - 1 */
	unsigned count;
	unsigned room;
	struct tbuf_probe_slot *slots;	/* by hash, open addressing */
	unsigned nslots;		/* a power of two, or 0 */
	struct tbuf_probes_whole *whole[2]; /* the last table; room for one */
};

/*
 * Copy and check the probe at an index of a target's table.  1 with *info,
 * 0 if there is none (yet) or it makes no sense, -ENOMEM.
 */
int	tbuf_probes_read(struct tbuf_probes *, const struct tbuf_view *,
	    uint32_t index, const struct tbuf_probe_info **info);

/*
 * All probes of a target's table that are there, by index; NULL: none.  Most
 * targets of a run have the table of the one before, byte for byte, and are
 * compared with that.  Large ones are left out.
 */
void	tbuf_probes_read_all(struct tbuf_probes *, const struct tbuf_view *,
	    const struct tbuf_probe_info **infos);
void	tbuf_probes_free(struct tbuf_probes *);

/* The layout of a default record of a probe that was read. */
const struct tbuf_record_layout *tbuf_probe_layout(
	    const struct tbuf_probe_info *);
void	tbuf_probe_names(const struct tbuf_probe_info *, struct tbuf_names *);

#endif
