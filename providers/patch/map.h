/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The map of an object: each instruction of its functions, and each way that
 * leads control to one.  A jump may replace instructions only if nothing
 * arrives between its bytes, so a function is refused as a whole where a way is
 * not understood.  The ways are
 *
 *	- direct branches; a branch in bytes that are in no function may begin
 *	  at any of them,
 *	- addresses in data: relocations of an object that can be anywhere, all
 *	  words of the data of another one,
 *	- addresses in code,
 *	- the tables of computed jumps (jumps.c),
 *	- landing pads of exceptions,
 *	- returns of calls,
 *	- starts of functions, and other places that the caller knows of.
 *
 * Where few functions are wanted, only those are decoded that may lead to them
 * (x86_64/lazy.c, aarch64/map.c): their marks are as if all had been, and other
 * bytes have none.
 */
#ifndef TBUF_PROVIDERS_PATCH_MAP_H
#define TBUF_PROVIDERS_PATCH_MAP_H

#if defined(__x86_64__)
#include "x86_64.h"
#else
#include "aarch64.h"
#endif

#pragma GCC visibility push(hidden)

/* Bytes of the text for each bit of `lines'. */
#define PATCH_LINE	64u

/* Marks of a byte of the text.  The bits of PATCH_CLASS have its class. */
enum {
	PATCH_BEGINS	= 0x1,	/* an instruction begins there */
	PATCH_CODE	= 0x2,	/* it belongs to an instruction */
	PATCH_ARRIVAL	= 0x4,	/* control may arrive there */
	PATCH_CALLED	= 0x8,	/* by a call or an address */
	PATCH_JUMPED	= 0x10,	/* by a jump */
	PATCH_START	= 0x20,	/* a function or a part begins there */
	PATCH_DISPATCH	= 0x40,	/* a computed jump stays in its function */
	PATCH_DOUBT	= 0x80,	/* a computed jump may leave it or not */
	PATCH_POINTED	= 0x100, /* by an address in data */
	PATCH_BUSY	= 0x200, /* a jump replaces the byte */
	PATCH_COPIED	= 0x400, /* a stub runs its copy */
	PATCH_FILLER	= 0x800, /* no code reaches it */
	PATCH_DATA	= 0x1000, /* aarch64: an instruction reads it */
	PATCH_LISTED	= 0x1000, /* x86-64: by a table of a computed jump */
	PATCH_CLASS	= 0xe000
};

enum patch_class {
	PATCH_PLAIN,		/* the next instruction follows */
	PATCH_BRANCH,		/* a conditional jump */
	PATCH_JMP,
	PATCH_COMPUTED,		/* a jump to a computed address */
	PATCH_CALL,
	PATCH_RETURN,
	PATCH_END,		/* the next instruction does not follow */
	PATCH_ODD		/* a branch that has no long form */
};

/*
 * A function, or a part of one.  A cold part is elsewhere, and its function
 * alone jumps into it.
 */
struct patch_code {
	uintptr_t start, end;
	const char *name;	/* its symbol, or NULL */
	const char *problem;	/* why none of it may be changed, or NULL */
	size_t owner;		/* index of its function, or its own */
	size_t part;		/* the function's next part, or PATCH_NO_PART */
	bool is_cold;		/* its name says that it is a part */
	bool is_computed;	/* it has a computed jump that stays in it */
	bool takes_own;		/* its code has an address in itself */
	bool leaves;		/* it has a direct jump to another place */
	bool is_wanted;		/* set by the caller; if none is, all are */
	bool is_near;		/* all ways to it are marked */
	bool is_open;		/* bytes around it may be changed for it */
	bool is_decoded;
	bool reads_flags;	/* that were set before it began */
	bool jumps_open;	/* a computed jump does not set them */
};

/* Bytes before and after an open function that are as well known as it is. */
#define PATCH_NEAR	256u

#define PATCH_NO_PART	SIZE_MAX

/* Lists of places that a compiler has left room at: data without ways. */
#define PATCH_LISTS	4u

struct patch_list {
	uintptr_t start, end;
};

struct patch_map {
	const struct patch_text *text;
	struct patch_code *codes;	/* ascending; they do not overlap */
	size_t ncodes;
	uint32_t *blocks;	/* functions before each block, or NULL */
	bool is_fixed;		/* addresses in code are absolute */
	uintptr_t slide;	/* these and its memory's addresses differ */
	bool stays;		/* it is loaded for ever: puns take memory */
	bool passes_flags;	/* functions may return some, or take them */
	uintptr_t *open;	/* places that are to be looked at for it */
	size_t nopen, open_room;
	const uintptr_t *sites;	/* nops that are another provider's places, */
	size_t nsites;		/* ascending */
	bool keeps_calls;	/* system calls are places of another one */
	struct patch_list lists[PATCH_LISTS];
	unsigned nlists;
	bool has_no_pads;	/* no function has landing pads */
	size_t pads_first;	/* rows of unwinders with all pads, if it is */
	size_t pads_end;	/* known, or 0 */
	uint16_t *marks;
	struct patch_way *ways;	/* arrivals that are known before decoding */
	size_t nways, room;
	uint8_t *lines;		/* those where arrivals are marked; or NULL */
	bool failed;		/* out of memory */
};

struct patch_way {
	uint32_t offset;	/* of the place in the text */
	uint16_t marks;
};

/*
 * patch_map_begin() allocates the map of a text; the caller adds its functions,
 * and other arrivals by patch_map_add().  patch_map_make() then finds all
 * others.  Both return NULL, or the reason of a failure.
 */
const char *patch_map_begin(struct patch_map *, const struct patch_text *);
void	patch_map_add(struct patch_map *, uintptr_t address, unsigned marks);
void	patch_map_arrive(struct patch_map *, uintptr_t address, unsigned marks);
const char *patch_map_make(struct patch_map *);
void	patch_map_free(struct patch_map *);

/* Returns the function or part that has an address, or NULL. */
struct patch_code *patch_map_code(const struct patch_map *, uintptr_t);

/* Returns true if another provider has a place from `at` to before `end`. */
bool	patch_map_has_site(const struct patch_map *, uintptr_t at,
	    uintptr_t end);

static inline bool
patch_map_has(const struct patch_map *m, uintptr_t at)
{
	return (at - m->text->start < m->text->end - m->text->start);
}

static inline bool
patch_map_has_line(const struct patch_map *m, uintptr_t offset)
{
	return (m->lines == NULL || (m->lines[offset / PATCH_LINE / 8] &
	    1u << offset / PATCH_LINE % 8) != 0);
}

static inline uint16_t *
patch_map_mark(const struct patch_map *m, uintptr_t at)
{
	return (&m->marks[at - m->text->start]);
}

static inline enum patch_class
patch_class(unsigned marks)
{
	return ((enum patch_class)(marks >> 13));
}

/*
 * Returns the first instruction from an address on that is not plain, or the
 * end.  Marks that have no instruction are plain, too; four are read at once.
 */
static inline uintptr_t
patch_map_skip(const struct patch_map *m, uintptr_t at, uintptr_t end)
{
	uint64_t four;

	for (; end - at >= 4; at += 4) {
		__builtin_memcpy(&four, patch_map_mark(m, at), sizeof(four));
		four &= UINT64_C(0xe000e000e000e000);
		if (four != 0)
			return (at + (unsigned)__builtin_ctzll(four) / 16);
	}
	while (at < end && patch_class(*patch_map_mark(m, at)) == PATCH_PLAIN)
		at++;
	return (at);
}

/* Returns the end of the instruction at an address in a function. */
uintptr_t patch_map_next(const struct patch_map *, uintptr_t at);

/* Returns the destination of the direct branch at an address. */
uintptr_t patch_map_target(const struct patch_map *, uintptr_t at);

/* ----------------------------------------------------------------- returns */

/*
 * Visits each place where a function ends for its caller: a return, or a jump
 * out of it.  Returns NULL, or why there may be others.
 */
const char *patch_map_exits(const struct patch_map *, size_t function,
	    void (*visit)(void *, uintptr_t), void *arg);

/* Visits each direct branch of a function back to its entry. */
void	patch_map_backs(const struct patch_map *, size_t function,
	    void (*visit)(void *, uintptr_t), void *arg);

/* ------------------------------------------------- for the files of the map */

/*
 * Says whether the frame at an instruction is that of a function which has just
 * been called, by the tables of unwinders.
 */
enum patch_frame { PATCH_FRAME_NONE, PATCH_FRAME_SOME, PATCH_FRAME_UNKNOWN };

enum patch_frame patch_frame(const struct patch_text *, uintptr_t at);

/* Prepares patch_map_code() for many calls; no function is added afterwards. */
void	patch_map_index(struct patch_map *);

/* Prepares the marks for the decoding of many functions, by large pages. */
void	patch_map_many(const struct patch_map *);

/* Marks the arrivals that patch_map_add() was called for. */
void	patch_map_take(struct patch_map *);

/* Adds the arrivals in data.  Returns NULL, or why there may be others. */
const char *patch_map_data(struct patch_map *);

/* Reads a word of data, which may be beside a variable. */
uintptr_t patch_map_word(uintptr_t at);

/* Marks landing pads, and functions with unknown ones. */
void	patch_map_pads(struct patch_map *);

#if defined(__x86_64__)
#define PATCH_LEA	0x8du	/* opcode */

/* The instructions before a computed jump. */
#define PATCH_PAST	8u

struct patch_past {
	struct patch_instruction list[PATCH_PAST];
	unsigned n;		/* of all; the last ones are kept */
};

/* Returns the marks of a computed jump. */
unsigned patch_jump_look(const struct patch_map *, const struct patch_past *,
	    const struct patch_instruction *jump, uintptr_t at);

/* Finds the tables of computed jumps. */
void	patch_tables_find(struct patch_map *);

/* Decodes a function, unless that has been done. */
void	patch_map_decode(struct patch_map *, struct patch_code *);

/*
 * Flags that functions pass.  patch_flags_follow() looks at one instruction of
 * a function after the other; it takes and returns the flags that the function
 * has not set since it began, or since a call.  patch_flags_look() looks at
 * bytes after a call that is in no function.  patch_flags_end() knows if any
 * are passed, if all functions are known.
 */
#define PATCH_SINCE_START	0x4u
#define PATCH_SINCE		(PATCH_SINCE_START | 0x3u)

unsigned patch_flags_follow(struct patch_map *, struct patch_code *,
	    uintptr_t at, const struct patch_instruction *, unsigned since);
void	patch_flags_look(struct patch_map *, uintptr_t next,
	    uintptr_t target);
void	patch_flags_end(struct patch_map *);

/* Marks the places that bytes lead to which are in no function. */
void	patch_map_rest(struct patch_map *, uintptr_t at, uintptr_t end);

/*
 * Visits the places in the text where the 4 bytes of an address in a span may
 * be: of one relative to them, unless no instruction has one after the byte
 * before, or, for an object at fixed addresses, of any; `before` is the number
 * of bytes before a place in its segment.
 */
#define PATCH_SPANS	4u

struct patch_span {
	uintptr_t low, high;
};

struct patch_scan {
	const struct patch_text *text;
	struct patch_span spans[PATCH_SPANS];
	unsigned nspans;
	uintptr_t absolute;	/* absolute ones and these differ */
	bool is_fixed;
	void (*visit)(void *, uintptr_t place, size_t before,
	    uintptr_t address, bool is_relative);
	void *arg;
};

void	patch_scan(const struct patch_scan *);
#endif

/* Finds parts of functions. */
void	patch_parts_find(struct patch_map *);

#pragma GCC visibility pop

#endif
