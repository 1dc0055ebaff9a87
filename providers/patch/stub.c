/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Stubs that show all general registers to a function.
 *
 *	lea -128(%rsp),%rsp	below the red zone
 *	push %rcx
 *	movabs $enabled,%rcx
 *	mov (%rcx),%ecx
 *	jrcxz 1f		no flag has been touched
 *	movabs $probe,%rcx
 *	call *2f(%rip)
 * 1:	pop %rcx
 *	lea 128(%rsp),%rsp
 *	what the jump took
 *	jmp behind it
 * 2:	.quad patch_hit
 */
#include "x86_64.h"

#include <errno.h>
#include <string.h>

#define HEAD		45u	/* bytes up to the copy */
#define HEAD_CALL	30u	/* the call in it */
#define TAIL		13u	/* the jump back, and the address */
#define NOP		0x90

struct stub {
	uint8_t bytes[HEAD + PATCH_COPY_MAX + TAIL];
	size_t size;
};

_Static_assert(offsetof(struct patch_probe, hit) == 8, "patch_hit() has it");

void	patch_hit(void);

/*
 * Called by a stub: the return address, then rcx, then 128 bytes.  Registers
 * are pushed in the order of struct patch_registers, from its end; rsp and
 * rcx are those of the place.  Flags by lahf and seto: none but those of
 * arithmetic change here.
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
    "mov %rbx, %rsp\n\t"
    "add $16, %rsp\n\t"
    "pop %rdx\n\t"
    "pop %rbx\n\t"
    "add $8, %rsp\n\t"
    "pop %rbp\n\t"
    "pop %rsi\n\t"
    "pop %rdi\n\t"
    "pop %r8\n\t"
    "pop %r9\n\t"
    "pop %r10\n\t"
    "pop %r11\n\t"
    "pop %r12\n\t"
    "pop %r13\n\t"
    "pop %r14\n\t"
    "pop %r15\n\t"
    "pop %rax\n\t"
    "add $0x7f, %al\n\t"
    "sahf\n\t"
    "pop %rax\n\t"
    "ret\n\t"
    ".size patch_hit, . - patch_hit\n"
);

static void
put(struct stub *s, const void *bytes, size_t size)
{
	memcpy(s->bytes + s->size, bytes, size);
	s->size += size;
}

static void
put_address(struct stub *s, const void *address)
{
	put(s, &address, sizeof(address));
}

/* The call's displacement is set when it is known where the address is. */
static void
put_head(struct stub *s, const struct patch_probe *probe)
{
	s->size = 0;
	put(s, "\x48\x8d\x64\x24\x80\x51\x48\xb9", 8);
	put_address(s, probe->enabled);
	put(s, "\x8b\x09\xe3\x10\x48\xb9", 6);
	put_address(s, probe);
	put(s, "\xff\x15\0\0\0\0", 6);
	put(s, "\x59\x48\x8d\xa4\x24\x80\0\0\0", 9);
}

static const char *
put_tail(struct stub *s, const struct patch_copy *copy, uintptr_t at,
    uintptr_t back)
{
	int64_t distance = (int64_t)(back - (at + s->size + copy->size +
	    PATCH_JUMP));
	int32_t displacement = (int32_t)distance;

	put(s, copy->bytes, copy->size);
	if (!copy->ended) {
		if (displacement != distance)
			return ("out of reach");
		put(s, "\xe9", 1);
		put(s, &displacement, sizeof(displacement));
	}
	displacement = (int32_t)(s->size - HEAD_CALL - 6);
	memcpy(s->bytes + HEAD_CALL + 2, &displacement, sizeof(displacement));
	put_address(s, (const void *)(uintptr_t)patch_hit);
	return (NULL);
}

/* A stub at `at`, for what a jump of these bytes takes behind the nop. */
static const char *
make(const struct patch *patch, const struct patch_probe *probe, uintptr_t at,
    struct stub *s)
{
	uintptr_t behind = probe->place + 1;
	struct patch_copy copy;
	const char *problem;

	put_head(s, probe);
	problem = patch_relocate(patch, (const uint8_t *)behind, behind,
	    PATCH_JUMP - 1, at + s->size, &copy);
	if (problem != NULL)
		return (problem);
	return (put_tail(s, &copy, at, behind + copy.taken));
}

/* The stub first: until the place has changed nothing leads there. */
static const char *
write_both(const struct patch *patch, struct patch_probe *probe,
    uintptr_t at, const struct stub *s, size_t size)
{
	uint8_t jump[PATCH_JUMP] = { 0xe9 };
	int32_t displacement = (int32_t)(at - (probe->place + PATCH_JUMP));

	memcpy(jump + 1, &displacement, sizeof(displacement));
	if (patch_write(patch, at, s->bytes, s->size) != 0 ||
	    patch_write(patch, probe->place, jump, size) != 0)
		return ("the kernel does not let text be written");
	probe->stub = at;
	return (NULL);
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
		return ("it is no nop");
	memcpy(&displacement, (const void *)(probe->place + 1),
	    sizeof(displacement));
	at = probe->place + PATCH_JUMP + (uintptr_t)(intptr_t)displacement;
	if ((problem = make(patch, probe, at, &s)) == NULL &&
	    (problem = patch_map_at(at, s.size)) == NULL) {
		probe->stub_size = s.size;
		problem = write_both(patch, probe, at, &s, 1);
	}
	return (problem);
}

const char *
patch_arm_jump(const struct patch *patch, const struct patch_text *text,
    struct patch_probe *probe)
{
	const char *problem;
	struct stub s;
	uintptr_t at;

	if (!patch_is_nop(probe->place))
		return ("it is no nop");
	at = patch_map_near(text, sizeof(s.bytes));
	if (at == 0)
		return ("no room for a stub within reach");
	if ((problem = make(patch, probe, at, &s)) != NULL)
		return (problem);
	probe->stub_size = sizeof(s.bytes);
	return (write_both(patch, probe, at, &s, PATCH_JUMP));
}
