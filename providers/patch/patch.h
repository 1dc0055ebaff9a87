/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Redirecting places in code to stubs, before main and once for all: what the
 * providers that are preloaded for it do with the objects that are loaded
 * then.  Later on an enable word alone decides what a stub does; no program is
 * patched while it runs.
 *
 *	text of an object            a stub, within reach
 *	  ...                        .-> looks at an enable word; calls what
 *	  jmp  ---------------------'    is to be told
 *	  rest of what was there         relocated copy of what the jump took
 *	  next instruction  <----------- jmp
 *
 * Code is written through /proc/self/mem, into mappings that are private,
 * readable and executable, or through a file that is closed then: nothing is
 * writable and executable at any time, and where the kernel refuses, nothing
 * has changed.
 *
 * A place is redirected only if that can be proven to be right, or is left
 * alone.  Functions that return a string return NULL, or why not.  What depends
 * on the processor's instructions is in x86_64.h and aarch64.h.
 *
 * Everything here is for constructors, and for what dlopen(3) calls: it is not
 * async-signal-safe, and none of it is part of a fire.  What a stub calls has
 * to be built with -mgeneral-regs-only: vector registers are not saved.
 */
#ifndef TBUF_PROVIDERS_PATCH_H
#define TBUF_PROVIDERS_PATCH_H

#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

#define PATCH_PAGE	4096u

/*
 * How far a stub may be from the whole of an object, with room to spare, so
 * that jumps get there and back; and the end of a program's half of addresses.
 */
#if defined(__x86_64__)
#define PATCH_REACH	(((uintptr_t)2 << 30) - (64u << 20))
#define PATCH_LAST	((uintptr_t)0x7ffffffff000)
#elif defined(__aarch64__)
#define PATCH_REACH	(((uintptr_t)128 << 20) - (4u << 20))
#define PATCH_LAST	((uintptr_t)0xfffffffff000)
#endif

/* ------------------------------------------------------------- the session */

/*
 * Between the two signals are blocked.  patch_begin() fails where another
 * thread runs already, which may be at any instruction, and where the kernel
 * does not let a process write its own text.
 */
struct patch {
	int memory;		/* /proc/self/mem */
	sigset_t mask;		/* as it was */
	bool shadow;		/* a shadow stack of return addresses is used */
};

const char *patch_begin(struct patch *);

/*
 * The same while dlopen(3) loads objects, of which no code has run yet: other
 * threads do not matter to these, and nothing else may be patched.
 */
const char *patch_begin_loading(struct patch *);
void	patch_end(struct patch *);

/* Most signals of the calling thread, by a call that nobody is told of. */
void	patch_block(sigset_t *old);
void	patch_unblock(const sigset_t *old);

/* A descriptor that is out of the way of the program's. */
int	patch_number(int number);

/* 0, or a negative errno: nothing has changed then. */
int	patch_write(const struct patch *, uintptr_t to, const void *bytes,
	    size_t size);

/* --------------------------------------------------------- loaded objects */

/* An executable part of a loaded object, and where its functions are. */
struct patch_text {
	uintptr_t start, end;
	const uint8_t *functions;	/* its .eh_frame_hdr, or NULL */
	size_t nfunctions_bytes;
	uintptr_t low, high;		/* all of the object */
	uintptr_t base;			/* what its headers are relative to */
	const ElfW(Phdr) *parts;
	unsigned nparts;
};

/* A function: where it is, and its table of landing pads (0: it has none). */
struct patch_range {
	uintptr_t start, end;
	uintptr_t pads;
};

/* Texts of an object; returns how many, at most `max`. */
unsigned patch_texts(const struct dl_phdr_info *, struct patch_text *,
	    unsigned max);

/* Are these bytes of the object, and to be read?  It may have holes. */
bool	patch_readable(const struct patch_text *, uintptr_t address,
	    size_t size);

/* The function that an address is in, by the tables of unwinders. */
bool	patch_function(const struct patch_text *, uintptr_t address,
	    struct patch_range *);

/*
 * May an exception that passes through a function go on in [start, end) of it?
 * Yes, too, if its table is not understood.
 */
bool	patch_lands(const struct patch_text *, const struct patch_range *,
	    uintptr_t start, uintptr_t end);

/* -------------------------------------------------------- memory for stubs */

/*
 * Read-execute pages.
 *
 * patch_map_at() maps what is not mapped yet of the pages that hold `size`
 * bytes at this very address, and refuses what others have, what the heap or
 * the main thread's stack may grow into, and what another stub has taken.
 * patch_map_near() finds room within reach of a jump from `place`.
 */
const char *patch_map_at(uintptr_t at, size_t size);
uintptr_t patch_map_near(const struct patch_text *, size_t size);

/*
 * The file that a session's stubs are mapped from.  It finds the descriptor,
 * and the offset, of what is mapped at an address, or -1.
 */
void	patch_file_begin(void);
void	patch_file_end(void);
void   *patch_file_map(uintptr_t at, size_t size);
int	patch_file_find(uintptr_t at, uintptr_t *offset);

/* The stub that was there is gone, with its object. */
void	patch_unmap(uintptr_t at, size_t size);

#pragma GCC visibility pop

#endif
