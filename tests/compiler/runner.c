/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A machine for compiled scripts: its callbacks store variables and print all
 * effects.
 */
#include <err.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "layout/layout.h"
#include "machine/machine.h"
#include "runner.h"
#include "tbuf.h"

#define ELEMENTS	32
#define OBJECT_THREAD	TBUF_OBJECT_OUTSIDE
#define OBJECT_ELEMENT	(TBUF_OBJECT_OUTSIDE + 1)
#define STRSIZE		256u

/* a variable, or an element of an array */
struct cell {
	const struct tbuf_d_variable *variable;
	uint64_t number;
	uint8_t *bytes;
	uint32_t room;
	bool set;
	uint8_t key[1024];
	uint32_t key_size;
};

struct runner {
	struct tbuf_machine m;	/* first, for callbacks to find the runner */
	const struct tbuf_d_script *script;
	const struct tbuf_d_clause *clause;
	struct cell *cells;	/* one for each variable */
	struct cell elements[ELEMENTS];
	uint32_t nelements;
	FILE *out;
	uint64_t values[10];
	uint8_t types[10];
};

static struct runner *
runner(struct tbuf_machine *m)
{
	return ((struct runner *)(void *)m);
}

/* ------------------------------------------------------------ variables */

static bool
is_number(const struct tbuf_d_shape *shape)
{
	return (shape->kind != TBUF_KIND_TEXT &&
	    shape->kind != TBUF_KIND_ARRAY &&
	    shape->kind != TBUF_KIND_STRUCT &&
	    shape->kind != TBUF_KIND_UNION);
}

static void
cell_begin(struct cell *cell, const struct tbuf_d_variable *v)
{
	cell->variable = v;
	cell->room = is_number(v->shape) ? 0 :
	    v->shape->size + (v->shape->kind == TBUF_KIND_TEXT);
	cell->bytes = calloc(1, cell->room + 1u);
	if (cell->bytes == NULL)
		err(1, NULL);
}

static uint32_t
variable(const struct runner *r, uint32_t scope, uint32_t id)
{
	uint32_t i;

	for (i = 0; i < r->script->nvariables; i++)
		if (r->script->variables[i].scope == scope &&
		    r->script->variables[i].id == id)
			return (i);
	errx(1, "no variable %" PRIu32 " of scope %" PRIu32, id, scope);
}

/* Returns the element with the machine's key, NULL if there is none. */
static struct cell *
element(struct runner *r, const struct tbuf_d_variable *v, bool make)
{
	const struct tbuf_buffer *key = &r->m.key;
	struct cell *e;

	for (e = r->elements; e < r->elements + r->nelements; e++)
		if (e->variable == v && e->key_size == key->used &&
		    memcmp(e->key, key->bytes, key->used) == 0)
			return (e->set || make ? e : NULL);
	if (!make || r->nelements == ELEMENTS || key->used > sizeof(e->key))
		return (NULL);
	r->nelements++;
	memcpy(e->key, key->bytes, key->used);
	e->key_size = key->used;
	cell_begin(e, v);
	return (e);
}

static struct cell *
find(struct tbuf_machine *m, enum tbuf_scope scope, uint32_t id, bool make)
{
	struct runner *r = runner(m);
	uint32_t n = variable(r, scope, id);

	return (scope >= TBUF_SCOPE_ARRAY ?
	    element(r, &r->script->variables[n], make) : &r->cells[n]);
}

static int
load(struct tbuf_machine *m, enum tbuf_scope scope, uint32_t id,
    uint64_t *value)
{
	const struct cell *cell = find(m, scope, id, false);

	*value = cell == NULL ? 0 : cell->number;
	return (0);
}

static int
store(struct tbuf_machine *m, enum tbuf_scope scope, uint32_t id,
    uint64_t value)
{
	struct cell *cell = find(m, scope, id, true);

	if (cell == NULL)
		return (TBUF_STOP);
	cell->number = value;
	cell->set = value != 0;
	return (0);
}

static uint64_t
cell_address(const struct runner *r, const struct cell *cell)
{
	const struct tbuf_d_variable *v = cell->variable;

	if (v->scope >= TBUF_SCOPE_ARRAY)
		return (tbuf_address(OBJECT_ELEMENT,
		    (uint32_t)(cell - r->elements), 0));
	return (tbuf_address(v->scope == TBUF_SCOPE_GLOBAL ?
	    TBUF_OBJECT_GLOBAL : v->scope == TBUF_SCOPE_CLAUSE ?
	    TBUF_OBJECT_CLAUSE : OBJECT_THREAD, v->id, 0));
}

static int
refer(struct tbuf_machine *m, enum tbuf_scope scope, uint32_t id,
    uint64_t *address)
{
	const struct cell *cell = find(m, scope, id, false);

	*address = 0;
	if (cell != NULL && (cell->set || (scope <= TBUF_SCOPE_CLAUSE &&
	    cell->variable->shape->kind != TBUF_KIND_TEXT)))
		*address = cell_address(runner(m), cell);
	return (0);
}

static int
store_bytes(struct tbuf_machine *m, enum tbuf_scope scope, uint32_t id,
    const uint8_t *bytes, uint32_t size)
{
	struct cell *cell = find(m, scope, id, true);

	if (cell == NULL)
		return (TBUF_STOP);
	if (size > cell->room)
		errx(1, "%s: %" PRIu32 " bytes for %" PRIu32,
		    cell->variable->name, size, cell->room);
	cell->set = bytes != NULL;
	if (size != 0)
		memmove(cell->bytes, bytes, size);
	memset(cell->bytes + size, 0, cell->room - size);
	return (0);
}

static int
object(struct tbuf_machine *m, unsigned kind, uint32_t index,
    struct tbuf_span *span)
{
	static char texts[TBUF_BUILTIN_END][16] = {
		[TBUF_BUILTIN_EXECNAME] = "kvd",
		[TBUF_BUILTIN_EXECARGS] = "kvd -p 7",
		[TBUF_BUILTIN_PROBEPROV] = "kv",
		[TBUF_BUILTIN_PROBEFUNC] = "lookup",
		[TBUF_BUILTIN_PROBENAME] = "request"
	};
	struct runner *r = runner(m);
	struct cell *cell;

	if (kind == TBUF_OBJECT_BUILTIN && index < TBUF_BUILTIN_END) {
		span->at = (uint8_t *)texts[index];
		span->size = sizeof(texts[index]);
		return (0);
	}
	if (kind == OBJECT_ELEMENT) {
		if (index >= r->nelements)
			return (TBUF_FAULT_ADDRESS);
		cell = &r->elements[index];
	} else {
		for (cell = r->cells; cell < r->cells +
		    r->script->nvariables; cell++)
			if ((cell_address(r, cell) ^
			    tbuf_address(kind, index, 0)) == 0)
				break;
		if (cell == r->cells + r->script->nvariables)
			return (TBUF_FAULT_ADDRESS);
	}
	span->at = cell->bytes;
	span->size = cell->room;
	span->writable = true;
	return (0);
}

/* ------------------------------------------------------------ others */

static int
builtin(struct tbuf_machine *m, unsigned which, uint64_t *value)
{
#define TEXT(number, NAME, name, text)	[number] = text,
	static const uint8_t is_text[] = { TBUF_BUILTINS(TEXT) };

	(void)m;
	*value = which < TBUF_BUILTIN_END && is_text[which] ?
	    tbuf_address(TBUF_OBJECT_BUILTIN, which, 0) : 1000u + which;
	return (0);
}

/* Memory of the imaginary program: a text, and numbers from 0x1040 on. */
#define MEMORY		0x1000u

static int
copyin(struct tbuf_machine *m, uint64_t address, uint8_t *to, uint64_t size)
{
	uint8_t memory[256] = "program's own";
	unsigned i;

	(void)m;
	for (i = 64; i < sizeof(memory); i++)
		memory[i] = (uint8_t)i;
	if (address < MEMORY || address - MEMORY > sizeof(memory) ||
	    size > sizeof(memory) - (address - MEMORY))
		return (TBUF_FAULT_ADDRESS);
	memcpy(to, memory + (address - MEMORY), size);
	return (0);
}

static int
copyout(struct tbuf_machine *m, uint64_t address, const uint8_t *from,
    uint64_t size)
{
	fprintf(runner(m)->out, "  copyout %#" PRIx64 " %.*s\n", address,
	    (int)size, (const char *)from);
	return (0);
}

static void
bytes(const uint8_t *at, uint32_t size, FILE *out)
{
	uint32_t i;

	for (i = 0; i < size; i++)
		fprintf(out, "%02x", at[i]);
}

/* Prints a text and returns the offset after it. */
static uint32_t
text(const uint8_t *data, uint32_t at, FILE *out)
{
	uint16_t word;

	at = (at + 1) & ~1u;
	memcpy(&word, data + at, sizeof(word));
	at += sizeof(word);
	if (word == TBUF_TEXT_NULL) {
		fputs("NULL", out);
		return (at);
	}
	fprintf(out, "\"%.*s\"", (int)word, (const char *)data + at);
	return (at + word);
}

static uint32_t
number(const uint8_t *data, uint32_t at, const struct tbuf_d_shape *shape,
    FILE *out)
{
	uint64_t value;
	double real;

	at = (at + 7) & ~7u;
	memcpy(&value, data + at, sizeof(value));
	memcpy(&real, data + at, sizeof(real));
	if (shape->kind == TBUF_KIND_FLOAT)
		fprintf(out, "%g", real);
	else if (shape->is_signed)
		fprintf(out, "%" PRId64, (int64_t)value);
	else
		fprintf(out, "%" PRIu64, value);
	return (at + 8);
}

static uint32_t
piece(const struct runner *r, const struct tbuf_d_piece *p,
    const uint8_t *data, uint32_t at, FILE *out)
{
	static const struct tbuf_d_shape real = { .kind = TBUF_KIND_FLOAT };
	unsigned n = p->argument - TBUF_SELECT_NAME;

	switch (p->kind) {
	case TBUF_PIECE_TEXT:
		return (text(data, at, out));
	case TBUF_PIECE_BYTES:
		bytes(data + at, p->bytes, out);
		return (at + p->bytes);
	case TBUF_PIECE_STACK:
		return (text(data, at, out));
	case TBUF_PIECE_INTEGER:
		return (number(data, at, p->shape, out));
	case TBUF_PIECE_ARGUMENT:
		n = (p->argument & TBUF_SELECT_NAME) == 0 ? p->argument :
		    (unsigned)(r->m.binding >> 4 * n) & 15;
		if (r->types[n] == TBUF_STRING)
			return (text(data, at, out));
		return (number(data, at, r->types[n] == TBUF_DOUBLE ? &real :
		    p->shape, out));
	}
	return (at);
}

static uint32_t
pieces(const struct runner *r, const struct tbuf_d_piece *p, uint32_t count,
    const uint8_t *data, uint32_t at)
{
	for (; count > 0; count--, p++) {
		fputc(' ', r->out);
		at = piece(r, p, data, at, r->out);
	}
	return (at);
}

/* ------------------------------------------------------------ effects */

static const char *const actions[] = {
	"trace", "tracemem", "print", "printf", "printa", "system", "freopen",
	"ftruncate", "setopt", "exit", "clear", "trunc", "normalize",
	"denormalize", "ustack", "stack", "usym", "umod", "ufunc", "uaddr",
	"sym", "mod", "func", "commit", "aggregate", "record"
};

static const struct tbuf_d_aggregation *
aggregation(const struct runner *r, uint32_t id)
{
	uint32_t i;

	for (i = 0; i < r->script->naggregations; i++)
		if (r->script->aggregations[i].id == id)
			return (&r->script->aggregations[i]);
	errx(1, "no aggregation %" PRIu32, id);
}

static int
room(struct tbuf_machine *m, uint32_t record)
{
	if (record >= runner(m)->clause->nrecords)
		errx(1, "room for record %" PRIu32, record);
	return (0);
}

static void
quote(const char *s, FILE *out)
{
	fputs(" \"", out);
	for (; *s != '\0'; s++)
		if (*s == '\n')
			fputs("\\n", out);
		else
			fputc(*s, out);
	fputc('"', out);
}

static int
emit(struct tbuf_machine *m, uint32_t record)
{
	const struct runner *r = runner(m);
	const struct tbuf_d_record *layout = &r->clause->records[record];
	const struct tbuf_d_action *a;
	uint32_t at = 0, i, n;

	fprintf(r->out, "  record %" PRIu32 "\n", record);
	for (n = 0; n < layout->nactions; n++) {
		a = &layout->actions[n];
		fprintf(r->out, "    %s", actions[a->kind]);
		if (a->pointer)
			fputs(" *", r->out);
		if (a->format != NULL)
			quote(a->format, r->out);
		for (i = 0; i < a->naggregations; i++)
			fprintf(r->out, " @%s",
			    aggregation(r, a->aggregations[i])->name);
		if (a->count != 0)
			at = pieces(r, layout->pieces + a->first, a->count,
			    m->record.bytes, at);
		fputc('\n', r->out);
	}
	if (((at + 7) & ~7u) != m->record.used || m->record.used >
	    layout->bytes)
		errx(1, "a record of %" PRIu32 " bytes, %" PRIu32
		    " laid out, %" PRIu32 " at most", m->record.used, at,
		    layout->bytes);
	return (0);
}

static int
update(struct tbuf_machine *m, const struct tbuf_update *u)
{
	static const char *const functions[] = {
		"count", "sum", "min", "max", "avg", "stddev", "quantize",
		"lquantize", "llquantize"
	};
	const struct runner *r = runner(m);
	const struct tbuf_d_aggregation *a = aggregation(r, u->aggregation);

	if (u->function != a->function || (u->function >= TBUF_AGG_LQUANTIZE &&
	    u->parameter != a->parameter))
		errx(1, "@%s is updated as another one", a->name);
	fprintf(r->out, "  @%s[", a->name);
	pieces(r, a->keys, a->nkeys, m->key.bytes, 0);
	fprintf(r->out, " ] = %s", functions[u->function]);
	if (u->function != TBUF_AGG_COUNT)
		fprintf(r->out, " %" PRId64, (int64_t)u->value);
	if (u->function >= TBUF_AGG_QUANTIZE)
		fprintf(r->out, " x %" PRId64, (int64_t)u->weight);
	if (u->function >= TBUF_AGG_LQUANTIZE)
		fprintf(r->out, " by %#" PRIx64, u->parameter);
	fputc('\n', r->out);
	return (0);
}

#define NOTED(name, word)						\
static int								\
name(struct tbuf_machine *m, uint64_t value)				\
{									\
	fprintf(runner(m)->out, "  %s %" PRId64 "\n", word,		\
	    (int64_t)value);						\
	return (0);							\
}
NOTED(leave, "exit")
NOTED(speculate, "speculate")
NOTED(commit, "commit")
NOTED(discard, "discard")

static int
snapshot(struct tbuf_machine *m)
{
	fprintf(runner(m)->out, "  snapshot\n");
	return (0);
}

static int
speculation(struct tbuf_machine *m, uint64_t *id)
{
	(void)m;
	*id = 1;
	return (0);
}

static int
call(struct tbuf_machine *m, unsigned subroutine, const uint64_t *arguments,
    unsigned count, uint64_t *result)
{
	fprintf(runner(m)->out, "  call %u", subroutine);
	if (count > 0)
		fprintf(runner(m)->out, " %" PRId64, (int64_t)arguments[0]);
	fputc('\n', runner(m)->out);
	*result = 77;
	return (0);
}

static const struct tbuf_surroundings surroundings = {
	.builtin = builtin, .object = object, .load = load, .store = store,
	.refer = refer, .store_text = store_bytes, .store_bytes = store_bytes,
	.copyin = copyin, .copyout = copyout, .room = room, .emit = emit,
	.update = update, .exit = leave, .speculation = speculation,
	.speculate = speculate, .commit = commit, .discard = discard,
	.snapshot = snapshot,
	.call = call
};

/* ------------------------------------------------------------ runs */

static struct tbuf_buffer
lend(uint32_t size)
{
	struct tbuf_buffer buffer = { calloc(1, size), size, 0 };

	if (buffer.bytes == NULL)
		err(1, NULL);
	return (buffer);
}

static void
runner_begin(struct runner *r, const struct tbuf_d_script *script, FILE *out)
{
	static const double load_average = 1.5;
	uint32_t i;

	memset(r, 0, sizeof(*r));
	r->script = script;
	r->out = out;
	r->cells = calloc(script->nvariables + 1u, sizeof(*r->cells));
	if (r->cells == NULL)
		err(1, NULL);
	for (i = 0; i < script->nvariables; i++)
		cell_begin(&r->cells[i], &script->variables[i]);
	r->values[0] = (uint64_t)INT64_C(-5);
	r->types[0] = TBUF_INT64;
	r->values[1] = (uint64_t)(uintptr_t)"/usr/lib";
	r->types[1] = TBUF_STRING;
	r->values[2] = 4096;
	r->types[2] = TBUF_UINT64;
	memcpy(&r->values[3], &load_average, sizeof(load_average));
	r->types[3] = TBUF_DOUBLE;
	r->m.values = r->values;
	r->m.types = r->types;
	r->m.nargs = 4;
	r->m.strsize = STRSIZE;
	r->m.surroundings = &surroundings;
	r->m.scratch = lend(1024);
	r->m.temporary = lend(8192);
	r->m.key = lend(4096);
	r->m.record = lend(1 << 16);
	r->m.token = lend(STRSIZE + 1);
	r->m.token_at = TBUF_TOKEN_NONE;
}

static void
runner_end(struct runner *r)
{
	uint32_t i;

	for (i = 0; i < r->script->nvariables; i++)
		free(r->cells[i].bytes);
	for (i = 0; i < r->nelements; i++)
		free(r->elements[i].bytes);
	free(r->cells);
	free(r->m.scratch.bytes);
	free(r->m.temporary.bytes);
	free(r->m.key.bytes);
	free(r->m.record.bytes);
	free(r->m.token.bytes);
}

/* Binds the clause's argument names; returns false for an unknown name. */
static bool
bind(struct runner *r)
{
	static const char *const names[] = { "id", "path", "bytes", "load" };
	uint32_t i, n;

	r->m.binding = 0;
	for (i = 0; i < r->clause->nnames; i++) {
		for (n = 0; n < 4; n++)
			if (strcmp(r->clause->names[i], names[n]) == 0)
				break;
		if (n == 4)
			return (false);
		r->m.binding |= (uint64_t)n << 4 * i;
	}
	return (true);
}

/* Returns the program for the classes of the arguments. */
static const struct tbuf_d_program *
choose(const struct runner *r)
{
	static const uint8_t classes[] = {
		TBUF_CLASS_INTEGER, TBUF_CLASS_TEXT, TBUF_CLASS_UNSIGNED,
		TBUF_CLASS_FLOAT
	};
	const struct tbuf_d_clause *c = r->clause;
	uint32_t i, n;

	for (i = 0; i < c->nprograms; i++) {
		for (n = 0; n < c->nnames; n++)
			if ((c->programs[i].classes[n] & classes[r->m.binding
			    >> 4 * n & 15]) == 0)
				break;
		if (n == c->nnames)
			return (&c->programs[i]);
	}
	return (NULL);
}

static bool
verify(const struct runner *r, const struct tbuf_d_program *program)
{
	const struct tbuf_d_variable *v = r->script->variables;
	struct tbuf_program p = {
		.code = program->code, .length = program->length,
		.constants = program->constants,
		.constants_size = program->constants_size,
		.length_max = TBUF_CONSUMER_WORDS,
		.names = r->clause->nnames, .records = r->clause->nrecords,
		.aggregations = r->script->naggregations
	};
	const char *wrong;
	uint32_t at, i;

	for (i = 0; i < r->script->nvariables; i++, v++)
		if (v->id >= p.variables[v->scope])
			p.variables[v->scope] = v->id + 1;
	wrong = tbuf_program_check(&p, &at);
	if (wrong != NULL)
		fprintf(r->out, "  verifier: %s at %" PRIu32 "\n", wrong, at);
	return (wrong == NULL);
}

/*
 * Returns the action at a word of a program; each program has nplaces places.
 */
static uint32_t
action_at(const struct tbuf_d_clause *clause,
    const struct tbuf_d_program *program, uint32_t at)
{
	const struct tbuf_d_place *p = &clause->places[(size_t)(program -
	    clause->programs) * clause->nplaces];
	uint32_t i, action = 0;

	for (i = 0; i < clause->nplaces && p[i].at <= at; i++)
		action = p[i].action;
	return (action);
}

/* Returns true for operations that may be illegal because of a value. */
static bool
may_refuse(uint64_t word)
{
	if (tbuf_word_operation(word) != TBUF_OP_CALL)
		return (false);
	switch (tbuf_word_immediate(word)) {
	case TBUF_SUB_STRTOLL:
	case TBUF_SUB_LLTOSTR:
	case TBUF_SUB_INET_NTOP:
	case TBUF_SUB_LINK_NTOP:
		return (true);
	default:
		return (false);
	}
}

static bool
run_program(struct runner *r, const struct tbuf_d_program *program)
{
	struct tbuf_machine *m = &r->m;
	enum tbuf_end end;

	m->code = program->code;
	m->length = program->length;
	m->constants = program->constants;
	m->constants_size = program->constants_size;
	m->scratch.used = 0;
	m->fuel = UINT64_C(1) << 24;
	end = tbuf_machine_run(m);
	if (end == TBUF_END_STOPPED)
		fputs("  stopped\n", r->out);
	if (end == TBUF_END_FAULT)
		fprintf(r->out, "  fault %s (%#" PRIx64 ") in action %" PRIu32
		    "\n", tbuf_fault_name(m->fault.number), m->fault.address,
		    action_at(r->clause, program, m->fault.at));
	return (end != TBUF_END_FAULT || m->fault.number !=
	    TBUF_FAULT_ILLEGAL || may_refuse(m->code[m->fault.at]));
}

bool
runner_run(const struct tbuf_d_script *script, FILE *out)
{
	const struct tbuf_d_program *program;
	struct runner r;
	bool good = true;
	uint32_t i, j;

	runner_begin(&r, script, out);
	for (i = 0; i < script->nclauses; i++) {
		r.clause = &script->clauses[i];
		fprintf(out, "clause %" PRIu32, i + 1);
		if (r.clause->nprograms > 1)
			fprintf(out, ", %" PRIu32 " programs",
			    r.clause->nprograms);
		if (r.clause->nprograms == 1 && r.clause->nnames != 0) {
			fputs(" for", out);
			for (j = 0; j < r.clause->nnames; j++)
				fprintf(out, " %s %x", r.clause->names[j],
				    r.clause->programs[0].classes[j]);
		}
		fputc('\n', out);
		for (j = 0; j < r.clause->nprograms; j++)
			good = verify(&r, &r.clause->programs[j]) && good;
		if ((r.clause->flags & TBUF_CLAUSE_DEFAULT) != 0)
			fputs("  default\n", out);
		else if (!bind(&r) || (program = choose(&r)) == NULL)
			fputs("  no program\n", out);
		else if (good)
			good = run_program(&r, program);
	}
	runner_end(&r);
	return (good);
}
