/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Buffered output for millions of records a second: room is asked for once a
 * value, and the writers below fill it through a bare pointer.
 */
#ifndef TBUFCTL_OUTPUT_H
#define TBUFCTL_OUTPUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct output {
	int fd;
	int error;		/* errno of the first failed write, or 0 */
	size_t used;
	size_t size;
	char *buffer;
};

/* Most bytes of one integer, pointer or floating-point number. */
#define OUTPUT_NUMBER	32

/*
 * Keep descriptors 0 to 2 from being anything but the standard ones: where
 * one is closed, a file that is opened later must not take its number.
 */
void	output_guard(void);

void	output_init(struct output *, int fd);

/* Append to a file: 0 or -errno. */
int	output_append(struct output *, const char *path);

/*
 * Write what is there.  After an error all later output is thrown away: the
 * caller looks at `error` when it suits him.
 */
void	output_flush(struct output *);

/* Has the reader gone away?  He may have while there was nothing to write. */
void	output_look(struct output *);

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

void	output_printf(struct output *, const char *, ...)
	    __attribute__((format(printf, 2, 3)));

/* Writers: from p on, returning the end. */
static inline char *
put_bytes(char *p, const void *bytes, size_t n)
{

	memcpy(p, bytes, n);
	return (p + n);
}

#define put_literal(p, text)	put_bytes((p), (text), sizeof(text) - 1)

char	*put_unsigned(char *, uint64_t);
char	*put_signed(char *, int64_t);
char	*put_padded(char *, int64_t, int width);	/* as %*d */
char	*put_pointer(char *, uint64_t);			/* as 0x%x */
char	*put_hex(char *, const void *, size_t);		/* 2 a byte */
char	*put_double(char *, double);			/* as %.17g */

/* Bytes of the valid UTF-8 sequence of 2 to 4 bytes at s, or 0. */
unsigned utf8_sequence(const unsigned char *s, size_t left);

#endif
