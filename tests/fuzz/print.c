/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Prints values of arbitrary types: print() of a value and of a pointer, and
 * trace().  The input is options, the bytes of the value and the value, and
 * then types as a tree: a type's kind and flags, size and count, and the types
 * that it is made of.  Types come from debug information, so that no size, and
 * no offset of a member, agrees with another one.
 */
#include "support/fuzz.h"
#include "print/action.h"
#include "print/print_type.h"

#define OPTION_POINTED	1	/* the value of a pointer */
#define OPTION_TEXT	2	/* the value is a text */
#define OPTION_NUMBER	4	/* it is a number */
#define OPTION_QUIET	8
#define SHAPES		64
#define MEMBERS		6
#define OUTPUT		16384u	/* bytes after which the output is cut */

static struct tbuf_d_shape shapes[SHAPES];
static struct tbuf_d_member members[SHAPES][MEMBERS];
static unsigned nshapes;

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return (0);
}

static const struct tbuf_d_shape *shape_take(struct input *);

/* Takes the members of a structure, or the enumerators of an enum. */
static void
members_take(struct input *in, struct tbuf_d_shape *s,
    struct tbuf_d_member *to, unsigned n, bool types)
{
	static const char *const names[] = { "", "a", "next", "%s%n" };
	unsigned i, bits;

	for (i = 0; i < n; i++) {
		to[i].name = names[input_take(in, 1) % 4];
		to[i].offset = (uint32_t)input_take(in, 2);
		to[i].value = input_take(in, 1);
		/* The compiler refuses other bit-fields. */
		bits = (unsigned)input_take(in, 1);
		to[i].bit = bits % 8;
		to[i].bits = (uint8_t)(bits / 8 % 3 == 0 ? bits % 57 : 0);
		to[i].shape = types ? shape_take(in) : NULL;
	}
	s->members = to;
	s->nmembers = n;
}

/* Takes a type.  After the last one all are integers. */
static const struct tbuf_d_shape *
shape_take(struct input *in)
{
	static const struct tbuf_d_shape integer = {
		.kind = TBUF_KIND_INTEGER, .size = 4, .name = "int"
	};
	unsigned n = nshapes, flags;
	struct tbuf_d_shape *s = &shapes[n];

	if (n == SHAPES || in->size == 0)
		return (&integer);
	nshapes++;
	*s = (struct tbuf_d_shape){ .name = "struct s" };
	s->kind = (enum tbuf_d_kind)(input_take(in, 1) %
	    (TBUF_KIND_VOID + 1));
	flags = (unsigned)input_take(in, 1);
	s->is_signed = flags & 1;
	s->size = (uint32_t)input_take(in, (flags & 2) != 0 ? 4 : 1);
	if (s->kind == TBUF_KIND_ARRAY) {
		s->count = (uint32_t)input_take(in, (flags & 4) != 0 ? 4 : 1);
		s->of = shape_take(in);
	} else if (print_is_structure(s) || s->kind == TBUF_KIND_ENUM)
		members_take(in, s, members[n], (flags >> 3) % (MEMBERS + 1),
		    s->kind != TBUF_KIND_ENUM);
	return (s);
}

static void
print(struct output *out, const struct datum *d, unsigned options,
    uint64_t limit)
{
	if ((options & OPTION_POINTED) != 0)
		print_pointed(out, 4096, d, limit);
	else
		print_value(out, d);
	trace_put(out, d, (options & OPTION_QUIET) != 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	unsigned options = (unsigned)input_take(&in, 1);
	uint64_t limit = input_take(&in, 1);
	size_t length = (size_t)input_take(&in, 1);
	struct datum d = { .kind = DATUM_BYTES };
	struct output out;
	char *bytes;

	length = length < in.size ? length : in.size;
	bytes = malloc(length + (length == 0));
	FUZZ_CHECK(bytes != NULL);
	memcpy(bytes, in.at, length);
	in.at += length;
	in.size -= length;
	d.data = bytes;
	d.length = length;
	nshapes = 0;
	d.shape = shape_take(&in);
	if ((options & (OPTION_TEXT | OPTION_POINTED)) == OPTION_TEXT)
		d.kind = DATUM_TEXT;
	else if ((options & (OPTION_NUMBER | OPTION_POINTED)) ==
	    OPTION_NUMBER) {
		d.kind = DATUM_INTEGER;
		d.size = 1u << limit % 4;
		memcpy(&d.number, bytes, length < 8 ? length : 8);
	}
	output_memory(&out);
	output_bound(&out, OUTPUT);
	print(&out, &d, options, limit);
	(void)output_unbound(&out);
	/* The bound cuts, and what was printed last is complete. */
	FUZZ_CHECK(out.used <= OUTPUT);
	free(out.buffer);
	free(bytes);
	return (0);
}
