/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Arrivals that no instruction names: addresses in data, and landing pads of
 * exceptions.  They are the same on all processors.
 */
#include "map.h"

#include <string.h>

/* ------------------------------------------------------------ data */

/* Words are read wherever there is data, also beside variables. */
__attribute__((no_sanitize("address"))) uintptr_t
patch_map_word(uintptr_t at)
{
	uintptr_t word;

	memcpy(&word, (const void *)at, sizeof(word));
	return (word);
}

/* A word of a list leads nowhere: it says where a pad is. */
static bool
is_listed(const struct patch_map *m, uintptr_t at)
{
	unsigned i;

	for (i = 0; i < m->nlists; i++)
		if (at >= m->lists[i].start && at < m->lists[i].end)
			return (true);
	return (false);
}

/* Adds addresses in the words of a part of the data. */
static void
look_at_part(struct patch_map *m, uintptr_t at, uintptr_t end)
{
	uintptr_t base = m->text->start - m->slide;
	uintptr_t size = m->text->end - m->text->start;

	for (at = (at + 7) & ~(uintptr_t)7; at + 8 <= end; at += 8)
		if (patch_map_word(at) - base < size && !is_listed(m, at))
			patch_map_add(m, patch_map_word(at) + m->slide,
			    PATCH_CALLED | PATCH_POINTED);
}

/* Adds addresses in all words of the data. */
static void
look_at_words(struct patch_map *m)
{
	const struct patch_text *t = m->text;
	const ElfW(Phdr) *part;
	unsigned i;

	for (i = 0; i < t->nparts; i++) {
		part = &t->parts[i];
		if (part->p_type == PT_LOAD &&
		    (part->p_flags & (PF_R | PF_X)) == PF_R)
			look_at_part(m, t->base + part->p_vaddr,
			    t->base + part->p_vaddr + part->p_filesz);
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
		if ((ELF64_R_TYPE(r.r_info) == PATCH_RELATIVE &&
		    !is_listed(m, t->base + r.r_offset)) ||
		    ELF64_R_TYPE(r.r_info) == PATCH_IRELATIVE)
			patch_map_add(m, t->base + (uintptr_t)r.r_addend,
			    PATCH_CALLED | PATCH_POINTED);
	}
}

/*
 * The words that short relocations (RELR) name have addresses already, as those
 * of an object at fixed addresses do; which words they are is not decoded.
 */
const char *
patch_map_data(struct patch_map *m)
{
	struct dynamic d;

	read_dynamic(m->text, &d);
	if (d.has_textrel)
		return ("its text is relocated");
	patch_map_add(m, d.init, PATCH_CALLED | PATCH_POINTED);
	patch_map_add(m, d.fini, PATCH_CALLED | PATCH_POINTED);
	look_at_relocations(m, &d);
	if (m->is_fixed || d.has_relr)
		look_at_words(m);
	return (m->failed ? "out of memory" : NULL);
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

void
patch_map_pads(struct patch_map *m)
{
	size_t n = m->pads_end > 0 ? m->pads_end :
	    patch_functions_count(m->text), i;
	struct patch_range range;

	for (i = m->pads_first; i < n && !m->has_no_pads; i++)
		if (patch_functions_get(m->text, i, &range))
			look_at_pads(m, &range);
}
