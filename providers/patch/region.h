/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Regions: straight lines of code, from an address to the end of an
 * instruction.  At the start a jump leads to a stub, which has a copy of the
 * whole line with a check for each point in it; so a short function has one
 * region for its entry and its return.
 *
 *	text				stub
 *	start:	jmp stub  ------------>	check of a point at `start'
 *		(rest of the line)	copy
 *		...			check of a point further on
 *	end:	next instruction <----- copy, jmp end
 *
 * Control arrives at no byte of the line after the first (map.h), and no call
 * is moved, so no return address is ever in a stub.
 *
 * Plain jumps of five bytes are planned for all points first.  The bytes of
 * their lines after the jump are dead then, as the filler between functions is,
 * and have room for other jumps (holes.c).
 */
#ifndef TBUF_PROVIDERS_PATCH_REGION_H
#define TBUF_PROVIDERS_PATCH_REGION_H

#include "map.h"

#pragma GCC visibility push(hidden)

#define PATCH_CALL	4u	/* bytes of a call by a word of the stack */
#define PATCH_NO_REGION	SIZE_MAX

/* How the start of a region leads to its stub. */
enum patch_means {
	PATCH_WAY_JUMP,		/* by a jump */
	PATCH_WAY_HOLE,		/* by a short jump to a jump in `hole` */
	PATCH_WAY_AIM,		/* by its call */
	PATCH_WAY_PUN		/* by a jump to where other bytes say */
};

struct patch_region {
	uintptr_t start, end;
	enum patch_means way;
	uintptr_t hole;		/* dead bytes, or 0 */
	size_t host;		/* index of the region that these are in, or
				   PATCH_NO_REGION */
	uintptr_t call;		/* the call that its last bytes make, or 0 */
	size_t changed;		/* first bytes of a pun */
	size_t pushed;		/* bytes, before the stub is reached */
	uintptr_t stub;		/* 0: not armed */
	uintptr_t lead;		/* the stub, or a word with its address */
	bool needed;		/* for a point, or for another region's hole */
	const char *problem;	/* why it could not be armed, or NULL */
};

/*
 * Regions, in the order in which they are armed: they do not overlap.  Their
 * stubs are in `rooms'.
 */
struct patch_room {
	uintptr_t at;
	size_t size;
};

struct patch_regions {
	struct patch_region *all;
	size_t n, room;
	struct patch_room *rooms;
	size_t nrooms;
	bool failed;		/* out of memory */
};

/* A reason of an entry whose branch back has no room for a jump. */
#define PATCH_NOT_PASSED	"a branch back to it cannot pass by its probe"

/* A place that is to have a check: the entry of a function or an exit. */
struct patch_point {
	uintptr_t at;
	size_t function;	/* index in the map */
	bool is_entry;
	bool is_branch;		/* it is an exit if a condition holds */
	bool is_inside;		/* an entry that any instruction may be */
	bool is_back;		/* it is a branch back to the entry, which then
				   does not count */
	const char *problem;	/* why it has no region, or NULL */
	size_t region;		/* index, or PATCH_NO_REGION */
	struct patch_probe *probe;
	uintptr_t passed;	/* code after an entry's check in its stub, or
				   the displacement of a branch back in its
				   own; 0: there is none */
};

/*
 * Plans the regions of points, which are sorted by address, an entry before an
 * exit at one place.  Free the regions in any case.
 */
const char *patch_regions_plan(struct patch_map *, struct patch_regions *,
	    struct patch_point *, size_t n);
void	patch_regions_free(struct patch_regions *);

/*
 * Makes the stubs of the regions that points need, and redirects these.  A
 * point that could not be armed gets a problem.
 */
void	patch_regions_arm(const struct patch *, const struct patch_map *,
	    struct patch_regions *, struct patch_point *, size_t n);

/* Gives the stubs of an object back that has been unloaded. */
void	patch_regions_forget(const struct patch_regions *);

/* ------------------------------------------------- for the files of regions */

/*
 * Changes of a text.  patch_edit_put() collects one, and returns a negative
 * errno if the kernel does not permit it; patch_edit_get() reads the text as it
 * will be.  patch_edit_write() writes all changes, from the lowest address up,
 * and returns the address of the first page that was not written, or
 * UINTPTR_MAX.  Free them in any case.
 */
struct patch_edit {
	const struct patch *patch;
	const struct patch_text *text;
	uintptr_t base;		/* of the first page */
	size_t npages;
	uint8_t *taken;		/* by page: it is in the copy */
	uint8_t *copy;
};

const char *patch_edit_begin(struct patch_edit *, const struct patch *,
	    const struct patch_text *);
int	patch_edit_put(struct patch_edit *, uintptr_t at, const void *bytes,
	    size_t size);
void	patch_edit_get(const struct patch_edit *, uintptr_t at, uint8_t *bytes,
	    size_t size);
uintptr_t patch_edit_write(const struct patch_edit *);
void	patch_edit_free(struct patch_edit *);

/* Returns true if the page of an address is to be written. */
static inline bool
patch_edit_has(const struct patch_edit *e, uintptr_t at)
{
	return (e->taken[(at - e->base) / PATCH_PAGE]);
}

#pragma GCC visibility pop

#endif
