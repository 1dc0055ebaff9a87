/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The tables of machine/code.h, for code that inspects programs without running
 * them.
 */
#ifndef TBUF_MACHINE_NAMES_H
#define TBUF_MACHINE_NAMES_H

#include "machine/machine.h"

/* Names are arrays: pointers would cost each program with the library. */
struct tbuf_operation_row {
	char name[16];		/* empty: there is no such operation */
	char fields[4];		/* the kinds of a, b and c */
	char immediate;
};

struct tbuf_subroutine_row {
	char name[16];		/* empty: there is no such subroutine */
	uint8_t least;		/* arguments */
	uint8_t most;
};

extern const struct tbuf_operation_row tbuf_operation_table[256]
    __attribute__((visibility("hidden")));
extern const struct tbuf_subroutine_row tbuf_subroutine_table[256]
    __attribute__((visibility("hidden")));

#endif
