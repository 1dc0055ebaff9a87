/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The head of a recording: the control file of its target with one session, up
 * to the storage of its lanes, whose packets are recorded instead.
 */
#include <sys/param.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "consumer/files/files.h"
#include "consumer/read/events.h"
#include "consumer/target/target.h"
#include "shared/session_build.h"

/* Copies [at, end) without the holes in it. */
static int
copy_part(int from, int to, uint64_t at, uint64_t end)
{
	char bytes[16 * TBUF_PAGE];
	off_t data, hole;
	uint64_t size;
	ssize_t n;

	while (at < end && (data = lseek(from, (off_t)at, SEEK_DATA)) != -1 &&
	    (uint64_t)data < end) {
		at = (uint64_t)data;
		size = MIN(sizeof(bytes), end - at);
		hole = lseek(from, data, SEEK_HOLE);
		if (hole > data)
			size = MIN(size, (uint64_t)(hole - data));
		n = pread(from, bytes, size, data);
		if (n <= 0)
			return (n == 0 ? 0 : -errno);
		if (pwrite(to, bytes, (size_t)n, data) != n)
			return (-ENOSPC);
		at += (uint64_t)n;
	}
	return (0);
}

/* Copies the session's area, and words of its units, but no records. */
static int
copy_area(const struct tbuf_target *t, int to, uint64_t end)
{
	uint64_t units = t->units.count == 0 ? end : t->units.at;
	int error = copy_part(t->fd, to, t->area, MIN(units, end));

	if (error != 0 || t->units.count == 0)
		return (error);
	return (copy_part(t->fd, to, units,
	    units + tbuf_units_tables(t->units.count)));
}

int
tbuf_consumer_head(struct tbuf_consumer *c, const struct tbuf_packet *packet,
    int fd)
{
	const struct tbuf_reader *r = packet->source;
	const struct tbuf_target *t = r->target;
	uint64_t data = t->readers[0].data, end = data;
	struct tbuf_control control;
	unsigned slot = t->file_only ? t->file_slot : (unsigned)t->slot;
	uint32_t state;
	int error;

	(void)c;
	if (pread(t->fd, &control, sizeof(control), 0) != sizeof(control) ||
	    data <= t->area)
		return (-EIO);
	if (t->units.count != 0)
		end = MAX(data, t->units.at +
		    tbuf_units_tables(t->units.count) +
		    t->units.count * t->units.size);
	state = control.state[slot];
	memset(control.state, 0, sizeof(control.state));
	control.state[slot] = tbuf_state_readable(state) ? state :
	    (uint32_t)TBUF_ENDING;
	control.stage = TBUF_STAGE_LIVE;
	control.end = end;
	if (ftruncate(fd, (off_t)end) != 0)
		return (-errno);
	if ((error = copy_part(t->fd, fd, TBUF_SLOTS,
	    t->view.tables.areas)) != 0 ||
	    (error = copy_area(t, fd, data)) != 0)
		return (error);
	return (pwrite(fd, &control, sizeof(control), 0) == sizeof(control) ?
	    0 : -ENOSPC);
}
