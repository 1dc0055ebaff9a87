/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lines of code for regions, while these are planned.
 */
#ifndef TBUF_PROVIDERS_PATCH_LINE_H
#define TBUF_PROVIDERS_PATCH_LINE_H

#include "region.h"

#pragma GCC visibility push(hidden)

#define PATCH_SHORT_JUMP	2u	/* bytes of a short jump */

/* Points, and the regions that are planned for them. */
struct patch_plan {
	struct patch_map *map;
	struct patch_regions *regions;
	struct patch_point *points;
	size_t n;
	uintptr_t *merged;	/* by function: end of the line from its entry
				   to an exit, or 0 */
	bool *has_entry;	/* by function: its entry is a point */
	size_t nplain;		/* the first regions, of descending address */
	bool is_plain;		/* more of them are being added */
};

static inline enum patch_class
patch_class_at(const struct patch_map *m, uintptr_t at)
{
	return (patch_class(*patch_map_mark(m, at)));
}

/* Returns true if no byte has any of the marks. */
bool	patch_line_lacks(const struct patch_map *, uintptr_t at, uintptr_t end,
	    unsigned marks);

/* Returns the instruction before another one in a part, or 0. */
uintptr_t patch_line_before(const struct patch_map *,
	    const struct patch_code *, uintptr_t at);

/* Returns the end of filler after the end of a block, at most `end`. */
uintptr_t patch_line_fill(const struct patch_map *, uintptr_t at,
	    uintptr_t end);

/* Marks this filler if it reaches up to the next instruction. */
void	patch_line_claim(struct patch_map *, uintptr_t block_end);

/*
 * Returns why a place of another provider may be in a line, or next to it where
 * its own jump needs bytes of the line; or NULL.  patch_line_has_place() looks
 * for one anywhere in the function of an address.
 */
const char *patch_line_place(const struct patch_map *, uintptr_t start,
	    uintptr_t end);
bool	patch_line_has_place(const struct patch_map *, uintptr_t at);

/* Lets no region be in bytes that are in none, or lets it again. */
void	patch_line_lock(struct patch_map *, uintptr_t at, uintptr_t end,
	    bool is_locked);

bool	patch_ends_block(enum patch_class);

/*
 * Finds the line from a start that reaches `least` and may become a region with
 * room for a jump of `size` bytes; after the end of a block filler may make
 * room.  Returns NULL and its end, or why there is none.
 */
const char *patch_line_find(const struct patch_map *, uintptr_t start,
	    size_t size, uintptr_t least, uintptr_t *end);

/*
 * Adds a region, and marks the bytes of its line and those that it changes; or
 * lets a region end later.
 */
void	patch_line_take(struct patch_plan *, const struct patch_region *);

void	patch_line_lengthen(struct patch_plan *, struct patch_region *,
	    uintptr_t end);

/* Returns the index of the region that copies a byte, or PATCH_NO_REGION. */
size_t	patch_line_region(const struct patch_plan *, uintptr_t at);

/*
 * Returns five dead bytes that a short jump at `start` reaches, which may be in
 * other regions or filler; or 0.
 */
#define PATCH_SHORT_REACH	128u	/* of a short jump, to either side */

uintptr_t patch_hole_find(struct patch_map *, uintptr_t start);

/* Makes such bytes, by moving code near the jump; no byte of that is busy. */
uintptr_t patch_hole_make(struct patch_plan *, uintptr_t start);

/*
 * Make a region of a line to a call that is among the first bytes: to make the
 * call in place, or to lead it to the stub.  Return NULL, or why not.
 */
const char *patch_call_in_place(struct patch_map *, uintptr_t start,
	    enum patch_means, struct patch_region *);
const char *patch_call_aim(const struct patch_map *, uintptr_t start,
	    struct patch_region *);

/* Makes a region of a line that is redirected by a pun, or returns why not. */
const char *patch_pun_find(const struct patch_map *, uintptr_t start,
	    uintptr_t least, struct patch_region *);

#pragma GCC visibility pop

#endif
