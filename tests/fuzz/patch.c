/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Any bytes as a text whose instructions are moved, and as an object whose
 * tables say where its functions are.  What has been moved is decoded, and
 * compared with the original: the same instructions with the same targets.
 */
#include <Zydis/Zydis.h>

#include "../../providers/patch/patch.h"
#include "fuzz.h"

#define INPUT_MAX	1024u

/* Where a text is decoded. */
struct cursor {
	const uint8_t *bytes;
	size_t size;
	uint64_t address;
	ZydisDecodedInstruction in;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return (0);
}

static void
next(struct cursor *c)
{
	static ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64,
	    ZYDIS_STACK_WIDTH_64);
	c->bytes += c->in.length;
	c->size -= c->in.length;
	c->address += c->in.length;
	FUZZ_CHECK(ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, c->bytes,
	    c->size, &c->in, c->operands)));
}

/* What it refers to by its own address, or 0. */
static uint64_t
target(const struct cursor *c)
{
	ZyanU64 address;
	unsigned i;

	for (i = 0; i < c->in.operand_count_visible; i++)
		if (ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&c->in,
		    &c->operands[i], c->address, &address)) &&
		    (c->in.attributes & ZYDIS_ATTRIB_IS_RELATIVE) != 0)
			return (address);
	return (0);
}

/* push $low; movl $high,4(%rsp) */
static void
compare_return(const struct cursor *from, struct cursor *to)
{
	uint64_t pushed;

	next(to);
	FUZZ_CHECK(to->in.mnemonic == ZYDIS_MNEMONIC_PUSH);
	pushed = (uint32_t)to->operands[0].imm.value.u;
	next(to);
	FUZZ_CHECK(to->in.mnemonic == ZYDIS_MNEMONIC_MOV);
	pushed |= to->operands[1].imm.value.u << 32;
	FUZZ_CHECK(pushed == from->address + from->in.length);
}

/* It goes to a jump then, over another one. */
static bool
reaches_little(ZydisMnemonic mnemonic)
{
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_JCXZ:
	case ZYDIS_MNEMONIC_JECXZ:
	case ZYDIS_MNEMONIC_JRCXZ:
	case ZYDIS_MNEMONIC_LOOP:
	case ZYDIS_MNEMONIC_LOOPE:
	case ZYDIS_MNEMONIC_LOOPNE:
		return (true);
	default:
		return (false);
	}
}

static void
compare(const struct cursor *from, struct cursor *to)
{
	ZydisMnemonic mnemonic = from->in.mnemonic;

	if (mnemonic == ZYDIS_MNEMONIC_CALL) {
		compare_return(from, to);
		mnemonic = ZYDIS_MNEMONIC_JMP;
	}
	next(to);
	FUZZ_CHECK(to->in.mnemonic == mnemonic);
	if (reaches_little(mnemonic)) {
		next(to);
		next(to);
	}
	FUZZ_CHECK(target(to) == target(from));
	FUZZ_CHECK(from->in.attributes == to->in.attributes ||
	    from->in.meta.category != to->in.meta.category ||
	    from->in.raw.imm[0].is_relative);
}

static void
move(const uint8_t *bytes, size_t size, size_t least, int64_t distance)
{
	const struct patch patch = { .shadow = false };
	const uint64_t at = UINT64_C(0x7f0012345678);
	struct patch_copy copy;
	struct cursor from = { bytes, size, at, { .length = 0 }, { { 0 } } };
	struct cursor to = { copy.bytes, 0, at + (uint64_t)distance,
	    { .length = 0 }, { { 0 } } };
	size_t taken;

	if (patch_relocate(&patch, bytes, at, least, at + (uint64_t)distance,
	    &copy) != NULL)
		return;
	FUZZ_CHECK(copy.size <= sizeof(copy.bytes));
	FUZZ_CHECK(copy.taken >= least || copy.ended);
	to.size = copy.size;
	for (taken = 0; taken < copy.taken; taken += from.in.length) {
		next(&from);
		compare(&from, &to);
	}
	FUZZ_CHECK(taken == copy.taken && to.size == to.in.length);
}

/* The whole is a part of an object, from its tables on. */
static void
prove(const uint8_t *bytes, size_t size)
{
	const ElfW(Phdr) part = { .p_type = PT_LOAD, .p_flags = PF_R | PF_X,
	    .p_memsz = size };
	const struct patch_text text = {
		.start = (uintptr_t)bytes, .end = (uintptr_t)bytes + size,
		.low = (uintptr_t)bytes, .high = (uintptr_t)bytes + size,
		.base = (uintptr_t)bytes, .parts = &part, .nparts = 1,
		.functions = bytes, .nfunctions_bytes = size
	};
	struct patch_place places[8];
	size_t i;

	for (i = 0; i < 8; i++)
		places[i].at = (uintptr_t)bytes + size * i / 8;
	if (size > 64)
		patch_branches_find(&text, places, 8);
	for (i = 0; i < 8; i++)
		(void)patch_prove(&text, &places[i]);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int64_t distances[] = {
		64, -64, 1 << 30, -(1 << 30), (int64_t)3 << 30
	};
	uint8_t *bytes;

	if (size < 4 || size > INPUT_MAX)
		return (0);
	/* Whoever moves code may read a whole instruction at its end. */
	bytes = aligned_alloc(16, (size + 16 + 15) & ~(size_t)15);
	memset(bytes, 0x90, (size + 16 + 15) & ~(size_t)15);
	memcpy(bytes, data + 2, size - 2);
	move(bytes, size + 14, data[0] % 16 + 1u,
	    distances[data[1] % (sizeof(distances) / sizeof(distances[0]))]);
	prove(bytes, size - 2);
	free(bytes);
	return (0);
}
