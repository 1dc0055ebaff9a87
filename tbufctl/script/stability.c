/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Prints stability as DTrace does; with -e, also the descriptions of clauses.
 */
#include <string.h>

#include "base/output.h"
#include "compile.h"
#include "options/command_line.h"
#include "tbufd.h"

static void
put(struct output *out, const char *kind, const struct d_stability *s)
{
	output_printf(out, "\n\tMinimum %s Attributes\n", kind);
	output_printf(out, "\t\tIdentifier Names: %s\n",
	    d_stability_level(s->name));
	output_printf(out, "\t\tData Semantics:   %s\n",
	    d_stability_level(s->data));
	output_printf(out, "\t\tDependency Class: %s\n",
	    d_stability_class(s->class));
}

static void
put_descriptions(struct output *out, const struct d_node *program)
{
	const struct d_description *d;
	unsigned i, parts;

	for (i = 0; (d = d_program_description(program, i, &parts)) != NULL;
	    i++)
		output_printf(out, "\n%s:%s:%s:%s\n", d->field[0],
		    d->field[1], d->field[2], d->field[3]);
}

/* Prints one program, called by its description if it is no script. */
static void
put_program(struct output *out, const struct compiled *c,
    const struct description *program, const struct d_node *tree)
{
	bool is_script = program->flag == 's';
	struct d_stability descriptions, statements;

	d_program_stability(tree, &descriptions, &statements);
	output_printf(out, "\nStability attributes for %s %.*s:\n",
	    is_script ? "script" : "description", (int)(is_script ?
	    strlen(program->text) : strcspn(program->text, "{/;")),
	    program->text);
	put(out, "Probe Description", &descriptions);
	put(out, "Statement", &statements);
	if (c->options->d.compile_only)
		put_descriptions(out, tree);
	else
		output_printf(out, "\n");
}

void
stability_print(const struct compiled *c, struct output *out)
{
	const struct program *p = &c->options->program;
	size_t i;

	for (i = 0; i < p->count; i++)
		if (c->programs[i] != NULL)
			put_program(out, c, &p->all[i], c->programs[i]);
}
