/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <sys/param.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/messages.h"
#include "pipe_read.h"

#define BUFFER_LEAST	((size_t)1 << 20)

/* Makes room for this many bytes from the first unread one on, and for more. */
static void
make_room(struct pipe_reader *r, size_t size)
{
	if (r->at > 0)
		memmove(r->buffer, r->buffer + r->at, r->end - r->at);
	r->end -= r->at;
	r->at = 0;
	if (r->room >= MAX(2 * size, BUFFER_LEAST))
		return;
	r->room = MAX(2 * size, BUFFER_LEAST);
	r->buffer = memory_get(r->buffer, r->room, 1);
}

/*
 * Reads until there are this many bytes.  Returns 1, 0 if the pipe has ended
 * before, or -errno.
 */
static int
need(struct pipe_reader *r, size_t size)
{
	ssize_t n;

	while (r->end - r->at < size && !r->over) {
		if (r->end == r->room || r->room - r->at < size)
			make_room(r, size);
		n = r->read(r->arg, r->buffer + r->end, r->room - r->end);
		if (n < 0)
			return ((int)n);
		r->over = n == 0;
		r->end += (size_t)n;
	}
	return (r->end - r->at >= size);
}

/* Skips zeros, by which packets are padded. */
static void
skip_zeros(struct pipe_reader *r)
{
	uint64_t word;

	for (; r->end - r->at >= sizeof(word); r->at += sizeof(word)) {
		memcpy(&word, r->buffer + r->at, sizeof(word));
		if (word != 0)
			break;
	}
	while (r->at < r->end && r->buffer[r->at] == 0)
		r->at++;
}

/* Goes on at the next magic number, or at the last bytes of the buffer. */
static void
skip_damaged(struct pipe_reader *r)
{
	const uint32_t magic = CTF_MAGIC;
	const char *from = r->buffer + r->at + 1, *found;
	size_t left = r->end - r->at - 1;

	found = memmem(from, left, &magic, sizeof(magic));
	r->at = found != NULL ? (size_t)(found - r->buffer) :
	    r->end - MIN(left, sizeof(magic) - 1);
}

static size_t
unit_size(const struct ctf_head *head)
{
	return (head->stream_id == CTF_UNIT ? sizeof(struct ctf_unit) : 0);
}

/* Returns the size of a packet up to its padding; 0: it is none. */
static size_t
whole(const struct ctf_head *head)
{
	uint64_t content = head->content_size / 8, size;

	size = content + sizeof(struct ctf_tail) + sizeof(struct pipe_mark);
	return (head->magic == CTF_MAGIC && head->stream_id < PIPE_CLASSES &&
	    content <= PIPE_PACKET_MOST && size <= PIPE_PACKET_MOST &&
	    content >= sizeof(*head) + unit_size(head) &&
	    head->packet_size / 8 >= size && head->packet_size / 8 <=
	    roundup(size, PIPE_BLOCK_MOST) ? size : 0);
}

/* Takes the packet apart that the next `size' bytes are, if they are. */
static bool
take(const struct pipe_reader *r, struct pipe_packet *p, size_t size)
{
	const char *at = r->buffer + r->at, *mark;
	const size_t before = sizeof(p->head) + unit_size(&p->head);
	const size_t after = sizeof(p->tail) + sizeof(p->mark);
	uint64_t sum = PIPE_SUM_START;

	mark = at + size - sizeof(p->mark);
	memcpy(&p->mark, mark, sizeof(p->mark));
	memcpy(&p->tail, mark - sizeof(p->tail), sizeof(p->tail));
	p->data = at + before;
	p->size = size - before - after;
	sum = pipe_sum(sum, at, sizeof(p->head));
	if (unit_size(&p->head) != 0)
		memcpy(&p->unit, at + sizeof(p->head), sizeof(p->unit));
	sum = pipe_sum(sum, at + sizeof(p->head), unit_size(&p->head));
	sum = pipe_sum(sum, p->data, p->size);
	sum = pipe_sum(sum, &p->tail, sizeof(p->tail));
	sum = pipe_sum(sum, &p->mark, offsetof(struct pipe_mark, sum));
	return (sum == p->mark.sum);
}

/*
 * Returns true for a packet of this pipe.  Another pipe may follow the end of
 * one.
 */
static bool
is_ours(struct pipe_reader *r, const struct pipe_mark *mark)
{
	if (r->any && memcmp(r->uuid, mark->uuid, CTF_UUID) == 0)
		return (true);
	if (r->any && !r->ended)
		return (false);
	memcpy(r->uuid, mark->uuid, CTF_UUID);
	r->earlier += r->before;
	r->next = r->before = 0;
	r->any = true;
	r->ended = false;
	return (true);
}

/* Counts a packet.  Returns true unless it is repeated. */
static bool
count(struct pipe_reader *r, const struct pipe_mark *mark)
{
	if (mark->number < r->next) {
		r->repeated++;
		return (false);
	}
	r->lost += mark->number - r->next;
	r->next = mark->number + 1;
	r->before = mark->before + mark->records;
	return (true);
}

int
pipe_read(struct pipe_reader *r, struct pipe_packet *p)
{
	size_t size;
	int more;

	for (;;) {
		if ((more = need(r, sizeof(p->head))) <= 0)
			return (more);
		skip_zeros(r);
		if (r->end - r->at < sizeof(p->head))
			continue;
		memcpy(&p->head, r->buffer + r->at, sizeof(p->head));
		size = whole(&p->head);
		more = size == 0 ? 0 : need(r, size);
		if (more < 0)
			return (more);
		if (more == 0 || !take(r, p, size) || !is_ours(r, &p->mark)) {
			skip_damaged(r);
			continue;
		}
		r->at += size;
		if (!count(r, &p->mark))
			continue;
		if (p->head.stream_id != PIPE_END)
			return (1);
		r->ended = true;
	}
}

uint64_t
pipe_read_records(const struct pipe_reader *r)
{
	return (r->earlier + r->before);
}

void
pipe_read_free(struct pipe_reader *r)
{
	free(r->buffer);
}
