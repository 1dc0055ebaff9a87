/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Regions of aarch64 code: one instruction, which a branch replaces.  The entry
 * of a function is after its landing pad, so an exit may be at the same place.
 */
#include "patch/region.h"

#define SVC	0xd4000001u	/* svc #0 */
#define EXCLUSIVE_MAX	32u	/* instructions from a load to its store */

static bool
is_exclusive(uint32_t word)
{
	return ((word & 0x3fa00000) == 0x08000000 ||
	    (word & 0xbfa00000) == 0x88200000);
}

static bool
is_load(uint32_t word)
{
	return ((word >> 22 & 1) != 0);
}

/* Returns true before an exclusive store whose load is before `at`. */
static bool
in_sequence(uintptr_t at, uintptr_t end)
{
	unsigned n;
	uint32_t word;

	for (n = 0; n < EXCLUSIVE_MAX && end - at >= PATCH_WORD; n++) {
		word = patch_word(at);
		if (is_exclusive(word))
			return (n == 0 || !is_load(word));
		at += PATCH_WORD;
	}
	return (false);
}

/*
 * Returns true for instructions that belong to the next ones: movprfx, and
 * those that copy and set memory by steps.
 */
static bool
is_first_of_several(uint32_t word)
{
	return ((word & 0xfffffc00) == 0x0420bc00 ||
	    (word & 0xff3ee000) == 0x04102000 ||
	    (word & 0x3b200c00) == 0x19000400);
}

/* Returns true for a call by a branch or by a register. */
static bool
is_call(uint32_t word)
{
	return ((word & 0xfc000000) == 0x94000000 ||
	    (word & 0xfee00000) == 0xd6200000);
}

/* svc, hvc and smc; ldr and prfm of a literal but into general registers */
static bool
is_fixed(uint32_t word)
{
	return ((word & 0xffe0001c) == 0xd4000000 ||
	    (word & 0x3f000000) == 0x1c000000 ||
	    (word & 0xff000000) == 0xd8000000 ||
	    ((word & 0x3f000000) == 0x18000000 && (word & 0x1f) == 31));
}

const char *
patch_fixed(uintptr_t at, uintptr_t end)
{
	uint32_t word = patch_word(at);

	if (is_call(word))
		return ("a call is among the bytes");
	if (is_fixed(word) || is_first_of_several(word))
		return ("its instruction depends on its place");
	if (in_sequence(at, end))
		return ("it is among exclusive loads and stores");
	return (NULL);
}

static const char *
plan_point(const struct patch_map *m, const struct patch_point *point)
{
	const struct patch_code *code = patch_map_code(m, point->at);
	uintptr_t at = patch_place(point->at, point->is_entry);

	if (m->codes[point->function].problem != NULL)
		return (m->codes[point->function].problem);
	if (at + PATCH_WORD > code->end ||
	    (*patch_map_mark(m, at) & PATCH_BEGINS) == 0)
		return ("it is too short");
	if (patch_map_has_site(m, at, at + PATCH_WORD))
		return ("a USDT site may be there");
	if (m->keeps_calls && patch_word(at) == SVC)
		return ("a system call is there");
	return (patch_fixed(at, code->end));
}

const char *
patch_regions_plan(struct patch_map *m, struct patch_regions *unused,
    struct patch_point *points, size_t n)
{
	size_t i;

	(void)unused;
	for (i = 0; i < n; i++)
		points[i].problem = plan_point(m, &points[i]);
	return (NULL);
}

void
patch_regions_free(struct patch_regions *unused)
{
	(void)unused;
}

/* The points' probes have the stubs. */
void
patch_regions_forget(const struct patch_regions *unused)
{
	(void)unused;
}
