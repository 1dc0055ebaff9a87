/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The end of a stub whose region ends with a call (call_line.c).
 *
 * The word below the stack pointer is not the program's: a function with a call
 * keeps nothing there, and signals leave 128 bytes alone.
 */
#include <string.h>

#include "decoder.h"
#include "region_stub.h"

#define LENGTH_MAX	15u	/* of an instruction */

/*
 * The call is notrack call *-8(%rsp).  The prefix is for processors that track
 * calls, and left out where it has no room.
 */
size_t
region_call_put(const struct patch_region *r, uint8_t bytes[REGION_CALL_MAX])
{
	static const char call[] = "\x3e\xff\x54\x24\xf8";
	size_t before = r->way == PATCH_WAY_JUMP ? PATCH_JUMP : 2;
	size_t size = r->end - r->start - before >= REGION_CALL_MAX ?
	    REGION_CALL_MAX : PATCH_CALL;

	memcpy(bytes, call + REGION_CALL_MAX - size, size);
	return (size);
}

/* Stores the destination of a direct call below the stack pointer. */
static void
store(struct region_stub *s, uintptr_t target)
{
	uint32_t low = (uint32_t)target, high = (uint32_t)(target >> 32);

	region_stub_put(s, "\xc7\x44\x24\xf8", 4);
	region_stub_put(s, &low, sizeof(low));
	region_stub_put(s, "\xc7\x44\x24\xfc", 4);
	region_stub_put(s, &high, sizeof(high));
}

/* Pushes the destination of another call, and leaves it there. */
static void
push(struct region_stub *s, const struct patch_instruction *call,
    uintptr_t at)
{
	ZydisDecodedInstruction in;
	uint8_t bytes[LENGTH_MAX];
	int32_t distance;

	if (!patch_decode_full((const uint8_t *)at, LENGTH_MAX, &in) ||
	    patch_is_narrow(&in) || in.raw.modrm.reg != 2) {
		s->problem = "an instruction is not understood";
		return;
	}
	memcpy(bytes, (const void *)at, in.length);
	/* The byte has the number of the operation: 2 is call, 6 is push. */
	bytes[in.raw.modrm.offset] |= 4 << 3;
	if (call->is_relative) {
		distance = (int32_t)(call->operand - (s->at + s->size +
		    in.length));
		if (call->operand != s->at + s->size + in.length +
		    (uintptr_t)(intptr_t)distance)
			s->problem = "its stub is out of reach";
		memcpy(bytes + in.raw.disp.offset, &distance,
		    sizeof(distance));
	}
	region_stub_put(s, bytes, in.length);
	region_stub_put(s, "\x48\x8d\x64\x24\x08", 5);	/* lea 8(%rsp),%rsp */
}

void
region_stub_put_place(struct region_stub *s, const struct patch_region *r)
{
	struct patch_instruction call;
	uint8_t bytes[REGION_CALL_MAX];

	patch_decode((const uint8_t *)r->call, LENGTH_MAX, r->call, &call);
	if (call.is_branch)
		store(s, call.target);
	else
		push(s, &call, r->call);
	region_stub_put(s, "\xe9", 1);
	region_stub_put_distance(s, r->end - region_call_put(r, bytes));
}

/*
 * Jumps to the destination of the call, which has led to the stub: by a word
 * after the stub, if the original one is in memory.
 */
void
region_stub_put_aim(struct region_stub *s, const struct patch_region *r)
{
	struct patch_instruction call;

	patch_decode((const uint8_t *)r->call, LENGTH_MAX, r->call, &call);
	s->has_word = !call.is_branch;
	region_stub_put(s, call.is_branch ? "\xe9" : "\xff\x25",
	    call.is_branch ? 1 : 2);
	region_stub_put_distance(s, call.is_branch ? call.target :
	    call.operand);
}
