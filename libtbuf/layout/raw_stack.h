/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Raw stacks in records: copied rather than walked (-x ustackunwind); the
 * consumer unwinds them.
 *
 *	+-------+-------+----+----+----+------------------------+
 *	| inner | image | pc | sp | fp | bytes from sp on ...	|
 *	+-------+-------+----+----+----+------------------------+
 *	|   0   | image | frames that are known already ...	|
 *	+-------+-------+---------------------------------------+
 *
 * Words have 64 bits and need not be aligned.  After a call only these three
 * registers are known, and unwind tables rarely need others.  A provider may
 * fire in a function that has no frame: `inner' is a place in it, with
 * TBUF_FRAME_EXACT (machine/program.h), and the registers are the caller's.
 * Otherwise it is equal to pc, or has another number.
 */
#ifndef TBUF_LAYOUT_RAW_STACK_H
#define TBUF_LAYOUT_RAW_STACK_H

#include <stdint.h>

struct tbuf_raw {
	uint64_t inner;
	uint64_t image;
	uint64_t pc, sp, fp;
};

/* Bytes of the stack. */
#define TBUF_RAW_BYTES		8192u

#endif
