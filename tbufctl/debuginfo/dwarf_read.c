/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads one level of a type from DWARF.  Ids are assigned in the order in which
 * types are found: one for each entry, for each dimension of an array, and for
 * pointers to objects that are passed by address, which DWARF does not have.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/messages.h"
#include "dwarf.h"

#define TYPES_MAX	200000u
#define MEMBERS_MAX	100000u
#define CHAIN_MAX	64	/* const volatile const … */
#define DIMENSIONS_MAX	16

/* --- ids ------------------------------------------------------------------ */

uint64_t
dwarf_type_id(struct dwarf_types *t, struct dwarf_module *module,
    const Dwarf_Die *die, unsigned dimension)
{
	uint32_t *slot = &t->hash[((uintptr_t)die->addr / 2 + dimension) %
	    DWARF_HASH], i;

	for (i = *slot; i != 0; i = t->all[i - 1].next)
		if (t->all[i - 1].die.addr == die->addr &&
		    t->all[i - 1].dimension == dimension)
			return (i);
	if (t->count >= TYPES_MAX)
		return (0);
	if (t->count == t->room) {
		t->room = t->room == 0 ? 64 : 2 * t->room;
		t->all = memory_get(t->all, t->room, sizeof(*t->all));
	}
	t->all[t->count] = (struct dwarf_type){
		.die = *die, .dimension = dimension, .next = *slot,
		.module = module
	};
	*slot = (uint32_t)++t->count;
	return (t->count);
}

bool
dwarf_follow(Dwarf_Die *die, unsigned attribute, Dwarf_Die *to)
{
	Dwarf_Attribute attr;

	return (dwarf_attr_integrate(die, attribute, &attr) != NULL &&
	    dwarf_formref_die(&attr, to) != NULL);
}

/* Returns true for a qualifier, which D does not have. */
static bool
is_qualifier(int tag)
{
	return (tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
	    tag == DW_TAG_restrict_type || tag == DW_TAG_atomic_type ||
	    tag == DW_TAG_immutable_type || tag == DW_TAG_packed_type);
}

static bool
unqualified(Dwarf_Die *die, Dwarf_Die *to)
{
	Dwarf_Die next;
	unsigned i;

	if (!dwarf_follow(die, DW_AT_type, to))
		return (false);
	for (i = 0; i < CHAIN_MAX && is_qualifier(dwarf_tag(to)); i++) {
		if (!dwarf_follow(to, DW_AT_type, &next))
			return (false);
		*to = next;
	}
	return (i < CHAIN_MAX);
}

uint64_t
dwarf_type_of(struct dwarf_types *t, struct dwarf_module *module,
    Dwarf_Die *die)
{
	Dwarf_Die type;

	return (unqualified(die, &type) ?
	    dwarf_type_id(t, module, &type, 0) : 0);
}

void
dwarf_types_free(struct dwarf_types *t)
{
	free(t->all);
	free(t->members);
}

/* --- numbers -------------------------------------------------------------- */

bool
dwarf_number(Dwarf_Die *die, unsigned attribute, uint64_t *value)
{
	Dwarf_Attribute attr;
	Dwarf_Word word;

	if (dwarf_attr_integrate(die, attribute, &attr) == NULL ||
	    dwarf_formudata(&attr, &word) != 0)
		return (false);
	*value = word;
	return (true);
}

/* Reads a value; its sign is extended only in a signed form. */
static int64_t
signed_number(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute attr;
	Dwarf_Sword word;
	Dwarf_Word plain;
	unsigned form;

	if (dwarf_attr_integrate(die, attribute, &attr) == NULL)
		return (0);
	form = dwarf_whatform(&attr);
	if (form == DW_FORM_sdata || form == DW_FORM_implicit_const)
		return (dwarf_formsdata(&attr, &word) == 0 ? word : 0);
	return (dwarf_formudata(&attr, &plain) == 0 ? (int64_t)plain : 0);
}

bool
dwarf_location(Dwarf_Die *die, uint64_t *offset)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t count;

	*offset = 0;
	if (dwarf_attr(die, DW_AT_data_member_location, &attr) == NULL ||
	    dwarf_number(die, DW_AT_data_member_location, offset))
		return (true);
	if (dwarf_getlocation(&attr, &ops, &count) != 0 || count != 1 ||
	    ops[0].atom != DW_OP_plus_uconst)
		return (false);
	*offset = ops[0].number;
	return (true);
}

/* --- members -------------------------------------------------------------- */

static struct d_import_member *
add_member(struct dwarf_types *t)
{
	if (t->nmembers == t->members_room) {
		t->members_room = t->members_room == 0 ? 32 :
		    2 * t->members_room;
		t->members = memory_get(t->members, t->members_room,
		    sizeof(*t->members));
	}
	t->members[t->nmembers] = (struct d_import_member){ .name = NULL };
	return (&t->members[t->nmembers++]);
}

/*
 * Finds the first bit of a bit-field.  Before DWARF 4 it is counted from the
 * most significant bit of an integer that begins at the location.
 */
static bool
first_bit(Dwarf_Die *die, uint64_t location, uint64_t bits, uint64_t *first)
{
	uint64_t size, from_top;
	Dwarf_Die type;

	if (dwarf_number(die, DW_AT_data_bit_offset, first))
		return (true);
	*first = 8 * location;
	if (!dwarf_number(die, DW_AT_bit_offset, &from_top))
		return (true);
	if (!dwarf_number(die, DW_AT_byte_size, &size) &&
	    (!unqualified(die, &type) ||
	    !dwarf_number(&type, DW_AT_byte_size, &size)))
		return (false);
	if (size > 16 || from_top > 8 * size || bits > 8 * size - from_top)
		return (false);
	*first += 8 * size - from_top - bits;
	return (true);
}

static void
read_member(struct dwarf_types *t, struct dwarf_module *module,
    Dwarf_Die *die)
{
	struct d_import_member *m;
	uint64_t type, offset, bits, first;

	if (dwarf_hasattr(die, DW_AT_external) ||
	    dwarf_hasattr(die, DW_AT_declaration) || !dwarf_location(die,
	    &offset))
		return;
	type = dwarf_type_of(t, module, die);
	if (!dwarf_number(die, DW_AT_bit_size, &bits))
		bits = 0;
	else if (bits == 0 || bits > 64 ||
	    !first_bit(die, offset, bits, &first))
		return;
	m = add_member(t);
	/* No name: the members of a base class count as the class's own. */
	m->name = dwarf_tag(die) == DW_TAG_inheritance ? NULL :
	    dwarf_diename(die);
	m->type = type;
	m->offset = bits == 0 ? offset : first / 8;
	m->bits = (unsigned)bits;
	m->bit = bits == 0 ? 0 : (unsigned)(first % 8);
}

static void
read_enumerator(struct dwarf_types *t, Dwarf_Die *die)
{
	struct d_import_member *m = add_member(t);

	m->name = dwarf_diename(die);
	m->value = signed_number(die, DW_AT_const_value);
}

static void
read_members(struct dwarf_types *t, struct dwarf_module *module,
    Dwarf_Die *die, struct d_import *to)
{
	Dwarf_Die child;
	unsigned entries = 0;

	t->nmembers = 0;
	if (dwarf_child(die, &child) == 0)
		do {
			switch (dwarf_tag(&child)) {
			case DW_TAG_member:
			case DW_TAG_inheritance:
				read_member(t, module, &child);
				break;
			case DW_TAG_enumerator:
				read_enumerator(t, &child);
				break;
			default:
				break;
			}
		} while (entries++ < MEMBERS_MAX &&
		    dwarf_siblingof(&child, &child) == 0);
	to->members = t->members;
	to->nmembers = t->nmembers;
}

/* --- arrays --------------------------------------------------------------- */

/* Returns the number of elements; 0 if it is unknown. */
static uint64_t
count_of(Dwarf_Die *range)
{
	uint64_t count;

	if (dwarf_number(range, DW_AT_count, &count))
		return (count);
	return (dwarf_number(range, DW_AT_upper_bound, &count) ? count + 1 : 0);
}

static void
read_array(struct dwarf_types *t, const struct dwarf_type *one,
    Dwarf_Die *die, struct d_import *to)
{
	struct dwarf_module *module = one->module;
	unsigned dimension = one->dimension, n = 0;
	Dwarf_Die child, array = *die;

	to->kind = D_IMPORT_ARRAY;
	if (dwarf_child(die, &child) == 0)
		do {
			if (dwarf_tag(&child) != DW_TAG_subrange_type)
				continue;
			if (n == dimension)
				to->count = count_of(&child);
			n++;
		} while (n < DIMENSIONS_MAX &&
		    dwarf_siblingof(&child, &child) == 0);
	to->of = dimension + 1 < n ? dwarf_type_id(t, module, &array,
	    dimension + 1) : dwarf_type_of(t, module, die);
}

/* --- all ------------------------------------------------------------------ */

static void
read_base(Dwarf_Die *die, struct d_import *to)
{
	uint64_t encoding = 0;

	(void)dwarf_number(die, DW_AT_encoding, &encoding);
	to->kind = D_IMPORT_INTEGER;
	switch (encoding) {
	case DW_ATE_float:
		to->kind = D_IMPORT_FLOAT;
		break;
	case DW_ATE_complex_float:
	case DW_ATE_imaginary_float:
	case DW_ATE_decimal_float:
		to->kind = D_IMPORT_VOID;
		break;
	case DW_ATE_signed_char:
		to->is_character = to->is_signed = true;
		break;
	case DW_ATE_unsigned_char:
		to->is_character = true;
		break;
	case DW_ATE_signed:
		to->is_signed = true;
		break;
	default:
		break;
	}
}

/* An enum without negative values has the sign of its base type, if any. */
static bool
enum_is_signed(Dwarf_Die *die, const struct d_import *info)
{
	struct d_import base = { .kind = D_IMPORT_VOID };
	Dwarf_Die type;
	size_t i;

	for (i = 0; i < info->nmembers; i++)
		if (info->members[i].value < 0)
			return (true);
	if (!unqualified(die, &type) || dwarf_tag(&type) != DW_TAG_base_type)
		return (true);
	read_base(&type, &base);
	return (base.is_signed);
}

static void
read_composite(struct dwarf_types *t, const struct dwarf_type *one,
    Dwarf_Die *die, enum d_import_kind kind, struct d_import *to)
{
	to->kind = kind;
	read_members(t, one->module, die, to);
	if (kind == D_IMPORT_ENUM)
		to->is_signed = enum_is_signed(die, to);
}

/* Replaces a declaration by its definition: a type unit, or the same name. */
static void
define(struct dwarf_module *module, unsigned kind, Dwarf_Die *die)
{
	const struct dwarf_name *one;
	const char *name = dwarf_diename(die);
	Dwarf_Die other;

	if (dwarf_follow(die, DW_AT_signature, &other)) {
		*die = other;
		return;
	}
	if (!dwarf_hasattr(die, DW_AT_declaration) || name == NULL)
		return;
	if ((one = dwarf_name_find(module, kind, name, NULL)) != NULL)
		*die = one->die;
}

static void
read_other(struct dwarf_types *t, const struct dwarf_type *one,
    Dwarf_Die *die, struct d_import *to)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_base_type:
		read_base(die, to);
		break;
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		to->kind = D_IMPORT_POINTER;
		to->of = dwarf_type_of(t, one->module, die);
		break;
	case DW_TAG_typedef:
		to->kind = D_IMPORT_TYPEDEF;
		to->of = dwarf_type_of(t, one->module, die);
		break;
	case DW_TAG_array_type:
		read_array(t, one, die, to);
		break;
	case DW_TAG_subroutine_type:
		to->kind = D_IMPORT_FUNCTION;
		break;
	default:
		break;
	}
}

static enum d_import_kind
kind_of(int tag)
{
	switch (tag) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
		return (D_IMPORT_STRUCT);
	case DW_TAG_union_type:
		return (D_IMPORT_UNION);
	case DW_TAG_enumeration_type:
		return (D_IMPORT_ENUM);
	default:
		return (D_IMPORT_VOID);
	}
}

bool
dwarf_type_read(struct dwarf_types *t, uint64_t id, struct d_import *to)
{
	struct dwarf_type one;
	enum d_import_kind kind;
	Dwarf_Die die;

	if (id == 0 || id > t->count)
		return (false);
	/* A copy, since reading may reallocate t->all. */
	one = t->all[id - 1];
	die = one.die;
	*to = (struct d_import){ .kind = D_IMPORT_VOID };
	if (one.dimension == DWARF_ADDRESS) {
		to->kind = D_IMPORT_POINTER;
		to->of = dwarf_type_id(t, one.module, &die, 0);
		return (true);
	}
	if ((kind = kind_of(dwarf_tag(&die))) != D_IMPORT_VOID) {
		define(one.module, kind, &die);
		if (kind_of(dwarf_tag(&die)) == kind)
			read_composite(t, &one, &die, kind, to);
	} else
		read_other(t, &one, &die, to);
	to->name = dwarf_diename(&die);
	(void)dwarf_number(&die, DW_AT_byte_size, &to->size);
	return (true);
}

/* --- comparison ----------------------------------------------------------- */

#define DEPTH_MAX	4	/* through pointers, and members in members */
#define STEPS_MAX	2000u	/* members in all */

/* Each compile unit has an entry of its own for a structure of a header. */
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

bool
dwarf_strip(Dwarf_Die *type)
{
	Dwarf_Die next;
	unsigned i;

	for (i = 0; i < CHAIN_MAX; i++) {
		switch (dwarf_tag(type)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
			if (!dwarf_follow(type, DW_AT_type, &next))
				return (false);
			*type = next;
			break;
		default:
			return (true);
		}
	}
	return (false);
}

static bool
is_same(Dwarf_Die *a, Dwarf_Die *b, unsigned depth, unsigned *steps)
{
	Dwarf_Die one = *a, other = *b;

	/* A type that ends in void is compared as far as it is known. */
	(void)dwarf_strip(&one);
	(void)dwarf_strip(&other);
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
