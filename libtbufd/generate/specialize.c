/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Programs for the possible classes of a clause's named arguments.
 *
 * The clause is checked and generated again for each class of each argument,
 * while the others keep their class.  Classes that make the same program form a
 * group; then each combination of groups makes a program, unless it is an
 * error.
 */
#include <string.h>

#include "generate.h"
#include "tree/errors.h"

#define PROGRAMS_MAX	64	/* of a clause */
#define TRIES_MAX	4096	/* combinations that are tried */
#define CLASSES		4

static const uint8_t classes[CLASSES] = {
	TBUF_CLASS_INTEGER, TBUF_CLASS_UNSIGNED, TBUF_CLASS_FLOAT,
	TBUF_CLASS_TEXT,
};

/* A program that was not added to the clause yet. */
struct candidate {
	struct tbuf_d_program program;
	struct growing places, records;
};

/* Classes of an argument with one program; `class` stands for all of `mask`. */
struct group {
	uint8_t mask, class;
	struct candidate candidate;
};

struct groups {
	struct group group[CLASSES];
	unsigned count;
};

/* --- classes -------------------------------------------------------------- */

static uint8_t
class_of(const struct generator *g, const struct type *type)
{
	if (d_is_text(g, type))
		return (TBUF_CLASS_TEXT);
	if (d_type_is_float(type))
		return (TBUF_CLASS_FLOAT);
	return (d_type_is_signed(type) ? TBUF_CLASS_INTEGER :
	    TBUF_CLASS_UNSIGNED);
}

static struct type *
type_of(struct generator *g, const struct identifier *name, uint8_t class)
{
	switch (class) {
	case TBUF_CLASS_TEXT:
		return (g->c->types.type_string);
	case TBUF_CLASS_FLOAT:
		return (d_type_find(g->c, "double"));
	case TBUF_CLASS_UNSIGNED:
		return (name->pointer != NULL ? name->pointer :
		    g->c->types.type_uint64);
	default:
		return (g->c->types.type_int64);
	}
}

/* --- one program ---------------------------------------------------------- */

static void
generate(struct generator *g, struct candidate *candidate)
{
	d_code_begin(g);
	d_program(g);
	*candidate = (struct candidate){
		.program = {
			.code = g->code.at, .length = g->code.count,
			.constants = g->constants.at,
			.constants_size = g->constants.count
		},
		.places = g->places, .records = g->used
	};
}

/*
 * Generates for the arguments' current types.  Returns false after an error,
 * which is stored in *why.
 */
static bool
try_or(struct generator *g, struct d_node *clause, struct candidate *candidate,
    struct d_error *why)
{
	jmp_buf *escape = g->c->escape, here;
	struct d_error *error = g->c->error;

	if (setjmp(here) != 0) {
		g->c->escape = escape;
		g->c->error = error;
		g->c->region = NULL;
		return (false);
	}
	g->c->escape = &here;
	g->c->error = why;
	d_check_again(g->c, clause);
	generate(g, candidate);
	g->c->escape = escape;
	g->c->error = error;
	return (true);
}

static bool
try(struct generator *g, struct d_node *clause, struct candidate *candidate)
{
	struct d_error unused;

	return (try_or(g, clause, candidate, &unused));
}

static bool
same_actions(const struct tbuf_d_record *a, const struct tbuf_d_record *b)
{
	const struct tbuf_d_action *x = a->actions, *y = b->actions;
	uint32_t i;

	for (i = 0; i < a->nactions; i++)
		if (x[i].kind != y[i].kind || x[i].first != y[i].first ||
		    x[i].count != y[i].count || x[i].pointer != y[i].pointer)
			return (false);
	return (true);
}

static bool
same_record(const struct tbuf_d_record *a, const struct tbuf_d_record *b)
{
	const struct tbuf_d_piece *x = a->pieces, *y = b->pieces;
	uint32_t i;

	if (a->nactions != b->nactions || a->npieces != b->npieces ||
	    a->bytes != b->bytes || a->charge != b->charge)
		return (false);
	for (i = 0; i < a->npieces; i++)
		if (x[i].kind != y[i].kind || x[i].bytes != y[i].bytes ||
		    x[i].argument != y[i].argument || x[i].shape != y[i].shape)
			return (false);
	return (same_actions(a, b));
}

static bool
same(const struct candidate *a, const struct candidate *b)
{
	const struct tbuf_d_program *x = &a->program, *y = &b->program;
	const struct tbuf_d_record *p = a->records.at, *q = b->records.at;
	uint32_t i;

	if (x->length != y->length || x->constants_size != y->constants_size ||
	    a->records.count != b->records.count ||
	    a->places.count != b->places.count)
		return (false);
	for (i = 0; i < a->records.count; i++)
		if (!same_record(&p[i], &q[i]))
			return (false);
	return ((x->length == 0 || memcmp(x->code, y->code,
	    x->length * sizeof(*x->code)) == 0) && (x->constants_size == 0 ||
	    memcmp(x->constants, y->constants, x->constants_size) == 0));
}

/* --- groups --------------------------------------------------------------- */

static void
join(struct groups *groups, const struct candidate *candidate, uint8_t class)
{
	struct group *one = groups->group;
	struct group *end = one + groups->count;

	for (; one < end; one++)
		if (same(&one->candidate, candidate)) {
			one->mask |= class;
			return;
		}
	*one = (struct group){ class, class, *candidate };
	groups->count++;
}

/* Finds an argument's groups; the other arguments keep their classes. */
static void
find_groups(struct generator *g, struct d_node *clause,
    const struct candidate *base, unsigned name, struct groups *groups)
{
	struct type *type = g->names[name]->type;
	uint8_t found = class_of(g, type);
	struct candidate candidate;
	unsigned i;

	join(groups, base, found);
	for (i = 0; i < CLASSES; i++) {
		if (classes[i] == found)
			continue;
		g->names[name]->type = type_of(g, g->names[name],
		    classes[i]);
		if (try(g, clause, &candidate))
			join(groups, &candidate, classes[i]);
	}
	g->names[name]->type = type;
}

/* --- the clause ----------------------------------------------------------- */

static bool
has_records(const struct choices *choices, const struct growing *records,
    uint32_t at)
{
	const struct tbuf_d_record *all = choices->records.at;
	const struct tbuf_d_record *wanted = records->at;
	uint32_t i;

	for (i = 0; i < records->count; i++)
		if (!same_record(&all[at + i], &wanted[i]))
			return (false);
	return (true);
}

/* Returns the index of records in the list, to which they are added if new. */
static uint32_t
add_records(struct generator *g, const struct growing *records,
    struct choices *to)
{
	const struct tbuf_d_record *from = records->at;
	uint32_t first, i;

	for (first = 0; first + records->count <= to->records.count; first++)
		if (has_records(to, records, first))
			return (first);
	first = to->records.count;
	for (i = 0; i < records->count; i++)
		*(struct tbuf_d_record *)d_growing_add(g->c, &to->records,
		    sizeof(*from)) = from[i];
	return (first);
}

static void
add_program(struct generator *g, const struct candidate *candidate,
    struct choices *to)
{
	struct tbuf_d_program *program;
	const uint64_t *code = candidate->program.code;
	uint32_t i, first = add_records(g, &candidate->records, to);
	uint64_t *copy = d_allocate(g->c, candidate->program.length *
	    sizeof(*copy) + 1);

	for (i = 0; i < candidate->program.length; i++) {
		copy[i] = code[i];
		if (tbuf_word_operation(code[i]) == TBUF_OP_ROOM ||
		    tbuf_word_operation(code[i]) == TBUF_OP_EMIT)
			copy[i] += (uint64_t)first << 32;
	}
	program = d_growing_add(g->c, &to->programs, sizeof(*program));
	*program = candidate->program;
	program->code = copy;
}

/* Adds a program's places; all programs have the same number of them. */
static void
add_places(struct generator *g, const struct candidate *candidate,
    struct choices *to)
{
	const struct tbuf_d_place *from = candidate->places.at;
	struct tbuf_d_place *place;
	uint32_t i, last = candidate->places.count - 1;

	if (to->nplaces == 0)
		to->nplaces = candidate->places.count;
	for (i = 0; i < to->nplaces && candidate->places.count != 0; i++) {
		place = d_growing_add(g->c, &to->places, sizeof(*place));
		*place = from[i < last ? i : last];
	}
}

static struct tbuf_d_program *
add(struct generator *g, const struct candidate *candidate,
    struct choices *to)
{
	struct tbuf_d_program *all;

	if (to->programs.count == PROGRAMS_MAX)
		d_fail_at(g->c, g->clause, D_CG_EXPR, "clause would have more "
		    "than %u programs for the types of its arguments",
		    PROGRAMS_MAX);
	add_program(g, candidate, to);
	add_places(g, candidate, to);
	all = to->programs.at;
	return (&all[to->programs.count - 1]);
}

/* Moves to the next combination; false after the last one. */
static bool
next(const struct groups *groups, unsigned count, unsigned *at)
{
	unsigned i;

	for (i = 0; i < count; i++) {
		if (++at[i] < groups[i].count)
			return (true);
		at[i] = 0;
	}
	return (false);
}

static void
combine(struct generator *g, struct d_node *clause,
    const struct groups *groups, struct choices *to)
{
	unsigned at[TBUF_D_NAMES_MAX] = { 0 }, tries = 0, i;
	const struct group *one;
	struct tbuf_d_program *program;
	struct candidate candidate;

	do {
		if (tries++ == TRIES_MAX)
			d_fail_at(g->c, g->clause, D_CG_EXPR, "clause has too "
			    "many choices of its arguments' types");
		for (i = 0; i < g->nnames; i++)
			g->names[i]->type = type_of(g, g->names[i],
			    groups[i].group[at[i]].class);
		if (!try(g, clause, &candidate))
			continue;
		program = add(g, &candidate, to);
		for (i = 0; i < g->nnames; i++) {
			one = &groups[i].group[at[i]];
			program->classes[i] = one->mask;
		}
	} while (next(groups, g->nnames, at));
}

void
d_choices(struct generator *g, struct d_node *clause, struct choices *to)
{
	struct groups groups[TBUF_D_NAMES_MAX];
	struct type *types[TBUF_D_NAMES_MAX];
	struct candidate base;
	unsigned i;

	generate(g, &base);
	if (g->nnames == 0) {
		add(g, &base, to);
		return;
	}
	for (i = 0; i < g->nnames; i++) {
		types[i] = g->names[i]->type;
		groups[i].count = 0;
		find_groups(g, clause, &base, i, &groups[i]);
	}
	combine(g, clause, groups, to);
	/* Restore the tree. */
	for (i = 0; i < g->nnames; i++)
		g->names[i]->type = types[i];
	try(g, clause, &base);
}

/* --- explanations --------------------------------------------------------- */

static uint8_t
mask_of(enum d_class class)
{
	switch (class) {
	case D_CLASS_UNSIGNED:
		return (TBUF_CLASS_UNSIGNED);
	case D_CLASS_FLOAT:
		return (TBUF_CLASS_FLOAT);
	case D_CLASS_TEXT:
		return (TBUF_CLASS_TEXT);
	default:
		return (TBUF_CLASS_INTEGER);
	}
}

bool
d_explain(struct d_compiler *c, uint32_t clause, const enum d_class *classes,
    struct d_error *error)
{
	const struct generated *one = &c->generated[clause];
	struct generator g = { .c = c, .clause = one->clause };
	struct type *types[TBUF_D_NAMES_MAX];
	struct candidate candidate;
	bool good;
	uint32_t i;

	g.last_variable = &g.variables;
	c->scripts++;
	d_origin(c, one->source);
	error->program = one->program;
	for (i = 0; i < one->nnames; i++) {
		types[i] = one->names[i]->type;
		if (classes[i] == D_CLASS_NONE)
			one->names[i]->flags |= IDENTIFIER_ABSENT;
		else
			one->names[i]->type = type_of(&g, one->names[i],
			    mask_of(classes[i]));
	}
	good = try_or(&g, one->clause, &candidate, error);
	for (i = 0; i < one->nnames; i++) {
		one->names[i]->flags &= ~(unsigned)IDENTIFIER_ABSENT;
		one->names[i]->type = types[i];
	}
	return (!good);
}
