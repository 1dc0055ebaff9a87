/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The stubs of the syscall provider on aarch64, one for each place, in a slot:
 *
 *	push x16, x17
 *	x16 = the two enable words
 *	cbz x16, 1f
 *	x17 = the place; x16 = syscall_on; br x16
 *
 *	pop x16, x17				place.behind
 *	b after the place
 *
 * 1:	pop x16, x17				place.bare
 *	svc #0
 *	(of a clone: the parent goes to syscall_after)
 *	b after the place
 *	...
 *	.quad the words or their table, place, syscall_on, syscall_after
 *
 * A call preserves all registers but x0, so a stub has none to test with: it
 * puts two on the stack.  On aarch64 no memory below the stack pointer is the
 * program's, as the procedure call standard has no red zone, and the kernel
 * puts the frames of signal handlers right there.  No flag is changed, and at
 * the instruction itself the stack is as the program has it: the child of a
 * clone, which may have another one, needs none for its return.
 *
 * In the unwinders' table a frame in a slot is the place itself, with its
 * registers.  A thread that is cancelled in a call unwinds by it, and
 * destructors run.
 */
#include "syscall.h"

#include <string.h>

#include "patch/aarch64.h"

/* Offsets of the fixed parts of a slot. */
#define BEHIND_AT	44u
#define BARE_AT		52u
#define LOOK_AT		96u	/* words, or the table of tables */
#define PLACE_AT	104u	/* the unwind table has it */
#define ON_AT		112u
#define AFTER_AT	120u

_Static_assert(SYSCALL_BARE == 0 && SYSCALL_DONE == 2 &&
    offsetof(struct syscall_frame, flags) == 48 &&
    offsetof(struct syscall_frame, result) == 56 &&
    offsetof(struct syscall_frame, number) == 64 &&
    offsetof(struct syscall_frame, place) == 72 &&
    offsetof(struct syscall_frame, others) == 80 &&
    offsetof(struct syscall_frame, link) == 160 &&
    offsetof(struct syscall_frame, scratch) == 176 &&
    sizeof(struct syscall_frame) == 192,
    "the assembly has these numbers");

/*
 * The unwind rules of a slot: the frame is that of the place.  The word at 104
 * in the slot points to the place, which begins with its address; the slot is
 * found by the frame's own address, which unwinders have in column 96:
 *
 *	bregx 96 0; const1s -128; and; plus_uconst 104; deref; deref
 *
 * The stack pointer is 16 bytes below the place's while two registers are
 * pushed: this number has a bit for each instruction.
 *
 *	breg31 0; const4u 0xe2ffe; bregx 96 0; const1u 127; and; lit2; shr;
 *	shr; lit1; and; lit4; shl; plus
 */
#define PC		"0x92, 96, 0"
__asm__(
    ".text\n"
    ".balign 4096\n"
    ".globl syscall_slots, syscall_slots_end\n"
    ".hidden syscall_slots, syscall_slots_end\n"
    "syscall_slots:\n\t"
    ".cfi_startproc\n\t"
    ".cfi_signal_frame\n\t"
    ".cfi_return_column 96\n\t"
    ".cfi_escape 0x0f, 21, 0x8f, 0, 0x0c, 0xfe, 0x2f, 0x0e, 0, " PC
    ", 0x08, 127, 0x1a, 0x32, 0x25, 0x25, 0x31, 0x1a, 0x34, 0x24, 0x22\n\t"
    ".cfi_escape 0x16, 96, 10, " PC ", 0x09, 0x80, 0x1a, 0x23, 104, 6, 6\n\t"
    ".fill " NUMBER(SYSCALL_SLOTS) " * " NUMBER(SYSCALL_SLOT)
    " / 4, 4, 0xd4200000\n\t"
    ".cfi_endproc\n"
    "syscall_slots_end:\n"
);

/*
 * The stack of a call that is traced, or inspected:
 *
 *	  0	frame record: x29, and the place's address
 *	 16	struct syscall_frame, with the registers pushed by the slot
 *	208	the program's
 *
 * The frame is that of the place, with the place's address as the return
 * address of the record: for unwinders, and for walks of frame records.
 */
#define PLACE_IN_X17	".cfi_escape 0x16, 96, 3, 0x81, 0, 6\n\t"

#define BEGIN								\
    ".cfi_startproc\n\t"						\
    ".cfi_signal_frame\n\t"						\
    ".cfi_return_column 96\n\t"						\
    ".cfi_def_cfa sp, 16\n\t"						\
    PLACE_IN_X17							\
    "hint #34\n\t" /* bti c */						\
    "sub sp, sp, #192\n\t"						\
    ".cfi_def_cfa_offset 208\n\t"					\
    "stp x0, x1, [sp, #16]\n\t"						\
    "stp x2, x3, [sp, #32]\n\t"						\
    "stp x4, x5, [sp, #48]\n\t"						\
    "mrs x16, nzcv\n\t"							\
    "stp x16, x0, [sp, #64]\n\t"					\
    "stp x8, x17, [sp, #80]\n\t"					\
    "stp x6, x7, [sp, #96]\n\t"						\
    "stp x9, x10, [sp, #112]\n\t"					\
    "stp x11, x12, [sp, #128]\n\t"					\
    "stp x13, x14, [sp, #144]\n\t"					\
    "stp x15, x18, [sp, #160]\n\t"					\
    "str x30, [sp, #176]\n\t"						\
    ".cfi_offset x30, -32\n\t"						\
    "ldr x16, [x17]\n\t"						\
    "stp x29, x16, [sp]\n\t"						\
    ".cfi_offset x29, -208\n\t"						\
    ".cfi_offset 96, -200\n\t"

/* Restores all registers but x16 and x17, which the slot has pushed. */
#define RESTORE								\
    "ldp x29, x16, [sp]\n\t"						\
    "ldp x16, x0, [sp, #64]\n\t"					\
    "msr nzcv, x16\n\t"							\
    "ldp x8, x17, [sp, #80]\n\t"					\
    "ldp x2, x3, [sp, #32]\n\t"						\
    "ldp x4, x5, [sp, #48]\n\t"						\
    "ldp x6, x7, [sp, #96]\n\t"						\
    "ldp x9, x10, [sp, #112]\n\t"					\
    "ldp x11, x12, [sp, #128]\n\t"					\
    "ldp x13, x14, [sp, #144]\n\t"					\
    "ldp x15, x18, [sp, #160]\n\t"					\
    "ldr x30, [sp, #176]\n\t"						\
    "ldr x1, [sp, #24]\n\t"

/* Jumps to a part of the slot that pops x16 and x17; x17 has the place. */
#define LEAVE(offset)							\
    "add sp, sp, #192\n\t"						\
    ".cfi_def_cfa_offset 16\n\t"					\
    ".cfi_same_value x29\n\t"						\
    ".cfi_same_value x30\n\t"						\
    PLACE_IN_X17							\
    "ldr x16, [x17, #" offset "]\n\t"					\
    "br x16\n\t"

__asm__(
    ".text\n"
    ".globl syscall_on, syscall_after\n"
    ".hidden syscall_on, syscall_after\n"
    ".type syscall_on, %function\n"
    "syscall_on:\n\t"
    BEGIN
    "mov x29, sp\n\t"
    "mov x0, x17\n\t"
    "add x1, sp, #16\n\t"
    "bl syscall_enter\n\t"
    "cbz w0, 2f\n\t"
    "cmp w0, #2\n\t"
    "b.eq 1f\n\t"
    RESTORE
    "ldr x0, [sp, #16]\n\t"
    "ldp x16, x17, [sp, #192]\n\t"
    "svc #0\n\t"
    "str x0, [sp, #72]\n"
    "1:\n\t"
    "mov x29, sp\n\t"
    "ldr x0, [sp, #88]\n\t"
    "add x1, sp, #16\n\t"
    "bl syscall_leave\n\t"
    RESTORE
    ".cfi_remember_state\n\t"
    LEAVE("16")
    ".cfi_restore_state\n"
    "2:\n\t"
    RESTORE
    "ldr x0, [sp, #16]\n\t"
    LEAVE("8")
    ".cfi_endproc\n\t"
    ".size syscall_on, . - syscall_on\n"
    ".type syscall_after, %function\n"
    "syscall_after:\n\t"
    BEGIN
    "b 1b\n\t"
    ".cfi_endproc\n\t"
    ".size syscall_after, . - syscall_after\n"
);

/* A slot while it is being made. */
struct making {
	struct syscall_slot *slot;
	size_t size;
};

static void
put(struct making *m, uint32_t word)
{
	memcpy(m->slot->bytes + m->size, &word, sizeof(word));
	m->size += sizeof(word);
}

static void
put_literal(struct syscall_slot *slot, unsigned at, const void *address)
{
	memcpy(slot->bytes + at, &address, sizeof(address));
}

/* Returns the field of 19 bits that refers to `at` in the slot. */
static uint32_t
to(const struct making *m, size_t at)
{
	return (((uint32_t)(at - m->size) / PATCH_WORD & 0x7ffff) << 5);
}

static void
put_push(struct making *m)
{
	put(m, 0xa9bf47f0);			/* stp x16, x17, [sp, #-16]! */
}

static void
put_pop(struct making *m)
{
	put(m, 0xa8c147f0);			/* ldp x16, x17, [sp], #16 */
}

static void
put_go(struct making *m, unsigned routine_at)
{
	put(m, 0x58000011 | to(m, PLACE_AT));	/* ldr x17, place */
	put(m, 0x58000010 | to(m, routine_at));	/* ldr x16, routine */
	put(m, 0xd61f0200);			/* br x16 */
}

/* Loads the two words into x16. */
static void
put_look(struct making *m, int number)
{
	put(m, 0x58000010 | to(m, LOOK_AT));	/* ldr x16, words */
	if (number == SYSCALL_ANY) {
		put(m, 0xd3483d11);		/* ubfx x17, x8, #8, #8 */
		put(m, 0xf8717a10);		/* ldr x16, [x16, x17, lsl 3] */
		put(m, 0x92401d11);		/* and x17, x8, #255 */
		put(m, 0xf8717a10);
	}
	put(m, 0xf9400210);			/* ldr x16, [x16] */
	put(m, 0xb4000010 | to(m, BARE_AT));	/* cbz x16, bare */
}

/* Branches back to the program, after the place. */
static bool
put_back(struct making *m)
{
	uint32_t word;
	bool reached = patch_branch(m->slot->at + m->size,
	    m->slot->jump + PATCH_WORD, &word);

	put(m, word);
	return (reached);
}

static bool
put_call(struct making *m, int number)
{
	m->size = BARE_AT;
	put_pop(m);
	put(m, 0xd4000001);			/* svc #0 */
	if (number != SYSCALL_ANY && syscall_is_clone((unsigned)number)) {
		put(m, 0xb4000000 | to(m, m->size + 5 * PATCH_WORD));
		put_push(m);
		put_go(m, AFTER_AT);
	}
	return (put_back(m));
}

static void
put_begin(struct making *m, int number)
{
	put_push(m);
	if (!syscall_is_looked_at(number))
		put_look(m, number);
	put_go(m, ON_AT);
}

const char *
syscall_stub(struct syscall_slot *slot, const struct syscall_found *f)
{
	struct making m = { .slot = slot };
	bool reached;

	while (m.size < SYSCALL_SLOT)
		put(&m, 0xd4200000);		/* brk #0 */
	m.size = 0;
	put_begin(&m, f->number);
	m.size = BEHIND_AT;
	put_pop(&m);
	reached = put_back(&m) && put_call(&m, f->number);
	slot->place->bare = slot->at + BARE_AT;
	slot->place->behind = slot->at + BEHIND_AT;
	slot->place->is_leaf = f->is_leaf;
	put_literal(slot, LOOK_AT, f->number == SYSCALL_ANY ?
	    (const void *)syscall_pages : syscall_words[f->number]);
	put_literal(slot, PLACE_AT, slot->place);
	put_literal(slot, ON_AT, (const void *)(uintptr_t)syscall_on);
	put_literal(slot, AFTER_AT, (const void *)(uintptr_t)syscall_after);
	return (reached ? NULL : "its stub is out of reach");
}
