/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Descriptions that match functions of running processes by other names than
 * their probes have.
 */
#include <stdlib.h>
#include <string.h>

#include "base/description_field.h"
#include "base/messages.h"
#include "base/string_list.h"
#include "probe_lookup.h"

#define PID	"pid"

/* A description that lives as long as the struct known. */
struct other {
	struct other *next;
	struct d_description d;
	char *field[4];
};

struct adding {
	struct known *known;
	const struct d_description **end;	/* of the list */
};

static void
add(void *adding, const char *const field[4])
{
	struct adding *a = adding;
	struct other *o = memory_get(NULL, 1, sizeof(*o));
	unsigned i;

	*o = (struct other){ .next = a->known->others };
	a->known->others = o;
	for (i = 0; i < 4; i++)
		o->d.field[i] = o->field[i] = memory_string(field[i]);
	*a->end = &o->d;
	a->end = &o->d.others;
}

const struct d_description *
known_others(void *known, const struct d_description *d)
{
	struct known *k = known;
	const struct d_description *first = NULL;
	struct adding adding = { k, &first };

	if (!k->look || k->files ||
	    strncmp(d->field[D_FIELD_PROVIDER], PID, strlen(PID)) != 0)
		return (NULL);
	known_list(k);
	process_names_find(&k->names, d->field, add, &adding);
	return (first);
}

/* Splits a copy of a description; functions of C++ have pairs of colons. */
static bool
split(char *copy, struct d_description *d)
{
	char *module = strchr(copy, ':'), *function, *name;

	function = module == NULL ? NULL : strchr(module + 1, ':');
	name = function == NULL ? NULL : strrchr(function + 1, ':');
	if (name == NULL)
		return (false);
	*module++ = *function++ = *name++ = '\0';
	*d = (struct d_description){ .field = { copy, module, function,
	    name } };
	return (true);
}

char *
known_others_text(void *known, const char *description)
{
	char *copy = memory_string(description), *text = memory_string("");
	const struct d_description *other = NULL;
	struct d_description d;
	char *one, *more;

	if (split(copy, &d))
		other = known_others(known, &d);
	for (; other != NULL; other = other->others) {
		one = known_text(other);
		more = string_format("%s,%s", text, one);
		free(one);
		free(text);
		text = more;
	}
	free(copy);
	return (text);
}

void
known_others_free(struct known *k)
{
	struct other *o;
	unsigned i;

	while ((o = k->others) != NULL) {
		k->others = o->next;
		for (i = 0; i < 4; i++)
			free(o->field[i]);
		free(o);
	}
	process_names_free(&k->names);
}
