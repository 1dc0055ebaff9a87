/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Buffered output for millions of records a second: the caller requests room
 * once a value, and the put functions fill it through a plain pointer.
 */
#ifndef TBUFCTL_BASE_OUTPUT_H
#define TBUFCTL_BASE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct output {
	int fd;			/* -1: none, output stays in memory */
	int saved;		/* fd for output_restore(), or -1 */
	int error;		/* errno of the first failed write, or 0 */
	char *diverted;		/* the file of output_divert(), or NULL */
	char *failed;		/* diverted, if the error was there */
	uint64_t records;	/* that end in the buffer */
	uint64_t written;	/* that end in bytes that were written */
	uint64_t late;		/* that end in bytes discarded at a signal */
	uint64_t late_bytes;	/* discarded at a signal */
	size_t used;
	size_t size;		/* room beyond it begins with output_grow() */
	size_t room;		/* bytes of the buffer */
	size_t end;		/* offset where the bound cuts, or no bound */
	bool cut;		/* the bound was reached */
	bool terminal;		/* texts of programs are cleaned for one */
	unsigned opened;	/* times that output_rotate() opened a file */
	char *buffer;
};

#define OUTPUT_UNBOUNDED	SIZE_MAX

/* Bytes that put_long() and put_run() may write beyond their end. */
#define OUTPUT_SLACK	64

/* Most bytes of one integer, pointer or floating-point number. */
#define OUTPUT_NUMBER	32

/*
 * Opens those of descriptors 0 to 2 that are closed, so that a file that is
 * opened later does not get the number of a standard stream.
 */
void	output_guard(void);

void	output_init(struct output *, int fd);

/* Begins output that stays in the buffer, which the caller frees. */
void	output_memory(struct output *);

/* Appends the output to a file.  Returns 0 or -errno. */
int	output_append(struct output *, const char *path);

/*
 * After a SIGUSR2, writes the buffer to the file so far, and opens the file of
 * output_append() again, which may have been renamed; reports an error, and
 * goes on with the file so far.  A diverted output stays where it is until
 * output_restore().  Does nothing if `path` is NULL.
 */
void	output_rotate(struct output *, const char *path);

/*
 * Diverts the output to another file until the next call, or until
 * output_restore().  Returns 0 or -errno.
 */
int	output_divert(struct output *, const char *path);
void	output_restore(struct output *);

/*
 * Appends a text of a program as "%*.*s" would; a negative width aligns it on
 * the left.  On a terminal its control characters are replaced, but for line
 * ends and tabs.
 */
void	output_text(struct output *, int width, size_t length,
	    const char *text);

/* Discards the content of the file so far. */
void	output_truncate(struct output *);

/*
 * Writes the buffer, and adds to `written` the records that were written: the
 * caller counts those that it has completed in `records`.  After an error all
 * later output is discarded; the caller may check `error` at any time.  Once
 * the run has to end (signals_late()), a write that would wait is the error
 * ECANCELED, and `late` and `late_bytes` count the discarded output.
 */
void	output_flush(struct output *);

/* Returns the name of the file of the error; file: argument of -o, or NULL. */
const char *output_failed(const struct output *, const char *file);

/*
 * Returns true if the pipe has no reader any more, or the terminal has hung up.
 * Nothing is lost by that while there is nothing to write.
 */
bool	output_unread(const struct output *);

void	output_grow(struct output *, size_t);

/*
 * Counts the steps of a search towards the output's bound, as what it prints
 * may be short: STEPS_BYTE steps are a byte.
 */
void	output_steps(struct output *, size_t steps);

/*
 * output_bound() cuts the output after `most` more bytes: the rest up to
 * output_unbound() is discarded, soon after which `cut` is set, so that loops
 * can end.  output_unbound() returns how many of the bytes were not used.
 */
void	output_bound(struct output *, size_t most);
size_t	output_unbound(struct output *);

/* Returns how many bytes the output may have before it is cut. */
static inline size_t
output_left(const struct output *out)
{
	return (out->used < out->end ? out->end - out->used : 0);
}

/* Returns room for n bytes; output_taken() adds the bytes put there. */
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

/* Adds the bytes before p, and returns room for n more after them. */
static inline char *
output_more(struct output *out, const char *p, size_t n)
{
	output_taken(out, p);
	return (output_room(out, n));
}

void	output_printf(struct output *, const char *, ...)
	    __attribute__((format(printf, 2, 3)));

/* The put functions write from p on and return the end. */
static inline char *
put_bytes(char *p, const void *bytes, size_t n)
{
	/* The bytes of nothing may be at NULL. */
	if (n != 0)
		memcpy(p, bytes, n);
	return (p + n);
}

/*
 * put_long() copies large pieces at a time, put_run() small ones: mostly one
 * piece, faster than a call.  OUTPUT_SLACK bytes after the source must be
 * readable.
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

/* Returns the length (2 to 4) of the valid UTF-8 sequence at s, or 0. */
unsigned utf8_sequence(const unsigned char *s, size_t size);

#endif
