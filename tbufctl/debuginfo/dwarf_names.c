/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Names in a module: tags, typedefs, enumerators, functions.  The first lookup
 * reads all names of a module: those at the outermost level of its compile
 * units, and in namespaces.  If several of these have a name, the first one is
 * used, except for functions: each static function may have the wanted
 * variable.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/messages.h"
#include "dwarf.h"

#define NAMES_MAX	4000000u	/* in a module */
#define ENTRIES_MAX	50000000u	/* visited in a module */
#define DEPTH_MAX	16		/* nested namespaces */

struct look {
	struct dwarf_module *module;
	unsigned entries;
};

static size_t
hash(const char *name, unsigned kind)
{
	size_t value = 5381 + kind;

	while (*name != '\0')
		value = value * 33 + (unsigned char)*name++;
	return (value);
}

static void
enter(struct dwarf_module *m, uint32_t index)
{
	struct dwarf_name *one = &m->names[index];
	uint32_t *slot = &m->hash[hash(one->name, one->kind) &
	    (m->buckets - 1)];

	one->next = *slot;
	*slot = index + 1;
}

static void
grow(struct dwarf_module *m)
{
	uint32_t i;

	m->room = m->room == 0 ? 256 : 2 * m->room;
	m->names = memory_get(m->names, m->room, sizeof(*m->names));
	free(m->hash);
	m->buckets = m->room;
	m->hash = memory_get(NULL, m->buckets, sizeof(*m->hash));
	memset(m->hash, 0, m->buckets * sizeof(*m->hash));
	for (i = 0; i < m->count; i++)
		enter(m, i);
}

static const struct dwarf_name *
find(const struct dwarf_module *m, uint32_t index, unsigned kind,
    const char *name)
{
	const struct dwarf_name *one;

	for (; index != 0; index = one->next) {
		one = &m->names[index - 1];
		if (one->kind == kind && strcmp(one->name, name) == 0)
			return (one);
	}
	return (NULL);
}

static uint32_t
first(const struct dwarf_module *m, unsigned kind, const char *name)
{
	return (m->buckets == 0 ? 0 :
	    m->hash[hash(name, kind) & (m->buckets - 1)]);
}

static void
add(struct dwarf_module *m, unsigned kind, const char *name,
    const Dwarf_Die *die)
{
	if (name == NULL || *name == '\0' || m->count >= NAMES_MAX ||
	    (kind != DWARF_FUNCTION && kind != DWARF_SYMBOL &&
	    find(m, first(m, kind, name), kind, name) != NULL))
		return;
	if (m->count == m->room)
		grow(m);
	m->names[m->count] = (struct dwarf_name){
		.name = name, .kind = kind, .die = *die
	};
	enter(m, (uint32_t)m->count++);
}

/* --- looking through ------------------------------------------------------ */

static void
add_enumerators(struct look *look, Dwarf_Die *die)
{
	Dwarf_Die child;

	if (dwarf_child(die, &child) != 0)
		return;
	do
		if (dwarf_tag(&child) == DW_TAG_enumerator)
			add(look->module, D_IMPORT_ENUMERATOR,
			    dwarf_diename(&child), die);
	while (look->entries++ < ENTRIES_MAX &&
	    dwarf_siblingof(&child, &child) == 0);
}

const char *
dwarf_symbol(Dwarf_Die *function)
{
	Dwarf_Attribute attr;

	if (dwarf_attr_integrate(function, DW_AT_linkage_name, &attr) ==
	    NULL && dwarf_attr_integrate(function, DW_AT_MIPS_linkage_name,
	    &attr) == NULL)
		return (NULL);
	return (dwarf_formstring(&attr));
}

/* Returns true if the type is defined elsewhere, if at all. */
static bool
is_declaration(Dwarf_Die *die)
{
	return (dwarf_hasattr(die, DW_AT_declaration) != 0 &&
	    dwarf_hasattr(die, DW_AT_signature) == 0);
}

static void	look_into(struct look *, Dwarf_Die *, unsigned depth);

static void
look_at(struct look *look, Dwarf_Die *die, unsigned depth)
{
	unsigned kind;

	switch (dwarf_tag(die)) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
		kind = D_IMPORT_STRUCT;
		break;
	case DW_TAG_union_type:
		kind = D_IMPORT_UNION;
		break;
	case DW_TAG_enumeration_type:
		kind = D_IMPORT_ENUM;
		add_enumerators(look, die);
		break;
	case DW_TAG_typedef:
	case DW_TAG_base_type:
		kind = D_IMPORT_TYPEDEF;
		break;
	case DW_TAG_subprogram:
		kind = DWARF_FUNCTION;
		break;
	case DW_TAG_namespace:
		look_into(look, die, depth + 1);
		return;
	default:
		return;
	}
	if (is_declaration(die))
		return;
	add(look->module, kind, dwarf_diename(die), die);
	if (kind == DWARF_FUNCTION)
		add(look->module, DWARF_SYMBOL, dwarf_symbol(die), die);
}

static void
look_into(struct look *look, Dwarf_Die *die, unsigned depth)
{
	Dwarf_Die child;

	if (depth > DEPTH_MAX || dwarf_child(die, &child) != 0)
		return;
	do
		look_at(look, &child, depth);
	while (look->entries++ < ENTRIES_MAX &&
	    dwarf_siblingof(&child, &child) == 0);
}

/* A split compile unit (.dwo) is read in place of its skeleton. */
static void
look_through(struct look *look, Dwarf *dwarf)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die, split;
	uint8_t type;

	while (look->entries++ < ENTRIES_MAX && dwarf_get_units(dwarf, unit,
	    &unit, NULL, &type, &die, &split) == 0)
		look_into(look, type == DW_UT_skeleton &&
		    split.addr != NULL ? &split : &die, 0);
}

static void
look(struct dwarf_module *m)
{
	struct look look = { .module = m };
	Dwarf_Addr bias;
	Dwarf *dwarf;

	m->looked = true;
	if ((dwarf = dwfl_module_getdwarf(m->module, &bias)) == NULL)
		return;
	look_through(&look, dwarf);
	/* The part that several files share (.gnu_debugaltlink). */
	if ((dwarf = dwarf_getalt(dwarf)) != NULL)
		look_through(&look, dwarf);
}

const struct dwarf_name *
dwarf_name_find(struct dwarf_module *m, unsigned kind, const char *name,
    const struct dwarf_name *after)
{
	if (!m->looked)
		look(m);
	return (find(m, after != NULL ? after->next : first(m, kind, name),
	    kind, name));
}
