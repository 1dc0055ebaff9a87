/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The layout's version and numbers, and structures that several parts use.
 */
#ifndef TBUF_LAYOUT_COMMON_H
#define TBUF_LAYOUT_COMMON_H

#include <stddef.h>
#include <stdint.h>

#define TBUF_MAGIC		"tbuf\nctl"	/* eye-catcher, 8 bytes */
#define TBUF_BYTE_ORDER		0x01020304u
#define TBUF_MAJOR		2	/* another major is refused */
#define TBUF_MINOR		2	/* a higher minor only appends */

#define TBUF_NSESSIONS		32	/* bits of an enable word */
#define TBUF_NPROBES_MAX	65536	/* entries of the largest probe table */
#define TBUF_NPROBES_MIN	1024	/* least entries: a page of words */
#define TBUF_PROBE_STRINGS	128	/* bytes of strings for each probe */
#define TBUF_NARGS		10
#define TBUF_NCPUS		1024	/* CPUs from this number: lock lanes */
#define TBUF_NLANES		(2 * TBUF_NCPUS) /* of a session, at most */
#define TBUF_NLOCKS		24	/* a session's lock lanes and spares */
#define TBUF_RECORD_MAX		32768	/* bytes; bounds the ring's walk */
#define TBUF_BUFSIZE_MIN	16
#define TBUF_STRSIZE_MIN	2	/* a byte and the NUL */
#define TBUF_STRSIZE_MAX	TBUF_RECORD_MAX
#define TBUF_PAGE		4096u	/* bytes that are backed together */

/* Offsets of the fixed part; those of the tables are in struct tbuf_tables. */
#define TBUF_TEXT_ORDER		0x800u
#define TBUF_SLOTS		0x1000u
#define TBUF_SLOT_SIZE		0x2000u
#define TBUF_TABLES		0x41000u

/* One moment by three clocks: a calibration point of the record clock. */
struct tbuf_moment {
	uint64_t ticks;		/* the target's record clock */
	uint64_t mono;		/* CLOCK_MONOTONIC, ns */
	uint64_t real;		/* CLOCK_REALTIME, ns */
};

/* A part of a session area. */
struct tbuf_part {
	uint64_t at;		/* offset; 0: no such part */
	uint64_t size;		/* bytes */
};

#define TBUF_ASSERT_OFFSET(type, field, offset)				\
	_Static_assert(offsetof(struct type, field) == (offset),	\
	    #type "." #field)

_Static_assert(TBUF_SLOTS + TBUF_NSESSIONS * TBUF_SLOT_SIZE == TBUF_TABLES,
    "slots");

#endif
