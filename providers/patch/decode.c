/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Instructions, decoded by zydis: it is packaged, allocates nothing, and
 * reports where in an instruction its displacement is.  Zydis is loaded at the
 * first use, as a process that finds tables (table.h) does not need it.
 */
#include "x86_64.h"

#include <dlfcn.h>
#include <string.h>

#include "decoder.h"

/*
 * `whole` decodes all of an instruction; `bare` only its length and its parts,
 * so that it walks through a text in half the time.
 */
static ZydisDecoder whole, bare;

/* Functions of zydis. */
static struct {
	ZyanStatus (*init)(ZydisDecoder *, ZydisMachineMode, ZydisStackWidth);
	ZyanStatus (*enable)(ZydisDecoder *, ZydisDecoderMode, ZyanBool);
	ZyanStatus (*decode)(const ZydisDecoder *, ZydisDecoderContext *,
	    const void *, ZyanUSize, ZydisDecodedInstruction *);
	ZyanStatus (*decode_full)(const ZydisDecoder *, const void *,
	    ZyanUSize, ZydisDecodedInstruction *, ZydisDecodedOperand *);
	ZydisRegister (*enclosing)(ZydisMachineMode, ZydisRegister);
} zydis;

static bool
find(void *library, const char *name, void *function)
{
	void *address = dlsym(library, name);

	memcpy(function, &address, sizeof(address));
	return (address != NULL);
}

static bool
load(void)
{
	void *library = dlopen(ZYDIS_LIBRARY, RTLD_NOW | RTLD_LOCAL);

	return (library != NULL &&
	    find(library, "ZydisDecoderInit", &zydis.init) &&
	    find(library, "ZydisDecoderEnableMode", &zydis.enable) &&
	    find(library, "ZydisDecoderDecodeInstruction", &zydis.decode) &&
	    find(library, "ZydisDecoderDecodeFull", &zydis.decode_full) &&
	    find(library, "ZydisRegisterGetLargestEnclosing",
	    &zydis.enclosing));
}

static bool
begin(void)
{
	return (load() && ZYAN_SUCCESS(zydis.init(&whole,
	    ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) &&
	    ZYAN_SUCCESS(zydis.init(&bare, ZYDIS_MACHINE_MODE_LONG_64,
	    ZYDIS_STACK_WIDTH_64)) &&
	    ZYAN_SUCCESS(zydis.enable(&bare, ZYDIS_DECODER_MODE_MINIMAL,
	    ZYAN_TRUE)));
}

static inline bool
ready(void)
{
	static enum { NOTHING, READY, FAILED } state;

	if (state == NOTHING)
		state = begin() ? READY : FAILED;
	return (state == READY);
}

bool
patch_decode_full(const uint8_t *bytes, size_t size,
    ZydisDecodedInstruction *instruction)
{
	return (ready() && ZYAN_SUCCESS(zydis.decode(&whole, NULL, bytes,
	    size, instruction)));
}

bool
patch_decoder_load(void)
{
	return (ready());
}

static bool
is_stack_pointer(ZydisRegister name)
{
	return (zydis.enclosing(ZYDIS_MACHINE_MODE_LONG_64,
	    name) == ZYDIS_REGISTER_RSP);
}

bool
patch_uses_stack(const uint8_t *bytes, size_t size)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction in;
	unsigned i;

	if (!ready() || !ZYAN_SUCCESS(zydis.decode_full(&whole, bytes, size,
	    &in, operands)))
		return (true);
	for (i = 0; i < in.operand_count; i++)
		if ((operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    is_stack_pointer(operands[i].reg.value)) ||
		    (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    (is_stack_pointer(operands[i].mem.base) ||
		    is_stack_pointer(operands[i].mem.index))))
			return (true);
	return (false);
}

/* Returns true for a jmp with an operand in a register or in memory. */
static bool
is_computed_jump(const ZydisDecodedInstruction *in)
{
	return (in->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
	    in->opcode == 0xff && (in->raw.modrm.reg == 4 ||
	    in->raw.modrm.reg == 5));
}

static bool
is_call(const ZydisDecodedInstruction *in)
{
	return (in->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
	    (in->opcode == 0xe8 || (in->opcode == 0xff &&
	    (in->raw.modrm.reg == 2 || in->raw.modrm.reg == 3))));
}

/* Returns true for jmp, ret, hlt, int3 and ud2. */
static bool
is_end(const ZydisDecodedInstruction *in)
{
	static const uint8_t opcodes[] = {
		0xe9, 0xeb, 0xc2, 0xc3, 0xca, 0xcb, 0xcf, 0xf4, 0xcc
	};

	if (in->opcode_map == ZYDIS_OPCODE_MAP_0F)
		return (in->opcode == 0x0b);
	return (in->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
	    memchr(opcodes, in->opcode, sizeof(opcodes)) != NULL);
}

/* Returns true if an operand is relative to the next instruction's address. */
static bool
is_relative(const ZydisDecodedInstruction *in)
{
	return (in->raw.modrm.offset != 0 && in->raw.modrm.mod == 0 &&
	    in->raw.modrm.rm == 5);
}

/* Sets the registers by which tables are read, and jumps are computed. */
static void
take_registers(const ZydisDecodedInstruction *in,
    struct patch_instruction *out)
{
	out->index = out->base = out->reg = out->rm = PATCH_NO_REGISTER;
	if (in->raw.modrm.offset == 0 ||
	    in->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY)
		return;
	out->reg = (uint8_t)(in->raw.modrm.reg | in->raw.rex.R << 3);
	if (in->raw.modrm.mod == 3)
		out->rm = (uint8_t)(in->raw.modrm.rm | in->raw.rex.B << 3);
	else if (in->raw.modrm.rm == 4 && (in->raw.sib.index != 4 ||
	    in->raw.rex.X != 0)) {
		out->index = (uint8_t)(in->raw.sib.index |
		    in->raw.rex.X << 3);
		out->scale = in->raw.sib.scale;
		out->base = (uint8_t)(in->raw.sib.base | in->raw.rex.B << 3);
	}
}

static bool
is_untracked(const ZydisDecodedInstruction *in)
{
	unsigned i;

	for (i = 0; i < in->raw.prefix_count; i++)
		if (in->raw.prefixes[i].value == 0x3e)
			return (true);
	return (false);
}

/* Sets the addresses in an instruction. */
static void
take_addresses(const ZydisDecodedInstruction *in, uintptr_t at,
    struct patch_instruction *out)
{
	out->is_branch = in->raw.imm[0].is_relative;
	out->is_relative = is_relative(in);
	if (out->is_branch)
		out->target = at + in->length + in->raw.imm[0].value.u;
	else if (in->raw.imm[0].size >= 32)
		out->immediate = in->raw.imm[0].value.u;
	if (out->is_relative)
		out->operand = at + in->length + (uint64_t)in->raw.disp.value;
	else if (in->raw.disp.size == 32)
		out->operand = (uint64_t)in->raw.disp.value;
}

void
patch_decode_any(const uint8_t *bytes, size_t size, uintptr_t at,
    struct patch_instruction *out)
{
	ZydisDecodedInstruction in;

	*out = (struct patch_instruction){ .length = 0 };
	if (!ready() || !ZYAN_SUCCESS(zydis.decode(&bare, NULL, bytes, size,
	    &in)) ||
	    (in.raw.imm[0].is_relative && patch_is_narrow(&in)))
		return;
	out->length = in.length;
	take_addresses(&in, at, out);
	take_registers(&in, out);
	if (in.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
	    in.encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY)
		out->opcode = in.opcode;
	out->is_call = is_call(&in);
	out->is_return = out->opcode == 0xc2 || out->opcode == 0xc3;
	out->is_indirect = is_computed_jump(&in);
	out->is_untracked = out->is_indirect && is_untracked(&in);
	out->ends = out->is_indirect || is_end(&in);
}

/* Without zydis nothing is an instruction: some would be, and others not. */
void
patch_decode(const uint8_t *bytes, size_t size, uintptr_t at,
    struct patch_instruction *out)
{
	if (!ready() || !patch_decode_common(bytes, size, at, out))
		patch_decode_any(bytes, size, at, out);
}
