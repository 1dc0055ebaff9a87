/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lines from an entry to a call that is among the bytes of a jump.  No call is
 * moved (call.c says why); the original instruction's end calls, in one of two
 * ways:
 *
 *	start:	jmp stub, which runs	start:	push %rbx
 *		the line, stores f		call stub, which jumps
 *		below the stack pointer,		to f
 *		and jumps to the call
 *		call *-8(%rsp)
 *	end:
 *
 * In the second way the instructions before the call are pushes, and those that
 * do nothing, or there are none: they still run where they are, and the stub
 * knows how many pushes there were.
 */
#include <string.h>

#include "line.h"

#define PUSH		0x50u	/* opcodes of a push of a register */
#define PUSH_LAST	0x57u
#define REX		0x40u	/* their prefix */

/* A call after the instructions of a line. */
struct call {
	uintptr_t at, end;
	size_t pushed;		/* bytes that the line pushes, */
	bool is_pushing;	/* if it does nothing else */
};

/* A prefix other than that of the upper registers changes the size. */
static bool
is_push(const struct patch_instruction *in, uintptr_t at)
{
	return (in->opcode >= PUSH && in->opcode <= PUSH_LAST &&
	    (in->length == 1 || (in->length == 2 &&
	    (*(const uint8_t *)at & 0xf0) == REX)));
}

/* endbr64 and nops may be before the call of -mfentry. */
static bool
is_nothing(const uint8_t *p, size_t length)
{
	return (patch_is_filler(p) ||
	    (length == 4 && memcmp(p, "\xf3\x0f\x1e\xfa", 4) == 0));
}

/* Finds the first call in a line, within the bytes of a jump. */
static const char *
find_call(const struct patch_map *m, uintptr_t start, struct call *c)
{
	const struct patch_code *part = patch_map_code(m, start);
	struct patch_instruction in;

	*c = (struct call){ .at = start, .is_pushing = true };
	for (; c->at < start + PATCH_JUMP && part != NULL &&
	    c->at < part->end; c->at = c->end) {
		patch_decode((const uint8_t *)c->at, part->end - c->at, c->at,
		    &in);
		c->end = c->at + in.length;
		if (in.length == 0 || in.ends)
			return ("it is too short");
		if (in.is_call)
			return (patch_line_lacks(m, start + 1, c->end,
			    PATCH_ARRIVAL) ? NULL :
			    "a branch leads between the bytes");
		if (is_nothing((const uint8_t *)c->at, in.length))
			continue;
		c->is_pushing &= is_push(&in, c->at);
		c->pushed += sizeof(uintptr_t);
	}
	return ("it is too short");
}

/* Returns why a line with a call cannot become a region, or NULL. */
static const char *
find_line(const struct patch_map *m, uintptr_t start, struct call *c)
{
	struct patch_moves moves;
	const char *problem = find_call(m, start, c);

	if (problem != NULL)
		return (problem);
	if (!patch_line_lacks(m, start, c->end, PATCH_BUSY | PATCH_COPIED))
		return ("another jump is there");
	if ((problem = patch_line_place(m, start, c->end)) != NULL ||
	    (problem = patch_moves_find((const uint8_t *)start, c->at - start,
	    &moves)) != NULL)
		return (problem);
	return (moves.taken == c->at - start ? NULL :
	    "its instructions are not understood");
}

const char *
patch_call_in_place(struct patch_map *m, uintptr_t start,
    enum patch_means way, struct patch_region *r)
{
	size_t size = way == PATCH_WAY_JUMP ? PATCH_JUMP : PATCH_SHORT_JUMP;
	struct call c;

	if (find_line(m, start, &c) != NULL ||
	    c.end - start < size + PATCH_CALL)
		return ("a call is among the bytes");
	*r = (struct patch_region){ .start = start, .end = c.end,
	    .call = c.at, .way = way };
	if (way == PATCH_WAY_HOLE)
		r->hole = patch_hole_find(m, start);
	return (way == PATCH_WAY_HOLE && r->hole == 0 ?
	    "a call is among the bytes" : NULL);
}

/* A call by a register, or by memory that is not relative, has no aim. */
const char *
patch_call_aim(const struct patch_map *m, uintptr_t start,
    struct patch_region *r)
{
	struct patch_instruction in;
	struct call c;

	if (find_line(m, start, &c) != NULL || !c.is_pushing)
		return ("a call is among the bytes");
	patch_decode((const uint8_t *)c.at, c.end - c.at, c.at, &in);
	if (!in.is_branch && !in.is_relative)
		return ("a call is among the bytes");
	*r = (struct patch_region){ .start = start, .end = c.end,
	    .call = c.at, .pushed = c.pushed + sizeof(uintptr_t),
	    .way = PATCH_WAY_AIM };
	return (NULL);
}
