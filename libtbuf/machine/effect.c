/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Variables and effects, which the machine's surroundings implement.
 */
#include "machine/internal.h"

/* Calls the surroundings; without such a callback: an illegal operation. */
#define ASK(m, callback, ...)						\
	CALL(m, callback, (m), __VA_ARGS__)
#define CALL(m, callback, ...)						\
	((m)->fault.address = 0, (m)->surroundings->callback == NULL ?	\
	    TBUF_FAULT_ILLEGAL : (m)->surroundings->callback(__VA_ARGS__))

static int
store_text(struct tbuf_machine *m, enum tbuf_scope scope, uint32_t id,
    uint64_t address)
{
	struct tbuf_characters text = { .at = NULL };
	int answer = address == 0 ? 0 : tbuf_text_open(m, address, &text);

	if (answer == 0)
		answer = tbuf_work(m, text.length);
	if (answer != 0)
		return (answer);
	return (ASK(m, store_text, scope, id, text.at, text.length));
}

/* Stores bytes of D's own memory; other memory has been copied in before. */
static int
store_bytes(struct tbuf_machine *m, enum tbuf_scope scope, uint32_t id,
    uint64_t address, uint64_t size)
{
	const uint8_t *bytes;
	int answer;

	if (address == 0)
		return (ASK(m, store_bytes, scope, id, NULL, 0));
	if (size > UINT32_MAX)
		return (tbuf_fault(m, TBUF_FAULT_SIZE, size));
	answer = tbuf_memory_bytes(m, address, size, &bytes);
	if (answer == 0)
		answer = tbuf_work(m, size);
	if (answer != 0)
		return (answer);
	return (ASK(m, store_bytes, scope, id, bytes, (uint32_t)size));
}

/* Makes room for `size` bytes, which are 0. */
static int
temporary(struct tbuf_machine *m, uint64_t *address, uint32_t size)
{
	uint8_t *bytes;
	int answer = tbuf_work(m, size);

	if (answer == 0)
		answer = tbuf_memory_temporary(m, size, &bytes, address);
	if (answer == 0)
		tbuf_bytes_zero(bytes, size);
	return (answer);
}

static int
variable(struct tbuf_machine *m, uint64_t word, enum tbuf_scope scope)
{
	uint64_t *a = &m->registers[tbuf_word_a(word) % TBUF_REGISTERS];
	uint32_t id = tbuf_word_immediate(word);

	switch (tbuf_word_operation(word)) {
	case TBUF_OP_LDV:
		return (ASK(m, load, scope, id, a));
	case TBUF_OP_STV:
		return (ASK(m, store, scope, id, *a));
	case TBUF_OP_LDR:
		return (ASK(m, refer, scope, id, a));
	case TBUF_OP_STT:
		return (store_text(m, scope, id, *a));
	}
	return (store_bytes(m, scope, id, *a,
	    m->registers[tbuf_word_b(word) % TBUF_REGISTERS]));
}

int
tbuf_variable_step(struct tbuf_machine *m, uint64_t word)
{
	uint64_t *a = &m->registers[tbuf_word_a(word) % TBUF_REGISTERS];
	unsigned scope = tbuf_word_c(word);
	int answer;

	if (tbuf_word_operation(word) == TBUF_OP_LDB)
		return (ASK(m, builtin, tbuf_word_immediate(word), a));
	if (tbuf_word_operation(word) == TBUF_OP_TMP)
		return (temporary(m, a, tbuf_word_immediate(word)));
	if (scope >= TBUF_SCOPES)
		return (tbuf_illegal(m));
	answer = variable(m, word, (enum tbuf_scope)scope);
	if (scope >= TBUF_SCOPE_ARRAY) {
		m->key.used = 0;
		m->key_size = 0;
	}
	return (answer);
}

/* ------------------------------------------------------------ effects */

static int
update(struct tbuf_machine *m, uint64_t word)
{
	unsigned b = tbuf_word_b(word);
	struct tbuf_update update = {
		.value = m->registers[tbuf_word_a(word) % TBUF_REGISTERS],
		.weight = m->registers[b % TBUF_REGISTERS],
		.parameter = m->registers[(b + 1) % TBUF_REGISTERS],
		.aggregation = tbuf_word_immediate(word),
		.function = (enum tbuf_aggregator)tbuf_word_c(word)
	};
	int answer;

	if (tbuf_word_c(word) >= TBUF_AGGREGATORS)
		return (tbuf_illegal(m));
	answer = ASK(m, update, &update);
	m->key.used = 0;
	m->key_size = 0;
	return (answer);
}

/*
 * Begins a second record after the first one.  When it has been emitted, the
 * first one goes on.
 */
static int
aside(struct tbuf_machine *m)
{
	struct tbuf_buffer *buffer = &m->record;
	uint32_t at = (buffer->used + 7) & ~7u;

	if (m->aside != 0)
		return (tbuf_illegal(m));
	if (at > buffer->room)
		return (tbuf_fault(m, TBUF_FAULT_SIZE, at));
	m->aside = buffer->used + 1;
	buffer->used = at;
	return (0);
}

/* Emits the record, the second one of two, padded like all records. */
static int
emit(struct tbuf_machine *m, uint32_t record)
{
	struct tbuf_buffer *buffer = &m->record;
	uint32_t end = (buffer->used + 7) & ~7u;
	uint32_t before = m->aside != 0 ? m->aside - 1 : 0;
	uint32_t at = (before + 7) & ~7u;
	int answer;

	if (end > buffer->room)
		return (tbuf_fault(m, TBUF_FAULT_SIZE, end));
	tbuf_bytes_zero(buffer->bytes + buffer->used, end - buffer->used);
	buffer->bytes += at;
	buffer->used = end - at;
	answer = ASK(m, emit, record);
	buffer->bytes -= at;
	buffer->used = before;
	m->aside = 0;
	return (answer);
}

int
tbuf_effect_step(struct tbuf_machine *m, uint64_t word)
{
	uint64_t *a = &m->registers[tbuf_word_a(word) % TBUF_REGISTERS];

	switch (tbuf_word_operation(word)) {
	case TBUF_OP_ROOM:
		return (ASK(m, room, tbuf_word_immediate(word)));
	case TBUF_OP_EMIT:
		return (emit(m, tbuf_word_immediate(word)));
	case TBUF_OP_ASIDE:
		return (aside(m));
	case TBUF_OP_UPD:
		return (update(m, word));
	case TBUF_OP_EXIT:
		return (ASK(m, exit, *a));
	case TBUF_OP_SPECN:
		return (ASK(m, speculation, a));
	case TBUF_OP_SPEC:
		return (ASK(m, speculate, *a));
	case TBUF_OP_COMMIT:
		return (ASK(m, commit, *a));
	case TBUF_OP_DISCARD:
		return (ASK(m, discard, *a));
	}
	return (CALL(m, snapshot, m));
}
