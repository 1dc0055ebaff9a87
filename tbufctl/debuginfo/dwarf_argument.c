/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Of which type an argument of a probe is.  A probe's table says of a pointer
 * that it is one, and what it is called: the last name of the expression that
 * the program gives.  If that is a variable of the function that the probe is
 * in, it is taken for that variable.  (A table of types' names would take a
 * macro that C does not have, and text in every program.)  Two variables of a
 * name in a function have to be of one type.
 */
#include <dwarf.h>
#include <string.h>

#include "dwarf.h"

#define ENTRIES_MAX	100000u	/* of a function */
#define DEPTH_MAX	32	/* blocks within each other */

struct search {
	struct dwarf_types *types;
	struct dwarf_module *module;
	const char *name;
	uint64_t type;		/* found; 0: none yet */
	bool several;
	unsigned entries;
};

static void
visit(struct search *s, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);
	uint64_t type;

	if (name == NULL || strcmp(name, s->name) != 0)
		return;
	type = dwarf_type_of(s->types, s->module, die);
	s->several |= s->type != 0 && type != s->type;
	s->type = type;
}

static void
search(struct search *s, Dwarf_Die *scope, unsigned depth)
{
	Dwarf_Die child;

	if (depth > DEPTH_MAX || dwarf_child(scope, &child) != 0)
		return;
	do {
		switch (dwarf_tag(&child)) {
		case DW_TAG_variable:
		case DW_TAG_formal_parameter:
			visit(s, &child);
			break;
		case DW_TAG_lexical_block:
			search(s, &child, depth + 1);
			break;
		default:
			break;
		}
	} while (s->entries++ < ENTRIES_MAX &&
	    dwarf_siblingof(&child, &child) == 0);
}

uint64_t
dwarf_argument(struct dwarf_types *types, struct dwarf_module *module,
    const char *function, const char *name)
{
	const struct dwarf_name *one = NULL;
	const char *scope = strrchr(function, ':');
	struct search s = { .types = types, .module = module, .name = name };
	Dwarf_Die die;

	if (scope != NULL)
		function = scope + 1;
	while ((one = dwarf_name_find(module, DWARF_FUNCTION, function,
	    one)) != NULL) {
		die = one->die;
		search(&s, &die, 0);
	}
	return (s.several ? 0 : s.type);
}
