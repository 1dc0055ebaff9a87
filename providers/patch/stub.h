/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A stub while it is made.
 */
#ifndef TBUF_PROVIDERS_PATCH_STUB_H
#define TBUF_PROVIDERS_PATCH_STUB_H

#include "x86_64.h"

#pragma GCC visibility push(hidden)

#define STUB_HEAD_MAX	31u	/* up to the copy */
#define STUB_LEAVE_MAX	9u	/* of these, from 1 on */
#define STUB_TELL	18u	/* from 2 to 3 */
#define STUB_ADDRESS	8u

struct stub {
	uintptr_t at;		/* where it will run */
	uint8_t bytes[STUB_HEAD_MAX + PATCH_COPY_MAX + PATCH_JUMP + STUB_TELL +
	    STUB_ADDRESS];
	size_t size;
	size_t branch;		/* end of the short branch to 2 */
	size_t leave;		/* 1 */
};

void	stub_put(struct stub *, const void *bytes, size_t size);
void	stub_put_address(struct stub *, const void *address);

/* Appends an opcode and, as its displacement, the distance to an address. */
const char *stub_put_near(struct stub *, const void *opcode, size_t size,
	    uintptr_t target);
const char *stub_put_jump(struct stub *, uintptr_t target);

/* Appends a copy of the instructions of at least `least` bytes. */
const char *stub_put_copy(struct stub *, uintptr_t from, size_t least,
	    struct patch_copy *);

/* A call among the bytes of a jump, and the bytes that are changed for it. */
struct stub_call {
	uintptr_t at, end;	/* the instruction */
	uintptr_t target;	/* its destination, */
	uintptr_t pointer;	/* or the word that has it; else 0 */
	bool is_aimed;		/* the call leads to the stub */
	uintptr_t change;	/* address of the bytes */
	uint8_t bytes[32];
	size_t size;
};

/* Finds the call among the bytes of a jump at a place, if there is one. */
bool	stub_call_find(uintptr_t place, struct stub_call *);

/* Appends the part of a stub from the copy on, and sets the bytes to change. */
const char *stub_put_call(struct stub *, uintptr_t place, struct stub_call *);

#pragma GCC visibility pop

#endif
