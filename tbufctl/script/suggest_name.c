/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Errors have DTrace's texts, which scripts are compared with; a suggestion is
 * a line of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "base/messages.h"
#include "base/suggest.h"
#include "compile.h"
#include "options/command_line.h"

struct search {
	const char *word;
	unsigned distance;
	const char *name;		/* the nearest so far */
};

static void
visit(void *arg, const char *name)
{
	struct search *s = arg;
	unsigned distance = near_distance(s->word, strlen(s->word), name);

	/* An error may leave the word itself half declared: distance 0. */
	if (distance != 0 && distance < s->distance) {
		s->distance = distance;
		s->name = name;
	}
}

/* Returns the nearest description, with the same four fields. */
static char *
near_probe(struct compiled *c, const struct d_description *d)
{
	char *text = known_text(d);
	char *near = known_near(&c->known, text);

	free(text);
	return (near);
}

static void
near_variable(struct compiled *c, const struct d_description *d,
    struct search *s)
{
	if (d != NULL)
		known_names(&c->known, d, visit, s);
	d_names(c->compiler, D_UNKNOWN_VARIABLE, visit, s);
}

static void
near_type(struct compiled *c, struct search *s)
{
	d_names(c->compiler, D_UNKNOWN_TYPE, visit, s);
	types_names(&c->known.types, D_IMPORT_TYPEDEF, visit, s);
}

char *
hint(struct compiled *c, const struct d_error *error)
{
	struct search s = { .word = error->name, .distance = NEAR_NEVER };

	switch (error->unknown) {
	case D_UNKNOWN_PROBE:
		return (error->description == NULL ? NULL :
		    near_probe(c, error->description));
	case D_UNKNOWN_VARIABLE:
		near_variable(c, error->description, &s);
		break;
	case D_UNKNOWN_FUNCTION:
	case D_UNKNOWN_MEMBER:
		d_names(c->compiler, error->unknown, visit, &s);
		break;
	case D_UNKNOWN_TYPE:
		near_type(c, &s);
		break;
	case D_UNKNOWN_EITHER:
		near_variable(c, error->description, &s);
		near_type(c, &s);
		break;
	case D_UNKNOWN_TAG:
		types_names(&c->known.types, D_IMPORT_STRUCT, visit, &s);
		break;
	case D_UNKNOWN_OPTION:
		if (strstr(error->text, MSG_SET_NAME) != NULL &&
		    !setting_is_known(error->name))
			s.name = options_near(error->name,
			    strlen(error->name));
		break;
	case D_UNKNOWN_FORM:
		return (memory_string(error->name));
	default:
		break;
	}
	return (s.name == NULL ? NULL : memory_string(s.name));
}

char *
hint_argument(struct compiled *c, const struct d_error *error,
    const struct tbuf_probe_info *probe)
{
	struct search s = { .word = error->name, .distance = NEAR_NEVER };
	unsigned i;

	if (error->unknown != D_UNKNOWN_VARIABLE)
		return (hint(c, error));
	for (i = 0; i < probe->nargs; i++)
		visit(&s, probe->argnames[i]);
	d_names(c->compiler, D_UNKNOWN_VARIABLE, visit, &s);
	return (s.name == NULL ? NULL : memory_string(s.name));
}
