/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <sys/file.h>
#include <sys/param.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/messages.h"
#include "base/output.h"
#include "chunks.h"
#include "metadata.h"
#include "pipe.h"
#include "recording.h"
#include "stream.h"

/* Most files of streams that are open at a time. */
#define OPEN_MOST	256

/* Ticks, or ns, of a stream before its first packet: more than 1000 ns. */
#define APART		UINT64_C(16384)

/* A session of a target. */
struct recorded {
	struct recorded *next;
	int directory;		/* -1: none in this chunk yet */
	struct metadata metadata;
	struct ctf_stream *streams;
	uint64_t instances;
	uint64_t disk;		/* bytes of its head and metadata */
	bool written;		/* the metadata were */
	bool received;		/* they come from a pipe, in this version: */
	uint64_t version;
};

/* Where the metadata and the head of a packet come from. */
struct origin {
	struct tbuf_consumer *consumer;
	const struct recording_head *received;	/* or NULL */
};

struct recording {
	struct chunks chunks;
	struct chunks *limit;	/* those chunks, or a snapshot's recording's */
	struct chunk *chunk;	/* the present one, or NULL */
	int directory;		/* its directory, or DIR; -1: none */
	uint8_t clock_uuid[CTF_UUID];
	struct recorded *targets;
	struct recorded *last;	/* of the last packet */
	uint64_t records;
	uint64_t head;		/* most bytes of a target's head */
	unsigned open;
};

/* ------------------------------------------------------------ directories */

static struct recording *
make(int base, int directory, uint64_t most)
{
	struct recording *r = memory_get(NULL, 1, sizeof(*r));

	memset(r, 0, sizeof(*r));
	r->chunks.base = base;
	r->chunks.most = most;
	r->limit = &r->chunks;
	r->directory = directory;
	ctf_uuid(r->clock_uuid);
	return (r);
}

struct recording *
recording_open(const char *path, uint64_t most, int *error, const char **why)
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
	/* Two runs that begin at once would both find it empty. */
	else if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		*why = MSG_RECORD_USED;
	else if (!chunks_is_empty(fd, error)) {
		if (*error == 0)
			*why = MSG_RECORD_FULL;
	} else
		return (make(fd, most == 0 ? fd : -1, most));
	return (NULL);
}

/* ------------------------------------------------------------ chunks */

struct recording *
recording_snapshot(struct recording *r, int *error)
{
	struct recording *snapshot;
	struct chunk *chunk;
	int fd = chunk_begin(&r->chunks, true, &chunk);

	*error = fd < 0 ? fd : 0;
	if (fd < 0)
		return (NULL);
	snapshot = make(fd, fd, 0);
	snapshot->chunk = chunk;
	snapshot->limit = &r->chunks;
	return (snapshot);
}

/* ------------------------------------------------------------ targets */

/* Counts bytes on the disk that the present chunk has more. */
static void
charge(struct recording *r, uint64_t bytes)
{
	if (r->chunk != NULL)
		r->chunk->bytes += bytes;
}

/*
 * Opens a new directory for a session of a target, in which the metadata may
 * grow by a page at the end.
 */
static int
open_directory(struct recording *r, const struct tbuf_packet *packet)
{
	char name[64];

	charge(r, DISK_NAME + 2 * DISK_PAGE);

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
	return (chunks_open(r->directory, name));
}

static bool
is_of(const struct recorded *t, const struct tbuf_packet *packet)
{
	return (t != NULL && metadata_is_of(&t->metadata, packet));
}

static void
target_begin(const struct recording *r, struct recorded *t,
    const struct origin *origin, const struct tbuf_packet *packet)
{
	metadata_begin(&t->metadata, r->clock_uuid, packet);
	if (origin->received == NULL)
		return;
	t->received = true;
	memcpy(t->metadata.uuid, origin->received->uuid, CTF_UUID);
	t->metadata.calibration[0].stamp = packet->begin;
}

/* Finds the target of a packet, or adds it.  Returns NULL and *error. */
static struct recorded *
target_get(struct recording *r, const struct origin *origin,
    const struct tbuf_packet *packet, int *error)
{
	struct recorded *t = r->last;
	int fd;

	if (is_of(t, packet) && t->directory != -1)
		return (t);
	for (t = r->targets; t != NULL && !is_of(t, packet); t = t->next)
		continue;
	if (t == NULL || t->directory == -1) {
		if ((fd = open_directory(r, packet)) < 0) {
			*error = fd;
			return (NULL);
		}
		if (t != NULL)
			t->directory = fd;
	}
	if (t == NULL) {
		t = memory_get(NULL, 1, sizeof(*t));
		memset(t, 0, sizeof(*t));
		t->directory = fd;
		target_begin(r, t, origin, packet);
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
write_text(struct recorded *t, const char *text, size_t size)
{
	int fd = openat(t->directory, ".metadata", O_WRONLY | O_CREAT |
	    O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600), error;

	error = fd == -1 ? -errno : write_bytes(fd, text, size);
	if (fd != -1)
		close(fd);
	if (error == 0 && renameat(t->directory, ".metadata", t->directory,
	    "metadata") != 0)
		error = -errno;
	if (error != 0)
		(void)unlinkat(t->directory, ".metadata", 0);
	else
		t->written = true;
	return (error);
}

static int
write_metadata(struct recorded *t)
{
	struct output out;
	int error;

	output_memory(&out);
	metadata_write(&t->metadata, &out);
	error = write_text(t, out.buffer, out.used);
	free(out.buffer);
	return (error);
}

/* Writes the pieces of a received head to an empty file. */
static int
write_pieces(const struct recording_head *head, int fd)
{
	const char *at = head->bytes;
	struct pipe_piece piece;
	ssize_t n;
	uint64_t i;

	if (ftruncate(fd, (off_t)head->size) != 0)
		return (-errno);
	for (i = 0; i < head->pieces; i++) {
		memcpy(&piece, at, sizeof(piece));
		at += sizeof(piece);
		n = pwrite(fd, at, piece.size, (off_t)piece.at);
		if (n != (ssize_t)piece.size)
			return (n == -1 ? -errno : -ENOSPC);
		at += roundup(piece.size, 8);
	}
	return (0);
}

/*
 * Replaces the head by one that has the probes, EPIDs and texts of a packet
 * that is not written yet.
 */
static int
write_head(struct recorded *t, const struct origin *origin,
    const struct tbuf_packet *packet)
{
	static const char hidden[] = ".tbuf.new";
	int fd = openat(t->directory, hidden, O_RDWR | O_CREAT | O_TRUNC |
	    O_CLOEXEC | O_NOFOLLOW, 0600), error;

	error = fd == -1 ? -errno : origin->received != NULL ?
	    write_pieces(origin->received, fd) :
	    tbuf_consumer_head(origin->consumer, packet, fd);
	if (fd != -1)
		close(fd);
	if (error == 0 && renameat(t->directory, hidden, t->directory,
	    HEAD_FILE) != 0)
		error = -errno;
	if (error != 0)
		(void)unlinkat(t->directory, hidden, 0);
	return (error);
}

/* Returns the bytes of a file on the disk, 0 if there is none. */
static uint64_t
disk_of(int directory, const char *name)
{
	struct stat st;

	return (fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) != 0 ? 0 :
	    (uint64_t)st.st_blocks * 512);
}

/* Counts a target's head and metadata, which have been replaced. */
static void
charge_head(struct recording *r, struct recorded *t)
{
	uint64_t disk = disk_of(t->directory, HEAD_FILE) +
	    disk_of(t->directory, "metadata");

	if (r->chunk == NULL)
		return;
	r->chunk->bytes += disk - t->disk;
	r->chunk->heads += disk - t->disk;
	r->head = MAX(r->head, disk);
	t->disk = disk;
}

/* Marks a trace as one of a snapshot, for readers of a whole recording. */
static int
write_mark(int directory)
{
	int fd = openat(directory, SNAPSHOT_FILE, O_WRONLY | O_CREAT |
	    O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd == -1)
		return (-errno);
	close(fd);
	return (0);
}

/*
 * Updates the metadata before a packet that needs it.  The head is written
 * first, so that it has all that the metadata have.
 */
static int
update_metadata(struct recording *r, struct recorded *t,
    const struct origin *origin, const struct tbuf_packet *packet)
{
	const struct recording_head *head = origin->received;
	bool changed = head != NULL ? head->version != t->version :
	    metadata_update(&t->metadata, origin->consumer, packet);
	int error;

	if (!changed && t->written)
		return (0);
	error = write_head(t, origin, packet);
	if (error == 0 && r->chunk != NULL && r->chunk->snapshot)
		error = write_mark(t->directory);
	if (error == 0)
		error = head == NULL ? write_metadata(t) :
		    write_text(t, head->metadata, head->metadata_size);
	if (error == 0 && head != NULL)
		t->version = head->version;
	charge_head(r, t);
	return (error);
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

	if (packet->kind == TBUF_PACKET_UNIT && packet->unit == NULL &&
	    packet->size == 0)
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
	to->head.stream_id = ctf_class_of(packet);
	to->head.cpu = (uint64_t)(int64_t)packet->cpu;
	to->head.begin = ++to->head.end;
	to->tail.lane = packet->lane;
	to->tail.kind = (uint16_t)packet->kind;
	to->tail.flags = 0;
}

/*
 * Begins a stream, or its part in a chunk, by an empty packet, from which on
 * readers count losses.  Readers sort packets by their times in nanoseconds, so
 * that a few ticks would not tell it from the first packet.
 */
static int
stream_begin(struct recorded *t, struct ctf_stream *s,
    const struct tbuf_packet *packet)
{
	const struct ctf_unit none = { .kind = "" };
	struct ctf_packet to;

	packet_fill(&to, t, s, packet);
	if (s->files == 0)
		to.head.begin = t->metadata.calibration[0].stamp;
	if (s->files == 0 && packet->size != 0)
		to.head.begin = MIN(to.head.begin, packet->begin -
		    MIN(packet->begin, APART));
	if (packet->size != 0 && packet->begin <= to.head.begin)
		to.head.begin = packet->begin - (packet->begin != 0);
	to.head.end = to.head.begin;
	to.unit = packet->kind == TBUF_PACKET_UNIT ? &none : NULL;
	to.follows = packet->size;
	return (ctf_append(s, t->directory, &to));
}

static int
stream_append(struct recorded *t, struct ctf_stream *s,
    const struct tbuf_packet *packet)
{
	struct ctf_packet to;
	struct ctf_unit unit;

	packet_fill(&to, t, s, packet);
	ctf_add_losses(&to.head, &to.tail, packet);
	to.tail.flags = ctf_flags(packet);
	to.data = packet->data;
	to.size = packet->size;
	if (packet->size != 0) {
		to.head.begin = packet->begin;
		to.head.end = packet->end;
	}
	ctf_unit_fill(&unit, packet);
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

/* Completes a target's trace in this chunk.  Returns 0 or the first error. */
static int
target_finish(struct recorded *t)
{
	struct ctf_stream *s;
	int error = 0, one;

	for (s = t->streams; s != NULL; s = s->next) {
		one = ctf_finish(s, t->directory);
		error = error == 0 ? one : error;
		ctf_leave(s);
	}
	one = t->written && !t->received ? write_metadata(t) : 0;
	if (t->directory != -1)
		close(t->directory);
	t->directory = -1;
	t->disk = 0;
	t->written = false;
	return (error == 0 ? one : error);
}

/* Ends the present chunk, which may be removed then. */
static void
leave_chunk(struct recording *r)
{
	if (r->chunk != NULL)
		r->chunk->written = false;
	r->chunk = NULL;
}

/* Goes on in another chunk. */
static int
next_chunk(struct recording *r)
{
	struct recorded *t;
	int error = 0, one, fd;

	for (t = r->targets; t != NULL; t = t->next) {
		one = target_finish(t);
		error = error == 0 ? one : error;
	}
	r->open = 0;
	if (r->directory != -1)
		close(r->directory);
	r->directory = -1;
	leave_chunk(r);
	if (error != 0)
		return (error);
	if ((fd = chunk_begin(&r->chunks, false, &r->chunk)) < 0)
		return (fd);
	r->directory = fd;
	return (0);
}

/*
 * Makes room for a packet in a limited recording: for its pages, a file that it
 * begins, and a head, which comes with a target or replaces another one.
 */
static int
room(struct recording *r, const struct tbuf_packet *packet)
{
	bool here = is_of(r->last, packet) && r->last->directory != -1;
	uint64_t bytes = roundup(packet->size, DISK_PAGE) + 3 * DISK_PAGE;
	uint64_t head = r->head + 3 * DISK_PAGE;
	int error = 0;

	if (r->limit->most == 0)
		return (0);
	if (r->chunks.most != 0 && (r->chunk == NULL || !chunk_has_room(
	    &r->chunks, r->chunk, here ? bytes : bytes + head)))
		error = next_chunk(r);
	return (error != 0 ? error :
	    chunks_make_room(r->limit, bytes + head));
}

/* Writes a packet into its stream. */
static int
add(struct recording *r, struct recorded *t, const struct tbuf_packet *packet)
{
	struct ctf_stream *s = stream_get(t, packet);
	uint64_t disk = s->disk;
	int error = 0;

	s->reserves = r->limit->most == 0;
	if (s->fd == -1) {
		bound_open(r);
		r->open++;
	}
	if (s->size == 0)
		error = stream_begin(t, s, packet);
	if (error == 0)
		error = stream_append(t, s, packet);
	charge(r, s->disk - disk);
	return (error);
}

/* Adds a packet of this origin. */
static int
add_packet(struct recording *r, const struct origin *origin,
    const struct tbuf_packet *packet)
{
	struct ctf_head none = { .magic = 0 };
	struct recorded *t;
	int error;

	if ((error = room(r, packet)) != 0 ||
	    (t = target_get(r, origin, packet, &error)) == NULL ||
	    (error = update_metadata(r, t, origin, packet)) != 0 ||
	    (error = add(r, t, packet)) != 0)
		return (error);
	r->records += packet->records;
	if (r->chunk != NULL) {
		r->chunk->records += packet->records;
		ctf_add_losses(&none, &r->chunk->losses, packet);
	}
	return (0);
}

int
recording_add(struct recording *r, struct tbuf_consumer *consumer,
    const struct tbuf_packet *packet)
{
	const struct origin origin = { .consumer = consumer };

	return (add_packet(r, &origin, packet));
}

int
recording_receive(struct recording *r, const struct recording_head *head,
    const struct tbuf_packet *packet)
{
	const struct origin origin = { .received = head };

	return (add_packet(r, &origin, packet));
}

uint64_t
recording_records(const struct recording *r)
{
	return (r->records);
}

uint64_t
recording_removed(const struct recording *r)
{
	return (r->chunks.removed.records);
}

/* Frees a target's state.  Returns 0 or the first error. */
static int
target_close(struct recorded *t)
{
	int error = target_finish(t);
	struct ctf_stream *s;

	while ((s = t->streams) != NULL) {
		t->streams = s->next;
		free(s);
	}
	metadata_free(&t->metadata);
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
recording_receive_end(struct recording *r, const struct recording_head *head,
    const struct tbuf_packet *packet)
{
	const struct origin origin = { .received = head };
	struct recorded **at = &r->targets, *t;
	int error = 0, one;

	while ((t = *at) != NULL && !is_of(t, packet))
		at = &t->next;
	if (t == NULL)
		return (0);
	if (t->directory != -1)
		error = update_metadata(r, t, &origin, packet);
	*at = t->next;
	r->last = NULL;
	one = target_close(t);
	return (error == 0 ? one : error);
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

	/* The chunk of a snapshot is in the list of its recording. */
	leave_chunk(r);
	chunks_free(&r->chunks);
	if (r->directory != -1)
		close(r->directory);
	if (r->chunks.base != r->directory)
		close(r->chunks.base);
	free(r);
	return (error);
}
