/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Members of structures, by paths such as "view._M_str", and the members of a
 * class by which C++ copies it.
 */
#include <dwarf.h>
#include <string.h>

#include "dwarf_function.h"

#define DEPTH_MAX	8	/* of members without names */
#define MEMBERS_MAX	1000u
#define BASES_MAX	32u	/* of bases, and members in members */
#define STEPS_MAX	10000u	/* through the entries of a class */

bool
dwarf_plain_type(Dwarf_Die *of, Dwarf_Die *type)
{
	return (dwarf_follow(of, DW_AT_type, type) && dwarf_strip(type));
}

/* A member and its place in the outer structure, in bytes. */
struct found {
	Dwarf_Die die;
	uint64_t offset;
};

static bool	find(Dwarf_Die *type, const char *name, size_t length,
		    unsigned depth, struct found *);

/*
 * Returns true if an entry is the named member, or a base class or a member
 * without a name that has it.
 */
static bool
is_found(Dwarf_Die *child, const char *name, size_t length, unsigned depth,
    struct found *f)
{
	int tag = dwarf_tag(child);
	const char *its = tag == DW_TAG_member ? dwarf_diename(child) : NULL;
	uint64_t offset;
	Dwarf_Die inner;

	if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
	    dwarf_hasattr(child, DW_AT_external) ||
	    dwarf_hasattr(child, DW_AT_declaration) ||
	    dwarf_hasattr(child, DW_AT_bit_size))
		return (false);
	if (!dwarf_location(child, &offset))
		return (false);
	if (its != NULL) {
		f->die = *child;
		f->offset = offset;
		return (strncmp(its, name, length) == 0 &&
		    its[length] == '\0');
	}
	if (!dwarf_plain_type(child, &inner) ||
	    !find(&inner, name, length, depth + 1, f))
		return (false);
	f->offset += offset;
	return (true);
}

static bool
find(Dwarf_Die *type, const char *name, size_t length, unsigned depth,
    struct found *f)
{
	Dwarf_Die child;
	unsigned n = 0;

	if (depth > DEPTH_MAX || dwarf_child(type, &child) != 0)
		return (false);
	do
		if (is_found(&child, name, length, depth, f))
			return (true);
	while (n++ < MEMBERS_MAX && dwarf_siblingof(&child, &child) == 0);
	return (false);
}

bool
dwarf_member(Dwarf_Die *type, const char *path, Dwarf_Die *member,
    uint64_t *offset)
{
	Dwarf_Die inner = *type;
	struct found f;
	size_t length;

	for (*offset = 0; ; path += length + 1) {
		length = strcspn(path, ".");
		if (!find(&inner, path, length, 0, &f))
			return (false);
		*offset += f.offset;
		if (path[length] == '\0')
			break;
		if (!dwarf_plain_type(&f.die, &inner))
			return (false);
	}
	*member = f.die;
	return (true);
}

/* --- copies of classes --------------------------------------------------- */

/* A class's constructors that copy or move it. */
struct copied {
	bool has_copy;
	bool has_deleted;	/* and may not be called */
};

static bool	is_copied_by_code(Dwarf_Die *type, unsigned depth,
		    unsigned *steps);

/* Returns true if a function of a class is neither implicit nor `= default`. */
static bool
is_provided(Dwarf_Die *function)
{
	uint64_t defaulted = DW_DEFAULTED_no;

	(void)dwarf_number(function, DW_AT_defaulted, &defaulted);
	return (!dwarf_hasattr(function, DW_AT_artificial) &&
	    defaulted != DW_DEFAULTED_in_class);
}

/* Returns true if a function has one parameter, a reference to the class. */
static bool
takes_reference(Dwarf_Die *function, Dwarf_Die *class)
{
	Dwarf_Die child, its;
	unsigned n = 0, all = 0;
	bool is_it = false;

	if (dwarf_child(function, &child) != 0)
		return (false);
	do {
		if (dwarf_tag(&child) != DW_TAG_formal_parameter ||
		    dwarf_hasattr(&child, DW_AT_artificial))
			continue;
		is_it = n++ == 0 && dwarf_plain_type(&child, &its) &&
		    (dwarf_tag(&its) == DW_TAG_reference_type ||
		    dwarf_tag(&its) == DW_TAG_rvalue_reference_type) &&
		    dwarf_plain_type(&its, &its) &&
		    dwarf_dieoffset(&its) == dwarf_dieoffset(class);
	} while (n < 2 && all++ < MEMBERS_MAX &&
	    dwarf_siblingof(&child, &child) == 0);
	return (is_it);
}

/* Returns true for a destructor, or a copy, of the program's own. */
static bool
is_own_function(Dwarf_Die *function, Dwarf_Die *class, struct copied *c)
{
	const char *name = dwarf_diename(function);
	const char *whole = dwarf_diename(class);
	size_t length = whole == NULL ? 0 : strcspn(whole, "<");

	if (name == NULL || length == 0)
		return (false);
	if (*name == '~')
		return (is_provided(function));
	if (strncmp(name, whole, length) != 0 || name[length] != '\0' ||
	    !takes_reference(function, class))
		return (false);
	if (dwarf_hasattr(function, DW_AT_deleted)) {
		c->has_deleted = true;
		return (false);
	}
	c->has_copy = true;
	return (is_provided(function));
}

/* Returns true for a base, or a member, that is copied by code. */
static bool
is_own_part(Dwarf_Die *part, unsigned depth, unsigned *steps)
{
	const char *name = dwarf_diename(part);
	uint64_t is_virtual = 0;
	Dwarf_Die its;

	if (dwarf_hasattr(part, DW_AT_external) ||
	    dwarf_hasattr(part, DW_AT_declaration))
		return (false);
	(void)dwarf_number(part, DW_AT_virtuality, &is_virtual);
	if (is_virtual != 0 ||
	    (name != NULL && strncmp(name, "_vptr", 5) == 0))
		return (true);
	if (!dwarf_plain_type(part, &its))
		return (false);
	while (dwarf_tag(&its) == DW_TAG_array_type)
		if (++*steps > STEPS_MAX || !dwarf_plain_type(&its, &its))
			return (false);
	return (is_copied_by_code(&its, depth + 1, steps));
}

static bool
is_copied_by_code(Dwarf_Die *type, unsigned depth, unsigned *steps)
{
	struct copied c = { .has_copy = false };
	int tag = dwarf_tag(type);
	Dwarf_Die child;

	if ((tag != DW_TAG_structure_type && tag != DW_TAG_class_type &&
	    tag != DW_TAG_union_type) || depth > BASES_MAX ||
	    dwarf_child(type, &child) != 0)
		return (false);
	do {
		tag = dwarf_tag(&child);
		if (tag == DW_TAG_subprogram ? is_own_function(&child, type,
		    &c) : (tag == DW_TAG_member || tag ==
		    DW_TAG_inheritance) && is_own_part(&child, depth, steps))
			return (true);
	} while (++*steps < STEPS_MAX && dwarf_siblingof(&child, &child) == 0);
	return (c.has_deleted && !c.has_copy);
}

bool
dwarf_by_address(Dwarf_Die *type)
{
	uint64_t convention;
	unsigned steps = 0;

	if (dwarf_number(type, DW_AT_calling_convention, &convention))
		return (convention == DW_CC_pass_by_reference);
	return (is_copied_by_code(type, 0, &steps));
}
