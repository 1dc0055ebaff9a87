/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Rows of a table of findings (patch/table.h): the places of a text, and the
 * calls of its function that can be cancelled.
 *
 *	struct syscall_table_row
 *	its moves: those before the instruction, then those after it
 *	its bytes: the text that the jump replaces or the stub repeats
 *
 * The function's row is the first one.  The others come in ascending order, and
 * no jump overlaps another.  Nothing is aligned.
 */
#ifndef PROVIDERS_SYSCALL_SITE_TABLE_H
#define PROVIDERS_SYSCALL_SITE_TABLE_H

#include "syscall.h"

#include "patch/table.h"
#include "patch/x86_64.h"

#pragma GCC visibility push(hidden)

enum syscall_table_kind {
	SYSCALL_TABLE_PLACE,	/* a place */
	SYSCALL_TABLE_FUNCTION,	/* the start of the function (cancel.c) */
	SYSCALL_TABLE_CALLER	/* a call of it */
};

#define SYSCALL_TABLE_ENDED	0x1u	/* the last move ends a block */

struct syscall_table_row {
	uint32_t at;		/* offset in the text */
	int16_t number;		/* of a place */
	uint8_t kind;
	uint8_t flags;
	uint8_t head, tail;	/* as in struct syscall_found */
	uint8_t nbefore, nafter; /* moves */
};

_Static_assert(sizeof(struct syscall_table_row) == 12, "it has no padding");

/* A row with its moves, read and checked. */
struct syscall_finding {
	enum syscall_table_kind kind;
	struct syscall_found found;
	struct patch_moves before, after;
};

/* A reader of rows; `at' is the next one. */
struct syscall_rows {
	const struct patch_text *text;
	const uint8_t *bytes;
	size_t size, at;
	uintptr_t end;		/* of the last row's jump */
	uintptr_t function;	/* 0: no row had it yet */
};

/*
 * Reads the next row.  Returns 1, 0 at the end, or -1 for a row that is wrong
 * or does not agree with the text.
 */
int	syscall_rows_next(struct syscall_rows *, struct syscall_finding *);

/* Appends a row.  Returns false if there is no room. */
bool	syscall_rows_add(struct patch_table *, const struct patch_text *,
	    const struct syscall_finding *);

#pragma GCC visibility pop

#endif
