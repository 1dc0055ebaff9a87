/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * print() of a value: shows its type, and a line for each member.
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/write_number.h"
#include "print_type.h"

#define INDENT	4

/* A place within a value. */
struct place {
	struct output *out;
	const char *data;	/* the value that is printed next */
	size_t size;		/* bytes that were recorded */
	unsigned depth;
};

static void
put_indent(const struct place *at)
{
	output_printf(at->out, "%*s", (int)(INDENT * at->depth), "");
}

bool
print_is_structure(const struct tbuf_d_shape *shape)
{
	return (shape->kind == TBUF_KIND_STRUCT ||
	    shape->kind == TBUF_KIND_UNION);
}

/* Loads a number; bytes that were not recorded are 0. */
static uint64_t
load(const struct place *at, const struct tbuf_d_shape *shape)
{
	char bytes[8] = { 0 };
	size_t n = shape->size < sizeof(bytes) ? shape->size : sizeof(bytes);

	if (n > at->size)
		n = at->size;
	memcpy(bytes, at->data, n);
	return (datum_load(bytes, shape->size, false));
}

static uint64_t
bits_of(uint64_t number, const struct tbuf_d_member *m)
{
	if (m->bits == 0 || m->bits >= 64)
		return (number);
	return (number >> m->bit & ((UINT64_C(1) << m->bits) - 1));
}

void
print_enumerator(struct output *out, const struct tbuf_d_shape *shape,
    uint64_t number)
{
	uint32_t i;

	for (i = 0; i < shape->nmembers; i++)
		if ((int32_t)shape->members[i].value == (int32_t)number)
			break;
	output_steps(out, i);
	if (i < shape->nmembers)
		output_printf(out, "%s", shape->members[i].name);
	else
		output_printf(out, "%" PRId32, (int32_t)number);
}

static void
put_floating(struct output *out, unsigned size, double number)
{
	output_printf(out, size == sizeof(float) ? "%+.7e" : "%+.13e",
	    number);
}

static void
put_number(struct output *out, const struct tbuf_d_shape *shape,
    uint64_t number)
{
	switch (shape->kind) {
	case TBUF_KIND_CHARACTER:
		if (isprint((int)(number & 0xff)))
			output_printf(out, "'%c'", (int)(number & 0xff));
		else
			output_printf(out, "'\\%o'", (unsigned)number & 0xff);
		break;
	case TBUF_KIND_ENUM:
		print_enumerator(out, shape, number);
		break;
	case TBUF_KIND_POINTER:
		output_printf(out, "0x%" PRIx64, number);
		break;
	case TBUF_KIND_FLOAT:
		put_floating(out, shape->size, datum_double(number,
		    shape->size));
		break;
	default:
		output_printf(out, "%#" PRIx64, number);
	}
}

/* Returns true for an array of characters with printable bytes before a NUL. */
static bool
is_text(const struct place *at, const struct tbuf_d_shape *shape)
{
	uint32_t i;

	if (shape->of == NULL || shape->of->kind != TBUF_KIND_CHARACTER)
		return (false);
	for (i = 0; i < shape->count && i < at->size; i++)
		if (!isprint((unsigned char)at->data[i]))
			return (at->data[i] == '\0');
	return (false);
}

static void	put_inner(struct place *, const struct tbuf_d_shape *,
		    const struct tbuf_d_member *);

/* Returns the place at an offset of this one, a level deeper. */
static struct place
inside(const struct place *at, uint32_t offset)
{
	struct place in = *at;

	in.data += offset < at->size ? offset : at->size;
	in.size -= offset < at->size ? offset : at->size;
	in.depth++;
	return (in);
}

static void
put_elements(const struct place *at, const struct tbuf_d_shape *shape)
{
	const struct tbuf_d_shape *of = shape->of;
	struct place in;
	uint32_t i;

	output_printf(at->out, "[ ");
	for (i = 0; i < shape->count && !at->out->cut; i++) {
		in = inside(at, i * of->size);
		if (print_is_structure(of)) {
			output_printf(at->out, "\n");
			put_indent(&in);
			output_printf(at->out, "%s ", of->name);
		}
		put_inner(&in, of, NULL);
		if (i + 1 < shape->count)
			output_printf(at->out, ", ");
	}
	if (print_is_structure(of)) {
		output_printf(at->out, "\n");
		put_indent(at);
	} else
		output_printf(at->out, " ");
	output_printf(at->out, "]");
}

/* Prints a string that is a member. */
static void
put_text(const struct place *at, const struct tbuf_d_shape *shape)
{
	size_t size = shape->size < at->size ? shape->size : at->size;

	output_printf(at->out, "\"");
	output_text(at->out, 0, strnlen(at->data, size), at->data);
	output_printf(at->out, "\"");
}

/* Prints an array.  A text has brackets, except on the outermost level. */
static void
put_array(const struct place *at, const struct tbuf_d_shape *shape)
{
	const char *brackets[2] = { "[ ", " ]" };

	if (shape->of == NULL)
		return;
	if (!is_text(at, shape)) {
		put_elements(at, shape);
		return;
	}
	if (at->depth == 0)
		brackets[0] = brackets[1] = "";
	output_printf(at->out, "%s\"%.*s\"%s", brackets[0],
	    (int)strnlen(at->data, at->size), at->data, brackets[1]);
}

static void
put_members(const struct place *at, const struct tbuf_d_shape *shape)
{
	const struct tbuf_d_member *m = shape->members;
	const struct tbuf_d_member *end = m + shape->nmembers;
	struct place in;

	output_printf(at->out, "{\n");
	for (; m < end && !at->out->cut; m++) {
		in = inside(at, m->offset);
		put_indent(&in);
		output_printf(at->out, "%s", m->shape->name);
		if (m->name[0] != '\0')
			output_printf(at->out, " %s", m->name);
		if (m->bits != 0)
			output_printf(at->out, " :%u", m->bits);
		output_printf(at->out, " = ");
		put_inner(&in, m->shape, m);
		output_printf(at->out, "\n");
	}
	put_indent(at);
	output_printf(at->out, "}");
}

static void
put_inner(struct place *at, const struct tbuf_d_shape *shape,
    const struct tbuf_d_member *member)
{
	uint64_t number;

	if (print_is_structure(shape)) {
		put_members(at, shape);
		return;
	}
	if (shape->kind == TBUF_KIND_ARRAY) {
		put_array(at, shape);
		return;
	}
	if (shape->kind == TBUF_KIND_TEXT) {
		put_text(at, shape);
		return;
	}
	number = load(at, shape);
	if (member != NULL)
		number = bits_of(number, member);
	put_number(at->out, shape, number);
}

/* Prints bytes; an array of no length has that of the value. */
static void
put_value_bytes(struct place *at, const struct tbuf_d_shape *shape)
{
	struct tbuf_d_shape all = *shape;

	if (shape->kind == TBUF_KIND_ARRAY && shape->count == 0)
		all.count = (uint32_t)at->size;
	put_inner(at, &all, NULL);
}

void
print_value(struct output *out, const struct datum *d)
{
	static const struct tbuf_d_shape unknown = { .name = "int64_t" };
	const struct tbuf_d_shape *shape = d->shape;
	struct place at = { out, d->data, d->length, 0 };

	if (shape == NULL)
		shape = &unknown;
	output_printf(out, "%s ", shape->name);
	switch (d->kind) {
	case DATUM_TEXT:
		output_printf(out, "\"");
		output_text(out, 0, datum_text_length(d), d->data);
		output_printf(out, "\"");
		break;
	case DATUM_BYTES:
		put_value_bytes(&at, shape);
		break;
	case DATUM_FLOAT:
		put_floating(out, shape->size, d->floating);
		break;
	default:
		put_number(out, shape, d->size < 8 ? d->number &
		    ((UINT64_C(1) << 8 * d->size) - 1) : d->number);
	}
	/* After a structure's last brace comes the end of the row. */
	if (!print_is_structure(shape))
		output_printf(out, "\n");
}
