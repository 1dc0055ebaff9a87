/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A value that a clause has recorded, with its type.
 */
#include <string.h>

#include "datum.h"

/* The low bytes of a number, extended by its sign. */
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

/* What an argument of a probe is of itself. */
static void
set_type(struct datum *d, uint8_t type)
{
	static const struct {
		uint8_t size;
		bool is_signed;
	} integers[] = {
		[TBUF_INT8] = { 1, true }, [TBUF_INT16] = { 2, true },
		[TBUF_INT32] = { 4, true }, [TBUF_INT64] = { 8, true },
		[TBUF_UINT8] = { 1, false }, [TBUF_UINT16] = { 2, false },
		[TBUF_UINT32] = { 4, false }, [TBUF_UINT64] = { 8, false },
		[TBUF_CHAR] = { 1, (char)-1 < 0 }, [TBUF_BOOL] = { 1, false },
		[TBUF_POINTER] = { 8, false }
	};

	d->size = 8;
	if (type < sizeof(integers) / sizeof(integers[0]) &&
	    integers[type].size != 0) {
		d->size = integers[type].size;
		d->is_signed = integers[type].is_signed;
	}
}

/* What the script says of it. */
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

/* A floating-point number lies in a register as its bits. */
static double
floating(const struct tbuf_value *v, const struct tbuf_d_shape *shape)
{
	uint32_t low = (uint32_t)v->u;
	float single;

	if (v->type == TBUF_FLOAT || v->type == TBUF_DOUBLE)
		return (v->d);
	if (shape->size != sizeof(single))
		return (v->d);
	memcpy(&single, &low, sizeof(single));
	return (single);
}

void
datum_get(struct datum *d, const struct tbuf_d_piece *piece,
    const struct tbuf_value *v)
{
	const struct tbuf_d_shape *shape = piece->shape;

	*d = (struct datum){ .kind = DATUM_INTEGER, .data = "" };
	set_type(d, v->type);
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
	if (v->type == TBUF_FLOAT || v->type == TBUF_DOUBLE ||
	    (shape != NULL && shape->kind == TBUF_KIND_FLOAT)) {
		d->kind = DATUM_FLOAT;
		d->floating = floating(v, shape);
		return;
	}
	d->number = cut(v->u, d->size, d->is_signed);
}

size_t
datum_text_length(const struct datum *d)
{

	return (strnlen(d->data, d->length));
}
