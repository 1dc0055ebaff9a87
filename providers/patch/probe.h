/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Stubs that show all general registers at a place to a function, as far as
 * they are the same on all processors.
 */
#ifndef TBUF_PROVIDERS_PATCH_PROBE_H
#define TBUF_PROVIDERS_PATCH_PROBE_H

#include "patch.h"

#pragma GCC visibility push(hidden)

struct patch_registers;

/*
 * What a stub needs to know of its place; it stays where it is for good.
 * While *enabled is 0, a stub costs a load and two jumps.  Else it calls
 * hit(), with the registers as they were at the place: below what the program
 * may have under its stack pointer, on an aligned stack, with flags and
 * registers put back afterwards.
 */
struct patch_probe {
	const uint32_t *enabled;
	void (*hit)(struct patch_probe *, const struct patch_registers *);
	uintptr_t place;	/* a nop */
	uintptr_t stub;		/* 0: it is not armed */
	size_t stub_size;
};

/* Is it the instruction that a place has to be? */
bool	patch_is_nop(uintptr_t place);

/* Its object has been unloaded: others may have the room of its stub. */
void	patch_forget(struct patch_probe *);

/*
 * Have a function that does nothing, such as the one that the dynamic linker
 * calls for debuggers, be another one.
 */
const char *patch_replace(const struct patch *, const struct patch_text *,
	    uintptr_t function, void (*other)(void));

#pragma GCC visibility pop

#endif
