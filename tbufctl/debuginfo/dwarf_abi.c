/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Places of parameters by the System V ABI of x86-64, and by that of aarch64:
 * which of a call's words has a parameter's value.  The first words are the
 * registers that pass integers, further ones the stack's, on x86-64 after the
 * return address.
 */
#include <dwarf.h>
#include <string.h>

#include "dwarf_function.h"

#define REGISTERS	DWARF_REGISTERS
#define VECTORS		8u	/* registers that pass floating point */
#define WORD		8u
#define DEPTH_MAX	16	/* of types in types */
#define STEPS_MAX	256u	/* through types in types */
#define STACK_MAX	(1u << 20)	/* bytes of a value */

/* The class of a word, as the ABI calls it. */
enum { NO_CLASS, VECTOR = 1, INTEGER = 2, MEMORY = 4 };

struct value {
	uint64_t size;
	unsigned align;
	unsigned class[2];	/* of its words; MEMORY: of all of them */
	unsigned steps;
	bool by_address;	/* C++ passes the address of a copy */
};

bool
dwarf_plain_type(Dwarf_Die *of, Dwarf_Die *type)
{
	Dwarf_Die next;
	unsigned i;

	if (!dwarf_follow(of, DW_AT_type, type))
		return (false);
	for (i = 0; i < DEPTH_MAX; i++) {
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

static void	classify(Dwarf_Die *type, struct value *, uint64_t at,
		    unsigned depth);

/* A member that crosses a word's end at an odd place makes it memory. */
static void
add(struct value *v, uint64_t at, uint64_t size, unsigned class)
{
	uint64_t word;

	if (size == 0 || at + size > 2 * WORD) {
		v->class[0] |= MEMORY;
		return;
	}
	for (word = at / WORD; word <= (at + size - 1) / WORD; word++)
		v->class[word] |= class;
}

static void
classify_members(Dwarf_Die *type, struct value *v, uint64_t at, unsigned depth)
{
	Dwarf_Die child, of;
	uint64_t offset;
	int tag;

	if (dwarf_child(type, &child) != 0)
		return;
	do {
		tag = dwarf_tag(&child);
		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
		    dwarf_hasattr(&child, DW_AT_external) ||
		    dwarf_hasattr(&child, DW_AT_declaration))
			continue;
		if (dwarf_hasattr(&child, DW_AT_bit_size)) {
			v->class[0] |= INTEGER;
			v->class[1] |= v->size > WORD ? INTEGER : NO_CLASS;
			continue;
		}
		offset = 0;
		(void)dwarf_number(&child, DW_AT_data_member_location,
		    &offset);
		if (offset > 2 * WORD || !dwarf_plain_type(&child, &of)) {
			v->class[0] |= MEMORY;
			return;
		}
		classify(&of, v, at + offset, depth + 1);
	} while (v->steps++ < STEPS_MAX &&
	    dwarf_siblingof(&child, &child) == 0);
}

static void
classify_base(Dwarf_Die *type, struct value *v, uint64_t at, uint64_t size)
{
	const char *name = dwarf_diename(type);
	uint64_t encoding = 0;

	(void)dwarf_number(type, DW_AT_encoding, &encoding);
	if (encoding != DW_ATE_float && encoding != DW_ATE_complex_float &&
	    encoding != DW_ATE_decimal_float &&
	    encoding != DW_ATE_imaginary_float)
		add(v, at, size, INTEGER);
	else if (size > 2 * WORD || (name != NULL &&
	    strncmp(name, "long double", strlen("long double")) == 0))
		v->class[0] |= MEMORY;
	else
		add(v, at, size, VECTOR);
	if (size == 2 * WORD && encoding != DW_ATE_complex_float)
		v->align = 2 * WORD;
}

static void
classify_array(Dwarf_Die *type, struct value *v, uint64_t at, unsigned depth)
{
	uint64_t size = 0, all = 0;
	Dwarf_Die of;

	if (dwarf_aggregate_size(type, &all) != 0 ||
	    !dwarf_plain_type(type, &of) ||
	    dwarf_aggregate_size(&of, &size) != 0 || size == 0) {
		v->class[0] |= MEMORY;
		return;
	}
	if (dwarf_hasattr(type, DW_AT_GNU_vector)) {
		add(v, at, all, VECTOR);
		return;
	}
	for (; all >= size && (v->class[0] & MEMORY) == 0; all -= size,
	    at += size)
		classify(&of, v, at, depth + 1);
}

static void
classify(Dwarf_Die *type, struct value *v, uint64_t at, unsigned depth)
{
	uint64_t size = WORD;

	if (depth > DEPTH_MAX || v->steps++ > STEPS_MAX) {
		v->class[0] |= MEMORY;
		return;
	}
	(void)dwarf_number(type, DW_AT_byte_size, &size);
	switch (dwarf_tag(type)) {
	case DW_TAG_base_type:
		classify_base(type, v, at, size);
		break;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		classify_members(type, v, at, depth);
		break;
	case DW_TAG_array_type:
		classify_array(type, v, at, depth);
		break;
	case DW_TAG_ptr_to_member_type:
		v->class[0] |= MEMORY;
		break;
	default:
		add(v, at, size, INTEGER);
	}
}

static bool
is_composite(int tag)
{
	return (tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
	    tag == DW_TAG_union_type || tag == DW_TAG_array_type);
}

/*
 * Finds the classes of a value.  Returns false if they are not certain: then
 * the places of later parameters are not known either.
 */
static bool
value_of(Dwarf_Die *type, struct value *v)
{
	uint64_t convention = 0;

	*v = (struct value){ .size = WORD, .align = WORD };
	if (is_composite(dwarf_tag(type))) {
		if (dwarf_hasattr(type, DW_AT_declaration) ||
		    dwarf_aggregate_size(type, &v->size) != 0 ||
		    dwarf_hasattr(type, DW_AT_alignment) ||
		    (dwarf_hasattr(type, DW_AT_GNU_vector) &&
		    v->size > 2 * WORD))
			return (false);
		(void)dwarf_number(type, DW_AT_calling_convention,
		    &convention);
		if (convention == DW_CC_pass_by_reference) {
			v->by_address = true;
			v->size = WORD;
			v->class[0] = INTEGER;
			return (true);
		}
	} else if (dwarf_tag(type) == DW_TAG_ptr_to_member_type)
		return (false);
	else
		(void)dwarf_number(type, DW_AT_byte_size, &v->size);
	classify(type, v, 0, 0);
	return (true);
}

/* Returns a value's first word on the stack, and takes its words. */
static unsigned
take_stack(struct dwarf_call *call, const struct value *v)
{
	unsigned first;

	if (v->align > WORD)
		call->stack = (call->stack + 1) & ~1u;
	first = call->stack;
	call->stack += ((v->size < STACK_MAX ? (unsigned)v->size : STACK_MAX) +
	    WORD - 1) / WORD;
	return (REGISTERS + first);
}

/* The registers that have a value, if there are as many; else memory has it. */
struct need {
	unsigned integers, vectors;
	bool memory;
};

#ifdef __aarch64__
#define VECTORS_BYTES	64u	/* most of a structure in such registers */

/*
 * Returns false for a structure that vector registers may have: as many as it
 * has members, if all are of one type.
 */
static bool
need_of(Dwarf_Die *type, struct value *v, struct need *n)
{
	bool integer = ((v->class[0] | v->class[1]) & INTEGER) != 0;
	bool composite = is_composite(dwarf_tag(type));
	uint64_t encoding = 0;

	*n = (struct need){ .memory = false };
	(void)dwarf_number(type, DW_AT_encoding, &encoding);
	if (!integer) {
		n->vectors = 1;
		if (encoding == DW_ATE_complex_float ||
		    (composite && v->size <= VECTORS_BYTES))
			return (false);
	}
	/* The address of a copy. */
	if (composite && v->size > 2 * WORD) {
		*v = (struct value){ .size = WORD, .align = WORD };
		integer = true;
	}
	if (integer)
		*n = (struct need){ .integers =
		    (unsigned)(v->size + WORD - 1) / WORD };
	return (true);
}

/* Takes the registers of a value; false if there are no more of them. */
static bool
take_registers(struct dwarf_call *call, const struct value *v,
    const struct need *n)
{
	unsigned first = call->integers;

	if (n->integers > 1 && v->align > WORD)
		first = (first + 1) & ~1u;
	if (n->integers > 0)
		call->integers = first + n->integers;
	call->vectors += n->vectors;
	if (call->integers <= REGISTERS && call->vectors <= VECTORS)
		return (true);
	/* Later values are in memory, too. */
	if (call->integers > REGISTERS)
		call->integers = REGISTERS;
	if (call->vectors > VECTORS)
		call->vectors = VECTORS;
	return (false);
}
#else
static bool
need_of(Dwarf_Die *type, struct value *v, struct need *n)
{
	unsigned i;

	(void)type;
	*n = (struct need){ .memory = v->size > 2 * WORD ||
	    ((v->class[0] | v->class[1]) & MEMORY) != 0 };
	for (i = 0; i < 2; i++) {
		n->integers += (v->class[i] & INTEGER) != 0;
		n->vectors += v->class[i] == VECTOR;
	}
	return (true);
}

/* Takes the registers of a value; false if there are not as many. */
static bool
take_registers(struct dwarf_call *call, const struct value *v,
    const struct need *n)
{

	(void)v;
	if (call->integers + n->integers > REGISTERS ||
	    call->vectors + n->vectors > VECTORS)
		return (false);
	call->integers += n->integers;
	call->vectors += n->vectors;
	return (true);
}
#endif

bool
dwarf_call_take(struct dwarf_call *call, Dwarf_Die *type, unsigned *word)
{
	struct value v;
	struct need n;

	*word = DWARF_NO_WORD;
	if (!value_of(type, &v) || !need_of(type, &v, &n))
		return (false);
	if (n.integers + n.vectors == 0 && !n.memory)
		return (true);
	if (n.memory || !take_registers(call, &v, &n))
		*word = take_stack(call, &v);
	else if (n.integers > 0)
		*word = call->integers - n.integers;
	return (true);
}

/* On aarch64 register 8 has the address of a structure that is returned. */
bool
dwarf_call_result(struct dwarf_call *call, Dwarf_Die *function)
{
	struct value v;
	Dwarf_Die type;
	struct need n;

	*call = (struct dwarf_call){ .stack = 0 };
	if (DWARF_REGISTERS > 6 ||
	    !dwarf_hasattr_integrate(function, DW_AT_type))
		return (true);
	if (!dwarf_plain_type(function, &type) || !value_of(&type, &v) ||
	    !need_of(&type, &v, &n))
		return (false);
	/* A structure in memory: its address is the first word. */
	call->integers = v.by_address || (is_composite(dwarf_tag(&type)) &&
	    n.memory);
	return (true);
}
