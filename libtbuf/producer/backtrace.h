/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The last records of this process, as text: found in the lanes, put in order,
 * written.  All of it is async-signal-safe and takes no memory.
 */
#ifndef TBUF_PRODUCER_BACKTRACE_H
#define TBUF_PRODUCER_BACKTRACE_H

#include <stddef.h>
#include <stdint.h>

#include "common/view.h"
#include "producer/producer.h"

/* Where a record is: it may be overwritten before it is printed. */
struct tbuf_last {
	uint64_t time;
	uint64_t generation;	/* of its session */
	uint64_t lane;		/* offset of its words */
	uint64_t at;		/* in the lane's stream */
	unsigned slot;
};

/* Copy what lies at a position of the lane's stream. */
void	tbuf_last_copy(const struct tbuf_place *, uint64_t at, void *to,
	    size_t size) TBUF_HIDDEN;
/* Where the lane's oldest record is. */
uint64_t tbuf_last_tail(const struct tbuf_slot *, const struct tbuf_lane *)
	    TBUF_HIDDEN;
/* Does a record of this size fit before `end`? */
static inline bool
tbuf_last_plausible(const struct tbuf_place *p, uint16_t size, uint64_t left)
{
	uint64_t least = tbuf_load(&p->lane->kind) == TBUF_KIND_LOCK ?
	    sizeof(struct tbuf_lock_record) : sizeof(struct tbuf_header);

	return (size >= least && size % 8 == 0 && size <= TBUF_RECORD_MAX &&
	    size <= left);
}

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

/*
 * A record's data: `size` bytes behind its header, of the session in a slot.
 * Nothing of them is believed.
 */
void	tbuf_lines_record(struct tbuf_lines *, const struct tbuf_view *,
	    const struct tbuf_slot *, uint32_t epid, const unsigned char *data,
	    size_t size) TBUF_HIDDEN;

#endif
