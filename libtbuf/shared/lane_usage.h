/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * How much of a lane the programs of a run use that begin and end under it.
 * The first half of a lane is megabytes, which cost a short program more than
 * all else that it does, and most of a script's commands come again and again.
 * Their consumer notes on the board what each has used; the next process with
 * the same program backs many times as much.  A program that is not known, or
 * not for long, has all of the half.
 *
 * A word of the table: the upper bits of a hash of run and program, the lives
 * that were seen, and the binary logarithm of the most bytes.  Whose hash has
 * the same place takes it over: nothing here has to be right.
 */
#ifndef TBUF_SHARED_LANE_USAGE_H
#define TBUF_SHARED_LANE_USAGE_H

#include <stdint.h>

#define TBUF_USAGE_WORDS	512u
#define TBUF_USAGE_NAME		64u	/* bytes of a program's name */
#define TBUF_USAGE_LIVES	4u	/* till a program is known */
#define TBUF_USAGE_TIMES	16u	/* as much as was used */
#define TBUF_USAGE_LEAST	4096u	/* however little that was; */
#define TBUF_USAGE_MIN		65536u	/* of a lane that will be used, */
#define TBUF_USAGE_WELL		7u	/* or after so many lives */
#define TBUF_USAGE_MIN_WELL	16384u	/* so much: each page is 4 us */
/* At most of a lane that may not be used at all: another CPU's. */
#define TBUF_USAGE_OTHERS	262144u

/* A process of this program has ended; it had so many bytes in a lane. */
void	tbuf_usage_note(uint64_t *words, uint64_t run, const char *program,
	    uint64_t bytes);
/* Bytes of a lane that the next one may want, if it wants any; ... */
struct tbuf_usage {
	uint64_t first;		/* UINT64_MAX: not known */
	uint64_t own;		/* ... and of the one that it will use */
};

struct tbuf_usage tbuf_usage_look(const uint64_t *words, uint64_t run,
	    const char *program);

#endif
