/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads text traces in memory and puts their lines in order: of a live
 * process, of a dead one, or in a core.  The bytes are not trusted: a header
 * is copied once and checked, nothing is read twice, and the result has no
 * control characters.
 */
#include <sys/stat.h>

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumer/files/core_elf.h"
#include "consumer/files/files.h"
#include "layout/text_trace.h"
#include "shared/control_file.h"
#include "target/provider.h"
#include "tbuf_consumer.h"

#define PAGE		4096u
#define BLOCK		(256u * 1024)
#define TRIES_MAX	16	/* tries, if the trace is being written */

struct source {
	int fd;
	uint64_t size;		/* of the file */
	uint64_t end;		/* of the file or segment: a trace ends there */
	int (*visit)(void *, const struct tbuf_unwrapped *);
	void *argument;
	const char *file;	/* named in a core, or NULL */
	unsigned found;
	bool truncated;		/* the core is shorter than its headers say */
};

/* ------------------------------------------------------------ a trace */

static bool
header_read(const struct source *s, uint64_t at, struct tbuf_trace *t)
{
	return (at <= s->size && s->size - at >= sizeof(*t) &&
	    tbuf_file_read(s->fd, t, sizeof(*t), at) &&
	    memcmp(t->eye, TBUF_TRACE_EYE, sizeof(t->eye)) == 0);
}

/* The bound of `oldest` lets no sum of a position and the size overflow. */
static bool
header_good(const struct tbuf_trace *t)
{
	return (t->version == TBUF_TRACE_VERSION && t->head == sizeof(*t) &&
	    t->size >= TBUF_TRACE_KB_MIN * 1024 - sizeof(*t) &&
	    t->size <= TBUF_TRACE_KB_MAX * UINT64_C(1024) &&
	    t->oldest <= UINT64_MAX - t->size && t->oldest <= t->next &&
	    t->next <= t->reserved && t->reserved - t->oldest <= t->size);
}

/* Text of a trace: `first` bytes to the chunk's end, then from its start. */
struct text {
	char *bytes;
	size_t room;
	size_t first;
	size_t size;
	bool whole;		/* the file has all of the first part */
};

static uint64_t
clip(uint64_t n, uint64_t at, uint64_t end)
{
	return (at >= end ? 0 : n < end - at ? n : end - at);
}

/*
 * Reads [from, to) of the chunk at `at` to the text's end, as far as the file
 * or segment reaches and there is room.  Returns the number of bytes.
 */
static uint64_t
part_read(const struct source *s, uint64_t at, const struct tbuf_trace *t,
    uint64_t from, uint64_t to, struct text *text)
{
	uint64_t place = at + sizeof(*t) + from % t->size;
	uint64_t n = clip(to - from, place, s->end);

	/* Lines are in no hole: a file of a few pages is not read as 1 GiB. */
	n = tbuf_file_present(s->fd, place, n);
	if (n == 0 || n > text->room - text->size ||
	    !tbuf_file_read(s->fd, text->bytes + text->size, n, place))
		return (0);
	text->size += n;
	return (n);
}

static uint64_t
wrap_of(const struct tbuf_trace *t)
{
	return ((t->oldest / t->size + 1) * t->size);
}

static void
text_read(const struct source *s, uint64_t at, const struct tbuf_trace *t,
    struct text *text)
{
	uint64_t wrap = wrap_of(t), end = t->next < wrap ? t->next : wrap;

	text->size = 0;
	text->first = part_read(s, at, t, t->oldest, end, text);
	text->whole = text->first == end - t->oldest;
	if (t->next > wrap)
		(void)part_read(s, at, t, wrap, t->next, text);
}

static void
text_remove(struct text *text, size_t from, size_t to)
{
	memmove(text->bytes + from, text->bytes + to, text->size - to);
	text->size -= to - from;
	if (text->first > from)
		text->first -= text->first < to ? text->first - from :
		    to - from;
}

/* Returns the position after the last newline before `end`. */
static size_t
line_end(const struct text *text, size_t end)
{
	while (end > 0 && text->bytes[end - 1] != '\n')
		end--;
	return (end);
}

/*
 * Joins both parts: whole lines, without the blanks that fill the chunk's end.
 * In a truncated core the line across the chunk's end is incomplete and
 * removed.
 */
static void
text_join(struct text *text, bool to_wrap)
{
	size_t end, next = text->first;
	const char *newline;

	if (!text->whole) {
		newline = memchr(text->bytes + next, '\n', text->size - next);
		next = newline == NULL ? text->size :
		    (size_t)(newline + 1 - text->bytes);
		end = line_end(text, text->first);
	} else
		end = text->first - (to_wrap ? tbuf_trace_fill(text->bytes,
		    text->first) : 0);
	text_remove(text, end, next);
	text->size = line_end(text, text->size);
}

/*
 * Reads a trace that may be written meanwhile, and removes the lines that were
 * overwritten.  Returns false if none remain.
 */
static bool
text_read_stable(const struct source *s, uint64_t at, struct tbuf_trace *t,
    struct text *text)
{
	struct tbuf_trace again;
	uint64_t gone;
	unsigned i;

	for (i = 0; i < TRIES_MAX; i++, *t = again) {
		text_read(s, at, t, text);
		if (!header_read(s, at, &again) || !header_good(&again) ||
		    again.size != t->size)
			return (false);
		gone = again.oldest > t->oldest ? again.oldest - t->oldest : 0;
		if (gone != 0 && gone >= t->next - t->oldest)
			continue;
		text_remove(text, 0, gone < text->size ? gone : text->size);
		text_join(text, t->next >= wrap_of(t));
		return (true);
	}
	return (false);
}

/*
 * Replaces control characters other than newline by '?', also those that UTF-8
 * encodes in two bytes (U+0080 to U+009F).
 */
static void
text_clean(struct text *text)
{
	unsigned char *p = (unsigned char *)text->bytes;
	size_t i;

	for (i = 0; i < text->size; i++)
		if (p[i] == 0xc2 && i + 1 < text->size && p[i + 1] >= 0x80 &&
		    p[i + 1] < 0xa0)
			p[i] = p[i + 1] = '?';
		else if ((p[i] < ' ' && p[i] != '\n') || p[i] == 0x7f)
			p[i] = '?';
}

static int
trace_give(const struct source *s, const struct tbuf_trace *t,
    const struct text *text, uint64_t missing)
{
	struct tbuf_unwrapped u = { .pid = (pid_t)t->pid, .lost = t->lost,
	    .text = text->bytes, .size = text->size, .file = s->file };
	char comm[sizeof(t->comm)];
	size_t i;

	u.missing = missing;
	for (i = 0; i < sizeof(comm) - 1 && t->comm[i] != '\0'; i++)
		comm[i] = isprint((unsigned char)t->comm[i]) ? t->comm[i] :
		    '?';
	comm[i] = '\0';
	u.comm = comm;
	return (s->visit(s->argument, &u));
}

/* Visits the trace at `at`; its header `t` has been read. */
static int
trace_visit(struct source *s, uint64_t at, struct tbuf_trace *t)
{
	uint64_t place = at + sizeof(*t), there;
	struct text text;
	int result;

	if (!header_good(t))
		return (-EINVAL);
	there = clip(t->size, place, s->end);
	text.room = there;
	text.bytes = malloc(there + 1);
	if (text.bytes == NULL)
		return (-ENOMEM);
	result = text_read_stable(s, at, t, &text) ? 0 : -EINVAL;
	if (result == 0) {
		s->found++;
		text_clean(&text);
		result = trace_give(s, t, &text, t->size - there);
	}
	free(text.bytes);
	return (result);
}

/* Reads the size of the file, which has to be a regular one. */
static int
size_look(struct source *s)
{
	struct stat st;

	if (fstat(s->fd, &st) != 0)
		return (-errno);
	if (!S_ISREG(st.st_mode))
		return (-ENOEXEC);
	s->size = s->end = (uint64_t)st.st_size;
	return (0);
}

/* ------------------------------------------------------------ a core */

/*
 * Returns the first page at or after `at` that is not all in a hole, or `to`:
 * a core may be of any size without taking space.
 */
static uint64_t
data_after(const struct source *s, uint64_t at, uint64_t to)
{
	off_t data = lseek(s->fd, (off_t)at, SEEK_DATA);

	if (data == -1)
		return (errno == ENXIO ? to : at);
	at += ((uint64_t)data - at) / PAGE * PAGE;
	return (at < to ? at : to);
}

/*
 * Looks for a trace at each page of a segment.  A damaged one may be a copy in
 * the program's memory, and is skipped.  After a trace that was visited, the
 * search continues at its end, so that no byte is visited twice.
 */
static int
segment_search(struct source *s, uint64_t from, uint64_t to, char *block)
{
	struct tbuf_trace t;
	uint64_t at, n, i;
	int result;

	s->end = to;
	for (at = from; (at = data_after(s, at, to)) < to; at += n) {
		n = clip(BLOCK, at, to);
		if (!tbuf_file_read(s->fd, block, n, at))
			return (0);
		for (i = 0; i + sizeof(t) <= n; i += PAGE) {
			memcpy(&t, block + i, sizeof(t));
			if (memcmp(t.eye, TBUF_TRACE_EYE,
			    sizeof(t.eye)) != 0)
				continue;
			result = trace_visit(s, at + i, &t);
			if (result == 0) {
				n = i + (sizeof(t) + t.size + PAGE - 1) /
				    PAGE * PAGE;
				break;
			}
			if (result != -EINVAL)
				return (result);
		}
	}
	return (0);
}

/*
 * Searches the segments.  They share no bytes, so that no more is searched than
 * the file has: a core that names the same bytes many times is refused.
 */
static int
segments_search(struct source *s, const struct tbuf_core *core, char *block)
{
	const struct tbuf_core_segment *p = core->segments;
	uint64_t left = s->size, bytes;
	int result = 0;
	size_t i;

	for (i = 0; i < core->nsegments && result == 0; i++, p++) {
		bytes = clip(p->size, p->offset, s->size);
		s->truncated |= bytes < p->size;
		if (bytes > left)
			return (-EINVAL);
		left -= bytes;
		result = segment_search(s, p->offset, p->offset + bytes,
		    block);
	}
	return (result);
}

/*
 * Visits the file of a trace that has no bytes in the core.  The pid in its
 * header has to be that of the process.
 */
static int
named_visit(struct source *core, const char *mapping, pid_t pid)
{
	struct source s = { .visit = core->visit,
	    .argument = core->argument };
	char path[PATH_MAX];
	struct tbuf_trace t;
	int result = 0;

	s.file = path;
	s.fd = tbuf_trace_open_mapping("/", mapping, pid, path);
	if (s.fd < 0)
		return (0);
	if (size_look(&s) == 0 && header_read(&s, 0, &t) &&
	    t.pid == (uint32_t)pid)
		result = trace_visit(&s, 0, &t);
	core->found += s.found;
	close(s.fd);
	return (result == -EINVAL ? 0 : result);
}

static int
core_search(struct source *s, const struct tbuf_core *core)
{
	char *block = malloc(BLOCK);
	int result;
	size_t i;

	if (block == NULL)
		return (-ENOMEM);
	s->truncated = core->headless;
	result = segments_search(s, core, block);
	free(block);
	if (s->found == 0 && core->pid > 0)
		for (i = 0; i < core->ntraces && result == 0; i++)
			result = named_visit(s, core->traces[i], core->pid);
	if (result == 0 && s->found == 0)
		return (s->truncated ? -EBADMSG : -ENODATA);
	return (result);
}

static int
core_visit(struct source *s)
{
	struct tbuf_core core;
	int result;

	if (tbuf_core_open(&core, tbuf_core_read_file, &s->fd, &result) != NULL)
		return (result == -EINVAL ? -ENOEXEC : result);
	result = core_search(s, &core);
	tbuf_core_close(&core);
	return (result);
}

/* ------------------------------------------------------------ files */

int
tbuf_unwrap_descriptor(int fd,
    int (*visit)(void *, const struct tbuf_unwrapped *), void *argument)
{
	struct source s = { .fd = fd, .visit = visit, .argument = argument };
	struct tbuf_trace t;
	int error;

	tbuf_life_withdraw();
	if ((error = size_look(&s)) != 0)
		return (error);
	return (header_read(&s, 0, &t) ? trace_visit(&s, 0, &t) :
	    core_visit(&s));
}

int
tbuf_unwrap_file(const char *path,
    int (*visit)(void *, const struct tbuf_unwrapped *), void *argument)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	int result;

	if (fd == -1)
		return (-errno);
	result = tbuf_unwrap_descriptor(fd, visit, argument);
	close(fd);
	return (result);
}

int
tbuf_unwrap_pid(pid_t pid,
    int (*visit)(void *, const struct tbuf_unwrapped *), void *argument)
{
	int fd = tbuf_trace_open_pid(pid), result;

	if (fd < 0)
		return (fd);
	result = tbuf_unwrap_descriptor(fd, visit, argument);
	close(fd);
	return (result);
}
