/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Instruction words for D programs that tests write by hand.
 */
#ifndef TESTS_LIB_MACHINE_WORD_H
#define TESTS_LIB_MACHINE_WORD_H

#include "machine/code.h"

/* tbuf_word() as a constant expression. */
#define W(op, a, b, c, i)	((uint64_t)TBUF_OP_##op |		\
	(uint64_t)(a) << 8 | (uint64_t)(b) << 16 | (uint64_t)(c) << 24 | \
	(uint64_t)(uint32_t)(i) << 32)

#endif
