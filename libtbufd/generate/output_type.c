/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Which types are texts or objects, and shapes: types as the output of values
 * needs them.
 */
#include <string.h>

#include "generate.h"

bool
d_is_text(const struct generator *g, const struct type *type)
{
	while (type->kind == TYPE_TYPEDEF && type != g->c->types.type_string)
		type = type->of;
	return (type == g->c->types.type_string);
}

bool
d_is_object(const struct type *type)
{
	enum type_kind kind = d_type_resolve(type)->kind;

	return (kind == TYPE_ARRAY || kind == TYPE_STRUCT ||
	    kind == TYPE_UNION);
}

static enum tbuf_d_kind
integer_kind(const struct type *type)
{
	if (type->bits == 0)
		return (TBUF_KIND_VOID);
	return (type->bits == 8 && (type->flags & TYPE_CHARACTER) != 0 ?
	    TBUF_KIND_CHARACTER : TBUF_KIND_INTEGER);
}

static enum tbuf_d_kind
kind(const struct generator *g, const struct type *type)
{
	static const enum tbuf_d_kind kinds[] = {
		[TYPE_FLOAT] = TBUF_KIND_FLOAT,
		[TYPE_POINTER] = TBUF_KIND_POINTER,
		[TYPE_ARRAY] = TBUF_KIND_ARRAY,
		[TYPE_FUNCTION] = TBUF_KIND_VOID,
		[TYPE_STRUCT] = TBUF_KIND_STRUCT,
		[TYPE_UNION] = TBUF_KIND_UNION,
		[TYPE_ENUM] = TBUF_KIND_ENUM,
		[TYPE_FORWARD] = TBUF_KIND_VOID,
	};

	if (d_is_text(g, type))
		return (TBUF_KIND_TEXT);
	type = d_type_resolve(type);
	return (type->kind == TYPE_INTEGER ? integer_kind(type) :
	    kinds[type->kind]);
}

/* Adds a type's members, and its enumerators: it has only one of them. */
static void
fill_members(struct generator *g, struct tbuf_d_shape *shape,
    const struct type *type)
{
	const struct enumerator *value;
	const struct member *one;
	struct growing members = { 0 };
	struct tbuf_d_member *to;
	const struct type *base;

	for (one = type->members; one != NULL; one = one->next) {
		to = d_growing_add(g->c, &members, sizeof(*to));
		to->name = one->name == NULL ? "" : one->name;
		to->shape = d_shape(g, one->type);
		to->offset = (uint32_t)one->offset;
		base = d_type_resolve(one->type);
		if (d_type_is_bit_field(base)) {
			to->bit = (uint8_t)base->bit;
			to->bits = (uint8_t)base->bits;
		}
	}
	for (value = type->enumerators; value != NULL; value = value->next) {
		to = d_growing_add(g->c, &members, sizeof(*to));
		to->name = value->name;
		to->value = (uint64_t)(int64_t)value->value;
	}
	shape->members = members.at;
	shape->nmembers = members.count;
}

/* Returns a type's shape, set early as its members may refer to it. */
const struct tbuf_d_shape *
d_shape(struct generator *g, const struct type *constant)
{
	struct type *type = (struct type *)(uintptr_t)constant;
	const struct type *base = d_type_resolve(type);
	struct tbuf_d_shape *shape;

	if (type->shape != NULL && type->shape_of == g->c->scripts)
		return (type->shape);
	shape = d_allocate(g->c, sizeof(*shape));
	type->shape = shape;
	type->shape_of = g->c->scripts;
	shape->kind = kind(g, type);
	shape->is_signed = d_type_has_sign(base);
	shape->size = (uint32_t)d_type_size(base);
	shape->name = d_type_name(g->c, type);
	if (shape->kind == TBUF_KIND_ARRAY || shape->kind == TBUF_KIND_POINTER)
		shape->of = d_shape(g, base->of);
	if (shape->kind == TBUF_KIND_ARRAY)
		shape->count = (uint32_t)base->count;
	fill_members(g, shape, base);
	return (shape);
}

struct tbuf_d_piece
d_piece(struct generator *g, const struct type *type)
{
	struct tbuf_d_piece piece = { .shape = d_shape(g, type) };

	if (d_is_text(g, type)) {
		piece.kind = TBUF_PIECE_TEXT;
	} else if (d_is_object(type)) {
		piece.kind = TBUF_PIECE_BYTES;
		piece.bytes = piece.shape->size;
	} else {
		piece.kind = TBUF_PIECE_INTEGER;
		piece.bytes = 8;
	}
	return (piece);
}

/* Shapes of addresses in programs name the function that recorded them. */
static const struct tbuf_d_shape shapes[] = {
#define SHAPE(word)							\
	[BUILTIN_##word] = { .kind = TBUF_KIND_VOID, .name = #word }
	SHAPE(ustack), SHAPE(usym), SHAPE(ufunc), SHAPE(umod), SHAPE(uaddr),
#undef SHAPE
	[BUILTIN_jstack] = { .kind = TBUF_KIND_VOID, .name = "ustack" }
};

struct tbuf_d_piece
d_piece_stack(struct generator *g, enum builtin id, uint32_t frames)
{
	struct tbuf_d_piece piece = {
		.kind = TBUF_PIECE_BYTES, .bytes = 8 * (frames + 1),
		.shape = &shapes[id]
	};

	if (id == BUILTIN_stack) {
		piece.bytes = 8 * frames;
		piece.shape = d_shape(g, g->c->types.type_stack);
	}
	return (piece);
}

struct tbuf_d_piece
d_piece_symbol(struct generator *g, enum builtin id)
{
	struct tbuf_d_piece piece = {
		.kind = TBUF_PIECE_BYTES, .bytes = 16, .shape = &shapes[id]
	};

	if (id >= sizeof(shapes) / sizeof(shapes[0]) ||
	    shapes[id].name == NULL)
		return (d_piece(g, g->c->types.type_symaddr));
	return (piece);
}
