/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The stubs of the syscall provider on x86-64, one for each place, in a slot:
 *
 *	replaced bytes before the instruction
 *	rcx = the two enable words		a call changes rcx and r11
 *	jrcxz 1f				anyway, and no flag is changed
 *	r11 = the place; jmp syscall_on
 * 1:	syscall					place.bare
 *	(of a clone: the parent jumps to syscall_after)
 *	replaced bytes after it			place.behind
 *	jmp after those
 *	...
 *	.quad syscall_after, syscall_on, address of the place
 *
 * In the unwinders' table a frame in a slot is the place itself, with its
 * registers.  A thread that is cancelled in a call unwinds by it, and
 * destructors run.
 */
#include "syscall.h"

#include <sys/syscall.h>

#include <string.h>

#include "patch/x86_64.h"

#define ADDRESS_AT	120u	/* of the place: the unwind table has it */
#define ON_AT		112u
#define AFTER_AT	104u

_Static_assert(SYSCALL_BARE == 0 && SYSCALL_CALL == 1,
    "the assembly has these numbers");

/*
 * The unwind rules of a slot: the frame is that of the place, with all
 * registers unchanged.  The place's address is at the end of the slot, and the
 * slot's first byte is found by the frame's own address (register 16).
 *
 *	breg16 0; const1s -128; and; plus_uconst 120; deref
 */
__asm__(
    ".text\n"
    ".balign 4096\n"
    ".globl syscall_slots, syscall_slots_end\n"
    ".hidden syscall_slots, syscall_slots_end\n"
    "syscall_slots:\n\t"
    ".cfi_startproc\n\t"
    ".cfi_signal_frame\n\t"
    ".cfi_def_cfa rsp, 0\n\t"
    ".cfi_escape 0x16, 16, 8, 0x80, 0, 0x09, 0x80, 0x1a, 0x23, 120, 0x06\n\t"
    ".fill " NUMBER(SYSCALL_SLOTS) " * " NUMBER(SYSCALL_SLOT) ", 1, 0xcc\n\t"
    ".cfi_endproc\n"
    "syscall_slots_end:\n"
);

/*
 * The stack of a call that is traced, below the red zone:
 *
 *	  0	struct syscall_frame
 *	...
 *	 72	number
 *	 80	place
 *	 88	128 bytes that are the program's
 *
 * Between syscall_enter() and syscall_leave() only number and place are there,
 * and all registers are the program's.  The unwind rules: the frame is that of
 * the place; r11 points to the place at first, then the word at 136 below the
 * frame does (const2u 136; minus; deref; deref).  The word above the saved rbp
 * is the place's address, for walks of frame records.
 */
#define SAVE								\
    "pushq %rax\n\t"							\
    ".cfi_def_cfa_offset 152\n\t"					\
    "pushfq\n\t"							\
    ".cfi_def_cfa_offset 160\n\t"					\
    "pushq %r9\n\t"							\
    ".cfi_def_cfa_offset 168\n\t"					\
    "pushq %r8\n\t"							\
    ".cfi_def_cfa_offset 176\n\t"					\
    "pushq %r10\n\t"							\
    ".cfi_def_cfa_offset 184\n\t"					\
    "pushq %rdx\n\t"							\
    ".cfi_def_cfa_offset 192\n\t"					\
    "pushq %rsi\n\t"							\
    ".cfi_def_cfa_offset 200\n\t"					\
    "pushq %rdi\n\t"							\
    ".cfi_def_cfa_offset 208\n\t"					\
    "pushq (%r11)\n\t"							\
    ".cfi_def_cfa_offset 216\n\t"					\
    "pushq %rbp\n\t"							\
    ".cfi_def_cfa_offset 224\n\t"					\
    ".cfi_offset rbp, -224\n\t"						\
    "movq %rsp, %rbp\n\t"						\
    ".cfi_def_cfa_register rbp\n\t"					\
    "andq $-16, %rsp\n\t"						\
    "cld\n\t"								\
    "movq %r11, %rdi\n\t"						\
    "leaq 16(%rbp), %rsi\n\t"

#define RESTORE								\
    "movq %rbp, %rsp\n\t"						\
    ".cfi_def_cfa_register rsp\n\t"					\
    "popq %rbp\n\t"							\
    ".cfi_same_value rbp\n\t"						\
    ".cfi_def_cfa_offset 216\n\t"					\
    "leaq 8(%rsp), %rsp\n\t"						\
    ".cfi_def_cfa_offset 208\n\t"					\
    "popq %rdi\n\t"							\
    ".cfi_def_cfa_offset 200\n\t"					\
    "popq %rsi\n\t"							\
    ".cfi_def_cfa_offset 192\n\t"					\
    "popq %rdx\n\t"							\
    ".cfi_def_cfa_offset 184\n\t"					\
    "popq %r10\n\t"							\
    ".cfi_def_cfa_offset 176\n\t"					\
    "popq %r8\n\t"							\
    ".cfi_def_cfa_offset 168\n\t"					\
    "popq %r9\n\t"							\
    ".cfi_def_cfa_offset 160\n\t"					\
    "popfq\n\t"								\
    ".cfi_def_cfa_offset 152\n\t"					\
    "popq %rax\n\t"							\
    ".cfi_def_cfa_offset 144\n\t"

#define PLACE_IN_R11	".cfi_escape 0x16, 16, 3, 0x7b, 0, 0x06\n\t"
#define PLACE_ON_STACK							\
    ".cfi_escape 0x16, 16, 6, 0x0a, 136, 0, 0x1c, 0x06, 0x06\n\t"

#define BEGIN								\
    ".cfi_startproc\n\t"						\
    ".cfi_signal_frame\n\t"						\
    ".cfi_def_cfa rsp, 0\n\t"						\
    PLACE_IN_R11							\
    "leaq -128(%rsp), %rsp\n\t"						\
    ".cfi_def_cfa_offset 128\n\t"					\
    "pushq %r11\n\t"							\
    ".cfi_def_cfa_offset 136\n\t"					\
    PLACE_ON_STACK							\
    "pushq %rax\n\t"							\
    ".cfi_def_cfa_offset 144\n\t"

/* Jumps to an address in the place; frees the stack below the red zone. */
#define LEAVE(offset)							\
    "movq 8(%rsp), %r11\n\t"						\
    "leaq 144(%rsp), %rsp\n\t"						\
    ".cfi_def_cfa_offset 0\n\t"						\
    PLACE_IN_R11							\
    "jmp *" offset "(%r11)\n\t"

__asm__(
    ".text\n"
    ".globl syscall_on, syscall_after\n"
    ".hidden syscall_on, syscall_after\n"
    ".type syscall_on, @function\n"
    "syscall_on:\n\t"
    BEGIN
    SAVE
    "call syscall_enter\n\t"
    "movl %eax, %ecx\n\t"
    RESTORE
    "jrcxz 2f\n\t"
    "leaq -1(%rcx), %rcx\n\t"
    "jrcxz 3f\n\t"
    "jmp 4f\n"
    "3:\n\t"
    "syscall\n"
    "4:\n\t"
    "movq 8(%rsp), %r11\n"
    "1:\n\t"
    SAVE
    "call syscall_leave\n\t"
    RESTORE
    ".cfi_remember_state\n\t"
    LEAVE("16")
    ".cfi_restore_state\n"
    "2:\n\t"
    LEAVE("8")
    ".cfi_endproc\n\t"
    ".size syscall_on, . - syscall_on\n"
    ".type syscall_after, @function\n"
    "syscall_after:\n\t"
    BEGIN
    "jmp 1b\n\t"
    ".cfi_endproc\n\t"
    ".size syscall_after, . - syscall_after\n"
);

/* A slot while it is being made. */
struct making {
	struct syscall_slot *slot;
	size_t size;
};

static void
put(struct making *m, const void *bytes, size_t size)
{
	if (m->size + size <= AFTER_AT)
		memcpy(m->slot->bytes + m->size, bytes, size);
	m->size += size;
}

static void
put_address(struct making *m, const void *address)
{
	put(m, &address, sizeof(address));
}

/* Jumps to a routine with its address in the slot; r11 = the place. */
static void
put_go(struct making *m, unsigned routine_at)
{
	int32_t displacement;

	put(m, "\x49\xbb", 2);
	put_address(m, m->slot->place);
	displacement = (int32_t)(routine_at - (m->size + 6));
	put(m, "\xff\x25", 2);
	put(m, &displacement, sizeof(displacement));
}

/* Loads the two words into rcx. */
static void
put_look(struct making *m, int number)
{
	if (number != SYSCALL_ANY) {
		put(m, "\x48\xb9", 2);		/* movabs $words,%rcx */
		put_address(m, syscall_words[number]);
	} else {
		put(m, "\x0f\xb6\xcc", 3);	/* movzbl %ah,%ecx */
		put(m, "\x49\xbb", 2);		/* movabs $pages,%r11 */
		put_address(m, syscall_pages);
		put(m, "\x4d\x8b\x1c\xcb", 4);	/* mov (%r11,%rcx,8),%r11 */
		put(m, "\x0f\xb6\xc8", 3);	/* movzbl %al,%ecx */
		put(m, "\x49\x8b\x0c\xcb", 4);	/* mov (%r11,%rcx,8),%rcx */
	}
	put(m, "\x48\x8b\x09", 3);		/* mov (%rcx),%rcx */
}

static void
put_call(struct making *m, int number)
{
	static const uint8_t size_of_go = 16;

	if (syscall_is_looked_at(number)) {
		put_go(m, ON_AT);
	} else {
		put_look(m, number);
		put(m, "\xe3", 1);		/* jrcxz */
		put(m, &size_of_go, 1);
		put_go(m, ON_AT);
	}
	m->slot->place->bare = m->slot->at + m->size;
	put(m, "\x0f\x05", 2);
	if (number != SYSCALL_ANY && syscall_is_clone((unsigned)number)) {
		put(m, "\x48\x89\xc1\xe3", 4);	/* mov %rax,%rcx; jrcxz */
		put(m, &size_of_go, 1);
		put_go(m, AFTER_AT);
	}
	m->slot->place->behind = m->slot->at + m->size;
}

static const char *
put_copy(struct making *m, uintptr_t from, const struct patch_moves *moves,
    bool *ended, uintptr_t *behind)
{
	struct patch_copy copy;
	const char *problem = patch_copy_make((const uint8_t *)from, from,
	    moves, m->slot->at + m->size, &copy);

	if (problem == NULL)
		put(m, copy.bytes, copy.size);
	*ended = copy.ended;
	*behind = from + copy.taken;
	return (problem);
}

static const char *
put_back(struct making *m, uintptr_t behind)
{
	uint8_t jump[PATCH_JUMP];
	bool reached = patch_jump(jump, m->slot->at + m->size, behind);

	put(m, jump, sizeof(jump));
	return (reached ? NULL : "its stub is out of reach");
}

static void
put_word(struct syscall_slot *slot, unsigned at, uintptr_t word)
{
	memcpy(slot->bytes + at, &word, sizeof(word));
}

const char *
syscall_stub(struct syscall_slot *slot, const struct syscall_found *f)
{
	struct making m = { .slot = slot };
	uintptr_t call = f->at + f->head, behind;
	const char *problem;
	bool ended;

	memset(slot->bytes, 0xcc, SYSCALL_SLOT);
	problem = put_copy(&m, f->at, f->before, &ended, &behind);
	if (problem != NULL)
		return (problem);
	put_call(&m, f->number);
	problem = put_copy(&m, call + 2, f->after, &ended, &behind);
	if (problem == NULL && !ended)
		problem = put_back(&m, behind);
	if (problem == NULL && m.size > AFTER_AT)
		problem = "it does not fit into a stub";
	put_word(slot, AFTER_AT, (uintptr_t)syscall_after);
	put_word(slot, ON_AT, (uintptr_t)syscall_on);
	put_word(slot, ADDRESS_AT, f->at);
	return (problem);
}
