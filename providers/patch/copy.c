/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Making copies of instructions that have been decoded, here or by another
 * process (table.h).
 */
#include "x86_64.h"

#include <string.h>

#define LENGTH_MAX	15u	/* of an instruction */
#define GROWTH_MAX	24u	/* bytes that a copy has more */

/* One instruction that is copied. */
struct one {
	const struct patch_move *move;
	const uint8_t *bytes;	/* where it is read */
	uintptr_t at;		/* where it runs */
	uintptr_t to;		/* where the copy will run */
	struct patch_copy *copy;
};

static void
put(struct one *o, const void *bytes, size_t size)
{
	memcpy(o->copy->bytes + o->copy->size, bytes, size);
	o->copy->size += size;
}

static void
put_byte(struct one *o, uint8_t byte)
{
	put(o, &byte, 1);
}

/* Returns the displacement of 4 bytes, or of the one byte, at an offset. */
static uintptr_t
displacement_at(const struct one *o, size_t offset, size_t size)
{
	int32_t displacement;

	if (size == 1)
		return ((uintptr_t)(intptr_t)(int8_t)o->bytes[offset]);
	memcpy(&displacement, o->bytes + offset, sizeof(displacement));
	return ((uintptr_t)(intptr_t)displacement);
}

/* Returns a displacement's target: it counts from the instruction's end. */
static uintptr_t
target_of(const struct one *o, size_t offset, size_t size)
{
	return (o->at + o->move->length + displacement_at(o, offset, size));
}

/* Appends a displacement of 4 bytes, the last ones of an instruction. */
static const char *
put_displacement(struct one *o)
{
	size_t size = o->move->detail;
	uintptr_t target = target_of(o, o->move->length - size, size);
	int64_t distance = (int64_t)(target - (o->to + o->copy->size + 4));
	int32_t displacement = (int32_t)distance;

	if (displacement != distance)
		return ("its stub is out of reach");
	put(o, &displacement, sizeof(displacement));
	return (NULL);
}

/* Copies an instruction that has an operand relative to it. */
static const char *
copy_operand(struct one *o)
{
	size_t begin = o->copy->size, offset = o->move->detail;
	uintptr_t target = target_of(o, offset, 4);
	int64_t distance = (int64_t)(target - (o->to + begin +
	    o->move->length));
	int32_t displacement = (int32_t)distance;

	if (displacement != distance)
		return ("its stub is out of reach");
	put(o, o->bytes, o->move->length);
	memcpy(o->copy->bytes + begin + offset, &displacement,
	    sizeof(displacement));
	return (NULL);
}

static const char *
copy_one(struct one *o)
{
	switch (o->move->how) {
	case PATCH_OPERAND:
		return (copy_operand(o));
	case PATCH_GO:
		put_byte(o, 0xe9);
		return (put_displacement(o));
	case PATCH_IF:
		put_byte(o, 0x0f);
		put_byte(o, 0x80 | o->move->condition);
		return (put_displacement(o));
	case PATCH_SHORT:
		/* It reaches a long jump, which a short one skips. */
		put(o, o->bytes, o->move->length - 1u);
		put(o, "\x02\xeb\x05\xe9", 4);
		return (put_displacement(o));
	default:
		put(o, o->bytes, o->move->length);
		return (NULL);
	}
}

const char *
patch_copy_make(const uint8_t *from, uintptr_t at,
    const struct patch_moves *moves, uintptr_t to, struct patch_copy *copy)
{
	struct one o = { .bytes = from, .at = at, .to = to, .copy = copy };
	const char *problem;

	copy->taken = copy->size = 0;
	copy->ended = moves->ended;
	for (o.move = moves->list; o.move < moves->list + moves->n; o.move++) {
		if (copy->size + GROWTH_MAX + LENGTH_MAX > sizeof(copy->bytes))
			return ("it has too many instructions to copy");
		if ((problem = copy_one(&o)) != NULL)
			return (problem);
		copy->taken += o.move->length;
		o.bytes += o.move->length;
		o.at += o.move->length;
	}
	return (NULL);
}

static bool
is_sound(const struct patch_move *m)
{
	if (m->length == 0 || m->length > LENGTH_MAX || m->condition > 0xf)
		return (false);
	switch (m->how) {
	case PATCH_SAME:
		return (true);
	case PATCH_OPERAND:
		return (m->detail + 4u <= m->length);
	case PATCH_GO:
	case PATCH_IF:
		return ((m->detail == 1 || m->detail == 4) &&
		    m->detail < m->length);
	default:
		return (m->how == PATCH_SHORT && m->detail == 1 &&
		    m->length > 1);
	}
}

bool
patch_moves_sound(const struct patch_moves *moves)
{
	size_t taken = 0;
	unsigned i;

	for (i = 0; i < moves->n; i++) {
		if (!is_sound(&moves->list[i]))
			return (false);
		taken += moves->list[i].length;
	}
	return (taken == moves->taken);
}
