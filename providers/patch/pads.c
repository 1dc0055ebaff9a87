/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Landing pads: where a function continues when an exception passes through it.
 * No branch leads to them; they are in a table of the function that unwinders
 * read (.gcc_except_table), in the encodings that compilers use.
 */
#include "patch.h"

#include <string.h>

#define OMITTED		0xff
#define PCREL		0x1b	/* relative to itself, 4 bytes signed */
#define ABSOLUTE	0x03	/* 4 bytes */
#define ULEB		0x01	/* 7 bits a byte, the lowest first */

/* A reader of the table; `bad` is never reset. */
struct table {
	const struct patch_text *text;
	uintptr_t at;
	bool bad;
};

static uint8_t
read_byte(struct table *t)
{
	if (t->bad || !patch_readable(t->text, t->at, 1)) {
		t->bad = true;
		return (0);
	}
	return (*(const uint8_t *)t->at++);
}

static uint64_t
read_uleb(struct table *t)
{
	uint64_t value = 0;
	unsigned shift;
	uint8_t byte;

	for (shift = 0; shift < 63; shift += 7) {
		byte = read_byte(t);
		value |= (uint64_t)(byte & 0x7f) << shift;
		if ((byte & 0x80) == 0)
			return (value);
	}
	t->bad = true;
	return (0);
}

static uint32_t
read_word(struct table *t)
{
	uint32_t value = 0;

	if (t->bad || !patch_readable(t->text, t->at, sizeof(value))) {
		t->bad = true;
		return (0);
	}
	memcpy(&value, (const void *)t->at, sizeof(value));
	t->at += sizeof(value);
	return (value);
}

/* Returns the base of the pads: the function, unless the table has another. */
static uintptr_t
read_base(struct table *t, const struct patch_range *function)
{
	uintptr_t at;

	switch (read_byte(t)) {
	case OMITTED:
		return (function->start);
	case PCREL:
		at = t->at;
		return (at + (uintptr_t)(intptr_t)(int32_t)read_word(t));
	case ABSOLUTE:
		return (read_word(t));
	default:
		t->bad = true;
		return (0);
	}
}

static uint64_t
read_field(struct table *t, uint8_t encoding)
{
	return (encoding == ULEB ? read_uleb(t) : read_word(t));
}

/* Returns the pad of a row, which is: start, length, pad, action. */
static uint64_t
read_pad(struct table *t, uint8_t encoding)
{
	uint64_t pad;

	(void)read_field(t, encoding);
	(void)read_field(t, encoding);
	pad = read_field(t, encoding);
	(void)read_uleb(t);
	return (pad);
}

bool
patch_pads_visit(const struct patch_text *text,
    const struct patch_range *function, void (*visit)(void *, uintptr_t),
    void *arg)
{
	struct table t = { .text = text, .at = function->pads };
	uintptr_t base, last;
	uint64_t pad;
	uint8_t encoding;

	if (function->pads == 0)
		return (true);
	base = read_base(&t, function);
	if (read_byte(&t) != OMITTED)
		(void)read_uleb(&t);
	encoding = read_byte(&t);
	last = read_uleb(&t);
	last += t.at;
	t.bad |= encoding != ULEB && encoding != ABSOLUTE;
	while (!t.bad && t.at < last) {
		pad = read_pad(&t, encoding);
		if (pad != 0)
			visit(arg, base + pad);
	}
	return (!t.bad);
}

struct bytes {
	uintptr_t start, end;
	bool has;		/* a pad is in them */
};

static void
look(void *arg, uintptr_t pad)
{
	struct bytes *b = arg;

	b->has |= pad - b->start < b->end - b->start;
}

bool
patch_lands(const struct patch_text *text, const struct patch_range *function,
    uintptr_t start, uintptr_t end)
{
	struct bytes bytes = { .start = start, .end = end };

	return (!patch_pads_visit(text, function, look, &bytes) || bytes.has);
}
