/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Variables of threads, and associative arrays.
 */
#ifndef TBUF_LAYOUT_VARIABLE_H
#define TBUF_LAYOUT_VARIABLE_H

#include "layout/common.h"

/*
 * A block has the variables of one thread after this header, where
 * codes.threads places them.  Blocks are in slot.blocks, one after the other,
 * initially 0.
 *
 *	thread	searches TBUF_BLOCK_PROBES blocks from number % blocks on for
 *		one without owner, claims it by one swap of both words, stores
 *		to it, and retains it.  No other thread stores there while this
 *		one lives.
 *	consumer when the kernel has no such thread any more, stores 0 to the
 *		variables, then to tid, then to owner (release).
 */
struct tbuf_block {
	uint64_t owner;		/* (a) its thread's number; 0: free */
	uint64_t tid;		/* (a) in the thread's namespace; 0: unknown */
	/* the variables (t) */
};

/*
 * Elements of associative arrays are in slot.dynamic, in sets of
 * TBUF_ELEMENT_SET, initially 0:
 *
 *	+---------------+-  -+---------------+--------+-  -+--------+
 *	| state   value |    | state   value | body   |    | body   |
 *	+---------------+-  -+---------------+--------+-  -+--------+
 * The value is a number; bytes are in the body after the key.  A body has its
 * sequence; id | scope << 16 | bytes of the key << 32; the number of the
 * thread (0 if it is not a thread's array); the key, padded with zeroes; then
 * the bytes of the value, if it is not a number.
 *
 *	   (a) swap of the pair        (t) publish            (a) swap
 *	FREE ----------------> CLAIMED ----------> and READY ---------> LIVE
 *	  ^                                                              | ^
 *	  |  (a) 0 is stored                     (a) bytes are stored    v |
 *	  +----------------------------------- LIVE -------------> UPDATING
 * A state is FREE or LIVE with a sequence that rises each time it becomes so,
 * and bits of the key's hash; or CLAIMED or UPDATING with the number of the
 * thread that writes the element.  Storing a number into a LIVE element is a
 * swap of the pair, too: it fails if the element has another key by then.
 */
#define TBUF_ELEMENT_SET	8u
#define TBUF_ELEMENT_HEAD	3u	/* words of a body before its key */
#define TBUF_ELEMENT_FREE	0u	/* the low two bits of a state */
#define TBUF_ELEMENT_LIVE	1u
#define TBUF_ELEMENT_CLAIMED	2u
#define TBUF_ELEMENT_UPDATING	3u
#define TBUF_ELEMENT_READY	4u	/* CLAIMED, and the key is stored */
#define TBUF_ELEMENT_LOCKED	8u	/* by a lock's holder, or a consumer */
#define TBUF_ELEMENT_CONSUMER	(UINT64_MAX >> 4)	/* its number */

#define TBUF_BLOCK_PROBES	64u	/* blocks that a thread searches */
#define TBUF_BLOCKS_MAX		0xfffffu

_Static_assert(sizeof(struct tbuf_block) == 16, "tbuf_block");

#endif
