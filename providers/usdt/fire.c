/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Functions that a stub calls.  Vector registers are not saved: this file is
 * compiled with -mgeneral-regs-only, as all of a fire is.
 */
#include "usdt.h"

#include "target/provider.h"

/* Bytes of all texts of a hit, on the stack; few hits need the long room. */
#define TEXTS_SHORT	512u
#define TEXTS_LONG	8192u

_Static_assert(offsetof(struct usdt_site, patch) == 0, "usdt_hit() has it");
_Static_assert(sizeof(struct patch_registers) % sizeof(uint64_t) == 0 &&
    sizeof(struct patch_registers) <= USDT_REGISTERS * sizeof(uint64_t),
    "registers are an array");

/* Fires the probe; the program resumes after the nop. */
static void
fire(const struct usdt_site *s, const uint64_t *registers,
    const uint64_t *values)
{
	uint64_t pc = s->patch.place | TBUF_FRAME_EXACT, inner = 0;

#ifdef PATCH_LINK
	if (s->is_leaf) {
		inner = pc;
		pc = registers[PATCH_LINK];
	}
#endif
	tbuf_site_fire_from(&s->group->site, values, inner, pc,
	    registers[PATCH_STACK], registers[PATCH_FRAME]);
}

/* Returns the most bytes that a text has; a negative length counts as 0. */
static size_t
most(const struct usdt_site *s, const uint64_t *values, unsigned i)
{
	unsigned length = s->group->probe.lengths[i];

	if (length == 0)
		return (SIZE_MAX);
	return ((int64_t)values[length - 1] < 0 ? 0 : values[length - 1]);
}

/* Returns false if there is no room for the texts; then nothing has fired. */
static bool
fire_texts(const struct usdt_site *s, const uint64_t *registers,
    const uint64_t *values, char *room, size_t size)
{
	struct usdt_texts texts = { .next = room };
	uint64_t copies[TBUF_ARGS_MAX];
	unsigned i, left = s->ntexts;
	const char *end = room + size;

	for (i = 0; i < s->nargs; i++) {
		copies[i] = values[i];
		if ((s->texts & 1u << i) == 0)
			continue;
		if (!usdt_text_copy(s, registers[PATCH_STACK], values[i],
		    most(s, values, i), &texts,
		    (size_t)(end - texts.next) / left--, &copies[i]) &&
		    size < TEXTS_LONG)
			return (false);
	}
	fire(s, registers, copies);
	return (true);
}

/* This has a frame of its own, as stacks may be small. */
static __attribute__((noinline)) void
fire_long(const struct usdt_site *s, const uint64_t *registers,
    const uint64_t *values)
{
	char room[TEXTS_LONG];

	(void)fire_texts(s, registers, values, room, sizeof(room));
}

static __attribute__((noinline)) bool
fire_short(const struct usdt_site *s, const uint64_t *registers,
    const uint64_t *values)
{
	char room[TEXTS_SHORT];

	return (fire_texts(s, registers, values, room, sizeof(room)));
}

void
usdt_hit(struct patch_probe *patch, const struct patch_registers *all)
{
	const struct usdt_site *s = (const struct usdt_site *)patch;
	const uint64_t *registers = (const uint64_t *)all;
	uint64_t values[TBUF_ARGS_MAX];
	unsigned i;

	values[0] = 0;
	for (i = 0; i < s->nargs; i++)
		values[i] = usdt_operand_value(&s->operands[i], registers);
	if (s->ntexts == 0)
		fire(s, registers, values);
	else if (!fire_short(s, registers, values))
		fire_long(s, registers, values);
}
