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
 * is in it, so no return address is ever in a stub.
 */
#ifndef TBUF_PROVIDERS_PATCH_REGION_H
#define TBUF_PROVIDERS_PATCH_REGION_H

#include "map.h"

#pragma GCC visibility push(hidden)

/* A place that is to have a check: the entry of a function or an exit. */
struct patch_point {
	uintptr_t at;
	size_t function;	/* index in the map */
	bool is_entry;
	const char *problem;	/* why it has no region, or NULL */
	uintptr_t start, end;	/* its region */
	struct patch_probe *probe;
};

/*
 * Plans the regions of points, which are sorted by address, an entry before an
 * exit at one place.  A region is where a jump of five bytes has room.
 */
const char *patch_regions_plan(struct patch_map *, struct patch_point *,
	    size_t n);

/*
 * Makes the stubs of all planned regions, and redirects these.  A point that
 * could not be armed gets a problem.
 */
void	patch_regions_arm(const struct patch *, const struct patch_text *,
	    struct patch_point *, size_t n);

#pragma GCC visibility pop

#endif
