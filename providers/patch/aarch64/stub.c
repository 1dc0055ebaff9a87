/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Stubs that pass all general registers to a function, and the replacement of a
 * function by another, on aarch64.
 *
 *	stp x16, x17, [sp, -16]!
 *	ldr x16, enabled
 *	ldr w16, [x16]
 *	cbz w16, 1f		changes no flag
 *	ldr x17, probe
 *	ldr x16, patch_hit
 *	br x16
 * 1:	ldp x16, x17, [sp], 16	PATCH_STUB_BEHIND
 *	b after the place
 *
 * All registers may be in use at a place, so a stub has none to test with: it
 * puts two on the stack.  On aarch64 no memory below the stack pointer is the
 * program's, as the procedure call standard has no red zone.  The branches to
 * and from a stub are direct, and its pages are not guarded, so that neither
 * has to lead to a landing pad.
 */
#include "patch/aarch64.h"

#include <string.h>

#define NOP		0xd503201fu
#define RET		0xd65f03c0u
#define BTI_C		0xd503245fu

void	patch_hit(void);

_Static_assert(offsetof(struct patch_probe, hit) == 8 &&
    offsetof(struct patch_probe, place) == 16 &&
    offsetof(struct patch_probe, stub) == 24 && PATCH_STUB_BEHIND == 28 &&
    sizeof(struct patch_registers) == 256 &&
    offsetof(struct patch_registers, sp) == 248,
    "the assembly has these numbers");

/*
 * A stub continues here while its probe is enabled, with the probe in x17.  The
 * stack:
 *
 *	  0	frame record: x29, and the place, for walks of frame records
 *	 16	struct patch_registers
 *	272	flags, the probe
 *	288	x16 and x17, where the stub has put them
 *	304	the program's
 *
 * Functions preserve registers 19 to 28.
 */
__asm__(
    ".text\n"
    ".globl patch_hit\n"
    ".hidden patch_hit\n"
    ".type patch_hit, %function\n"
    "patch_hit:\n\t"
    "hint #34\n\t" /* bti c */
    "sub sp, sp, #288\n\t"
    "stp x0, x1, [sp, #16]\n\t"
    "stp x2, x3, [sp, #32]\n\t"
    "stp x4, x5, [sp, #48]\n\t"
    "stp x6, x7, [sp, #64]\n\t"
    "stp x8, x9, [sp, #80]\n\t"
    "stp x10, x11, [sp, #96]\n\t"
    "stp x12, x13, [sp, #112]\n\t"
    "stp x14, x15, [sp, #128]\n\t"
    "ldp x0, x1, [sp, #288]\n\t"
    "stp x0, x1, [sp, #144]\n\t"
    "stp x18, x19, [sp, #160]\n\t"
    "stp x20, x21, [sp, #176]\n\t"
    "stp x22, x23, [sp, #192]\n\t"
    "stp x24, x25, [sp, #208]\n\t"
    "stp x26, x27, [sp, #224]\n\t"
    "stp x28, x29, [sp, #240]\n\t"
    "add x0, sp, #304\n\t"
    "stp x30, x0, [sp, #256]\n\t"
    "mrs x0, nzcv\n\t"
    "stp x0, x17, [sp, #272]\n\t"
    "ldr x0, [x17, #16]\n\t"
    "stp x29, x0, [sp]\n\t"
    "mov x29, sp\n\t"
    "mov x0, x17\n\t"
    "add x1, sp, #16\n\t"
    "ldr x16, [x17, #8]\n\t"
    "blr x16\n\t"
    "ldp x0, x17, [sp, #272]\n\t"
    "msr nzcv, x0\n\t"
    "ldp x29, x30, [sp, #248]\n\t"
    "ldr x18, [sp, #160]\n\t"
    "ldp x14, x15, [sp, #128]\n\t"
    "ldp x12, x13, [sp, #112]\n\t"
    "ldp x10, x11, [sp, #96]\n\t"
    "ldp x8, x9, [sp, #80]\n\t"
    "ldp x6, x7, [sp, #64]\n\t"
    "ldp x4, x5, [sp, #48]\n\t"
    "ldp x2, x3, [sp, #32]\n\t"
    "ldp x0, x1, [sp, #16]\n\t"
    "add sp, sp, #288\n\t"
    "ldr x16, [x17, #24]\n\t"
    "add x16, x16, #28\n\t"
    "br x16\n\t"
    ".size patch_hit, . - patch_hit\n"
);

bool
patch_is_nop(uintptr_t place)
{
	return (place % PATCH_WORD == 0 && *(const uint32_t *)place == NOP);
}

const char *
patch_arm(const struct patch *patch, const struct patch_text *text,
    struct patch_probe *probe)
{
	uintptr_t at, back = probe->place + PATCH_NOP;
	uint8_t stub[PATCH_STUB];
	const char *problem;

	if (!patch_is_nop(probe->place))
		return ("it is not a nop");
	if ((at = patch_map_near(text, sizeof(stub))) == 0)
		return ("there is no room for a stub within reach");
	if (!patch_stub_encode(stub, at, back, probe->enabled, probe,
	    (uintptr_t)patch_hit))
		return ("its stub is out of reach");
	problem = patch_redirect(patch, at, stub, sizeof(stub), probe->place,
	    PATCH_JUMP);
	if (problem == NULL) {
		probe->stub = at;
		probe->stub_size = sizeof(stub);
	}
	return (problem);
}

/* A landing pad of indirect calls before the return is not replaced. */
uintptr_t
patch_replaceable(const struct patch_text *text, uintptr_t function)
{
	struct patch_range range;
	uintptr_t at = function;

	if (function % PATCH_WORD != 0 ||
	    !patch_function(text, function, &range) ||
	    range.start != function)
		return (0);
	if (*(const uint32_t *)at == BTI_C)
		at += PATCH_WORD;
	return (at < range.end && *(const uint32_t *)at == RET ? at : 0);
}

/* No two providers of this processor watch the dynamic linker. */
uintptr_t
patch_replaced(uintptr_t function)
{
	(void)function;
	return (0);
}
