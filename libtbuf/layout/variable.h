/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Variables of threads, and associative arrays.
 */
#ifndef TBUF_LAYOUT_VARIABLE_H
#define TBUF_LAYOUT_VARIABLE_H

#include "layout/common.h"

/*
 * A thread's variables, as codes.threads places them behind this.  Blocks are
 * in slot.blocks, one behind the other, and 0 to begin with.
 *
 *	thread	looks at the blocks from number % blocks on, as many as
 *		TBUF_BLOCK_PROBES: one is free if it has no owner; the thread
 *		claims it by one swap of both words, stores to it, and keeps
 *		it.  Nobody else stores there while the thread lives.
 *	consumer when the kernel has no such thread any more: the variables
 *		become 0, then tid, then owner (release).
 */
struct tbuf_block {
	uint64_t owner;		/* (a) its thread's number; 0: it is free */
	uint64_t tid;		/* (a) as the thread knows it; 0: unknown */
	/* the variables (t) */
};

/*
 * Elements of associative arrays are in slot.dynamic, in sets of
 * TBUF_ELEMENT_SET, 0 to begin with:
 *
 *	+---------------+-  -+---------------+--------+-  -+--------+
 *	| state   value |    | state   value | body   |    | body   |
 *	+---------------+-  -+---------------+--------+-  -+--------+
 * The value is a number; bytes are in the body behind the key.  A body is its
 * sequence; id | scope << 16 | bytes of the key << 32; the number of the thread
 * (0: it is no thread's array); the key, padded with zeroes; then such bytes.
 *
 *	   (a) swap of the pair        (t) publish            (a) swap
 *	FREE ----------------> CLAIMED ----------> and READY ---------> LIVE
 *	  ^                                                              | ^
 *	  |  (a) 0 is stored                     (a) bytes are stored    v |
 *	  +----------------------------------- LIVE -------------> UPDATING
 * A state is FREE or LIVE with a sequence that rises each time it becomes so,
 * and bits of the key's hash; or CLAIMED or UPDATING with the number of the
 * thread that does that.  A number that is stored into what lives is a swap of
 * the pair, too: it fails if the element has become another's.
 */
#define TBUF_ELEMENT_SET	8u
#define TBUF_ELEMENT_HEAD	3u	/* words of a body before its key */
#define TBUF_ELEMENT_FREE	0u	/* the low two bits of a state */
#define TBUF_ELEMENT_LIVE	1u
#define TBUF_ELEMENT_CLAIMED	2u
#define TBUF_ELEMENT_UPDATING	3u
#define TBUF_ELEMENT_READY	4u	/* of what is claimed */
#define TBUF_ELEMENT_LOCKED	8u	/* under a lock, or by a consumer */
#define TBUF_ELEMENT_CONSUMER	(UINT64_MAX >> 4)	/* its number */

#define TBUF_BLOCK_PROBES	64u	/* blocks that a thread looks at */
#define TBUF_BLOCKS_MAX		0xfffffu

_Static_assert(sizeof(struct tbuf_block) == 16, "tbuf_block");

#endif
