/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Places of parameters by the System V ABI of x86-64, and by that of aarch64:
 * which of a call's words, or which vector register, has a parameter's value.
 * The first words are the registers that pass integers, further ones the
 * stack's, on x86-64 after the return address.
 */
#include <dwarf.h>
#include <string.h>

#include "dwarf_function.h"
#include "pid/types.h"

#define REGISTERS	DWARF_REGISTERS
#define VECTORS		PID_VECTORS
#define WORD		8u
#define DEPTH_MAX	16	/* of types in types */
#define STEPS_MAX	2000u	/* through types in types */
#define STACK_MAX	(1u << 20)	/* bytes of a value */
#define FLOATS_MAX	DWARF_FLOATS	/* in a value's vector registers */

/*
 * The class of a word, as the ABI of x86-64 calls it; UPPER is the second word
 * of a value that has both words of one vector register.
 */
enum { NO_CLASS, VECTOR = 1, INTEGER = 2, MEMORY = 4, UPPER = 8 };

/* A floating-point number in a value, or a vector. */
struct part {
	uint64_t at;
	unsigned size;
	uint64_t encoding;	/* 0: a vector */
};

struct value {
	uint64_t size;
	unsigned align;
	unsigned class[2];	/* of its words; MEMORY: of all of them */
	unsigned steps;
	bool by_address;	/* of a copy */
	bool uncertain;		/* compilers do not agree on it */
	bool has_integers;	/* or pointers */
	unsigned nextended;	/* numbers of 80 bits */
	unsigned nfloats;	/* more than FLOATS_MAX: so many at least */
	struct part floats[FLOATS_MAX + 1];
};

static void	classify(Dwarf_Die *type, struct value *, uint64_t at,
		    unsigned depth);

static void
add_class(struct value *v, uint64_t at, uint64_t size, unsigned class)
{
	uint64_t word;

	if (size == 0 || size > 2 * WORD || at > 2 * WORD - size) {
		v->class[0] |= MEMORY;
		return;
	}
	for (word = at / WORD; word <= (at + size - 1) / WORD; word++)
		v->class[word] |= class;
}

/* A member that is not aligned makes a value memory on x86-64. */
static void
add_integer(struct value *v, uint64_t at, uint64_t size)
{

	v->has_integers = true;
	if (size > WORD)
		v->align = 2 * WORD;
	add_class(v, at, size, size > 0 && at % size == 0 ? INTEGER : MEMORY);
}

/* Members of a union may be the same number. */
static void
add_float(struct value *v, uint64_t at, uint64_t size, uint64_t encoding)
{
	struct part one = { at, (unsigned)size, encoding };
	unsigned i;

	if (size == 0 || size > 2 * WORD) {
		v->uncertain = true;
		return;
	}
	if (size > WORD)
		v->align = 2 * WORD;
	for (i = 0; i < v->nfloats; i++)
		if (v->floats[i].at == at && v->floats[i].size == size &&
		    v->floats[i].encoding == encoding)
			return;
	if (v->nfloats <= FLOATS_MAX)
		v->floats[v->nfloats++] = one;
	if (at % size != 0)
		v->class[0] |= MEMORY;
	else if (size <= WORD)
		add_class(v, at, size, VECTOR);
	else {
		add_class(v, at, WORD, VECTOR);
		add_class(v, at + WORD, WORD, UPPER);
	}
}

/*
 * Adds a bit-field, whose first bit is counted from the most significant one of
 * an integer at the location in older DWARF.
 */
static void
add_bits(Dwarf_Die *member, struct value *v, uint64_t at, uint64_t bits)
{
	uint64_t first, location = 0, from_top, size = 0;
	Dwarf_Die type;

	if (!dwarf_number(member, DW_AT_data_bit_offset, &first)) {
		(void)dwarf_location(member, &location);
		if (!dwarf_number(member, DW_AT_byte_size, &size) &&
		    dwarf_plain_type(member, &type))
			(void)dwarf_number(&type, DW_AT_byte_size, &size);
		from_top = 8 * size - bits;
		(void)dwarf_number(member, DW_AT_bit_offset, &from_top);
		first = 8 * (location + size) - from_top - bits;
	}
	v->has_integers = true;
	if (bits > 64 || first > 8 * 2 * WORD)
		v->class[0] |= MEMORY;
	else if (bits > 0)
		add_class(v, at + first / 8, (first % 8 + bits + 7) / 8,
		    INTEGER);
}

static void
classify_members(Dwarf_Die *type, struct value *v, uint64_t at, unsigned depth)
{
	uint64_t offset, bits;
	Dwarf_Die child, of;
	int tag;

	if (dwarf_child(type, &child) != 0)
		return;
	do {
		tag = dwarf_tag(&child);
		v->uncertain |= tag == DW_TAG_variant_part ||
		    v->steps++ > STEPS_MAX;
		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
		    dwarf_hasattr(&child, DW_AT_external) ||
		    dwarf_hasattr(&child, DW_AT_declaration))
			continue;
		if (dwarf_number(&child, DW_AT_bit_size, &bits)) {
			add_bits(&child, v, at, bits);
			continue;
		}
		if (!dwarf_location(&child, &offset) ||
		    offset > STACK_MAX || !dwarf_plain_type(&child, &of) ||
		    dwarf_hasattr(&child, DW_AT_alignment)) {
			v->uncertain = true;
			return;
		}
		classify(&of, v, at + offset, depth + 1);
	} while (!v->uncertain && dwarf_siblingof(&child, &child) == 0);
}

/* Returns true for numbers of 80 bits, which are never in such registers. */
static bool
is_extended(Dwarf_Die *type, uint64_t size)
{
	static const char *const names[] = {
		"long double", "_Float64x", "__float80"
	};
	const char *name = dwarf_diename(type);
	unsigned i;

	if (DWARF_REGISTERS > 6 || size <= WORD || name == NULL)
		return (false);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strstr(name, names[i]) != NULL)
			return (true);
	return (false);
}

static void
classify_base(Dwarf_Die *type, struct value *v, uint64_t at, uint64_t size)
{
	uint64_t encoding = 0, one;

	(void)dwarf_number(type, DW_AT_encoding, &encoding);
	one = encoding == DW_ATE_complex_float ? size / 2 : size;
	if (encoding != DW_ATE_float && encoding != DW_ATE_complex_float &&
	    encoding != DW_ATE_decimal_float &&
	    encoding != DW_ATE_imaginary_float)
		add_integer(v, at, size);
	else if (is_extended(type, one)) {
		v->class[0] |= MEMORY;
		v->align = 2 * WORD;
		v->nextended++;
	} else if (encoding == DW_ATE_complex_float) {
		add_float(v, at, one, DW_ATE_float);
		add_float(v, at + one, one, DW_ATE_float);
	} else
		add_float(v, at, size, encoding);
}

static void
classify_array(Dwarf_Die *type, struct value *v, uint64_t at, unsigned depth)
{
	uint64_t size = 0, all = 0, end;
	Dwarf_Die of;

	if (dwarf_aggregate_size(type, &all) != 0 ||
	    !dwarf_plain_type(type, &of) ||
	    dwarf_aggregate_size(&of, &size) != 0 || size == 0) {
		v->uncertain = true;
		return;
	}
	if (dwarf_hasattr(type, DW_AT_GNU_vector)) {
		/* Compilers do not agree on vectors of one number. */
		if ((all != WORD && all != 2 * WORD) || all == size)
			v->uncertain = true;
		else
			add_float(v, at, all, 0);
		return;
	}
	if (all > 2 * WORD)
		v->class[0] |= MEMORY;
	/* More elements change nothing. */
	for (end = at + all; at + size <= end && !v->uncertain && (at <
	    2 * WORD || (!v->has_integers && v->nfloats <= FLOATS_MAX));
	    at += size)
		classify(&of, v, at, depth + 1);
}

bool
dwarf_member_pointer(Dwarf_Die *type, uint64_t *size)
{
	Dwarf_Die of;

	if (!dwarf_plain_type(type, &of))
		return (false);
	*size = dwarf_tag(&of) == DW_TAG_subroutine_type ? 2 * WORD : WORD;
	return (true);
}

/*
 * A pointer to a member is an offset; one to a function of a class, an address
 * and an offset.
 */
static void
classify_member_pointer(Dwarf_Die *type, struct value *v, uint64_t at)
{
	uint64_t size = 0;

	v->uncertain |= !dwarf_member_pointer(type, &size);
	for (; size > 0 && !v->uncertain; size -= WORD, at += WORD)
		add_integer(v, at, WORD);
}

static void
classify(Dwarf_Die *type, struct value *v, uint64_t at, unsigned depth)
{
	uint64_t size = WORD;

	if (depth > DEPTH_MAX || v->steps++ > STEPS_MAX) {
		v->uncertain = true;
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
		classify_member_pointer(type, v, at);
		break;
	default:
		add_integer(v, at, size);
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

	*v = (struct value){ .size = WORD, .align = WORD };
	if (is_composite(dwarf_tag(type))) {
		if (dwarf_hasattr(type, DW_AT_declaration))
			return (false);
		if (dwarf_by_address(type)) {
			v->by_address = v->has_integers = true;
			v->class[0] = INTEGER;
			return (true);
		}
		if (dwarf_aggregate_size(type, &v->size) != 0 ||
		    dwarf_hasattr(type, DW_AT_alignment))
			return (false);
	} else if (dwarf_tag(type) != DW_TAG_ptr_to_member_type ||
	    !dwarf_member_pointer(type, &v->size))
		(void)dwarf_number(type, DW_AT_byte_size, &v->size);
	classify(type, v, 0, 0);
	return (!v->uncertain);
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
/*
 * Returns true if each of a value's floating-point numbers, or vectors, has a
 * register of its own: they are of one type, and there is nothing else.
 */
static bool
is_homogeneous(const struct value *v)
{
	unsigned i;

	if (v->has_integers || v->nfloats == 0 || v->nfloats > FLOATS_MAX ||
	    v->nfloats * v->floats[0].size != v->size)
		return (false);
	for (i = 1; i < v->nfloats; i++)
		if (v->floats[i].size != v->floats[0].size ||
		    v->floats[i].encoding != v->floats[0].encoding)
			return (false);
	return (true);
}

static void
need_of(struct value *v, struct need *n)
{

	*n = (struct need){ .memory = false };
	if (is_homogeneous(v)) {
		n->vectors = v->nfloats;
		return;
	}
	/* The address of a copy. */
	if (v->size > 2 * WORD)
		*v = (struct value){ .size = WORD, .align = WORD,
		    .by_address = true };
	n->integers = (unsigned)(v->size + WORD - 1) / WORD;
}

/* Returns the register of a number, of which a value has `first` on. */
static unsigned
vector_of(const struct value *v, const struct part *one, unsigned first)
{

	return (is_homogeneous(v) ? PID_VECTOR |
	    (first + (unsigned)(one->at / one->size)) : 0);
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
/* Returns true if a word begins in a vector register of its own. */
static bool
begins_vector(const struct value *v, unsigned word)
{

	return ((v->class[word] & INTEGER) == 0 && ((v->class[word] &
	    VECTOR) != 0 || ((v->class[word] & UPPER) != 0 &&
	    (v->class[0] & INTEGER) != 0)));
}

static void
need_of(struct value *v, struct need *n)
{
	unsigned i;

	*n = (struct need){ .memory = v->size > 2 * WORD ||
	    ((v->class[0] | v->class[1]) & MEMORY) != 0 };
	for (i = 0; i < 2; i++) {
		n->integers += (v->class[i] & INTEGER) != 0;
		n->vectors += begins_vector(v, i);
	}
}

/*
 * Returns the register of a number, of which a value has `first` on; 0 if it is
 * in a general one.
 */
static unsigned
vector_of(const struct value *v, const struct part *one, unsigned first)
{
	unsigned word = one->at / WORD;

	if (!begins_vector(v, word))
		return (0);
	return (PID_VECTOR | (one->at % WORD != 0 ? PID_UPPER : 0) |
	    (first + (word == 1 && begins_vector(v, 0))));
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

/* Returns true if two numbers share bytes, as members of a union do. */
static bool
overlaps(const struct value *v)
{
	unsigned i, j;

	for (i = 0; i < v->nfloats; i++)
		for (j = 0; j < i; j++)
			if (v->floats[i].at < v->floats[j].at +
			    v->floats[j].size && v->floats[j].at <
			    v->floats[i].at + v->floats[i].size)
				return (true);
	return (false);
}

/* Finds the numbers in the vector registers from `first` on. */
static void
find_floats(const struct value *v, unsigned first, struct dwarf_taken *t)
{
	const struct part *one = v->floats;
	unsigned vector;

	if (v->nfloats > FLOATS_MAX || overlaps(v))
		return;
	for (; one < v->floats + v->nfloats; one++)
		if (one->encoding == DW_ATE_float &&
		    (one->size == 4 || one->size == 8) &&
		    (vector = vector_of(v, one, first)) != 0)
			t->floats[t->nfloats++] = (struct dwarf_float){
				(uint8_t)vector, one->size == 4 ?
				TBUF_FLOAT : TBUF_DOUBLE
			};
}

bool
dwarf_call_take(struct dwarf_call *call, Dwarf_Die *type,
    struct dwarf_taken *t)
{
	struct value v;
	struct need n;

	*t = (struct dwarf_taken){ .word = DWARF_NO_WORD };
	if (!value_of(type, &v))
		return (false);
	need_of(&v, &n);
	if (n.integers + n.vectors == 0 && !n.memory)
		return (true);
	/* Older versions of clang put a half into the last register. */
	if (REGISTERS == 6 && call->integers + 1 == REGISTERS &&
	    n.integers == 2 && !is_composite(dwarf_tag(type)))
		return (false);
	if (n.memory || !take_registers(call, &v, &n)) {
		t->word = take_stack(call, &v);
		return (true);
	}
	if (n.integers > 0)
		t->word = call->integers - n.integers;
	t->is_whole = !v.by_address && n.vectors == 0 &&
	    n.integers == (v.size + WORD - 1) / WORD;
	if (n.vectors > 0)
		find_floats(&v, call->vectors - n.vectors, t);
	return (true);
}

bool
dwarf_passes_address(Dwarf_Die *type)
{
	struct value v;
	struct need n;

	if (!is_composite(dwarf_tag(type)) || !value_of(type, &v))
		return (false);
	need_of(&v, &n);
	return (v.by_address);
}

/*
 * On aarch64 register 8 has the address of a structure that is returned, and no
 * register when the function has returned.
 */
bool
dwarf_returns_address(Dwarf_Die *type)
{
	struct value v;
	struct need n;

	if (DWARF_REGISTERS > 6 || !is_composite(dwarf_tag(type)) ||
	    !value_of(type, &v))
		return (false);
	need_of(&v, &n);
	/* One number of 80 bits, and nothing else, is in a register of these. */
	if (!v.by_address && v.size == 2 * WORD && v.nextended == 1 &&
	    !v.has_integers && v.nfloats == 0)
		return (false);
	return (v.by_address || n.memory);
}

bool
dwarf_call_result(struct dwarf_call *call, Dwarf_Die *function)
{
	struct value v;
	Dwarf_Die type;

	*call = (struct dwarf_call){ .stack = 0 };
	if (DWARF_REGISTERS > 6 ||
	    !dwarf_hasattr_integrate(function, DW_AT_type))
		return (true);
	if (!dwarf_plain_type(function, &type) || !value_of(&type, &v))
		return (false);
	/* The address of a structure in memory is the first word. */
	call->integers = dwarf_returns_address(&type);
	return (true);
}
