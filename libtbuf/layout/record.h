/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A record as it is stored in a lane.
 */
#ifndef TBUF_LAYOUT_RECORD_H
#define TBUF_LAYOUT_RECORD_H

#include "layout/common.h"

/*
 * The header of a record, before its data.  In a lock lane a word with the CPU
 * on which the record was written precedes the data (struct tbuf_lock_record).
 * Data: fixed-size arguments at their own size and alignment; a string or
 * bytes as a 16-bit word, aligned to 2 (bits 0-14 the length, bit 15 set if
 * it was cut; 0x8000 alone, length 0 and cut, is NULL) and the bytes.  The
 * record is padded to 8 with zeroes.
 */
struct tbuf_header {
	uint64_t time;		/* record clock */
	uint16_t epid;
	uint16_t size;		/* bytes with this header, a multiple of 8 */
	uint32_t tid;
};

struct tbuf_lock_record {
	struct tbuf_header header;
	uint32_t cpu;		/* UINT32_MAX: not known */
	uint32_t reserved;
};

#define TBUF_TEXT_CUT	0x8000u
#define TBUF_TEXT_NULL	0x8000u

_Static_assert(sizeof(struct tbuf_header) == 16, "tbuf_header");
_Static_assert(sizeof(struct tbuf_lock_record) == 24, "tbuf_lock_record");
_Static_assert(TBUF_STRSIZE_MAX <= TBUF_TEXT_CUT, "lengths of texts");

#endif
