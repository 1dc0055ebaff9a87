/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads a value that a clause has recorded, with its type.
 */
#include <string.h>

#include "typed_value.h"

/* Returns the low `size` bytes of a number, sign-extended if is_signed. */
static uint64_t
cut(uint64_t number, unsigned size, bool is_signed)
{
	unsigned unused;

	if (size == 0 || size >= sizeof(number))
		return (number);
	unused = 64 - 8 * size;
	number <<= unused;
	return (is_signed ? (uint64_t)((int64_t)number >> unused) :
	    number >> unused);
}

uint64_t
datum_load(const void *bytes, unsigned size, bool is_signed)
{
	uint64_t number = 0;
	unsigned from = 0;

	if (size > sizeof(number))
		size = sizeof(number);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	from = sizeof(number) - size;
#endif
	memcpy((char *)&number + from, bytes, size);
	return (cut(number, size, is_signed));
}

static const struct tbuf_d_shape byte = {
	TBUF_KIND_INTEGER, 0, 1, .name = "uint8_t"
};

/* Shapes of a probe's arguments, by type; a script knows their class only. */
static const struct tbuf_d_shape arguments[] = {
	[TBUF_INT8] = { TBUF_KIND_INTEGER, 1, 1, .name = "int8_t" },
	[TBUF_INT16] = { TBUF_KIND_INTEGER, 1, 2, .name = "int16_t" },
	[TBUF_INT32] = { TBUF_KIND_INTEGER, 1, 4, .name = "int32_t" },
	[TBUF_INT64] = { TBUF_KIND_INTEGER, 1, 8, .name = "int64_t" },
	[TBUF_UINT8] = { TBUF_KIND_INTEGER, 0, 1, .name = "uint8_t" },
	[TBUF_UINT16] = { TBUF_KIND_INTEGER, 0, 2, .name = "uint16_t" },
	[TBUF_UINT32] = { TBUF_KIND_INTEGER, 0, 4, .name = "uint32_t" },
	[TBUF_UINT64] = { TBUF_KIND_INTEGER, 0, 8, .name = "uint64_t" },
	[TBUF_CHAR] = {
		TBUF_KIND_CHARACTER, (char)-1 < 0, 1, .name = "char"
	},
	[TBUF_BOOL] = { TBUF_KIND_INTEGER, 0, 1, .name = "bool" },
	[TBUF_FLOAT] = { TBUF_KIND_FLOAT, 1, 4, .name = "float" },
	[TBUF_DOUBLE] = { TBUF_KIND_FLOAT, 1, 8, .name = "double" },
	[TBUF_POINTER] = { TBUF_KIND_POINTER, 0, 8, .name = "void *" },
	[TBUF_STRING] = { TBUF_KIND_TEXT, 0, 8, .name = "string" },
	[TBUF_STRING_SIZED] = { TBUF_KIND_TEXT, 0, 8, .name = "string" },
	/* Each value has a length of its own. */
	[TBUF_BINARY] = { TBUF_KIND_ARRAY, 0, 0, .of = &byte,
	    .name = "uint8_t []" }
};

/* Returns true for addresses out of a file: their shape has just a name. */
static bool
is_address(const struct tbuf_d_shape *shape)
{
	return (shape != NULL && shape->kind == TBUF_KIND_VOID &&
	    shape->name != NULL);
}

static const struct tbuf_d_shape *
shape_of(const struct tbuf_d_piece *piece, uint8_t type)
{
	if ((piece->kind == TBUF_PIECE_ARGUMENT || piece->shape == NULL) &&
	    !is_address(piece->shape) &&
	    type < sizeof(arguments) / sizeof(arguments[0]) &&
	    arguments[type].name != NULL)
		return (&arguments[type]);
	return (piece->shape);
}

static void
set_shape(struct datum *d, const struct tbuf_d_shape *shape)
{
	d->shape = shape;
	switch (shape->kind) {
	case TBUF_KIND_INTEGER:
	case TBUF_KIND_CHARACTER:
	case TBUF_KIND_ENUM:
		d->size = shape->size;
		d->is_signed = shape->is_signed;
		break;
	case TBUF_KIND_POINTER:
		d->size = shape->size;
		break;
	default:
		break;
	}
}

double
datum_double(uint64_t bits, unsigned size)
{
	uint32_t low = (uint32_t)bits;
	double number;
	float single;

	memcpy(&number, &bits, sizeof(number));
	memcpy(&single, &low, sizeof(single));
	return (size == sizeof(float) ? single : number);
}

void
datum_get(struct datum *d, const struct tbuf_d_piece *piece,
    const struct tbuf_value *v)
{
	const struct tbuf_d_shape *shape = shape_of(piece, v->type);

	*d = (struct datum){
		.size = sizeof(v->u), .data = ""
	};
	if (shape != NULL)
		set_shape(d, shape);
	switch (v->type) {
	case TBUF_STRING:
	case TBUF_STRING_SIZED:
	case TBUF_BINARY:
		d->kind = v->type == TBUF_BINARY ? DATUM_BYTES : DATUM_TEXT;
		if (v->size > 0)
			d->data = v->data;
		d->length = v->size;
		return;
	default:
		break;
	}
	d->kind = DATUM_FLOAT;
	if (v->type == TBUF_FLOAT || v->type == TBUF_DOUBLE)
		d->floating = v->d;
	else if (shape != NULL && shape->kind == TBUF_KIND_FLOAT)
		d->floating = datum_double(v->u, shape->size);
	else {
		d->kind = DATUM_INTEGER;
		d->number = cut(v->u, d->size, d->is_signed);
	}
}

size_t
datum_text_length(const struct datum *d)
{
	return (strnlen(d->data, d->length));
}
