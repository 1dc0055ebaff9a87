/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The stub of a region while it is made, and changes of a text.
 */
#ifndef TBUF_PROVIDERS_PATCH_REGION_STUB_H
#define TBUF_PROVIDERS_PATCH_REGION_STUB_H

#include "region.h"

#pragma GCC visibility push(hidden)

#define REGION_STUB_BYTES	640u
#define REGION_CHECKS_MAX	6u
#define REGION_CALL_BYTES	36u	/* of the call of a check, at most */
#define REGION_CALLS_BYTES	(REGION_CHECKS_MAX * REGION_CALL_BYTES)

struct region_check {
	const struct patch_probe *probe;
	size_t branch;		/* end of the branch to 2, and 1 */
	bool saves;		/* from 2 on rcx is pushed, */
	bool has_zone;		/* below a red zone */
};

struct region_stub {
	uintptr_t at;
	size_t size;
	struct region_check checks[REGION_CHECKS_MAX];
	unsigned nchecks;
	size_t calls;		/* bytes of the calls of all checks */
	bool has_word;		/* its last bytes are its address */
	const char *problem;
	uint8_t bytes[REGION_STUB_BYTES];
};

/*
 * Makes the stub of a region for an address.  The points begin with the first
 * one in the region; those after it have no check.
 */
void	region_stub_make(struct region_stub *, uintptr_t at,
	    const struct patch_map *, const struct patch_region *,
	    struct patch_point *, size_t n);

/*
 * Makes the calls of a stub for an address, and its branches to them; `word` is
 * the address of one with that of patch_hit().
 */
void	region_stub_calls(struct region_stub *, struct region_stub *calls,
	    uintptr_t at, uintptr_t word);

/*
 * A row of stubs while it is made.  region_row_begin() takes room for some of
 * `n` stubs, or returns why there is none.  One has room unless the row is full
 * or there is no row.  region_row_write() writes those that were added since,
 * and returns a negative errno if the kernel does not permit it.
 * region_row_end() gives back the room that is left.
 */
#define REGION_ROW_BYTES	(64u << 10)

struct region_row {
	uintptr_t at;		/* 0: there is none */
	size_t size;
	size_t head, tail;	/* end and start of the used room */
	size_t written;		/* bytes of the head */
	uint8_t bytes[REGION_ROW_BYTES];
};

const char *region_row_begin(struct region_row *, const struct patch_text *,
	    struct patch_regions *, size_t n);
bool	region_row_is_full(const struct region_row *);
void	region_row_add(struct region_row *, struct region_stub *);
int	region_row_write(struct region_row *, const struct patch *);
void	region_row_end(struct region_row *, struct patch_regions *);

/* Returns false if flags are not read after a point before they are set. */
bool	region_needs_flags(const struct patch_map *,
	    const struct patch_point *);

/* Returns the bytes below the stack pointer that a point leaves alone. */
#define RED_ZONE	128u

size_t	region_zone(const struct patch_map *, const struct patch_point *);

/* Sets the bytes of a call in place.  Returns their number. */
#define REGION_CALL_MAX	5u

size_t	region_call_put(const struct patch_region *,
	    uint8_t bytes[REGION_CALL_MAX]);

/* Leads direct calls of functions to the stubs of their entries. */
void	patch_calls_aim(struct patch_edit *, const struct patch_map *,
	    const struct patch_regions *, const struct patch_point *,
	    size_t n);

#pragma GCC visibility pop

#endif
