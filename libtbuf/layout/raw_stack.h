/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Stacks in records that were not walked, but copied (-x ustackunwind): the
 * consumer unwinds them.
 *
 *	+-------+-------+----+----+----+------------------------+
 *	|   3   | image | pc | sp | fp | bytes from sp on ...	|
 *	+-------+-------+----+----+----+------------------------+
 *	|   0   | image | frames that are known already ...	|
 *	+-------+-------+---------------------------------------+
 *
 * Words of 64 bits, which need not be aligned.  Of the registers a call leaves
 * these three to be known, and tables rarely ask for others.
 */
#ifndef TBUF_LAYOUT_RAW_STACK_H
#define TBUF_LAYOUT_RAW_STACK_H

#include <stdint.h>

struct tbuf_raw {
	uint64_t registers;		/* how many follow the image */
	uint64_t image;
	uint64_t pc, sp, fp;
};

#define TBUF_RAW_REGISTERS	3u
/* Bytes in front of frames that are known. */
#define TBUF_RAW_KNOWN		16u
/* Of the stack. */
#define TBUF_RAW_BYTES		8192u

#endif
