/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * tbuf_backtrace(): prints the last records of all lanes of all sessions.
 * Records can only be walked forwards, so each lane is walked from its tail,
 * and the youngest are retained.
 *
 * Other threads write meanwhile.  A record that they overwrite is detected as a
 * consumer detects it: the tail has passed it.
 */
#include "base/optimize_size.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "shared/control_file.h"
#include "target/crash/last_records.h"
#include "target/file/file.h"
#include "target/lane/lane.h"
#include "target/self/self.h"
#include "target/self/thread.h"

/*
 * Static, because a signal's stack may be small; one thread at a time uses
 * them.
 */
static int busy;
static struct tbuf_lasts lasts;
static unsigned char record[TBUF_RECORD_MAX] __attribute__((aligned(8)));
static struct tbuf_lines lines;

static void
walk(const struct tbuf_view *view, const struct tbuf_place *p,
    struct tbuf_last *last)
{
	const struct tbuf_slot *slot = tbuf_view_slot(view, last->slot);
	uint64_t head = tbuf_load_acquire(&p->lane->head), tail;
	struct tbuf_header header;

	last->at = tbuf_last_tail(slot, p->lane);
	if (last->at > head || head - last->at > p->storage ||
	    (head | last->at) % 8 != 0)
		return;
	while (last->at < head) {
		tbuf_last_copy(p, last->at, &header, sizeof(header));
		tbuf_fence_loads();
		tail = tbuf_last_tail(slot, p->lane);
		if (tail > last->at) {
			last->at = tail;
			continue;
		}
		if (!tbuf_lane_plausible(tbuf_lane_front(p), header.size,
		    head - last->at)) {
			last->at = tbuf_lane_resync(p, last->at, head, head);
			continue;
		}
		last->time = header.time;
		tbuf_last_keep(&lasts, last);
		if (header.epid == TBUF_EPID_ENVELOPE ||
		    header.epid == TBUF_EPID_UNIT)
			tbuf_last_unit(&lasts, view, p, *last, &header);
		last->at += header.size;
	}
}

static void
collect(const struct tbuf_view *view, unsigned number)
{
	const struct tbuf_slot *slot = tbuf_view_slot(view, number);
	uint64_t base = (uintptr_t)view->base, lanes = tbuf_load(&slot->lanes);
	struct tbuf_last last = { .slot = number };
	struct tbuf_place place;
	uint32_t i, n = tbuf_load(&slot->nlanes);

	last.generation = tbuf_load(&slot->generation);
	tbuf_last_tables(&lasts, view, number);
	for (i = 0; i < n && i < 2 * TBUF_NCPUS; i++) {
		last.lane = lanes + i * sizeof(struct tbuf_lane);
		if (tbuf_lane_place(base, last.lane, &place))
			walk(view, &place, &last);
	}
}

static void
put_where(const struct tbuf_view *view, const struct tbuf_moment *now,
    const struct tbuf_last *last, uint32_t tid, uint32_t cpu)
{
	tbuf_lines_text(&lines, "-");
	tbuf_lines_age(&lines, view, now, last->time);
	tbuf_lines_text(&lines, " cpu ");
	if (cpu < TBUF_NCPUS * 64)
		tbuf_lines_number(&lines, cpu, 10, 1);
	else
		tbuf_lines_text(&lines, "?");
	tbuf_lines_text(&lines, " tid ");
	tbuf_lines_number(&lines, tid, 10, 1);
	if (last->place != TBUF_LAST_LANE) {
		tbuf_lines_text(&lines, " unit ");
		tbuf_lines_number(&lines, last->unit, 10, 1);
	}
	tbuf_lines_text(&lines, " ");
}

/* Copies a record out of a lane.  Returns false if it was overwritten. */
static bool
lane_copy(const struct tbuf_view *view, const struct tbuf_last *last,
    struct tbuf_place *place)
{
	struct tbuf_header header;

	if (!tbuf_lane_place((uintptr_t)view->base, last->lane, place))
		return (false);
	tbuf_last_copy(place, last->at, &header, sizeof(header));
	if (!tbuf_lane_plausible(tbuf_lane_front(place), header.size,
	    sizeof(record)))
		return (false);
	tbuf_last_copy(place, last->at, record, header.size);
	memcpy(record, &header, sizeof(header));
	tbuf_fence_loads();
	return (tbuf_last_tail(tbuf_view_slot(view, last->slot),
	    place->lane) <= last->at);
}

/* Prints one record.  Returns false if it was overwritten. */
static bool
put_record(const struct tbuf_view *view, const struct tbuf_moment *now,
    const struct tbuf_last *last)
{
	const struct tbuf_slot *slot = tbuf_view_slot(view, last->slot);
	const struct tbuf_lock_record *copy =
	    (const struct tbuf_lock_record *)(const void *)record;
	const struct tbuf_header *header = &copy->header;
	size_t data = sizeof(*copy);
	struct tbuf_place place;
	uint32_t cpu;

	if (last->place == TBUF_LAST_TABLE ?
	    !tbuf_last_table_copy(view, last, record) :
	    !lane_copy(view, last, &place))
		return (false);
	if (header->time != last->time ||
	    tbuf_load(&slot->generation) != last->generation)
		return (false);
	if (last->place == TBUF_LAST_LANE)
		data = tbuf_lane_front(&place);
	if (header->size < data)
		return (false);
	cpu = data == sizeof(*copy) ? copy->cpu : tbuf_load(&place.lane->cpu);
	put_where(view, now, last, header->tid, cpu);
	tbuf_lines_record(&lines, view, slot, header->epid, record + data,
	    header->size - data);
	return (true);
}

static void
put_heading(const struct tbuf_view *view)
{
	char comm[sizeof(((struct tbuf_control *)NULL)->comm)];

	memcpy(comm, tbuf_view_control(view)->comm, sizeof(comm));
	comm[sizeof(comm) - 1] = '\0';
	tbuf_lines_text(&lines, "tbuf: last ");
	tbuf_lines_number(&lines, lasts.count, 10, 1);
	tbuf_lines_text(&lines, " of ");
	tbuf_lines_number(&lines, lasts.seen, 10, 1);
	tbuf_lines_text(&lines, " records of ");
	tbuf_lines_text(&lines, comm);
	tbuf_lines_text(&lines, ", pid ");
	tbuf_lines_number(&lines, (uint64_t)getpid(), 10, 1);
	tbuf_lines_text(&lines, "\n");
}

static int
print(const struct tbuf_view *view, int fd)
{
	const struct tbuf_control *control = tbuf_view_control(view);
	struct tbuf_moment now;
	unsigned i, sessions = 0;
	int printed = 0;

	lines = (struct tbuf_lines){ .fd = fd };
	lasts.count = 0;
	lasts.seen = 0;
	for (i = 0; i < TBUF_NSESSIONS; i++)
		if (tbuf_state_readable(tbuf_load(&control->state[i]))) {
			collect(view, i);
			sessions++;
		}
	if (sessions == 0)
		return (0);
	tbuf_moment_take(tbuf_self.clock, &now);
	tbuf_last_sort(&lasts);
	put_heading(view);
	for (i = 0; i < TBUF_NSESSIONS; i++)
		if (tbuf_state_readable(tbuf_load(&control->state[i])))
			tbuf_lines_units(&lines, view, i, &now);
	for (i = 0; i < lasts.count && lines.error == 0; i++)
		printed += put_record(view, &now, &lasts.heap[i]);
	tbuf_lines_flush(&lines);
	return (lines.error != 0 ? lines.error : printed);
}

int
tbuf_backtrace(int fd, int n)
{
	struct tbuf_view view = tbuf_target_view();
	int saved = errno, result;

	if (n <= 0)
		return (-EINVAL);
	if (view.base == NULL)
		return (-ECANCELED);
	if (!tbuf_cas(&busy, 0, 1))
		return (-EBUSY);
	lasts.most = n < TBUF_LASTS ? (unsigned)n : TBUF_LASTS;
	result = print(&view, fd);
	tbuf_store_release(&busy, 0);
	errno = saved;
	return (result);
}

void
tbuf_backtrace_abandon(void)
{
	tbuf_store_release(&busy, 0);
}
