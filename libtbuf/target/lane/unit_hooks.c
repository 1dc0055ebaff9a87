/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The memory of work units, and the hooks by which a fire reaches their code.
 * As async-signal-safe as fire.c.
 */
#include "target/lane/unit_hooks.h"

#define FEW	16

/* Units of a program with little memory, and of any program at first. */
static struct tbuf_unit few[FEW];
struct tbuf_unit *tbuf_units_all = few;
uint32_t tbuf_units_room = FEW;
uint64_t tbuf_units_epoch TBUF_FORKED;
const struct tbuf_unit_hooks *tbuf_unit_hooks;

enum tbuf_emit
tbuf_record_emit(const struct tbuf_fire *f)
{
	enum tbuf_emit emit;

	if (tbuf_thread.unit != NULL &&
	    tbuf_load(&tbuf_unit_hooks)->emit(f, &emit))
		return (emit);
	return (tbuf_lane_put(f));
}
