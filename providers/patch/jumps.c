/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Computed jumps: those of a function that leave it, as the last thing that it
 * does, and those that stay in it, by a table.
 *
 *	a table of addresses		a table of distances
 *
 *	jmp *table(,%index,8)		lea table(%rip),%base
 *					movslq (%base,%index,4),%r
 *	mov table(,%index,8),%r		add %base,%r	or lea (%base,%r),%r
 *	jmp *%r				jmp *%r
 *
 * The addresses of the first kind are found in data, as all addresses are; the
 * tables of the second kind are read here.
 */
#include "map.h"

#include <string.h>

/* Entries of a table in a row that lead to no instruction of the function. */
#define OUTSIDE_MAX	16u

#define ADD_TO		0x01u
#define ADD		0x03u
#define MOVSLQ		0x63u
#define MOV		0x8bu
#define LEA		0x8du

/* The source of a jump's operand. */
enum source { ANYTHING, ADDRESSES, DISTANCES };

/* Returns the source of a register's value before a jump. */
static enum source
source_of(const struct patch_past *past, unsigned reg,
    const struct patch_instruction **from)
{
	const struct patch_instruction *in;
	unsigned n;

	for (n = past->n; n > 0 && past->n - n < PATCH_PAST; n--) {
		in = *from = &past->list[(n - 1) % PATCH_PAST];
		if ((in->opcode == ADD_TO && in->rm == reg) ||
		    (in->opcode == ADD && in->reg == reg) ||
		    (in->opcode == LEA && in->reg == reg &&
		    in->index != PATCH_NO_REGISTER) ||
		    (in->opcode == MOVSLQ && in->reg == reg))
			return (DISTANCES);
		if (in->opcode == MOV && in->reg == reg)
			return (in->index != PATCH_NO_REGISTER &&
			    in->scale == 3 ? ADDRESSES : ANYTHING);
	}
	return (ANYTHING);
}

/*
 * A table of addresses may be one of functions: its first entry decides, if its
 * place is known.
 */
static unsigned
look_at_addresses(const struct patch_map *m,
    const struct patch_instruction *from, uintptr_t at)
{
	const struct patch_code *code = patch_map_code(m, at);
	uintptr_t table = from->operand + m->slide, entry;

	if (!m->is_fixed || from->operand == 0 || code == NULL ||
	    !patch_readable(m->text, table, sizeof(entry)))
		return (PATCH_DOUBT);
	memcpy(&entry, (const void *)table, sizeof(entry));
	entry += m->slide;
	return (entry > code->start && entry < code->end ? PATCH_DISPATCH :
	    PATCH_DOUBT);
}

unsigned
patch_jump_look(const struct patch_map *m, const struct patch_past *past,
    const struct patch_instruction *jump, uintptr_t at)
{
	const struct patch_instruction *from = jump;
	enum patch_frame frame = patch_frame(m->text, at);
	enum source source;

	if (frame == PATCH_FRAME_SOME || jump->is_untracked)
		return (PATCH_DISPATCH);
	if (jump->rm != PATCH_NO_REGISTER)
		source = source_of(past, jump->rm, &from);
	else
		source = jump->index != PATCH_NO_REGISTER &&
		    jump->scale == 3 ? ADDRESSES : ANYTHING;
	if (source == DISTANCES)
		return (PATCH_DISPATCH);
	if (source == ADDRESSES)
		return (look_at_addresses(m, from, at));
	return (frame == PATCH_FRAME_NONE ? 0 : PATCH_DISPATCH | PATCH_DOUBT);
}

/* ------------------------------------------------------------ tables */

/* Tables of one function, found in one part after the other. */
struct tables {
	struct patch_map *map;
	size_t owner;
	bool found;
	bool lost;		/* one is not as it should be */
};

/* The instructions of a function that is not decoded have no marks. */
static bool
is_instruction(const struct patch_map *m, uintptr_t at)
{
	const struct patch_code *code = patch_map_code(m, at);
	struct patch_instruction in;
	uintptr_t i;

	if (code == NULL || code->is_decoded)
		return (patch_map_has(m, at) && (*patch_map_mark(m, at) &
		    PATCH_BEGINS) != 0);
	for (i = code->start; i < at; i += in.length) {
		patch_decode((const uint8_t *)i, code->end - i, i, &in);
		if (in.length == 0)
			return (false);
	}
	return (i == at);
}

static bool
is_own(const struct tables *t, uintptr_t at)
{
	const struct patch_code *code = patch_map_code(t->map, at);

	return (code != NULL && code->owner == t->owner);
}

/*
 * Returns true if a table of the function may lead to an instruction: one of
 * itself, or of a piece to which there is no other way that is known.
 */
static bool
may_lead(const struct tables *t, uintptr_t at)
{
	const struct patch_code *code = patch_map_code(t->map, at);

	return (code != NULL && (code->owner == t->owner ||
	    ((code->name == NULL || code->is_cold) && (!code->is_decoded ||
	    (*patch_map_mark(t->map, code->start) & (PATCH_CALLED |
	    PATCH_JUMPED)) == 0))) && is_instruction(t->map, at));
}

/*
 * Reads a table if its first entry may be one of the function.  Its end is not
 * known; words after it at most mark places that control does not arrive at.
 */
static __attribute__((no_sanitize("address"))) void
read_table(struct tables *t, uintptr_t table)
{
	struct patch_map *m = t->map;
	unsigned outside = 0;
	int32_t distance;
	uintptr_t at, target;
	bool is_there;

	for (at = table; outside < OUTSIDE_MAX &&
	    patch_readable(m->text, at, sizeof(distance));
	    at += sizeof(distance)) {
		memcpy(&distance, (const void *)at, sizeof(distance));
		target = table + (uintptr_t)(intptr_t)distance;
		is_there = may_lead(t, target);
		if (at == table && !is_there)
			return;
		if (is_there)
			patch_map_arrive(m, target, PATCH_LISTED);
		if (is_there && is_own(t, target)) {
			outside = 0;
			t->found = true;
		} else
			outside++;
	}
}

static void
look_at_table(struct tables *t, uintptr_t table)
{
	if (table != 0 && (!patch_map_has(t->map, table) ||
	    (*patch_map_mark(t->map, table) & PATCH_CODE) == 0))
		read_table(t, table);
}

/*
 * Returns the table of a jump, if the instructions before it say which it is,
 * or 0.
 */
static uintptr_t
table_of(const struct patch_past *past)
{
	const struct patch_instruction *in;
	uint8_t base = PATCH_NO_REGISTER;
	unsigned n;

	for (n = past->n; n > 0 && past->n - n < PATCH_PAST; n--) {
		in = &past->list[(n - 1) % PATCH_PAST];
		if (base == PATCH_NO_REGISTER && in->opcode == MOVSLQ &&
		    in->index != PATCH_NO_REGISTER && in->scale == 2)
			base = in->base;
		else if (base != PATCH_NO_REGISTER && in->reg == base)
			return (in->opcode == PATCH_LEA && in->is_relative ?
			    in->operand : 0);
	}
	return (0);
}

/* Looks whether the table of a jump begins as a table does. */
static void
look_at_jump(struct tables *t, const struct patch_past *past)
{
	const struct patch_text *text = t->map->text;
	uintptr_t table = table_of(past);
	int32_t distance;

	if (table == 0)
		return;
	if (patch_readable(text, table, sizeof(distance))) {
		memcpy(&distance, (const void *)table, sizeof(distance));
		if (is_instruction(t->map, table +
		    (uintptr_t)(intptr_t)distance))
			return;
	}
	t->lost = true;
}

/* Remembers the instructions before a jump, as long as one follows another. */
static void
remember(struct patch_past *past, const struct patch_instruction *in)
{
	if (!in->is_branch && !in->is_call && !in->ends)
		past->list[past->n++ % PATCH_PAST] = *in;
	else if (!in->is_branch || in->ends || in->is_call)
		past->n = 0;
}

static void
read_tables(struct tables *t, const struct patch_code *code)
{
	const struct patch_map *m = t->map;
	struct patch_past past = { .n = 0 };
	struct patch_instruction in;
	uintptr_t at;

	for (at = code->start; at < code->end; at += in.length) {
		patch_decode((const uint8_t *)at, code->end - at, at, &in);
		if (in.length == 0)
			return;
		if (in.is_indirect)
			look_at_jump(t, &past);
		remember(&past, &in);
		if (in.is_relative)
			look_at_table(t, in.operand);
		else if (m->is_fixed && in.operand != 0)
			look_at_table(t, in.operand + m->slide);
		if (m->is_fixed && in.immediate != 0)
			look_at_table(t, in.immediate + m->slide);
	}
}

/* Returns true if data has the address of an instruction inside. */
static bool
has_addresses(const struct patch_map *m, const struct patch_code *code)
{
	uintptr_t at;

	for (at = code->start + 1; at < code->end; at++)
		if ((*patch_map_mark(m, at) & (PATCH_BEGINS | PATCH_POINTED)) ==
		    (PATCH_BEGINS | PATCH_POINTED))
			return (true);
	return (false);
}

/* Returns true if a jump of a part leaves it that has no known address. */
static bool
leaves_unknown(const struct patch_map *m, const struct patch_code *code)
{
	uintptr_t at;

	if (!code->takes_own)
		return (false);
	for (at = code->start; at < code->end; at++)
		if (patch_class(*patch_map_mark(m, at)) == PATCH_COMPUTED &&
		    (*patch_map_mark(m, at) & PATCH_DISPATCH) == 0)
			return (true);
	return (false);
}

/* Reads the tables of one function; it is refused with all of its parts. */
static void
look_at_function(struct patch_map *m, size_t function)
{
	struct tables t = { .map = m, .owner = function };
	bool computed = false, unknown = false, own = false;
	const char *problem = NULL;
	struct patch_code *code;
	size_t i;

	for (i = function; i != PATCH_NO_PART; i = code->part) {
		code = &m->codes[i];
		computed |= code->is_computed;
		unknown |= leaves_unknown(m, code);
		own |= code->takes_own;
		if (code->problem != NULL)
			problem = code->problem;
	}
	for (i = function; i != PATCH_NO_PART && computed; i = code->part) {
		code = &m->codes[i];
		read_tables(&t, code);
		t.found |= has_addresses(m, code);
	}
	if (problem == NULL && (unknown || (computed && (!t.found || t.lost))))
		problem = "a computed jump is not understood";
	/* The place may be the beginning of data. */
	if (problem == NULL && own && !computed)
		problem = "it refers to a place in itself";
	for (i = function; i != PATCH_NO_PART; i = m->codes[i].part)
		m->codes[i].problem = problem;
}

void
patch_tables_find(struct patch_map *m)
{
	size_t i;

	for (i = 0; i < m->ncodes; i++)
		if (m->codes[i].owner == i && m->codes[i].is_near)
			look_at_function(m, i);
}
