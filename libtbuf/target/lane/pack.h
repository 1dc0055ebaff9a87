/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The arguments of a fire as the words or segments of a record.
 */
#ifndef TBUF_TARGET_LANE_PACK_H
#define TBUF_TARGET_LANE_PACK_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/rseq_types.h"
#include "target/target.h"

/*
 * A record's data in the making: 64-bit words, where there is nothing but
 * arguments of fixed size and short texts, else segments.  `stage` holds the
 * words, or what is not copied straight from the caller's memory: at most 10 x
 * (7 padding + 8) bytes, the last padding, and eight that may be zeroed behind
 * it; a text splits it in two segments.
 */
#define TBUF_STAGE_WORDS	32
#define TBUF_SEGMENTS_MAX	(2 + 2 * TBUF_NARGS)

struct tbuf_pack {
	uint64_t size;			/* of the data, a multiple of 8 */
	bool words;			/* the stage has all of them */
	struct tbuf_segment *end;
	struct tbuf_segment segments[TBUF_SEGMENTS_MAX];
	uint64_t stage[TBUF_STAGE_WORDS];
};

/*
 * Lay the arguments out.  segments[0] is left to the caller (a lock lane's
 * CPU word).  Texts stay where they are; their lengths are taken now.
 */
void	tbuf_pack(const struct tbuf_site *, const uint64_t *values,
	    uint32_t strsize, struct tbuf_pack *) TBUF_HIDDEN;

/*
 * The words alone, and how many bytes those are, or 0: the texts are too long
 * for the stage.  A string is read once: its bytes and its length belong
 * together, whatever another thread makes of it.  For TBUF_SHAPE_STRING
 * pack_string.h has the same.
 */
uint64_t tbuf_pack_texts(const struct tbuf_site *, const uint64_t *values,
	    uint32_t strsize, uint64_t words[TBUF_STAGE_WORDS]) TBUF_HIDDEN;
/* The words of a string alone, which end a key (key_hash.h). */
struct tbuf_key_text tbuf_pack_key(uint64_t string, uint32_t strsize,
	    uint64_t *words, uint64_t factor) TBUF_HIDDEN;

/* Arguments without a text: their words, and how many bytes those are. */
uint64_t tbuf_pack_fixed(const struct tbuf_site *, const uint64_t *values,
	    uint64_t words[TBUF_NARGS]) TBUF_HIDDEN;

/* What a site's arguments are. */
enum tbuf_shape {
	TBUF_SHAPE_FLAT,	/* all 64 bits wide: data as they come */
	TBUF_SHAPE_FIXED,	/* no text among them */
	TBUF_SHAPE_STRING,	/* one at the end of what would be flat */
	TBUF_SHAPE_TEXT
};
enum tbuf_shape tbuf_pack_shape(const struct tbuf_site *) TBUF_HIDDEN;

#endif
