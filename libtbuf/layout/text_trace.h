/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The text trace in memory: one chunk, mapped from the file text.PID.RANDOM in
 * the runtime directory, which outlives its process.  Any editor can show it.
 *
 *	0                 head                                       head + size
 *	| struct          | newer lines | *EOTRACE* | rest of | older lines    |
 *	| tbuf_trace      |             |           | a line  |                |
 *	                                ^                     ^
 *	                              next                  oldest
 *
 * Positions count all bytes that were ever written; position p is at p % size.
 * A line may be split where the chunk ends, the end mark is not: if it does not
 * fit, blanks fill the rest, and it is written at the beginning.
 *
 * The writer has the process's lock.  It stores a line in these steps, so that
 * a reader that knows the header never sees a part of one, wherever the writer
 * was killed:
 *
 *	oldest		after the lines that the new one overwrites
 *	reserved	after the new line and its mark
 *	mark, line	the mark first; the line's bytes over the old mark last
 *	next		after the new line and its blanks
 *
 * [oldest, next) are whole lines at any time.  A reader that copies the chunk
 * while it is written reads `next' before the bytes, and rereads `oldest' after
 * them.
 */
#ifndef TBUF_LAYOUT_TEXT_TRACE_H
#define TBUF_LAYOUT_TEXT_TRACE_H

#include <stddef.h>
#include <stdint.h>

#define TBUF_TRACE_EYE		"TBUF TEXT TRACE\n"	/* 16 bytes, no NUL */
#define TBUF_TRACE_MARK		"*EOTRACE*\n"
#define TBUF_TRACE_MARK_SIZE	10u
#define TBUF_TRACE_VERSION	1u
#define TBUF_TRACE_NAME		"text"	/* in file names, for "tbuf" */

#define TBUF_TRACE_KB_MIN	16u
#define TBUF_TRACE_KB_MAX	1048576u
#define TBUF_TRACE_KB		10240u
#define TBUF_TRACE_SHARE	16u	/* a child's chunk is 1/16 as large */

struct tbuf_trace {
	char eye[16];		/* TBUF_TRACE_EYE */
	uint32_t version;
	uint32_t head;		/* bytes of this header */
	uint64_t size;		/* bytes of text after it */
	uint64_t oldest;
	uint64_t reserved;
	uint64_t next;
	uint64_t flushed;	/* a flush has written all text before it */
	uint64_t lost;		/* lines lost before the last one written */
	uint32_t pid;		/* in the target's own pid namespace */
	uint32_t exited;	/* 1: its process has ended normally */
	char comm[48];		/* base name of the program, NUL-terminated */
};

/* Returns how many bytes before the chunk's end are blanks that fill it. */
static inline size_t
tbuf_trace_fill(const char *text, size_t size)
{
	size_t n = 0;

	while (n < size && n < TBUF_TRACE_MARK_SIZE &&
	    text[size - 1 - n] == ' ')
		n++;
	return (n < TBUF_TRACE_MARK_SIZE && (n == size ||
	    text[size - 1 - n] == '\n') ? n : 0);
}

_Static_assert(sizeof(TBUF_TRACE_EYE) - 1 ==
    sizeof(((struct tbuf_trace *)0)->eye) &&
    sizeof(TBUF_TRACE_MARK) - 1 == TBUF_TRACE_MARK_SIZE &&
    offsetof(struct tbuf_trace, size) == 24 &&
    offsetof(struct tbuf_trace, pid) == 72 &&
    sizeof(struct tbuf_trace) == 128, "a trace's header");

#endif
