/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The last records of this process, as text: found in the lanes, put in order,
 * written.  All of it is async-signal-safe and takes no memory.
 */
#ifndef TBUF_TARGET_CRASH_LAST_RECORDS_H
#define TBUF_TARGET_CRASH_LAST_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "shared/file_view.h"
#include "target/lane/lane.h"
#include "target/self/thread.h"

/* Those of units are as those of a lock lane. */
enum tbuf_last_place {
	TBUF_LAST_LANE,
	TBUF_LAST_ENVELOPE,	/* within a record of a lane */
	TBUF_LAST_TABLE		/* of a unit */
};

/* Where a record is: it may be overwritten before it is printed. */
struct tbuf_last {
	uint64_t time;
	uint64_t generation;	/* of its session */
	uint64_t lane;		/* offset of its words, or of the table's */
	uint64_t at;		/* in the lane's stream; a table's: offset */
	uint64_t unit;		/* id */
	uint64_t instance;	/* of the table */
	uint64_t laps;		/* of the table, when it was written */
	unsigned slot;
	enum tbuf_last_place place;
};

#define TBUF_LASTS	1024

struct tbuf_lasts {
	unsigned count, most;
	uint64_t seen;
	struct tbuf_last heap[TBUF_LASTS];
};

/* It is one of the last, as far as is known. */
void	tbuf_last_keep(struct tbuf_lasts *, const struct tbuf_last *)
	    TBUF_HIDDEN;
/* The youngest first, from the end on: then they rise.  It is no heap then. */
void	tbuf_last_sort(struct tbuf_lasts *) TBUF_HIDDEN;

/* Copy what lies at a position of the lane's stream. */
void	tbuf_last_copy(const struct tbuf_place *, uint64_t at, void *to,
	    size_t size) TBUF_HIDDEN;
/* Where the lane's oldest record is. */
uint64_t tbuf_last_tail(const struct tbuf_slot *, const struct tbuf_lane *)
	    TBUF_HIDDEN;
/* What stands in front of a record's data there. */
static inline uint64_t
tbuf_last_front(const struct tbuf_place *p)
{
	return (tbuf_load(&p->lane->kind) == TBUF_KIND_LOCK ?
	    sizeof(struct tbuf_lock_record) : sizeof(struct tbuf_header));
}

/* Does a record of this size fit before `end`? */
static inline bool
tbuf_last_plausible(const struct tbuf_place *p, uint16_t size, uint64_t left)
{
	return (size >= tbuf_last_front(p) && size % 8 == 0 &&
	    size <= TBUF_RECORD_MAX && size <= left);
}

/* What is in the tables of a session's units that have not ended; first. */
void	tbuf_last_tables(struct tbuf_lasts *, const struct tbuf_view *,
	    unsigned slot) TBUF_HIDDEN;
/* What an envelope or a mark stands for, which `last' is the place of. */
void	tbuf_last_unit(struct tbuf_lasts *, const struct tbuf_view *,
	    const struct tbuf_place *, struct tbuf_last last,
	    const struct tbuf_header *) TBUF_HIDDEN;
/* Copy a record out of a table; false: it is not there any more. */
bool	tbuf_last_table_copy(const struct tbuf_view *,
	    const struct tbuf_last *, void *to) TBUF_HIDDEN;

/* The thread that was at it does not come back. */
void	tbuf_backtrace_abandon(void) TBUF_HIDDEN;

/* Text on its way to a descriptor. */
struct tbuf_lines {
	int fd;
	int error;		/* 0 or -errno of write(2) */
	size_t used;
	char bytes[1024];
};
void	tbuf_lines_put(struct tbuf_lines *, const char *, size_t) TBUF_HIDDEN;
void	tbuf_lines_text(struct tbuf_lines *, const char *) TBUF_HIDDEN;
/* At least so many digits. */
void	tbuf_lines_number(struct tbuf_lines *, uint64_t, unsigned base,
	    unsigned digits) TBUF_HIDDEN;
void	tbuf_lines_flush(struct tbuf_lines *) TBUF_HIDDEN;
/* Seconds since a time of the record clock. */
void	tbuf_lines_age(struct tbuf_lines *, const struct tbuf_view *,
	    const struct tbuf_moment *now, uint64_t time) TBUF_HIDDEN;
/* A line for each of a session's units that have not ended. */
void	tbuf_lines_units(struct tbuf_lines *, const struct tbuf_view *,
	    unsigned slot, const struct tbuf_moment *now) TBUF_HIDDEN;

/*
 * A record's data: `size` bytes behind its header, of the session in a slot.
 * Nothing of them is believed.
 */
void	tbuf_lines_record(struct tbuf_lines *, const struct tbuf_view *,
	    const struct tbuf_slot *, uint32_t epid, const unsigned char *data,
	    size_t size) TBUF_HIDDEN;

#endif
