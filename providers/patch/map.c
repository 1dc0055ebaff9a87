/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The ways of the map of an object (map.h) in functions, and in the other bytes
 * of the text.
 */
#include "map.h"

#include <string.h>

/* ------------------------------------------------------------ functions */

static enum patch_class
class_of(const struct patch_instruction *in)
{
	if (in->is_call)
		return (PATCH_CALL);
	if (in->is_return)
		return (PATCH_RETURN);
	if (in->is_indirect)
		return (PATCH_COMPUTED);
	if (in->is_branch && in->ends)
		return (PATCH_JMP);
	if (in->is_branch)
		return (in->opcode != 0 && (in->opcode & 0xf0) != 0x70 ?
		    PATCH_ODD : PATCH_BRANCH);
	return (in->ends ? PATCH_END : PATCH_PLAIN);
}

/* Marks the places that an instruction leads to, or has the address of. */
static void
look_at_addresses(struct patch_map *m, struct patch_code *code,
    const struct patch_instruction *in)
{
	uintptr_t own = 0;

	if (in->is_branch)
		patch_map_arrive(m, in->target, in->is_call ? PATCH_CALLED :
		    PATCH_JUMPED);
	code->leaves |= in->is_branch && !in->is_call &&
	    in->target - code->start >= code->end - code->start;
	if (in->is_relative)
		patch_map_arrive(m, own = in->operand, PATCH_CALLED);
	else if (m->is_fixed && in->operand != 0)
		patch_map_arrive(m, own = in->operand + m->slide,
		    PATCH_CALLED);
	if (m->is_fixed && in->immediate != 0)
		patch_map_arrive(m, own = in->immediate + m->slide,
		    PATCH_CALLED);
	code->takes_own |= own > code->start && own < code->end;
}

/*
 * Refuses a function of which an instruction reads or writes the inside: data
 * is there, and others of its bytes may be decoded as instructions.
 */
static void
look_at_operand(struct patch_map *m, const struct patch_instruction *in)
{
	struct patch_code *code;

	if (!in->is_relative || in->opcode == PATCH_LEA ||
	    !patch_map_has(m, in->operand))
		return;
	code = patch_map_code(m, in->operand);
	if (code != NULL && code->start != in->operand &&
	    code->problem == NULL)
		code->problem = "data is among its instructions";
}

static void
look_at(struct patch_map *m, struct patch_code *code, struct patch_past *past,
    const struct patch_instruction *in, uintptr_t at)
{
	enum patch_class class = class_of(in);
	uint16_t *mark = patch_map_mark(m, at);
	unsigned i;

	mark[0] |= (uint16_t)(PATCH_BEGINS | PATCH_CODE | class << 13);
	for (i = 1; i < in->length; i++)
		mark[i] |= PATCH_CODE;
	look_at_addresses(m, code, in);
	look_at_operand(m, in);
	if (class == PATCH_CALL)
		patch_map_arrive(m, at + in->length, 0);
	if (class == PATCH_COMPUTED) {
		mark[0] |= (uint16_t)patch_jump_look(m, past, in, at);
		code->is_computed |= (mark[0] & PATCH_DISPATCH) != 0;
	}
	if (class == PATCH_PLAIN)
		past->list[past->n++ % PATCH_PAST] = *in;
	else if (class != PATCH_BRANCH)
		past->n = 0;
}

/* Refuses a function that begins within an instruction of the one before. */
static void
look_at_overlap(const struct patch_map *m, struct patch_code *code,
    uintptr_t at)
{
	struct patch_code *next = code + 1;
	struct patch_instruction in;

	patch_decode((const uint8_t *)at, patch_text_left(m->text, at), at,
	    &in);
	if (at + in.length > code->end && next < m->codes + m->ncodes &&
	    next->start < at + in.length && next->problem == NULL)
		next->problem = "it begins in another instruction";
}

void
patch_map_decode(struct patch_map *m, struct patch_code *code)
{
	unsigned since = PATCH_SINCE;
	struct patch_past past = { .n = 0 };
	struct patch_instruction in;
	uintptr_t at;

	if (code->is_decoded)
		return;
	code->is_decoded = true;
	patch_map_arrive(m, code->start, PATCH_START);
	if (code + 1 < m->codes + m->ncodes)
		patch_map_arrive(m, code[1].start, PATCH_START);
	for (at = code->start; at < code->end; at += in.length) {
		patch_decode((const uint8_t *)at, code->end - at, at, &in);
		if (in.length == 0) {
			code->problem = "it cannot be decoded";
			m->passes_flags = true;
			look_at_overlap(m, code, at);
			return;
		}
		look_at(m, code, &past, &in, at);
		since = patch_flags_follow(m, code, at, &in, since);
	}
}

/* ------------------------------------------------------------ other bytes */

static int32_t
number_at(const uint8_t *p)
{
	int32_t number;

	memcpy(&number, p, sizeof(number));
	return (number);
}

/* Marks the destination if a branch begins at a byte outside of functions. */
static void
look_at_byte(struct patch_map *m, uintptr_t at, size_t size)
{
	const uint8_t *p = (const uint8_t *)at;
	uintptr_t target;

	if (size >= 5 && (p[0] & 0xfe) == 0xe8) {
		target = at + 5 + (uintptr_t)(intptr_t)number_at(p + 1);
		patch_map_arrive(m, target, p[0] == 0xe8 ? PATCH_CALLED :
		    PATCH_JUMPED);
		if (p[0] == 0xe8)
			patch_flags_look(m, at + 5, target);
	} else if (size >= 6 && p[0] == 0x0f && (p[1] & 0xf0) == 0x80)
		patch_map_arrive(m, at + 6 + (uintptr_t)(intptr_t)number_at(p +
		    2), PATCH_JUMPED);
	else if (size >= 2 && (p[0] == 0xeb || (p[0] & 0xf0) == 0x70 ||
	    (p[0] & 0xfc) == 0xe0))
		patch_map_arrive(m, at + 2 + (uintptr_t)(intptr_t)(int8_t)p[1],
		    PATCH_JUMPED);
}

/* The same for bytes of one segment, and for words of addresses in it. */
static void
look_at_rest(struct patch_map *m, uintptr_t at, uintptr_t end,
    uintptr_t segment_end)
{
	for (; at < end; at++) {
		if ((*patch_map_mark(m, at) & PATCH_CODE) != 0)
			continue;
		look_at_byte(m, at, segment_end - at);
		if (m->is_fixed && at % 8 == 0 && segment_end - at >= 8)
			patch_map_arrive(m, patch_map_word(at) + m->slide,
			    PATCH_CALLED | PATCH_POINTED);
	}
}

void
patch_map_rest(struct patch_map *m, uintptr_t at, uintptr_t end)
{
	uintptr_t segment_end;

	for (; patch_text_find(m->text, &at, &segment_end) && at < end;
	    at = segment_end)
		look_at_rest(m, at, segment_end < end ? segment_end : end,
		    segment_end);
}
