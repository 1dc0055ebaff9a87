/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Arithmetic flags that functions of an object pass to each other.  The ABI has
 * none, and compilers make none; but assembly may return one, or begin with
 * one, where all callers are in the same object.  So the object is looked
 * through: if no code reads flags that it has not set since its function began
 * or since a call returned, checks at entries and at returns may change them.
 *
 * Each function's instructions are seen in their order, and jumps after a call
 * are followed.  A branch by a condition reads flags, so that they are never
 * passed further than to one.
 */
#include <stdlib.h>

#include "patch/map.h"

#define FOLLOW_MAX	32u	/* instructions */

/* The flags that an instruction reads, and those that it sets. */
#define CARRY	0x1u
#define OTHERS	0x2u
#define ALL	(CARRY | OTHERS)

struct use {
	uint8_t reads, sets;
};

static const struct use none, all = { 0, ALL }, reader = { ALL, 0 };

static struct use
use_of_condition(unsigned condition)
{
	return ((struct use){ (condition & 0xe) == 2 ? CARRY :
	    (condition & 0xe) == 6 ? ALL : OTHERS, 0 });
}

static struct use
use_of_two(const uint8_t *p)
{
	switch (*p) {
	case 0x40 ... 0x4f:	/* cmov */
	case 0x80 ... 0x8f:	/* branches */
	case 0x90 ... 0x9f:	/* set */
		return (use_of_condition(*p & 0xf));
	case 0x2e: case 0x2f:	/* comparisons of vectors */
	case 0xaf: case 0xb0: case 0xb1: case 0xb8: case 0xbc: case 0xbd:
	case 0xc0: case 0xc1:
	case 0xa3: case 0xab: case 0xb3: case 0xba: case 0xbb:	/* bt */
		return (all);
	case 0x38:		/* adcx, adox */
		return (p[1] == 0xf6 ? reader : none);
	default:
		return (none);
	}
}

/* A shift by a constant. */
static struct use
use_of_shift(unsigned operation, bool is_zero)
{
	if (operation == 2 || operation == 3)
		return (reader);
	return (operation < 4 || is_zero ? none : all);
}

/* Opcodes whose operation is in their ModRM byte, if there is one. */
static struct use
use_of_group(unsigned opcode, unsigned modrm, unsigned count)
{
	unsigned operation = modrm >> 3 & 7;

	switch (opcode) {
	case 0x80: case 0x81: case 0x83:
		return (operation == 2 || operation == 3 ? reader : all);
	case 0xc0: case 0xc1:
		return (use_of_shift(operation, count == 0));
	case 0xd0: case 0xd1:
		return (use_of_shift(operation, false));
	case 0xd2: case 0xd3:
		return (use_of_shift(operation, true));
	case 0xf6: case 0xf7:
		return (operation == 2 ? none : all);
	case 0xfe: case 0xff:
		return (operation < 2 ? (struct use){ 0, OTHERS } : none);
	case 0xda: case 0xdb: case 0xdf:	/* fcmov; fcomi */
		if (modrm >= 0xc0 && (operation == 5 || operation == 6))
			return (opcode == 0xda ? none : all);
		return (modrm >= 0xc0 && operation < 4 ? reader : none);
	default:
		return (none);
	}
}

/* Flags that an instruction leaves undefined are set. */
static struct use
use_of(const uint8_t *p, unsigned length)
{
	const uint8_t *last = p + length - 1;
	unsigned count = *last & 31;

	if (p[0] >= 0x48 && p[0] <= 0x4f)
		count = *last & 63;
	while (*p == 0x66 || *p == 0xf2 || *p == 0xf3 || *p == 0xf0 ||
	    (*p & 0xfc) == 0x64 || (*p & 0xe7) == 0x26 || (*p & 0xf0) == 0x40)
		p++;
	if (*p == 0x0f)
		return (use_of_two(p + 1));
	if (*p < 0x40 && (*p & 7) < 6)
		return (*p >> 3 == 2 || *p >> 3 == 3 ? reader : all);
	switch (*p) {
	case 0x70 ... 0x7f:
		return (use_of_condition(*p & 0xf));
	case 0x9c: case 0x9f: case 0xd6: case 0xf5:
	case 0xe0: case 0xe1:
		return (reader);
	case 0x69: case 0x6b: case 0x84: case 0x85: case 0xa8: case 0xa9:
		return (all);
	default:
		return (use_of_group(*p, p < last ? p[1] : 0, count));
	}
}

/* ------------------------------------------------------------ the end */

/* Returns false if flags are set, or passed to a function, before a read. */
static bool
is_read(struct patch_map *m, uintptr_t at, unsigned left)
{
	struct patch_instruction in;
	const struct patch_code *code;
	struct use use;
	unsigned n;

	for (n = 0; n < FOLLOW_MAX && left != 0; n++) {
		code = patch_map_code(m, at);
		if (code != NULL && code->start == at &&
		    code->owner == (size_t)(code - m->codes))
			return (false);
		patch_decode((const uint8_t *)at, patch_text_left(m->text, at),
		    at, &in);
		if (in.length == 0)
			return (true);
		use = use_of((const uint8_t *)at, in.length);
		if ((use.reads & left) != 0)
			return (true);
		left &= ~use.sets;
		if (in.is_indirect)
			return ((*patch_map_mark(m, at) & (PATCH_DISPATCH |
			    PATCH_DOUBT)) != 0 && left != 0);
		if (in.is_call || in.is_return || (in.ends && !in.is_branch))
			return (false);
		if (in.is_branch && !in.ends)
			break;
		at = in.is_branch ? in.target : at + in.length;
	}
	return (left != 0);
}

/* Returns true if flags are read where a computed jump may lead. */
static bool
is_read_in(struct patch_map *m, const struct patch_code *code)
{
	uintptr_t at;

	for (at = code->start; at < code->end; at++)
		if ((*patch_map_mark(m, at) & (PATCH_CALLED |
		    PATCH_LISTED)) != 0 && is_read(m, at, ALL))
			return (true);
	return (false);
}

/* A part of a function may begin with flags that the function has set. */
static bool
is_passed_to(struct patch_map *m, const struct patch_code *code)
{
	return (!code->is_decoded || (code->reads_flags &&
	    code->owner == (size_t)(code - m->codes)) ||
	    (m->codes[code->owner].jumps_open && is_read_in(m, code)));
}

void
patch_flags_end(struct patch_map *m)
{
	const struct patch_code *code = m->codes;
	size_t i;

	for (i = 0; i < m->ncodes && !m->passes_flags; i++)
		m->codes[m->codes[i].owner].jumps_open |=
		    m->codes[i].jumps_open;
	for (i = 0; i < m->nopen && !m->passes_flags; i++)
		m->passes_flags = is_read(m, m->open[i] >> 2, m->open[i] & ALL);
	for (; code < m->codes + m->ncodes && !m->passes_flags; code++)
		m->passes_flags = is_passed_to(m, code);
	free(m->open);
	m->open = NULL;
}

/* ------------------------------------------------------------ functions */

/* Takes a place where code goes on with flags that are not set. */
static void
add_open(struct patch_map *m, uintptr_t at, unsigned left)
{
	size_t room = 2 * m->open_room + 1024;
	uintptr_t *open = m->open;

	if (m->passes_flags)
		return;
	if (m->nopen == m->open_room) {
		open = reallocarray(open, room, sizeof(*open));
		m->passes_flags = open == NULL;
		if (open == NULL)
			return;
		m->open = open;
		m->open_room = room;
	}
	m->open[m->nopen++] = at << 2 | left;
}

/* Takes an instruction to which flags are passed, of which it reads some. */
static void
look(struct patch_map *m, struct patch_code *code, uintptr_t at,
    const struct patch_instruction *in, unsigned since)
{
	unsigned reads = use_of((const uint8_t *)at, in->length).reads;
	unsigned left = since & ALL;

	if ((reads & left) != 0 && (since & PATCH_SINCE_START) == 0)
		m->passes_flags = true;
	else if ((reads & left) != 0)
		code->reads_flags = true;
	if (in->is_indirect)
		code->jumps_open |= (*patch_map_mark(m, at) &
		    (PATCH_DISPATCH | PATCH_DOUBT)) != 0;
	else if (in->is_branch && (left & ~reads) != 0)
		add_open(m, in->target, left & ~reads);
}

/* A function of another object returns no flags. */
unsigned
patch_flags_follow(struct patch_map *m, struct patch_code *code, uintptr_t at,
    const struct patch_instruction *in, unsigned since)
{
	struct use use;

	if (m->passes_flags)
		return (0);
	if (in->is_call)
		return (in->is_branch && patch_map_code(m, in->target) ==
		    NULL ? 0 : ALL);
	if ((since & ALL) == 0)
		return (0);
	look(m, code, at, in, since);
	use = use_of((const uint8_t *)at, in->length);
	since &= ~(use.sets | use.reads);
	return (in->ends || (since & ALL) == 0 ? 0 : since);
}

/* Bytes that are in no function may be assembly with a call. */
void
patch_flags_look(struct patch_map *m, uintptr_t next, uintptr_t target)
{
	const struct patch_code *code = patch_map_code(m, target);

	if (code != NULL && code->start == target &&
	    patch_text_left(m->text, next) > 0)
		add_open(m, next, ALL);
}
