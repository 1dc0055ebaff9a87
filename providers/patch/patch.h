/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Redirecting places in code to stubs, once, before main() or while dlopen(3)
 * loads the code: for providers that are preloaded and patch the loaded
 * objects.  Later an enable word alone decides how a stub acts; no running code
 * is patched.
 *
 *	text of an object            a stub, within reach
 *	  ...                        .-> tests an enable word; calls a function
 *	  jmp  ---------------------'    if it is set
 *	  rest of the original           relocated copy of the replaced code
 *	  next instruction  <----------- jmp
 *
 * Code is written through /proc/self/mem, into private, readable and executable
 * mappings, or through a file that is closed afterwards: no memory is ever both
 * writable and executable.  Where the kernel refuses, nothing has changed.
 *
 * A place is redirected only if that is proven to be right.  Functions that
 * return a string return NULL, or the reason for a failure.  x86_64.h and
 * aarch64.h have the parts that depend on the processor's instructions.
 *
 * All of this is for constructors and hooks of dlopen(3): it is not
 * async-signal-safe, and not part of a fire.  Functions that a stub calls are
 * built with -mgeneral-regs-only: vector registers are not saved.
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
 * Greatest distance of a stub from any part of an object, with room to spare,
 * so that jumps reach both ways; and the end of the program's half of
 * addresses.
 */
#if defined(__x86_64__)
#define PATCH_REACH	(((uintptr_t)2 << 30) - (64u << 20))
#define PATCH_LAST	((uintptr_t)0x7ffffffff000)
#define PATCH_JUMP	5u	/* bytes of a jump */
#elif defined(__aarch64__)
#define PATCH_REACH	(((uintptr_t)128 << 20) - (4u << 20))
#define PATCH_LAST	((uintptr_t)0xfffffffff000)
#define PATCH_JUMP	4u
#endif

/* --------------------------------------------------------------- patching */

/*
 * Patching, from its begin to its end, blocks signals.  patch_begin() fails if
 * another thread runs, which may be at any instruction, or if the kernel does
 * not let a process write its text.
 */
struct patch {
	int memory;		/* /proc/self/mem */
	sigset_t mask;		/* the signal mask before */
};

const char *patch_begin(struct patch *);

/*
 * patch_begin() while dlopen(3) loads objects of which no code has run yet:
 * other threads do not matter to these objects, and no other may be patched.
 */
const char *patch_begin_loading(struct patch *);
void	patch_end(struct patch *);

/* Blocks most signals of the calling thread, by a call that fires no probe. */
void	patch_block(sigset_t *old);
void	patch_unblock(const sigset_t *old);

/* Returns a descriptor for `number` out of the way of the program's. */
int	patch_number(int number);

/* Encodes a jump at `from' to `to'.  Returns false if it does not reach. */
bool	patch_jump(uint8_t jump[PATCH_JUMP], uintptr_t from, uintptr_t to);

/* Encodes a jump to any address, also to the start of a function. */
#define PATCH_FAR	16u	/* its bytes, at most */

void	patch_far_encode(uint8_t stub[PATCH_FAR], uintptr_t to);

/*
 * Writes a stub for address `at`, then `taken` bytes of the jump to it: nothing
 * leads to the stub until the place has changed.
 */
const char *patch_redirect(const struct patch *, uintptr_t at,
	    const void *stub, size_t size, uintptr_t place, size_t taken);

/* Returns 0, or a negative errno: nothing has changed then. */
int	patch_write(const struct patch *, uintptr_t to, const void *bytes,
	    size_t size);

/* --------------------------------------------------------- loaded objects */

/*
 * An executable segment of a loaded object, or the span of all of them, and the
 * tables of its functions.
 */
struct patch_text {
	uintptr_t start, end;
	const uint8_t *functions;	/* its .eh_frame_hdr, or NULL */
	size_t nfunctions_bytes;
	uintptr_t low, high;		/* all of the object */
	uintptr_t base;			/* load address, for its headers */
	const ElfW(Phdr) *parts;
	unsigned nparts;
	unsigned first;			/* the part that is tried first: it
					   has the tables of functions */
};

/* A function, as the tables of unwinders have it. */
struct patch_range {
	uintptr_t start, end;
	uintptr_t pads;			/* table of landing pads; 0: none */
	const uint8_t *entry;		/* of .eh_frame */
	bool is_signal;			/* its frame is made by a signal */
};

/* Finds the texts of an object.  Returns their number, at most `max`. */
unsigned patch_texts(const struct dl_phdr_info *, struct patch_text *,
	    unsigned max);

/*
 * Finds the span of all executable segments.  Returns false if there are none,
 * or if code in one can be written to, or cannot be read: it may lead anywhere.
 */
bool	patch_text_all(const struct dl_phdr_info *, struct patch_text *);

/*
 * Finds the first code of a text at or after an address, up to the end of its
 * segment.  Returns false if there is none; between segments is none.
 */
bool	patch_text_find(const struct patch_text *, uintptr_t *at,
	    uintptr_t *end);

/* Returns the bytes from an address to the end of its segment, 0 between. */
size_t	patch_text_left(const struct patch_text *, uintptr_t at);

/* Returns true if the bytes are in a readable part of the object. */
bool	patch_readable(const struct patch_text *, uintptr_t address,
	    size_t size);

/* Finds the function that has an address, by the tables of unwinders. */
bool	patch_function(const struct patch_text *, uintptr_t address,
	    struct patch_range *);

/*
 * The rows of these tables, and one of them.  patch_functions_get() returns
 * false for one that is not understood; only its start is known.
 * patch_functions_known() returns false if there are tables that are not.
 */
bool	patch_functions_known(const struct patch_text *);
size_t	patch_functions_count(const struct patch_text *);
bool	patch_functions_get(const struct patch_text *, size_t,
	    struct patch_range *);

/*
 * Visits the places in a function where exceptions that pass through it
 * continue.  Returns false if the function's table is not understood.
 */
bool	patch_pads_visit(const struct patch_text *,
	    const struct patch_range *, void (*visit)(void *, uintptr_t),
	    void *arg);

/*
 * Returns true if an exception that passes through a function may continue in
 * [start, end) of it; also if the function's table is not understood.
 */
bool	patch_lands(const struct patch_text *, const struct patch_range *,
	    uintptr_t start, uintptr_t end);

/* -------------------------------------------------------- memory for stubs */

/*
 * Read-execute pages.
 *
 * patch_map_at() takes `size` bytes at this very address, and maps those of
 * their pages that it has not mapped yet.  It refuses pages of others, the
 * space that the heap or the main thread's stack may grow into, and bytes of
 * another stub.
 * patch_map_near() returns room that a jump from the text reaches, or 0.
 */
const char *patch_map_at(uintptr_t at, size_t size);
uintptr_t patch_map_near(const struct patch_text *, size_t size);

/*
 * Finds an address for memory that all of an object's code reaches, where
 * map_at() maps it and returns true.  Returns it, or 0.
 */
uintptr_t patch_find_near(const struct patch_text *, size_t size,
	    bool (*map_at)(uintptr_t at, size_t size));

/* Returns true if jumps between all of the text and [start, end) reach. */
bool	patch_reaches(const struct patch_text *, uintptr_t start,
	    uintptr_t end);

/*
 * The file that a session's stubs are mapped from.  patch_file_find() returns
 * the descriptor and the offset of a mapped address, or -1.
 */
void	patch_file_begin(void);
void	patch_file_end(void);
void   *patch_file_map(uintptr_t at, size_t size);
int	patch_file_find(uintptr_t at, uintptr_t *offset);

/* Frees the room of a stub of an object that has been unloaded. */
void	patch_unmap(uintptr_t at, size_t size);

#pragma GCC visibility pop

#endif
