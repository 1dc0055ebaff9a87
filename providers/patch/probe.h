/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Stubs that pass all general registers at a place to a function: the part that
 * is the same on all processors.
 */
#ifndef TBUF_PROVIDERS_PATCH_PROBE_H
#define TBUF_PROVIDERS_PATCH_PROBE_H

#include "patch.h"

#pragma GCC visibility push(hidden)

struct patch_registers;

/*
 * The data of a place for its stub; they are never moved.  While *enabled is 0,
 * a stub costs a load and two jumps.  Otherwise it calls hit() with the
 * registers as they were at the place: below the program's data under its stack
 * pointer, on an aligned stack; flags and registers are restored afterwards.
 */
struct patch_probe {
	const uint32_t *enabled;
	void (*hit)(struct patch_probe *, const struct patch_registers *);
	uintptr_t place;	/* a nop */
	uintptr_t stub;		/* 0: it is not armed */
	size_t stub_size;
	size_t pushed;		/* bytes on the stack since the place */
};

/* Returns true if the instruction is the one that a place must be. */
bool	patch_is_nop(uintptr_t place);

/* Frees the room of a stub of an object that has been unloaded. */
void	patch_forget(struct patch_probe *);

/*
 * Returns the address in a function that does nothing from which on a jump can
 * replace it; 0 for any other function.
 */
uintptr_t patch_replaceable(const struct patch_text *, uintptr_t function);

/*
 * Redirects a function that does nothing, such as the one that the dynamic
 * linker calls for debuggers, to another one.
 */
const char *patch_replace(const struct patch *, const struct patch_text *,
	    uintptr_t function, void (*other)(void));

/*
 * Returns the address of the word with the other function, if a function has
 * been replaced already, also by another provider; or 0.
 */
uintptr_t patch_replaced(uintptr_t function);

/*
 * Lets changed() be called when the dynamic linker is about to load or unload
 * objects, and when it has mapped those that it loads and run none of their
 * code, with its lock held (_r_debug.r_state says which).  Another provider may
 * watch already: *former is its function then, which changed() has to call.
 */
const char *patch_watch(void (*changed)(void), void (**former)(void));

/*
 * Returns true if the thread's filters of system calls have changed since
 * patch_watch(): they may kill for calls that the linker does not make.
 */
bool	patch_refiltered(void);

#pragma GCC visibility pop

#endif
