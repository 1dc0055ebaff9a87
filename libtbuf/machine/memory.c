/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The machine's memory: each use of an address is checked with its object.
 */
#include "machine/internal.h"
#include "tbuf.h"

/* Returns the length of a NUL-terminated text, at most `most`. */
static uint64_t
terminated(const uint8_t *text, uint64_t most)
{
	uint64_t n;

	for (n = 0; n < most && tbuf_load(text + n) != 0; n++)
		continue;
	return (n);
}

/*
 * Gets an argument's object, which is read in place.  A NUL-terminated text
 * reaches to `end` or to its NUL, as memory after that is not the text's.
 */
static int
argument(struct tbuf_machine *m, uint32_t n, uint64_t end,
    struct tbuf_span *span)
{
	const struct tbuf_bytes *bytes;
	uint64_t most;

	if (n >= m->nargs || m->values[n] == 0)
		return (TBUF_FAULT_ADDRESS);
	if (m->types[n] == TBUF_STRING) {
		span->at = (uint8_t *)(uintptr_t)m->values[n];
		most = end < m->strsize ? end : m->strsize;
		span->size = terminated(span->at, most);
		span->size += span->size < most;
		return (tbuf_work(m, span->size));
	}
	if (m->types[n] != TBUF_STRING_SIZED && m->types[n] != TBUF_BINARY)
		return (TBUF_FAULT_ADDRESS);
	bytes = (const struct tbuf_bytes *)(uintptr_t)m->values[n];
	span->at = (uint8_t *)(uintptr_t)bytes->data;
	span->size = span->at == NULL ? 0 : bytes->size;
	return (span->at == NULL ? TBUF_FAULT_ADDRESS : 0);
}

static void
filled(const struct tbuf_buffer *buffer, struct tbuf_span *span)
{
	span->at = buffer->bytes;
	span->size = buffer->used;
	span->writable = true;
}

/* Gets the whole object of an address, at least up to the offset `end`. */
static int
object(struct tbuf_machine *m, uint64_t address, uint64_t end,
    struct tbuf_span *span)
{
	unsigned kind = tbuf_address_kind(address);

	span->writable = false;
	if (!tbuf_address_is(address))
		return (TBUF_FAULT_ADDRESS);
	switch (kind) {
	case TBUF_OBJECT_SCRATCH:
		filled(&m->scratch, span);
		return (0);
	case TBUF_OBJECT_TEMPORARY:
		filled(&m->temporary, span);
		return (0);
	case TBUF_OBJECT_CONSTANT:
		span->at = (uint8_t *)(uintptr_t)m->constants;
		span->size = m->constants_size;
		return (0);
	case TBUF_OBJECT_ARGUMENT:
		return (argument(m, tbuf_address_index(address), end, span));
	}
	if (m->surroundings->object == NULL)
		return (TBUF_FAULT_ADDRESS);
	return (m->surroundings->object(m, kind, tbuf_address_index(address),
	    span));
}

/*
 * Gets the part of an object from an address on; `size` bytes are wanted, and
 * there may be fewer.
 */
int
tbuf_memory_span(struct tbuf_machine *m, uint64_t address, uint64_t size,
    struct tbuf_span *span)
{
	uint64_t offset = (uint32_t)address;
	int answer = object(m, address, offset + (uint32_t)size, span);

	if (answer == 0 && offset > span->size)
		answer = TBUF_FAULT_ADDRESS;
	if (answer != 0) {
		m->fault.address = answer == TBUF_FAULT_SCRATCH ? 0 : address;
		return (answer);
	}
	span->at += offset;
	span->size -= offset;
	return (0);
}

/* Gets a NUL-terminated argument's text; its end is found when it is read. */
static int
argument_text(struct tbuf_machine *m, uint64_t address,
    struct tbuf_characters *text)
{
	uint32_t offset = (uint32_t)address;

	text->at = (const uint8_t *)(uintptr_t)
	    m->values[tbuf_address_index(address)];
	if (text->at == NULL || offset > m->strsize ||
	    terminated(text->at, offset) < offset)
		return (tbuf_fault(m, TBUF_FAULT_ADDRESS, address));
	text->at += offset;
	text->most = m->strsize - offset;
	text->whole = false;
	return (tbuf_work(m, offset));
}

/*
 * Gets a text.  It must not be NULL, nor in the program's own memory, from
 * which copyinstr() copies.
 */
int
tbuf_memory_text(struct tbuf_machine *m, uint64_t address,
    struct tbuf_characters *text)
{
	uint32_t index = tbuf_address_index(address);
	struct tbuf_span span;
	int answer;

	if (tbuf_address_is(address) &&
	    tbuf_address_kind(address) == TBUF_OBJECT_ARGUMENT &&
	    index < m->nargs && m->types[index] == TBUF_STRING)
		return (argument_text(m, address, text));
	answer = tbuf_memory_span(m, address, 0, &span);
	if (answer != 0)
		return (answer);
	text->at = span.at;
	text->most = tbuf_minimum(span.size, m->strsize);
	text->whole = true;
	return (0);
}

/* Copies from memory that is not D's own. */
int
tbuf_memory_copyin(struct tbuf_machine *m, uint64_t address, uint8_t *to,
    uint64_t size)
{
	m->fault.address = address;
	if (m->surroundings->copyin == NULL)
		return (TBUF_FAULT_ADDRESS);
	return (m->surroundings->copyin(m, address, to, size));
}

/* Gets `size` bytes for reading. */
int
tbuf_memory_bytes(struct tbuf_machine *m, uint64_t address, uint64_t size,
    const uint8_t **bytes)
{
	struct tbuf_span span;
	int answer = tbuf_memory_span(m, address, size, &span);

	if (answer == 0 && span.size < size)
		answer = tbuf_fault(m, TBUF_FAULT_ADDRESS, address);
	*bytes = answer == 0 ? span.at : NULL;
	return (answer);
}

int
tbuf_memory_temporary(struct tbuf_machine *m, uint64_t size, uint8_t **bytes,
    uint64_t *address)
{
	uint32_t at = (m->temporary.used + 7) & ~7u;

	if (at > m->temporary.room || size > m->temporary.room - at)
		return (tbuf_fault(m, TBUF_FAULT_SCRATCH, 0));
	m->temporary.used = at + (uint32_t)size;
	*bytes = m->temporary.bytes + at;
	*address = tbuf_address(TBUF_OBJECT_TEMPORARY, 0, at);
	return (0);
}

int
tbuf_memory_alloca(struct tbuf_machine *m, uint64_t size, uint8_t **bytes,
    uint64_t *address)
{
	uint32_t at = (m->scratch.used + 7) & ~7u;

	if (size != 0 && (at > m->scratch.room ||
	    size > m->scratch.room - at))
		return (tbuf_fault(m, TBUF_FAULT_SCRATCH, 0));
	if (size != 0)
		m->scratch.used = at + (uint32_t)size;
	*bytes = m->scratch.bytes + at;
	*address = tbuf_address(TBUF_OBJECT_SCRATCH, 0, at);
	return (0);
}

/* Returns a text argument as an address, any other argument unchanged. */
uint64_t
tbuf_memory_argument(const struct tbuf_machine *m, uint32_t selector)
{
	const struct tbuf_bytes *bytes;
	unsigned n = tbuf_select(m, selector);

	if (n >= m->nargs || m->values[n] == 0)
		return (0);
	switch (m->types[n]) {
	case TBUF_STRING_SIZED:
	case TBUF_BINARY:
		bytes = (const struct tbuf_bytes *)(uintptr_t)m->values[n];
		if (bytes->data == NULL)
			return (0);
		/* FALLTHROUGH */
	case TBUF_STRING:
		return (tbuf_address(TBUF_OBJECT_ARGUMENT, n, 0));
	case TBUF_STRING_INTERNED:
		return (tbuf_address(TBUF_OBJECT_INTERNED, 0,
		    (uint32_t)m->values[n]));
	}
	return (m->values[n]);
}

/* ------------------------------------------------------------ ld, st */

static uint64_t
load(const uint8_t *from, unsigned size)
{
	uint64_t value = 0;

	while (size-- > 0)
		value = value << 8 | tbuf_load(from + size);
	return (value);
}

static uint64_t
extend(uint64_t value, unsigned operation)
{
	switch (operation) {
	case TBUF_OP_LD1S:
		return ((uint64_t)(int8_t)value);
	case TBUF_OP_LD2S:
		return ((uint64_t)(int16_t)value);
	case TBUF_OP_LD4S:
		return ((uint64_t)(int32_t)value);
	}
	return (value);
}

/*
 * Gets the part of a variable from an address on that may be after its end,
 * where zeros are read.
 */
__attribute__((cold)) static int
past_end(struct tbuf_machine *m, uint64_t address, struct tbuf_span *span)
{
	unsigned kind = tbuf_address_kind(address);
	uint32_t at = (uint32_t)address;

	if (kind < TBUF_OBJECT_GLOBAL || kind == TBUF_OBJECT_BUILTIN ||
	    at > INT32_MAX || tbuf_memory_span(m, address - at, 0, span) != 0)
		return (tbuf_fault(m, TBUF_FAULT_ADDRESS, address));
	if (at > span->size)
		at = (uint32_t)span->size;
	span->at += at;
	span->size -= at;
	return (0);
}

static int
load_step(struct tbuf_machine *m, uint64_t *to, uint64_t address,
    unsigned operation)
{
	static const uint8_t sizes[] = { 1, 2, 4, 1, 2, 4, 8 };
	unsigned size = sizes[operation - TBUF_OP_LD1S];
	uint8_t copy[8];
	struct tbuf_span span = { copy, size, false };
	int answer;

	if (!tbuf_address_is(address))
		answer = tbuf_memory_copyin(m, address, copy, size);
	else if ((answer = tbuf_memory_span(m, address, size, &span)) ==
	    TBUF_FAULT_ADDRESS || (answer == 0 && span.size < size))
		answer = past_end(m, address, &span);
	if (span.size < size)
		size = (unsigned)span.size;
	if (answer == 0)
		*to = extend(load(span.at, size), operation);
	return (answer);
}

/* Writes to an object that is not writable in place. */
int
tbuf_memory_write(struct tbuf_machine *m, uint64_t address,
    const uint8_t *from, uint64_t size)
{
	m->fault.address = address;
	if (m->surroundings->write == NULL)
		return (TBUF_FAULT_ADDRESS);
	return (m->surroundings->write(m, address, from, size));
}

static int
store_step(struct tbuf_machine *m, uint64_t value, uint64_t address,
    unsigned operation)
{
	unsigned size = 1u << (operation - TBUF_OP_ST1), i;
	uint8_t bytes[8];
	struct tbuf_span span;
	int answer = tbuf_memory_span(m, address, size, &span);

	if (answer != 0)
		return (answer);
	if (span.size < size)
		return (tbuf_fault(m, TBUF_FAULT_ADDRESS, address));
	for (i = 0; i < size; i++, value >>= 8)
		tbuf_store(&bytes[i], (uint8_t)value);
	if (!span.writable)
		return (tbuf_memory_write(m, address, bytes, size));
	tbuf_bytes_copy(span.at, bytes, size);
	return (0);
}

int
tbuf_memory_access(struct tbuf_machine *m, uint64_t word)
{
	unsigned operation = tbuf_word_operation(word);
	uint64_t *a = &m->registers[tbuf_word_a(word) % TBUF_REGISTERS];
	uint64_t address = m->registers[tbuf_word_b(word) % TBUF_REGISTERS] +
	    (uint64_t)(int32_t)tbuf_word_immediate(word);

	if (operation >= TBUF_OP_ST1)
		return (store_step(m, *a, address, operation));
	return (load_step(m, a, address, operation));
}
