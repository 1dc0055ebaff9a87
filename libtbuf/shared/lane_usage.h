/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * How many bytes of a lane the programs use that begin and end during a run.
 * Backing the first half of a lane, megabytes, costs a short program more than
 * the rest of its work, and a shell script runs most of its commands
 * repeatedly.  The consumer notes each program's use on the board; the next
 * process with the same program backs TBUF_USAGE_TIMES as much.  A program
 * without a life backs the whole half; until it has TBUF_USAGE_LIVES, its own
 * lane has at least TBUF_USAGE_NEW, halved for each life.
 *
 * The same is known of aggregation tables, as that of the run
 * TBUF_USAGE_TABLES(run): the first ones of a known program are small, and the
 * consumer switches to the second ones when more is used.
 *
 * A word of the table has the upper bits of a hash of run and program, the
 * lives seen, and the binary logarithm of the most bytes.  A program that
 * hashes to the same place replaces the word: the table is only a hint.
 */
#ifndef TBUF_SHARED_LANE_USAGE_H
#define TBUF_SHARED_LANE_USAGE_H

#include <stdint.h>

#define TBUF_USAGE_WORDS	512u
#define TBUF_USAGE_NAME		64u	/* bytes of a program's name */
#define TBUF_USAGE_LIVES	4u	/* lives until a program is known */
#define TBUF_USAGE_NEW		2097152u /* least before that, halved for each */
#define TBUF_USAGE_TIMES	16u	/* factor on the bytes used */
#define TBUF_USAGE_LEAST	4096u	/* least bytes of any lane */
#define TBUF_USAGE_MIN		65536u	/* least of the lane to be used */
#define TBUF_USAGE_WELL		7u	/* lives until it is well known */
#define TBUF_USAGE_MIN_WELL	16384u	/* that least then; a page costs 4 us */
/* Most bytes of a lane that may stay unused: another CPU's. */
#define TBUF_USAGE_OTHERS	262144u

#define TBUF_USAGE_TABLES(run)	(~(run))
/*
 * Least bytes of the table that it will use: thousands of keys, as a program
 * that had few in its first runs may make many before its consumer looks.
 */
#define TBUF_USAGE_OWN_TABLE	262144u
#define TBUF_USAGE_TABLE	8192u	/* more bytes of another CPU's table */

/* Notes the bytes that an ended process of this program had in a lane. */
void	tbuf_usage_note(uint64_t *words, uint64_t run, const char *program,
	    uint64_t bytes);
/* Bytes to back in a process's lanes; both UINT64_MAX if not known. */
struct tbuf_usage {
	uint64_t first;		/* of a lane that it may use */
	uint64_t own;		/* of the lane that it will use */
};

struct tbuf_usage tbuf_usage_look(const uint64_t *words, uint64_t run,
	    const char *program);

#endif
