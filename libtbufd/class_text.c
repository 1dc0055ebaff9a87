/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * stringof() of a string of C++, or of a pointer to one: as a reference is a
 * pointer, too, stringof() of it would read the bytes of the object.  The
 * members are those of libstdc++:
 *
 *	std::string		stringof(s->_M_dataplus._M_p)
 *	std::string_view	copyinstr((uint64_t)s->_M_str, s->_M_len + 1)
 *
 * clang's debug information may lack _M_dataplus, of which _M_p is the string's
 * first word.  A string without known members is refused, and so is one of wide
 * characters.
 */
#include <string.h>

#include "check.h"
#include "tree/errors.h"

static const char data[] = "_M_dataplus";
static const char text[] = "_M_p";
static const char local[] = "_M_local_buf";
static const char count[] = "_M_string_length";
static const char view[] = "_M_str";
static const char length[] = "_M_len";

/* Returns a composite's member of this name, or NULL. */
static const struct type *
member_of(struct d_compiler *c, const struct type *type, const char *name)
{
	const struct member *member;
	uint64_t offset;

	type = d_type_complete(c, type);
	member = type->kind == TYPE_STRUCT || type->kind == TYPE_UNION ?
	    d_type_member(type, name, &offset) : NULL;
	return (member == NULL ? NULL : member->type);
}

/* Returns true if a type is a pointer to characters, or an array of them. */
static bool
is_text(struct d_compiler *c, const struct d_node *object,
    const struct type *type)
{
	type = type == NULL ? NULL : d_type_complete(c, type);
	if (type == NULL ||
	    (type->kind != TYPE_POINTER && type->kind != TYPE_ARRAY))
		return (false);
	if (d_type_size(type->of) != 1)
		d_fail(c, D_STRINGOF_TYPE, "cannot apply stringof to a value "
		    "of type %s: its characters have more than one byte",
		    d_node_type_name(c, object));
	return (true);
}

static struct d_node *
put_member(struct d_compiler *c, struct d_node *object, enum operator op,
    const char *name)
{
	return (d_node_binary(c, op, object, d_node_name(c, name)));
}

struct d_node *
d_view_place(struct d_compiler *c, struct d_node *object, enum operator op)
{
	return (put_member(c, object, op, view));
}

struct d_node *
d_view_text(struct d_compiler *c, struct d_node *object, enum operator op)
{
	struct d_node *at = d_node_binary(c, OP_CAST,
	    d_node_type(c, c->types.type_uint64),
	    d_view_place(c, object, op));
	struct d_node *size = d_node_binary(c, OP_ADD,
	    put_member(c, object, op, length),
	    d_node_constant(c, c->types.type_uint64, 1));

	return (d_node_call(c, d_node_name(c, "copyinstr"),
	    d_node_link(at, size)));
}

/* The text's address is a string's first word. */
static struct d_node *
first_word(struct d_compiler *c, struct d_node *object, enum operator op)
{
	struct type *place = d_type_pointer(c,
	    d_type_pointer(c, c->types.type_char));

	if (op == OP_MEMBER)
		object = d_node_unary(c, OP_ADDRESS, object);
	return (d_node_unary(c, OP_DEREFERENCE, d_node_binary(c, OP_CAST,
	    d_node_type(c, place), object)));
}

/* Fails for a string that has other members, or none that are known. */
static void
refuse_unknown(struct d_compiler *c, const struct d_node *object,
    const struct type *type)
{
	static const char name[] = "basic_string";

	if (type->name != NULL &&
	    strncmp(type->name, name, sizeof(name) - 1) == 0)
		d_fail(c, D_STRINGOF_TYPE, "cannot apply stringof to a value "
		    "of type %s: debug information has no text of it; clang "
		    "writes all members with -fstandalone-debug",
		    d_node_type_name(c, object));
}

struct d_node *
d_class_text(struct d_compiler *c, struct d_node *object)
{
	const struct type *type = d_type_resolve(object->type), *inner;
	enum operator op = OP_MEMBER;

	if (type->kind == TYPE_POINTER) {
		op = OP_POINTER;
		type = type->of;
	} else if (type->kind != TYPE_STRUCT)
		return (NULL);
	inner = member_of(c, type, data);
	if (inner != NULL && is_text(c, object, member_of(c, inner, text)))
		return (put_member(c, put_member(c, object, op, data),
		    OP_MEMBER, text));
	if (member_of(c, type, length) != NULL &&
	    is_text(c, object, member_of(c, type, view)))
		return (d_view_text(c, object, op));
	if (member_of(c, type, count) != NULL &&
	    is_text(c, object, member_of(c, type, local)))
		return (first_word(c, object, op));
	refuse_unknown(c, object, d_type_complete(c, type));
	return (NULL);
}
