/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Packs the arguments of a fire into the words or segments of a record.
 */
#ifndef TBUF_TARGET_LANE_PACK_H
#define TBUF_TARGET_LANE_PACK_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/rseq_types.h"
#include "target/target.h"

/*
 * A record's data under construction: 64-bit words, if all arguments have fixed
 * sizes or are short texts, else segments.  `stage' holds the words, or the
 * bytes that are not copied directly from the caller's memory: at most 10 x (7
 * padding + 8) bytes, the last padding, and eight that may be zeroed after it;
 * each text splits it in two segments.
 */
#define TBUF_STAGE_WORDS	32
#define TBUF_SEGMENTS_MAX	(2 + 2 * TBUF_NARGS)

struct tbuf_pack {
	uint64_t size;			/* of the data, a multiple of 8 */
	bool words;			/* all of them are in the stage */
	struct tbuf_segment *end;
	struct tbuf_segment segments[TBUF_SEGMENTS_MAX];
	uint64_t stage[TBUF_STAGE_WORDS];
};

/*
 * Packs the arguments.  segments[0] is reserved for the caller (a lock lane's
 * CPU word).  Texts in segments are not copied, but their lengths are read now.
 */
void	tbuf_pack(const struct tbuf_site *, const uint64_t *values,
	    uint32_t strsize, struct tbuf_pack *) TBUF_HIDDEN;

/*
 * Packs the arguments into words.  Returns their bytes, 0 if the texts are too
 * long for the stage.  A string is read once: its bytes and its length match
 * even if another thread changes it.  TBUF_SHAPE_STRING has its own version in
 * pack_string.h.
 */
uint64_t tbuf_pack_texts(const struct tbuf_site *, const uint64_t *values,
	    uint32_t strsize, uint64_t words[TBUF_STAGE_WORDS]) TBUF_HIDDEN;
/* Packs a string into the last words of a key (key_hash.h). */
struct tbuf_key_text tbuf_pack_key(uint64_t string, uint32_t strsize,
	    uint64_t *words, uint64_t factor) TBUF_HIDDEN;

/* Packs arguments without texts.  Returns the bytes of their words. */
uint64_t tbuf_pack_fixed(const struct tbuf_site *, const uint64_t *values,
	    uint64_t words[TBUF_NARGS]) TBUF_HIDDEN;

/* The kinds of arguments that a site has. */
enum tbuf_shape {
	TBUF_SHAPE_FLAT,	/* all have 64 bits: they are the data */
	TBUF_SHAPE_FIXED,	/* no texts */
	TBUF_SHAPE_STRING,	/* flat but for a string at the end */
	TBUF_SHAPE_TEXT
};
enum tbuf_shape tbuf_pack_shape(const struct tbuf_site *) TBUF_HIDDEN;

#endif
