/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * tbuf_backtrace(): the last records of all lanes of all sessions.  Records
 * can only be walked forwards, so each lane is walked from its tail, and a heap
 * keeps the youngest: the oldest of those stands at its top.
 *
 * Other threads go on meanwhile.  What they overwrite is noticed as a consumer
 * notices it: the tail has passed.
 */
#include "cold.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/control.h"
#include "producer/backtrace.h"

#define LAST_MAX	1024

/* One thread at a time is here, and a signal's stack may be small. */
static int busy;
static struct tbuf_last heap[LAST_MAX];
static unsigned count, most;
static uint64_t seen;
static unsigned char record[TBUF_RECORD_MAX] __attribute__((aligned(8)));
static struct tbuf_lines lines;

void
tbuf_last_copy(const struct tbuf_place *p, uint64_t at, void *to, size_t size)
{
	uint64_t offset = at & (p->storage - 1), first = p->storage - offset;

	if (first > size)
		first = size;
	memcpy(to, p->data + offset, first);
	memcpy((char *)to + first, p->data, size - first);
}

uint64_t
tbuf_last_tail(const struct tbuf_slot *slot, const struct tbuf_lane *lane)
{
	if (tbuf_load(&slot->terms.policy) != TBUF_RING)
		return (tbuf_load_acquire(&lane->tail));
	return (tbuf_load(&lane->pair[tbuf_load_acquire(&lane->sequence) &
	    1].tail));
}

static void
swap(unsigned a, unsigned b)
{
	struct tbuf_last last = heap[a];

	heap[a] = heap[b];
	heap[b] = last;
}

/* Let the one at the top sink among so many. */
static void
sink(unsigned n)
{
	unsigned i = 0, child;

	while ((child = 2 * i + 1) < n) {
		if (child + 1 < n && heap[child + 1].time < heap[child].time)
			child++;
		if (heap[i].time <= heap[child].time)
			break;
		swap(i, child);
		i = child;
	}
}

static void
keep(const struct tbuf_last *last)
{
	unsigned i;

	seen++;
	if (count == most) {
		if (last->time > heap[0].time) {
			heap[0] = *last;
			sink(count);
		}
		return;
	}
	heap[count] = *last;
	for (i = count++; i > 0 && heap[i].time < heap[(i - 1) / 2].time;
	    i = (i - 1) / 2)
		swap(i, (i - 1) / 2);
}

/* The youngest first, from the end on: then they rise. */
static void
sort(void)
{
	unsigned n, i;

	for (n = count; n > 1; n--) {
		swap(0, n - 1);
		sink(n - 1);
	}
	for (i = 0; i < count / 2; i++)
		swap(i, count - 1 - i);
}

static void
walk(const struct tbuf_slot *slot, const struct tbuf_place *p,
    struct tbuf_last *last)
{
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
		if (!tbuf_last_plausible(p, header.size, head - last->at))
			return;
		last->time = header.time;
		keep(last);
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
	for (i = 0; i < n && i < 2 * TBUF_NCPUS; i++) {
		last.lane = lanes + i * sizeof(struct tbuf_lane);
		if (tbuf_lane_place(base, last.lane, &place))
			walk(slot, &place, &last);
	}
}

/* Nanoseconds of so many ticks, by what the clock has done since the birth. */
static uint64_t
nanoseconds(const struct tbuf_view *view, const struct tbuf_moment *now,
    uint64_t ticks)
{
	const struct tbuf_moment *birth = &tbuf_view_control(view)->birth;
	uint64_t mono = now->mono - birth->mono;
	uint64_t all = now->ticks - birth->ticks;

	if (tbuf_self.clock != TBUF_CLOCK_COUNTER)
		return (ticks);
	for (; mono >> 31 != 0; mono >>= 1)
		all >>= 1;
	return (all == 0 ? 0 :
	    (uint64_t)((unsigned __int128)ticks * ((mono << 32) / all) >> 32));
}

static void
put_where(const struct tbuf_view *view, const struct tbuf_moment *now,
    const struct tbuf_header *header, uint32_t cpu)
{
	uint64_t age = header->time < now->ticks ?
	    nanoseconds(view, now, now->ticks - header->time) : 0;

	tbuf_lines_text(&lines, "-");
	tbuf_lines_number(&lines, age / 1000000000, 10, 1);
	tbuf_lines_text(&lines, ".");
	tbuf_lines_number(&lines, age % 1000000000, 10, 9);
	tbuf_lines_text(&lines, " cpu ");
	if (cpu < TBUF_NCPUS * 64)
		tbuf_lines_number(&lines, cpu, 10, 1);
	else
		tbuf_lines_text(&lines, "?");
	tbuf_lines_text(&lines, " tid ");
	tbuf_lines_number(&lines, header->tid, 10, 1);
	tbuf_lines_text(&lines, " ");
}

/* One record, if it is still there. */
static bool
put_record(const struct tbuf_view *view, const struct tbuf_moment *now,
    const struct tbuf_last *last)
{
	const struct tbuf_slot *slot = tbuf_view_slot(view, last->slot);
	struct tbuf_header header;
	size_t data = sizeof(header);
	struct tbuf_place place;
	uint32_t cpu;

	if (!tbuf_lane_place((uintptr_t)view->base, last->lane, &place))
		return (false);
	tbuf_last_copy(&place, last->at, &header, sizeof(header));
	if (!tbuf_last_plausible(&place, header.size, sizeof(record)))
		return (false);
	tbuf_last_copy(&place, last->at, record, header.size);
	tbuf_fence_loads();
	if (tbuf_last_tail(slot, place.lane) > last->at ||
	    header.time != last->time ||
	    tbuf_load(&slot->generation) != last->generation)
		return (false);
	cpu = tbuf_load(&place.lane->cpu);
	if (tbuf_load(&place.lane->kind) == TBUF_KIND_LOCK &&
	    header.size >= sizeof(struct tbuf_lock_record)) {
		cpu = ((struct tbuf_lock_record *)(void *)record)->cpu;
		data = sizeof(struct tbuf_lock_record);
	}
	put_where(view, now, &header, cpu);
	tbuf_lines_record(&lines, view, slot, header.epid, record + data,
	    header.size - data);
	return (true);
}

static void
put_heading(const struct tbuf_view *view)
{
	char comm[sizeof(((struct tbuf_control *)NULL)->comm)];

	memcpy(comm, tbuf_view_control(view)->comm, sizeof(comm));
	comm[sizeof(comm) - 1] = '\0';
	tbuf_lines_text(&lines, "tbuf: last ");
	tbuf_lines_number(&lines, count, 10, 1);
	tbuf_lines_text(&lines, " of ");
	tbuf_lines_number(&lines, seen, 10, 1);
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
	count = 0;
	seen = 0;
	for (i = 0; i < TBUF_NSESSIONS; i++)
		if (tbuf_state_readable(tbuf_load(&control->state[i]))) {
			collect(view, i);
			sessions++;
		}
	if (sessions == 0)
		return (0);
	tbuf_moment_take(tbuf_self.clock, &now);
	sort();
	put_heading(view);
	for (i = 0; i < count && lines.error == 0; i++)
		printed += put_record(view, &now, &heap[i]);
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
	most = n < LAST_MAX ? (unsigned)n : LAST_MAX;
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
