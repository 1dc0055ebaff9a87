/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * print() of a pointer: shows the object it points to as an initializer of C,
 * without members that are 0.
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "print_type.h"

#define MARGIN	44		/* blanks before the outermost level */
#define DEEPEST	256		/* levels of nested structures */

struct walk {
	struct output *out;
	const char *data;	/* the object */
	size_t size;		/* bytes of it that were recorded */
	uint64_t limit;		/* offset at which the output ends */
	bool ended;		/* "..." was printed */
	unsigned open[DEEPEST];	/* levels of open braces */
	unsigned nopen;
};

static void
put_indent(const struct walk *w, unsigned depth)
{
	output_printf(w->out, "%*s", (int)(MARGIN + depth), "");
}

/*
 * Closes open braces from level `depth` on.  A brace stays open until output
 * follows it, as the members that "..." replaces may be inside or outside.
 */
static void
close_braces(struct walk *w, unsigned depth)
{
	unsigned last;

	while (w->nopen > 0 && (last = w->open[w->nopen - 1]) >= depth) {
		put_indent(w, last);
		output_printf(w->out, last == 0 ? "}\n" : "},\n");
		w->nopen--;
	}
}

/* Returns true if all recorded bytes in a range are 0. */
static bool
is_zero(const struct walk *w, size_t offset, size_t size)
{
	const size_t begin = offset, end = offset >= w->size ? offset :
	    size < w->size - offset ? offset + size : w->size;

	while (offset < end && w->data[offset] == '\0')
		offset++;
	output_steps(w->out, offset - begin);
	return (offset == end);
}

static bool
is_scalar(const struct tbuf_d_shape *shape)
{
	return (!print_is_structure(shape) && shape->kind != TBUF_KIND_ARRAY);
}

static uint64_t
load(const struct walk *w, size_t offset, const struct tbuf_d_shape *shape,
    const struct tbuf_d_member *m)
{
	uint64_t number;

	number = datum_load(w->data + offset, shape->size, m == NULL ||
	    m->bits == 0 ? shape->is_signed : false);
	if (m == NULL || m->bits == 0 || m->bits >= 64)
		return (number);
	number = number >> m->bit << (64 - m->bits);
	return (shape->is_signed ?
	    (uint64_t)((int64_t)number >> (64 - m->bits)) :
	    number >> (64 - m->bits));
}

static void
put_number(const struct walk *w, const struct tbuf_d_shape *shape,
    uint64_t number)
{
	switch (shape->kind) {
	case TBUF_KIND_CHARACTER:
		if (!shape->is_signed)
			output_printf(w->out, "%" PRIu64, number);
		else if (isprint((int)(number & 0xff)))
			output_printf(w->out, "'%c'", (int)(number & 0xff));
		else
			output_printf(w->out, "0x%02x",
			    (unsigned)number & 0xff);
		break;
	case TBUF_KIND_ENUM:
		print_enumerator(w->out, shape, number);
		break;
	case TBUF_KIND_POINTER:
		output_printf(w->out, "0x%" PRIx64, number);
		break;
	default:
		if (shape->is_signed)
			output_printf(w->out, "%" PRId64, (int64_t)number);
		else
			output_printf(w->out, "%" PRIu64, number);
	}
}

/* Prints "(struct s)", but only "(union)" for a union without a name. */
static void
put_type(const struct walk *w, const struct tbuf_d_shape *shape)
{
	const char *name = shape->name == NULL ? "" : shape->name;
	const char *none = strstr(name, " (anon)");

	output_printf(w->out, "(%.*s)",
	    (int)(none == NULL ? strlen(name) : (size_t)(none - name)), name);
}

static void	put(struct walk *, const struct tbuf_d_shape *, size_t offset,
		    unsigned depth, const struct tbuf_d_member *);

/*
 * Returns true if a value begins at the limit or after it, was not recorded, or
 * is too deep; then prints "...", once.
 */
static bool
is_beyond(struct walk *w, size_t offset, size_t size, unsigned depth)
{
	if (offset < w->limit && offset + size <= w->size &&
	    w->nopen < DEEPEST)
		return (false);
	if (!w->ended) {
		put_indent(w, depth);
		output_printf(w->out, "...\n");
	}
	w->ended = true;
	return (true);
}

static void
put_members(struct walk *w, const struct tbuf_d_shape *shape, size_t offset,
    unsigned depth)
{
	const struct tbuf_d_member *m = shape->members;
	const struct tbuf_d_member *end = m + shape->nmembers;

	output_printf(w->out, " {\n");
	w->open[w->nopen++] = depth;
	for (; m < end && !w->ended && !w->out->cut; m++) {
		if (is_beyond(w, offset + m->offset,
		    is_scalar(m->shape) ? m->shape->size : 1, depth + 1))
			break;
		if (is_scalar(m->shape) ?
		    load(w, offset + m->offset, m->shape, m) != 0 :
		    !is_zero(w, offset + m->offset, m->shape->size))
			put(w, m->shape, offset + m->offset, depth + 1, m);
	}
}

/*
 * Prints the elements of an array.  Characters end at a NUL; other elements
 * that are 0 are left out.
 */
static void
put_elements(struct walk *w, const struct tbuf_d_shape *shape, size_t offset,
    unsigned depth)
{
	const struct tbuf_d_shape *of = shape->of;
	uint32_t i;

	output_printf(w->out, " [\n");
	for (i = 0; of != NULL && i < shape->count && !w->ended &&
	    !w->out->cut; i++) {
		size_t at = offset + (size_t)i * of->size;

		if (of->size == 0 || at + of->size > w->size)
			break;
		if (!is_zero(w, at, of->size))
			put(w, of, at, depth + 1, NULL);
		else if (of->kind == TBUF_KIND_CHARACTER)
			break;
	}
	close_braces(w, depth + 1);
	put_indent(w, depth);
	output_printf(w->out, "]");
}

/*
 * Prints a value on lines of its own, followed by a comma except on the
 * outermost level.
 */
static void
put(struct walk *w, const struct tbuf_d_shape *shape, size_t offset,
    unsigned depth, const struct tbuf_d_member *member)
{
	close_braces(w, depth);
	put_indent(w, depth);
	if (member != NULL && member->name[0] != '\0')
		output_printf(w->out, ".%s = ", member->name);
	put_type(w, shape);
	switch (shape->kind) {
	case TBUF_KIND_STRUCT:
	case TBUF_KIND_UNION:
		put_members(w, shape, offset, depth);
		return;
	case TBUF_KIND_ARRAY:
		put_elements(w, shape, offset, depth);
		break;
	default:
		put_number(w, shape, load(w, offset, shape, member));
	}
	output_printf(w->out, depth == 0 ? "\n" : ",\n");
}

void
print_pointed(struct output *out, uint64_t address, const struct datum *bytes,
    uint64_t limit)
{
	struct walk w = { .out = out, .data = bytes->data,
	    .size = bytes->length, .limit = limit };

	output_printf(out, "0x%" PRIx64 " = *\n", address);
	if (bytes->shape != NULL && !is_beyond(&w, 0,
	    is_scalar(bytes->shape) ? bytes->shape->size : 0, 0))
		put(&w, bytes->shape, 0, 0, NULL);
	close_braces(&w, 0);
}
