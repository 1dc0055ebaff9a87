/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Places with a call among the bytes of a jump.  No call is moved: a push of
 * the return address and a jump would leave the processor's stack of return
 * addresses one short, so that it mispredicts the return of each function from
 * there up.  The original instruction calls, in one of two ways:
 *
 *	nop				nop
 *	instructions			filler
 *	call f				call stub, which runs the instructions
 *					and jumps to f
 *
 *	nop				jmp stub, which runs the instructions,
 *	instructions			stores f below the stack pointer, and
 *					jumps to the last four bytes
 *	call f				call *-8(%rsp)
 *
 * The first one needs a displacement in the call that can be changed, and
 * instructions that do not know of the return address on the stack.  The second
 * one needs nine bytes up to the call's end.  The return address is the
 * original one in either, also for unwinders and on a shadow stack.
 *
 * A function with a call has no data below its stack pointer, so the call may
 * store there before the probe's arguments are read.
 */
#include "stub.h"

#include <string.h>

#include "decoder.h"

#define LENGTH_MAX	15u	/* of an instruction */
#define AIM		4u	/* bytes of a displacement */
#define IN_PLACE	4u	/* bytes of call *-8(%rsp) */

void
stub_put(struct stub *s, const void *bytes, size_t size)
{
	memcpy(s->bytes + s->size, bytes, size);
	s->size += size;
}

void
stub_put_address(struct stub *s, const void *address)
{
	stub_put(s, &address, sizeof(address));
}

const char *
stub_put_near(struct stub *s, const void *opcode, size_t size,
    uintptr_t target)
{
	int64_t distance = (int64_t)(target - (s->at + s->size + size + AIM));
	int32_t displacement = (int32_t)distance;

	if (displacement != distance)
		return ("its stub is out of reach");
	stub_put(s, opcode, size);
	stub_put(s, &displacement, sizeof(displacement));
	return (NULL);
}

const char *
stub_put_jump(struct stub *s, uintptr_t target)
{
	return (stub_put_near(s, "\xe9", 1, target));
}

const char *
stub_put_copy(struct stub *s, uintptr_t from, size_t least,
    struct patch_copy *copy)
{
	const char *problem = patch_relocate((const uint8_t *)from, from,
	    least, s->at + s->size, copy);

	if (problem == NULL)
		stub_put(s, copy->bytes, copy->size);
	return (problem);
}

bool
stub_call_find(uintptr_t place, struct stub_call *c)
{
	uintptr_t at = place + PATCH_NOP;
	struct patch_instruction in;

	*c = (struct stub_call){ .at = 0 };
	for (; at < place + PATCH_JUMP; at += in.length) {
		patch_decode((const uint8_t *)at, LENGTH_MAX, at, &in);
		if (in.length == 0 || in.ends)
			return (false);
		if (in.is_call) {
			c->at = at;
			c->end = at + in.length;
			if (in.is_branch)
				c->target = in.target;
			else if (in.is_relative)
				c->pointer = in.operand;
			return (true);
		}
	}
	return (false);
}

/* Returns true if the instructions before the call can run after its push. */
static bool
can_follow_push(uintptr_t at, const struct stub_call *c)
{
	struct patch_instruction in;

	for (; at < c->at; at += in.length) {
		patch_decode((const uint8_t *)at, LENGTH_MAX, at, &in);
		if (in.is_branch || patch_uses_stack((const uint8_t *)at,
		    in.length))
			return (false);
	}
	return (true);
}

/* Sets the bytes from the nop on: filler, then the call of another address. */
static const char *
set_aim(struct stub_call *c, uintptr_t place, uintptr_t to)
{
	static const char filler[PATCH_JUMP][4] = {
		"", "\x90", "\x66\x90", "\x0f\x1f\0"
	};
	int64_t distance = (int64_t)(to - c->end);
	int32_t displacement = (int32_t)distance;
	size_t before = c->at - (place + PATCH_NOP);

	if (displacement != distance)
		return ("its stub is out of reach");
	c->change = place + PATCH_NOP;
	c->size = c->end - c->change;
	memcpy(c->bytes, filler[before], before);
	memcpy(c->bytes + before, (const void *)c->at, c->size - before);
	memcpy(c->bytes + c->size - AIM, &displacement, AIM);
	return (NULL);
}

/*
 * Makes the call lead to the stub.  A call by a pointer gets another one,
 * behind the stub's jump.
 */
static const char *
aim(struct stub *s, uintptr_t place, struct stub_call *c)
{
	const char *problem;
	uintptr_t to = s->at;

	if (c->pointer == 0)
		problem = stub_put_jump(s, c->target);
	else {
		problem = stub_put_near(s, "\xff\x25", 2, c->pointer);
		to = s->at + s->size;
		stub_put_address(s, (const void *)s->at);
	}
	c->is_aimed = true;
	return (problem != NULL ? problem : set_aim(c, place, to));
}

/* Pushes the destination of the call. */
static const char *
put_target(struct stub *s, const struct stub_call *c)
{
	ZydisDecodedInstruction in;
	uintptr_t word = c->pointer;
	uint8_t bytes[LENGTH_MAX];

	if (c->target != 0) {
		/* jmp over the word */
		stub_put(s, "\xeb\x08", 2);
		word = s->at + s->size;
		stub_put_address(s, (const void *)c->target);
	}
	if (word != 0)
		return (stub_put_near(s, "\xff\x35", 2, word));
	if (!patch_decode_full((const uint8_t *)c->at, LENGTH_MAX, &in) ||
	    patch_is_narrow(&in) || in.raw.modrm.reg != 2)
		return ("an instruction is not understood");
	memcpy(bytes, (const void *)c->at, in.length);
	/* The byte has the number of the operation: 2 is call, 6 is push. */
	bytes[in.raw.modrm.offset] |= 4 << 3;
	stub_put(s, bytes, in.length);
	return (NULL);
}

/* Calls by the last bytes of the call, from a word below the stack pointer. */
static const char *
call_in_place(struct stub *s, uintptr_t place, struct stub_call *c)
{
	uintptr_t at = c->end - IN_PLACE;
	const char *problem = put_target(s, c);

	if (problem != NULL)
		return (problem);
	stub_put(s, "\x48\x8d\x64\x24\x08", 5);	/* lea 8(%rsp),%rsp */
	c->change = place;
	c->size = c->end - place;
	memset(c->bytes, 0xcc, c->size);
	if (!patch_jump(c->bytes, place, s->at))
		return ("its stub is out of reach");
	memcpy(c->bytes + c->size - IN_PLACE, "\xff\x54\x24\xf8", IN_PLACE);
	return (stub_put_jump(s, at));
}

const char *
stub_put_call(struct stub *s, uintptr_t place, struct stub_call *c)
{
	uintptr_t behind = place + PATCH_NOP;
	bool aims = (c->target != 0 || c->pointer != 0) &&
	    can_follow_push(behind, c);
	struct patch_copy copy;
	const char *problem;

	if (!aims && c->end - place < PATCH_JUMP + IN_PLACE)
		return ("a call follows too closely");
	problem = stub_put_copy(s, behind, c->at - behind, &copy);
	if (problem != NULL)
		return (problem);
	return (aims ? aim(s, place, c) : call_in_place(s, place, c));
}
