/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Nothing in a recording is trusted: files are regular ones, opened without
 * following links, and each size is compared with the file's.
 */
#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/messages.h"
#include "chunks.h"
#include "read_recording.h"
#include "stream.h"

#define PACKET_MOST	(UINT64_C(1) << 30)	/* bytes */
#define FILES_MOST	100000		/* of a trace */
#define NAMES_MOST	10000		/* of a directory of traces */
#define DEPTH		2		/* chunks, and traces in them */

/* A trace with more bytes is read as several ones, as each is a file. */
#ifndef PART_MOST
#define PART_MOST	(UINT64_C(3) << 30)
#endif

/* ------------------------------------------------------------ names */

struct list {
	char **names;
	size_t count;
};

static int
compare_names(const void *a, const void *b)
{
	return (strcmp(*(char *const *)a, *(char *const *)b));
}

static void
list_free(struct list *list)
{
	while (list->count > 0)
		free(list->names[--list->count]);
	free(list->names);
}

/* Lists the names in a directory that are not hidden, in order. */
static int
list_make(int directory, size_t most, struct list *list)
{
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd == -1 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	*list = (struct list){ .count = 0 };
	if (dir == NULL) {
		if (fd != -1)
			close(fd);
		return (-errno);
	}
	while ((entry = readdir(dir)) != NULL && list->count < most) {
		if (entry->d_name[0] == '.')
			continue;
		if ((list->count & (list->count + 1)) == 0)
			list->names = memory_get(list->names,
			    2 * list->count + 2, sizeof(*list->names));
		list->names[list->count++] = memory_string(entry->d_name);
	}
	closedir(dir);
	if (list->count > 0)
		qsort(list->names, list->count, sizeof(*list->names),
		    compare_names);
	return (entry == NULL ? 0 : -E2BIG);
}

static int
open_file(int directory, const char *name, uint64_t *size)
{
	int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
	    O_CLOEXEC);
	struct stat st;

	if (fd == -1)
		return (-errno);
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		*size = (uint64_t)st.st_size;
		return (fd);
	}
	close(fd);
	return (-EINVAL);
}

/* ------------------------------------------------------------ packets */

/* A place of a packet, and the values that order packets. */
struct found {
	uint32_t kind, lane;
	uint64_t instance;
	uint64_t begin, end, sequence;
	unsigned file;
	uint64_t at, size;		/* of the packet's content */
	struct ctf_tail sums;		/* of the stream, then of the packet */
	uint64_t cpu;
};

struct trace {
	int directory;
	struct list files;
	struct found *packets;
	size_t count;
	size_t next;
	uint64_t part;			/* bytes of its part before next */
	int fd;				/* of the file with this index: */
	unsigned file;
	char *data;			/* of the last packet */
	struct tbuf_unit_info unit;
	struct chunks_removed *removed;	/* to be counted, or NULL */
};

static bool
read_at(int fd, void *to, size_t size, uint64_t at)
{
	ssize_t n;

	for (; size > 0; to = (char *)to + n, size -= (size_t)n, at +=
	    (uint64_t)n) {
		n = pread(fd, to, size, (off_t)at);
		if (n <= 0)
			return (false);
	}
	return (true);
}

static size_t
unit_bytes(uint32_t kind)
{
	return (kind == TBUF_PACKET_UNIT ? sizeof(struct ctf_unit) : 0);
}

/* Checks a packet's sizes with the bytes from it on.  0: it is damaged. */
static uint64_t
whole(const struct ctf_head *head, uint64_t left)
{
	uint64_t content = head->content_size / 8, size = head->packet_size / 8;

	return (head->magic == CTF_MAGIC && size <= left &&
	    content >= sizeof(*head) && content <= size &&
	    content <= PACKET_MOST &&
	    size - content >= sizeof(struct ctf_tail) &&
	    head->stream_id < CTF_CLASSES ? size : 0);
}

/* Adds the packets of a file, up to the first damaged one. */
static void
scan(struct trace *t, unsigned file, int fd, uint64_t size)
{
	struct ctf_head head;
	struct ctf_tail tail;
	uint64_t at, n;

	for (at = 0; size - at >= sizeof(head) &&
	    read_at(fd, &head, sizeof(head), at) &&
	    (n = whole(&head, size - at)) != 0; at += n) {
		if (!read_at(fd, &tail, sizeof(tail),
		    at + head.content_size / 8) ||
		    tail.kind > TBUF_PACKET_BATCH || head.content_size / 8 <
		    sizeof(head) + unit_bytes(tail.kind))
			return;
		if ((t->count & (t->count + 1)) == 0)
			t->packets = memory_get(t->packets, 2 * t->count + 2,
			    sizeof(*t->packets));
		t->packets[t->count++] = (struct found){
			.kind = tail.kind, .lane = tail.lane,
			.instance = head.instance, .begin = head.begin,
			.end = head.end,
			.sequence = head.sequence, .file = file, .at = at,
			.size = head.content_size / 8, .sums = tail,
			.cpu = head.cpu
		};
	}
}

#define ORDER(a, b, field)						\
	if ((a)->field != (b)->field)					\
		return ((a)->field < (b)->field ? -1 : 1)

static int
compare_streams(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	ORDER(x, y, instance);
	ORDER(x, y, sequence);
	return (0);
}

/* Lanes by kind and index; packets of a lane by time. */
static int
compare_lanes(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	ORDER(x, y, kind);
	ORDER(x, y, lane);
	ORDER(x, y, begin);
	ORDER(x, y, instance);
	ORDER(x, y, sequence);
	return (0);
}

static void
decrease(uint64_t *sum, uint64_t before)
{
	*sum = *sum > before ? *sum - before : 0;
}

/* Turns a stream's sums into a packet's own losses. */
static void
subtract(struct ctf_tail *sums, const struct ctf_tail *before)
{
	unsigned i;

	for (i = 0; i < 3; i++)
		decrease(&sums->drops[i], before->drops[i]);
	decrease(&sums->overwritten, before->overwritten);
	decrease(&sums->damage, before->damage);
	decrease(&sums->unselected, before->unselected);
}

/* Sorts the packets.  A stream's first one has the losses before it. */
static void
sort(struct trace *t)
{
	size_t i;

	if (t->count == 0)
		return;
	qsort(t->packets, t->count, sizeof(*t->packets), compare_streams);
	for (i = t->count; i-- > 1;)
		if (t->packets[i].instance == t->packets[i - 1].instance)
			subtract(&t->packets[i].sums, &t->packets[i - 1].sums);
		else
			subtract(&t->packets[i].sums, &t->packets[i].sums);
	subtract(&t->packets[0].sums, &t->packets[0].sums);
	qsort(t->packets, t->count, sizeof(*t->packets), compare_lanes);
}

/* Reads a packet's content.  Returns 1, or -errno. */
static int
load(struct trace *t, const struct found *f)
{
	uint64_t size;

	if (t->fd < 0 || t->file != f->file) {
		if (t->fd >= 0)
			close(t->fd);
		t->file = f->file;
		t->fd = open_file(t->directory, t->files.names[f->file], &size);
		if (t->fd < 0)
			return (t->fd);
	}
	free(t->data);
	if ((t->data = malloc(f->size)) == NULL)
		return (-ENOMEM);
	return (read_at(t->fd, t->data, f->size, f->at) ? 1 : -EIO);
}

/* Reads the context of a unit.  The first packet of a stream has none. */
static const struct tbuf_unit_info *
unit_of(struct trace *t)
{
	struct ctf_unit unit;

	memcpy(&unit, t->data + sizeof(struct ctf_head), sizeof(unit));
	return (ctf_unit_info(&unit, &t->unit) ? &t->unit : NULL);
}

/* Adds the losses of chunks that were removed to a packet of a lane. */
static void
add_removed(struct chunks_removed *removed, struct tbuf_packet *p)
{
	const struct ctf_tail *losses = &removed->losses;
	unsigned i;

	for (i = 0; i < 3; i++)
		p->drops[i] += losses->drops[i];
	p->overwritten += removed->records + losses->overwritten;
	p->damage += losses->damage;
}

/*
 * After all packets, returns one of the records that outcomes of units have
 * discarded in chunks that were removed.
 */
static int
last_packet(struct trace *t, struct tbuf_packet *p)
{
	if (t->removed == NULL || t->removed->losses.unselected == 0)
		return (0);
	*p = (struct tbuf_packet){
		.kind = TBUF_PACKET_UNIT, .lane = UINT32_MAX, .cpu = -1,
		.discarded = t->removed->losses.unselected
	};
	memset(t->removed, 0, sizeof(*t->removed));
	return (1);
}

static int
next_packet(void *arg, struct tbuf_packet *p)
{
	struct trace *t = arg;
	const struct found *f = &t->packets[t->next];
	size_t before;
	int error;

	if (t->next == t->count)
		return (last_packet(t, p));
	if (t->part != 0 && t->part + f->size > PART_MOST)
		return (0);
	t->part += f->size;
	t->next++;
	if ((error = load(t, f)) < 0)
		return (error);
	before = sizeof(struct ctf_head) + unit_bytes(f->kind);
	*p = (struct tbuf_packet){
		.kind = f->kind, .lane = f->lane,
		.begin = f->begin, .end = f->end,
		.cpu = f->cpu > INT32_MAX ? -1 : (int)f->cpu,
		.data = t->data + before, .size = (f->size - before) & ~7ul,
		.overwritten = f->sums.overwritten, .damage = f->sums.damage,
		.discarded = f->sums.unselected
	};
	memcpy(p->drops, f->sums.drops, sizeof(p->drops));
	ctf_flags_set(p, f->sums.flags);
	p->unit = f->kind == TBUF_PACKET_UNIT ? unit_of(t) : NULL;
	if (t->removed != NULL && p->lane != UINT32_MAX) {
		add_removed(t->removed, p);
		memset(t->removed, 0, offsetof(struct chunks_removed,
		    losses.unselected));
	}
	return (1);
}

/* ------------------------------------------------------------ traces */

/* Finds the packets of all streams.  Files with other contents have none. */
static int
scan_all(struct trace *t)
{
	uint64_t size;
	size_t i;
	int error = list_make(t->directory, FILES_MOST, &t->files), fd;

	for (i = 0; error == 0 && i < t->files.count; i++) {
		fd = open_file(t->directory, t->files.names[i], &size);
		if (fd < 0)
			continue;
		scan(t, (unsigned)i, fd, size);
		close(fd);
	}
	return (error);
}

/* Opens the trace in a directory, the head of which is open. */
static int
read_trace(struct tbuf_consumer *consumer, int directory, int head,
    const char *path, struct chunks_removed *removed, const char **why)
{
	struct trace t = {
		.directory = directory, .fd = -1, .removed = removed
	};
	int error = scan_all(&t);

	if (error != 0)
		*why = strerror(-error);
	else {
		sort(&t);
		do {
			t.part = 0;
			error = tbuf_consumer_open_packets(consumer, path,
			    head, next_packet, &t);
		} while (error == 0 && t.next < t.count);
	}
	if (t.fd >= 0)
		close(t.fd);
	list_free(&t.files);
	free(t.packets);
	free(t.data);
	return (error);
}

/* Reads the sums of chunks that were removed; there may be none. */
static void
read_removed(int directory, struct chunks_removed *removed)
{
	uint64_t size;
	int fd = open_file(directory, REMOVED_FILE, &size);

	memset(removed, 0, sizeof(*removed));
	if (fd < 0)
		return;
	if (!read_at(fd, removed, sizeof(*removed), 0))
		memset(removed, 0, sizeof(*removed));
	close(fd);
}

/* Returns true for the directory of a chunk that is being removed. */
static bool
is_removed(uint64_t last, const char *name)
{
	char *end;
	unsigned long number = strtoul(name, &end, 10);

	return (*end == '\0' && number <= last);
}

struct reading {
	struct tbuf_consumer *consumer;
	const char *path;
	struct chunks_removed removed;
	bool any;		/* there was a trace */
	const char *why;
};

/* Reads a directory, or those in it. */
static int
read_directory(struct reading *r, int directory, int depth)
{
	struct list list;
	uint64_t size, last = r->removed.number;
	size_t i;
	int error, fd = open_file(directory, HEAD_FILE, &size);

	if (fd >= 0) {
		r->any = true;
		error = depth == 0 && faccessat(directory, SNAPSHOT_FILE, F_OK,
		    AT_SYMLINK_NOFOLLOW) == 0 ? 0 :
		    read_trace(r->consumer, directory, fd, r->path,
		    &r->removed, &r->why);
		close(fd);
		return (error);
	}
	if (depth == 0)
		return (0);
	if ((error = list_make(directory, NAMES_MOST, &list)) != 0)
		r->why = strerror(-error);
	for (i = 0; error == 0 && i < list.count; i++) {
		if (depth == DEPTH && last != 0 &&
		    is_removed(last, list.names[i]))
			continue;
		if ((fd = chunks_open(directory, list.names[i])) < 0)
			continue;
		error = read_directory(r, fd, depth - 1);
		close(fd);
	}
	list_free(&list);
	return (error);
}

int
recording_read(struct tbuf_consumer *consumer, const char *path,
    const char **why)
{
	struct reading r = { .consumer = consumer, .path = path };
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), error;

	*why = NULL;
	if (fd == -1) {
		*why = strerror(errno);
		return (-errno);
	}
	read_removed(fd, &r.removed);
	error = read_directory(&r, fd, DEPTH);
	close(fd);
	if (error == 0 && !r.any) {
		r.why = "it is not a recording (tbufctl --record=DIR)";
		error = -ENODATA;
	}
	*why = r.why;
	return (error);
}
