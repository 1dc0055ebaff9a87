/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Generates a command's script from the trees of its sources.
 */
#include <string.h>

#include "generate.h"
#include "tree/errors.h"

/* --- clauses -------------------------------------------------------------- */

/*
 * Returns a description's text, also with the provider's second name, and with
 * the other descriptions that it means.
 */
static const char *
description_text(struct d_compiler *c, const struct d_node *node)
{
	const struct d_description *d = node->description;
	const char *text;

	text = d_format(c, "%s:%s:%s", d->field[D_FIELD_MODULE],
	    d->field[D_FIELD_FUNCTION], d->field[D_FIELD_NAME]);
	if (d->bare != NULL)
		text = d_format(c, "%s,%s:%s", text, d->bare, text);
	text = d_format(c, "%s:%s", d->field[D_FIELD_PROVIDER], text);
	while ((d = d->others) != NULL)
		text = d_format(c, "%s,%s:%s:%s:%s", text,
		    d->field[D_FIELD_PROVIDER], d->field[D_FIELD_MODULE],
		    d->field[D_FIELD_FUNCTION], d->field[D_FIELD_NAME]);
	return (d_format(c, "%s%s", text, node->text == NULL ? "" :
	    node->text));
}

static void
fill_descriptions(struct generator *g, struct tbuf_d_clause *clause)
{
	const struct d_node *one = g->clause->descriptions;
	const char **texts = d_allocate(g->c, d_node_count(one) *
	    sizeof(*texts));

	clause->descriptions = texts;
	for (; one != NULL; one = one->next)
		texts[clause->ndescriptions++] = description_text(g->c, one);
}

static void
fill_names(struct generator *g, struct tbuf_d_clause *clause)
{
	const char **names = d_allocate(g->c, (g->nnames + 1) *
	    sizeof(*names));
	uint32_t i;

	for (i = 0; i < g->nnames; i++)
		names[i] = g->names[i]->name;
	clause->names = names;
	clause->nnames = g->nnames;
}

/* Keeps the clause's tree for d_explain(). */
static void
keep(struct generator *g, struct d_node *node, const struct d_node *source)
{
	struct generated *one = d_growing_add(g->c, &g->generated,
	    sizeof(*one));

	one->clause = node;
	one->source = source;
	one->program = g->c->error->program;
	one->names = d_allocate(g->c, (g->nnames + 1) * sizeof(g->names[0]));
	memcpy(one->names, g->names, g->nnames * sizeof(g->names[0]));
	one->nnames = g->nnames;
}

static void
fill_programs(struct generator *g, struct d_node *node,
    struct tbuf_d_clause *clause)
{
	struct choices choices = { .nplaces = 0 };

	d_choices(g, node, &choices);
	clause->programs = choices.programs.at;
	clause->nprograms = choices.programs.count;
	clause->places = choices.places.at;
	clause->nplaces = choices.nplaces;
	clause->records = choices.records.at;
	clause->nrecords = choices.records.count;
}

static void
generate_clause(struct generator *g, struct d_node *node)
{
	struct tbuf_d_clause *clause = d_growing_add(g->c, &g->clauses,
	    sizeof(*clause));

	g->clause = node;
	if (g->first_if == NULL && d_has_if(node->arguments))
		g->first_if = node;
	g->flags = 0;
	g->nnames = 0;
	clause->line = node->line;
	fill_descriptions(g, clause);
	if (node->condition == NULL && node->arguments == NULL)
		g->flags = TBUF_CLAUSE_DEFAULT;
	else
		fill_programs(g, node, clause);
	fill_names(g, clause);
	clause->flags = g->flags;
}

/* --- scripts -------------------------------------------------------------- */

static void
generate_source(struct generator *g, const struct d_node *program)
{
	struct d_node *one;

	d_origin(g->c, program);
	for (one = program->arguments; one != NULL; one = one->next)
		if (one->kind == NODE_CLAUSE) {
			generate_clause(g, one);
			keep(g, one, program);
		}
}

const char *
d_destructive(const struct d_compiler *c)
{
	return (c->destructive);
}

const struct tbuf_d_script *
d_generate(struct d_compiler *c, struct d_node *const *programs,
    unsigned nprograms, struct d_error *error)
{
	struct generator g = { .c = c };
	struct tbuf_d_script *script;
	jmp_buf escape;
	unsigned i;

	g.last_variable = &g.variables;
	c->scripts++;
	c->error = error;
	c->escape = &escape;
	if (setjmp(escape) != 0) {
		c->escape = NULL;
		return (NULL);
	}
	for (i = 0; i < nprograms; i++) {
		error->program = i;
		generate_source(&g, programs[i]);
	}
	script = d_allocate(c, sizeof(*script));
	script->clauses = g.clauses.at;
	script->nclauses = g.clauses.count;
	c->generated = g.generated.at;
	d_storage_end(&g, script);
	c->escape = NULL;
	return (script);
}
