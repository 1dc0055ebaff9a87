/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The probes of a run, by id.
 */
#ifndef TBUF_CONSUMER_DECODE_PROBE_IDS_H
#define TBUF_CONSUMER_DECODE_PROBE_IDS_H

#include <sys/param.h>

#include <stdint.h>

#include "arch/atomics.h"
#include "consumer/decode/record_layout.h"
#include "shared/file_view.h"
#include "tbuf_consumer.h"

/* The probes of a run; equal probes of several targets have one id. */
struct tbuf_probes {
	struct tbuf_probe_info **infos;	/* by id - 1 */
	unsigned count;
	unsigned room;
	void *tree;			/* of tsearch(3), by identity */
	struct tbuf_probes_whole *whole[2]; /* the last table; a spare one */
};

/* Returns how many probes a target's table has by now. */
static inline uint32_t
tbuf_probes_count(const struct tbuf_view *view)
{
	uint32_t n = tbuf_load_acquire(&tbuf_view_control(view)->nprobes);

	return (MIN(n, view->tables.entries));
}

/*
 * Copies and checks the probe at an index of a target's table.  Returns 1 with
 * *info, 0 if there is none (yet) or it is invalid, -ENOMEM.
 */
int	tbuf_probes_read(struct tbuf_probes *, const struct tbuf_view *,
	    uint32_t index, const struct tbuf_probe_info **info);

/*
 * Reads all probes of a target's table into *infos, by index; NULL: not ready
 * or invalid.  Most targets of a run have the same table, byte for byte, as the
 * target before, and get its probes.  Without memory for a copy of the table
 * *infos is not changed.
 */
void	tbuf_probes_read_all(struct tbuf_probes *, const struct tbuf_view *,
	    const struct tbuf_probe_info **infos);
void	tbuf_probes_free(struct tbuf_probes *);

/* Returns the layout of a probe's default record: its arguments. */
const struct tbuf_record_layout *tbuf_probe_layout(
	    const struct tbuf_probe_info *);
/* Returns true if a list of descriptions matches the probe. */
bool	tbuf_probe_matches(const struct tbuf_probe_info *,
	    const char *description);

/*
 * Returns true if an enabling of the list has an ECB on a target's probe: the
 * list matches it, and no elder of it [inv.alias].
 */
bool	tbuf_probe_chosen(const struct tbuf_probe_info *,
	    const char *description);

#endif
