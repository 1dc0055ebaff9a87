/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Parameters of functions.  DWARF says where a parameter is at the function's
 * first instruction, if the compiler has optimized the function; else the
 * parameter's place is that of the ABI.  A copy of a function that the compiler
 * made for certain callers goes by DWARF alone.
 */
#include <ctype.h>
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/messages.h"
#include "dwarf_function.h"
#include "pid/name.h"
#include "pid/types.h"

#define PARAMETERS_MAX	64u
#define QUALIFIERS_MAX	16u	/* of a type */
#define NAME_MAX_BYTES	63u	/* of an argument, see tbuf.h */
#define CFA_OF_RBP	16	/* a frame's address, from its rbp */
#define WORD		8

static const char no_type[] = "D has no type for its floating-point format";
static const char complex_number[] = "it is a complex number";
static const char too_many[] = "ten others have all numbers";
static const char by_value[] = "it is a structure that is passed by value";
static const char by_member[] = "it is a structure that is passed by value; "
    "its members may be read";
static const char optimized[] = "the compiler has optimized it away";
static const char odd_place[] = "the function has a call of its own";
static const char missing[] = "the debug information lacks parameters that "
    "are not used";
static const char by_address[] = "its address is passed";
static const char moved[] = "the debug information has no place of it at the "
    "entry";
static const char late[] = "it is not among the first ten words of the call";
static const char wide[] = "it has more than 64 bits";

/*
 * DWARF's number of the first vector register, and places relative to the frame
 * of a function.
 */
#ifdef __aarch64__
#define VECTOR_FIRST	64u
#define STACK_POINTER	DW_OP_breg31
#define FRAME_AT_ENTRY	0	/* from the stack pointer on */
#define FRAME_POINTER	DW_OP_breg29
#else
#define VECTOR_FIRST	17u
#define STACK_POINTER	DW_OP_breg7
#define FRAME_AT_ENTRY	WORD
#define FRAME_POINTER	DW_OP_breg6
#endif

/*
 * A value's place at an entry: a word of a call, or a vector register, which is
 * PID_VECTOR and its number.
 */
struct slot {
	unsigned word;		/* DWARF_NO_WORD */
	unsigned vector;	/* 0 */
};

static const struct slot nowhere = { DWARF_NO_WORD, 0 };

/* The place of a value that a DWARF register has. */
static struct slot
slot_of_register(uint64_t number)
{
#ifdef __aarch64__
	static const uint8_t order[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
#else
	static const uint8_t order[] = { 5, 4, 1, 2, 8, 9 };
#endif
	struct slot slot = nowhere;
	unsigned i;

	if (number >= VECTOR_FIRST && number < VECTOR_FIRST + PID_VECTORS)
		slot.vector = PID_VECTOR | (unsigned)(number - VECTOR_FIRST);
	for (i = 0; i < sizeof(order); i++)
		if (order[i] == number)
			slot.word = i;
	return (slot);
}

/* --- places by DWARF ------------------------------------------------------ */

enum place {
	PLACE_KNOWN,
	PLACE_ABI,		/* DWARF has the place after the prologue */
	PLACE_ADDRESS,		/* the value is at an address that is passed */
	PLACE_NONE		/* there is no value at the entry */
};

/*
 * Finds the frame's base, as an offset from the frame's address.  DWARF 2 has
 * that address as a list of places, of which the first one is at the entry.
 */
static bool
frame_base(Dwarf_Die *function, Dwarf_Addr entry, int64_t *base)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;

	if (dwarf_attr_integrate(function, DW_AT_frame_base, &attr) == NULL ||
	    dwarf_getlocation_addr(&attr, entry, &ops, &n, 1) != 1 || n != 1)
		return (false);
	*base = 0;
	if (ops[0].atom == STACK_POINTER && ops[0].number == FRAME_AT_ENTRY)
		return (true);
#ifdef __x86_64__
	if (ops[0].atom == DW_OP_reg6) {
		*base = -CFA_OF_RBP;
		return (true);
	}
#endif
	return (ops[0].atom == DW_OP_call_frame_cfa);
}

static enum place
place_of_op(Dwarf_Die *function, Dwarf_Addr entry, const Dwarf_Op *op,
    struct slot *slot)
{
	int64_t base, at;

	if ((op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31) ||
	    op->atom == DW_OP_regx) {
		*slot = slot_of_register(op->atom == DW_OP_regx ? op->number :
		    (uint64_t)op->atom - DW_OP_reg0);
		return (PLACE_KNOWN);
	}
	if (op->atom != DW_OP_fbreg)
		return (PLACE_NONE);
	at = (int64_t)op->number;
	if (!frame_base(function, entry, &base) || at > 4096 || at + base < 0 ||
	    (at + base) % WORD != 0)
		return (PLACE_ABI);
	*slot = nowhere;
	slot->word = DWARF_REGISTERS + (unsigned)((at + base) / WORD);
	return (PLACE_KNOWN);
}

/* An object is at the address that a register has. */
static enum place
place_of_address(const Dwarf_Op *op, struct slot *slot)
{
	if (op->atom < DW_OP_breg0 || op->atom > DW_OP_breg31 ||
	    op->number != 0)
		return (PLACE_ABI);
	*slot = slot_of_register((uint64_t)op->atom - DW_OP_breg0);
	return (PLACE_KNOWN);
}

/* Returns true if DWARF has a value, or parts of one, and no place of it. */
static bool
is_implicit(const Dwarf_Op *ops, size_t n)
{
	bool has_part = false;
	size_t i;

	for (i = 0; i < n; i++)
		switch (ops[i].atom) {
		case DW_OP_stack_value:
		case DW_OP_implicit_value:
		case DW_OP_implicit_pointer:
		case DW_OP_GNU_implicit_pointer:
			return (true);
		case DW_OP_piece:
			if (!has_part)
				return (true);
			has_part = false;
			break;
		default:
			has_part = true;
		}
	return (false);
}

/*
 * Returns true if a value is at an address that a word or a register has, and
 * that is not in the frame.
 */
static bool
is_reference(const Dwarf_Op *ops, size_t n)
{
	if (n == 2)
		return (ops[1].atom == DW_OP_deref);
	return (n == 1 && (ops[0].atom == DW_OP_bregx ||
	    (ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31 &&
	    ops[0].atom != STACK_POINTER && ops[0].atom != FRAME_POINTER)));
}

/*
 * `is_object` is true for an object that is passed by address: clang says where
 * it is from the end of the prologue on.
 */
static enum place
place_of(Dwarf_Die *function, Dwarf_Die *parameter, Dwarf_Addr entry,
    bool is_object, struct slot *slot)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;

	if (dwarf_attr(parameter, DW_AT_location, &attr) == NULL)
		return (PLACE_NONE);
	if (dwarf_getlocation_addr(&attr, entry, &ops, &n, 1) != 1)
		return (is_object ? PLACE_ABI : PLACE_NONE);
	if (is_implicit(ops, n) && !is_object)
		return (PLACE_NONE);
	if (!is_object && is_reference(ops, n))
		return (PLACE_ADDRESS);
	if (n != 1)
		return (PLACE_ABI);
	return (is_object ? place_of_address(ops, slot) :
	    place_of_op(function, entry, ops, slot));
}

/* --- types of words ------------------------------------------------------- */

/*
 * Returns the type of an integer, a pointer or a floating-point number;
 * TBUF_NONE for another value.
 */
static enum tbuf_type
type_of(Dwarf_Die *type)
{
	static const enum tbuf_type types[2][4] = {
		{ TBUF_UINT8, TBUF_UINT16, TBUF_UINT32, TBUF_UINT64 },
		{ TBUF_INT8, TBUF_INT16, TBUF_INT32, TBUF_INT64 }
	};
	uint64_t encoding = DW_ATE_unsigned, size = WORD;
	const char *name = dwarf_diename(type);
	Dwarf_Die base;
	unsigned log = 0;
	bool is_signed;

	switch (dwarf_tag(type)) {
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		return (TBUF_POINTER);
	case DW_TAG_ptr_to_member_type:
		return (dwarf_member_pointer(type, &size) && size == WORD ?
		    TBUF_INT64 : TBUF_NONE);
	case DW_TAG_enumeration_type:
		encoding = DW_ATE_signed;
		if (dwarf_plain_type(type, &base))
			(void)dwarf_number(&base, DW_AT_encoding, &encoding);
		break;
	case DW_TAG_base_type:
		(void)dwarf_number(type, DW_AT_encoding, &encoding);
		break;
	default:
		return (TBUF_NONE);
	}
	(void)dwarf_number(type, DW_AT_byte_size, &size);
	if (encoding == DW_ATE_boolean && size == 1)
		return (TBUF_BOOL);
	if (encoding == DW_ATE_float)
		return (size == 4 ? TBUF_FLOAT : size == 8 ? TBUF_DOUBLE :
		    TBUF_NONE);
	if (name != NULL && strcmp(name, "char") == 0)
		return (TBUF_CHAR);
	is_signed = encoding == DW_ATE_signed ||
	    encoding == DW_ATE_signed_char;
	while (log < 4 && (uint64_t)1 << log != size)
		log++;
	if (log == 4 || (!is_signed && encoding != DW_ATE_unsigned &&
	    encoding != DW_ATE_unsigned_char && encoding != DW_ATE_boolean &&
	    encoding != DW_ATE_UTF))
		return (TBUF_NONE);
	return (types[is_signed][log]);
}

/* Returns why the words of a call do not have a value of this type. */
static const char *
why_not(Dwarf_Die *type)
{
	uint64_t encoding = 0;

	if (dwarf_tag(type) == DW_TAG_ptr_to_member_type)
		return (wide);
	if (dwarf_tag(type) != DW_TAG_base_type)
		return (by_value);
	(void)dwarf_number(type, DW_AT_encoding, &encoding);
	if (encoding == DW_ATE_complex_float)
		return (complex_number);
	return (encoding == DW_ATE_float || encoding == DW_ATE_decimal_float ?
	    no_type : wide);
}

/* --- one function --------------------------------------------------------- */

struct gather {
	struct dwarf_function f;
	Dwarf_Die *die;
	struct dwarf_call call;
	bool knows_abi;		/* so far */
	bool is_copy;
	bool is_external;	/* other files may call it */
	bool is_variadic;
	unsigned known;		/* parameters before any that is missing */
	bool promotes;		/* numbers of type float to double */
	/* Parameters have one place for all of the function (Free Pascal). */
	bool has_one_place;
	unsigned taken;		/* words that parameters have: bits */
	struct dwarf_word vectors[2 * PID_VECTORS];
	unsigned nvectors;
	const char *path;	/* of a member that is looked for, or NULL */
	uint64_t at;		/* its place in the words, in bytes */
	Dwarf_Die member;
	bool is_found;
};

static bool
is_name(const char *name)
{
	size_t i;

	if (name == NULL || *name == '\0' || strlen(name) > NAME_MAX_BYTES)
		return (false);
	for (i = 0; name[i] != '\0'; i++)
		if (!isalnum((unsigned char)name[i]) && name[i] != '_')
			return (false);
	return (!isdigit((unsigned char)*name));
}

static void
lack(struct gather *g, const char *name, const char *why)
{
	if (is_name(name) && g->f.nlacks < TBUF_ARGS_MAX)
		g->f.lacks[g->f.nlacks++] = (struct dwarf_lack){ name, why };
}

/* Gives the words up to one to the call; they have no names yet. */
static void
reach(struct gather *g, unsigned word)
{
	for (; g->f.nwords <= word && g->f.nwords < TBUF_ARGS_MAX;
	    g->f.nwords++)
		g->f.words[g->f.nwords] = (struct dwarf_word){ "",
		    TBUF_INT64, 0 };
}

/* Gives a word to the call that a parameter has. */
static void
take_word(struct gather *g, unsigned word)
{

	reach(g, word);
	g->taken |= 1u << word;
}

/*
 * Returns true for a word of the stack that the function stores a register to,
 * as one with the ABI of another system does.
 */
static bool
is_home(const struct gather *g, struct slot abi, struct slot slot)
{

	return (g->knows_abi && slot.word != DWARF_NO_WORD &&
	    slot.word >= DWARF_REGISTERS &&
	    (abi.vector != 0 || abi.word < DWARF_REGISTERS));
}

/*
 * Finds the place of a parameter, or of its address.  Returns NULL, or why it
 * has none; `abi` is the place by the ABI.
 */
static const char *
find_slot(const struct gather *g, Dwarf_Die *parameter, enum tbuf_type type,
    bool is_object, struct slot abi, struct slot *slot)
{
	enum place place = place_of(g->die, parameter, g->f.address,
	    is_object, slot);
	bool is_float = type == TBUF_FLOAT || type == TBUF_DOUBLE;

	/* A function of other files has all parameters that are declared. */
	if (place == PLACE_NONE && !g->is_copy && g->is_external)
		place = PLACE_ABI;
	if (place == PLACE_NONE)
		return (optimized);
	if (place == PLACE_ADDRESS)
		return (by_address);
	if (place == PLACE_ABI) {
		if (!g->is_copy && !g->knows_abi && g->known == 0)
			return (missing);
		if (g->is_copy || !g->knows_abi)
			return (odd_place);
		*slot = abi;
	}
	if (place == PLACE_KNOWN && !g->is_copy && is_home(g, abi, *slot))
		return (odd_place);
	if (g->has_one_place && (!g->knows_abi || slot->word != abi.word ||
	    slot->vector != abi.vector))
		return (moved);
	if (slot->vector != 0 && is_float)
		return (NULL);
	if (slot->word == DWARF_NO_WORD)
		return (odd_place);
	return (slot->word < TBUF_ARGS_MAX ? NULL : late);
}

/* Adds a number in a vector register, which gets its place among the others. */
static void
add_vector(struct gather *g, const char *name, enum tbuf_type type,
    unsigned vector)
{

	if (g->nvectors < 2 * PID_VECTORS)
		g->vectors[g->nvectors++] = (struct dwarf_word){ name, type,
		    (uint8_t)vector };
}

/* Adds the numbers of a structure or a complex number; they have no names. */
static void
add_parts(struct gather *g, const struct dwarf_taken *taken)
{
	unsigned i;

	if (!g->knows_abi || g->is_copy)
		return;
	for (i = 0; i < taken->nfloats; i++)
		add_vector(g, "", taken->floats[i].type,
		    taken->floats[i].vector);
}

/* Finds the member that is looked for in a structure by value. */
static void
find_member(struct gather *g, Dwarf_Die *parameter, Dwarf_Die *type,
    const struct dwarf_taken *taken)
{
	size_t length = g->path == NULL ? 0 : strcspn(g->path, ".");
	const char *name = dwarf_diename(parameter);
	uint64_t offset, size = WORD;
	enum tbuf_type its;
	enum place place;
	struct slot slot;
	Dwarf_Die plain;

	if (length == 0 || g->path[length] == '\0' || name == NULL ||
	    strncmp(name, g->path, length) != 0 || name[length] != '\0' ||
	    !g->knows_abi || g->is_copy || !taken->is_whole)
		return;
	place = place_of(g->die, parameter, g->f.address, false, &slot);
	if (place == PLACE_ADDRESS ||
	    (place == PLACE_NONE && !g->is_external) ||
	    !dwarf_member(type, g->path + length + 1, &g->member, &offset) ||
	    !dwarf_plain_type(&g->member, &plain))
		return;
	its = type_of(&plain);
	g->at = taken->word * (uint64_t)WORD + offset;
	(void)dwarf_number(&plain, DW_AT_byte_size, &size);
	g->is_found = its != TBUF_NONE && its != TBUF_FLOAT &&
	    its != TBUF_DOUBLE && g->at % WORD + size <= WORD;
}

static bool
is_named(Dwarf_Die *type, const char *name)
{
	const char *its = dwarf_diename(type);

	return (its != NULL && strcmp(its, name) == 0);
}

static void
add_parameter(struct gather *g, Dwarf_Die *parameter)
{
	const char *name = dwarf_diename(parameter), *why;
	struct dwarf_taken taken = { .word = DWARF_NO_WORD };
	unsigned before = g->call.integers, i;
	struct slot slot = nowhere;
	enum tbuf_type type;
	Dwarf_Die plain;
	bool is_object;

	if (!dwarf_plain_type(parameter, &plain)) {
		g->knows_abi = false;
		lack(g, name, odd_place);
		return;
	}
	g->knows_abi = g->knows_abi &&
	    dwarf_call_take(&g->call, &plain, &taken);
	for (i = before; i < g->call.integers; i++)
		take_word(g, i);
	is_object = dwarf_passes_address(&plain);
	type = is_object ? TBUF_POINTER : type_of(&plain);
	if (type == TBUF_FLOAT && g->promotes && is_named(&plain, "float"))
		type = TBUF_DOUBLE;
	if (type == TBUF_NONE) {
		add_parts(g, &taken);
		find_member(g, parameter, &plain, &taken);
		why = why_not(&plain);
		lack(g, name, why == by_value && taken.is_whole &&
		    g->knows_abi && !g->is_copy ? by_member : why);
		return;
	}
	if ((why = find_slot(g, parameter, type, is_object, (struct slot){
	    taken.word, taken.nfloats > 0 ? taken.floats[0].vector : 0 },
	    &slot)) != NULL) {
		lack(g, name, why);
		return;
	}
	if (!is_name(name))
		name = "";
	if (slot.vector != 0) {
		add_vector(g, name, type, slot.vector);
		return;
	}
	take_word(g, slot.word);
	g->f.words[slot.word] = (struct dwarf_word){ name, type, 0 };
}

/*
 * Gives numbers to the arguments in vector registers: the first ones that are
 * no parameter's word.  Words of variable arguments are parameters, too, but
 * the last of the ten if there are not as many others.
 */
static void
place_vectors(struct gather *g)
{
	struct dwarf_word *one = g->vectors;
	unsigned i;

	for (i = 0; g->is_variadic && i + g->nvectors < TBUF_ARGS_MAX; i++)
		take_word(g, i);
	for (; one < g->vectors + g->nvectors; one++) {
		for (i = 0; (g->taken & 1u << i) != 0; )
			i++;
		if (i >= TBUF_ARGS_MAX) {
			lack(g, one->name, too_many);
			continue;
		}
		take_word(g, i);
		g->f.words[i] = *one;
	}
}

static bool
is_atomic(Dwarf_Die *parameter)
{
	Dwarf_Die type = *parameter;
	unsigned i;

	for (i = 0; i < QUALIFIERS_MAX && dwarf_follow(&type, DW_AT_type,
	    &type); i++)
		switch (dwarf_tag(&type)) {
		case DW_TAG_atomic_type:
			return (true);
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
			break;
		default:
			return (false);
		}
	return (false);
}

/* Adds the parameters of a function, or of a pack, which are its children. */
static void
add_children(struct gather *g, Dwarf_Die *of)
{
	unsigned n = 0;
	Dwarf_Die child;

	if (dwarf_child(of, &child) != 0)
		return;
	do {
		switch (dwarf_tag(&child)) {
		case DW_TAG_formal_parameter:
			g->knows_abi = g->knows_abi && g->known > 0;
			add_parameter(g, &child);
			g->known -= g->known > 0;
			/* clang does not count the register of such a value. */
			g->knows_abi = g->knows_abi && !is_atomic(&child);
			break;
		case DW_TAG_GNU_formal_parameter_pack:
			if (dwarf_tag(of) == DW_TAG_subprogram)
				add_children(g, &child);
			break;
		case DW_TAG_unspecified_parameters:
			g->is_variadic = true;
		}
	} while (n++ < PARAMETERS_MAX && dwarf_siblingof(&child, &child) == 0);
}

static void
add_parameters(struct gather *g)
{

	if (g->call.integers > 0)
		take_word(g, 0);
	add_children(g, g->die);
}

static bool
entry_of(Dwarf_Die *die, Dwarf_Addr *entry)
{
	Dwarf_Addr base, end;

	return (dwarf_lowpc(die, entry) == 0 ||
	    dwarf_ranges(die, 0, &base, entry, &end) > 0);
}

/* --- local symbols -------------------------------------------------------- */

static int
compare_locals(const void *a, const void *b)
{
	const struct dwarf_local *one = a, *other = b;

	return (one->address < other->address ? -1 :
	    one->address > other->address);
}

static void
add_local(struct dwarf_module *m, uint64_t address, const char *name)
{
	bool reduced = strstr(name, ".isra.") != NULL;

	if (m->nlocals == m->locals_room) {
		m->locals_room = 2 * m->locals_room + 64;
		m->locals = memory_get(m->locals, m->locals_room,
		    sizeof(*m->locals));
	}
	m->locals[m->nlocals++] = (struct dwarf_local){ address, reduced ||
	    strstr(name, ".constprop.") != NULL ||
	    strstr(name, ".part.") != NULL, reduced };
}

static void
find_locals(struct dwarf_module *m)
{
	int i, n = dwarf_symbols(m);
	uint64_t address = 0;
	const char *name;
	bool is_local;

	m->has_locals = true;
	for (i = 0; i < n; i++)
		if ((name = dwarf_symbol_get(m, i, &address, &is_local)) !=
		    NULL && is_local)
			add_local(m, address, name);
	if (m->nlocals > 0)
		qsort(m->locals, m->nlocals, sizeof(*m->locals),
		    compare_locals);
}

/* Returns the local symbol of a function, or NULL. */
static const struct dwarf_local *
local_of(struct dwarf_module *m, Dwarf_Die *die)
{
	struct dwarf_local key = { 0, false, false };

	if (!m->has_locals)
		find_locals(m);
	return (m->nlocals == 0 || !entry_of(die, &key.address) ? NULL :
	    bsearch(&key, m->locals, m->nlocals, sizeof(key),
	    compare_locals));
}

/*
 * Returns false for a copy of a function that may return nothing, as gcc
 * removes a value that no caller uses; its DWARF has the function's type.
 */
static bool
keeps_result(struct dwarf_module *m, Dwarf_Die *die)
{
	const struct dwarf_local *its = local_of(m, die);

	return (its == NULL || !its->may_not_return);
}

static int
language(Dwarf_Die *die)
{
	Dwarf_Die unit;

	return (dwarf_diecu(die, &unit, NULL, NULL) == NULL ? -1 :
	    dwarf_srclang(&unit));
}

/* Callers of a function of C without a prototype promote its arguments. */
static bool
promotes(Dwarf_Die *die)
{

	if (dwarf_hasattr_integrate(die, DW_AT_prototyped))
		return (false);
	switch (language(die)) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
		return (true);
	default:
		return (false);
	}
}

/*
 * Returns true if a parameter has no place at the entry: then all callers may
 * have been changed not to pass it, which moves later ones.
 */
static bool
lacks_parameters(Dwarf_Die *die, Dwarf_Addr entry)
{
	struct slot slot;
	unsigned n = 0;
	Dwarf_Die child, plain;

	if (dwarf_child(die, &child) != 0)
		return (false);
	do
		if (dwarf_tag(&child) == DW_TAG_formal_parameter &&
		    place_of(die, &child, entry,
		    dwarf_plain_type(&child, &plain) &&
		    dwarf_passes_address(&plain), &slot) == PLACE_NONE)
			return (true);
	while (n++ < PARAMETERS_MAX && dwarf_siblingof(&child, &child) == 0);
	return (false);
}

/*
 * Returns true for a function that other files may call.  A linker that
 * compiles all files makes functions local that DWARF still calls external.
 */
static bool
is_external(struct dwarf_module *m, Dwarf_Die *die)
{

	return (dwarf_hasattr_integrate(die, DW_AT_external) &&
	    local_of(m, die) == NULL);
}

/*
 * The entry of a copy is an instance of the function's, or says that calls of
 * it are not of the usual ABI.  clang does not say so of functions that it has
 * changed.
 */
static bool
is_copy(struct dwarf_module *m, Dwarf_Die *die, Dwarf_Addr entry)
{
	const struct dwarf_local *its = local_of(m, die);
	uint64_t convention = DW_CC_normal;
	const char *symbol = dwarf_symbol(die);

	(void)dwarf_number(die, DW_AT_calling_convention, &convention);
	return (convention > DW_CC_program || (its != NULL && its->is_copy) ||
	    (symbol != NULL && strchr(symbol, '.') != NULL) ||
	    (!is_external(m, die) && (lacks_parameters(die, entry) ||
	    (dwarf_hasattr(die, DW_AT_abstract_origin) &&
	    !dwarf_hasattr_integrate(die, DW_AT_external)))));
}

/*
 * Gives all words to a call whose parameters may be anywhere, as those of Rust
 * are; those in vector registers are not in the place of one in a register.
 */
static void
add_unknown(struct gather *g)
{
	unsigned i;

	if (g->knows_abi || g->is_copy)
		return;
	for (i = 0; i < DWARF_REGISTERS; i++)
		take_word(g, i);
	reach(g, TBUF_ARGS_MAX - 1);
}

/*
 * Counts the first parameters that are certain not to follow one that the debug
 * information lacks, by the function's symbol.
 */
static unsigned
count_known(Dwarf_Die *die)
{
	unsigned n = 0, artificial = 0, all, plain;
	const char *symbol = dwarf_symbol(die);
	Dwarf_Die child;

	if (symbol == NULL || !dwarf_mangled(symbol, &all, &plain))
		return (UINT_MAX);
	if (dwarf_child(die, &child) == 0)
		do
			if (dwarf_tag(&child) == DW_TAG_formal_parameter) {
				n++;
				artificial += dwarf_hasattr_integrate(&child,
				    DW_AT_artificial) != 0;
			}
		while (n <= PARAMETERS_MAX &&
		    dwarf_siblingof(&child, &child) == 0);
	return (n >= artificial + all ? UINT_MAX : artificial + plain);
}

static bool
gather(struct gather *g, struct dwarf_module *m, Dwarf_Die *die,
    const char *name)
{
	Dwarf_Die type;

	*g = (struct gather){ .die = die, .f.name = name, .path = g->path };
	if (!entry_of(die, &g->f.address))
		return (false);
	g->is_external = is_external(m, die);
	g->is_copy = is_copy(m, die, g->f.address);
	g->promotes = promotes(die);
	g->has_one_place = language(die) == DW_LANG_Pascal83;
	g->known = count_known(die);
	g->knows_abi = dwarf_call_result(&g->call, die);
	add_parameters(g);
	add_unknown(g);
	place_vectors(g);
	g->f.result = !dwarf_plain_type(die, &type) ||
	    !keeps_result(m, die) ? TBUF_NONE :
	    dwarf_returns_address(&type) ? TBUF_POINTER : type_of(&type);
	if (g->f.result == TBUF_NONE)
		g->f.result = TBUF_INT64;
	return (true);
}

/* --- all ------------------------------------------------------------------ */

void
dwarf_functions(struct dwarf_module *m,
    bool (*wants)(void *, uint64_t address, const char *name),
    void (*visit)(void *, const struct dwarf_function *), void *arg)
{
	const char *symbol;
	struct gather g = { .path = NULL };
	Dwarf_Addr entry;
	Dwarf_Die die;
	size_t i;

	(void)dwarf_name_find(m, DWARF_FUNCTION, "", NULL);
	for (i = 0; i < m->count; i++) {
		if (m->names[i].kind != DWARF_FUNCTION)
			continue;
		die = m->names[i].die;
		symbol = dwarf_symbol(&die);
		if (symbol == NULL)
			symbol = m->names[i].name;
		if (entry_of(&die, &entry) && wants(arg, entry, symbol) &&
		    gather(&g, m, &die, symbol))
			visit(arg, &g.f);
	}
}

/* --- types ---------------------------------------------------------------- */

/* The type of a value, or that of its address. */
static uint64_t
type_of_word(struct dwarf_types *types, struct dwarf_module *m, Dwarf_Die *die,
    bool (*is_address)(Dwarf_Die *type))
{
	Dwarf_Die plain;

	return (dwarf_plain_type(die, &plain) && is_address(&plain) ?
	    dwarf_type_id(types, m, &plain, DWARF_ADDRESS) :
	    dwarf_type_of(types, m, die));
}

/* A function's type, or that of its parameter if there is a name. */
static uint64_t
type_in(struct dwarf_types *types, struct dwarf_module *m, Dwarf_Die *function,
    const char *name)
{
	const char *its;
	unsigned n = 0;
	Dwarf_Die child;

	if (name == NULL)
		return (!keeps_result(m, function) ? 0 :
		    type_of_word(types, m, function, dwarf_returns_address));
	if (dwarf_child(function, &child) != 0)
		return (0);
	do {
		its = dwarf_tag(&child) == DW_TAG_formal_parameter ?
		    dwarf_diename(&child) : NULL;
		if (its != NULL && strcmp(its, name) == 0)
			return (type_of_word(types, m, &child,
			    dwarf_passes_address));
	} while (n++ < PARAMETERS_MAX && dwarf_siblingof(&child, &child) == 0);
	return (0);
}

int
dwarf_symbols(const struct dwarf_module *m)
{
	return (dwfl_module_getsymtab(m->module));
}

const char *
dwarf_symbol_get(const struct dwarf_module *m, int i, uint64_t *address,
    bool *is_local)
{
	GElf_Sym symbol;
	GElf_Addr unused;
	const char *name = dwfl_module_getsym_info(m->module, i, &symbol,
	    &unused, NULL, NULL, NULL);

	if (name == NULL || symbol.st_shndx == SHN_UNDEF ||
	    (GELF_ST_TYPE(symbol.st_info) != STT_FUNC &&
	    GELF_ST_TYPE(symbol.st_info) != STT_GNU_IFUNC))
		return (NULL);
	*address = symbol.st_value;
	if (is_local != NULL)
		*is_local = GELF_ST_BIND(symbol.st_info) == STB_LOCAL;
	return (name);
}

static const struct dwarf_name *
find_address(struct dwarf_module *m, uint64_t address)
{
	Dwarf_Addr entry;
	Dwarf_Die die;
	size_t i;

	for (i = 0; i < m->count; i++) {
		die = m->names[i].die;
		if (m->names[i].kind == DWARF_FUNCTION &&
		    entry_of(&die, &entry) && entry == address)
			return (&m->names[i]);
	}
	return (NULL);
}

/* DWARF does not have other names of a function, which symbols have. */
static const struct dwarf_name *
find_alias(struct dwarf_module *m, const char *function)
{
	int i, n = dwarf_symbols(m);
	uint64_t address = 0;
	const char *name;

	for (i = 0; i < n; i++) {
		name = dwarf_symbol_get(m, i, &address, NULL);
		if (name != NULL && strcmp(name, function) == 0)
			return (find_address(m, address));
	}
	return (NULL);
}

/*
 * Returns the first entry of a function after another one: a symbol, a name, or
 * a scoped name.
 */
static const struct dwarf_name *
find_function(struct dwarf_module *m, const char *function,
    const struct dwarf_name *one)
{
	unsigned kind = dwarf_name_find(m, DWARF_SYMBOL, function, NULL) !=
	    NULL ? DWARF_SYMBOL : DWARF_FUNCTION;
	const char *scope = strrchr(function, ':'), *symbol;
	char scoped[PID_SCOPED];
	Dwarf_Die die;

	if (scope == NULL && dwarf_name_find(m, kind, function, NULL) == NULL)
		return (one == NULL ? find_alias(m, function) : NULL);
	if (scope == NULL)
		return (dwarf_name_find(m, kind, function, one));
	while ((one = dwarf_name_find(m, DWARF_FUNCTION, scope + 1, one)) !=
	    NULL) {
		die = one->die;
		if ((symbol = dwarf_symbol(&die)) != NULL &&
		    pid_scoped(symbol, scoped) &&
		    strcmp(scoped, function) == 0)
			break;
	}
	return (one);
}

/* Functions of one name have to agree in the type. */
static uint64_t
agreed_type(struct dwarf_types *types, struct dwarf_module *m,
    const char *function, const char *name)
{
	const struct dwarf_name *one = NULL;
	uint64_t type, agreed = 0;
	Dwarf_Addr entry;
	Dwarf_Die die;

	while ((one = find_function(m, function, one)) != NULL) {
		die = one->die;
		if (!entry_of(&die, &entry))
			continue;
		type = type_in(types, m, &die, name);
		if (agreed != 0 && !dwarf_same(types, type, agreed))
			return (DWARF_DIFFERS);
		if (type == 0)
			return (0);
		agreed = type;
	}
	return (agreed);
}

uint64_t
dwarf_parameter(struct dwarf_types *types, struct dwarf_module *m,
    const char *function, const char *name)
{
	return (agreed_type(types, m, function, name));
}

uint64_t
dwarf_result(struct dwarf_types *types, struct dwarf_module *m,
    const char *function)
{
	return (agreed_type(types, m, function, NULL));
}

/*
 * Finds the word that has a parameter, or a word's parameter.  The provider
 * that has no types records words as integers, and no vector registers.
 */
static const char *
look_for(const struct dwarf_function *f, const char *name, uint64_t *word)
{
	uint64_t i;

	for (i = 0; i < f->nwords; i++)
		if (*f->words[i].name != '\0' &&
		    f->words[i].type != TBUF_FLOAT &&
		    f->words[i].type != TBUF_DOUBLE && (name != NULL ?
		    strcmp(f->words[i].name, name) == 0 : i == *word)) {
			*word = i;
			return (f->words[i].name);
		}
	return (NULL);
}

/* Functions of one name have to agree in the place, too. */
static uint64_t
place_of_word(struct dwarf_types *types, struct dwarf_module *m,
    const char *function, const char *name, uint64_t *word)
{
	const struct dwarf_name *one = NULL;
	const char *found = NULL;
	uint64_t at = *word, first = 0, type;
	struct gather g = { .path = NULL };
	Dwarf_Die die;

	while ((one = find_function(m, function, one)) != NULL) {
		die = one->die;
		if (!gather(&g, m, &die, function))
			continue;
		at = *word;
		if (look_for(&g.f, name, &at) == NULL ||
		    (found != NULL && at != first))
			return (0);
		found = look_for(&g.f, name, &at);
		first = at;
	}
	*word = first;
	type = found == NULL ? 0 : agreed_type(types, m, function, found);
	return (type == DWARF_DIFFERS ? 0 : type);
}

static uint64_t
place_of_member(struct dwarf_types *types, struct dwarf_module *m,
    const char *function, const char *path, uint64_t *at)
{
	const struct dwarf_name *one = NULL;
	struct gather g = { .path = path };
	uint64_t id, agreed = 0;
	Dwarf_Die die;

	while ((one = find_function(m, function, one)) != NULL) {
		die = one->die;
		if (!gather(&g, m, &die, function))
			continue;
		id = g.is_found ? dwarf_type_of(types, m, &g.member) : 0;
		if (id == 0 || (agreed != 0 &&
		    (!dwarf_same(types, id, agreed) || g.at != *at)))
			return (0);
		agreed = id;
		*at = g.at;
	}
	return (agreed);
}

uint64_t
dwarf_place(struct dwarf_types *types, struct dwarf_module *m,
    const char *function, const char *name, uint64_t *word, uint64_t *shift)
{
	uint64_t id, at = 0;

	*shift = 0;
	if (name == NULL || strchr(name, '.') == NULL)
		return (place_of_word(types, m, function, name, word));
	id = place_of_member(types, m, function, name, &at);
	*word = at / WORD;
	*shift = at % WORD * 8;
	return (id);
}
