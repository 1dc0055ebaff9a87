/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Types of traced programs.  The caller describes one level of a type at a time
 * (struct d_import); the compiler reads only types that a script accesses.  A
 * pointer's referenced type stays a forward declaration until then.
 *
 * Descriptions are not trusted, as they come from files of others: types may
 * contain each other without end, sizes may wrap, members may be beyond the
 * end.  All of this makes only an odd type.
 */
#include <string.h>

#include "compiler.h"
#include "errors.h"
#include "types.h"

#define IMPORTS_MAX	50000	/* types of a command */
#define MEMBERS_MAX	100000	/* of a type */
#define MEMBERS_ALL	1000000	/* of all types of a command */
#define DEPTH_MAX	64	/* nesting of types */
#define SIZE_MAX_TYPE	((uint64_t)1 << 30)

struct import {
	struct d_name entry;		/* by its id; it has no text */
	uint64_t id;
	struct type *type;
	bool open;			/* it is being built */
};

static struct type *import(struct d_compiler *c, uint64_t id, unsigned depth);
static void complete(struct d_compiler *c, struct type *type, unsigned depth);

static bool
read_type(struct d_compiler *c, uint64_t id, struct d_import *told)
{
	const struct d_callbacks *calls = &c->options->callbacks;

	*told = (struct d_import){ .kind = D_IMPORT_VOID };
	return (id != 0 && calls->type_read != NULL &&
	    calls->type_read(calls->context, id, told));
}

static struct import *
find(struct d_compiler *c, uint64_t id)
{
	uint64_t hash = d_number_hash(id, 0);
	struct d_name *one = c->types.imports;

	while (one != NULL && ((struct import *)one)->id != id)
		one = *d_name_step(one, &hash);
	return ((struct import *)one);
}

static struct import *
add(struct d_compiler *c, uint64_t id)
{
	struct import *one = d_allocate(c, sizeof(*one));

	*one = (struct import){ .id = id };
	d_names_add(&c->types.imports, &one->entry, d_number_hash(id, 0));
	c->types.nimports++;
	return (one);
}

/* --- types without parts ----------------------------------------------- */

/* Returns an array of bytes, for a size of which D has no number. */
static struct type *
bytes(struct d_compiler *c, uint64_t size)
{
	if (size == 0 || size > SIZE_MAX_TYPE)
		return (c->types.type_void);
	return (d_type_array(c, d_type_find(c, "unsigned char"), size));
}

static struct type *
import_integer(struct d_compiler *c, const struct d_import *told)
{
	const char *name = told->name == NULL ? "" : told->name;

	switch (told->size) {
	case 1:
		if (!told->is_character && !told->is_signed &&
		    strstr(name, "ool") != NULL)
			return (d_type_find(c, "_Bool"));
		/* D's char is signed on every architecture. */
		if (strcmp(name, "char") == 0)
			return (c->types.type_char);
		return (d_type_find(c, told->is_signed ? "signed char" :
		    "unsigned char"));
	case 2:
		return (d_type_find(c, told->is_signed ? "short" :
		    "unsigned short"));
	case 4:
		return (d_type_find(c, told->is_signed ? "int" :
		    "unsigned int"));
	case 8:
		if (strstr(name, "long long") != NULL)
			return (d_type_find(c, told->is_signed ? "long long" :
			    "unsigned long long"));
		return (d_type_find(c, told->is_signed ? "long" :
		    "unsigned long"));
	default:
		return (bytes(c, told->size));
	}
}

static struct type *
import_float(struct d_compiler *c, uint64_t size)
{
	if (size != 4 && size != 8 && size != 16)
		return (bytes(c, size));
	return (d_type_find(c, size == 4 ? "float" : size == 8 ? "double" :
	    "long double"));
}

/* --- structures, unions, enums ----------------------------------------- */

static const char *
copy_name(struct d_compiler *c, const char *name)
{
	return (name == NULL ? NULL : d_copy(c, name, strlen(name)));
}

static struct type *
member_type(struct d_compiler *c, const struct d_import_member *told,
    unsigned depth)
{
	struct type *type = import(c, told->type, depth);
	const struct type *base = d_type_resolve(type);

	if (told->bits == 0)
		return (type);
	if (base->kind == TYPE_ENUM)
		type = d_type_find(c, (base->flags & TYPE_UNSIGNED) != 0 ?
		    "unsigned int" : "int");
	else if (base->kind != TYPE_INTEGER)
		return (NULL);
	if (told->bit > 7 || told->bits > 64 || told->bit + told->bits > 64)
		return (NULL);
	return (d_type_bit_field(c, type, told->bit, told->bits,
	    TYPE_PACKED));
}

/* Adds a member, unless it is beyond the end or has no size. */
static void
add_member(struct d_compiler *c, struct type *type, struct member ***last,
    const struct d_import_member *told, unsigned depth)
{
	struct type *of = member_type(c, told, depth);
	struct member *member;
	enum type_kind kind;

	if (of == NULL || told->offset > type->size ||
	    d_type_size(of) > type->size - told->offset)
		return;
	kind = d_type_resolve(of)->kind;
	if (told->name == NULL && kind != TYPE_STRUCT && kind != TYPE_UNION)
		return;
	if (d_type_size(of) == 0 && kind != TYPE_ARRAY)
		return;
	member = d_allocate(c, sizeof(*member));
	*member = (struct member){
		.name = copy_name(c, told->name), .type = of,
		.offset = told->offset
	};
	**last = member;
	*last = &member->next;
	if (type->alignment < d_type_alignment(of))
		type->alignment = d_type_alignment(of);
}

/* Copies members, as importing their types makes the originals invalid. */
static const struct d_import_member *
copy_members(struct d_compiler *c, struct d_import *told)
{
	struct d_import_member *all;
	size_t i;

	if (told->nmembers > MEMBERS_MAX)
		told->nmembers = MEMBERS_MAX;
	if (told->nmembers > MEMBERS_ALL - c->types.nmembers)
		told->nmembers = MEMBERS_ALL - c->types.nmembers;
	c->types.nmembers += told->nmembers;
	all = d_allocate(c, (told->nmembers + 1) * sizeof(*all));
	for (i = 0; i < told->nmembers; i++) {
		all[i] = told->members[i];
		all[i].name = copy_name(c, all[i].name);
	}
	return (all);
}

static void
fill_composite(struct d_compiler *c, struct type *type, struct d_import *told,
    unsigned depth)
{
	const struct d_import_member *all = copy_members(c, told);
	struct member **last = &type->members;
	size_t i;

	type->kind = type->tag;
	type->imported = true;
	type->size = told->size > SIZE_MAX_TYPE ? 0 : told->size;
	type->alignment = 1;
	for (i = 0; i < told->nmembers; i++)
		add_member(c, type, &last, &all[i], depth + 1);
}

static void
fill_enum(struct d_compiler *c, struct type *type, const struct d_import *told)
{
	struct enumerator **last = &type->enumerators;
	size_t i;

	type->kind = TYPE_ENUM;
	type->imported = true;
	if (told->size == 1 || told->size == 2 || told->size == 8)
		type->bits = 8 * (unsigned)told->size;
	if (!told->is_signed)
		type->flags |= TYPE_UNSIGNED;
	for (i = 0; i < told->nmembers && i < MEMBERS_MAX; i++) {
		if (told->members[i].name == NULL)
			continue;
		*last = d_allocate(c, sizeof(**last));
		(*last)->name = copy_name(c, told->members[i].name);
		(*last)->value = (int)told->members[i].value;
		last = &(*last)->next;
	}
}

static enum type_kind
kind_of(enum d_import_kind kind)
{
	return (kind == D_IMPORT_STRUCT ? TYPE_STRUCT : kind ==
	    D_IMPORT_UNION ? TYPE_UNION : TYPE_ENUM);
}

/* Makes a forward type; a script cannot find it by its name. */
static struct type *
announce(struct d_compiler *c, const struct d_import *told, uint64_t id)
{
	struct type *type = d_type_add(c, TYPE_FORWARD, NULL);

	type->name = copy_name(c, told->name);
	type->tag = kind_of(told->kind);
	type->import = id;
	return (type);
}

static void
fill(struct d_compiler *c, struct type *type, struct d_import *told,
    unsigned depth)
{
	if (told->kind == D_IMPORT_ENUM)
		fill_enum(c, type, told);
	else
		fill_composite(c, type, told, depth);
}

/* --- any kind ------------------------------------------------------------ */

/* Imports only the name of a pointer's referenced type. */
static struct type *
import_target(struct d_compiler *c, uint64_t id, unsigned depth)
{
	struct import *one = find(c, id);
	struct d_import told;

	if (one != NULL && one->type != NULL)
		return (one->type);
	if (!read_type(c, id, &told))
		return (c->types.type_void);
	if (told.kind != D_IMPORT_STRUCT && told.kind != D_IMPORT_UNION)
		return (import(c, id, depth));
	if (one == NULL)
		one = add(c, id);
	one->type = announce(c, &told, id);
	return (one->type);
}

/* An array of elements without size has none: any number would fit. */
static struct type *
import_array(struct d_compiler *c, const struct d_import *told,
    unsigned depth)
{
	struct type *of = import(c, told->of, depth);
	uint64_t size = d_type_size(of);

	if (size != 0 && told->count > SIZE_MAX_TYPE / size)
		return (c->types.type_void);
	return (d_type_array(c, of, size == 0 ? 0 : told->count));
}

static struct type *
import_typedef(struct d_compiler *c, const struct d_import *told,
    unsigned depth)
{
	const char *name = copy_name(c, told->name);
	struct type *of = import(c, told->of, depth), *type;

	if (name == NULL)
		return (of);
	type = d_type_add(c, TYPE_TYPEDEF, NULL);
	type->name = name;
	type->of = of;
	return (type);
}

static struct type *
make(struct d_compiler *c, struct import *one, struct d_import *told,
    unsigned depth)
{
	switch (told->kind) {
	case D_IMPORT_INTEGER:
		return (import_integer(c, told));
	case D_IMPORT_FLOAT:
		return (import_float(c, told->size));
	case D_IMPORT_POINTER:
		return (d_type_pointer(c, import_target(c, told->of, depth)));
	case D_IMPORT_ARRAY:
		return (import_array(c, told, depth));
	case D_IMPORT_FUNCTION:
		return (c->types.type_function);
	case D_IMPORT_STRUCT:
	case D_IMPORT_UNION:
	case D_IMPORT_ENUM:
		/* The type is stored first, as its members may point to it. */
		one->type = announce(c, told, one->id);
		fill(c, one->type, told, depth);
		return (one->type);
	case D_IMPORT_TYPEDEF:
		return (import_typedef(c, told, depth));
	default:
		return (c->types.type_void);
	}
}

/* Imports a type; one within itself, or nested too deeply, is void. */
static struct type *
import(struct d_compiler *c, uint64_t id, unsigned depth)
{
	struct import *one = find(c, id);
	struct d_import told;

	if ((one != NULL && one->open) || depth > DEPTH_MAX)
		return (c->types.type_void);
	if (one != NULL && one->type != NULL) {
		complete(c, d_type_resolve(one->type), depth);
		return (one->type);
	}
	if (c->types.nimports >= IMPORTS_MAX ||
	    !read_type(c, id, &told))
		return (c->types.type_void);
	if (one == NULL)
		one = add(c, id);
	one->open = true;
	one->type = make(c, one, &told, depth + 1);
	one->open = false;
	return (one->type);
}

struct type *
d_type_of_id(struct d_compiler *c, uint64_t id)
{
	return (import(c, id, 0));
}

/* --- by name ------------------------------------------------------------ */

/* Finds "module`name"; without a module, a name in any module. */
static uint64_t
find_named(struct d_compiler *c, enum d_import_kind kind, const char *name)
{
	const struct d_callbacks *calls = &c->options->callbacks;
	const char *scope = strrchr(name, '`'), *module = NULL;

	/* Program types have 64-bit long and pointers. */
	if (calls->type_find == NULL || c->options->ilp32)
		return (0);
	if (scope != NULL) {
		module = d_copy(c, name, (size_t)(scope - name));
		name = scope + 1;
	}
	return (calls->type_find(calls->context, module, kind, name));
}

static enum d_import_kind
import_kind(enum type_kind tag)
{
	return (tag == TYPE_STRUCT ? D_IMPORT_STRUCT : tag == TYPE_UNION ?
	    D_IMPORT_UNION : D_IMPORT_ENUM);
}

static void
complete(struct d_compiler *c, struct type *type, unsigned depth)
{
	struct import *one;
	struct d_import told;

	if (type->kind != TYPE_FORWARD || type->sought)
		return;
	type->sought = true;
	if (type->import == 0 && type->name != NULL)
		type->import = find_named(c, import_kind(type->tag),
		    type->name);
	if (type->import == 0 || !read_type(c, type->import, &told) ||
	    (told.kind != D_IMPORT_STRUCT && told.kind != D_IMPORT_UNION &&
	    told.kind != D_IMPORT_ENUM))
		return;
	if ((one = find(c, type->import)) == NULL)
		one = add(c, type->import);
	if (one->type == NULL)
		one->type = type;
	one->open = true;
	fill(c, type, &told, depth);
	one->open = false;
}

struct type *
d_type_complete(struct d_compiler *c, const struct type *constant)
{
	struct type *type = d_type_resolve(constant);

	complete(c, type, 0);
	return (type);
}

bool
d_type_import(struct d_compiler *c, const char *name)
{
	uint64_t id = find_named(c, D_IMPORT_TYPEDEF, name);

	if (id == 0)
		return (false);
	d_type_typedef(c, name, d_type_of_id(c, id));
	return (true);
}

struct type *
d_type_of_enumerator(struct d_compiler *c, const char *name, int *value)
{
	const struct enumerator *one;
	struct type *type;
	uint64_t id = find_named(c, D_IMPORT_ENUMERATOR, name);
	const char *scope = strrchr(name, '`');

	if (id == 0)
		return (NULL);
	type = d_type_of_id(c, id);
	one = d_type_enumerator(type, scope == NULL ? name : scope + 1);
	if (one == NULL)
		return (NULL);
	*value = one->value;
	return (type);
}

void
d_type_forget(struct type *type)
{
	type->tag = type->kind;
	type->kind = TYPE_FORWARD;
	type->imported = type->weak = false;
	type->import = 0;
	type->members = type->last_member = NULL;
	type->enumerators = type->last_enumerator = NULL;
	type->names = NULL;
	type->size = 0;
	type->alignment = 0;
	type->bits = type->flags = 0;
}
