/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Arbitrary bytes as code that is moved, and as an object with tables of its
 * functions.  The moved code is decoded, and compared with the original: the
 * same instructions with the same targets.  Then both are executed from the
 * same registers and memory, and must have the same results: registers, flags,
 * memory, next address, fault.
 */
#include <signal.h>
#include <string.h>

#include <Zydis/Zydis.h>

#include "../../providers/patch/x86_64.h"
#include "support/fuzz.h"
#include "support/stepped.h"

#define INPUT_MAX	1024u

/* A place from which code is decoded. */
struct cursor {
	const uint8_t *bytes;
	size_t size;
	uint64_t address;
	ZydisDecodedInstruction in;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

static bool runs;	/* single instructions can be executed */

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	if (!(runs = stepped_begin()))
		fprintf(stderr, "no child may be traced: nothing is run\n");
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

/* Returns an instruction's operand relative to its address, or 0. */
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

/* True for jumps of 8 bits: their copy goes to a jump, past another one. */
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

	FUZZ_CHECK(mnemonic != ZYDIS_MNEMONIC_CALL);
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

/* ------------------------------------------------------------ execution */

#define AT		(STEPPED_TEXT + 0x678)
#define HLT		0xf4	/* faults */
#define TRACED		0x10100u	/* flags of single stepping: TF, RF */
#define X87_IP		8u	/* address of the last x87 instruction */

/* An original and its copy, on pages of the executing process. */
struct pair {
	struct patch_instruction in;
	uint64_t at, to;
	size_t size;		/* of the copy */
	bool ended;
};

/* True if a result depends on time or CPU, or if the kernel is called. */
static bool
tells_more(const ZydisDecodedInstruction *in)
{
	switch (in->meta.category) {
	case ZYDIS_CATEGORY_RDRAND:
	case ZYDIS_CATEGORY_RDSEED:
	case ZYDIS_CATEGORY_SGX:
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_SYSTEM:
	case ZYDIS_CATEGORY_VTX:
	case ZYDIS_CATEGORY_WAITPKG:
	case ZYDIS_CATEGORY_XSAVE:
	case ZYDIS_CATEGORY_XSAVEOPT:
		return (true);
	default:
		return (in->mnemonic == ZYDIS_MNEMONIC_CPUID ||
		    in->mnemonic == ZYDIS_MNEMONIC_INT ||
		    in->mnemonic == ZYDIS_MNEMONIC_RDPID ||
		    in->mnemonic == ZYDIS_MNEMONIC_RDPKRU ||
		    in->mnemonic == ZYDIS_MNEMONIC_WRPKRU ||
		    in->mnemonic == ZYDIS_MNEMONIC_VMMCALL);
	}
}

/* Converts an address in the copy to one in the original. */
static uint64_t
original(const struct pair *p, uint64_t address)
{
	if (address - p->to < p->size)
		return (p->at);
	return (address == p->to + p->size ? p->at + p->in.length : address);
}

/* Checks that the CPU goes to the address that the decoder returned. */
static void
check_decoded(const struct pair *p, const struct stepped *s,
    const ZydisDecodedInstruction *in)
{
	uint64_t rip = s->registers.rip, behind = p->at + p->in.length;

	if (s->signal != SIGTRAP || rip == p->at || p->in.is_indirect)
		return;
	if (rip == behind)
		FUZZ_CHECK(!p->in.ends || p->in.target == behind ||
		    in->meta.category == ZYDIS_CATEGORY_RET);
	else
		FUZZ_CHECK((p->in.is_branch && rip == p->in.target) ||
		    in->meta.category == ZYDIS_CATEGORY_RET);
}

static void
check_same(const struct pair *p, struct stepped *one, struct stepped *other)
{
	FUZZ_CHECK(!p->ended || other->registers.rip != p->to + p->size);
	other->registers.rip = original(p, other->registers.rip);
	other->fault = original(p, other->fault);
	one->registers.eflags &= ~TRACED;
	other->registers.eflags &= ~TRACED;
	memset(one->vectors + X87_IP, 0, 8);
	memset(other->vectors + X87_IP, 0, 8);
	FUZZ_CHECK(one->signal == other->signal && one->code == other->code);
	FUZZ_CHECK(one->fault == other->fault);
	FUZZ_CHECK(memcmp(&one->registers, &other->registers,
	    sizeof(one->registers)) == 0);
	FUZZ_CHECK(memcmp(one->vectors, other->vectors,
	    one->nvectors_bytes) == 0);
	FUZZ_CHECK(memcmp(one->memory, other->memory,
	    sizeof(one->memory)) == 0);
}

static void
execute(const struct pair *p, const ZydisDecodedInstruction *in, uint64_t seed)
{
	static struct stepped one, other;

	stepped_run(p->at, 1, seed, &one);
	check_decoded(p, &one, in);
	stepped_run(p->to, p->size, seed, &other);
	check_same(p, &one, &other);
}

/*
 * True if the instruction refers to its copy's place, where a program has no
 * data.  A 64-bit address is absolute, so it is not an operand of moved code.
 */
static bool
refers_to_copy(const struct pair *p, const ZydisDecodedInstruction *in)
{
	const uint64_t widest = 64;
	uint64_t operand = in->raw.disp.size == 64 ?
	    (uint64_t)in->raw.disp.value : p->in.operand;

	return (p->in.target - p->to <= p->size ||
	    operand - (p->to - widest) <= p->size + widest);
}

/*
 * Executes an instruction; a condition also with all flags inverted, and each
 * time with a count of zero, one and more.
 */
static void
execute_one(const uint8_t *bytes, const ZydisDecodedInstruction *in,
    uint64_t at, uint64_t to, const struct patch_copy *copy, uint64_t seed)
{
	struct pair p = { .at = at, .to = to, .size = copy->size,
	    .ended = copy->ended };
	uint64_t i, n;

	if (!runs || tells_more(in))
		return;
	patch_decode(bytes, in->length, at, &p.in);
	FUZZ_CHECK(p.in.length == in->length);
	if (refers_to_copy(&p, in))
		return;
	memset(stepped_text(at & -STEPPED_PAGE), HLT, STEPPED_PAGE);
	memset(stepped_text(to & -STEPPED_PAGE), HLT, STEPPED_PAGE);
	memcpy(stepped_text(at), bytes, in->length);
	memcpy(stepped_text(to), copy->bytes, copy->size);
	n = in->meta.category == ZYDIS_CATEGORY_COND_BR ? 8 : 1;
	for (i = 0; i < n; i++)
		execute(&p, in, (i % 2 == 0 ? seed : ~seed) ^ i / 2 << 62);
}

static uint64_t
hash(const uint8_t *bytes, size_t size)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	while (size-- > 0)
		h = (h ^ *bytes++) * UINT64_C(0x100000001b3);
	return (h);
}

/* Checks that instructions moved at once equal those moved one by one. */
static void
move(const uint8_t *bytes, size_t size, size_t least, uint64_t distance)
{
	const uint64_t seed = hash(bytes, size);
	struct patch_copy copy, one;
	struct cursor from = { bytes, size, AT, { .length = 0 }, { { 0 } } };
	struct cursor to = { copy.bytes, 0, AT + distance, { .length = 0 },
	    { { 0 } } };
	size_t taken, done = 0;

	if (patch_relocate(bytes, AT, least, AT + distance, &copy) != NULL)
		return;
	FUZZ_CHECK(copy.size <= sizeof(copy.bytes));
	FUZZ_CHECK(copy.taken >= least || copy.ended);
	to.size = copy.size;
	for (taken = 0; taken < copy.taken; taken += from.in.length) {
		next(&from);
		compare(&from, &to);
		FUZZ_CHECK(patch_relocate(bytes + taken, AT + taken, 1, AT +
		    distance + done, &one) == NULL);
		FUZZ_CHECK(memcmp(one.bytes, copy.bytes + done, one.size) ==
		    0);
		execute_one(bytes + taken, &from.in, AT + taken,
		    AT + distance + done, &one, seed);
		done += one.size;
	}
	FUZZ_CHECK(taken == copy.taken && to.size == to.in.length);
	FUZZ_CHECK(done == copy.size);
}

/* Treats the bytes as a segment of an object, which begins with its tables. */
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
	struct patch_place places[8] = { { .at = 0 } };
	size_t i;

	for (i = 0; i < 8; i++)
		places[i].at = (uintptr_t)bytes + size * i / 8;
	if (size > 64)
		patch_branches_find(&text, places, 8);
	for (i = 0; i < 8; i++)
		(void)patch_prove(&text, &places[i], i % 2 == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t distances[] = {
		512, -UINT64_C(512), STEPPED_GIB, -STEPPED_GIB, 3 * STEPPED_GIB
	};
	uint8_t *bytes;

	if (size < 4 || size > INPUT_MAX)
		return (0);
	/* A decoder may read a whole instruction at the end of the code. */
	bytes = aligned_alloc(16, (size + 16 + 15) & ~(size_t)15);
	memset(bytes, 0x90, (size + 16 + 15) & ~(size_t)15);
	memcpy(bytes, data + 2, size - 2);
	move(bytes, size + 14, data[0] % 16 + 1u,
	    distances[data[1] % (sizeof(distances) / sizeof(distances[0]))]);
	prove(bytes, size - 2);
	free(bytes);
	return (0);
}
