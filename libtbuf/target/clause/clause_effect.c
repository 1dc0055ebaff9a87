/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Effects of a clause at a fire: its records, faults, exit(), snapshot().
 */
#include "target/clause/clause.h"

int
tbuf_run_emit(struct tbuf_machine *m, uint32_t record)
{
	struct tbuf_run *run = tbuf_run_of(m);
	uint32_t epid = run->fire->epid + record;

	if (record >= TBUF_EPID_COMMIT || epid >= TBUF_EPID_COMMIT)
		return (TBUF_FAULT_ILLEGAL);
	if (m->aside != 0)
		return (tbuf_run_aside(run, epid, m->record.bytes,
		    m->record.used));
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

/* Later statements of the same clause still run. */
int
tbuf_run_exit(struct tbuf_machine *m, uint64_t status)
{
	tbuf_run_of(m)->exit = UINT64_C(1) << 32 | (uint32_t)status;
	return (0);
}

int
tbuf_run_snapshot(struct tbuf_machine *m)
{
	tbuf_run_of(m)->snapshots++;
	return (0);
}
