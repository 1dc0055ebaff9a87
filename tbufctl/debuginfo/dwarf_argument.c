/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the type of a probe's argument.  For a pointer, a probe's table has no
 * type, only a name: the last one in the program's expression.  If the probe's
 * function has a variable of this name, the argument has the variable's type.
 * (A table of type names would take a macro that C does not have, and text in
 * every program.)  Several variables of one name in a function must have the
 * same type.
 */
#include <dwarf.h>
#include <string.h>

#include "dwarf.h"

#define ENTRIES_MAX	100000u	/* entries that are visited */
#define DEPTH_MAX	32	/* nested blocks */

struct search {
	struct dwarf_types *types;
	struct dwarf_module *module;
	const char *name;
	uint64_t type;		/* id; 0: not found yet */
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
