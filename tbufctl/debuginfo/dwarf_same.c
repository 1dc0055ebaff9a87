/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compares types: each compile unit has an entry of its own for a structure
 * that all of them include.
 */
#include <dwarf.h>
#include <string.h>

#include "dwarf_function.h"

#define DEPTH_MAX	4	/* through pointers, and members in members */
#define STEPS_MAX	2000u	/* members in all */
#define CHAIN_MAX	16u	/* typedefs and qualifiers of a type */

static bool	is_same(Dwarf_Die *a, Dwarf_Die *b, unsigned depth,
		    unsigned *steps);

static bool
is_same_text(const char *a, const char *b)
{

	return (a == NULL || b == NULL ? a == b : strcmp(a, b) == 0);
}

/* Returns true if both have no such attribute, or the same number. */
static bool
is_same_number(Dwarf_Die *a, Dwarf_Die *b, unsigned attribute)
{
	uint64_t one = 0, other = 0;

	return (dwarf_number(a, attribute, &one) == dwarf_number(b, attribute,
	    &other) && one == other);
}

/* Returns true if entries have the same type, or both none, as void. */
static bool
is_same_of(Dwarf_Die *a, Dwarf_Die *b, unsigned depth, unsigned *steps)
{
	Dwarf_Die one, other;
	bool has = dwarf_follow(a, DW_AT_type, &one);

	return (has == dwarf_follow(b, DW_AT_type, &other) &&
	    (!has || is_same(&one, &other, depth + 1, steps)));
}

static bool
is_same_member(Dwarf_Die *a, Dwarf_Die *b, unsigned depth, unsigned *steps)
{
	uint64_t one, other;

	return (is_same_text(dwarf_diename(a), dwarf_diename(b)) &&
	    is_same_number(a, b, DW_AT_bit_size) &&
	    is_same_number(a, b, DW_AT_data_bit_offset) &&
	    dwarf_location(a, &one) == dwarf_location(b, &other) &&
	    one == other && is_same_of(a, b, depth, steps));
}

/* Goes to the first member or base from an entry on; false without one. */
static bool
to_member(Dwarf_Die *die, bool has)
{

	while (has && dwarf_tag(die) != DW_TAG_member &&
	    dwarf_tag(die) != DW_TAG_inheritance)
		has = dwarf_siblingof(die, die) == 0;
	return (has);
}

static bool
is_same_list(Dwarf_Die *a, Dwarf_Die *b, unsigned depth, unsigned *steps)
{
	Dwarf_Die one, other;
	bool has = to_member(&one, dwarf_child(a, &one) == 0);
	bool its = to_member(&other, dwarf_child(b, &other) == 0);

	while (has && its && ++*steps < STEPS_MAX) {
		if (!is_same_member(&one, &other, depth, steps))
			return (false);
		has = to_member(&one, dwarf_siblingof(&one, &one) == 0);
		its = to_member(&other, dwarf_siblingof(&other, &other) == 0);
	}
	return (has == its);
}

static void
strip(Dwarf_Die *type)
{
	Dwarf_Die next;
	unsigned i;

	for (i = 0; i < CHAIN_MAX; i++)
		switch (dwarf_tag(type)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
			if (!dwarf_follow(type, DW_AT_type, &next))
				return;
			*type = next;
			break;
		default:
			return;
		}
}

static bool
is_same(Dwarf_Die *a, Dwarf_Die *b, unsigned depth, unsigned *steps)
{
	Dwarf_Die one = *a, other = *b;

	strip(&one);
	strip(&other);
	if (one.addr == other.addr)
		return (true);
	if (dwarf_tag(&one) != dwarf_tag(&other) ||
	    !is_same_text(dwarf_diename(&one), dwarf_diename(&other)))
		return (false);
	if (depth > DEPTH_MAX || *steps >= STEPS_MAX ||
	    dwarf_hasattr(&one, DW_AT_declaration) ||
	    dwarf_hasattr(&other, DW_AT_declaration))
		return (true);
	if (!is_same_number(&one, &other, DW_AT_byte_size) ||
	    !is_same_number(&one, &other, DW_AT_encoding))
		return (false);
	switch (dwarf_tag(&one)) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		return (is_same_list(&one, &other, depth, steps));
	case DW_TAG_subroutine_type:
		return (true);
	default:
		return (is_same_of(&one, &other, depth, steps));
	}
}

bool
dwarf_same(struct dwarf_types *types, uint64_t a, uint64_t b)
{
	struct dwarf_type *one, *other;
	unsigned steps = 0;

	if (a == b || a == 0 || b == 0 || a > types->count || b > types->count)
		return (a == b);
	one = &types->all[a - 1];
	other = &types->all[b - 1];
	return (one->dimension == other->dimension &&
	    is_same(&one->die, &other->die, 0, &steps));
}
