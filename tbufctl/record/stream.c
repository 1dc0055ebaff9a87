/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <sys/param.h>
#include <sys/random.h>
#include <sys/uio.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "stream.h"

/* Files of a stream double in size, up to the largest one. */
#define FILE_LEAST	(UINT64_C(1) << 16)
#define FILE_MOST	(UINT64_C(1) << 24)

/* A stream's first file has room for as many packets like its first one. */
#define FILE_PACKETS	8

/*
 * A packet of at least this size ends with a page: a write that ends in the
 * middle of one costs the kernel more than the page's rest.
 */
#define PAGE		DISK_PAGE
#define PAGED_LEAST	(UINT64_C(1) << 15)

#define NAME_ROOM	48

_Static_assert(sizeof(struct ctf_head) == 88, "ctf_head");
_Static_assert(sizeof(struct ctf_unit) == 80, "ctf_unit");
_Static_assert(sizeof(struct ctf_tail) == 56, "ctf_tail");

enum ctf_class
ctf_class_of(const struct tbuf_packet *packet)
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

void
ctf_uuid(uint8_t uuid[CTF_UUID])
{
	if (getrandom(uuid, CTF_UUID, 0) != CTF_UUID)
		memset(uuid, 0, CTF_UUID);
	uuid[6] = (uuid[6] & 0x0f) | 0x40;
	uuid[8] = (uuid[8] & 0x3f) | 0x80;
}

void
ctf_add_losses(struct ctf_head *head, struct ctf_tail *tail,
    const struct tbuf_packet *packet)
{
	unsigned i;

	for (i = 0; i < 3; i++) {
		tail->drops[i] += packet->drops[i];
		head->discarded += packet->drops[i];
	}
	tail->overwritten += packet->overwritten;
	tail->damage += packet->damage;
	tail->unselected += packet->discarded;
}

uint16_t
ctf_flags(const struct tbuf_packet *packet)
{
	return ((packet->counted ? CTF_COUNTED : 0) |
	    (packet->unplaced ? CTF_UNPLACED : 0));
}

void
ctf_flags_set(struct tbuf_packet *packet, uint16_t flags)
{
	packet->counted = (flags & CTF_COUNTED) != 0;
	packet->unplaced = (flags & CTF_UNPLACED) != 0;
}

void
ctf_unit_fill(struct ctf_unit *to, const struct tbuf_packet *packet)
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

bool
ctf_unit_info(const struct ctf_unit *unit, struct tbuf_unit_info *to)
{
	if (unit->kind[0] == '\0' && unit->began == 0)
		return (false);
	*to = (struct tbuf_unit_info){
		.id = unit->id, .outcome = unit->outcome,
		.ended = unit->ended != 0, .discarded = unit->discarded,
		.began = unit->began, .end = unit->end, .hung = unit->hung
	};
	memcpy(to->kind, unit->kind, sizeof(to->kind) - 1);
	return (true);
}

/* Makes the name of the stream's last file, or the hidden one before it. */
static void
file_name(const struct ctf_stream *s, const char *dot, char name[NAME_ROOM])
{
	(void)snprintf(name, NAME_ROOM, "%s%s_%u", dot, s->name,
	    s->files - 1);
}

/* Writes all parts at an offset.  Returns 0 or -errno. */
static int
write_all(int fd, struct iovec *parts, int n, uint64_t at)
{
	ssize_t done;

	while (n > 0) {
		done = pwritev(fd, parts, n, (off_t)at);
		if (done == -1 && errno == EINTR)
			continue;
		if (done <= 0)
			return (done == 0 ? -EIO : -errno);
		at += (uint64_t)done;
		for (; n > 0 && (size_t)done >= parts->iov_len; n--, parts++)
			done -= (ssize_t)parts->iov_len;
		if (n > 0) {
			parts->iov_base = (char *)parts->iov_base + done;
			parts->iov_len -= (size_t)done;
		}
	}
	return (0);
}

/* Sets the size of the packet at an offset: up to another one. */
static int
set_size(int fd, uint64_t packet, uint64_t end)
{
	uint64_t bits = (end - packet) * 8;
	struct iovec part = { &bits, sizeof(bits) };

	/* The word is within a page, so that no kill can divide it. */
	return (write_all(fd, &part, 1,
	    packet + offsetof(struct ctf_head, packet_size)));
}

static size_t
unit_size(const struct ctf_packet *p)
{
	return (p->unit == NULL ? 0 : sizeof(*p->unit));
}

/* Returns the bytes of a packet without padding. */
static uint64_t
whole_size(const struct ctf_packet *p)
{
	return (sizeof(p->head) + unit_size(p) + p->size + sizeof(p->tail));
}

/* Returns where the packet after one at an offset begins. */
static uint64_t
end_of(const struct ctf_packet *p, uint64_t at)
{
	uint64_t size = whole_size(p);

	return (size < PAGED_LEAST ? at + size : roundup(at + size, PAGE));
}

/* Writes a packet that ends with the file. */
static int
put(int fd, uint64_t at, uint64_t end, struct ctf_packet *p)
{
	static const char zeros[PAGE];
	uint64_t size = whole_size(p);
	struct iovec parts[5] = {
		{ &p->head, sizeof(p->head) },
		{ (void *)(uintptr_t)p->unit, unit_size(p) },
		{ (void *)(uintptr_t)p->data, p->size },
		{ &p->tail, sizeof(p->tail) },
		{ (void *)(uintptr_t)zeros, end_of(p, at) - at - size }
	};

	p->head.content_size = (size - sizeof(p->tail)) * 8;
	p->head.packet_size = (end - at) * 8;
	return (write_all(fd, parts, 5, at));
}

/* Begins a file with its first packet, under its hidden name until then. */
static int
begin_file(struct ctf_stream *s, int directory, struct ctf_packet *p)
{
	uint64_t room = s->size == 0 ? FILE_PACKETS * (whole_size(p) +
	    p->follows) : 2 * s->size;
	char hidden[NAME_ROOM], name[NAME_ROOM];
	int fd, error = 0;

	room = roundup(MAX(MIN(room, FILE_MOST), whole_size(p)), FILE_LEAST);
	s->files++;
	file_name(s, ".", hidden);
	file_name(s, "", name);
	fd = openat(directory, hidden, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC |
	    O_NOFOLLOW, 0600);
	if (fd == -1)
		error = -errno;
	else if (ftruncate(fd, (off_t)room) != 0)
		error = -errno;
	if (error == 0)
		error = put(fd, 0, room, p);
	if (error == 0 && renameat(directory, hidden, directory, name) != 0)
		error = -errno;
	if (error != 0) {
		if (fd != -1) {
			(void)unlinkat(directory, hidden, 0);
			close(fd);
		}
		s->files--;
		return (error);
	}
	s->fd = fd;
	s->size = room;
	s->last = s->reserved = 0;
	s->used = end_of(p, 0);
	s->disk += roundup(s->used, PAGE) + DISK_NAME;
	return (0);
}

/* Reserves blocks of the disk for a packet and those after it. */
static void
reserve(struct ctf_stream *s, const struct ctf_packet *p)
{
	uint64_t end = end_of(p, s->used);

	if (!s->reserves || end <= s->reserved || p->size < DISK_RESERVED_LEAST)
		return;
	s->reserved = MIN(s->size, MAX(end, s->used + DISK_RESERVED));
	(void)fallocate(s->fd, FALLOC_FL_KEEP_SIZE, (off_t)s->used,
	    (off_t)(s->reserved - s->used));
}

/* Appends a packet to the last file, which has room for it. */
static int
append(struct ctf_stream *s, struct ctf_packet *p)
{
	uint64_t at = s->used;
	int error;

	reserve(s, p);
	error = put(s->fd, at, s->size, p);
	if (error == 0)
		error = set_size(s->fd, s->last, at);
	if (error != 0)
		return (error);
	s->last = at;
	s->used = end_of(p, at);
	s->disk += roundup(s->used, PAGE) - roundup(at, PAGE);
	return (0);
}

static int
reopen(struct ctf_stream *s, int directory)
{
	char name[NAME_ROOM];

	file_name(s, "", name);
	s->fd = openat(directory, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	return (s->fd == -1 ? -errno : 0);
}

/* Appends a packet to the stream's last file, or to a new one. */
static int
append_any(struct ctf_stream *s, int directory, struct ctf_packet *p)
{
	int error = 0;

	if (s->size == 0)
		return (begin_file(s, directory, p));
	if (s->fd == -1)
		error = reopen(s, directory);
	if (error == 0 && s->size - s->used >= whole_size(p))
		return (append(s, p));
	if (error == 0)
		error = ctf_finish(s, directory);
	return (error == 0 ? begin_file(s, directory, p) : error);
}

int
ctf_append(struct ctf_stream *s, int directory, struct ctf_packet *p)
{
	int error;

	p->head.sequence = s->head.magic == 0 ? 0 : s->head.sequence + 1;
	if ((error = append_any(s, directory, p)) != 0)
		return (error);
	s->head = p->head;
	s->tail = p->tail;
	return (0);
}

/*
 * Removes the padding.  Readers refuse bytes after the last packet, and a kill
 * may come at any time: so the padding becomes an empty packet first.
 */
static int
trim(struct ctf_stream *s)
{
	const struct ctf_unit none = { .kind = "" };
	struct ctf_packet empty = {
		.head = s->head, .tail = s->tail,
		.unit = s->tail.kind == TBUF_PACKET_UNIT ? &none : NULL
	};
	int error;

	if (s->size - s->used < whole_size(&empty))
		return (0);
	empty.head.begin = ++empty.head.end;
	empty.head.sequence++;
	error = put(s->fd, s->used, s->size, &empty);
	if (error == 0)
		error = set_size(s->fd, s->last, s->used);
	if (error == 0 && ftruncate(s->fd, (off_t)s->used) != 0)
		error = -errno;
	return (error);
}

int
ctf_finish(struct ctf_stream *s, int directory)
{
	int error = 0;

	if (s->size == 0)
		return (0);
	if (s->fd == -1)
		error = reopen(s, directory);
	if (error == 0)
		error = trim(s);
	ctf_close(s);
	return (error);
}

void
ctf_close(struct ctf_stream *s)
{
	if (s->fd != -1)
		close(s->fd);
	s->fd = -1;
}
