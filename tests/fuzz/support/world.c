/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The surroundings of a machine that runs arbitrary programs.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "machine/names.h"
#include "world.h"

static struct world *
world(struct tbuf_machine *m)
{
	return ((struct world *)(void *)m);
}

static int
effect(struct tbuf_machine *m)
{
	return (++world(m)->effects == world(m)->patience ? TBUF_STOP : 0);
}

static int
builtin(struct tbuf_machine *m, unsigned which, uint64_t *value)
{
	*value = which % 2 == 0 ? which :
	    tbuf_address(TBUF_OBJECT_BUILTIN, which, 0);
	return (effect(m));
}

static int
object(struct tbuf_machine *m, unsigned kind, uint32_t index,
    struct tbuf_span *span)
{
	span->at = world(m)->texts[index % WORLD_VARIABLES];
	span->size = WORLD_TEXT;
	span->writable = kind == TBUF_OBJECT_GLOBAL;
	return (kind > TBUF_OBJECT_OUTSIDE ? TBUF_FAULT_ADDRESS : 0);
}

static int
load(struct tbuf_machine *m, enum tbuf_scope scope, uint32_t id,
    uint64_t *value)
{
	(void)scope;
	*value = world(m)->numbers[id % WORLD_VARIABLES];
	return (effect(m));
}

static int
store(struct tbuf_machine *m, enum tbuf_scope scope, uint32_t id,
    uint64_t value)
{
	(void)scope;
	world(m)->numbers[id % WORLD_VARIABLES] = value;
	return (effect(m));
}

static int
refer(struct tbuf_machine *m, enum tbuf_scope scope, uint32_t id,
    uint64_t *address)
{
	(void)scope;
	*address = id % 8 == 7 ? 0 : tbuf_address(TBUF_OBJECT_GLOBAL, id, 0);
	return (effect(m));
}

static int
store_bytes(struct tbuf_machine *m, enum tbuf_scope scope, uint32_t id,
    const uint8_t *bytes, uint32_t size)
{
	uint8_t *to = world(m)->texts[id % WORLD_VARIABLES];
	uint32_t i;

	(void)scope;
	/* Copy with atomic accesses, as others may change the source. */
	for (i = 0; bytes != NULL && i < size && i < WORLD_TEXT; i++)
		__atomic_store_n(to + i, __atomic_load_n(bytes + i,
		    __ATOMIC_RELAXED), __ATOMIC_RELAXED);
	return (effect(m));
}

static int
copyin(struct tbuf_machine *m, uint64_t address, uint8_t *to, uint64_t size)
{
	address -= WORLD_ADDRESS;
	if (address >= WORLD_MEMORY || size > WORLD_MEMORY - address)
		return (TBUF_FAULT_ADDRESS);
	memcpy(to, world(m)->memory + address, size);
	return (0);
}

static int
copyout(struct tbuf_machine *m, uint64_t address, const uint8_t *from,
    uint64_t size)
{
	address -= WORLD_ADDRESS;
	if (address >= WORLD_MEMORY || size > WORLD_MEMORY - address)
		return (TBUF_FAULT_ADDRESS);
	memcpy(world(m)->memory + address, from, size);
	return (0);
}

static int
room(struct tbuf_machine *m, uint32_t record)
{
	(void)record;
	return (effect(m));
}

static int
emit(struct tbuf_machine *m, uint32_t record)
{
	(void)record;
	FUZZ_CHECK(m->record.used % 8 == 0);
	FUZZ_CHECK(m->record.used <= m->record.room);
	return (effect(m));
}

static int
update(struct tbuf_machine *m, const struct tbuf_update *u)
{
	FUZZ_CHECK(u->function < TBUF_AGGREGATORS);
	FUZZ_CHECK(m->key.used <= m->key.room);
	return (effect(m));
}

static int
take(struct tbuf_machine *m, uint64_t number)
{
	(void)number;
	return (effect(m));
}

static int
snapshot(struct tbuf_machine *m)
{
	return (effect(m));
}

static int
speculation(struct tbuf_machine *m, uint64_t *id)
{
	*id = 1;
	return (effect(m));
}

static int
call(struct tbuf_machine *m, unsigned subroutine, const uint64_t *arguments,
    unsigned count, uint64_t *result)
{
	(void)subroutine;
	*result = arguments[0] + count;
	return (effect(m));
}

static int
stack(struct tbuf_machine *m, uint64_t image, uint8_t *to, uint32_t *size)
{
	FUZZ_CHECK(to >= m->record.bytes && *size <=
	    (uint64_t)(m->record.bytes + m->record.room - to));
	memset(to, (int)image, *size);
	*size -= *size / 3;
	return (effect(m));
}

static bool
resume(struct tbuf_machine *m)
{
	return (world(m)->effects % 2 == 0);
}

static const struct tbuf_surroundings surroundings = {
	.builtin = builtin, .object = object, .load = load, .store = store,
	.refer = refer, .store_text = store_bytes, .store_bytes = store_bytes,
	.copyin = copyin, .copyout = copyout, .room = room, .emit = emit,
	.update = update, .exit = take, .snapshot = snapshot,
	.speculation = speculation,
	.speculate = take, .commit = take, .discard = take,
	.stack = stack, .resume = resume, .call = call
};

static struct tbuf_buffer
lend(uint32_t room)
{
	struct tbuf_buffer buffer = { calloc(1, room), room, 0 };

	FUZZ_CHECK(buffer.bytes != NULL);
	return (buffer);
}

void
world_begin(struct world *w, uint32_t strsize)
{
	unsigned i;

	memset(w, 0, sizeof(*w));
	for (i = 0; i < WORLD_VARIABLES; i++) {
		w->texts[i] = lend(WORLD_TEXT).bytes;
		memcpy(w->texts[i], "/a/../variable", 14);
		w->numbers[i] = tbuf_address(TBUF_OBJECT_SCRATCH + i, i, 0);
	}
	w->memory = lend(WORLD_MEMORY).bytes;
	memset(w->memory, '7', WORLD_MEMORY);
	w->m.surroundings = &surroundings;
	w->m.strsize = strsize;
	w->m.scratch = lend(77);
	w->m.temporary = lend(1001);
	w->m.key = lend(99);
	w->m.record = lend(203);
	w->m.token = lend(strsize == 0 ? 1 : strsize);
	w->m.token_at = TBUF_TOKEN_NONE;
	w->m.fuel = TBUF_FUEL;
}

void
world_end(struct world *w)
{
	unsigned i;

	for (i = 0; i < WORLD_VARIABLES; i++)
		free(w->texts[i]);
	free(w->memory);
	free(w->m.scratch.bytes);
	free(w->m.temporary.bytes);
	free(w->m.key.bytes);
	free(w->m.record.bytes);
	free(w->m.token.bytes);
}

/* ------------------------------------------------------------ programs */

unsigned
world_prologue(uint64_t code[TBUF_REGISTERS])
{
	unsigned i;

	for (i = 0; i < TBUF_REGISTERS; i++)
		code[i] = tbuf_word(TBUF_OP_LDI, i, 0, 0, i);
	return (TBUF_REGISTERS);
}

static unsigned
tame_selector(uint32_t n)
{
	return (n % 2 == 0 ? n / 2 % 10 : TBUF_SELECT_NAME +
	    n / 2 % WORLD_NAMES);
}

static unsigned
tame_field(char kind, unsigned n)
{
	switch (kind) {
	case '-':
		return (0);
	case 's':
		return (n % TBUF_SCOPES);
	case 'f':
		return (n % TBUF_AGGREGATORS);
	case 'q':
		return (tame_selector(n));
	}
	return (n % TBUF_REGISTERS);
}

static uint32_t
tame_immediate(char kind, uint32_t n, uint32_t left, uint32_t constants)
{
	switch (kind) {
	case '-':
		return (0);
	case 'j':
		return (n % (left + 1));
	case 'k':
		return (n % constants);
	case 'q':
		return (tame_selector(n));
	case 'v':
	case 't':
		return (n % WORLD_VARIABLES);
	case 'b':
		return (n % TBUF_BUILTIN_END);
	case 'e':
		return (n % WORLD_RECORDS);
	case 'x':
		return (n % (TBUF_FAULTS - 1) + 1);
	case 'p':
		return (1u << n % 4);
	}
	return (n);
}

/* Changes a call to an existing subroutine with a valid number of arguments. */
static uint64_t
tame_call(uint64_t word)
{
#define NUMBER(number, NAME, name, least, most)	number,
	static const uint8_t numbers[] = { TBUF_SUBROUTINES(NUMBER) };
	uint32_t number = numbers[tbuf_word_immediate(word) % sizeof(numbers)];
	const struct tbuf_subroutine_row *row = &tbuf_subroutine_table[number];
	unsigned count, first;

	count = row->least + tbuf_word_c(word) % (row->most - row->least + 1u);
	first = tbuf_word_b(word) % (TBUF_REGISTERS - TBUF_CALL_ARGUMENTS);
	return (tbuf_word(TBUF_OP_CALL, tbuf_word_a(word), first, count,
	    number));
}

uint64_t
world_tame(uint64_t word, uint32_t left, uint32_t constants)
{
	const struct tbuf_operation_row *row;
	unsigned operation = tbuf_word_operation(word), a, b, c;
	uint32_t i;

	while (*tbuf_operation_table[operation].name == '\0')
		operation = (operation + 1) % 256;
	row = &tbuf_operation_table[operation];
	a = tame_field(row->fields[0], tbuf_word_a(word));
	b = tame_field(row->fields[1], tbuf_word_b(word));
	c = tame_field(row->fields[2], tbuf_word_c(word));
	i = tame_immediate(row->immediate, tbuf_word_immediate(word), left,
	    constants);
	if (row->fields[1] == 'd') {
		i = tbuf_word_immediate(word);
		b = tbuf_word_b(word) % (left < 255 ? left + 1 : 256);
		c = 0;
	}
	if (operation == TBUF_OP_UPD)
		b %= TBUF_REGISTERS - 1;
	word = tbuf_word(operation, a, b, c, i);
	return (operation == TBUF_OP_CALL ? tame_call(word) : word);
}

bool
world_accepts(const struct world *w)
{
	struct tbuf_program p = {
		.code = w->m.code, .length = w->m.length,
		.length_max = TBUF_TARGET_WORDS,
		.constants = w->m.constants,
		.constants_size = w->m.constants_size,
		.names = WORLD_NAMES, .records = WORLD_RECORDS,
		.aggregations = WORLD_VARIABLES
	};
	uint32_t at;
	unsigned i;

	for (i = 0; i < TBUF_SCOPES; i++)
		p.variables[i] = WORLD_VARIABLES;
	return (tbuf_program_check(&p, &at) == NULL);
}

bool
world_may_refuse(uint64_t word)
{
	switch (tbuf_word_operation(word)) {
	case TBUF_OP_FAULT:
	case TBUF_OP_ASIDE:	/* within another: unknown to the verifier */
		return (true);
	case TBUF_OP_CALL:
		break;
	default:
		return (false);
	}
	switch (tbuf_word_immediate(word)) {
	case TBUF_SUB_STRTOLL:
	case TBUF_SUB_LLTOSTR:
	case TBUF_SUB_INET_NTOP:
	case TBUF_SUB_LINK_NTOP:
		return (true);
	}
	return (false);
}
