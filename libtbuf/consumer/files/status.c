/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Status of all sessions.  Files are read with pread(2) only: no slot and no
 * lock is taken, and a hostile target can do no harm.
 *
 * Lanes share no bytes, so that no more is read than the file has: a file that
 * names the same bytes many times is not read to its end, and neither is one of
 * many GiB.  Records that are not counted are reported.
 */
#include <sys/param.h>
#include <sys/stat.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumer/files/files.h"
#include "consumer/util/util.h"
#include "shared/session_build.h"
#include "tbuf_consumer.h"

/* Bytes to read of one file: some tenths of a second. */
#define LEFT_MAX	(UINT64_C(1) << 30)

struct look {
	const struct tbuf_runtime *directory;
	int fd;
	pid_t pid;
	const struct tbuf_slot *slot;
	int (*visit)(void *, const struct tbuf_lane_status *);
	void *arg;
	unsigned char *chunk;
	uint64_t left;		/* bytes that may still be read */
};

/* Takes bytes off `left`.  Returns false if fewer remain. */
static bool
take(struct look *l, uint64_t bytes)
{
	if (bytes > l->left)
		return (false);
	l->left -= bytes;
	return (true);
}

/*
 * Counts the records between two positions by walking their sizes.  The count
 * ends where the writer overwrites them meanwhile: it is approximate.  Stores
 * how many bytes were left out because too many have been read.
 */
static uint64_t
count_records(struct look *l, const struct tbuf_lane *lane,
    uint64_t from, uint64_t to, uint64_t *uncounted)
{
	const struct tbuf_header *header;
	uint64_t records = 0, at = 0, size = 0;

	while (from < to) {
		if (size - at < sizeof(*header)) {
			/* The record across a chunk's end is read again. */
			l->left += size - at;
			size = to - from < TBUF_CHUNK ? to - from : TBUF_CHUNK;
			at = 0;
			if (size < sizeof(*header))
				break;
			if (!take(l, size)) {
				*uncounted = to - from;
				break;
			}
			if (!tbuf_lane_copy(l->fd,
			    tbuf_place_offset(lane->place),
			    tbuf_place_storage(lane->place), from, l->chunk,
			    size))
				break;
		}
		header = (const struct tbuf_header *)(const void *)
		    (l->chunk + at);
		if (header->size < sizeof(*header) || header->size % 8 != 0 ||
		    header->size > to - from)
			break;
		from += header->size;
		at = header->size < size - at ? at + header->size : size;
		records++;
	}
	return (records);
}

/* Returns the lane's tail, and how many records were overwritten. */
static uint64_t
lane_tail(const struct look *l, const struct tbuf_lane *lane,
    uint64_t *overwritten)
{
	const struct tbuf_pair *pair = &lane->pair[lane->sequence & 1];

	*overwritten = 0;
	if (!tbuf_policy(l->slot->terms.policy)->overwrites)
		return (lane->tail);
	*overwritten = pair->overwritten;
	return (pair->tail);
}

static int
look_lane(struct look *l, const struct tbuf_lane *lane, uint32_t index)
{
	struct tbuf_lane_status status;
	const struct tbuf_slot *slot = l->slot;
	uint64_t tail, word;
	uint32_t lock = index - slot->first_lock;

	memset(&status, 0, sizeof(status));
	status.pid = l->pid;
	status.consumer = (pid_t)slot->terms.owner_pid;
	status.consumer_name = slot->terms.owner;
	status.policy = (int)slot->terms.policy;
	status.size = lane->size;
	status.cpu = (int)lane->cpu;
	status.locked = lane->kind == TBUF_KIND_LOCK;
	status.side = index >= tbuf_slot_main(slot);
	status.number = status.side ? index - slot->first_thread_lane :
	    index >= slot->first_lock ? lock : index;
	tail = lane_tail(l, lane, &status.overwritten);
	if (tail <= lane->head &&
	    lane->head - tail <= tbuf_place_storage(lane->place))
		status.fill = lane->head - tail;
	status.records = lane->consumed + count_records(l, lane,
	    lane->head - status.fill, lane->head, &status.uncounted);
	status.drops[TBUF_CAUSE_FULL] = tbuf_full_count(lane->full);
	status.drops[TBUF_CAUSE_LARGE] = lane->large;
	if (index >= slot->first_lock && lock < TBUF_NLOCKS) {
		word = slot->locks[lock].nolane[TBUF_LOST_RECORD];
		status.drops[TBUF_CAUSE_NOLANE] = word & TBUF_NOLANE_COUNT;
	}
	return (l->visit(l->arg, &status));
}

/* Visits the lanes in use, not the spare lock lanes. */
static int
look_slot(struct look *l)
{
	const struct tbuf_slot *slot = l->slot;
	struct tbuf_lane lane;
	uint32_t i;
	int result = 0;

	for (i = 0; i < slot->nlanes && i < 2 * TBUF_NCPUS && result == 0;
	    i++) {
		if (i >= slot->first_lock && i < tbuf_slot_main(slot) &&
		    i - slot->first_lock >= slot->nlocks)
			continue;
		if (!take(l, sizeof(lane)) ||
		    !tbuf_file_read(l->fd, &lane, sizeof(lane), slot->lanes +
		    i * sizeof(lane)) ||
		    tbuf_place_storage(lane.place) > TBUF_BUFSIZE_MAX * 2)
			break;
		result = look_lane(l, &lane, i);
	}
	return (result);
}

static int
look_file(struct look *l)
{
	struct tbuf_slot slot;
	struct tbuf_control control;
	struct stat st;
	unsigned i;
	int result = 0;

	if (fstat(l->fd, &st) != 0 ||
	    !tbuf_file_read(l->fd, &control, sizeof(control), 0))
		return (0);
	/* Holes do not count. */
	l->left = MIN((uint64_t)st.st_blocks * 512, LEFT_MAX);
	for (i = 0; i < TBUF_NSESSIONS && result == 0; i++) {
		if ((control.state[i] != TBUF_ACTIVE &&
		    control.state[i] != TBUF_ENDING) ||
		    !tbuf_file_read(l->fd, &slot, sizeof(slot), TBUF_SLOTS +
		    i * (uint64_t)TBUF_SLOT_SIZE))
			continue;
		slot.terms.owner[sizeof(slot.terms.owner) - 1] = '\0';
		l->slot = &slot;
		result = look_slot(l);
	}
	return (result);
}

static int
look_visit(void *arg, int fd, const char *name,
    const struct tbuf_control *control, bool alive)
{
	struct look *l = arg;

	(void)name;
	l->fd = fd;
	l->pid = alive ? tbuf_runtime_pid(l->directory, fd, control) : -ESRCH;
	if (l->pid < 0)
		return (tbuf_error_exhausted(l->pid) ? l->pid : 0);
	return (look_file(l));
}

static int
look_directory(void *arg, const struct tbuf_runtime *r)
{
	struct look *l = arg;
	int result;

	l->directory = r;
	result = tbuf_runtime_scan(r, look_visit, l);
	return (result == -EAGAIN ? 0 : result);
}

static int
look_pid(struct look *l, pid_t pid)
{
	struct tbuf_found found;
	int result = tbuf_find_pid(pid, &found);

	if (result != 0)
		return (result);
	l->fd = found.fd;
	l->pid = pid;
	result = look_file(l);
	close(found.fd);
	close(found.pidfd);
	return (result);
}

int
tbuf_status(const pid_t *pids, size_t npids, int (*visit)(void *,
    const struct tbuf_lane_status *), void *arg)
{
	struct look l = { .visit = visit, .arg = arg };
	int result = 0;
	size_t i;

	if ((l.chunk = malloc(TBUF_CHUNK)) == NULL)
		return (-ENOMEM);
	if (npids == 0)
		result = tbuf_runtimes_visit(0, look_directory, &l);
	for (i = 0; i < npids && result == 0; i++)
		result = look_pid(&l, pids[i]);
	free(l.chunk);
	return (result);
}
