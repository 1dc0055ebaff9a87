/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Redirecting places in code to stubs, before main and once for all: what the
 * providers that are preloaded for it do with the objects that are loaded
 * then.  Later on an enable word alone decides what a stub does; no program is
 * patched while it runs.
 *
 *	text of an object            a stub, within 2 GiB
 *	  ...                        .-> looks at an enable word; calls what
 *	  jmp  ---------------------'    is to be told
 *	  rest of what was there         relocated copy of what the jump took
 *	  next instruction  <----------- jmp
 *
 * Code is written through /proc/self/mem, into mappings that are private,
 * readable and executable: nothing is writable and executable at any time,
 * and where the kernel refuses, nothing has changed.
 *
 * A place is redirected only if that can be proven to be right, or is left
 * alone.  Functions that return a string return NULL, or why not.
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

#define PATCH_JUMP	5u	/* bytes of a jump to anywhere near */
#define PATCH_COPY_MAX	96u	/* bytes of a relocated copy */

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

/* ------------------------------------------------------------ instructions */

/*
 * One instruction: its length, and where it goes to.  Length 0: it is none.
 */
struct patch_instruction {
	unsigned length;
	bool is_branch;		/* direct: `target` is where */
	bool is_call;		/* what is called comes back behind it */
	bool is_indirect;	/* a jump, to an address that is computed */
	bool ends;		/* nothing behind it is reached from here */
	uintptr_t target;
	uintptr_t operand;	/* an address in it: relative, or a table's */
};

/* `at` is the address it runs at, `bytes` where it stands to be read. */
void	patch_decode(const uint8_t *bytes, size_t size, uintptr_t at,
	    struct patch_instruction *);

/*
 * A copy of whole instructions that does at `to` what they do at `from`: with
 * new displacements of operands that are relative to the instruction, and of
 * branches; a call pushes the address that it would have pushed there.
 *
 * At least `least` bytes are copied, or fewer where a block ends before: then
 * `ended` is set, and nothing behind the copy is reached from its end.
 */
struct patch_copy {
	size_t taken;		/* of the original */
	size_t size;
	bool ended;
	uint8_t bytes[PATCH_COPY_MAX];
};

const char *patch_relocate(const struct patch *, const uint8_t *from,
	    uintptr_t at, size_t least, uintptr_t to, struct patch_copy *);

/* ------------------------------------------------------------------- proof */

/*
 * May [place, place + 5) be taken by a jump?  Yes if an instruction begins
 * there, decoded from the start of its function; the bytes are those of whole
 * instructions of this function, of which none but the last ends a block or is
 * a call, or its last ones and what fills the gap behind it; and no direct
 * branch of the whole text leads between them, nor an entry of what may be a
 * jump table of the function, nor an exception.
 *
 * Branches of the text are looked at once: patch_branches_find() before, for
 * all of the places that are going to be asked for, in ascending order.
 */
struct patch_place {
	uintptr_t at;
	bool entered;		/* a branch leads behind its first byte */
};

void	patch_branches_find(const struct patch_text *, struct patch_place *,
	    size_t nplaces);
const char *patch_prove(const struct patch_text *,
	    const struct patch_place *);

/* Is this what fills the gap behind a function?  Nobody comes there. */
bool	patch_is_gap(const struct patch_text *, uintptr_t at, uintptr_t end);

/* -------------------------------------------------------- memory for stubs */

/*
 * Read-execute pages, from the file of the object that calls this.
 *
 * patch_map_at() maps what is not mapped yet of the pages that hold `size`
 * bytes at this very address, and refuses what others have, what the heap or
 * the main thread's stack may grow into, and what another stub has taken.
 * patch_map_near() finds room within reach of a jump from `place`.
 */
const char *patch_map_at(uintptr_t at, size_t size);
uintptr_t patch_map_near(const struct patch_text *, size_t size);

/* The stub that was there is gone, with its object. */
void	patch_unmap(uintptr_t at, size_t size);

/* ------------------------------------------------- stubs with all registers */

/* The general registers at a place, in the order of their numbers. */
struct patch_registers {
	uint64_t rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi;
	uint64_t r8, r9, r10, r11, r12, r13, r14, r15;
};

/*
 * What a stub needs to know of its place; it stays where it is for good.
 * While *enabled is 0, a stub costs a load and two jumps.  Else it calls
 * hit(), with the registers as they were at the place: below the red zone, on
 * an aligned stack, with flags and registers put back afterwards.
 */
struct patch_probe {
	const uint32_t *enabled;
	void (*hit)(struct patch_probe *, const struct patch_registers *);
	uintptr_t place;	/* a one-byte nop */
	uintptr_t stub;		/* 0: it is not armed */
	size_t stub_size;
};

/*
 * Arm a place that is a one-byte nop.  By a pun the nop alone becomes the
 * first byte of a jump: what stands behind it is the jump's displacement, and
 * is not touched.  By a jump five bytes are replaced, which have to be proven
 * first (patch_prove()).  Places are armed from the highest address down.
 */
const char *patch_arm_pun(const struct patch *, struct patch_probe *);
const char *patch_arm_jump(const struct patch *, const struct patch_text *,
	    struct patch_probe *);

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
