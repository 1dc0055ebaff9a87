/*-
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "clean_text.h"
#include "messages.h"
#include "output.h"
#include "signals.h"

/* Large enough that system calls cost little, small enough for an L2 cache. */
#define BUFFER_SIZE	(256 * 1024)

/* Steps that take no longer than a byte of output. */
#define STEPS_BYTE	16

void
output_guard(void)
{
	int fd;

	/* Writes to it fail, and a command does not inherit it. */
	while ((fd = open("/dev/null", O_RDONLY | O_CLOEXEC)) != -1 &&
	    fd <= STDERR_FILENO)
		continue;
	if (fd != -1)
		(void)close(fd);
}

void
output_init(struct output *out, int fd)
{
	*out = (struct output){
		.fd = fd, .saved = -1, .end = OUTPUT_UNBOUNDED
	};
	out->terminal = isatty(fd) == 1;
	out->buffer = memory_get(NULL, 1, BUFFER_SIZE + OUTPUT_SLACK);
	out->size = out->room = BUFFER_SIZE;
}

/* Doubles the buffer of output that stays in memory. */
static void
grow_memory(struct output *out, size_t n)
{
	out->room = 2 * (out->used + n);
	out->buffer = memory_get(out->buffer, 1, out->room + OUTPUT_SLACK);
}

void
output_memory(struct output *out)
{
	*out = (struct output){
		.fd = -1, .saved = -1, .end = OUTPUT_UNBOUNDED
	};
	grow_memory(out, 32);
	out->size = out->room;
}

static int
open_append(const char *path)
{
	return (open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
}

int
output_append(struct output *out, const char *path)
{
	int fd = open_append(path);

	if (fd == -1)
		return (-errno);
	out->fd = fd;
	out->terminal = isatty(fd) == 1;
	return (0);
}

/* The number stays the same: commands of system() write to the file, too. */
static void
put_in_place(struct output *out, int fd)
{
	(void)dup3(fd, out->fd, out->fd > STDERR_FILENO ? O_CLOEXEC : 0);
	out->terminal = isatty(out->fd) == 1;
}

void
output_rotate(struct output *out, const char *path)
{
	int fd;

	if (!signals_reopen() || path == NULL)
		return;
	/* A pipe without a reader must not stop the run. */
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK,
	    0666);
	if (fd == -1) {
		message(MSG_OPEN, path, strerror(errno));
		return;
	}
	(void)fcntl(fd, F_SETFL, O_APPEND);
	output_flush(out);
	out->opened++;
	if (out->saved != -1)
		(void)dup3(fd, out->saved, O_CLOEXEC);
	else
		put_in_place(out, fd);
	(void)close(fd);
}

int
output_divert(struct output *out, const char *path)
{
	int fd = open_append(path);

	if (fd == -1)
		return (-errno);
	output_flush(out);
	if (out->saved == -1)
		out->saved = fcntl(out->fd, F_DUPFD_CLOEXEC,
		    STDERR_FILENO + 1);
	put_in_place(out, fd);
	(void)close(fd);
	free(out->diverted);
	out->diverted = memory_string(path);
	return (0);
}

void
output_restore(struct output *out)
{
	output_flush(out);
	if (out->saved == -1)
		return;
	put_in_place(out, out->saved);
	(void)close(out->saved);
	out->saved = -1;
	free(out->diverted);
	out->diverted = NULL;
}

void
output_truncate(struct output *out)
{
	output_flush(out);
	/* Output that is not a file fails here, and is not truncated. */
	if (ftruncate(out->fd, 0) == 0)
		(void)lseek(out->fd, 0, SEEK_SET);
}

/*
 * Returns true if a failed write can be repeated.  Another process that shares
 * the descriptor may have made it nonblocking: waits until it is writable.
 */
static bool
again(const struct output *out)
{
	struct pollfd pfd = { .fd = out->fd, .events = POLLOUT };

	if (errno == EINTR)
		return (true);
	if (errno != EAGAIN)
		return (false);
	return (poll(&pfd, 1, -1) != -1 || errno == EINTR);
}

/*
 * Writes a part of the buffer.  Once the run has to end, that is as much as a
 * pipe takes without waiting; -1 with the error ECANCELED if there is no room.
 */
static ssize_t
write_part(const struct output *out, const char *p)
{
	struct pollfd pfd = { .fd = out->fd, .events = POLLOUT };

	if (!signals_late())
		return (write(out->fd, p, out->used));
	if (poll(&pfd, 1, 0) != 1) {
		errno = ECANCELED;
		return (-1);
	}
	return (write(out->fd, p, out->used < PIPE_BUF ? out->used :
	    PIPE_BUF));
}

/* Discards the bytes after the bound. */
static void
cut(struct output *out)
{
	if (out->used <= out->end)
		return;
	out->used = out->end;
	out->cut = true;
}

/* Sets the size, so that the bound is not passed unseen. */
static void
set_size(struct output *out)
{
	out->size = out->end < out->room ? out->end : out->room;
}

void
output_bound(struct output *out, size_t most)
{
	out->end = out->used + most;
	out->cut = false;
	set_size(out);
}

void
output_steps(struct output *out, size_t steps)
{
	size_t left = output_left(out), bytes = steps / STEPS_BYTE;

	if (out->end == OUTPUT_UNBOUNDED || bytes == 0)
		return;
	out->cut |= bytes >= left;
	if (left == 0)
		return;
	out->end -= bytes < left ? bytes : left;
	set_size(out);
}

size_t
output_unbound(struct output *out)
{
	size_t unused;

	cut(out);
	unused = out->end - out->used;
	out->end = OUTPUT_UNBOUNDED;
	set_size(out);
	return (unused);
}

/*
 * Returns how many records end in the first n bytes of the buffer.  An error is
 * rare, so the places are not kept: each record is one line.
 */
static uint64_t
records_of(const struct output *out, size_t n)
{
	const char *p = out->buffer, *end = p + n;
	uint64_t lines = 0;

	while ((p = memchr(p, '\n', end - p)) != NULL) {
		lines++;
		p++;
	}
	return (lines < out->records ? lines : out->records);
}

void
output_flush(struct output *out)
{
	const char *p = out->buffer;
	uint64_t written;
	ssize_t n;

	cut(out);
	if (out->end != OUTPUT_UNBOUNDED)
		out->end -= out->used;
	while (out->used > 0 && out->error == 0) {
		n = write_part(out, p);
		if (n >= 0) {
			p += n;
			out->used -= n;
		} else if (!again(out)) {
			out->error = errno;
			out->failed = out->diverted;
			out->diverted = NULL;
		}
	}
	written = out->error == 0 ? out->records :
	    records_of(out, p - out->buffer);
	out->written += written;
	if (out->error == ECANCELED) {
		out->late += out->records - written;
		out->late_bytes += out->used;
	}
	out->records = 0;
	out->used = 0;
	set_size(out);
}

const char *
output_failed(const struct output *out, const char *file)
{
	return (out->failed != NULL ? out->failed :
	    file != NULL ? file : "standard output");
}

bool
output_unread(const struct output *out)
{
	struct pollfd pfd = { .fd = out->fd };

	return (poll(&pfd, 1, 0) == 1 &&
	    (pfd.revents & (POLLERR | POLLHUP)) != 0);
}

void
output_grow(struct output *out, size_t n)
{
	cut(out);
	if (out->fd != -1 && out->room - out->used < n)
		output_flush(out);
	if (out->fd == -1 && out->room - out->used < n)
		grow_memory(out, n);
	else if (out->room < n) {
		out->buffer = memory_get(out->buffer, 1, n + OUTPUT_SLACK);
		out->room = n;
	}
	set_size(out);
	/* Output after the bound goes to the buffer, and is discarded there. */
	if (out->size < out->used + n)
		out->size = out->used + n;
}

void
output_printf(struct output *out, const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(NULL, 0, format, ap);
	va_end(ap);
	if (n < 0)
		return;
	va_start(ap, format);
	n = vsnprintf(output_room(out, n + 1), n + 1, format, ap);
	va_end(ap);
	out->used += n;
}

void
output_text(struct output *out, int width, size_t length, const char *text)
{
	size_t columns = width < 0 ? 0 - (size_t)width : (size_t)width;
	size_t blanks = columns > length ? columns - length : 0;
	char *p = output_room(out, blanks + length);

	if (width > 0) {
		memset(p, ' ', blanks);
		p += blanks;
	}
	memcpy(p, text, length);
	if (out->terminal)
		text_clean(p, length, '?', "\n\t");
	if (width < 0)
		memset(p + length, ' ', blanks);
	out->used += blanks + length;
}

/*
 * As in Unicode 15, table 3-7: no overlong forms, no surrogates, nothing above
 * U+10FFFF.
 */
unsigned
utf8_sequence(const unsigned char *s, size_t size)
{
	unsigned i, n, low = 0x80, high = 0xbf;

	if (s[0] < 0xc2 || s[0] > 0xf4)
		return (0);
	n = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	if (size < n)
		return (0);
	if (s[0] == 0xe0)
		low = 0xa0;
	else if (s[0] == 0xed)
		high = 0x9f;
	else if (s[0] == 0xf0)
		low = 0x90;
	else if (s[0] == 0xf4)
		high = 0x8f;
	if (s[1] < low || s[1] > high)
		return (0);
	for (i = 2; i < n; i++)
		if (s[i] < 0x80 || s[i] > 0xbf)
			return (0);
	return (n);
}
