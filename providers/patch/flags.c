/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds out whether flags are tested after a place.  It reads one instruction
 * after the other, as far as a branch, a call or a return, which may lead to a
 * test.
 */
#include "x86_64.h"

#include "decoder.h"

#define LENGTH_MAX	15u	/* of an instruction */
#define LOOK_MAX	16u	/* instructions */

#define CARRY		ZYDIS_CPUFLAG_CF
#define ALL		(CARRY | ZYDIS_CPUFLAG_PF | ZYDIS_CPUFLAG_AF | \
			    ZYDIS_CPUFLAG_ZF | ZYDIS_CPUFLAG_SF | \
			    ZYDIS_CPUFLAG_OF)

/*
 * Returns the flags that the instruction certainly sets, or leaves undefined.
 * Shifts and string instructions do not count: with a count of 0 they change
 * none.
 */
static uint32_t
sets(const ZydisDecodedInstruction *in)
{
	switch (in->mnemonic) {
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_AND:
	case ZYDIS_MNEMONIC_CMP:
	case ZYDIS_MNEMONIC_NEG:
	case ZYDIS_MNEMONIC_OR:
	case ZYDIS_MNEMONIC_SUB:
	case ZYDIS_MNEMONIC_TEST:
	case ZYDIS_MNEMONIC_XOR:
		return (ALL);
	case ZYDIS_MNEMONIC_DEC:
	case ZYDIS_MNEMONIC_INC:
		return (ALL & ~CARRY);
	default:
		return (0);
	}
}

/* Returns true if the next instruction runs directly after this one. */
static bool
goes_on(const ZydisDecodedInstruction *in)
{
	switch (in->meta.category) {
	case ZYDIS_CATEGORY_CALL:
	case ZYDIS_CATEGORY_COND_BR:
	case ZYDIS_CATEGORY_INTERRUPT:
	case ZYDIS_CATEGORY_RET:
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_SYSRET:
	case ZYDIS_CATEGORY_SYSTEM:
	case ZYDIS_CATEGORY_UNCOND_BR:
		return (false);
	default:
		return (in->mnemonic != ZYDIS_MNEMONIC_UD2);
	}
}

bool
patch_flags_dead(uintptr_t at)
{
	ZydisDecodedInstruction in;
	uint32_t left = ALL;
	unsigned n;

	for (n = 0; n < LOOK_MAX && left != 0; n++, at += in.length) {
		if (!patch_decode_full((const uint8_t *)at, LENGTH_MAX, &in) ||
		    !goes_on(&in) || (in.cpu_flags != NULL &&
		    (in.cpu_flags->tested & left) != 0))
			return (false);
		left &= ~sets(&in);
	}
	return (left == 0);
}
