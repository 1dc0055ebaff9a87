/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The known types: lookup, creation, layout.
 */
#include <ctype.h>
#include <string.h>

#include "compiler.h"
#include "types.h"

#define STRSIZE	256

static struct type *
make(struct d_compiler *c, enum type_kind kind, const char *name)
{
	struct type *type = d_allocate(c, sizeof(*type));

	type->kind = kind;
	type->name = name;
	type->number = ++c->types.count;
	*c->types.last = type;
	c->types.last = &type->next;
	return (type);
}

struct type *
d_type_add(struct d_compiler *c, enum type_kind kind, const char *name)
{
	struct type *type = make(c, kind, name);

	if (name != NULL) {
		type->entry.text = name;
		d_names_add(&c->types.names, &type->entry, d_name_hash(name));
	}
	return (type);
}

/* True for a tag, which has a name space of its own. */
static bool
is_tag(const struct type *type)
{
	return (type->kind == TYPE_STRUCT || type->kind == TYPE_UNION ||
	    type->kind == TYPE_ENUM || type->kind == TYPE_FORWARD);
}

/* Removes D` and C`, the scopes of a script's and its headers' declarations. */
static const char *
without_scope(const char *name)
{
	bool own = (name[0] == 'D' || name[0] == 'C') && name[1] == '`';

	return (own ? name + 2 : name);
}

struct type *
d_type_find_tag(struct d_compiler *c, enum type_kind tag, const char *name)
{
	struct d_name *one;
	struct type *type, *found = NULL;
	uint64_t hash;

	name = without_scope(name);
	hash = d_name_hash(name);
	for (one = c->types.names; one != NULL;
	    one = *d_name_step(one, &hash)) {
		type = (struct type *)one;
		if (is_tag(type) && strcmp(type->name, name) == 0 &&
		    (type->kind == tag || (type->kind == TYPE_FORWARD &&
		    type->tag == tag)))
			found = type;
	}
	return (found);
}

static struct type *
find_plain(struct d_compiler *c, const char *name)
{
	struct d_name *one;
	struct type *type, *found = NULL;
	uint64_t hash;

	name = without_scope(name);
	hash = d_name_hash(name);
	for (one = c->types.names; one != NULL;
	    one = *d_name_step(one, &hash)) {
		type = (struct type *)one;
		if (!is_tag(type) && strcmp(type->name, name) == 0)
			found = type;
	}
	return (found);
}

/* Finds "struct s", "union u", "enum e", or another name. */
static struct type *
find_base(struct d_compiler *c, const char *name)
{
	if (strncmp(name, "struct ", 7) == 0)
		return (d_type_find_tag(c, TYPE_STRUCT, name + 7));
	if (strncmp(name, "union ", 6) == 0)
		return (d_type_find_tag(c, TYPE_UNION, name + 6));
	if (strncmp(name, "enum ", 5) == 0)
		return (d_type_find_tag(c, TYPE_ENUM, name + 5));
	return (find_plain(c, name));
}

struct type *
d_type_find(struct d_compiler *c, const char *name)
{
	size_t length;
	struct type *type;
	unsigned stars = 0;

	if (strncmp(name, "const ", 6) == 0)
		name += 6;
	length = strlen(name);
	while (length > 0 && (name[length - 1] == '*' ||
	    isspace((unsigned char)name[length - 1])))
		stars += name[--length] == '*';
	type = find_base(c, d_copy(c, name, length));
	for (; type != NULL && stars > 0; stars--)
		type = d_type_pointer(c, type);
	return (type);
}

struct type *
d_type_pointer(struct d_compiler *c, struct type *to)
{
	if (to->pointer == NULL) {
		to->pointer = make(c, TYPE_POINTER, NULL);
		to->pointer->bits = c->options->ilp32 ? 32 : 64;
		to->pointer->of = to;
	}
	return (to->pointer);
}

struct type *
d_type_array(struct d_compiler *c, struct type *of, uint64_t count)
{
	struct type *type = make(c, TYPE_ARRAY, NULL);

	type->of = of;
	type->count = count;
	return (type);
}

struct type *
d_type_typedef(struct d_compiler *c, const char *name, struct type *of)
{
	struct type *type = d_type_add(c, TYPE_TYPEDEF, name);

	type->of = of;
	return (type);
}

struct type *
d_type_bit_field(struct d_compiler *c, struct type *of, unsigned bit,
    unsigned bits, unsigned packed)
{
	struct type *base = d_type_resolve(of), *type;

	for (type = of->bit_field; type != NULL; type = type->bit_field)
		if (type->bits == bits && type->bit == bit &&
		    (type->flags & TYPE_PACKED) == packed)
			return (type);
	type = make(c, TYPE_INTEGER, of->name);
	type->flags = base->flags | TYPE_BITFIELD | packed;
	type->bit = bit;
	type->bits = bits;
	type->bit_field = of->bit_field;
	of->bit_field = type;
	return (type);
}

static uint64_t
round_up(uint64_t offset, uint64_t alignment)
{
	uint64_t over = alignment < 2 ? 0 : offset % alignment;

	return (over == 0 ? offset : offset + alignment - over);
}

struct naming {
	struct d_compiler *c;
	struct type *composite;
};

/* Adds a name; the first member of a name is the one that is found. */
static bool
add_name(void *arg, const struct member *member, uint64_t offset)
{
	const struct naming *naming = arg;
	struct d_name **names = &naming->composite->names;
	struct member_name *one;

	if (d_names_find(*names, member->name) != NULL)
		return (false);
	one = d_allocate(naming->c, sizeof(*one));
	*one = (struct member_name){
		.entry.text = member->name, .member = member, .offset = offset
	};
	d_names_add(names, &one->entry, d_name_hash(member->name));
	return (false);
}

/* Adds the names of a member, which are several if it has none itself. */
static void
add_names(struct d_compiler *c, struct type *composite,
    const struct member *member)
{
	struct naming naming = { c, composite };

	if (member->name == NULL)
		(void)d_type_each_member(member->type, member->offset,
		    add_name, &naming);
	else
		(void)add_name(&naming, member, member->offset);
}

/* Adds a member; a structure ends with its last member, without padding. */
bool
d_type_add_member(struct d_compiler *c, struct type *composite,
    const char *name, struct type *type)
{
	struct member *member;
	uint64_t size = d_type_size(type), ignored;
	unsigned alignment = d_type_alignment(type);

	if (name != NULL && d_type_member(composite, name, &ignored) != NULL)
		return (false);
	member = d_allocate(c, sizeof(*member));
	member->name = name;
	member->type = type;
	if (composite->kind == TYPE_STRUCT)
		member->offset = round_up(composite->size, alignment);
	if (composite->size < member->offset + size)
		composite->size = member->offset + size;
	if (composite->alignment < alignment)
		composite->alignment = alignment;
	if (composite->last_member == NULL)
		composite->members = member;
	else
		composite->last_member->next = member;
	composite->last_member = member;
	add_names(c, composite, member);
	return (true);
}

const struct enumerator *
d_type_enumerator(const struct type *type, const char *name)
{
	const struct enumerator *one = type->enumerators;

	if (!type->imported)
		return ((struct enumerator *)d_names_find(type->names, name));
	while (one != NULL && strcmp(one->name, name) != 0)
		one = one->next;
	return (one);
}

bool
d_type_add_enumerator(struct d_compiler *c, struct type *type,
    const char *name, int value)
{
	struct enumerator *one;

	if (d_type_enumerator(type, name) != NULL)
		return (false);
	one = d_allocate(c, sizeof(*one));
	one->entry.text = one->name = name;
	one->value = value;
	if (type->last_enumerator == NULL)
		type->enumerators = one;
	else
		type->last_enumerator->next = one;
	type->last_enumerator = one;
	d_names_add(&type->names, &one->entry, d_name_hash(name));
	return (true);
}

struct integer {
	const char *name;
	unsigned bits;
	unsigned flags;
};

/* Order matters: of two types of one width, operations use the later one. */
static const struct integer integers[] = {
	{ "void", 0, TYPE_SIGNED },
	{ "signed", 32, TYPE_SIGNED },
	{ "unsigned", 32, 0 },
	{ "char", 8, TYPE_SIGNED | TYPE_CHARACTER },
	{ "short", 16, TYPE_SIGNED },
	{ "int", 32, TYPE_SIGNED },
	{ "long", 64, TYPE_SIGNED },
	{ "long long", 64, TYPE_SIGNED },
	{ "signed char", 8, TYPE_SIGNED | TYPE_CHARACTER },
	{ "signed short", 16, TYPE_SIGNED },
	{ "signed int", 32, TYPE_SIGNED },
	{ "signed long", 64, TYPE_SIGNED },
	{ "signed long long", 64, TYPE_SIGNED },
	{ "unsigned char", 8, TYPE_CHARACTER },
	{ "unsigned short", 16, 0 },
	{ "unsigned int", 32, 0 },
	{ "unsigned long", 64, 0 },
	{ "unsigned long long", 64, 0 },
	{ "_Bool", 8, 0 },
};

static const struct integer floats[] = {
	{ "float", 32, 0 },
	{ "double", 64, 0 },
	{ "long double", 128, 0 },
};

static const struct {
	const char *name, *of;
} typedefs[] = {
	{ "int8_t", "signed char" },
	{ "int16_t", "short" },
	{ "int32_t", "int" },
	{ "int64_t", "long" },
	{ "intptr_t", "long" },
	{ "ssize_t", "long" },
	{ "uint8_t", "unsigned char" },
	{ "uint16_t", "unsigned short" },
	{ "uint32_t", "unsigned" },
	{ "uint64_t", "unsigned long" },
	{ "uchar_t", "unsigned char" },
	{ "ushort_t", "unsigned short" },
	{ "uint_t", "unsigned" },
	{ "ulong_t", "unsigned long" },
	{ "u_longlong_t", "unsigned long long" },
	{ "longlong_t", "long long" },
	{ "ptrdiff_t", "long" },
	{ "uintptr_t", "unsigned long" },
	{ "size_t", "unsigned long" },
	{ "id_t", "int" },
	{ "pid_t", "int" },
	{ "uid_t", "unsigned int" },
	{ "gid_t", "unsigned int" },
	{ "zoneid_t", "int" },
	{ "taskid_t", "id_t" },
	{ "projid_t", "id_t" },
	{ "poolid_t", "id_t" },
	{ "time_t", "long" },
	{ "off_t", "long" },
	{ "dev_t", "unsigned int" },
	{ "mode_t", "unsigned short" },
	{ "hrtime_t", "long long" },
	{ "ipaddr_t", "uint32_t" },
	{ "bool", "_Bool" },
	{ "uint", "unsigned int" },
	{ "ushort", "unsigned short" },
	{ "ulong", "unsigned long" },
	{ "u_char", "unsigned char" },
	{ "u_short", "unsigned short" },
	{ "u_int", "unsigned int" },
	{ "u_long", "unsigned long" },
	{ "__s8", "signed char" },
	{ "__u8", "unsigned char" },
	{ "__s16", "short" },
	{ "__u16", "unsigned short" },
	{ "__s32", "int" },
	{ "__u32", "unsigned int" },
	{ "__s64", "long long" },
	{ "__u64", "unsigned long long" },
};

/* Typedefs that differ if long has 32 bits. */
static const struct {
	const char *name, *of;
} narrow[] = {
	{ "int64_t", "long long" },
	{ "intptr_t", "int" },
	{ "ssize_t", "int" },
	{ "uint64_t", "unsigned long long" },
	{ "ptrdiff_t", "int" },
	{ "uintptr_t", "unsigned int" },
	{ "size_t", "unsigned int" },
};

static const char *const constants[] = {
	"int", "unsigned int", "long", "unsigned long", "long long",
	"unsigned long long",
};

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

/* True for "long" and its like, but not for "long long" or "long double". */
static bool
is_long(const char *name)
{
	size_t length = strlen(name);

	return (length >= 4 && strcmp(name + length - 4, "long") == 0 &&
	    strstr(name, "long long") == NULL);
}

static const char *
typedef_of(const struct d_compiler *c, const char *name, const char *of)
{
	size_t i;

	for (i = 0; c->options->ilp32 && i < COUNT(narrow); i++)
		if (strcmp(narrow[i].name, name) == 0)
			return (narrow[i].of);
	return (of);
}

static void
add_integers(struct d_compiler *c, enum type_kind kind,
    const struct integer *table, size_t count)
{
	struct type *type;
	size_t i;

	for (i = 0; i < count; i++) {
		type = d_type_add(c, kind, table[i].name);
		type->bits = is_long(table[i].name) && c->options->ilp32 ? 32 :
		    table[i].bits;
		type->flags = table[i].flags;
	}
}

void
d_types_strsize(struct d_compiler *c)
{
	uint64_t strsize = c->options->strsize;

	c->types.type_string->of = d_type_array(c, c->types.type_char,
	    strsize == 0 ? STRSIZE : strsize);
}

static void
find_own(struct d_compiler *c)
{
	struct types *types = &c->types;
	size_t i;

	types->type_void = d_type_find(c, "void");
	types->type_char = d_type_find(c, "char");
	types->type_int = d_type_find(c, "int");
	types->type_size = d_type_find(c, "size_t");
	types->type_int64 = d_type_find(c, "int64_t");
	types->type_uint64 = d_type_find(c, "uint64_t");
	types->type_ptrdiff = d_type_find(c, "ptrdiff_t");
	for (i = 0; i < COUNT(constants); i++)
		types->constants[i] = d_type_find(c, constants[i]);
	types->type_string = d_type_typedef(c, "string", types->type_char);
	d_types_strsize(c);
	types->type_stack = d_type_typedef(c, "stack", types->type_void);
	types->type_symaddr = d_type_typedef(c, "_symaddr", types->type_void);
	types->type_usymaddr = d_type_typedef(c, "_usymaddr", types->type_void);
	/* Scripts cannot name these two types. */
	types->type_dynamic = make(c, TYPE_TYPEDEF, NULL);
	types->type_dynamic->of = types->type_void;
	types->type_function = make(c, TYPE_FUNCTION, NULL);
	types->type_function->of = types->type_void;
}

void
d_types_init(struct d_compiler *c)
{
	size_t i;

	c->types.last = &c->types.first;
	add_integers(c, TYPE_INTEGER, integers, COUNT(integers));
	add_integers(c, TYPE_FLOAT, floats, COUNT(floats));
	for (i = 0; i < COUNT(typedefs); i++)
		d_type_typedef(c, typedefs[i].name,
		    d_type_find(c, typedef_of(c, typedefs[i].name,
		    typedefs[i].of)));
	find_own(c);
}
