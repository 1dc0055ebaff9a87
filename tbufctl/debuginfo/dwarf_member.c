/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Members of structures, by paths such as "view._M_str".
 */
#include <dwarf.h>
#include <string.h>

#include "dwarf_function.h"

#define DEPTH_MAX	8	/* of members without names */
#define MEMBERS_MAX	1000u

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
	uint64_t offset = 0;
	Dwarf_Die inner;

	if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
	    dwarf_hasattr(child, DW_AT_external) ||
	    dwarf_hasattr(child, DW_AT_declaration) ||
	    dwarf_hasattr(child, DW_AT_bit_size))
		return (false);
	if (dwarf_hasattr(child, DW_AT_data_member_location) &&
	    !dwarf_number(child, DW_AT_data_member_location, &offset))
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
