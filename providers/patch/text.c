/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Loaded objects: their text, and the bounds of functions.
 *
 * The bounds come from the tables of unwinders, .eh_frame_hdr and the entries
 * of .eh_frame that it refers to, in the encodings that linkers and compilers
 * use.  In an object with another encoding no function is known.
 */
#include "patch.h"

#include <string.h>

/* Encodings of the pointers in these tables. */
#define ENCODING_TABLE	0x3b	/* relative to the table, 4 bytes signed */
#define ENCODING_UDATA4	0x03
#define ENCODING_PCREL	0x1b	/* relative to itself, 4 bytes signed */
#define ENCODING_OMIT	0xff

#define HEADER_SIZE	12u	/* version, encodings, pointer, count */

struct row {
	int32_t function, entry;
};

static int32_t
read32(const uint8_t *p)
{
	int32_t value;

	memcpy(&value, p, sizeof(value));
	return (value);
}

static inline bool
has(const struct patch_text *text, unsigned i, uintptr_t address, size_t size)
{
	const ElfW(Phdr) *part = &text->parts[i];
	uintptr_t offset = address - (text->base + part->p_vaddr);

	return (part->p_type == PT_LOAD && (part->p_flags & PF_R) != 0 &&
	    offset < part->p_memsz && size <= part->p_memsz - offset);
}

/* Returns the part that has an address, or the number of parts. */
static unsigned
part_of(const struct patch_text *text, uintptr_t address, size_t size)
{
	unsigned i;

	for (i = 0; i < text->nparts; i++)
		if (has(text, i, address, size))
			break;
	return (i);
}

unsigned
patch_texts(const struct dl_phdr_info *info, struct patch_text *texts,
    unsigned max)
{
	const ElfW(Phdr) *phdr = info->dlpi_phdr;
	const uint8_t *functions = NULL;
	uintptr_t low = UINTPTR_MAX, high = 0, start, end;
	size_t size = 0;
	unsigned i, n = 0;

	for (i = 0; i < info->dlpi_phnum; i++) {
		start = info->dlpi_addr + phdr[i].p_vaddr;
		end = start + phdr[i].p_memsz;
		if (phdr[i].p_type == PT_GNU_EH_FRAME) {
			functions = (const uint8_t *)start;
			size = phdr[i].p_memsz;
		}
		if (phdr[i].p_type != PT_LOAD)
			continue;
		low = start < low ? start : low;
		high = end > high ? end : high;
		if ((phdr[i].p_flags & (PF_R | PF_W | PF_X)) ==
		    (PF_R | PF_X) && n < max)
			texts[n++] = (struct patch_text){ .start = start,
			    .end = start + phdr[i].p_filesz };
	}
	for (i = 0; i < n; i++) {
		texts[i].functions = functions;
		texts[i].nfunctions_bytes = size;
		texts[i].low = low;
		texts[i].high = high;
		texts[i].base = info->dlpi_addr;
		texts[i].parts = phdr;
		texts[i].nparts = info->dlpi_phnum;
		texts[i].first = part_of(&texts[i], (uintptr_t)functions, 1);
	}
	return (n);
}

bool
patch_text_all(const struct dl_phdr_info *info, struct patch_text *text)
{
	const ElfW(Phdr) *part = info->dlpi_phdr;
	uintptr_t start = UINTPTR_MAX, end = 0, at;
	unsigned i;

	for (i = 0; i < info->dlpi_phnum; i++, part++) {
		if (part->p_type != PT_LOAD || (part->p_flags & PF_X) == 0)
			continue;
		if ((part->p_flags & (PF_R | PF_W)) != PF_R)
			return (false);
		at = info->dlpi_addr + part->p_vaddr;
		start = at < start ? at : start;
		end = at + part->p_filesz > end ? at + part->p_filesz : end;
	}
	if (start >= end || end - start > UINT32_MAX ||
	    patch_texts(info, text, 1) != 1)
		return (false);
	text->start = start;
	text->end = end;
	return (true);
}

bool
patch_text_find(const struct patch_text *text, uintptr_t *at, uintptr_t *end)
{
	uintptr_t found = UINTPTR_MAX, start, stop;
	const ElfW(Phdr) *part;
	unsigned i;

	for (i = 0; i < text->nparts; i++) {
		part = &text->parts[i];
		if (part->p_type != PT_LOAD || (part->p_flags & PF_X) == 0)
			continue;
		start = text->base + part->p_vaddr;
		stop = start + part->p_filesz;
		start = start < *at ? *at : start;
		start = start < text->start ? text->start : start;
		stop = stop > text->end ? text->end : stop;
		if (start < stop && start < found) {
			found = start;
			*end = stop;
		}
	}
	if (found == UINTPTR_MAX)
		return (false);
	*at = found;
	return (true);
}

size_t
patch_text_left(const struct patch_text *text, uintptr_t at)
{
	const ElfW(Phdr) *part;
	uintptr_t offset;
	unsigned i;

	if (at - text->start >= text->end - text->start)
		return (0);
	for (i = 0; i < text->nparts; i++) {
		part = &text->parts[i];
		offset = at - (text->base + part->p_vaddr);
		if (offset < part->p_filesz && part->p_type == PT_LOAD &&
		    (part->p_flags & PF_X) != 0)
			return (part->p_filesz - offset < text->end - at ?
			    part->p_filesz - offset : text->end - at);
	}
	return (0);
}

bool
patch_readable(const struct patch_text *text, uintptr_t address, size_t size)
{
	return ((text->first < text->nparts &&
	    has(text, text->first, address, size)) ||
	    part_of(text, address, size) < text->nparts);
}

static bool
inside(const struct patch_text *text, const uint8_t *p, size_t size)
{
	return (patch_readable(text, (uintptr_t)p, size));
}

/* Encodings of the pointers of an entry. */
struct encodings {
	uint8_t function;
	uint8_t pads;
	bool is_signal;
};

/*
 * Reads the encodings from the common part of an entry.  The augmentation's
 * text is followed by two numbers of variable length, the register (a byte),
 * and for `z` the length of the fields that the letters describe.
 */
static bool
read_common(const struct patch_text *text, const uint8_t *common,
    struct encodings *e)
{
	const char *letters;
	const uint8_t *p;
	unsigned i;

	*e = (struct encodings){ 0, ENCODING_OMIT, false };
	if (!inside(text, common, 32))
		return (false);
	letters = (const char *)common + 9;
	if (letters[0] != 'z' || memchr(letters, '\0', 8) == NULL)
		return (false);
	p = (const uint8_t *)letters + strlen(letters) + 1;
	for (i = 0; i < 2; i++)
		while ((*p++ & 0x80) != 0 && inside(text, p, 16))
			continue;
	p += 2;
	for (letters++; *letters != '\0' && inside(text, p, 1); letters++) {
		if (*letters == 'R')
			e->function = *p++;
		else if (*letters == 'P')
			p += 5;
		else if (*letters == 'L')
			e->pads = *p++;
		else if (*letters == 'S')
			e->is_signal = true;
		else if (*letters != 'B')
			return (false);
	}
	return (*letters == '\0');
}

/* Reads the pointer to the table of pads, after the length of the fields. */
static bool
read_pads(const struct patch_text *text, const uint8_t *p, uint8_t encoding,
    uintptr_t *pads)
{
	uint32_t value;

	*pads = 0;
	if (encoding == ENCODING_OMIT)
		return (true);
	if (!inside(text, p, 1 + sizeof(value)) || *p < sizeof(value))
		return (false);
	value = (uint32_t)read32(++p);
	if (value == 0)
		return (true);
	if (encoding == ENCODING_PCREL)
		*pads = (uintptr_t)p + (uintptr_t)(intptr_t)(int32_t)value;
	else
		*pads = value;
	return (encoding == ENCODING_PCREL || encoding == ENCODING_UDATA4);
}

/* Returns the rows, which are sorted by address, and their number. */
static const struct row *
rows_of(const struct patch_text *text, size_t *count)
{
	const uint8_t *header = text->functions;

	*count = 0;
	if (header == NULL || text->nfunctions_bytes < HEADER_SIZE ||
	    (uintptr_t)header % sizeof(int32_t) != 0 ||
	    !inside(text, header, text->nfunctions_bytes) ||
	    header[0] != 1 || header[2] != ENCODING_UDATA4 ||
	    header[3] != ENCODING_TABLE)
		return (NULL);
	*count = (uint32_t)read32(header + 8);
	if (*count > (text->nfunctions_bytes - HEADER_SIZE) /
	    sizeof(struct row))
		*count = 0;
	return ((const struct row *)(const void *)(header + HEADER_SIZE));
}

/* Returns the last row for a function that begins at or before the address. */
static const struct row *
find_row(const struct patch_text *text, uintptr_t address)
{
	const struct row *found = NULL;
	size_t low = 0, high, middle;
	const struct row *rows = rows_of(text, &high);

	while (low < high) {
		middle = low + (high - low) / 2;
		if ((uintptr_t)text->functions +
		    (uintptr_t)(intptr_t)rows[middle].function <= address) {
			found = &rows[middle];
			low = middle + 1;
		} else
			high = middle;
	}
	return (found);
}

static bool
read_range(const struct patch_text *text, const struct row *row,
    struct patch_range *range)
{
	const uint8_t *entry = text->functions + row->entry;
	struct encodings encodings;

	if (!inside(text, entry, 16) ||
	    !read_common(text, entry + 4 - read32(entry + 4), &encodings) ||
	    encodings.function != ENCODING_PCREL ||
	    !read_pads(text, entry + 16, encodings.pads, &range->pads))
		return (false);
	range->start = (uintptr_t)(entry + 8) + (uintptr_t)read32(entry + 8);
	range->end = range->start + (uint32_t)read32(entry + 12);
	range->entry = entry;
	range->is_signal = encodings.is_signal;
	return (range->end - range->start <=
	    patch_text_left(text, range->start));
}

bool
patch_function(const struct patch_text *text, uintptr_t address,
    struct patch_range *range)
{
	const struct row *row = find_row(text, address);

	return (row != NULL && read_range(text, row, range) &&
	    address >= range->start && address < range->end);
}

size_t
patch_functions_count(const struct patch_text *text)
{
	size_t count;

	(void)rows_of(text, &count);
	return (count);
}

bool
patch_functions_get(const struct patch_text *text, size_t i,
    struct patch_range *range)
{
	size_t count;
	const struct row *rows = rows_of(text, &count);

	if (i >= count || read_range(text, &rows[i], range))
		return (i < count);
	range->start = range->end = (uintptr_t)text->functions +
	    (uintptr_t)(intptr_t)rows[i].function;
	return (false);
}

bool
patch_functions_known(const struct patch_text *text)
{
	size_t count;

	return (text->functions == NULL || (rows_of(text, &count) != NULL &&
	    count > 0));
}
