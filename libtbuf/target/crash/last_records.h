/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The last records of this process, as text: found in the lanes, sorted,
 * written.  All of it is async-signal-safe and allocates no memory.
 */
#ifndef TBUF_TARGET_CRASH_LAST_RECORDS_H
#define TBUF_TARGET_CRASH_LAST_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "shared/file_view.h"
#include "target/lane/lane.h"
#include "target/self/thread.h"

/* Where a record is.  Units' records have the format of a lock lane's. */
enum tbuf_last_place {
	TBUF_LAST_LANE,
	TBUF_LAST_ENVELOPE,	/* in a record of a lane */
	TBUF_LAST_TABLE		/* in a unit's table */
};

/* The place of a record, which may be overwritten before it is printed. */
struct tbuf_last {
	uint64_t time;
	uint64_t generation;	/* of its session */
	uint64_t lane;		/* offset of its words, or of the table's
				 * entry */
	uint64_t at;		/* in the lane's stream; a table's: offset */
	uint64_t unit;		/* id */
	uint64_t instance;	/* of the table */
	uint64_t laps;		/* of the table when it was written */
	unsigned slot;
	enum tbuf_last_place place;
};

#define TBUF_LASTS	1024

struct tbuf_lasts {
	unsigned count, most;
	uint64_t seen;
	struct tbuf_last heap[TBUF_LASTS];
};

/* Adds a record if it is one of the youngest so far. */
void	tbuf_last_keep(struct tbuf_lasts *, const struct tbuf_last *)
	    TBUF_HIDDEN;
/* Sorts by rising time; the array is not a heap afterwards. */
void	tbuf_last_sort(struct tbuf_lasts *) TBUF_HIDDEN;

/* Copies bytes at a position of the lane's stream. */
void	tbuf_last_copy(const struct tbuf_place *, uint64_t at, void *to,
	    size_t size) TBUF_HIDDEN;
/* Returns the position of the lane's oldest record. */
uint64_t tbuf_last_tail(const struct tbuf_slot *, const struct tbuf_lane *)
	    TBUF_HIDDEN;

/*
 * Adds the records of a session's unfinished units; before the lanes are
 * walked.
 */
void	tbuf_last_tables(struct tbuf_lasts *, const struct tbuf_view *,
	    unsigned slot) TBUF_HIDDEN;
/* Adds the records of an envelope or a commit record at `last'. */
void	tbuf_last_unit(struct tbuf_lasts *, const struct tbuf_view *,
	    const struct tbuf_place *, struct tbuf_last last,
	    const struct tbuf_header *) TBUF_HIDDEN;
/* Copies a record out of a table.  Returns false if it was overwritten. */
bool	tbuf_last_table_copy(const struct tbuf_view *,
	    const struct tbuf_last *, void *to) TBUF_HIDDEN;

/* Releases the lock of a thread that has left tbuf_backtrace() by a jump. */
void	tbuf_backtrace_abandon(void) TBUF_HIDDEN;

/* Text to be written to a descriptor. */
struct tbuf_lines {
	int fd;
	int error;		/* 0 or -errno of write(2) */
	size_t used;
	char bytes[1024];
};
void	tbuf_lines_put(struct tbuf_lines *, const char *, size_t) TBUF_HIDDEN;
void	tbuf_lines_text(struct tbuf_lines *, const char *) TBUF_HIDDEN;
/* Appends a number with at least `digits' digits. */
void	tbuf_lines_number(struct tbuf_lines *, uint64_t, unsigned base,
	    unsigned digits) TBUF_HIDDEN;
void	tbuf_lines_flush(struct tbuf_lines *) TBUF_HIDDEN;
/* Appends the seconds since a time of the record clock. */
void	tbuf_lines_age(struct tbuf_lines *, const struct tbuf_view *,
	    const struct tbuf_moment *now, uint64_t time) TBUF_HIDDEN;
/* Appends a line for each of a session's unfinished units. */
void	tbuf_lines_units(struct tbuf_lines *, const struct tbuf_view *,
	    unsigned slot, const struct tbuf_moment *now) TBUF_HIDDEN;

/*
 * Appends a record's data: `size' bytes after its header, of the session in a
 * slot.  All of them are checked.
 */
void	tbuf_lines_record(struct tbuf_lines *, const struct tbuf_view *,
	    const struct tbuf_slot *, uint32_t epid, const unsigned char *data,
	    size_t size) TBUF_HIDDEN;

#endif
