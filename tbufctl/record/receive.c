/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A packet needs the head of its trace, of its version or a later one.  If that
 * was lost, the packet is held until the head comes again.
 */
#include <sys/param.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/messages.h"
#include "receive.h"

#define HELD_MOST	((size_t)64 << 20)	/* bytes, of all traces */

/* A stream of a trace, with its sums. */
struct stream {
	struct stream *next;
	struct pipe_stream sums;
};

/* A packet that waits for a head; its data follow. */
struct held {
	struct held *next;
	struct pipe_packet packet;
	char data[];
};

struct trace {
	struct trace *next;
	uint8_t uuid[CTF_UUID];
	struct pipe_trace is;	/* of the head */
	char *bytes;		/* of the head, or NULL */
	struct recording_head head;
	struct stream *streams;
	struct held *held, **end;
};

struct receiver {
	struct pipe_reader *reader;
	struct recording *recording, *snapshot;
	uint64_t number;	/* of the snapshot */
	struct trace *traces, *last;
	size_t held;		/* bytes */
	uint64_t stored;	/* records */
	uint64_t missed;	/* records, found to be lost in a stream */
	struct received *sums;
	bool unwritten;
};

/* ------------------------------------------------------------ traces */

static struct trace *
trace_get(struct receiver *r, const uint8_t *uuid)
{
	struct trace *t = r->last;

	if (t != NULL && memcmp(t->uuid, uuid, CTF_UUID) == 0)
		return (t);
	for (t = r->traces; t != NULL; t = t->next)
		if (memcmp(t->uuid, uuid, CTF_UUID) == 0)
			return (r->last = t);
	t = memory_get(NULL, 1, sizeof(*t));
	memset(t, 0, sizeof(*t));
	memcpy(t->uuid, uuid, CTF_UUID);
	t->end = &t->held;
	t->next = r->traces;
	r->traces = t;
	return (r->last = t);
}

static void
drop_held(struct receiver *r, struct trace *t)
{
	struct held *h;

	while ((h = t->held) != NULL) {
		t->held = h->next;
		r->held -= sizeof(*h) + h->packet.size;
		free(h);
	}
	t->end = &t->held;
}

static void
trace_free(struct receiver *r, struct trace *t)
{
	struct trace **at = &r->traces;
	struct stream *s;

	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	r->last = NULL;
	drop_held(r, t);
	while ((s = t->streams) != NULL) {
		t->streams = s->next;
		free(s);
	}
	free(t->bytes);
	free(t);
}

static struct stream *
stream_get(struct trace *t, uint64_t instance, uint64_t cpu,
    const struct ctf_tail *tail)
{
	struct stream *s;

	for (s = t->streams; s != NULL; s = s->next)
		if (s->sums.instance == instance)
			return (s);
	s = memory_get(NULL, 1, sizeof(*s));
	memset(s, 0, sizeof(*s));
	s->sums.instance = instance;
	s->sums.cpu = cpu;
	s->sums.tail.kind = tail->kind;
	s->sums.tail.lane = tail->lane;
	s->next = t->streams;
	t->streams = s;
	return (s);
}

/* ------------------------------------------------------------ packets */

/* Returns the recording of a trace: that of its snapshot, if it is of one. */
static int
recording_of(struct receiver *r, const struct trace *t, struct recording **to)
{
	int error = 0;

	*to = r->recording;
	if (t->is.snapshot == 0)
		return (0);
	if (r->snapshot != NULL && r->number != t->is.snapshot) {
		error = recording_close(r->snapshot);
		r->snapshot = NULL;
	}
	if (error == 0 && r->snapshot == NULL)
		r->snapshot = recording_snapshot(r->recording, &error);
	r->number = t->is.snapshot;
	*to = r->snapshot;
	return (error);
}

static uint64_t
since(uint64_t sum, uint64_t before)
{
	return (sum > before ? sum - before : 0);
}

/*
 * Stores the losses of a packet: those that it counts since the last one of its
 * stream, and as overwritten the records of packets between that were lost.
 */
static void
fill_losses(struct receiver *r, struct tbuf_packet *to, struct stream *s,
    const struct ctf_tail *tail, uint64_t before, bool snapshot)
{
	const struct ctf_tail *sums = &s->sums.tail;
	uint64_t missed = since(before, s->sums.records);
	struct tbuf_totals *totals = &r->sums->totals;
	unsigned i;

	for (i = 0; i < 3; i++)
		to->drops[i] = since(tail->drops[i], sums->drops[i]);
	to->overwritten = since(tail->overwritten, sums->overwritten) + missed;
	to->damage = since(tail->damage, sums->damage);
	to->discarded = since(tail->unselected, sums->unselected);
	r->missed += missed;
	s->sums.tail = *tail;
	s->sums.tail.flags = 0;
	ctf_flags_set(to, tail->flags);
	s->sums.records = before;
	if (snapshot)
		return;
	for (i = 0; i < 3; i++)
		totals->drops += to->drops[i];
	totals->overwritten += to->overwritten;
	totals->discarded += to->discarded;
}

static void
fill_trace(struct tbuf_packet *to, const struct trace *t)
{
	*to = (struct tbuf_packet){
		.pid = (pid_t)t->is.pid, .target = t->is.target,
		.generation = t->is.generation, .execname = ""
	};
}

/* Writes a packet after the head of its trace has come. */
static int
store(struct receiver *r, struct trace *t, const struct pipe_packet *p,
    const char *data)
{
	struct stream *s = stream_get(t, p->head.instance, p->head.cpu,
	    &p->tail);
	struct tbuf_unit_info unit;
	struct tbuf_packet to;
	struct recording *recording;
	int error;

	if ((error = recording_of(r, t, &recording)) != 0)
		return (error);
	fill_trace(&to, t);
	to.kind = (enum tbuf_packet_kind)p->tail.kind;
	to.lane = p->tail.lane;
	to.cpu = s->sums.cpu > INT32_MAX ? -1 : (int)s->sums.cpu;
	to.data = data;
	to.size = p->size & ~(size_t)7;
	to.begin = p->head.begin;
	to.end = p->head.end;
	to.records = p->mark.records;
	fill_losses(r, &to, s, &p->tail, p->mark.stream, t->is.snapshot != 0);
	if (to.kind == TBUF_PACKET_UNIT && ctf_unit_info(&p->unit, &unit))
		to.unit = &unit;
	error = recording_receive(recording, &t->head, &to);
	r->unwritten |= error != 0;
	if (error == 0) {
		s->sums.records += to.records;
		r->stored += to.records;
	}
	return (error);
}

static int
store_held(struct receiver *r, struct trace *t)
{
	struct held *h;
	int error = 0;

	while (error == 0 && (h = t->held) != NULL &&
	    h->packet.mark.version <= t->head.version) {
		error = store(r, t, &h->packet, h->data);
		t->held = h->next;
		r->held -= sizeof(*h) + h->packet.size;
		free(h);
	}
	if (t->held == NULL)
		t->end = &t->held;
	return (error);
}

/* Holds a packet; with too many of them it is lost. */
static void
hold(struct receiver *r, struct trace *t, const struct pipe_packet *p)
{
	size_t size = sizeof(struct held) + p->size;
	struct held *h;

	if (size > HELD_MOST - r->held)
		return;
	r->held += size;
	h = memory_get(NULL, 1, size);
	h->next = NULL;
	h->packet = *p;
	memcpy(h->data, p->data, p->size);
	*t->end = h;
	t->end = &h->next;
}

/* Returns true if a packet of a stream is of the form that its class has. */
static bool
is_valid(const struct pipe_packet *p)
{
	const struct tbuf_packet kind = {
		.kind = (enum tbuf_packet_kind)p->tail.kind
	};

	return (p->tail.kind <= TBUF_PACKET_BATCH &&
	    p->head.stream_id == ctf_class_of(&kind));
}

static int
receive_packet(struct receiver *r, const struct pipe_packet *p)
{
	struct trace *t = trace_get(r, p->head.uuid);

	if (!is_valid(p))
		return (0);
	if (t->bytes != NULL && t->held == NULL &&
	    p->mark.version <= t->head.version)
		return (store(r, t, p, p->data));
	hold(r, t, p);
	return (0);
}

/* ------------------------------------------------------------ heads */

/* Takes bytes, padded to 8, from the rest of a head.  NULL: it has less. */
static const char *
take(const char **at, const char *end, uint64_t size)
{
	const char *from = *at;

	if (size > (uint64_t)(end - from) ||
	    roundup(size, 8) > (uint64_t)(end - from))
		return (NULL);
	*at += roundup(size, 8);
	return (from);
}

/* Returns true if the rest of a head is pieces of a file of its size. */
static bool
check_pieces(const char *at, const char *end, const struct pipe_trace *is)
{
	struct pipe_piece piece;
	const char *bytes;
	uint64_t i;

	for (i = 0; i < is->pieces; i++) {
		if ((bytes = take(&at, end, sizeof(piece))) == NULL)
			return (false);
		memcpy(&piece, bytes, sizeof(piece));
		if (piece.at > is->size || piece.size > is->size - piece.at ||
		    take(&at, end, piece.size) == NULL)
			return (false);
	}
	return (is->size <= INT64_MAX);
}

/*
 * Replaces a trace's head.  Returns the sums of its streams, or NULL if the
 * head is not valid, or of another trace.
 */
static const char *
read_head(struct trace *t, const struct pipe_packet *p)
{
	const char *at, *end, *bytes, *sums, *metadata;
	struct pipe_trace is;
	char *copy = memory_get(NULL, 1, p->size + 1);

	memcpy(copy, p->data, p->size);
	at = copy;
	end = copy + p->size;
	if ((bytes = take(&at, end, sizeof(is))) == NULL)
		goto bad;
	memcpy(&is, bytes, sizeof(is));
	if (is.streams > p->size / sizeof(struct pipe_stream) ||
	    (sums = take(&at, end, is.streams * sizeof(struct pipe_stream))) ==
	    NULL || (metadata = take(&at, end, is.metadata)) == NULL ||
	    !check_pieces(at, end, &is) || is.pid <= 0 || is.pid > INT32_MAX)
		goto bad;
	if (t->bytes != NULL && (t->is.pid != is.pid ||
	    t->is.target != is.target || t->is.snapshot != is.snapshot ||
	    t->is.generation != is.generation ||
	    t->head.version > p->mark.version))
		goto bad;
	free(t->bytes);
	t->bytes = copy;
	t->is = is;
	t->head = (struct recording_head){
		.uuid = t->uuid, .version = p->mark.version,
		.metadata = metadata, .metadata_size = is.metadata,
		.size = is.size, .pieces = is.pieces, .bytes = at
	};
	return (sums);
bad:
	free(copy);
	return (NULL);
}

/*
 * Adds losses to a stream by an empty packet: counted ones up to now, and
 * records up to `records'.
 */
static int
store_losses(struct receiver *r, struct trace *t, struct stream *s,
    const struct ctf_tail *tail, uint64_t records)
{
	struct recording *recording;
	struct tbuf_packet to;
	int error;

	if (records <= s->sums.records &&
	    memcmp(tail, &s->sums.tail, sizeof(*tail)) == 0)
		return (0);
	if ((error = recording_of(r, t, &recording)) != 0)
		return (error);
	fill_trace(&to, t);
	to.kind = (enum tbuf_packet_kind)tail->kind;
	to.lane = tail->lane;
	to.cpu = s->sums.cpu > INT32_MAX ? -1 : (int)s->sums.cpu;
	fill_losses(r, &to, s, tail, MAX(records, s->sums.records),
	    t->is.snapshot != 0);
	error = recording_receive(recording, &t->head, &to);
	r->unwritten |= error != 0;
	return (error);
}

/* Completes a trace: its last head has the sums of all streams. */
static int
end_trace(struct receiver *r, struct trace *t, const char *sums)
{
	struct pipe_stream one;
	struct recording *recording;
	struct tbuf_packet to;
	uint64_t i;
	int error = 0;

	for (i = 0; i < t->is.streams && error == 0; i++) {
		memcpy(&one, sums + i * sizeof(one), sizeof(one));
		if (one.tail.kind <= TBUF_PACKET_BATCH)
			error = store_losses(r, t, stream_get(t, one.instance,
			    one.cpu, &one.tail), &one.tail, one.records);
	}
	if (error == 0)
		error = recording_of(r, t, &recording);
	fill_trace(&to, t);
	if (error == 0)
		error = recording_receive_end(recording, &t->head, &to);
	r->unwritten |= error != 0;
	trace_free(r, t);
	return (error);
}

static int
receive_head(struct receiver *r, const struct pipe_packet *p)
{
	struct trace *t = trace_get(r, p->head.uuid);
	const char *sums = read_head(t, p);
	int error;

	if (sums == NULL)
		return (0);
	error = store_held(r, t);
	return (error == 0 && t->is.ended ? end_trace(r, t, sums) : error);
}

/* ------------------------------------------------------------ the pipe */

/*
 * Adds the lost records that are not known to be of a stream to any one, so
 * that the sums of the recording are those of the run.
 */
static int
store_rest(struct receiver *r)
{
	uint64_t lost = since(pipe_read_records(r->reader), r->stored);
	uint64_t rest = since(lost, r->missed);
	struct trace *t = r->traces;

	r->sums->records = lost;
	while (t != NULL && (t->streams == NULL || t->is.snapshot != 0))
		t = t->next;
	if (rest == 0 || t == NULL)
		return (0);
	return (store_losses(r, t, t->streams, &t->streams->sums.tail,
	    t->streams->sums.records + rest));
}

int
receive(struct pipe_reader *reader, struct recording *recording,
    struct received *sums, bool *unwritten)
{
	struct receiver r = {
		.reader = reader, .recording = recording, .sums = sums
	};
	struct pipe_packet packet;
	int error = 0, more = 0, last;

	memset(sums, 0, sizeof(*sums));
	while (error == 0 && (more = pipe_read(reader, &packet)) > 0)
		error = packet.head.stream_id == PIPE_HEAD ?
		    receive_head(&r, &packet) : receive_packet(&r, &packet);
	if (error == 0)
		error = store_rest(&r);
	if (r.snapshot != NULL) {
		last = recording_close(r.snapshot);
		error = error == 0 ? last : error;
	}
	while (r.traces != NULL)
		trace_free(&r, r.traces);
	sums->any = reader->any;
	sums->ended = reader->ended;
	sums->lost = reader->lost;
	sums->repeated = reader->repeated;
	sums->totals.records = recording_records(recording);
	*unwritten = error != 0;
	return (error != 0 ? error : more);
}
