/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Faults of clauses in targets, which are records with TBUF_EPID_FAULT.
 */
#include <string.h>

#include "consumer/read/events.h"
#include "consumer/run/run.h"
#include "consumer/script/script.h"

static bool
fault_data(const struct tbuf_reader *r, const struct tbuf_header *header,
    struct tbuf_fault_record *fault, int *cpu)
{
	size_t size;
	const void *data = tbuf_record_data(r, header, &size, cpu);

	if (size != sizeof(*fault))
		return (false);
	memcpy(fault, data, sizeof(*fault));
	return (fault->fault != TBUF_FAULT_NONE &&
	    fault->fault < TBUF_FAULTS && fault->epid < TBUF_EPID_COMMIT);
}

bool
tbuf_fault_decode(struct tbuf_consumer *c, const struct tbuf_reader *r,
    const struct tbuf_header *header, struct tbuf_event *event)
{
	struct tbuf_record *record = &event->record;
	struct tbuf_fault_record fault;
	struct tbuf_d_place place = { 0 };
	const struct tbuf_epid *epid;
	int cpu;

	if (!fault_data(r, header, &fault, &cpu) || (epid =
	    tbuf_epid_find(c, r->target, (uint16_t)fault.epid)) == NULL)
		return (false);
	if (!r->target->file_only)
		place = tbuf_clause_place(c->clauses[epid->enabling],
		    fault.at);
	memset(record, 0, sizeof(*record));
	record->pid = r->target->pid;
	record->tid = header->tid;
	record->execname = tbuf_target_execname(r->target);
	record->cpu = cpu;
	record->enabling = epid->enabling;
	record->probe = epid->probe;
	record->epid = (uint16_t)(fault.epid + place.part);
	event->fault = fault.fault;
	event->offset = fault.at;
	event->address = fault.address;
	event->action = place.action;
	event->type = TBUF_EVENT_FAULT;
	return (true);
}

void
tbuf_fault_tell(struct tbuf_consumer *c, const struct tbuf_event *event)
{
	static const uint64_t nowhere[1];
	const struct tbuf_target *t = c->drain.last_target;
	struct tbuf_script_sample thread = {
		.time = event->record.time, .frames = nowhere,
		.pid = event->record.pid, .tid = (pid_t)event->record.tid,
		.cpu = event->record.cpu
	};

	if (c->script == NULL || event->type != TBUF_EVENT_FAULT)
		return;
	thread.image = tbuf_target_image(t);
	(void)tbuf_copy(thread.execname, tbuf_view_control(&t->view)->execname,
	    sizeof(thread.execname));
	tbuf_script_error(c->script, event, &thread);
}
