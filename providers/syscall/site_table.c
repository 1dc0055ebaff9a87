/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reading and writing rows of a table of findings.
 */
#include "site_table.h"

#include <string.h>

#define CALL		0xe8	/* jmp is the next one */
#define INSTRUCTION	2u	/* bytes of `syscall' */

/* ------------------------------------------------------------------ reading */

static bool
read_bytes(struct syscall_rows *rows, void *to, size_t size)
{
	if (size > rows->size - rows->at)
		return (false);
	memcpy(to, rows->bytes + rows->at, size);
	rows->at += size;
	return (true);
}

static bool
read_moves(struct syscall_rows *rows, unsigned n, struct patch_moves *moves)
{
	size_t taken = 0;
	unsigned i;

	if (n > PATCH_MOVES_MAX ||
	    !read_bytes(rows, moves->list, n * sizeof(moves->list[0])))
		return (false);
	for (i = 0; i < n; i++)
		taken += moves->list[i].length;
	moves->n = (uint8_t)n;
	moves->taken = (uint8_t)taken;
	moves->ended = false;
	return (taken <= UINT8_MAX && patch_moves_sound(moves));
}

/* Compares the next bytes of the rows with those at an address. */
static bool
agrees(struct syscall_rows *rows, uintptr_t at, size_t size)
{
	const uint8_t *bytes = rows->bytes + rows->at;

	if (size > rows->size - rows->at || size > rows->text->end - at)
		return (false);
	rows->at += size;
	return (memcmp((const void *)at, bytes, size) == 0);
}

static bool
is_number(int number)
{
	return (number == SYSCALL_ANY ||
	    (number >= 0 && (unsigned)number < SYSCALL_NUMBERS));
}

/* Returns the bytes that the place's jump replaces, or that are copied. */
static size_t
span(const struct syscall_finding *f)
{
	size_t size = f->found.head + INSTRUCTION + f->after.taken;

	return (size < PATCH_JUMP ? PATCH_JUMP : size);
}

/*
 * Reads a place.  The moves before the instruction have exactly the bytes of
 * the head, and those after it at least the tail, unless they end a block.
 */
static bool
read_place(struct syscall_rows *rows, const struct syscall_table_row *row,
    struct syscall_finding *f)
{
	static const uint8_t instruction[] = { 0x0f, 0x05 };
	uintptr_t call = f->found.at + row->head;

	if (!is_number(row->number) ||
	    !read_moves(rows, row->nbefore, &f->before) ||
	    !read_moves(rows, row->nafter, &f->after))
		return (false);
	f->after.ended = (row->flags & SYSCALL_TABLE_ENDED) != 0;
	f->found.head = row->head;
	f->found.tail = row->tail;
	f->found.number = row->number;
	return (f->before.taken == row->head &&
	    (f->after.taken >= row->tail || f->after.ended) &&
	    row->head + row->tail + INSTRUCTION >= PATCH_JUMP &&
	    agrees(rows, f->found.at, span(f)) &&
	    memcmp((const void *)call, instruction, INSTRUCTION) == 0);
}

static uintptr_t
target(uintptr_t at)
{
	int32_t displacement;

	memcpy(&displacement, (const void *)(at + 1), sizeof(displacement));
	return (at + PATCH_JUMP + (uintptr_t)(intptr_t)displacement);
}

/* The row's head is the distance of the function's instruction. */
static bool
read_function(struct syscall_rows *rows, const struct syscall_table_row *row,
    const struct syscall_finding *f)
{
	if (rows->function != 0 ||
	    !syscall_is_cancel_arch(rows->text, f->found.at + row->head))
		return (false);
	rows->function = f->found.at;
	return (true);
}

/* Reads a call of the function at the start that a row has named. */
static bool
read_caller(struct syscall_rows *rows, const struct syscall_finding *f)
{
	return (rows->function != 0 &&
	    rows->text->end - f->found.at >= PATCH_JUMP &&
	    (*(const uint8_t *)f->found.at & 0xfe) == CALL &&
	    target(f->found.at) == rows->function);
}

static bool
read_kind(struct syscall_rows *rows, const struct syscall_table_row *row,
    struct syscall_finding *f)
{
	switch (f->kind) {
	case SYSCALL_TABLE_PLACE:
		return (read_place(rows, row, f));
	case SYSCALL_TABLE_FUNCTION:
		return (read_function(rows, row, f));
	case SYSCALL_TABLE_CALLER:
		return (read_caller(rows, f));
	default:
		return (false);
	}
}

/* Returns true if the row's jump overlaps none of those before it. */
static bool
is_apart(struct syscall_rows *rows, const struct syscall_finding *f)
{
	if (f->kind == SYSCALL_TABLE_FUNCTION)
		return (true);
	if (f->found.at < rows->end)
		return (false);
	rows->end = f->found.at + PATCH_JUMP;
	return (true);
}

int
syscall_rows_next(struct syscall_rows *rows, struct syscall_finding *f)
{
	struct syscall_table_row row;

	if (rows->at == rows->size)
		return (0);
	if (!read_bytes(rows, &row, sizeof(row)) ||
	    row.at >= rows->text->end - rows->text->start)
		return (-1);
	f->kind = row.kind;
	f->found = (struct syscall_found){ .at = rows->text->start + row.at,
	    .before = &f->before, .after = &f->after };
	return (read_kind(rows, &row, f) && is_apart(rows, f) ? 1 : -1);
}

/* ------------------------------------------------------------------ writing */

static bool
put(struct patch_table *table, const void *bytes, size_t size)
{
	if (size > sizeof(table->rows) - table->head.size)
		return (false);
	memcpy(table->rows + table->head.size, bytes, size);
	table->head.size += (uint32_t)size;
	return (true);
}

static bool
put_moves(struct patch_table *table, const struct patch_moves *moves)
{
	return (put(table, moves->list, moves->n * sizeof(moves->list[0])));
}

bool
syscall_rows_add(struct patch_table *table, const struct patch_text *text,
    const struct syscall_finding *f)
{
	const struct syscall_table_row row = {
		.at = (uint32_t)(f->found.at - text->start),
		.number = (int16_t)f->found.number,
		.kind = (uint8_t)f->kind,
		.flags = f->after.ended ? SYSCALL_TABLE_ENDED : 0,
		.head = f->found.head,
		.tail = f->found.tail,
		.nbefore = f->before.n,
		.nafter = f->after.n
	};

	return (text->end - text->start <= UINT32_MAX &&
	    put(table, &row, sizeof(row)) &&
	    put_moves(table, &f->before) && put_moves(table, &f->after) &&
	    (f->kind != SYSCALL_TABLE_PLACE ||
	    put(table, (const void *)f->found.at, span(f))));
}
