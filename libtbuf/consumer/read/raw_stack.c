/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Unwinds the raw stacks in targets' records (layout/raw_stack.h).
 */
#include <string.h>

#include "consumer/read/events.h"
#include "consumer/run/run.h"
#include "layout/raw_stack.h"
#include "machine/program.h"

/* DWARF numbers of registers; the program counter is the last. */
enum {
#if defined(__x86_64__)
	FRAME = 6, STACK = 7, CODE = 16,
#else
	FRAME = 29, STACK = 31, CODE = 32,
#endif
	REGISTERS
};

/* Returns an address in the instruction that a frame's address names. */
static uint64_t
place_of(uint64_t pc)
{
	return ((pc & TBUF_FRAME_EXACT) != 0 ? pc & ~TBUF_FRAME_EXACT : pc - 1);
}

/* Unwinds from the site's frame.  Returns the number of frames. */
static unsigned
unwind(const struct tbuf_consumer *c, const struct tbuf_raw *raw,
    const char *bytes, size_t size, uint64_t *frames, unsigned most)
{
	uint64_t registers[REGISTERS] = {
		[FRAME] = raw->fp, [STACK] = raw->sp, [CODE] = place_of(raw->pc)
	};
	const struct tbuf_stack stack = {
		.image = raw->image, .registers = registers,
		.nregisters = REGISTERS,
		.bytes = (const unsigned char *)bytes, .size = size
	};

	if (c->unwind == NULL || most == 0)
		return (0);
	return (c->unwind(c->unwind_arg, &stack, frames, most));
}

/* Replaces a raw stack, of bytes that are not trusted, by its frames. */
static void
give(struct tbuf_consumer *c, const struct tbuf_d_piece *piece,
    struct tbuf_value *v)
{
	unsigned most = (unsigned)(piece->bytes / sizeof(uint64_t));
	uint64_t *words = c->stack;
	struct tbuf_raw raw;
	unsigned n = 0;

	most = MIN(most, TBUF_STACK_WORDS);
	if (v->size < sizeof(raw) || most < 2) {
		v->size = 0;
		return;
	}
	memcpy(&raw, v->data, sizeof(raw));
	words[n++] = raw.image;
	if ((raw.inner & TBUF_FRAME_EXACT) != 0 && raw.inner != raw.pc)
		words[n++] = raw.inner;
	if (n < most) {
		words[n++] = raw.pc;
		n += unwind(c, &raw, v->data + sizeof(raw), v->size -
		    sizeof(raw), words + n, most - n);
	}
	v->size = n * (uint32_t)sizeof(uint64_t);
	v->data = (const char *)words;
}

/*
 * Unwinds the raw stack of a record.  c->stack has room for one, and two would
 * exceed TBUF_RECORD_LARGE; if a forged file describes more, the others have no
 * frames.
 */
void
tbuf_stack_give(struct tbuf_consumer *c, const struct tbuf_d_record *record)
{
	bool given = false;
	uint32_t i;

	for (i = 0; i < record->npieces; i++) {
		if (record->pieces[i].kind != TBUF_PIECE_STACK)
			continue;
		if (given)
			c->values[i].size = 0;
		else
			give(c, &record->pieces[i], &c->values[i]);
		given = true;
	}
}
