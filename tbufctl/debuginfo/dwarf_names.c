/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Names in a module: tags, typedefs, enumerators, functions.  The first lookup
 * reads all names of a module: those at the outermost level of its compile
 * units, and in namespaces.  If several of these have a name, the first one is
 * used, except for functions: each static function may have the wanted
 * variable.
 */
#include <ctype.h>
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/messages.h"
#include "dwarf_function.h"
#include "pid/name.h"

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

/* --- symbols of C++ ------------------------------------------------------- */

/*
 * Parameters of functions by their symbols (Itanium C++ ABI).  The debug
 * information of clang lacks parameters that a function does not use and that
 * are passed by address; the symbol has the types of all.
 */

#define TYPES_MAX	64u	/* parameters, and members in members */
#define OPERATOR	2	/* letters of an operator's name */

static bool
skip_identifier(const char **at)
{
	char *end;
	unsigned long length = strtoul(*at, &end, 10);

	if (!isdigit((unsigned char)**at) || strnlen(end, length) != length)
		return (false);
	*at = end + length;
	return (length > 0);
}

/* Skips tags of an ABI, and arguments of a template. */
static bool
skip_arguments(const char **at, bool *has_arguments)
{
	*has_arguments = false;
	while (*(*at) == 'B') {
		++*at;
		if (!skip_identifier(at))
			return (false);
	}
	if (**at != 'I')
		return (true);
	*has_arguments = true;
	return (pid_skip_group(at));
}

/* Skips T_, T1_, and the index of an array, up to its underscore. */
static bool
skip_index(const char **at)
{
	*at += 1 + strspn(*at + 1, "0123456789");
	return (*(*at)++ == '_');
}

/* Skips a type that begins with D; false if it may be several parameters. */
static bool
skip_extension(const char **at)
{
	if ((*at)[1] == '\0' || strchr("defhiusacn", (*at)[1]) == NULL)
		return (false);
	*at += 2;
	return (true);
}

/* Skips the name of a class, or of a parameter of a template. */
static bool
skip_class(const char **at)
{
	bool unused;

	if (**at == 'N')
		return (pid_skip_group(at));
	if (strncmp(*at, "St", 2) == 0)
		*at += 2;
	else if (**at == 'S') {
		pid_skip_substitution(at);
		return (skip_arguments(at, &unused));
	}
	if (**at == 'T' ? !skip_index(at) : !skip_identifier(at))
		return (false);
	return (skip_arguments(at, &unused));
}

/*
 * Skips a type.  `is_plain` becomes true for a pointer, a reference or a number
 * of C, which debug information never lacks.
 */
static bool
skip_type(const char **at, bool *is_plain, unsigned depth)
{
	bool unused;

	*is_plain = false;
	for (; **at != '\0' && strchr("rVKPROCGA", **at) != NULL; ++*at) {
		*is_plain |= strchr("PRO", **at) != NULL;
		if (**at == 'A' && (!skip_index(at) || (--*at, false)))
			return (false);
	}
	switch (**at) {
	case 'a' ... 't':
	case 'v' ... 'y':
		*is_plain = true;
		++*at;
		return (true);
	case 'D':
		return (skip_extension(at));
	case 'F':
		return (pid_skip_group(at));
	case 'M':
		++*at;
		return (depth < TYPES_MAX &&
		    skip_type(at, &unused, depth + 1) &&
		    skip_type(at, &unused, depth + 1));
	default:
		return (skip_class(at));
	}
}

/* Skips a part of a nested name. */
static bool
skip_part(const char **at, bool *has_arguments, bool *is_special)
{
	*has_arguments = *is_special = false;
	switch (**at) {
	case 'C':
	case 'D':
		*is_special = isdigit((unsigned char)(*at)[1]);
		*at += 2;
		return (*is_special);
	case 'S':
		pid_skip_substitution(at);
		return (true);
	case 'I':
		*has_arguments = true;
		return (pid_skip_group(at));
	case 'B':
	case 'L':
		++*at;
		return (skip_identifier(at));
	case 'T':
		return (skip_index(at));
	case 'a' ... 'z':
		/* The type of a conversion may have arguments. */
		if (strncmp(*at, "cv", OPERATOR) == 0 ||
		    !islower((unsigned char)(*at)[1]))
			return (false);
		*at += OPERATOR;
		return (true);
	default:
		return (skip_identifier(at));
	}
}

/*
 * Skips a function's name; `has_result` becomes true if its result's type
 * follows, as that of a template's function does.
 */
static bool
skip_name(const char **at, bool *has_result)
{
	bool is_special = false, was_special = false;

	*has_result = false;
	if (**at != 'N') {
		if (strncmp(*at, "St", 2) == 0)
			*at += 2;
		*at += **at == 'L';
		if (islower((unsigned char)**at) ? !skip_part(at, has_result,
		    &is_special) : !skip_identifier(at))
			return (false);
		return (skip_arguments(at, has_result));
	}
	for (++*at; **at != '\0' && strchr("rVKRO", **at) != NULL; ++*at)
		continue;
	while (**at != 'E') {
		was_special = is_special;
		if (**at == '\0' || !skip_part(at, has_result, &is_special))
			return (false);
	}
	++*at;
	*has_result = *has_result && !was_special;
	return (true);
}

bool
dwarf_mangled(const char *symbol, unsigned *all, unsigned *plain)
{
	bool is_plain, has_result, only_plain = true;
	const char *at = symbol + 2;

	*all = *plain = 0;
	if (strncmp(symbol, "_Z", 2) != 0 || !skip_name(&at, &has_result) ||
	    (has_result && !skip_type(&at, &is_plain, 0)))
		return (false);
	if (strcmp(at, "v") == 0 || strncmp(at, "v.", 2) == 0)
		return (true);
	for (; *at != '\0' && *at != '.' && *at != 'z'; ++*all) {
		if (*all == TYPES_MAX || !skip_type(&at, &is_plain, 0))
			return (false);
		only_plain = only_plain && is_plain;
		*plain += only_plain;
	}
	return (true);
}
