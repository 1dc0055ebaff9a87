/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * tbuf_recorder_save(): copies the recorder's session into a control file of
 * its own, while other threads fire.
 *
 * The copy has the offsets of the control file; other sessions are holes in it.
 * Lanes are copied first, then unit tables, then the rest: an ECB and a probe
 * exist before a record that names them.  The file has no name before it is
 * complete.
 */
#include "base/optimize_size.h"

#include <sys/sendfile.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "shared/lane_pair.h"
#include "shared/memory_limit.h"
#include "shared/session_build.h"
#include "target/file/file.h"
#include "target/provider.h"
#include "target/recorder/recorder.h"
#include "target/self/thread.h"
#include "tbuf.h"

struct save {
	struct tbuf_view view;
	const struct tbuf_slot *slot;
	uint32_t number;		/* of the slot */
	int error;			/* the first one ends the work */
	int from, to;
	uint64_t area, end;		/* of the area; of the copy, too */
	uint64_t lanes, nlanes;
	uint64_t removed;		/* recordings, to make room */
};

/* ------------------------------------------------------------ bytes */

static void
store(struct save *s, const void *bytes, size_t size, uint64_t at)
{
	if (s->error == 0 &&
	    pwrite(s->to, bytes, size, (off_t)at) != (ssize_t)size)
		s->error = -ENOSPC;
}

/* Copies [at, end) without the holes in it. */
static void
copy_part(struct save *s, uint64_t at, uint64_t end)
{
	off_t from;
	uint64_t hole;
	ssize_t n;

	while (s->error == 0 && at < end &&
	    (from = lseek(s->from, (off_t)at, SEEK_DATA)) != -1 &&
	    (uint64_t)from < end) {
		hole = (uint64_t)lseek(s->from, from, SEEK_HOLE);
		(void)lseek(s->to, from, SEEK_SET);
		n = sendfile(s->to, s->from, &from,
		    (hole < end ? hole : end) - (uint64_t)from);
		if (n <= 0)
			s->error = n == 0 ? -EIO : -errno;
		at = (uint64_t)from;
	}
}

/* ------------------------------------------------------------ lanes */

/*
 * Copies a lane as of the load of head.  Records that the writer may have
 * overwritten meanwhile are before the tail that is read after the copy; if it
 * has passed that head, the lane is copied as of the tail, and empty.
 */
static void
copy_lane(struct save *s, uint64_t at)
{
	const struct tbuf_lane *lane =
	    (const struct tbuf_lane *)(const void *)(s->view.base + at);
	uint64_t head = tbuf_load_acquire(&lane->head);
	uint64_t place = tbuf_load(&lane->place);
	struct tbuf_lane copy;

	copy_part(s, tbuf_place_offset(place),
	    tbuf_place_offset(place) + tbuf_place_storage(place));
	/* Pairs with the barrier between moving tail and overwriting. */
	tbuf_fence_loads();
	memcpy(&copy, lane, sizeof(copy));
	tbuf_lane_pair(lane, &copy.pair[0]);
	copy.sequence = 0;
	copy.head = copy.pair[0].tail > head ? copy.pair[0].tail : head;
	store(s, &copy, sizeof(copy), at);
}

/* ------------------------------------------------------------ units */

/*
 * Returns an entry's word for the copy.  A unit that is DONE may have ended
 * after its lane was copied: a reader returns one that is ENDING with its
 * commit record, or else without.  A table that has changed meanwhile is FREE,
 * with the instance that selects the same totals.
 */
static uint64_t
word_saved(uint64_t word, bool same)
{
	uint64_t state = word & 7;

	if (same)
		return (state != TBUF_UNIT_DONE ? word :
		    word - TBUF_UNIT_DONE + TBUF_UNIT_ENDING);
	word -= state;
	return (state != TBUF_UNIT_TAKEN && state != TBUF_UNIT_BOUND ? word :
	    word ^ TBUF_UNIT_NEXT);
}

static void
copy_unit(struct save *s, const struct tbuf_unit_entry *entry, uint64_t table,
    uint64_t size)
{
	uint64_t word = tbuf_load_acquire(&entry->word);
	uint64_t head = tbuf_load_acquire(&entry->head);
	struct tbuf_unit_entry copy;

	memcpy(&copy, entry, sizeof(copy));
	copy_part(s, table, table + size);
	tbuf_fence_loads();
	copy.head = head;
	copy.word = word_saved(word, tbuf_load(&entry->word) == word &&
	    tbuf_unit_laps(tbuf_load(&entry->head)) == tbuf_unit_laps(head));
	store(s, &copy, sizeof(copy),
	    (uint64_t)((const unsigned char *)entry - s->view.base));
}

static void
copy_units(struct save *s)
{
	uint64_t at = tbuf_load(&s->slot->units.at), size;
	uint64_t n = tbuf_terms_units(&s->slot->terms, &size);
	uint64_t tables = at + tbuf_units_tables((uint32_t)n), i;
	const struct tbuf_units *units =
	    (const struct tbuf_units *)(const void *)(s->view.base + at);

	if (at <= s->area || at % 64 != 0 || at > s->end ||
	    tables + n * size > s->end)
		return;
	copy_part(s, at, tables);
	for (i = 0; i < n; i++)
		copy_unit(s, (const struct tbuf_unit_entry *)(const void *)
		    (units + 1) + i, tables + i * size, size);
}

/* ------------------------------------------------------------ the rest */

/* Copies the area up to `data', but not the words of lanes, which are there. */
static void
copy_area(struct save *s, uint64_t data)
{
	struct tbuf_session session;

	copy_part(s, s->area, s->lanes);
	copy_part(s, s->lanes + s->nlanes * sizeof(struct tbuf_lane), data);
	memcpy(&session, s->view.base + s->area, sizeof(session));
	tbuf_moment_take(tbuf_self.clock, &session.now);
	session.removed += s->removed;
	store(s, &session, sizeof(session), s->area);
}

/* Copies the fixed part; its header has this session alone. */
static void
copy_fixed(struct save *s, uint64_t random)
{
	const struct tbuf_control *control = tbuf_view_control(&s->view);
	struct tbuf_control c;

	memcpy(&c, control, sizeof(c));
	/* Acquire: the strings of these probes are in use before. */
	c.nprobes = tbuf_load_acquire(&control->nprobes);
	c.strings = tbuf_load(&control->strings);
	memset(c.state, 0, sizeof(c.state));
	c.state[s->number] = TBUF_ACTIVE;
	c.flags |= TBUF_F_SAVED;
	c.random = random;
	c.end = s->end;
	copy_part(s, TBUF_SLOTS, s->view.tables.areas);
	store(s, &c, sizeof(c), 0);
}

/* Finds the recorder.  Returns false if its words are bad, or without one. */
static bool
find(struct save *s)
{
	int number = tbuf_recorder_slot();

	if (number < 0)
		return (false);
	s->view = tbuf_file_view();
	s->number = (uint32_t)number;
	s->slot = tbuf_view_slot(&s->view, s->number);
	s->area = tbuf_load(&s->slot->area);
	s->end = s->area + tbuf_load(&s->slot->area_size);
	s->lanes = tbuf_load(&s->slot->lanes);
	s->nlanes = tbuf_load(&s->slot->nlanes);
	return (s->lanes > s->area && s->lanes % 64 == 0 &&
	    s->nlanes - 1 < TBUF_NLANES && s->lanes + s->nlanes *
	    sizeof(struct tbuf_lane) <= s->end &&
	    s->end <= tbuf_file_end((uintptr_t)s->view.base));
}

static int
copy(struct save *s, uint64_t random)
{
	const struct tbuf_lane *lanes =
	    (const struct tbuf_lane *)(const void *)(s->view.base + s->lanes);
	uint64_t i;

	if (s->end > tbuf_room_file())
		return (-EFBIG);
	/* A lack of memory would end a process. */
	if (s->end - s->area > tbuf_room(s->to))
		return (-ENOSPC);
	if (ftruncate(s->to, (off_t)s->end) != 0)
		return (-errno);
	for (i = 0; i < s->nlanes; i++)
		copy_lane(s, s->lanes + i * sizeof(*lanes));
	copy_units(s);
	/* The first lane's storage is the first one. */
	copy_area(s, tbuf_place_offset(tbuf_load(&lanes[0].place)));
	copy_fixed(s, random);
	return (s->error);
}

/* ------------------------------------------------------------ the file */

/*
 * Copies into a new file.  One in the runtime directory gets its name when it
 * is complete, else its header is written last.
 */
static int
save(struct save *s, int dirfd, const char *path)
{
	uint64_t random = tbuf_random();
	char own[TBUF_NAME_MAX], hidden[TBUF_NAME_MAX + 1];
	int error;

	if (path == NULL) {
		tbuf_control_name(own, getpid(), random);
		s->to = tbuf_control_create(dirfd, own, hidden);
	} else if ((s->to = open(path, O_RDWR | O_CREAT | O_EXCL |
	    O_NOFOLLOW | O_CLOEXEC, 0600)) == -1)
		s->to = -errno;
	if (s->to < 0)
		return (s->to);
	error = copy(s, random);
	if (error == 0 && path == NULL)
		error = tbuf_control_link(dirfd, s->to, own, hidden);
	/* An unnamed file has an empty name. */
	if (error != 0)
		unlinkat(dirfd, path == NULL ? hidden : path, 0);
	close(s->to);
	return (error);
}

/* Opens the control file, and trims the runtime directory. */
static int
save_from(struct save *s, const char *path)
{
	int dirfd = tbuf_directory_open_kept(false), error;

	if (dirfd < 0)
		return (dirfd);
	s->from = tbuf_file_open(dirfd, tbuf_file.name);
	if (s->from == -1)
		error = -errno;
	else if (path != NULL)
		error = save(s, AT_FDCWD, path);
	else if ((error = tbuf_recorder_trim(dirfd,
	    tbuf_view_control(&s->view)->comm, true, &s->removed)) == 0)
		error = save(s, dirfd, NULL);
	close(s->from);
	close(dirfd);
	return (error);
}

/* The lock excludes other changes of recorders, and other saves. */
int
tbuf_recorder_save(const char *path)
{
	struct save s = { .removed = 0 };
	int saved = errno, error;
	sigset_t mask;

	tbuf_series_begin(&mask, 0);
	if ((error = tbuf_thread.series_error) == 0)
		error = find(&s) ? save_from(&s, path) : -ENODATA;
	if (error != 0)
		(void)tbuf_recorder_fail(error, "", strerror(-error));
	tbuf_series_end(&mask);
	errno = saved;
	return (error);
}
