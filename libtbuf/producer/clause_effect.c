/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What a clause leaves at a fire: records, faults, exit().
 */
#include "producer/clause.h"

bool
tbuf_run_write(const struct tbuf_fire *f, uint32_t epid, const void *data,
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

/* By sections, as any record. */
int
tbuf_run_record(struct tbuf_run *run, uint32_t epid, const void *data,
    uint64_t size)
{
	struct tbuf_segment segments[2] = { { NULL, 0 }, { data, size } };
	struct tbuf_fire f;

	if (tbuf_run_write(run->fire, epid, data, size))
		return (0);
	f = *run->fire;
	f.epid = epid;
	f.words = true;
	f.size = size;
	f.segments = segments;
	f.end = segments + 2;
	if (tbuf_lane_emit(&f) == TBUF_EMIT_DONE)
		return (0);
	run->gone = true;
	return (TBUF_STOP);
}

int
tbuf_run_emit(struct tbuf_machine *m, uint32_t record)
{
	struct tbuf_run *run = tbuf_run_of(m);
	uint32_t epid = run->fire->epid + record;

	if (record >= TBUF_EPID_COMMIT || epid >= TBUF_EPID_COMMIT)
		return (TBUF_FAULT_ILLEGAL);
	if (run->speculation != 0)
		return (tbuf_run_speculated(run, epid));
	return (tbuf_run_record(run, epid, m->record.bytes, m->record.used));
}

/* Each record finds room for itself, or is a drop. */
int
tbuf_run_room(struct tbuf_machine *m, uint32_t record)
{
	(void)m;
	(void)record;
	return (0);
}

void
tbuf_run_fault(struct tbuf_run *run)
{
	const struct tbuf_fault_record fault = {
		.epid = run->fire->epid, .at = run->machine.fault.at,
		.fault = run->machine.fault.number,
		.address = run->machine.fault.address
	};

	(void)tbuf_run_record(run, TBUF_EPID_FAULT, &fault, sizeof(fault));
}

/* Statements behind it in the same clause still run. */
int
tbuf_run_exit(struct tbuf_machine *m, uint64_t status)
{
	tbuf_run_of(m)->exit = UINT64_C(1) << 32 | (uint32_t)status;
	return (0);
}
