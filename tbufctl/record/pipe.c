/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <sys/mman.h>
#include <sys/param.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/messages.h"
#include "base/output.h"
#include "base/signals.h"
#include "metadata.h"
#include "pipe.h"

_Static_assert(sizeof(struct pipe_mark) == 64, "pipe_mark");
_Static_assert(sizeof(struct pipe_trace) == 72, "pipe_trace");
_Static_assert(sizeof(struct pipe_stream) == 80, "pipe_stream");

/* Bytes of a head that are compared with zeros at a time. */
#define GRAIN	512

/* A lane, a unit's table, or a speculation. */
struct piped_stream {
	struct piped_stream *next;
	enum tbuf_packet_kind kind;
	struct ctf_head head;	/* of the last packet */
	struct pipe_stream sums;
};

struct piped {
	struct piped *next;
	struct metadata metadata;
	struct piped_stream *streams;
	uint64_t instances;
	uint64_t snapshot;	/* 0: none */
	uint64_t version;	/* of the head; 0: none yet */
	unsigned since;		/* packets since the head */
	struct output head;	/* its pieces, for the times that it comes */
	uint64_t size, pieces;	/* as in struct pipe_trace */
};

struct pipe {
	int fd;
	int head;		/* file in memory for heads, or -1 */
	int error;		/* of the first write that failed, or 0 */
	uint64_t block;
	char *zeros;		/* a block */
	bool is_file;		/* it is no pipe, but a file, with its */
	uint64_t at, reserved;	/* offset, and blocks of the disk up to one */
	uint8_t clock_uuid[CTF_UUID];
	struct pipe_mark mark;	/* of the last packet */
	struct piped *traces;
	uint64_t records;
	uint64_t snapshots;
	bool in_snapshot;
	uint64_t snapshot_records;
};

/* ------------------------------------------------------------ check sums */

static uint64_t
mix(uint64_t sum, uint64_t word)
{
	/* Each step is reversible, so that one word is never lost. */
	sum = (sum ^ word) * UINT64_C(0xff51afd7ed558ccd);
	return (sum ^ (sum >> 32));
}

/* Reads the next 8 bytes. */
static uint64_t
word(const char **at)
{
	uint64_t word;

	memcpy(&word, *at, sizeof(word));
	*at += sizeof(word);
	return (word);
}

uint64_t
pipe_sum(uint64_t sum, const void *bytes, size_t size)
{
	/* Eight sums, which the processor computes at the same time. */
	uint64_t a = sum, b = sum + 1, c = sum + 2, d = sum + 3;
	uint64_t e = sum + 4, f = sum + 5, g = sum + 6, h = sum + 7, rest[8];
	const char *p = bytes;
	size_t left = size;

	for (; left >= sizeof(rest); left -= sizeof(rest)) {
		a = mix(a, word(&p));
		b = mix(b, word(&p));
		c = mix(c, word(&p));
		d = mix(d, word(&p));
		e = mix(e, word(&p));
		f = mix(f, word(&p));
		g = mix(g, word(&p));
		h = mix(h, word(&p));
	}
	memset(rest, 0, sizeof(rest));
	if (left > 0)
		memcpy(rest, p, left);
	sum = mix(mix(mix(sum, rest[0]), rest[4]), a);
	sum = mix(mix(mix(sum, rest[1]), rest[5]), b);
	sum = mix(mix(mix(sum, rest[2]), rest[6]), c);
	sum = mix(mix(mix(sum, rest[3]), rest[7]), d);
	sum = mix(mix(mix(mix(sum, e), f), g), h);
	return (mix(sum, size));
}

/* ------------------------------------------------------------ writing */

/*
 * Waits until a write that failed can be repeated.  Once the run has to end, a
 * write waits no longer.
 */
static int
wait_room(const struct pipe *p, int error)
{
	struct pollfd pfd = { .fd = p->fd, .events = POLLOUT };

	if (error != EINTR && error != EAGAIN)
		return (-error);
	if (signals_late() && poll(&pfd, 1, 0) != 1)
		return (-ECANCELED);
	if (error == EAGAIN && poll(&pfd, 1, -1) == -1 && errno != EINTR)
		return (-errno);
	return (0);
}

static ssize_t
write_some(const struct pipe *p, struct iovec *parts, int n)
{
	struct pollfd pfd = { .fd = p->fd, .events = POLLOUT };

	if (!signals_late())
		return (writev(p->fd, parts, n));
	if (poll(&pfd, 1, 0) != 1) {
		errno = ECANCELED;
		return (-1);
	}
	return (write(p->fd, parts->iov_base, MIN(parts->iov_len, PIPE_BUF)));
}

static int
write_all(const struct pipe *p, struct iovec *parts, int n)
{
	ssize_t done;
	int error;

	while (n > 0) {
		if (parts->iov_len == 0) {
			n--, parts++;
			continue;
		}
		done = write_some(p, parts, n);
		if (done == -1 && (error = wait_room(p, errno)) != 0)
			return (error);
		for (; n > 0 && done >= (ssize_t)parts->iov_len; n--, parts++)
			done -= (ssize_t)parts->iov_len;
		if (n > 0 && done > 0) {
			parts->iov_base = (char *)parts->iov_base + done;
			parts->iov_len -= (size_t)done;
		}
	}
	return (0);
}

/* ------------------------------------------------------------ files */

/* Looks if packets go to a file that nothing else is appended to. */
static void
find_file(struct pipe *p)
{
	off_t at = lseek(p->fd, 0, SEEK_CUR);
	int flags = fcntl(p->fd, F_GETFL);
	struct stat st;

	p->is_file = at >= 0 && flags != -1 && (flags & O_APPEND) == 0 &&
	    fstat(p->fd, &st) == 0 && S_ISREG(st.st_mode);
	p->at = p->reserved = (uint64_t)at;
}

/* Reserves blocks of the disk for a packet, as a stream's file does. */
static void
reserve(struct pipe *p, uint64_t size)
{
	if (!p->is_file)
		return;
	p->at += size;
	if (p->at <= p->reserved || size < DISK_RESERVED_LEAST)
		return;
	p->reserved = p->at + DISK_RESERVED;
	(void)fallocate(p->fd, FALLOC_FL_KEEP_SIZE, (off_t)(p->at - size),
	    (off_t)(p->reserved - p->at + size));
}

/* Gives blocks after the end of the file back. */
static void
release(const struct pipe *p)
{
	struct stat st;

	if (p->is_file && p->reserved > p->at && fstat(p->fd, &st) == 0 &&
	    (uint64_t)st.st_size <= p->at)
		(void)ftruncate(p->fd, st.st_size);
}

/*
 * Writes a packet of this many records straight from where it is.  After an
 * error, no packet is written any more.
 */
static int
put(struct pipe *p, struct ctf_packet *packet, uint64_t records)
{
	struct pipe_mark *mark = &p->mark;
	size_t unit = packet->unit == NULL ? 0 : sizeof(*packet->unit);
	size_t size = sizeof(packet->head) + unit + packet->size;
	size_t whole = size + sizeof(packet->tail) + sizeof(*mark), i;
	struct iovec parts[6] = {
		{ &packet->head, sizeof(packet->head) },
		{ (void *)(uintptr_t)packet->unit, unit },
		{ (void *)(uintptr_t)packet->data, packet->size },
		{ &packet->tail, sizeof(packet->tail) },
		{ mark, sizeof(*mark) },
		{ p->zeros, roundup(whole, p->block) - whole }
	};

	if (p->error != 0)
		return (p->error);
	if (whole > PIPE_PACKET_MOST)
		return (p->error = -EFBIG);
	packet->head.magic = CTF_MAGIC;
	packet->head.content_size = size * 8;
	packet->head.packet_size = roundup(whole, p->block) * 8;
	mark->records = records;
	mark->sum = PIPE_SUM_START;
	for (i = 0; i < 4; i++)
		mark->sum = pipe_sum(mark->sum, parts[i].iov_base,
		    parts[i].iov_len);
	mark->sum = pipe_sum(mark->sum, mark, offsetof(struct pipe_mark, sum));
	reserve(p, roundup(whole, p->block));
	p->error = write_all(p, parts, 6);
	mark->number++;
	mark->before += records;
	return (p->error);
}

size_t
pipe_room(uint64_t block)
{
	return ((size_t)block - sizeof(struct ctf_head) -
	    sizeof(struct ctf_tail) - sizeof(struct pipe_mark));
}

struct pipe *
pipe_open(int fd, uint64_t block)
{
	struct pipe *p = memory_get(NULL, 1, sizeof(*p));

	memset(p, 0, sizeof(*p));
	p->fd = fd;
	p->head = -1;
	p->block = block;
	find_file(p);
	p->zeros = memory_get(NULL, 1, block);
	memset(p->zeros, 0, block);
	ctf_uuid(p->clock_uuid);
	ctf_uuid(p->mark.uuid);
	return (p);
}

/* ------------------------------------------------------------ heads */

/* Appends bytes, padded to 8. */
static void
append(struct output *out, const void *bytes, size_t size)
{
	char *to = output_room(out, roundup(size, 8));

	to = put_bytes(to, bytes, size);
	memset(to, 0, roundup(size, 8) - size);
	output_taken(out, to + roundup(size, 8) - size);
}

static bool
is_zero(const char *bytes, size_t size)
{
	return (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0);
}

/* Appends the parts of [at, at + size) that are not zeros. */
static void
append_pieces(struct output *out, const char *bytes, uint64_t at, size_t size,
    uint64_t *pieces)
{
	struct pipe_piece piece;
	size_t from = 0, to, n;

	for (; from < size; from = to) {
		for (to = from; to < size; to += n) {
			n = MIN(GRAIN, size - to);
			if (is_zero(bytes + to, n))
				break;
		}
		if (to > from) {
			piece = (struct pipe_piece){ at + from, to - from };
			append(out, &piece, sizeof(piece));
			append(out, bytes + from, to - from);
			(*pieces)++;
		} else
			to += n;
	}
}

/* Stores the pieces of the file of a head.  Returns 0 or -errno. */
static int
store_pieces(int fd, struct piped *t)
{
	off_t end = lseek(fd, 0, SEEK_END), at = 0;
	char bytes[1 << 16];
	ssize_t n;

	t->size = end > 0 ? (uint64_t)end : 0;
	t->pieces = 0;
	t->head.used = 0;
	while (at < end && (at = lseek(fd, at, SEEK_DATA)) != -1) {
		n = pread(fd, bytes, sizeof(bytes), at);
		if (n <= 0)
			return (n == 0 ? -EIO : -errno);
		append_pieces(&t->head, bytes, (uint64_t)at, (size_t)n,
		    &t->pieces);
		at += n;
	}
	return (0);
}

/* Makes a trace's head as a packet needs it.  Returns 0 or -errno. */
static int
make_head(struct pipe *p, struct piped *t, struct tbuf_consumer *consumer,
    const struct tbuf_packet *packet)
{
	int error;

	if (p->head == -1)
		p->head = memfd_create("head", MFD_CLOEXEC);
	if (p->head == -1 || ftruncate(p->head, 0) != 0)
		return (-errno);
	error = tbuf_consumer_head(consumer, packet, p->head);
	return (error != 0 ? error : store_pieces(p->head, t));
}

/* Writes a trace's head, with the sums of its streams. */
static int
put_head(struct pipe *p, struct piped *t, bool ended)
{
	struct pipe_trace trace = {
		.target = t->metadata.target, .pid = t->metadata.pid,
		.generation = t->metadata.generation,
		.snapshot = t->snapshot, .ended = ended, .size = t->size,
		.pieces = t->pieces
	};
	struct ctf_packet to = {
		.head = { .stream_id = PIPE_HEAD, .cpu = UINT64_MAX }
	};
	const struct piped_stream *s;
	struct output out, text;
	int error;

	output_memory(&text);
	metadata_write(&t->metadata, &text);
	trace.metadata = text.used;
	for (s = t->streams; s != NULL; s = s->next)
		trace.streams++;
	output_memory(&out);
	append(&out, &trace, sizeof(trace));
	for (s = t->streams; s != NULL; s = s->next)
		append(&out, &s->sums, sizeof(s->sums));
	append(&out, text.buffer, text.used);
	append(&out, t->head.buffer, t->head.used);
	memcpy(to.head.uuid, t->metadata.uuid, CTF_UUID);
	to.data = out.buffer;
	to.size = out.used;
	p->mark.version = t->version;
	p->mark.stream = 0;
	error = put(p, &to, 0);
	free(text.buffer);
	free(out.buffer);
	t->since = 0;
	return (error);
}

/* ------------------------------------------------------------ packets */

static struct piped *
trace_get(struct pipe *p, const struct tbuf_packet *packet)
{
	uint64_t snapshot = p->in_snapshot ? p->snapshots : 0;
	struct piped *t;

	for (t = p->traces; t != NULL; t = t->next)
		if (t->snapshot == snapshot &&
		    metadata_is_of(&t->metadata, packet))
			return (t);
	t = memory_get(NULL, 1, sizeof(*t));
	memset(t, 0, sizeof(*t));
	metadata_begin(&t->metadata, p->clock_uuid, packet);
	output_memory(&t->head);
	t->snapshot = snapshot;
	t->next = p->traces;
	p->traces = t;
	return (t);
}

static struct piped_stream *
stream_get(struct piped *t, const struct tbuf_packet *packet)
{
	struct piped_stream *s;

	for (s = t->streams; s != NULL; s = s->next)
		if (s->sums.tail.kind == packet->kind &&
		    s->sums.tail.lane == packet->lane)
			return (s);
	s = memory_get(NULL, 1, sizeof(*s));
	memset(s, 0, sizeof(*s));
	s->sums.instance = s->head.instance = t->instances++;
	s->sums.cpu = s->head.cpu = (uint64_t)(int64_t)packet->cpu;
	s->sums.tail.kind = (uint16_t)packet->kind;
	s->sums.tail.lane = packet->lane;
	memcpy(s->head.uuid, t->metadata.uuid, CTF_UUID);
	s->head.stream_id = ctf_class_of(packet);
	s->next = t->streams;
	t->streams = s;
	return (s);
}

/* Writes a packet of a stream. */
static int
put_packet(struct pipe *p, struct piped *t, struct piped_stream *s,
    const struct tbuf_packet *packet)
{
	struct ctf_unit unit;
	struct ctf_packet to = {
		.unit = packet->kind == TBUF_PACKET_UNIT ? &unit : NULL,
		.data = packet->data, .size = packet->size,
		.tail = s->sums.tail
	};
	int error;

	to.tail.flags = ctf_flags(packet);
	ctf_unit_fill(&unit, packet);
	s->head.begin = packet->size == 0 ? s->head.end : packet->begin;
	s->head.end = packet->size == 0 ? s->head.end : packet->end;
	to.head = s->head;
	p->mark.version = t->version;
	p->mark.stream = s->sums.records;
	error = put(p, &to, packet->records);
	s->head.sequence++;
	s->sums.records += packet->records;
	t->since++;
	return (error);
}

int
pipe_add(struct pipe *p, struct tbuf_consumer *consumer,
    const struct tbuf_packet *packet)
{
	struct piped *t = trace_get(p, packet);
	struct piped_stream *s;
	int error = p->error;
	bool changed = metadata_update(&t->metadata, consumer, packet) ||
	    t->version == 0;

	t->version += changed;
	if (error == 0 && changed)
		error = p->error = make_head(p, t, consumer, packet);
	if (error == 0 && (changed || t->since >= PIPE_HEAD_EVERY))
		error = put_head(p, t, false);
	if (error != 0)
		return (error);
	s = stream_get(t, packet);
	ctf_add_losses(&s->head, &s->sums.tail, packet);
	error = put_packet(p, t, s, packet);
	if (error == 0 && p->in_snapshot)
		p->snapshot_records += packet->records;
	else if (error == 0)
		p->records += packet->records;
	return (error);
}

/* ------------------------------------------------------------ ends */

/* Ends traces: of a process or all for 0, of a snapshot or all for 0. */
static int
end_traces(struct pipe *p, pid_t pid, uint64_t snapshot)
{
	struct piped **at = &p->traces, *t;
	struct piped_stream *s;
	int error = p->error;

	while ((t = *at) != NULL) {
		if ((pid != 0 && t->metadata.pid != pid) ||
		    (snapshot != 0 && t->snapshot != snapshot)) {
			at = &t->next;
			continue;
		}
		*at = t->next;
		t->version++;
		if (error == 0)
			error = put_head(p, t, true);
		while ((s = t->streams) != NULL) {
			t->streams = s->next;
			free(s);
		}
		metadata_free(&t->metadata);
		free(t->head.buffer);
		free(t);
	}
	return (error);
}

void
pipe_snapshot(struct pipe *p)
{
	p->in_snapshot = true;
	p->snapshots++;
	p->snapshot_records = 0;
}

int
pipe_snapshot_end(struct pipe *p, uint64_t *records)
{
	*records = p->snapshot_records;
	p->in_snapshot = false;
	return (end_traces(p, 0, p->snapshots));
}

int
pipe_ended(struct pipe *p, pid_t pid)
{
	return (end_traces(p, pid, 0));
}

int
pipe_check(const struct pipe *p)
{
	struct pollfd pfd = { .fd = p->fd };

	return (poll(&pfd, 1, 0) == 1 && (pfd.revents & POLLERR) != 0 ?
	    -EPIPE : 0);
}

uint64_t
pipe_records(const struct pipe *p)
{
	return (p->records);
}

int
pipe_close(struct pipe *p)
{
	struct ctf_packet end = { .head.stream_id = PIPE_END };
	int error = end_traces(p, 0, 0), i;

	/* It comes twice, as it may be lost, too. */
	for (i = 0; i < 2 && error == 0; i++)
		error = put(p, &end, 0);
	if (p->head != -1)
		close(p->head);
	release(p);
	close(p->fd);
	free(p->zeros);
	free(p);
	return (error);
}
