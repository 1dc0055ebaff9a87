/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Decodes a program: its effect, after the comparisons that it begins with, if
 * that is simple (plan.h).
 */
#include "base/optimize_size.h"

#include "machine/aggregate.h"
#include "machine/internal.h"
#include "target/clause/clause.h"
#include "target/clause/plan_decode.h"
#include "target/lane/key_hash.h"
#include "target/lane/lane.h"
#include "target/lane/pack.h"

/* Returns true for a text, which cannot be a number of a record. */
static bool
is_text(const struct tbuf_number *number)
{
	return (number->cut.at == TBUF_CUT_TEXT ||
	    number->cut.at == TBUF_CUT_NAME ||
	    number->cut.at == TBUF_CUT_LITERAL);
}

/* Returns false for a number of an earlier step, unknown in this one. */
static bool
is_set(const struct tbuf_number *number)
{
	return (number->cut.at != TBUF_CUT_UNSET);
}

static bool
record_add(const struct tbuf_decoder *g, struct tbuf_plan *p,
    const struct tbuf_number *number)
{
	if (p->nnumbers == TBUF_PLAN_NUMBERS || is_text(number) ||
	    !is_set(number) || g->nkey != 0 ||
	    (p->kind != TBUF_PLAN_RECORD && p->kind != TBUF_PLAN_TEST))
		return (false);
	p->kind = TBUF_PLAN_RECORD;
	p->numbers[p->nnumbers++] = *number;
	return (true);
}

/* Adds a number to the key, unless a string has ended that. */
static bool
key_add(struct tbuf_decoder *g, const struct tbuf_number *number)
{
	if (g->nkey == TBUF_PLAN_NUMBERS || g->ends || is_text(number) ||
	    !is_set(number))
		return (false);
	g->key[g->nkey++] = *number;
	return (true);
}

static void
key_begin(struct tbuf_decoder *g)
{
	g->nkey = g->strsize = g->spare = 0;
	g->ends = false;
}

/* Adds a string that is an argument to the key, as its address. */
static bool
string_add(struct tbuf_decoder *g, unsigned argument)
{
	struct tbuf_number number = { .cut.at = (uint8_t)argument };

	if (g->packed || argument >= g->site->nargs ||
	    g->site->types[argument] != TBUF_STRING ||
	    !key_add(g, &number))
		return (false);
	g->strsize = tbuf_fire_strsize(g->run->fire->slot);
	g->ends = true;
	return (true);
}

/* Adds a text that is the same at each fire to the key, as constants. */
static bool
text_add(struct tbuf_decoder *g, const uint8_t *at, uint64_t size)
{
	struct tbuf_number word = { .cut.at = TBUF_CUT_NONE };
	uint64_t words[TBUF_PLAN_NUMBERS + TBUF_STAGE_WORDS], i, n;
	_Alignas(8) unsigned char name[8 * TBUF_PLAN_NUMBERS] = { 0 };
	struct tbuf_key_text text;

	for (i = 0; i < size && (name[i] = tbuf_load(&at[i])) != 0;)
		if (++i == sizeof(name))
			return (false);
	text = tbuf_pack_key((uintptr_t)name,
	    tbuf_fire_strsize(g->run->fire->slot), words, TBUF_HASH_FACTOR);
	/* A text that is cut is left to the machine. */
	if (text.word >= TBUF_TEXT_NULL)
		return (false);
	n = (2 + text.word + 7) / 8;
	for (i = 0; i < n; i++) {
		word.constant = words[i];
		if (!key_add(g, &word))
			return (false);
	}
	g->spare = (uint32_t)(8 * n - 2 - text.word);
	g->ends = true;
	return (true);
}

/* Adds a text to the key: a literal, a built-in variable's, or an argument. */
static bool
key_text(struct tbuf_decoder *g, const struct tbuf_number *number)
{
	const struct tbuf_machine *m = g->machine;
	uint64_t constant = number->constant;
	struct tbuf_span span;

	switch (number->cut.at) {
	case TBUF_CUT_LITERAL:
		return (constant < m->constants_size && text_add(g,
		    m->constants + constant, m->constants_size - constant));
	case TBUF_CUT_NAME:
		return (tbuf_run_builtin_text(g->run, (uint32_t)constant,
		    &span) == 0 && text_add(g, span.at, span.size));
	case TBUF_CUT_TEXT:
		return (string_add(g, (unsigned)constant));
	}
	return (false);
}

static bool
argument_add(struct tbuf_decoder *g, uint32_t selector)
{
	struct tbuf_number number = { .constant = 0 };

	if (tbuf_decode_cut(g, selector, &number.cut))
		return (key_add(g, &number));
	return (string_add(g, tbuf_select(g->machine, selector)));
}

static bool
argument_put(const struct tbuf_decoder *g, uint32_t selector,
    struct tbuf_plan *p)
{
	struct tbuf_number number = { .constant = 0 };

	return (tbuf_decode_cut(g, selector, &number.cut) &&
	    record_add(g, p, &number));
}

/* Loads an argument; of a text only the argument's number is noted. */
static void
text_load(const struct tbuf_decoder *g, uint32_t selector,
    struct tbuf_number *to)
{
	if (tbuf_decode_cut(g, selector, &to->cut))
		return;
	to->cut.at = TBUF_CUT_TEXT;
	to->constant = tbuf_select(g->machine, selector);
}

static bool
number_same(const struct tbuf_number *a, const struct tbuf_number *b)
{
	return (a->cut.at == b->cut.at && a->cut.up == b->cut.up &&
	    a->cut.down == b->cut.down &&
	    a->cut.is_signed == b->cut.is_signed &&
	    (a->cut.at != TBUF_CUT_NONE || a->constant == b->constant));
}

/* Returns true if the number depends on a self-> number or on the time. */
static bool
is_late(const struct tbuf_number *number)
{
	unsigned at = number->cut.at == TBUF_CUT_COMPUTED ? number->of.at :
	    number->cut.at;

	return (at >= TBUF_CUT_SECOND && at <= TBUF_CUT_SELF);
}

/*
 * Uses up the key that has been made, as the array element's.  Returns false
 * unless it is the program's only one.  None of its words may be known later
 * than the key is.
 */
static bool
array_use(struct tbuf_decoder *g, struct tbuf_plan_self *s)
{
	uint32_t i, n = g->nkey;
	bool same = !s->used || s->nkey == n, text = g->ends;

	key_begin(g);
	if (n == 0 || n > TBUF_PLAN_KEY || text)
		return (false);
	for (i = 0; i < n; i++) {
		if (is_late(&g->key[i]) ||
		    g->key[i].cut.at == TBUF_CUT_COMPUTED)
			return (false);
		if (!s->used)
			s->key[i] = g->key[i];
		same &= number_same(&s->key[i], &g->key[i]);
	}
	s->nkey = (uint8_t)n;
	return (same && (s->used || tbuf_array_sets(g->run, &s->sets)));
}

/*
 * Returns true if the access is to the program's only number, a self-> number
 * or an element's.
 */
static bool
self_use(struct tbuf_decoder *g, uint64_t word, struct tbuf_plan *p)
{
	struct tbuf_plan_self *s = &p->self;
	uint32_t id = tbuf_word_immediate(word);
	unsigned scope = tbuf_word_c(word);
	struct tbuf_code_variable place;

	if (s->used && (s->id != id || s->scope != scope))
		return (false);
	if (scope == TBUF_SCOPE_THREAD) {
		if (id >= TBUF_PLACES || p->program.places.at[id] == 0)
			return (false);
	} else if ((scope != TBUF_SCOPE_ARRAY &&
	    scope != TBUF_SCOPE_THREAD_ARRAY) || id > UINT16_MAX ||
	    !tbuf_variable_place(g->run, (enum tbuf_scope)scope, id, &place) ||
	    place.size != 0 || !array_use(g, s))
		return (false);
	s->used = true;
	s->scope = (uint8_t)scope;
	s->id = (uint16_t)id;
	return (true);
}

/* Loads a second self-> number, which only the effect uses. */
static bool
second_load(struct tbuf_plan *p, uint32_t id, struct tbuf_number *to)
{
	struct tbuf_plan_self *s = &p->self;

	if (id >= TBUF_PLACES || p->program.places.at[id] == 0 ||
	    (s->seconds && s->second != id))
		return (false);
	s->seconds = true;
	s->second = (uint8_t)id;
	to->cut.at = TBUF_CUT_SECOND;
	return (true);
}

static bool
self_load(struct tbuf_decoder *g, uint64_t word, struct tbuf_plan *p,
    struct tbuf_number *to)
{
	const struct tbuf_plan_self *s = &p->self;
	uint32_t id = tbuf_word_immediate(word);

	if (s->used && s->scope == TBUF_SCOPE_THREAD &&
	    tbuf_word_c(word) == TBUF_SCOPE_THREAD && id != s->id)
		return (!g->late && second_load(p, id, to));
	to->cut.at = TBUF_CUT_SELF;
	p->self.loads = true;
	return (!g->late && self_use(g, word, p));
}

/* Loads a built-in variable that costs next to nothing. */
static bool
builtin_load(const struct tbuf_decoder *g, uint64_t word, struct tbuf_plan *p,
    struct tbuf_number *to)
{
	uint32_t which = tbuf_word_immediate(word);

	switch (which) {
	case TBUF_BUILTIN_TIMESTAMP:
		/* The time without a self-> number is left to the machine. */
		to->cut.at = TBUF_CUT_TIME;
		p->self.times = true;
		return (tbuf_tempo_make(g->run, &p->self.tempo));
	case TBUF_BUILTIN_TID:
		to->cut.at = TBUF_CUT_TID;
		return (true);
	}
	return (false);
}

/* Computes a number from another one; a second operation is not cached. */
static bool
compute(const struct tbuf_decoder *g, uint64_t word, unsigned operation,
    struct tbuf_number *to)
{
	const struct tbuf_number from =
	    g->registers[tbuf_word_b(word) % TBUF_REGISTERS];

	if (is_text(&from) || !is_set(&from) ||
	    from.cut.at == TBUF_CUT_NONE ||
	    from.cut.at == TBUF_CUT_COMPUTED)
		return (false);
	*to = (struct tbuf_number){
		.cut = { .at = TBUF_CUT_COMPUTED, .up = (uint8_t)operation },
		.of = from.cut
	};
	return (true);
}

/* Computes a number from another one and an immediate. */
static bool
operate(const struct tbuf_decoder *g, uint64_t word, struct tbuf_number *to)
{
	unsigned operation = tbuf_word_operation(word) - TBUF_OP_ADDI;
	uint64_t y = (uint64_t)(int64_t)(int32_t)tbuf_word_immediate(word);

	if ((y == 0 && operation >= TBUF_OP_DIVSI - TBUF_OP_ADDI &&
	    operation <= TBUF_OP_MODUI - TBUF_OP_ADDI) ||
	    operation == TBUF_OP_ORI - TBUF_OP_ADDI ||
	    operation == TBUF_OP_XORI - TBUF_OP_ADDI ||
	    !compute(g, word, operation, to))
		return (false);
	to->constant = y;
	return (true);
}

/*
 * Cuts a number to fewer bits; a thread's id is cut already, and never below 0.
 */
static bool
extend(const struct tbuf_decoder *g, uint64_t word, struct tbuf_number *to)
{
	static const uint8_t downs[] = { 56, 48, 32 };
	const struct tbuf_number from =
	    g->registers[tbuf_word_b(word) % TBUF_REGISTERS];
	unsigned n = tbuf_word_operation(word) - TBUF_OP_EXT1S;

	if (from.cut.at == TBUF_CUT_TID && n % 3 == 2)
		*to = from;
	else if (from.cut.at == TBUF_CUT_COMPUTED && from.cut.down == 0)
		*to = from;
	else if (!compute(g, word, TBUF_OP_ADDI - TBUF_OP_ADDI, to))
		return (false);
	if (to->cut.at == TBUF_CUT_COMPUTED) {
		to->cut.down = downs[n % 3];
		to->cut.is_signed = n < 3;
	}
	return (true);
}

static bool
elapsed(const struct tbuf_decoder *g, uint64_t word, struct tbuf_number *to)
{
	unsigned time = tbuf_word_b(word) % TBUF_REGISTERS;
	unsigned self = tbuf_word_c(word) % TBUF_REGISTERS;
	bool is = g->registers[time].cut.at == TBUF_CUT_TIME &&
	    g->registers[self].cut.at == TBUF_CUT_SELF;

	to->cut.at = TBUF_CUT_ELAPSED;
	return (is);
}

/*
 * Returns true if two instructions are the predicate of the self-> number.  A
 * program has one, before any effect.
 */
static bool
is_guard(const struct tbuf_decoder *g, uint32_t pc, const struct tbuf_plan *p)
{
	const struct tbuf_machine *m = g->machine;
	uint64_t load, jump;

	if (m->length < 2 || pc > m->length - 2 || p->self.loads ||
	    p->kind != TBUF_PLAN_TEST)
		return (false);
	load = tbuf_load(&m->code[pc]);
	jump = tbuf_load(&m->code[pc + 1]);
	return (tbuf_word_operation(load) == TBUF_OP_LDV &&
	    tbuf_word_c(load) != TBUF_SCOPE_CLAUSE &&
	    tbuf_word_operation(jump) == TBUF_OP_JZ &&
	    (tbuf_word_a(jump) ^ tbuf_word_a(load)) % TBUF_REGISTERS == 0 &&
	    tbuf_word_immediate(jump) >= m->length - 2 - pc);
}

static bool
local_load(const struct tbuf_decoder *g, uint64_t word, struct tbuf_number *to)
{
	uint32_t i;

	for (i = 0; i < g->nlocals; i++)
		if (g->locals[i].id == tbuf_word_immediate(word)) {
			*to = g->locals[i].number;
			return (true);
		}
	return (false);
}

static bool
local_store(struct tbuf_decoder *g, uint64_t word,
    const struct tbuf_number *from)
{
	uint32_t id = tbuf_word_immediate(word), i;

	if (!g->alone || tbuf_word_c(word) != TBUF_SCOPE_CLAUSE)
		return (false);
	for (i = 0; i < g->nlocals && g->locals[i].id != id; i++)
		continue;
	if (i == TBUF_PLAN_LOCALS)
		return (false);
	g->knows = true;
	g->nlocals += i == g->nlocals;
	g->locals[i].id = id;
	g->locals[i].number = *from;
	return (true);
}

/* Decodes an instruction that makes a number. */
static bool
number_make(struct tbuf_decoder *g, uint64_t word, struct tbuf_plan *p)
{
	unsigned a = tbuf_word_a(word) % TBUF_REGISTERS;
	uint32_t immediate = tbuf_word_immediate(word);
	struct tbuf_number *number = &g->registers[a];

	if (tbuf_decode_constant(g, word))
		return (true);
	switch (tbuf_word_operation(word)) {
	case TBUF_OP_LDA:
		return (tbuf_decode_cut(g, immediate, &number->cut));
	case TBUF_OP_LDAT:
		text_load(g, immediate, number);
		return (true);
	case TBUF_OP_LDB:
		return (builtin_load(g, word, p, number));
	case TBUF_OP_LDV:
		return (tbuf_word_c(word) == TBUF_SCOPE_CLAUSE ?
		    local_load(g, word, number) :
		    self_load(g, word, p, number));
	case TBUF_OP_STV:
		return (local_store(g, word, number));
	case TBUF_OP_EXT1S ... TBUF_OP_EXT4U:
		return (extend(g, word, number));
	case TBUF_OP_ADDI ... TBUF_OP_SHRUI:
		return (operate(g, word, number));
	case TBUF_OP_SUB:
		return (elapsed(g, word, number));
	}
	return (false);
}

/* Decodes an instruction that adds to the record or to the key. */
static bool
piece_make(struct tbuf_decoder *g, uint64_t word, struct tbuf_plan *p)
{
	const struct tbuf_number *number =
	    &g->registers[tbuf_word_a(word) % TBUF_REGISTERS];
	uint32_t immediate = tbuf_word_immediate(word);

	switch (tbuf_word_operation(word)) {
	case TBUF_OP_ROOM:
		return (!g->updated && !g->stepwise);
	case TBUF_OP_PUT:
		return (!g->updated && record_add(g, p, number));
	case TBUF_OP_PUTA:
		return (!g->updated && argument_put(g, immediate, p));
	case TBUF_OP_KEYN:
		key_begin(g);
		return (true);
	case TBUF_OP_KEY:
		return (key_add(g, number));
	case TBUF_OP_KEYT:
		return (key_text(g, number));
	case TBUF_OP_KEYA:
		return (argument_add(g, immediate));
	}
	return (false);
}

/* Decodes the instruction that emits the record. */
static bool
record_make(uint64_t word, uint32_t epid, struct tbuf_plan *p)
{
	uint32_t record = tbuf_word_immediate(word);

	p->epid = epid + record;
	return (tbuf_word_operation(word) == TBUF_OP_EMIT &&
	    p->kind == TBUF_PLAN_RECORD && record < TBUF_EPID_COMMIT - epid);
}

/* Returns true if the value, the weight and the parameter are known here. */
static bool
parameters_set(const struct tbuf_decoder *g, uint64_t word,
    enum tbuf_table_step step)
{
	unsigned b = tbuf_word_b(word), function = tbuf_word_c(word);
	const struct tbuf_number *parameter =
	    &g->registers[(b + 1) % TBUF_REGISTERS];

	if (function == TBUF_AGG_COUNT)
		return (true);
	if (!is_set(&g->registers[tbuf_word_a(word) % TBUF_REGISTERS]))
		return (false);
	return (step != TBUF_STEP_UPDATE ||
	    (is_set(&g->registers[b % TBUF_REGISTERS]) &&
	    (function == TBUF_AGG_QUANTIZE ||
	    parameter->cut.at == TBUF_CUT_NONE)));
}

/* Decodes an aggregation that takes one step. */
static bool
update_make(struct tbuf_decoder *g, uint64_t word, struct tbuf_plan *p)
{
	static const uint8_t kinds[] = {
		[TBUF_STEP_NONE] = TBUF_PLAN_TEST,
		[TBUF_STEP_UPDATE] = TBUF_PLAN_UPDATE,
		[TBUF_STEP_SUM] = TBUF_PLAN_SUM,
		[TBUF_STEP_PEAK] = TBUF_PLAN_PEAK
	};
	unsigned b = tbuf_word_b(word), function = tbuf_word_c(word);
	enum tbuf_table_step step =
	    tbuf_table_step((enum tbuf_aggregator)function);
	const struct tbuf_number *parameter =
	    &g->registers[(b + 1) % TBUF_REGISTERS];
	struct tbuf_plan_update *u = &p->update;

	if (tbuf_word_operation(word) != TBUF_OP_UPD || g->updated ||
	    p->kind == TBUF_PLAN_RECORD || function >= TBUF_AGGREGATORS ||
	    tbuf_word_immediate(word) > UINT16_MAX ||
	    kinds[step] == TBUF_PLAN_TEST || !parameters_set(g, word, step))
		return (false);
	u->value = g->registers[tbuf_word_a(word) % TBUF_REGISTERS];
	u->weight = g->registers[b % TBUF_REGISTERS];
	u->parameter = parameter->constant;
	u->aggregation = tbuf_word_immediate(word);
	u->function = function;
	u->strsize = g->strsize;
	u->spare = g->spare;
	for (p->nnumbers = 0; p->nnumbers < g->nkey; p->nnumbers++)
		p->numbers[p->nnumbers] = g->key[p->nnumbers];
	key_begin(g);
	p->kind = kinds[step];
	return (true);
}

/* Decodes the store of a number, after an aggregation or alone. */
static bool
store_make(struct tbuf_decoder *g, uint64_t word, struct tbuf_plan *p)
{
	p->self.stores = true;
	p->self.stored = g->registers[tbuf_word_a(word) % TBUF_REGISTERS];
	return (tbuf_word_operation(word) == TBUF_OP_STV &&
	    (g->updated || p->kind == TBUF_PLAN_TEST) &&
	    is_set(&p->self.stored) && self_use(g, word, p));
}

/* Decodes the code after the tests.  Returns false if it is not simple. */
static bool
effect_find(struct tbuf_decoder *g, uint32_t from, uint32_t epid,
    struct tbuf_plan *p)
{
	const struct tbuf_machine *m = g->machine;
	uint64_t word;
	uint32_t pc;
	bool guard;

	for (pc = from; pc + 1 < m->length; pc += 1 + guard) {
		guard = is_guard(g, pc, p);
		p->self.guards |= guard;
		word = tbuf_load(&m->code[pc]);
		if (number_make(g, word, p) || piece_make(g, word, p))
			continue;
		if (guard || !update_make(g, word, p))
			return (false);
		g->updated = true;
	}
	word = pc + 1 == m->length ? tbuf_load(&m->code[pc]) : 0;
	if (store_make(g, word, p))
		return (true);
	p->self.stores = false;
	return (record_make(word, epid, p) || update_make(g, word, p));
}

/* Clears the effect; each register becomes 0, or is not known. */
static void
effect_begin(struct tbuf_decoder *g, struct tbuf_plan *p, uint8_t numbers)
{
	unsigned i;

	p->kind = TBUF_PLAN_TEST;
	p->nnumbers = p->update.strsize = p->update.spare = 0;
	p->self = (struct tbuf_plan_self){ .used = false };
	g->updated = false;
	key_begin(g);
	for (i = 0; i < TBUF_REGISTERS; i++)
		g->registers[i] = (struct tbuf_number){ .cut.at = numbers };
}

/* Returns true if no fire comes to an effect, and there are no tests. */
static bool
is_nothing(const struct tbuf_decoder *g, uint32_t from, struct tbuf_plan *p)
{
	if (from < g->machine->length || p->ntests != 0)
		return (false);
	p->kind = TBUF_PLAN_NOTHING;
	return (true);
}

/*
 * Returns true if the effect can be used.  Else removes it: only the tests are
 * cached.
 */
static bool
effect_end(struct tbuf_plan *p, bool found)
{
	if (found && (p->program.code != NULL || !p->self.used) &&
	    (p->self.used || !p->self.times))
		return (true);
	p->kind = TBUF_PLAN_TEST;
	p->self.used = false;
	return (false);
}

/*
 * Notes where the program is.  Under -x cpu its code is not cached: each fire
 * has to check its CPU.
 */
static void
program_make(const struct tbuf_decoder *g, const struct tbuf_fire *f,
    struct tbuf_plan *p)
{
	const struct tbuf_machine *m = g->machine;

	p->program = (struct tbuf_plan_program){
		.code = tbuf_load(&f->slot->terms.only_cpu) < 0 ? m->code :
		    NULL,
		.constants = m->constants, .length = m->length,
		.constants_size = m->constants_size, .binding = m->binding,
		.flags = g->flags, .epid = f->epid,
		.flat = m->values != g->run->values
	};
	tbuf_places_make(g->run, &p->program.places);
}

void
tbuf_decode_program(struct tbuf_decoder *g, const struct tbuf_fire *f,
    struct tbuf_plan *p)
{
	uint32_t from;

	g->stepwise = false;
	program_make(g, f, p);
	g->nlocals = 0;
	g->late = false;
	from = tbuf_decode_tests(g, p);
	effect_begin(g, p, g->skips ? TBUF_CUT_UNSET : TBUF_CUT_NONE);
	if (!is_nothing(g, from, p))
		(void)effect_end(p, effect_find(g, from, f->epid, p));
}

/* Decodes one step, up to its aggregation or store. */
static bool
step_find(struct tbuf_decoder *g, uint32_t from, bool first,
    struct tbuf_plan *p)
{
	const struct tbuf_machine *m = g->machine;
	uint64_t word;
	uint32_t pc;
	bool guard;

	for (pc = from; pc < m->length; pc += 1 + guard) {
		guard = first && is_guard(g, pc, p);
		p->self.guards |= guard;
		word = tbuf_load(&m->code[pc]);
		if (number_make(g, word, p) || piece_make(g, word, p))
			continue;
		p->link.next = pc + 1 < m->length ? pc + 1 : 0;
		return (!guard && (update_make(g, word, p) ||
		    store_make(g, word, p)));
	}
	return (false);
}

/*
 * Hands the this-> variables to the next step, or to the machine.  The machine
 * can be given numbers only, and only if it needs no workspace.
 */
static bool
locals_cache(struct tbuf_decoder *g, struct tbuf_plan *p)
{
	uint32_t i;

	p->link.nlocals = (uint8_t)g->nlocals;
	for (i = 0; i < g->nlocals; i++) {
		if (is_text(&g->locals[i].number) ||
		    !is_set(&g->locals[i].number))
			return (false);
		g->late |= is_late(&g->locals[i].number);
		p->link.locals[i] = g->locals[i];
	}
	return (g->nlocals == 0 || (g->flags & TBUF_PROGRAM_MEMORY) == 0);
}

bool
tbuf_decode_step(struct tbuf_decoder *g, const struct tbuf_fire *f,
    uint32_t from, struct tbuf_plan *p)
{
	bool first = from == 0;

	g->stepwise = true;
	g->skips = false;
	program_make(g, f, p);
	p->ntests = 0;
	if (first) {
		g->nlocals = 0;
		g->late = false;
		from = tbuf_decode_tests(g, p);
	}
	/*
	 * Registers that earlier steps or skipped code have set are not known.
	 */
	effect_begin(g, p, first && !g->skips ? TBUF_CUT_NONE :
	    TBUF_CUT_UNSET);
	return (effect_end(p, step_find(g, from, first, p) &&
	    (p->link.next == 0 || locals_cache(g, p))));
}

bool
tbuf_decode_apart(const struct tbuf_decoder *g)
{
	const struct tbuf_machine *m = g->machine;
	unsigned operation;
	uint64_t word;
	uint32_t pc;

	for (pc = 0; pc < m->length; pc++) {
		word = tbuf_load(&m->code[pc]);
		operation = tbuf_word_operation(word);
		if (operation >= TBUF_OP_LDV && operation <= TBUF_OP_TMP &&
		    ((operation != TBUF_OP_LDV && operation != TBUF_OP_STV) ||
		    tbuf_word_c(word) == TBUF_SCOPE_CLAUSE))
			return (false);
	}
	return (g->flags == 0);
}
