/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Records of clauses, which go into the lanes as those of fires do.
 */
#include "arch/rseq.h"
#include "target/clause/clause.h"
#include "target/lane/lane.h"
#include "target/lane/unit_hooks.h"
#include "target/self/thread.h"

bool
tbuf_record_write(const struct tbuf_fire *f, uint32_t epid, const void *data,
    uint64_t size)
{
	const struct tbuf_memo *m = tbuf_memo_find(f->bits);
	struct tbuf_write w;

	if (m == NULL)
		return (false);
	w.bits = f->bits;
	w.generation = f->generation;
	w.size = sizeof(struct tbuf_header) + size;
	w.less = w.size - 8;
	w.size16 = (uint32_t)w.size << 16;
	w.from = data;
	w.index = f->index;
	w.epid = epid;
	w.tid = tbuf_thread.tid;
	return (w.size <= TBUF_RECORD_MAX &&
	    tbuf_rseq_words(m, &w) == TBUF_COMMITTED);
}

/* Writes a record by sections, as any other. */
static int
record(struct tbuf_run *run, uint32_t epid, const void *data, uint64_t size,
    bool aside)
{
	struct tbuf_segment segments[2] = { { NULL, 0 }, { data, size } };
	struct tbuf_fire f;

	if (tbuf_record_write(run->fire, epid, data, size))
		return (0);
	f = *run->fire;
	f.epid = epid;
	f.words = true;
	f.size = size;
	f.segments = segments;
	f.end = segments + 2;
	if ((aside ? tbuf_lane_put(&f) : tbuf_record_emit(&f)) ==
	    TBUF_EMIT_DONE)
		return (0);
	run->gone = true;
	return (TBUF_STOP);
}

int
tbuf_run_record(struct tbuf_run *run, uint32_t epid, const void *data,
    uint64_t size)
{
	return (record(run, epid, data, size, false));
}

int
tbuf_run_aside(struct tbuf_run *run, uint32_t epid, const void *data,
    uint64_t size)
{
	return (record(run, epid, data, size, true));
}
