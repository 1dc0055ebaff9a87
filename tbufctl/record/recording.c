/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <sys/param.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/messages.h"
#include "base/output.h"
#include "metadata.h"
#include "recording.h"
#include "stream.h"

/* Most files of streams that are open at a time. */
#define OPEN_MOST	256

/* A session of a target. */
struct recorded {
	struct recorded *next;
	int directory;
	struct metadata metadata;
	struct ctf_stream *streams;
	uint64_t instances;
	uint64_t covered;	/* ns between the calibration's points as in
				   the metadata that were written */
	bool written;		/* the metadata were */
};

struct recording {
	int directory;
	uint8_t clock_uuid[CTF_UUID];
	struct recorded *targets;
	struct recorded *last;	/* of the last packet */
	uint64_t records;
	unsigned snapshots, open;
};

/* ------------------------------------------------------------ directories */

static void
make_uuid(uint8_t *uuid)
{
	if (getrandom(uuid, CTF_UUID, 0) != CTF_UUID)
		memset(uuid, 0, CTF_UUID);
	uuid[6] = (uuid[6] & 0x0f) | 0x40;
	uuid[8] = (uuid[8] & 0x3f) | 0x80;
}

static struct recording *
make(int directory)
{
	struct recording *r = memory_get(NULL, 1, sizeof(*r));

	memset(r, 0, sizeof(*r));
	r->directory = directory;
	make_uuid(r->clock_uuid);
	return (r);
}

/* Returns true if a directory has no files; *error: it cannot be read. */
static bool
is_empty(int fd, int *error)
{
	const struct dirent *entry;
	DIR *dir;
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (copy == -1 || (dir = fdopendir(copy)) == NULL) {
		*error = -errno;
		if (copy != -1)
			close(copy);
		return (false);
	}
	do {
		errno = 0;
		entry = readdir(dir);
	} while (entry != NULL && (strcmp(entry->d_name, ".") == 0 ||
	    strcmp(entry->d_name, "..") == 0));
	if (entry == NULL && errno != 0)
		*error = -errno;
	closedir(dir);
	return (entry == NULL && *error == 0);
}

struct recording *
recording_open(const char *path, int *error, const char **why)
{
	struct stat st;
	int fd;

	*error = 0;
	*why = NULL;
	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		*error = -errno;
	else if (lstat(path, &st) != 0)
		*error = -errno;
	if (*error != 0)
		return (NULL);
	if (S_ISLNK(st.st_mode))
		*why = MSG_RECORD_LINK;
	else if (!S_ISDIR(st.st_mode))
		*error = -ENOTDIR;
	else if ((fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC)) == -1)
		*error = -errno;
	else if (fstat(fd, &st) == 0 && st.st_uid != geteuid())
		*why = MSG_RECORD_OWNER;
	else if (!is_empty(fd, error)) {
		if (*error == 0)
			*why = MSG_RECORD_FULL;
	} else
		return (make(fd));
	return (NULL);
}

struct recording *
recording_snapshot(struct recording *r, int *error)
{
	char name[16];
	int fd;

	(void)snprintf(name, sizeof(name), "%06u", ++r->snapshots);
	*error = 0;
	if (mkdirat(r->directory, name, 0700) != 0 || (fd = openat(
	    r->directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC)) == -1) {
		*error = -errno;
		return (NULL);
	}
	return (make(fd));
}

/* ------------------------------------------------------------ targets */

/* Opens a new directory for a session of a target. */
static int
open_directory(struct recording *r, const struct tbuf_packet *packet)
{
	char name[64];
	int fd;

	(void)snprintf(name, sizeof(name), "%jd.%016" PRIx64,
	    (intmax_t)packet->pid, packet->target);
	if (mkdirat(r->directory, name, 0700) != 0) {
		if (errno != EEXIST)
			return (-errno);
		/* The file has several sessions. */
		(void)snprintf(name, sizeof(name), "%jd.%016" PRIx64
		    ".%" PRIu64, (intmax_t)packet->pid, packet->target,
		    packet->generation);
		if (mkdirat(r->directory, name, 0700) != 0)
			return (-errno);
	}
	fd = openat(r->directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
	    O_CLOEXEC);
	return (fd == -1 ? -errno : fd);
}

static bool
is_of(const struct recorded *t, const struct tbuf_packet *packet)
{
	return (t != NULL && t->metadata.target == packet->target &&
	    t->metadata.generation == packet->generation &&
	    t->metadata.pid == packet->pid);
}

/* Finds the target of a packet, or adds it.  Returns NULL and *error. */
static struct recorded *
target_get(struct recording *r, const struct tbuf_packet *packet, int *error)
{
	struct recorded *t = r->last;
	int fd;

	if (is_of(t, packet))
		return (t);
	for (t = r->targets; t != NULL && !is_of(t, packet); t = t->next)
		continue;
	if (t == NULL) {
		if ((fd = open_directory(r, packet)) < 0) {
			*error = fd;
			return (NULL);
		}
		t = memory_get(NULL, 1, sizeof(*t));
		memset(t, 0, sizeof(*t));
		t->directory = fd;
		make_uuid(t->metadata.uuid);
		t->metadata.clock_uuid = r->clock_uuid;
		t->metadata.pid = packet->pid;
		t->metadata.target = packet->target;
		t->metadata.generation = packet->generation;
		t->metadata.nanoseconds = packet->nanoseconds;
		(void)snprintf(t->metadata.execname,
		    sizeof(t->metadata.execname), "%s", packet->execname);
		t->next = r->targets;
		r->targets = t;
	}
	r->last = t;
	return (t);
}

/* ------------------------------------------------------------ metadata */

static int
write_bytes(int fd, const char *bytes, size_t size)
{
	ssize_t n;

	for (; size > 0; bytes += n, size -= (size_t)n) {
		n = write(fd, bytes, size);
		if (n == -1 && errno != EINTR)
			return (-errno);
		n = n == -1 ? 0 : n;
	}
	return (0);
}

/* Replaces the metadata by a file that was written under a hidden name. */
static int
write_metadata(struct recorded *t)
{
	struct output out;
	int fd, error;

	output_memory(&out);
	metadata_write(&t->metadata, &out);
	fd = openat(t->directory, ".metadata", O_WRONLY | O_CREAT | O_TRUNC |
	    O_CLOEXEC | O_NOFOLLOW, 0600);
	error = fd == -1 ? -errno : write_bytes(fd, out.buffer, out.used);
	if (fd != -1)
		close(fd);
	free(out.buffer);
	if (error == 0 && renameat(t->directory, ".metadata", t->directory,
	    "metadata") != 0)
		error = -errno;
	if (error != 0)
		(void)unlinkat(t->directory, ".metadata", 0);
	else {
		t->written = true;
		t->covered = t->metadata.calibration[1].mono -
		    t->metadata.calibration[0].mono;
	}
	return (error);
}

static enum ctf_class
class_of(const struct tbuf_packet *packet)
{
	switch (packet->kind) {
	case TBUF_PACKET_LOCK:
		return (CTF_LOCK);
	case TBUF_PACKET_UNIT:
		return (CTF_UNIT);
	case TBUF_PACKET_BATCH:
		return (CTF_BATCH);
	default:
		return (CTF_LANE);
	}
}

/*
 * Updates the metadata before a packet that needs it, or when the clock is
 * known over twice the time.
 */
static int
update_metadata(struct recorded *t, struct tbuf_consumer *consumer,
    const struct tbuf_packet *packet)
{
	struct metadata *m = &t->metadata;
	bool *class = &m->classes[class_of(packet)];
	bool changed = !t->written || !*class ||
	    (packet->fault != NULL && !m->faults);

	*class = true;
	m->faults |= packet->fault != NULL;
	memcpy(m->calibration, packet->calibration, sizeof(m->calibration));
	changed |= m->calibration[1].mono - m->calibration[0].mono >
	    2 * t->covered;
	changed |= metadata_add(m, consumer, packet);
	return (changed ? write_metadata(t) : 0);
}

/* ------------------------------------------------------------ streams */

static void
stream_name(const struct tbuf_packet *packet, unsigned copy, char name[32])
{
	static const char *const kinds[] = {
		[TBUF_PACKET_CPU] = "cpu", [TBUF_PACKET_LOCK] = "lock",
		[TBUF_PACKET_THREAD] = "thread", [TBUF_PACKET_UNIT] = "unit",
		[TBUF_PACKET_BATCH] = "speculation"
	};

	if (packet->kind == TBUF_PACKET_UNIT && packet->unit == NULL)
		(void)snprintf(name, 32, "units");
	else if (copy == 0)
		(void)snprintf(name, 32, "%s%u", kinds[packet->kind],
		    packet->lane);
	else
		(void)snprintf(name, 32, "%s%u.%u", kinds[packet->kind],
		    packet->lane, copy);
}

static struct ctf_stream *
stream_add(struct recorded *t, const char *name)
{
	struct ctf_stream *s = memory_get(NULL, 1, sizeof(*s));

	memset(s, 0, sizeof(*s));
	(void)snprintf(s->name, sizeof(s->name), "%s", name);
	s->fd = -1;
	s->head.instance = t->instances++;
	s->next = t->streams;
	t->streams = s;
	return (s);
}

/*
 * Returns true if a packet can follow the stream's last one: readers refuse
 * packets that overlap, and sort them by their begin.
 */
static bool
can_follow(const struct ctf_stream *s, const struct tbuf_packet *packet)
{
	return (packet->size == 0 || (packet->begin >= s->head.end &&
	    packet->begin > s->head.begin));
}

/*
 * Finds the stream for a packet, or adds it.  One that cannot follow the last
 * one goes to a further stream.
 */
static struct ctf_stream *
stream_get(struct recorded *t, const struct tbuf_packet *packet)
{
	struct ctf_stream *s;
	char name[32];
	unsigned copy = 0;

	for (;; copy++) {
		stream_name(packet, copy, name);
		for (s = t->streams; s != NULL; s = s->next)
			if (strcmp(s->name, name) == 0)
				break;
		if (s == NULL)
			return (stream_add(t, name));
		if (can_follow(s, packet))
			return (s);
	}
}

/* Fills in a packet that follows another one, with no loss since. */
static void
packet_fill(struct ctf_packet *to, const struct recorded *t,
    const struct ctf_stream *s, const struct tbuf_packet *packet)
{
	*to = (struct ctf_packet){ .head = s->head, .tail = s->tail };
	to->head.magic = CTF_MAGIC;
	memcpy(to->head.uuid, t->metadata.uuid, sizeof(to->head.uuid));
	to->head.stream_id = class_of(packet);
	to->head.cpu = (uint64_t)(int64_t)packet->cpu;
	to->head.begin = ++to->head.end;
	to->tail.lane = packet->lane;
	to->tail.kind = packet->kind;
}

static void
add_losses(struct ctf_packet *to, const struct tbuf_packet *packet)
{
	unsigned i;

	for (i = 0; i < 3; i++) {
		to->tail.drops[i] += packet->drops[i];
		to->head.discarded += packet->drops[i];
	}
	to->tail.overwritten += packet->overwritten;
	to->tail.damage += packet->damage;
	to->tail.unselected += packet->discarded;
}

static void
unit_fill(struct ctf_unit *to, const struct tbuf_packet *packet)
{
	const struct tbuf_unit_info *unit = packet->unit;

	memset(to, 0, sizeof(*to));
	if (unit == NULL)
		return;
	memcpy(to->kind, unit->kind, sizeof(to->kind));
	to->id = unit->id;
	to->outcome = unit->outcome;
	to->ended = unit->ended;
	to->began = unit->began;
	to->end = unit->end;
	to->hung = unit->hung;
	to->discarded = unit->discarded;
}

/* Begins a stream by an empty packet, from which on readers count losses. */
static int
stream_begin(struct recorded *t, struct ctf_stream *s,
    const struct tbuf_packet *packet)
{
	const struct ctf_unit none = { .kind = "" };
	struct ctf_packet to;

	packet_fill(&to, t, s, packet);
	to.head.begin = t->metadata.calibration[0].stamp;
	if (packet->size != 0 && packet->begin <= to.head.begin)
		to.head.begin = packet->begin - (packet->begin != 0);
	to.head.end = to.head.begin;
	to.unit = packet->kind == TBUF_PACKET_UNIT ? &none : NULL;
	return (ctf_append(s, t->directory, &to));
}

static int
stream_append(struct recorded *t, struct ctf_stream *s,
    const struct tbuf_packet *packet)
{
	struct ctf_packet to;
	struct ctf_unit unit;

	packet_fill(&to, t, s, packet);
	add_losses(&to, packet);
	to.data = packet->data;
	to.size = packet->size;
	if (packet->size != 0) {
		to.head.begin = packet->begin;
		to.head.end = packet->end;
	}
	unit_fill(&unit, packet);
	to.unit = packet->kind == TBUF_PACKET_UNIT ? &unit : NULL;
	return (ctf_append(s, t->directory, &to));
}

/* Closes all files if too many are open: they are opened again by need. */
static void
bound_open(struct recording *r)
{
	struct ctf_stream *s;
	struct recorded *t;

	if (r->open < OPEN_MOST)
		return;
	for (t = r->targets; t != NULL; t = t->next)
		for (s = t->streams; s != NULL; s = s->next)
			ctf_close(s);
	r->open = 0;
}

int
recording_add(struct recording *r, struct tbuf_consumer *consumer,
    const struct tbuf_packet *packet)
{
	struct ctf_stream *s;
	struct recorded *t;
	int error = 0;

	if ((t = target_get(r, packet, &error)) == NULL ||
	    (error = update_metadata(t, consumer, packet)) != 0)
		return (error);
	s = stream_get(t, packet);
	if (s->fd == -1) {
		bound_open(r);
		r->open++;
	}
	if (s->files == 0)
		error = stream_begin(t, s, packet);
	if (error == 0)
		error = stream_append(t, s, packet);
	if (error == 0)
		r->records += packet->records;
	return (error);
}

uint64_t
recording_records(const struct recording *r)
{
	return (r->records);
}

/* Frees a target's state.  Returns 0 or the first error. */
static int
target_close(struct recorded *t)
{
	struct ctf_stream *s;
	int error = 0, one;

	while ((s = t->streams) != NULL) {
		t->streams = s->next;
		one = ctf_finish(s, t->directory);
		error = error == 0 ? one : error;
		free(s);
	}
	one = t->written ? write_metadata(t) : 0;
	error = error == 0 ? one : error;
	metadata_free(&t->metadata);
	close(t->directory);
	free(t);
	return (error);
}

/* Completes the targets of a process, or all for 0. */
static int
close_all(struct recording *r, pid_t pid)
{
	struct recorded **at = &r->targets, *t;
	int error = 0, one;

	r->last = NULL;
	while ((t = *at) != NULL) {
		if (pid != 0 && t->metadata.pid != pid) {
			at = &t->next;
			continue;
		}
		*at = t->next;
		one = target_close(t);
		error = error == 0 ? one : error;
	}
	return (error);
}

int
recording_ended(struct recording *r, pid_t pid)
{
	return (close_all(r, pid));
}

int
recording_close(struct recording *r)
{
	int error = close_all(r, 0);

	close(r->directory);
	free(r);
	return (error);
}
