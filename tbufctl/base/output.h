/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Buffered output for millions of records a second: room is asked for once a
 * value, and the writers below fill it through a bare pointer.
 */
#ifndef TBUFCTL_BASE_OUTPUT_H
#define TBUFCTL_BASE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct output {
	int fd;			/* -1: none, it stays in memory */
	int saved;		/* what output_restore() brings back, or -1 */
	int error;		/* errno of the first failed write, or 0 */
	char *diverted;		/* the file of output_divert(), or NULL */
	char *failed;		/* that file, if the write was to it */
	size_t used;
	size_t size;
	char *buffer;
};

/* put_long() and put_run() write so many bytes beyond their end. */
#define OUTPUT_SLACK	64

/* Most bytes of one integer, pointer or floating-point number. */
#define OUTPUT_NUMBER	32

/*
 * Keep descriptors 0 to 2 from being anything but the standard ones: where
 * one is closed, a file that is opened later must not take its number.
 */
void	output_guard(void);

void	output_init(struct output *, int fd);

/* Without a descriptor: what is written stays in the buffer, to be freed. */
void	output_memory(struct output *);

/* Append to a file: 0 or -errno. */
int	output_append(struct output *, const char *path);

/*
 * Go on in another file until the next such call, or until output_restore():
 * 0 or -errno.
 */
int	output_divert(struct output *, const char *path);
void	output_restore(struct output *);

/* What the file holds so far is thrown away. */
void	output_truncate(struct output *);

/*
 * Write what is there.  After an error all later output is thrown away: the
 * caller looks at `error` when it suits him.
 */
void	output_flush(struct output *);

/* What could not be written to; file: what -o named, or NULL. */
const char *output_failed(const struct output *, const char *file);

/*
 * Has whoever reads it gone away, or the terminal?  That may be while there is
 * nothing to write, and nothing is lost by it then.
 */
bool	output_unread(const struct output *);

void	output_grow(struct output *, size_t);

/* Room for n bytes; what was put there is taken with output_taken(). */
static inline char *
output_room(struct output *out, size_t n)
{
	if (out->size - out->used < n)
		output_grow(out, n);
	return (out->buffer + out->used);
}

static inline void
output_taken(struct output *out, const char *end)
{

	out->used = end - out->buffer;
}

/* Take what stands before p, and have room for n more bytes behind it. */
static inline char *
output_more(struct output *out, const char *p, size_t n)
{

	output_taken(out, p);
	return (output_room(out, n));
}

void	output_printf(struct output *, const char *, ...)
	    __attribute__((format(printf, 2, 3)));

/* Writers: from p on, returning the end. */
static inline char *
put_bytes(char *p, const void *bytes, size_t n)
{

	memcpy(p, bytes, n);
	return (p + n);
}

/*
 * Bytes that OUTPUT_SLACK more can be read behind, in large steps, or a few of
 * them in small ones: mostly one step, and quicker than a call.
 */
static inline char *
put_long(char *p, const char *bytes, size_t n)
{
	size_t i;

	memcpy(p, bytes, OUTPUT_SLACK);
	for (i = OUTPUT_SLACK; i < n; i += OUTPUT_SLACK)
		memcpy(p + i, bytes + i, OUTPUT_SLACK);
	return (p + n);
}

static inline char *
put_run(char *p, const char *bytes, size_t n)
{
	size_t i;

	memcpy(p, bytes, 16);
	for (i = 16; i < n; i += 16)
		memcpy(p + i, bytes + i, 16);
	return (p + n);
}

#define put_literal(p, text)	put_bytes((p), (text), sizeof(text) - 1)

/* Bytes of the valid UTF-8 sequence of 2 to 4 bytes at s, or 0. */
unsigned utf8_sequence(const unsigned char *s, size_t left);

#endif
