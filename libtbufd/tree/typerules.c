/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Properties of types: size, alignment, compatibility.
 */
#include <string.h>

#include "compiler.h"
#include "types.h"

struct type *
d_type_resolve(const struct type *type)
{
	while (type->kind == TYPE_TYPEDEF)
		type = type->of;
	return ((struct type *)(uintptr_t)type);
}

typedef bool visit_member(void *, const struct member *, uint64_t);

static bool
each_member(const struct type *constant, uint64_t offset, visit_member *visit,
    void *arg)
{
	struct type *type = d_type_resolve(constant);
	const struct member *one;

	if (type->visited)
		return (false);
	type->visited = true;
	for (one = type->members; one != NULL; one = one->next)
		if (one->name == NULL ? each_member(one->type,
		    offset + one->offset, visit, arg) :
		    visit(arg, one, offset + one->offset))
			return (true);
	return (false);
}

static void
forget_visit(const struct type *constant)
{
	struct type *type = d_type_resolve(constant);
	const struct member *one;

	if (!type->visited)
		return;
	type->visited = false;
	for (one = type->members; one != NULL; one = one->next)
		if (one->name == NULL)
			forget_visit(one->type);
}

bool
d_type_each_member(const struct type *type, uint64_t offset,
    visit_member *visit, void *arg)
{
	bool found = each_member(type, offset, visit, arg);

	forget_visit(type);
	return (found);
}

struct sought {
	const char *name;
	const struct member *member;
	uint64_t offset;
};

static bool
is_sought(void *arg, const struct member *member, uint64_t offset)
{
	struct sought *sought = arg;

	if (strcmp(member->name, sought->name) != 0)
		return (false);
	sought->member = member;
	sought->offset = offset;
	return (true);
}

static const struct member *
find_member(const struct type *type, const char *name, uint64_t *offset)
{
	struct sought sought = { .name = name };

	if (d_type_each_member(type, 0, is_sought, &sought))
		*offset = sought.offset;
	return (sought.member);
}

const struct member *
d_type_member(const struct type *type, const char *name, uint64_t *offset)
{
	const struct member_name *one;

	type = d_type_resolve(type);
	if (type->imported)
		return (find_member(type, name, offset));
	one = (const struct member_name *)d_names_find(type->names, name);
	if (one == NULL)
		return (NULL);
	*offset = one->offset;
	return (one->member);
}

uint64_t
d_type_size(const struct type *type)
{
	type = d_type_resolve(type);
	switch (type->kind) {
	case TYPE_INTEGER:
	case TYPE_FLOAT:
		return ((type->bit + type->bits + 7) / 8);
	case TYPE_POINTER:
		return (type->bits / 8);
	case TYPE_ENUM:
		return (type->bits == 0 ? 4 : type->bits / 8);
	case TYPE_ARRAY:
		return (type->count * d_type_size(type->of));
	case TYPE_STRUCT:
	case TYPE_UNION:
		return (type->size);
	default:
		return (0);
	}
}

unsigned
d_type_alignment(const struct type *type)
{
	type = d_type_resolve(type);
	switch (type->kind) {
	case TYPE_ARRAY:
		return (d_type_alignment(type->of));
	case TYPE_STRUCT:
	case TYPE_UNION:
		return (type->alignment == 0 ? 1 : type->alignment);
	default:
		return ((unsigned)d_type_size(type));
	}
}

static bool
same_name(const char *a, const char *b)
{
	return (strcmp(a == NULL ? "" : a, b == NULL ? "" : b) == 0);
}

bool
d_type_compatible(const struct type *a, const struct type *b)
{
	a = d_type_resolve(a);
	b = d_type_resolve(b);
	while (a != b && a->kind == TYPE_POINTER && b->kind == TYPE_POINTER) {
		a = d_type_resolve(a->of);
		b = d_type_resolve(b->of);
	}
	if (a == b)
		return (true);
	if (a->kind != b->kind || !same_name(a->name, b->name))
		return (false);
	switch (a->kind) {
	case TYPE_INTEGER:
	case TYPE_FLOAT:
		return (a->bits == b->bits && a->flags == b->flags);
	case TYPE_ARRAY:
		return (a->count == b->count &&
		    d_type_compatible(a->of, b->of));
	case TYPE_STRUCT:
	case TYPE_UNION:
		return (a->size == b->size);
	default:
		return (a->kind == TYPE_ENUM || a->kind == TYPE_FORWARD);
	}
}

uint64_t
d_type_hash(const struct type *type)
{
	uint64_t pointers = 0;

	type = d_type_resolve(type);
	for (; type->kind == TYPE_POINTER; pointers++)
		type = d_type_resolve(type->of);
	return (d_number_hash(d_name_hash(type->name == NULL ? "" :
	    type->name), pointers));
}

/*
 * Returns the wider type; of one width the unsigned type, then the one that was
 * created later.  There is no promotion to int.
 */
struct type *
d_type_promote(struct d_compiler *c, struct type *a, struct type *b)
{
	struct type *x = d_type_resolve(a), *y = d_type_resolve(b);
	unsigned i, j;

	if (x->kind == TYPE_ENUM)
		x = a = c->types.type_int;
	if (y->kind == TYPE_ENUM)
		y = b = c->types.type_int;
	i = x->bits + ((x->flags & TYPE_SIGNED) == 0);
	j = y->bits + ((y->flags & TYPE_SIGNED) == 0);
	if (i == j)
		return (x->number < y->number ? b : a);
	return (i > j ? a : b);
}

bool
d_type_is_void(const struct type *type)
{
	type = d_type_resolve(type);
	return (type->kind == TYPE_INTEGER && type->bits == 0);
}

bool
d_type_is_integer(const struct type *type)
{
	type = d_type_resolve(type);
	return ((type->kind == TYPE_INTEGER && type->bits != 0) ||
	    type->kind == TYPE_ENUM);
}

bool
d_type_is_float(const struct type *type)
{
	return (d_type_resolve(type)->kind == TYPE_FLOAT);
}

bool
d_type_is_scalar(const struct type *type)
{
	return (d_type_is_integer(type) ||
	    d_type_resolve(type)->kind == TYPE_POINTER);
}

bool
d_type_is_signed(const struct type *type)
{
	type = d_type_resolve(type);
	return (type->kind == TYPE_INTEGER && (type->flags & TYPE_SIGNED));
}

bool
d_type_has_sign(const struct type *type)
{
	type = d_type_resolve(type);
	return (d_type_is_signed(type) || (type->kind == TYPE_ENUM &&
	    (type->flags & TYPE_UNSIGNED) == 0));
}

/* True for a bit-field; one of 8, 16, 32 or 64 bits is a plain integer. */
bool
d_type_is_bit_field(const struct type *type)
{
	type = d_type_resolve(type);
	return (type->kind == TYPE_INTEGER &&
	    (type->flags & TYPE_BITFIELD) != 0 &&
	    ((type->flags & TYPE_PACKED) != 0 || type->bits < 8 ||
	    (type->bits & (type->bits - 1)) != 0));
}

bool
d_type_is_void_pointer(const struct type *type)
{
	type = d_type_resolve(type);
	if (type->kind != TYPE_POINTER)
		return (false);
	type = d_type_resolve(type->of);
	return (type->kind == TYPE_FUNCTION || d_type_is_void(type));
}

bool
d_type_is_char_string(const struct type *type)
{
	const unsigned flags = TYPE_SIGNED | TYPE_CHARACTER;

	type = d_type_resolve(type);
	if (type->kind != TYPE_POINTER && type->kind != TYPE_ARRAY)
		return (false);
	type = d_type_resolve(type->of);
	return (type->kind == TYPE_INTEGER && type->bits == 8 &&
	    (type->flags & flags) == flags);
}

static const char *
tag_name(struct d_compiler *c, enum type_kind tag, const char *name)
{
	return (d_format(c, "%s %s", tag == TYPE_STRUCT ? "struct" :
	    tag == TYPE_UNION ? "union" : "enum",
	    name == NULL ? "(anon)" : name));
}

static const char *
base_name(struct d_compiler *c, const struct type *type)
{
	if (type == c->types.type_dynamic)
		return ("dynamic variable");
	switch (type->kind) {
	case TYPE_STRUCT:
	case TYPE_UNION:
	case TYPE_ENUM:
		return (tag_name(c, type->kind, type->name));
	case TYPE_FORWARD:
		return (tag_name(c, type->tag, type->name));
	case TYPE_FUNCTION:
		return ("function");
	default:
		return (type->name == NULL ? "(anon)" : type->name);
	}
}

/* Returns "int", "char *", "int *[3]", "int (*)[3]", "int [2][3]". */
const char *
d_type_name(struct d_compiler *c, const struct type *type)
{
	const char *inside = "";
	bool pointer = false;

	for (;; type = type->of) {
		if (type->kind == TYPE_POINTER) {
			if (d_type_resolve(type->of)->kind == TYPE_FUNCTION)
				return ("function pointer");
			inside = d_format(c, "*%s", inside);
			pointer = true;
		} else if (type->kind == TYPE_ARRAY) {
			inside = d_format(c, pointer ? "(%s)[%ju]" : "%s[%ju]",
			    inside, (uintmax_t)type->count);
			pointer = false;
		} else
			break;
	}
	if (*inside == '\0')
		return (base_name(c, type));
	return (d_format(c, "%s %s", base_name(c, type), inside));
}
