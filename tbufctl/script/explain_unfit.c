/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reports clauses that do not fit probes with types that were not known before
 * the run.
 */
#include <stdlib.h>
#include <string.h>

#include "base/messages.h"
#include "base/string_list.h"
#include "compile.h"
#include "options/command_line.h"

/* Probes of a clause, with different arguments, that are listed. */
#define LISTED_MAX	3

/* The probes that a clause matches. */
struct fitted {
	bool fits;			/* it fits one of them */
	const struct tbuf_probe_info *first;	/* that it does not fit */
	struct words probes;		/* such probes, and their arguments */
	struct words arguments;
	size_t more;			/* probes with further arguments */
};

static int
add(void *arg, unsigned clause, const struct tbuf_probe_info *probe, bool fits)
{
	struct fitted *f = (struct fitted *)arg + clause;
	char *list;

	if (fits) {
		f->fits = true;
		return (0);
	}
	if (f->first == NULL)
		f->first = probe;
	list = explain_list(probe);
	if (!words_have(&f->arguments, list)) {
		if (f->probes.count == LISTED_MAX)
			f->more++;
		else {
			words_add(&f->arguments, "%s", list);
			words_add(&f->probes, "%s:%s:%s:%s", probe->provider,
			    probe->module, probe->function, probe->name);
		}
	}
	free(list);
	return (0);
}

static struct fitted *
fitted_get(struct compiled *c)
{
	size_t n = c->script->nclauses + 1u;
	struct fitted *all = memory_get(NULL, n, sizeof(*all));

	memset(all, 0, n * sizeof(*all));
	(void)tbuf_consumer_fits(c->known.consumer, add, all);
	return (all);
}

static void
fitted_free(struct compiled *c, struct fitted *all)
{
	uint32_t i;

	for (i = 0; i < c->script->nclauses; i++) {
		words_free(&all[i].probes);
		words_free(&all[i].arguments);
	}
	free(all);
}

static enum d_class
argument_class(const struct tbuf_probe_info *probe, const char *name)
{
	unsigned i;

	for (i = 0; i < probe->nargs; i++)
		if (strcmp(probe->argnames[i], name) == 0)
			return (known_class(probe->types[i]));
	return (D_CLASS_NONE);
}

/* Explains the error if the module of a description is in no known file. */
static void
tell_module(struct compiled *c, const char *description)
{
	char *copy = memory_string(description);
	struct d_description d;

	known_split(copy, &d);
	explain_module(c, &d);
	free(copy);
}

static char *
error_text(struct compiled *c, const struct d_error *error)
{
	char *text = NULL;
	size_t size;
	FILE *out;

	if ((out = open_memstream(&text, &size)) == NULL)
		exit(fail(MSG_MEMORY));
	d_error_print(error, c->options->d.errtags, out);
	(void)fclose(out);
	return (text);
}

/* Lists arguments of the probes of a clause that fits none of its probes. */
static void
tell_arguments(struct compiled *c, const struct fitted *f,
    const struct d_error *error)
{
	char *near = hint_argument(c, error, f->first);
	size_t i;

	if (near != NULL)
		message(MSG_HINT, near);
	free(near);
	for (i = 0; i < f->probes.count; i++)
		message(MSG_ARGUMENTS, f->probes.all[i], f->arguments.all[i]);
	if (f->more != 0)
		message(MSG_UNFIT_MORE, f->more, PLURAL(f->more));
}

/* One line is enough for a clause that fits others of its probes. */
static void
tell_clause(struct compiled *c, uint32_t n, const struct fitted *f)
{
	const struct tbuf_d_clause *clause = &c->script->clauses[n];
	enum d_class classes[TBUF_D_NAMES_MAX];
	struct d_error error;
	char *why;
	uint32_t i;

	for (i = 0; i < clause->nnames; i++)
		classes[i] = argument_class(f->first, clause->names[i]);
	if (!d_explain(c->compiler, n, classes, &error))
		return;
	why = error_text(c, &error);
	if (f->fits)
		message(MSG_UNFIT_PROBE, clause->descriptions[0],
		    f->probes.all[0], why);
	else {
		compile_tell_error(compile_program(c, error.program), why);
		tell_arguments(c, f, &error);
	}
	tell_module(c, clause->descriptions[0]);
	free(why);
}

void
compile_tell_unfit(struct compiled *c)
{
	struct fitted *all = fitted_get(c);
	uint32_t n = c->script->nclauses, i;

	if (c->unfit_told == NULL) {
		c->unfit_told = memory_get(NULL, n + 1u, sizeof(bool));
		memset(c->unfit_told, 0, (n + 1u) * sizeof(bool));
	}
	for (i = 0; i < n; i++)
		if (all[i].first != NULL && !c->unfit_told[i]) {
			c->unfit_told[i] = true;
			tell_clause(c, i, &all[i]);
		}
	fitted_free(c, all);
}

bool
compile_unfit(struct compiled *c)
{
	struct fitted *all = fitted_get(c);
	bool found = false;
	uint32_t i;

	for (i = 0; i < c->script->nclauses; i++)
		found |= all[i].first != NULL && !all[i].fits;
	fitted_free(c, all);
	return (found);
}
