/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Stubs that pass all general registers to a function.  The code that runs
 * while a probe is disabled is together, and as short as possible: most stubs
 * begin in the middle of a cache line.
 *
 *	flags are preserved		flags are not tested after the place
 *
 *	lea -128(%rsp),%rsp		add $-128,%rsp	below the red zone
 *	push %rcx			push %rcx
 *	movabs $enabled,%rcx		movabs $enabled,%rcx
 *	mov (%rcx),%ecx			cmpl $0,(%rcx)
 *	jrcxz 1f			jne 2f
 *	jmp 2f
 * 1:	pop %rcx			pop %rcx
 *	lea 128(%rsp),%rsp		sub $-128,%rsp
 *	copy of the replaced code	copy of the replaced code
 *	jmp to the next instruction	jmp to the next instruction
 * 2:	movabs $probe,%rcx
 *	call *3f(%rip)
 *	jmp 1b
 * 3:	.quad patch_hit
 *
 * A pun replaces the nop alone, so its stub copies nothing.  call.c has the
 * part from the copy to the jump where a call is among the replaced bytes.
 */
#include "stub.h"

#include <errno.h>
#include <string.h>

#define NOP		0x90

_Static_assert(STUB_LEAVE_MAX + PATCH_COPY_MAX + PATCH_JUMP + STUB_TELL <=
    128, "short jumps reach");
_Static_assert(offsetof(struct patch_probe, hit) == 8 &&
    offsetof(struct patch_probe, pushed) == 40, "patch_hit() has it");

void	patch_hit(void);

/*
 * A stub calls this: the stack has the return address, then rcx, then 128
 * bytes.  Registers are pushed in the order of struct patch_registers, from its
 * end; rsp and rcx are those of the place.  Flags are saved by lahf and seto,
 * as only arithmetic flags change here.
 */
__asm__(
    ".text\n"
    ".globl patch_hit\n"
    ".hidden patch_hit\n"
    ".type patch_hit, @function\n"
    "patch_hit:\n\t"
    "push %rax\n\t"
    "lahf\n\t"
    "seto %al\n\t"
    "push %rax\n\t"
    "push %r15\n\t"
    "push %r14\n\t"
    "push %r13\n\t"
    "push %r12\n\t"
    "push %r11\n\t"
    "push %r10\n\t"
    "push %r9\n\t"
    "push %r8\n\t"
    "push %rdi\n\t"
    "push %rsi\n\t"
    "push %rbp\n\t"
    "lea 248(%rsp), %rax\n\t"
    "add 40(%rcx), %rax\n\t"		/* pushed */
    "push %rax\n\t"
    "push %rbx\n\t"
    "push %rdx\n\t"
    "mov 136(%rsp), %rax\n\t"		/* rcx, as the stub pushed it */
    "push %rax\n\t"
    "mov 128(%rsp), %rax\n\t"		/* rax, as pushed first */
    "push %rax\n\t"
    "mov %rcx, %rdi\n\t"
    "mov %rsp, %rsi\n\t"
    "mov %rsp, %rbx\n\t"
    "and $-16, %rsp\n\t"
    "cld\n\t"
    "call *8(%rdi)\n\t"
    "mov 16(%rbx), %rdx\n\t"		/* others are preserved */
    "mov 48(%rbx), %rsi\n\t"
    "mov 56(%rbx), %rdi\n\t"
    "mov 64(%rbx), %r8\n\t"
    "mov 72(%rbx), %r9\n\t"
    "mov 80(%rbx), %r10\n\t"
    "mov 88(%rbx), %r11\n\t"
    "mov 128(%rbx), %rax\n\t"
    "add $0x7f, %al\n\t"
    "sahf\n\t"
    "mov 136(%rbx), %rax\n\t"
    "lea 144(%rbx), %rsp\n\t"
    "mov 24(%rbx), %rbx\n\t"
    "ret\n\t"
    ".size patch_hit, . - patch_hit\n"
);

static void
put_head(struct stub *s, const struct patch_probe *probe, bool flags)
{
	stub_put(s, flags ? "\x48\x8d\x64\x24\x80" : "\x48\x83\xc4\x80",
	    flags ? 5 : 4);
	stub_put(s, "\x51\x48\xb9", 3);
	stub_put_address(s, probe->enabled);
	if (flags)
		stub_put(s, "\x8b\x09\xe3\x02\xeb\0", 6);
	else
		stub_put(s, "\x83\x39\0\x75\0", 5);
	s->branch = s->leave = s->size;
	stub_put(s, "\x59", 1);
	stub_put(s, flags ? "\x48\x8d\xa4\x24\x80\0\0\0" : "\x48\x83\xec\x80",
	    flags ? 8 : 4);
}

static void
put_tell(struct stub *s, const struct patch_probe *probe)
{
	s->bytes[s->branch - 1] = (uint8_t)(s->size - s->branch);
	stub_put(s, "\x48\xb9", 2);
	stub_put_address(s, probe);
	stub_put(s, "\xff\x15\x02\0\0\0\xeb", 7);
	stub_put(s, &(uint8_t){ (uint8_t)(s->leave - (s->size + 1)) }, 1);
	stub_put_address(s, (const void *)(uintptr_t)patch_hit);
}

/* Copies instructions after the nop, and jumps to the one after them. */
static const char *
put_copy(struct stub *s, const struct patch_probe *probe, size_t least)
{
	uintptr_t behind = probe->place + PATCH_NOP;
	struct patch_copy copy;
	const char *problem;

	if ((problem = stub_put_copy(s, behind, least, &copy)) != NULL ||
	    copy.ended)
		return (problem);
	return (stub_put_jump(s, behind + copy.taken));
}

/*
 * Makes a stub at `at` for the bytes after the nop that are replaced, at least
 * `least`, or for a call.
 */
static const char *
make(const struct patch_probe *probe, uintptr_t at, size_t least,
    struct stub_call *call, struct stub *s)
{
	const char *problem;

	s->at = at;
	s->size = 0;
	put_head(s, probe, !patch_flags_dead(probe->place + PATCH_NOP));
	problem = call != NULL ? stub_put_call(s, probe->place, call) :
	    put_copy(s, probe, least);
	if (problem == NULL)
		put_tell(s, probe);
	return (problem);
}

bool
patch_is_nop(uintptr_t place)
{
	return (*(const uint8_t *)place == NOP);
}

const char *
patch_arm_pun(const struct patch *patch, struct patch_probe *probe)
{
	const char *problem;
	int32_t displacement;
	struct stub s;
	uintptr_t at;

	if (!patch_is_nop(probe->place))
		return ("it is not a nop");
	memcpy(&displacement, (const void *)(probe->place + 1),
	    sizeof(displacement));
	at = probe->place + PATCH_JUMP + (uintptr_t)(intptr_t)displacement;
	if ((problem = make(probe, at, 0, NULL, &s)) == NULL &&
	    (problem = patch_map_at(at, s.size)) == NULL)
		problem = patch_redirect(patch, at, s.bytes, s.size,
		    probe->place, 1);
	if (problem == NULL) {
		probe->stub = at;
		probe->stub_size = s.size;
	}
	return (problem);
}

/* Changes the bytes of a place for which there is a stub. */
static const char *
redirect(const struct patch *patch, const struct stub *s, uintptr_t place,
    const struct stub_call *call)
{
	if (call == NULL)
		return (patch_redirect(patch, s->at, s->bytes, s->size, place,
		    PATCH_JUMP));
	if (patch_write(patch, s->at, s->bytes, s->size) != 0 ||
	    patch_write(patch, call->change, call->bytes, call->size) != 0)
		return ("the kernel does not permit writing to text");
	return (NULL);
}

const char *
patch_arm_jump(const struct patch *patch, const struct patch_text *text,
    struct patch_probe *probe)
{
	struct stub_call found, *call;
	const char *problem;
	struct stub s;
	uintptr_t at;

	if (!patch_is_nop(probe->place))
		return ("it is not a nop");
	call = stub_call_find(probe->place, &found) ? &found : NULL;
	at = patch_map_near(text, sizeof(s.bytes));
	if (at == 0)
		return ("there is no room for a stub within reach");
	probe->pushed = 0;
	if ((problem = make(probe, at, PATCH_JUMP - PATCH_NOP, call, &s)) ==
	    NULL)
		problem = redirect(patch, &s, probe->place, call);
	if (problem == NULL) {
		probe->stub = at;
		probe->stub_size = sizeof(s.bytes);
		if (call != NULL && call->is_aimed)
			probe->pushed = sizeof(uintptr_t);
	}
	return (problem);
}
