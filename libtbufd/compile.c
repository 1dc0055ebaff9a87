/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compilation of a source to its tree.  An error jumps by longjmp to protect();
 * the code in between holds arena memory only.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "builtins.h"
#include "check.h"
#include "declare.h"
#include "grammar.h"
#include "tree/constant.h"
#include "tree/errors.h"
#include "tree/tree.h"

static void
open_tables(struct d_compiler *c)
{
	d_types_init(c);
	d_table_init(&c->globals);
	d_table_init(&c->called);
	d_table_init(&c->threads);
	d_table_init(&c->aggregations);
	d_builtins_init(c);
	d_predefined_init(c);
}

/* Runs a function that may fail by longjmp.  Returns false if it did. */
static bool
protect(struct d_compiler *c, void (*act)(struct d_compiler *))
{
	jmp_buf escape;

	c->escape = &escape;
	if (setjmp(escape) != 0) {
		c->escape = NULL;
		return (false);
	}
	act(c);
	c->escape = NULL;
	return (true);
}

void
d_close(struct d_compiler *c)
{
	arena_free(&c->arena);
	free(c);
}

/* Resets the state of the previous source. */
static void
begin(struct d_compiler *c)
{
	c->generation++;
	c->argument_used = d_allocate(c, (size_t)c->source->argc + 1);
	d_table_init(&c->locals);
	d_table_init(&c->names);
	d_table_init(&c->arguments);
	c->inner = NULL;
	c->file = c->region = NULL;
	c->line = 1;
	c->parentheses = c->brackets = c->braces = 0;
	c->include_depth = 0;
	c->tag_follows = c->member_follows = false;
	c->in_dimension = c->in_translator_input = false;
	c->before[0] = c->before[1] = 0;
	c->missed = NULL;
	c->module = NULL;
	c->declaration = NULL;
	c->root = NULL;
	c->pragmas = NULL;
	c->declared = NULL;
	c->description = NULL;
	c->descriptions = NULL;
	d_declare_push(c);
	d_lex_begin(c);
}

static void
parse(struct d_compiler *c)
{
	begin(c);
	if (c->source->length > INT_MAX / 2)
		d_fail(c, D_UNKNOWN, "program is too large");
	if (d_yyparse(c) != 0)
		d_fail(c, D_UNKNOWN, "program is nested too deeply");
}

/* A source's part of error messages, for passes that run after it is freed. */
struct origin {
	struct origin *next;
	const struct d_node *program;
	struct d_source source;
	const char *file;
};

static void
remember(struct d_compiler *c)
{
	struct origin *one = d_allocate(c, sizeof(*one));
	const char *name = c->source->name;

	one->next = c->origins;
	one->program = c->root;
	one->source.has_lines = c->source->has_lines;
	one->source.is_library = c->source->is_library;
	if (name != NULL)
		one->source.name = d_copy(c, name, strlen(name));
	one->file = c->file;
	c->origins = one;
}

void
d_origin(struct d_compiler *c, const struct d_node *program)
{
	const struct origin *one;

	for (one = c->origins; one != NULL; one = one->next)
		if (one->program == program) {
			c->source = &one->source;
			c->file = one->file;
		}
	c->region = NULL;
}

static void
compile(struct d_compiler *c)
{
	parse(c);
	remember(c);
	d_pragmas_used(c);
	d_arguments_used(c);
	if (c->root->arguments == NULL && !c->options->empty &&
	    !c->source->is_library)
		d_fail(c, D_EMPTY, "empty D program translation unit");
	d_check_program(c, c->root);
}

static struct d_node *
run(struct d_compiler *c, const struct d_source *source, struct d_error *error,
    void (*act)(struct d_compiler *))
{
	c->source = source;
	c->error = error;
	return (protect(c, act) ? c->root : NULL);
}

struct d_node *
d_compile(struct d_compiler *c, const struct d_source *source,
    struct d_error *error)
{
	return (run(c, source, error, compile));
}

struct d_node *
d_parse(struct d_compiler *c, const struct d_source *source,
    struct d_error *error)
{
	return (run(c, source, error, parse));
}

/* Marks the types after number `last` as weak. */
static void
weaken(struct d_compiler *c, unsigned last)
{
	struct type *one;

	for (one = c->types.first; one != NULL; one = one->next)
		one->weak = one->number > last;
}

/* Adds the names that every program knows, then the declarations in D. */
struct d_compiler *
d_open(const struct d_options *options)
{
	struct d_source prelude = {
		.text = d_prelude, .length = strlen(d_prelude),
		.is_library = true, .is_script = true, .has_lines = true,
		.name = "prelude",
		.field = D_FIELD_NAME,
	};
	struct d_compiler *c = calloc(1, sizeof(*c));
	struct d_error error;
	unsigned last;

	if (c == NULL)
		return (NULL);
	c->options = options;
	c->error = &error;
	c->source = &prelude;
	if (!protect(c, open_tables) ||
	    d_compile(c, &prelude, &error) == NULL) {
		d_close(c);
		return (NULL);
	}
	last = c->types.count;
	prelude.text = d_kernel;
	prelude.length = strlen(d_kernel);
	if (d_compile(c, &prelude, &error) == NULL) {
		d_close(c);
		return (NULL);
	}
	weaken(c, last);
	c->types.own = c->types.count + 1;
	return (c);
}
