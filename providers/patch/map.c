/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Making the map of an object (map.h): functions are decoded, then data and the
 * other bytes of the text are read.
 */
#include "map.h"

#include <string.h>

/* ------------------------------------------------------------ functions */

static enum patch_class
class_of(const struct patch_instruction *in)
{
	if (in->is_call)
		return (PATCH_CALL);
	if (in->is_return)
		return (PATCH_RETURN);
	if (in->is_indirect)
		return (PATCH_COMPUTED);
	if (in->is_branch && in->ends)
		return (PATCH_JMP);
	if (in->is_branch)
		return (in->opcode != 0 && (in->opcode & 0xf0) != 0x70 ?
		    PATCH_ODD : PATCH_BRANCH);
	return (in->ends ? PATCH_END : PATCH_PLAIN);
}

/* Marks the places that an instruction leads to, or has the address of. */
static void
look_at_addresses(struct patch_map *m, struct patch_code *code,
    const struct patch_instruction *in)
{
	uintptr_t own = 0;

	if (in->is_branch)
		patch_map_arrive(m, in->target, in->is_call ? PATCH_CALLED :
		    PATCH_JUMPED);
	if (in->is_relative)
		patch_map_arrive(m, own = in->operand, PATCH_CALLED);
	else if (m->is_fixed && in->operand != 0)
		patch_map_arrive(m, own = in->operand + m->slide,
		    PATCH_CALLED);
	if (m->is_fixed && in->immediate != 0)
		patch_map_arrive(m, own = in->immediate + m->slide,
		    PATCH_CALLED);
	code->takes_own |= own > code->start && own < code->end;
}

static void
look_at(struct patch_map *m, struct patch_code *code, struct patch_past *past,
    const struct patch_instruction *in, uintptr_t at)
{
	enum patch_class class = class_of(in);
	uint16_t *mark = patch_map_mark(m, at);
	unsigned i;

	mark[0] |= (uint16_t)(PATCH_BEGINS | PATCH_CODE | class << 13);
	for (i = 1; i < in->length; i++)
		mark[i] |= PATCH_CODE;
	look_at_addresses(m, code, in);
	if (class == PATCH_CALL)
		patch_map_arrive(m, at + in->length, 0);
	if (class == PATCH_COMPUTED) {
		mark[0] |= (uint16_t)patch_jump_look(m, past, in, at);
		code->is_computed |= (mark[0] & PATCH_DISPATCH) != 0;
	}
	if (class == PATCH_PLAIN)
		past->list[past->n++ % PATCH_PAST] = *in;
	else if (class != PATCH_BRANCH)
		past->n = 0;
}

static void
decode(struct patch_map *m, struct patch_code *code)
{
	struct patch_past past = { .n = 0 };
	struct patch_instruction in;
	uintptr_t at;

	for (at = code->start; at < code->end; at += in.length) {
		patch_decode((const uint8_t *)at, code->end - at, at, &in);
		if (in.length == 0) {
			code->problem = "it cannot be decoded";
			return;
		}
		look_at(m, code, &past, &in, at);
	}
}

/* ------------------------------------------------------------ data */

/* Words are read wherever there is data, also beside variables. */
static __attribute__((no_sanitize("address"))) uintptr_t
word_at(uintptr_t at)
{
	uintptr_t word;

	memcpy(&word, (const void *)at, sizeof(word));
	return (word);
}

/* Marks addresses in all words of the data and of the text's other bytes. */
static void
look_at_words(struct patch_map *m)
{
	const struct patch_text *t = m->text;
	const ElfW(Phdr) *part;
	uintptr_t at, end;
	unsigned i;

	for (i = 0; i < t->nparts; i++) {
		part = &t->parts[i];
		if (part->p_type != PT_LOAD || (part->p_flags & PF_R) == 0)
			continue;
		at = t->base + part->p_vaddr;
		end = at + part->p_filesz;
		for (at = (at + 7) & ~(uintptr_t)7; at + 8 <= end; at += 8)
			if (!patch_map_has(m, at) ||
			    (*patch_map_mark(m, at) & PATCH_CODE) == 0)
				patch_map_arrive(m, word_at(at) + m->slide,
				    PATCH_CALLED | PATCH_POINTED);
	}
}

/* Dynamic entries that the map needs. */
struct dynamic {
	uintptr_t rela, rela_size, init, fini;
	bool has_relr, has_textrel;
};

static const ElfW(Dyn) *
dynamic_of(const struct patch_text *t, size_t *count)
{
	unsigned i;

	*count = 0;
	for (i = 0; i < t->nparts; i++)
		if (t->parts[i].p_type == PT_DYNAMIC &&
		    (t->base + t->parts[i].p_vaddr) % sizeof(uintptr_t) ==
		    0 && patch_readable(t, t->base + t->parts[i].p_vaddr,
		    t->parts[i].p_memsz)) {
			*count = t->parts[i].p_memsz / sizeof(ElfW(Dyn));
			return ((const void *)(t->base + t->parts[i].p_vaddr));
		}
	return (NULL);
}

/* The dynamic linker has added the base to addresses in its own copy only. */
static uintptr_t
address_of(const struct patch_text *t, uintptr_t address)
{
	return (address < t->low ? address + t->base : address);
}

static void
read_dynamic(const struct patch_text *t, struct dynamic *out)
{
	size_t count, i;
	const ElfW(Dyn) *d = dynamic_of(t, &count);

	*out = (struct dynamic){ .rela = 0 };
	for (i = 0; i < count && d[i].d_tag != DT_NULL; i++)
		switch (d[i].d_tag) {
		case DT_RELA:
			out->rela = address_of(t, d[i].d_un.d_ptr);
			break;
		case DT_RELASZ:
			out->rela_size = d[i].d_un.d_val;
			break;
		case DT_INIT:
			out->init = address_of(t, d[i].d_un.d_ptr);
			break;
		case DT_FINI:
			out->fini = address_of(t, d[i].d_un.d_ptr);
			break;
		case DT_RELR:
			out->has_relr = true;
			break;
		case DT_TEXTREL:
			out->has_textrel = true;
			break;
		case DT_FLAGS:
			out->has_textrel |= (d[i].d_un.d_val & DF_TEXTREL) !=
			    0;
			break;
		default:
			break;
		}
}

static void
look_at_relocations(struct patch_map *m, const struct dynamic *d)
{
	const struct patch_text *t = m->text;
	ElfW(Rela) r;
	uintptr_t at;

	if (!patch_readable(t, d->rela, d->rela_size))
		return;
	for (at = d->rela; d->rela + d->rela_size - at >= sizeof(r);
	    at += sizeof(r)) {
		memcpy(&r, (const void *)at, sizeof(r));
		if (ELF64_R_TYPE(r.r_info) == R_X86_64_RELATIVE ||
		    ELF64_R_TYPE(r.r_info) == R_X86_64_IRELATIVE)
			patch_map_arrive(m, t->base + (uintptr_t)r.r_addend,
			    PATCH_CALLED | PATCH_POINTED);
	}
}

/*
 * The words that short relocations (RELR) name have addresses already, as those
 * of an object at fixed addresses do; which words they are is not decoded.
 */
static const char *
look_at_data(struct patch_map *m)
{
	struct dynamic d;

	read_dynamic(m->text, &d);
	if (d.has_textrel)
		return ("its text is relocated");
	patch_map_arrive(m, d.init, PATCH_CALLED | PATCH_POINTED);
	patch_map_arrive(m, d.fini, PATCH_CALLED | PATCH_POINTED);
	look_at_relocations(m, &d);
	if (m->is_fixed || d.has_relr)
		look_at_words(m);
	return (NULL);
}

/* ------------------------------------------------------------ other bytes */

static int32_t
number_at(const uint8_t *p)
{
	int32_t number;

	memcpy(&number, p, sizeof(number));
	return (number);
}

/* Marks the destination if a branch begins at a byte outside of functions. */
static void
look_at_byte(struct patch_map *m, uintptr_t at, size_t size)
{
	const uint8_t *p = (const uint8_t *)at;

	if (size >= 5 && (p[0] & 0xfe) == 0xe8)
		patch_map_arrive(m, at + 5 + (uintptr_t)(intptr_t)number_at(p +
		    1), p[0] == 0xe8 ? PATCH_CALLED : PATCH_JUMPED);
	else if (size >= 6 && p[0] == 0x0f && (p[1] & 0xf0) == 0x80)
		patch_map_arrive(m, at + 6 + (uintptr_t)(intptr_t)number_at(p +
		    2), PATCH_JUMPED);
	else if (size >= 2 && (p[0] == 0xeb || (p[0] & 0xf0) == 0x70 ||
	    (p[0] & 0xfc) == 0xe0))
		patch_map_arrive(m, at + 2 + (uintptr_t)(intptr_t)(int8_t)p[1],
		    PATCH_JUMPED);
}

static void
look_at_rest(struct patch_map *m)
{
	uintptr_t at;

	for (at = m->text->start; at < m->text->end; at++)
		if ((*patch_map_mark(m, at) & PATCH_CODE) == 0)
			look_at_byte(m, at, m->text->end - at);
}

/* ------------------------------------------------------------ exceptions */

static void
arrive_at_pad(void *map, uintptr_t pad)
{
	patch_map_arrive(map, pad, 0);
}

/* Refuses the functions in a range if its landing pads are not understood. */
static void
look_at_pads(struct patch_map *m, const struct patch_range *range)
{
	size_t i;

	if (patch_pads_visit(m->text, range, arrive_at_pad, m))
		return;
	for (i = 0; i < m->ncodes; i++)
		if (m->codes[i].start < range->end &&
		    m->codes[i].end > range->start)
			m->codes[i].problem =
			    "its landing pads are not understood";
}

static void
look_at_exceptions(struct patch_map *m)
{
	size_t n = patch_functions_count(m->text), i;
	struct patch_range range;

	for (i = 0; i < n; i++)
		if (patch_functions_get(m->text, i, &range))
			look_at_pads(m, &range);
}

const char *
patch_map_make(struct patch_map *m)
{
	const char *problem;
	size_t i;

	if (!patch_decoder_load())
		return ("zydis is missing");
	for (i = 0; i < m->ncodes; i++) {
		m->codes[i].owner = i;
		patch_map_arrive(m, m->codes[i].start, PATCH_START);
	}
	for (i = 0; i < m->ncodes; i++)
		decode(m, &m->codes[i]);
	if ((problem = look_at_data(m)) != NULL)
		return (problem);
	look_at_rest(m);
	look_at_exceptions(m);
	patch_parts_find(m);
	patch_tables_find(m);
	return (NULL);
}
