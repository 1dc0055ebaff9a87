/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The syscall provider's inside: places in code that have an instruction
 * `syscall`, or `svc`, get stubs (patch/), so that calls and returns are
 * probes, syscall::NAME:entry and :return.
 *
 *	syscall.c	the constructor: what is registered, then patched
 *	fire.c	what stubs call: values, records
 *	area.c	threads whose areas are not the C library's
 *	clone.c	tasks that share memory with the one that makes them
 *	cancel.c	calls that the C library tells by their place
 *	callers.c	... and what calls the function that makes them
 *	path.c	paths of calls that have come back
 *	site.c	the objects that have places, and those that have not
 *	site_x86_64.c	finding the instructions, what a jump can take
 *	site_aarch64.c
 *	slot.c	where the stubs are, and writing them
 *	stub_x86_64.c	what they are made of
 *	stub_aarch64.c
 *	dispatch.c	calls from elsewhere, if they are asked for
 *	signal.c	... whose signal is not the program's
 *	table.c	names, arguments and their types, by number
 */
#ifndef PROVIDERS_SYSCALL_SYSCALL_H
#define PROVIDERS_SYSCALL_SYSCALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tbuf.h>

#include "patch/patch.h"

#pragma GCC visibility push(hidden)

#define SYSCALL_NARGS		6u
#define SYSCALL_PATHS		2u	/* of a call's arguments, at most */
#define SYSCALL_NUMBERS		512u	/* numbers are below */
#define SYSCALL_ANY		(-1)	/* a place's number is in a register */

/* ------------------------------------------------------------- the table */

/*
 * A call.  Arguments are written as "name:type name:type", the types being
 * i32 u32 i64 u64 ptr, and path: a pointer at entry, and at return of a call
 * that has not failed, when it has been read, the string.
 */
struct syscall_row {
	const char *name;
	const char *arguments;
};

const char *syscall_name(unsigned number);	/* NULL: there is none */
const char *syscall_arguments(const char *name);

/* A call's probes, while the program runs. */
struct syscall_probes {
	struct tbuf_site entry, leave;
	uint8_t nargs;
	uint8_t npaths;
	uint8_t paths[SYSCALL_PATHS];	/* which arguments are */
};

extern struct syscall_probes syscall_probes[SYSCALL_NUMBERS];

/*
 * Where a stub looks: two enable words, of entry and return.  For a number
 * that is known in advance, its own; else by its lowest byte in a table, which
 * the next byte finds.
 */
const uint32_t *syscall_words(int number);
extern const uint32_t *const *syscall_pages[256];

/* --------------------------------------------------------------- the stubs */

/*
 * A place, as its stub and what that calls see it.  The assembly of
 * stubs has the offsets of the first three.
 */
struct syscall_place {
	uintptr_t address;	/* of the first byte that the jump took */
	uintptr_t bare;		/* in the stub: on to the instruction itself */
	uintptr_t behind;	/* ... and to what comes after it */
	int32_t number;		/* or SYSCALL_ANY */
	bool is_leaf;		/* who has called is in a register alone */
};

/* What the jump at a place takes, as it has been proven. */
struct syscall_found {
	uintptr_t at;		/* of the jump */
	uint8_t head;		/* bytes of it before the instruction */
	uint8_t tail;		/* ... and behind it, at least */
	int32_t number;
	bool is_leaf;
};

/*
 * A call, as its stub keeps it on the stack while it is told: below it is a
 * frame record, and above what else has to be put back.
 */
struct syscall_frame {
	uint64_t args[SYSCALL_NARGS];
	uint64_t flags;
	uint64_t result;
	uint64_t number;
	struct syscall_place *place;
#ifdef __aarch64__
	uint64_t others[10];
	uint64_t link;		/* x30 */
	uint64_t unused;
	uint64_t scratch[2];	/* x16 and x17, pushed by the stub */
#endif
};

/*
 * The same of a call that can be cancelled, which no stub has told of.  Where
 * the stack is stands behind it.
 */
struct syscall_cancelled {
	uint64_t record[2];
	struct syscall_frame frame;
	uint64_t stack;
};

extern struct syscall_place syscall_cancel_place;

_Static_assert(offsetof(struct syscall_cancelled, stack) ==
    offsetof(struct syscall_cancelled, frame) + sizeof(struct syscall_frame),
    "it is found there");

static inline bool
syscall_is_cancellable(const struct syscall_frame *f)
{
	return (f->place == &syscall_cancel_place);
}

/* The stack pointer at the place: on x86-64 a red zone is in between. */
static inline uintptr_t
syscall_frame_stack(const struct syscall_frame *f)
{
	if (syscall_is_cancellable(f))
		return (*(const uint64_t *)(const void *)(f + 1));
#ifdef __aarch64__
	return ((uintptr_t)(f + 1));
#else
	return ((uintptr_t)(f + 1) + 128);
#endif
}

/* Who has called a function that has nothing on the stack. */
static inline uint64_t
syscall_frame_caller(const struct syscall_frame *f)
{
#ifdef __aarch64__
	return (f->link);
#else
	return (*(const uint64_t *)syscall_frame_stack(f));
#endif
}

/*
 * A stub while it is made: what is to be written to `at` is in `bytes`.  Slots
 * are text of this object, so that unwinders have a table for them; objects
 * that are out of reach of a jump from there have slots of their own, without
 * a table.
 */
#define SYSCALL_SLOT	128	/* bytes */
#define SYSCALL_SLOTS	1536

struct syscall_slot {
	uintptr_t at;
	uintptr_t jump;		/* of the jump to it */
	uint8_t *bytes;
	struct syscall_place place;
};

extern uint8_t syscall_slots[], syscall_slots_end[];

const char *syscall_stub(const struct patch *, struct syscall_slot *,
	    const struct syscall_found *);

/* The jump to it; the number of its bytes. */
#define SYSCALL_JUMP_MAX	8u

size_t	syscall_stub_jump(const struct syscall_slot *, uint8_t *bytes);

/* Does a call take the long way, whether it is traced or not? */
bool	syscall_is_looked_at(int number);

/* NULL, or why there is no stub for it. */
const char *syscall_slot(const struct patch *, const struct patch_text *,
	    const struct syscall_found *);

/* Write the stubs, then the jumps to them.  0 or a negative errno. */
int	syscall_slots_write(const struct patch *);

/* Is this the instruction of a stub that is far from this object? */
bool	syscall_slot_is_bare(uintptr_t address);

/* What stubs call, and what is to be done then.  The assembly counts. */
enum syscall_way {
	SYSCALL_BARE,		/* a call that leaves no trace on the stack */
	SYSCALL_CALL,
	SYSCALL_DONE		/* nothing: f->result is there */
};

/* One of the two probes of a call, or another, with what it takes of stack. */
typedef void syscall_fire(struct syscall_probes *,
	    const struct syscall_frame *);

enum syscall_way syscall_enter(struct syscall_place *,
	    struct syscall_frame *);
void	syscall_leave(struct syscall_place *, struct syscall_frame *);

/* Around a call that makes a task; begin() returns its flags. */
bool	syscall_is_clone(uint64_t number);
uint64_t syscall_clone_begin(const struct syscall_frame *, uint64_t number);
void	syscall_clone_end(const struct syscall_frame *, uint64_t number);

/* Before a call is told: a child that has been lent something takes it. */
void	syscall_clone_take(const struct syscall_frame *);

/*
 * Is the thread's area not the C library's?  Then nothing here may use a
 * variable of the thread's.  Calls by which that may come about are looked at
 * before they are made.
 */
void	syscall_area_begin(void);
bool	syscall_area_is_other(void);
bool	syscall_area_looks(int number);
void	syscall_area_look(const struct syscall_frame *, uint64_t number);
void	syscall_area_clone(const struct syscall_frame *, uint64_t number);

/*
 * The C library's function that makes calls which can be cancelled, the first
 * place that calls it, and what is called there instead.
 */
typedef uint64_t syscall_cancellable(void *flags, uint64_t number, uint64_t a,
	    uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f);

void	syscall_cancel_begin(syscall_cancellable *, uintptr_t at);
syscall_cancellable syscall_cancel;

/* What a fire calls of libtbuf's is not the program's; two of them at most. */
void	syscall_fire_library(uintptr_t start, uintptr_t size);
bool	syscall_fire_is_library(uintptr_t address);

/*
 * Where the function is called, of which one instruction is at `at'.  NULL, or
 * why these calls are not told.  What `is_taken' has is left alone.
 */
typedef bool syscall_taken(uintptr_t start, uintptr_t end);

#ifdef __x86_64__
const char *syscall_callers_find(const struct patch_text *, uintptr_t at,
	    syscall_taken *is_taken);

/* 0 or a negative errno. */
int	syscall_callers_write(const struct patch *);
#else
static inline int
syscall_callers_write(const struct patch *patch)
{
	(void)patch;
	return (0);
}
#endif

/* --------------------------------------------------------------- the paths */

/* When the program begins; and before each call that may bring a filter. */
void	syscall_path_begin(void);
void	syscall_path_look(const struct syscall_frame *, uint64_t number);

/*
 * *value is to be told: a copy of the path in `text`; or NULL, if it is not
 * there any more; or the path itself.  False if the copy has been cut.
 */
bool	syscall_path_read(uint64_t path, char *text, size_t room,
	    uint64_t *value);

/* --------------------------------------------------------------- the sites */

/* Told of each instruction that was found. */
typedef void syscall_told(const char *object, uintptr_t offset,
	    const char *problem);

void	syscall_patch(const struct patch *, syscall_told *);

/* Those of one text, of an object that has been loaded at `base`. */
void	syscall_patch_text(const struct patch *, const struct patch_text *,
	    const char *name, uintptr_t base, syscall_told *);

#pragma GCC visibility pop

#endif
