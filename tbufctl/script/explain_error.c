/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lines after an error of the compiler, which say how to mend a program.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bpftrace_words.h"
#include "base/messages.h"
#include "base/string_list.h"
#include "compile.h"
#include "options/enablings.h"

/* Probes with different arguments that are listed for one description. */
#define LISTED_MAX	3

bool
explain_bpftrace(const struct description *program,
    const struct d_error *error)
{
	if (error->unknown == D_UNKNOWN_PROBE ||
	    strcmp(error->tag, "D_SYNTAX") == 0)
		if (bpftrace_tell_descriptions(program->flag == 's' ?
		    program->script : program->text))
			return (true);
	switch (error->unknown) {
	case D_UNKNOWN_VARIABLE:
	case D_UNKNOWN_EITHER:
	case D_UNKNOWN_FUNCTION:
	case D_UNKNOWN_WORD:
		return (bpftrace_tell_word(error->name));
	default:
		return (false);
	}
}

/* Names of probes, each with arguments that the ones before it have not. */
struct lists {
	struct words probes;
	struct words arguments;
};

void
explain_module(struct compiled *c, const struct d_description *d)
{
	const char *module = d == NULL ? NULL : known_no_file(&c->known, d);

	if (module != NULL)
		message(MSG_MODULE, module);
}

void
explain_timer(const struct d_error *error)
{
	char *text;

	if (error->unknown != D_UNKNOWN_PROBE || error->description == NULL)
		return;
	text = known_text(error->description);
	(void)description_tell_timer(text);
	free(text);
}

char *
explain_list(const struct tbuf_probe_info *probe)
{
	char *list = memory_string(""), *longer;
	unsigned n;

	for (n = 0; n < probe->nargs; n++) {
		longer = string_format("%s%s%s (arg%u)", list,
		    n == 0 ? "" : ", ", probe->argnames[n], n);
		free(list);
		list = longer;
	}
	if (n != 0)
		return (list);
	free(list);
	return (memory_string("none"));
}

static void
add_probe(void *arg, const struct tbuf_probe_info *probe)
{
	struct lists *l = arg;
	char *list = explain_list(probe);

	if (!words_have(&l->arguments, list)) {
		words_add(&l->arguments, "%s", list);
		words_add(&l->probes, "%s:%s:%s:%s", probe->provider,
		    probe->module, probe->function, probe->name);
	}
	free(list);
}

/* Returns true for an argument that no probe of a description has. */
static bool
is_of_arguments(const struct d_error *error)
{
	return (error->description != NULL && error->name[0] != '@' &&
	    (error->unknown == D_UNKNOWN_VARIABLE ||
	    error->unknown == D_UNKNOWN_EITHER ||
	    strcmp(error->tag, "D_ARGS_IDX") == 0));
}

/* An argument of several types is none that has members. */
static void
explain_types(const struct known *k, const struct d_error *error)
{
	const char *const *in = k->differing_in;
	char *name;

	if (in[1] == NULL || (strcmp(error->tag, "D_OP_PTR") != 0 &&
	    strcmp(error->tag, "D_DEREF_NONPTR") != 0))
		return;
	name = k->differing.name != NULL ? memory_string(k->differing.name) :
	    string_format("args[%ju]", (uintmax_t)k->differing.number);
	if (in[0] == NULL)
		message(MSG_DIFFER, name, in[1]);
	else
		message(MSG_DIFFERS, name, in[0], in[1]);
	free(name);
}

void
explain_arguments(struct compiled *c, const struct d_error *error)
{
	struct lists lists = { { NULL, 0 }, { NULL, 0 } };
	const struct lack *lack;
	char *text;
	size_t i;

	explain_types(&c->known, error);
	if (!is_of_arguments(error))
		return;
	lack = known_lack(&c->known, error->description, error->name);
	if (lack != NULL)
		message(MSG_LACK, lack->name, lack->function, lack->why);
	known_each(&c->known, error->description, add_probe, &lists);
	text = known_text(error->description);
	for (i = 0; i < lists.probes.count && i < LISTED_MAX; i++)
		message(MSG_ARGUMENTS, lists.probes.count == 1 ? text :
		    lists.probes.all[i], lists.arguments.all[i]);
	if (i < lists.probes.count)
		message(MSG_ARGUMENTS_MORE, lists.probes.count - i,
		    PLURAL(lists.probes.count - i));
	free(text);
	words_free(&lists.probes);
	words_free(&lists.arguments);
}
