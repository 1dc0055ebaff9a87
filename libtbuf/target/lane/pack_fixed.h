/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Packs a few fixed-size arguments into words without their types: the position
 * of each argument is computed when the site registers.
 */
#ifndef TBUF_TARGET_LANE_PACK_FIXED_H
#define TBUF_TARGET_LANE_PACK_FIXED_H

#include "target/target.h"

/* Most arguments of a site that has a packing. */
#define TBUF_PACKING_ARGS	4

/* An argument is shifted by a multiplication; surplus bits are masked. */
struct tbuf_packing {
	uint64_t mask[TBUF_PACKING_ARGS];	/* its bits in the word */
	uint64_t factor[TBUF_PACKING_ARGS];	/* 1: it is a word's first */
};

/*
 * Packings of this process.  `index' has an index of `made' for the arguments'
 * sizes, two bits each, the first uppermost, after a 1; `made' fills from 1 on.
 * A program has few packings, all in one page.
 */
#define TBUF_PACKINGS		(2u << 2 * TBUF_PACKING_ARGS)
struct tbuf_packings {
	uint16_t index[TBUF_PACKINGS];	/* 0: there is none yet */
	struct tbuf_packing made[TBUF_PACKINGS];
};
extern struct tbuf_packings tbuf_packings TBUF_HIDDEN;

/*
 * Sets the packing of a site without texts.  Returns a bit for each argument
 * that begins a word, from bit 0 on, and one above them; 0: too many arguments.
 */
unsigned tbuf_packing_make(struct tbuf_site *) TBUF_HIDDEN;

/*
 * An argument that begins a word, one later in a word, and words of some of
 * them.
 */
#define TBUF_PACKING_FIRST(i)	(values[i] & packing->mask[i])
#define TBUF_PACKING_NEXT(i)						\
	(values[i] * packing->factor[i] & packing->mask[i])
#define TBUF_PACKING_1(i)	TBUF_PACKING_FIRST(i)
#define TBUF_PACKING_2(i)						\
	(TBUF_PACKING_1(i) | TBUF_PACKING_NEXT((i) + 1))
#define TBUF_PACKING_3(i)						\
	(TBUF_PACKING_2(i) | TBUF_PACKING_NEXT((i) + 2))
#define TBUF_PACKING_4(i)						\
	(TBUF_PACKING_3(i) | TBUF_PACKING_NEXT((i) + 3))

/*
 * Calls do(tbuf_packing_make()'s result, number of words, words...) with
 * `values' and `packing', for all the ways in which a few arguments share
 * words.
 */
#define TBUF_PACKING_EACH(do)						\
	do(3, 1, TBUF_PACKING_1(0))					\
	do(5, 1, TBUF_PACKING_2(0))					\
	do(7, 2, TBUF_PACKING_1(0), TBUF_PACKING_1(1))			\
	do(9, 1, TBUF_PACKING_3(0))					\
	do(11, 2, TBUF_PACKING_1(0), TBUF_PACKING_2(1))			\
	do(13, 2, TBUF_PACKING_2(0), TBUF_PACKING_1(2))			\
	do(15, 3, TBUF_PACKING_1(0), TBUF_PACKING_1(1),			\
	    TBUF_PACKING_1(2))						\
	do(17, 1, TBUF_PACKING_4(0))					\
	do(19, 2, TBUF_PACKING_1(0), TBUF_PACKING_3(1))			\
	do(21, 2, TBUF_PACKING_2(0), TBUF_PACKING_2(2))			\
	do(23, 3, TBUF_PACKING_1(0), TBUF_PACKING_1(1),			\
	    TBUF_PACKING_2(2))						\
	do(25, 2, TBUF_PACKING_3(0), TBUF_PACKING_1(3))			\
	do(27, 3, TBUF_PACKING_1(0), TBUF_PACKING_2(1),			\
	    TBUF_PACKING_1(3))						\
	do(29, 3, TBUF_PACKING_2(0), TBUF_PACKING_1(2),			\
	    TBUF_PACKING_1(3))						\
	do(31, 4, TBUF_PACKING_1(0), TBUF_PACKING_1(1),			\
	    TBUF_PACKING_1(2), TBUF_PACKING_1(3))

#endif
