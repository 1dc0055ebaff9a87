/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Keys and records, piece by piece.
 *
 * Pieces are stored like the arguments in a default record: numbers as 8 bytes,
 * aligned to 8; a text as a 16-bit word, aligned to 2, and its bytes; bytes
 * as they are.  The EPID determines the pieces of a record.
 */
#include <string.h>

#include "layout/layout.h"
#include "machine/internal.h"
#include "tbuf.h"

/* Makes aligned room for a piece, padded with 0.  Returns NULL if full. */
static uint8_t *
piece(struct tbuf_buffer *buffer, uint64_t size, uint32_t alignment)
{
	uint32_t at = (buffer->used + alignment - 1) & -alignment;

	if (at > buffer->room || size > buffer->room - at)
		return (NULL);
	tbuf_bytes_zero(buffer->bytes + buffer->used, at - buffer->used);
	buffer->used = at + (uint32_t)size;
	return (buffer->bytes + at);
}

/* Raises the fault of a key or a record that is too large. */
static int
overflow(struct tbuf_machine *m, const struct tbuf_buffer *buffer,
    uint64_t size)
{
	if (buffer == &m->key)
		return (tbuf_fault(m, TBUF_FAULT_TUPLE, 0));
	return (tbuf_fault(m, TBUF_FAULT_SIZE, buffer->used + size));
}

static int
put_number(struct tbuf_machine *m, struct tbuf_buffer *buffer, uint64_t value)
{
	uint8_t *to = piece(buffer, sizeof(value), 8);

	if (to == NULL)
		return (overflow(m, buffer, sizeof(value)));
	/* One store, as it is loaded at once; the buffer is not shared. */
	memcpy(to, &value, sizeof(value));
	return (0);
}

static int
put_text(struct tbuf_machine *m, struct tbuf_buffer *buffer,
    const uint8_t *bytes, uint32_t size, uint16_t word)
{
	uint8_t *to = piece(buffer, size + UINT64_C(2), 2);

	if (to == NULL)
		return (overflow(m, buffer, size + UINT64_C(2)));
	tbuf_store(to, (uint8_t)word);
	tbuf_store(to + 1, (uint8_t)(word >> 8));
	tbuf_bytes_copy(to + 2, bytes, size);
	return (tbuf_work(m, size));
}

/* The greatest length of 15 bits. */
#define LENGTH_MAX	(TBUF_TEXT_CUT - 1u)

static int
put_characters(struct tbuf_machine *m, struct tbuf_buffer *buffer,
    uint64_t address)
{
	struct tbuf_characters text;
	uint32_t size;
	int answer;

	/* A key may be NULL, also in a record aside; else NULL is a fault. */
	if (address == 0 && (buffer == &m->key || m->aside != 0))
		return (put_text(m, buffer, NULL, 0, TBUF_TEXT_NULL));
	answer = tbuf_text_open(m, address, &text);
	if (answer != 0)
		return (answer);
	size = tbuf_minimum(text.length, LENGTH_MAX);
	return (put_text(m, buffer, text.at, size, (uint16_t)size));
}

/*
 * Stores a text as a site's own record has it: NULL is no fault, and a text
 * that strsize cuts is marked.  Its length is known up to strsize.
 */
static int
put_whole(struct tbuf_machine *m, const uint8_t *at, uint64_t length)
{
	uint32_t most = tbuf_minimum(m->strsize - 1, LENGTH_MAX);

	if (length <= most)
		return (put_text(m, &m->record, at, (uint32_t)length,
		    (uint16_t)length));
	return (put_text(m, &m->record, at, most,
	    (uint16_t)(most | TBUF_TEXT_CUT)));
}

static int
put_bytes(struct tbuf_machine *m, struct tbuf_buffer *buffer,
    uint64_t address, uint32_t size)
{
	const uint8_t *from;
	uint8_t *to = piece(buffer, size, 1);
	int answer;

	if (to == NULL)
		return (overflow(m, buffer, size));
	answer = tbuf_work(m, size);
	if (answer != 0)
		return (answer);
	if (!tbuf_address_is(address))
		return (tbuf_memory_copyin(m, address, to, size));
	answer = tbuf_memory_bytes(m, address, size, &from);
	if (answer == 0)
		tbuf_bytes_copy(to, from, size);
	return (answer);
}

static bool
is_text(uint8_t type)
{
	return (type == TBUF_STRING || type == TBUF_STRING_SIZED ||
	    type == TBUF_BINARY || type == TBUF_STRING_INTERNED);
}

/* Stores a text argument, which has a number, into the record. */
static int
put_numbered(struct tbuf_machine *m, uint64_t address, bool binary)
{
	struct tbuf_characters text;
	struct tbuf_span span;
	int answer;

	if (address == 0)
		return (put_text(m, &m->record, NULL, 0, TBUF_TEXT_NULL));
	if (binary) {
		answer = tbuf_memory_span(m, address, 0, &span);
		return (answer != 0 ? answer :
		    put_whole(m, span.at, span.size));
	}
	answer = tbuf_text_open(m, address, &text);
	return (answer != 0 ? answer : put_whole(m, text.at, text.length));
}

/* Stores an argument of the probe, by its class. */
static int
put_argument(struct tbuf_machine *m, struct tbuf_buffer *buffer,
    uint32_t selector)
{
	struct tbuf_span span;
	uint64_t address = tbuf_memory_argument(m, selector);
	unsigned n = tbuf_select(m, selector);
	uint32_t size;
	int answer;

	if (n >= m->nargs)
		return (put_number(m, buffer, 0));
	if (buffer == &m->record && (selector & TBUF_SELECT_NAME) == 0 &&
	    is_text(m->types[n]))
		return (put_numbered(m, address, m->types[n] == TBUF_BINARY));
	switch (m->types[n]) {
	case TBUF_STRING:
	case TBUF_STRING_SIZED:
	case TBUF_STRING_INTERNED:
		return (put_characters(m, buffer, address));
	case TBUF_BINARY:
		if (address == 0)
			return (put_characters(m, buffer, address));
		answer = tbuf_memory_span(m, address, 0, &span);
		if (answer != 0)
			return (answer);
		size = tbuf_minimum(span.size, tbuf_minimum(m->strsize,
		    LENGTH_MAX));
		return (put_text(m, buffer, span.at, size, (uint16_t)size));
	}
	return (put_number(m, buffer, m->values[n]));
}

/* Stores a stack like a text, as it may be shorter than its room. */
static int
put_stack(struct tbuf_machine *m, uint64_t image, uint32_t room)
{
	struct tbuf_buffer *buffer = &m->record;
	uint32_t size = tbuf_minimum(room, LENGTH_MAX);
	uint8_t *to = piece(buffer, size + UINT64_C(2), 2);
	int answer;

	if (to == NULL)
		return (overflow(m, buffer, size + UINT64_C(2)));
	if (m->surroundings->stack == NULL)
		return (tbuf_illegal(m));
	buffer->used -= size;
	answer = m->surroundings->stack(m, image, to + 2, &size);
	if (answer != 0)
		return (answer);
	buffer->used += size;
	tbuf_store(to, (uint8_t)size);
	tbuf_store(to + 1, (uint8_t)(size >> 8));
	return (tbuf_work(m, size));
}

/*
 * Returns the declared size of a key's piece, which counts against dynvarsize:
 * the width of a number, strsize for a text.
 */
static uint32_t
declared(const struct tbuf_machine *m, uint64_t word)
{
	switch (tbuf_word_operation(word)) {
	case TBUF_OP_KEY:
	case TBUF_OP_KEYB:
		return (tbuf_word_immediate(word));
	case TBUF_OP_KEYT:
		return (m->strsize);
	}
	return (8);
}

int
tbuf_piece_step(struct tbuf_machine *m, uint64_t word)
{
	unsigned operation = tbuf_word_operation(word);
	uint64_t value = m->registers[tbuf_word_a(word) % TBUF_REGISTERS];
	uint32_t immediate = tbuf_word_immediate(word);
	struct tbuf_buffer *buffer = &m->record;

	if (operation == TBUF_OP_KEYN) {
		m->key.used = 0;
		m->key_size = 0;
		return (0);
	}
	if (operation < TBUF_OP_ROOM) {
		buffer = &m->key;
		m->key_size += declared(m, word);
	}
	switch (operation) {
	case TBUF_OP_KEY:
	case TBUF_OP_PUT:
		return (put_number(m, buffer, value));
	case TBUF_OP_KEYT:
	case TBUF_OP_PUTT:
		return (put_characters(m, buffer, value));
	case TBUF_OP_KEYB:
	case TBUF_OP_PUTB:
		return (put_bytes(m, buffer, value, immediate));
	case TBUF_OP_PUTS:
		return (put_stack(m, value, immediate));
	}
	return (put_argument(m, buffer, immediate));
}
