/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Translates a script's clauses for targets: codes, programs and texts
 * (layout/clause.h).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "consumer/attach/attach.h"
#include "consumer/attach/target_clauses.h"
#include "consumer/decode/record_layout.h"
#include "consumer/script/script.h"
#include "shared/array_element.h"
#include "shared/program_select.h"

_Static_assert(TBUF_CLASSES_INTEGER == TBUF_CLASS_INTEGER &&
    TBUF_CLASSES_UNSIGNED == TBUF_CLASS_UNSIGNED &&
    TBUF_CLASSES_FLOAT == TBUF_CLASS_FLOAT &&
    TBUF_CLASSES_TEXT == TBUF_CLASS_TEXT, "classes");

/* A part being made. */
struct part {
	unsigned char *bytes;
	size_t size, room;
	bool failed;
};

struct making {
	const struct tbuf_d_script *source;
	struct part codes, programs, texts;
	uint32_t locals_size, globals_size;
	uint32_t block;			/* bytes of a thread's block; 0: none */
	uint32_t element;		/* bytes of an element; 0: none */
	uint32_t strsize;
	bool begins;			/* arrays have elements from BEGIN */
};

/* Reserves zeroed bytes in a part and returns their offset. */
static size_t
take(struct part *p, size_t size, size_t align)
{
	size_t at = (p->size + align - 1) & ~(align - 1), room;
	unsigned char *bytes;

	if (p->failed || size > TBUF_PROGRAMS_MAX ||
	    at + size > TBUF_PROGRAMS_MAX) {
		p->failed = true;
		return (0);
	}
	if (at + size > p->room) {
		room = 2 * (at + size) + 256;
		if ((bytes = realloc(p->bytes, room)) == NULL) {
			p->failed = true;
			return (0);
		}
		memset(bytes + p->room, 0, room - p->room);
		p->bytes = bytes;
		p->room = room;
	}
	p->size = at + size;
	return (at);
}

static void
put(struct part *p, size_t at, const void *from, size_t size)
{
	if (!p->failed && size != 0)
		memcpy(p->bytes + at, from, size);
}

static uint32_t
add(struct part *p, const void *from, size_t size, size_t align)
{
	size_t at = take(p, size, align);

	put(p, at, from, size);
	return ((uint32_t)at);
}

/* ------------------------------------------------------------ programs */

/* Returns the largest size of a key, with padding. */
static uint32_t
key_size(const struct tbuf_d_piece *keys, uint32_t nkeys, uint32_t strsize)
{
	uint32_t size = 0, i, bytes;

	for (i = 0; i < nkeys; i++) {
		bytes = keys[i].kind == TBUF_PIECE_INTEGER ? 8 :
		    keys[i].kind == TBUF_PIECE_BYTES ? keys[i].bytes :
		    strsize + 2;
		if (bytes > TBUF_KEY_LARGE || size > TBUF_KEY_LARGE)
			return (TBUF_KEY_LARGE);
		size = ((size + 7) & ~7u) + ((bytes + 7) & ~7u);
	}
	return (size < TBUF_KEY_LARGE ? size : TBUF_KEY_LARGE);
}

/* Returns true if a key of this aggregation may not fit a fire's stack. */
static bool
large_key(const struct making *m, uint32_t id)
{
	const struct tbuf_d_aggregation *one = m->source->aggregations;
	uint32_t n;

	for (n = 0; n < m->source->naggregations && one->id != id; n++)
		one++;
	return (n < m->source->naggregations &&
	    key_size(one->keys, one->nkeys, m->strsize) > TBUF_KEY_SMALL);
}

/* Returns true if an array's key or a variable's copy may not fit the stack. */
static bool
large_variable(const struct making *m, uint64_t word)
{
	const struct tbuf_d_variable *v = m->source->variables;
	const struct tbuf_d_variable *end = v + m->source->nvariables;
	unsigned scope = tbuf_word_c(word);
	uint32_t id = tbuf_word_immediate(word);

	if (scope < TBUF_SCOPE_THREAD)
		return (false);
	if (tbuf_word_operation(word) == TBUF_OP_LDR)
		return (true);
	while (v < end && (v->scope != scope || v->id != id))
		v++;
	return (v < end && scope >= TBUF_SCOPE_ARRAY &&
	    (key_size(v->keys, v->nkeys, m->strsize) > TBUF_KEY_SMALL ||
	    tbuf_cell_room(v->shape, m->strsize) != 0));
}

/* Returns true if a program needs more memory than a fire has on its stack. */
static bool
needs_memory(const struct making *m, const struct tbuf_d_clause *clause,
    const struct tbuf_d_program *program)
{
	uint32_t i;

	for (i = 0; i < clause->nrecords; i++)
		if (clause->records[i].bytes > TBUF_RECORD_SMALL)
			return (true);
	for (i = 0; i < program->length; i++)
		switch (tbuf_word_operation(program->code[i])) {
		case TBUF_OP_TMP:
		case TBUF_OP_CALL:
			return (true);
		case TBUF_OP_LDV:
		case TBUF_OP_STV:
		case TBUF_OP_LDR:
		case TBUF_OP_STT:
		case TBUF_OP_STB:
			if (large_variable(m, program->code[i]))
				return (true);
			break;
		case TBUF_OP_UPD:
			if (large_key(m,
			    tbuf_word_immediate(program->code[i])))
				return (true);
			break;
		}
	return (false);
}

static uint32_t
add_program(struct making *m, const struct tbuf_d_clause *clause,
    const struct tbuf_d_program *program)
{
	const struct tbuf_program_head head = {
		.length = program->length,
		.constants_size = program->constants_size,
		.flags = (m->locals_size > TBUF_LOCALS_SMALL ||
		    needs_memory(m, clause, program) ?
		    TBUF_PROGRAM_MEMORY : 0) |
		    ((clause->flags & (TBUF_CLAUSE_COPYIN | TBUF_CLAUSE_CALLS |
		    TBUF_CLAUSE_STACK | TBUF_CLAUSE_DESTRUCTIVE)) != 0 ?
		    TBUF_PROGRAM_CALLS : 0)
	};
	uint32_t at = add(&m->programs, &head, sizeof(head), 8);

	(void)add(&m->programs, program->code,
	    program->length * sizeof(uint64_t), 8);
	(void)add(&m->programs, program->constants, program->constants_size,
	    8);
	return (at / 8);
}

/* ------------------------------------------------------------ texts */

static void
piece_of(const struct tbuf_d_piece *from, struct tbuf_piece *piece)
{
	memset(piece, 0, sizeof(*piece));
	switch (from->kind) {
	case TBUF_PIECE_TEXT:
		piece->type = TBUF_STRING;
		return;
	case TBUF_PIECE_STACK:
		piece->type = TBUF_BINARY;
		piece->address_kind = TBUF_ADDRESS_RAW | from->bytes /
		    (uint32_t)sizeof(uint64_t) << TBUF_ADDRESS_BYTES_SHIFT;
		return;
	case TBUF_PIECE_BYTES:
		piece->type = TBUF_UINT8;
		piece->count = (uint16_t)from->bytes;
		piece->address_kind = tbuf_address_of(from->shape);
		return;
	case TBUF_PIECE_ARGUMENT:
		piece->type = TBUF_NONE;
		piece->name = (uint8_t)
		    ((from->argument & TBUF_SELECT_NAME) != 0 ?
		    from->argument & 15 :
		    TBUF_NAMES_MAX + (from->argument & 15));
		return;
	case TBUF_PIECE_INTEGER:
		break;
	}
	piece->type = from->shape != NULL && !from->shape->is_signed ?
	    TBUF_UINT64 : TBUF_INT64;
}

void
tbuf_clauses_pieces(const struct tbuf_d_record *record,
    struct tbuf_piece pieces[TBUF_PIECES_MAX])
{
	uint32_t i;

	for (i = 0; i < record->npieces; i++)
		piece_of(&record->pieces[i], &pieces[i]);
}

static uint32_t
add_text(struct making *m, const struct tbuf_d_clause *clause, uint16_t number)
{
	const struct tbuf_d_record *record = &clause->records[number];
	const struct tbuf_text_record head = {
		.size = (uint32_t)(sizeof(head) +
		    record->npieces * sizeof(struct tbuf_piece)),
		.npieces = (uint16_t)record->npieces, .record = number
	};
	struct tbuf_piece pieces[TBUF_PIECES_MAX];
	uint32_t at = add(&m->texts, &head, sizeof(head), 8);

	tbuf_clauses_pieces(record, pieces);
	(void)add(&m->texts, pieces, head.size - sizeof(head), 8);
	return (at / 8);
}

/* ------------------------------------------------------------ codes */

static uint32_t
add_names(struct making *m, const struct tbuf_d_clause *clause)
{
	size_t at = take(&m->codes, 0, 1);
	uint32_t i;

	for (i = 0; i < clause->nnames; i++)
		(void)add(&m->codes, clause->names[i],
		    strlen(clause->names[i]) + 1, 1);
	return ((uint32_t)at);
}

static uint32_t
add_texts(struct making *m, const struct tbuf_d_clause *clause)
{
	size_t at = take(&m->codes, clause->nrecords * sizeof(uint32_t), 4);
	uint32_t i, text;

	for (i = 0; i < clause->nrecords; i++) {
		text = add_text(m, clause, (uint16_t)i);
		put(&m->codes, at + i * sizeof(text), &text, sizeof(text));
	}
	return ((uint32_t)at);
}

static uint32_t
add_programs(struct making *m, const struct tbuf_d_clause *clause)
{
	struct tbuf_code_program program = { .program = 0 };
	size_t at = take(&m->codes, clause->nprograms * sizeof(program), 4);
	uint32_t i;

	for (i = 0; i < clause->nprograms; i++) {
		program.program = add_program(m, clause,
		    &clause->programs[i]);
		memcpy(program.classes, clause->programs[i].classes,
		    sizeof(program.classes));
		put(&m->codes, at + i * sizeof(program), &program,
		    sizeof(program));
	}
	return ((uint32_t)at);
}

static void
add_code(struct making *m, const struct tbuf_d_clause *clause, size_t at)
{
	struct tbuf_code code = { .nprograms = 0 };

	if (clause == NULL || clause->nprograms == 0 ||
	    (clause->flags & TBUF_CLAUSE_DEFAULT) != 0)
		return;
	code.nprograms = (uint16_t)clause->nprograms;
	code.nrecords = (uint16_t)clause->nrecords;
	code.nnames = (uint16_t)clause->nnames;
	code.names = add_names(m, clause);
	code.programs = add_programs(m, clause);
	code.texts = add_texts(m, clause);
	put(&m->codes, at, &code, sizeof(code));
}

/* Adds a scope's variables by id.  Adds to *size the bytes that they take. */
static uint32_t
add_variables(struct making *m, const struct tbuf_d_script *source,
    uint32_t scope, uint32_t *n, uint32_t *size)
{
	const struct tbuf_d_variable *v = source->variables;
	const struct tbuf_d_variable *end = v + source->nvariables;
	struct tbuf_code_variable place;
	uint32_t at;

	for (*n = 0; v < end; v++)
		if (v->scope == scope && v->id >= *n)
			*n = v->id + 1;
	at = (uint32_t)take(&m->codes, *n * sizeof(place), 8);
	for (v = source->variables; v < end; v++) {
		if (v->scope != scope)
			continue;
		place = (struct tbuf_code_variable){
			.at = *size, .known = 1,
			.size = tbuf_cell_room(v->shape, m->strsize),
			.text = v->shape->kind == TBUF_KIND_TEXT
		};
		*size += 8 + ((place.size + 7) & ~7u);
		put(&m->codes, at + v->id * sizeof(place), &place,
		    sizeof(place));
	}
	return (at);
}

/* Returns true if a program loads or stores the variable. */
static bool
program_has(const struct tbuf_d_program *program,
    const struct tbuf_d_variable *v)
{
	uint32_t i;

	for (i = 0; i < program->length; i++)
		switch (tbuf_word_operation(program->code[i])) {
		case TBUF_OP_LDV:
		case TBUF_OP_STV:
		case TBUF_OP_LDR:
		case TBUF_OP_STT:
		case TBUF_OP_STB:
			if (tbuf_word_c(program->code[i]) == v->scope &&
			    tbuf_word_immediate(program->code[i]) == v->id)
				return (true);
			break;
		}
	return (false);
}

static bool
is_theirs(const struct tbuf_consumer *c, const struct tbuf_d_variable *v)
{
	uint32_t j;
	unsigned i;

	for (i = 0; i < c->npatterns; i++)
		for (j = 0; c->clauses[i] != NULL &&
		    j < c->clauses[i]->nprograms; j++)
			if (program_has(&c->clauses[i]->programs[j], v))
				return (true);
	return (false);
}

/*
 * Adds the arrays of a scope that clauses in targets use.  All elements are as
 * large as the largest one.
 */
static uint32_t
add_arrays(struct making *m, const struct tbuf_consumer *c,
    const struct tbuf_d_script *source, uint32_t scope, uint32_t *n)
{
	const struct tbuf_d_variable *v = source->variables;
	const struct tbuf_d_variable *end = v + source->nvariables;
	const struct tbuf_code_variable none = { .known = 0 };
	uint32_t size = 0, at = add_variables(m, source, scope, n, &size);

	for (; v < end; v++) {
		if (v->scope != scope)
			continue;
		if (!is_theirs(c, v)) {
			put(&m->codes, at + v->id * sizeof(none), &none,
			    sizeof(none));
			continue;
		}
		size = key_size(v->keys, v->nkeys, m->strsize) +
		    ((tbuf_cell_room(v->shape, m->strsize) + 7) & ~7u);
		size = MIN(size, TBUF_KEY_LARGE);
		size += TBUF_ELEMENT_HEAD * sizeof(uint64_t);
		m->element = MAX(m->element, size);
	}
	return (at);
}

/* Adds the values that BEGIN has given to global variables. */
static uint32_t
add_values(struct making *m, const struct tbuf_script *script, uint32_t places)
{
	size_t at = take(&m->codes, m->globals_size, 8);

	if (!m->codes.failed && m->globals_size != 0)
		tbuf_globals_put(script, (const void *)
		    (m->codes.bytes + places), m->codes.bytes + at);
	return ((uint32_t)at);
}

/* Adds an array element of BEGIN: a body with its value after the key. */
static void
add_element(struct making *m, const struct tbuf_element *e)
{
	uint32_t padded = (e->key_size + 7) & ~7u, value = (e->room + 7) & ~7u;
	uint32_t front = TBUF_ELEMENT_HEAD * sizeof(uint64_t);
	const struct tbuf_code_element head = {
		.value = e->room != 0 ? 1 : e->number,
		.size = front + padded + value, .bytes = e->room
	};
	const uint64_t body[TBUF_ELEMENT_HEAD] = {
		[1] = tbuf_element_word(TBUF_SCOPE_ARRAY, e->id, e->key_size)
	};
	size_t at;

	/* No fire has so large a key. */
	if (head.size > m->element)
		return;
	at = add(&m->codes, &head, sizeof(head), 8) + sizeof(head);
	(void)take(&m->codes, head.size, 8);
	put(&m->codes, at, body, sizeof(body));
	put(&m->codes, at + front, e->key, e->key_size);
	put(&m->codes, at + front + padded, e->bytes, e->room);
}

/* Elements beyond this many bytes are drops, as without room in a target. */
#define ELEMENTS_MAX	(2u << 20)

static uint32_t
add_elements(struct making *m, struct tbuf_script *script, uint32_t arrays,
    uint32_t narrays)
{
	size_t at = take(&m->codes, 0, 8);
	struct tbuf_code_variable array;
	const struct tbuf_element *e;
	uint32_t i;

	for (i = 0; i < script->elements.nslots && !m->codes.failed; i++) {
		e = script->elements.slots[i];
		if (!e->used || e->scope != TBUF_SCOPE_ARRAY ||
		    e->id >= narrays)
			continue;
		memcpy(&array, m->codes.bytes + arrays +
		    e->id * sizeof(array), sizeof(array));
		if (array.known == 0)
			continue;
		if (m->codes.size - at <= ELEMENTS_MAX)
			add_element(m, e);
		else
			script->dynamic_drops++;
	}
	return ((uint32_t)at);
}

static void
make_codes(struct making *m, const struct tbuf_consumer *c,
    const struct tbuf_d_script *source)
{
	struct tbuf_codes head = { .nenablings = c->npatterns };
	size_t at = take(&m->codes, sizeof(head), 8);
	unsigned i;

	/* Offset 0 means none. */
	(void)take(&m->programs, 8, 8);
	(void)take(&m->texts, 8, 8);
	head.globals = add_variables(m, source, TBUF_SCOPE_GLOBAL,
	    &head.nglobals, &m->globals_size);
	head.locals = add_variables(m, source, TBUF_SCOPE_CLAUSE,
	    &head.nlocals, &head.locals_size);
	head.block = sizeof(struct tbuf_block);
	head.threads = add_variables(m, source, TBUF_SCOPE_THREAD,
	    &head.nthreads, &head.block);
	head.block = (head.block + 15) & ~15u;
	m->block = head.nthreads != 0 ? head.block : 0;
	head.arrays = add_arrays(m, c, source, TBUF_SCOPE_ARRAY,
	    &head.narrays);
	head.thread_arrays = add_arrays(m, c, source,
	    TBUF_SCOPE_THREAD_ARRAY, &head.nthread_arrays);
	head.element = m->element;
	m->locals_size = head.locals_size;
	head.enablings = (uint32_t)take(&m->codes,
	    c->npatterns * sizeof(struct tbuf_code), 4);
	for (i = 0; i < c->npatterns; i++)
		add_code(m, c->clauses[i], head.enablings +
		    i * sizeof(struct tbuf_code));
	head.values = add_values(m, c->script, head.globals);
	head.elements = add_elements(m, c->script, head.arrays, head.narrays);
	head.elements_size = (uint32_t)m->codes.size - head.elements;
	m->begins = head.elements_size != 0;
	head.multiplier = tbuf_timeline_multiplier(&c->script_time);
	put(&m->codes, at, &head, sizeof(head));
}

static uint32_t
epids(const struct tbuf_consumer *c)
{
	uint32_t n = 0;
	unsigned i;

	for (i = 0; i < c->npatterns; i++)
		n += tbuf_clauses_epids(c, i);
	return (n);
}

/* Returns the features that targets must have. */
static uint32_t
needs(const struct tbuf_consumer *c, const struct making *m)
{
	uint32_t all = TBUF_F_MACHINE(1) |
	    (c->programs->blocks + c->programs->dynamic != 0 ?
	    TBUF_F_VARIABLES : 0) | (m->begins ? TBUF_F_ELEMENTS : 0);
	unsigned i;

	for (i = 0; i < c->npatterns; i++)
		if (c->clauses[i] != NULL &&
		    (c->clauses[i]->flags & TBUF_CLAUSE_COPYIN) != 0)
			all |= TBUF_F_COPYIN;
	return (all);
}

static bool
any_program(const struct tbuf_consumer *c)
{
	unsigned i;

	for (i = 0; i < c->npatterns; i++)
		if (c->clauses[i] != NULL && c->clauses[i]->nprograms != 0)
			return (true);
	return (false);
}

/* Divides dynvarsize: half each if there are threads' variables and arrays. */
static void
divide(struct tbuf_consumer *c, const struct making *m)
{
	uint64_t set = TBUF_ELEMENT_SET * (16 + UINT64_C(1) * m->element);
	uint64_t all = c->options.dynvarsize;

	if (m->block != 0 && m->element != 0)
		all /= 2;
	c->block = m->block;
	if (m->block != 0)
		c->programs->blocks = all < m->block ? m->block :
		    all & ~UINT64_C(15);
	c->element_set = set;
	if (m->element != 0)
		c->programs->dynamic = all < set ? set : all & ~UINT64_C(15);
}

/* Sets properties of the run that an instruction of a clause needs. */
static void
note_operation(struct tbuf_consumer *c, unsigned operation)
{
	switch (operation) {
	case TBUF_OP_EXIT:
		c->exits = true;
		break;
	case TBUF_OP_SNAPSHOT:
		c->snapshots = true;
		c->needs &= ~TBUF_F_MACHINE(UINT8_MAX);
		c->needs |= TBUF_F_MACHINE(TBUF_MACHINE_SNAPSHOT);
		break;
	case TBUF_OP_UPD:
		tbuf_size_bound(c, "aggsize", &c->options.aggsize,
		    TBUF_TABLE_MAX);
		c->programs->aggsize = c->options.aggsize;
		break;
	case TBUF_OP_SPECN:
	case TBUF_OP_SPEC:
	case TBUF_OP_COMMIT:
	case TBUF_OP_DISCARD:
		tbuf_size_bound(c, "nspec", &c->options.nspec, TBUF_NSPEC);
		tbuf_size_bound(c, "specsize", &c->options.specsize,
		    TBUF_SPECSIZE_MAX);
		c->programs->nspec = (uint32_t)c->options.nspec;
		c->programs->specsize = c->options.specsize;
		break;
	}
}

static void
note_clause(struct tbuf_consumer *c, const struct tbuf_d_clause *clause)
{
	const struct tbuf_d_program *program;
	uint32_t i, j;

	for (i = 0; clause != NULL && i < clause->nprograms; i++) {
		program = &clause->programs[i];
		for (j = 0; j < program->length; j++)
			note_operation(c, tbuf_word_operation(
			    program->code[j]));
	}
}

int
tbuf_clauses_make(struct tbuf_consumer *c, const struct tbuf_d_script *source)
{
	struct making m = {
		.source = source, .strsize = (uint32_t)c->options.strsize
	};
	int error = -E2BIG;
	unsigned i;

	if (!any_program(c))
		return (0);
	make_codes(&m, c, source);
	if (!m.codes.failed && !m.programs.failed && !m.texts.failed &&
	    m.locals_size <= TBUF_LOCALS_LARGE &&
	    m.globals_size <= TBUF_PROGRAMS_MAX)
		error = tbuf_consumer_programs(c,
		    (const void *const []){ m.codes.bytes, m.programs.bytes,
		    m.texts.bytes }, (const size_t []){ m.codes.size,
		    m.programs.size, m.texts.size });
	free(m.codes.bytes);
	free(m.programs.bytes);
	free(m.texts.bytes);
	if (error != 0)
		return (error);
	tbuf_globals_share(c);
	c->programs->globals = m.globals_size;
	divide(c, &m);
	c->programs->epids = epids(c);
	c->needs |= needs(c, &m);
	for (i = 0; i < c->npatterns; i++)
		note_clause(c, c->clauses[i]);
	return (tbuf_sizes_refused(c) ? -ENOSPC : 0);
}

/* ------------------------------------------------------------ enablings */

int
tbuf_clauses_enable(struct tbuf_consumer *c,
    const struct tbuf_d_script *source)
{
	const struct tbuf_d_clause *clause = source->clauses;
	const struct tbuf_d_clause *end = clause + source->nclauses;
	uint32_t i;
	int enabling;

	for (; clause < end; clause++)
		for (i = 0; i < clause->ndescriptions; i++) {
			if (!tbuf_clauses_theirs(clause->descriptions[i]))
				continue;
			enabling = tbuf_consumer_enable(c,
			    clause->descriptions[i]);
			if (enabling < 0)
				return (enabling);
			c->clauses[enabling] = clause;
		}
	return (0);
}

unsigned
tbuf_clauses_epids(const struct tbuf_consumer *c, unsigned enabling)
{
	const struct tbuf_d_clause *clause = c->clauses[enabling];

	return (clause != NULL && clause->nprograms != 0 &&
	    clause->nrecords != 0 ? clause->nrecords : 1);
}

const struct tbuf_d_record *
tbuf_clauses_record(const struct tbuf_consumer *c, unsigned enabling,
    unsigned record)
{
	const struct tbuf_d_clause *clause;

	if (c->clauses == NULL || enabling >= c->npatterns ||
	    (clause = c->clauses[enabling]) == NULL ||
	    record >= clause->nrecords)
		return (NULL);
	return (&clause->records[record]);
}
