/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Internals of the syscall provider: places in code that have an instruction
 * `syscall`, or `svc`, get stubs (patch/), so that calls and returns are
 * probes, syscall::NAME:entry and :return.
 *
 *	syscall.c	the constructor: registers probes, then patches
 *	series.c	registration of the probes
 *	fire.c	functions that stubs call: values, records
 *	area.c	threads with thread areas that are not the C library's
 *	clone.c	tasks that share memory with their creator
 *	cancel.c	calls that the C library recognizes by their address
 *	callers.c	callers of the function that makes such calls
 *	path.c	paths of calls that have returned
 *	site.c	loaded objects that have places, and those that have not
 *	site_x86_64.c	instructions, and the bytes that a jump can replace
 *	site_aarch64.c
 *	site_table.c	places that another process has found
 *	slot.c	memory of the stubs, and writing them
 *	stub_x86_64.c	code of the stubs
 *	stub_aarch64.c
 *	dispatch.c	calls from other code, with TBUF_SYSCALL=all
 *	signal.c	the signal of these, hidden from the program
 *	table.c	names, arguments and their types, by number, for tbufctl
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
 * A call.  Arguments are written as "name:type name:type", with the types i32
 * u32 i64 u64 ptr, and path: a pointer at entry; the string, which has been
 * read, at the return of a call that succeeded.
 */
struct syscall_row {
	const char *name;
	const char *arguments;
};

const char *syscall_name(unsigned number);	/* NULL: there is none */
const char *syscall_arguments(const char *name);

/*
 * syscall_register() registers the probes of all calls.  Returns 0 or a
 * negative errno.  syscall_number() returns the number of the i-th call, -1
 * after the last one.
 */
int	syscall_register(void);
int	syscall_number(unsigned i);

/* A call's probes, while the program runs. */
struct syscall_probes {
	struct tbuf_site entry, leave;
	uint8_t nargs;
	uint8_t npaths;
	uint8_t paths[SYSCALL_PATHS];	/* indices of arguments */
};

extern struct syscall_probes syscall_probes[SYSCALL_NUMBERS];

/*
 * The two enable words that a stub tests, of entry and return.  A number that
 * is known in advance is an index of syscall_words; another one is found by its
 * second byte in syscall_pages, and by its lowest byte in that table.
 */
extern const uint32_t *syscall_words[SYSCALL_NUMBERS];
extern const uint32_t *const *syscall_pages[256];

/* --------------------------------------------------------------- the stubs */

/*
 * A place, for its stub and the functions that the stub calls.  The assembly of
 * stubs has the offsets of the first three fields.
 */
struct syscall_place {
	uintptr_t address;	/* first byte that the jump replaces */
	uintptr_t bare;		/* in the stub, at the instruction */
	uintptr_t behind;	/* in the stub, after it */
	int32_t number;		/* or SYSCALL_ANY */
	bool is_leaf;		/* the return address is in a register alone */
};

_Static_assert(offsetof(struct syscall_place, address) == 0 &&
    offsetof(struct syscall_place, bare) == 8 &&
    offsetof(struct syscall_place, behind) == 16,
    "the assembly has these numbers");

/* A macro's number as text, for assembly. */
#define NUMBER(n)	NUMBER_(n)
#define NUMBER_(n)	#n

/* Stubs jump to these routines, which call syscall_enter() and _leave(). */
void	syscall_on(void);
void	syscall_after(void);

/*
 * The bytes that the jump at a place replaces, as proven.  On x86-64 the stub
 * repeats the instructions before and after the one that makes the call.
 */
struct patch_moves;
struct syscall_found {
	const struct patch_moves *before, *after;
	uintptr_t at;		/* of the jump */
	uint8_t head;		/* bytes of it before the instruction */
	uint8_t tail;		/* bytes of it after that, at least */
	int32_t number;
	bool is_leaf;
};

/*
 * A call, as its stub saves it on the stack for a fire: a frame record is below
 * it, and other values that have to be restored are above it.
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
 * A frame of a call that can be cancelled, which has no stub.  The stack
 * pointer follows the frame.
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

/* Returns the stack pointer at the place; x86-64 has a red zone in between. */
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

/* Returns the return address of a function with nothing else on the stack. */
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
 * A stub while it is made: `bytes` are for address `at`.  Slots are text of
 * this object, so that unwinders have a table for them; objects out of reach of
 * a jump have slots of their own, without a table.
 */
#define SYSCALL_SLOT	128	/* bytes */
#define SYSCALL_SLOTS	1536

struct syscall_slot {
	uintptr_t at;
	uintptr_t jump;		/* of the jump to it */
	uint8_t *bytes;
	struct syscall_place *place;
};

extern uint8_t syscall_slots[], syscall_slots_end[];

const char *syscall_stub(struct syscall_slot *, const struct syscall_found *);

/* Returns true if a call always takes the slow path, traced or not. */
bool	syscall_is_looked_at(int number);

/*
 * Makes a stub after syscall_slots_begin(), and may write it.  Returns NULL, or
 * the reason why there is none.
 */
const char *syscall_slot(const struct patch_text *,
	    const struct syscall_found *);

/* The number of slots; syscall_slots_drop() drops those after the first n. */
unsigned syscall_slots_count(void);
void	syscall_slots_drop(unsigned n);

/*
 * All writes are those of one patching.  syscall_slots_write() writes the jumps
 * to the stubs.  Returns 0 or a negative errno; no jump was written if a stub
 * could not be.
 */
void	syscall_slots_begin(const struct patch *);
int	syscall_slots_write(void);

/* Returns true for the instruction of a stub that is far from this object. */
bool	syscall_slot_is_bare(uintptr_t address);

/* How a stub continues after syscall_enter(); the assembly has the numbers. */
enum syscall_way {
	SYSCALL_BARE,		/* a call that leaves no trace on the stack */
	SYSCALL_CALL,
	SYSCALL_DONE		/* no call: f->result is set */
};

/* A function that fires a probe of a call, which takes much stack. */
typedef void syscall_fire(struct syscall_probes *,
	    const struct syscall_frame *);

enum syscall_way syscall_enter(struct syscall_place *,
	    struct syscall_frame *);
void	syscall_leave(struct syscall_place *, struct syscall_frame *);

/* Called around a call that makes a task; begin() returns its flags. */
bool	syscall_is_clone(uint64_t number);
uint64_t syscall_clone_begin(const struct syscall_frame *, uint64_t number);
void	syscall_clone_end(const struct syscall_frame *, uint64_t number);

/* Called before a fire: a child takes the rseq area that it was lent. */
void	syscall_clone_take(const struct syscall_frame *);

/*
 * syscall_area_is_other() returns true if the thread area is not the C
 * library's: no code here may then use thread variables.  Calls that may lead
 * to this are inspected before they are made.
 */
void	syscall_area_begin(void);
bool	syscall_area_is_other(void);
bool	syscall_area_looks(int number);
void	syscall_area_look(const struct syscall_frame *, uint64_t number);
void	syscall_area_clone(const struct syscall_frame *, uint64_t number);

/*
 * The C library's function that makes calls which can be cancelled, the first
 * place that calls it, and the function that is called there instead.
 */
typedef uint64_t syscall_cancellable(void *flags, uint64_t number, uint64_t a,
	    uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f);

void	syscall_cancel_begin(syscall_cancellable *, uintptr_t at);
syscall_cancellable syscall_cancel;

/* Adds a library, of at most two, whose calls are not the program's. */
void	syscall_fire_library(uintptr_t start, uintptr_t size);
bool	syscall_fire_is_library(uintptr_t address);

/*
 * Finds the calls of the function that has an instruction at `at'.  Returns
 * NULL, or the reason why they are not traced.  `is_taken' returns true for
 * bytes that another jump replaces.
 */
typedef bool syscall_taken(uintptr_t start, uintptr_t end);

#ifdef __x86_64__
const char *syscall_callers_find(const struct patch_text *, uintptr_t at,
	    syscall_taken *is_taken);

/*
 * Redirects these calls, in ascending order, of a function.  The calls that
 * have been found are returned by syscall_callers(); without any, the number is
 * 0.
 */
#define SYSCALL_CALLERS	16u

const char *syscall_callers_take(const struct patch_text *,
	    uintptr_t function, const uintptr_t *calls, unsigned n);
unsigned syscall_callers(const struct patch_text *, uintptr_t *function,
	    const uintptr_t **calls);

/* Writes the redirected calls.  Returns 0 or a negative errno. */
int	syscall_callers_write(const struct patch *);

/* Returns true for the instruction of the function (glibc 2.41; cancel.c). */
bool	syscall_is_cancel_arch(const struct patch_text *, uintptr_t at);
#else
static inline int
syscall_callers_write(const struct patch *patch)
{
	(void)patch;
	return (0);
}
#endif

/* --------------------------------------------------------------- the paths */

/* Called when the program begins, and before a call that may set a filter. */
void	syscall_path_begin(void);
void	syscall_path_look(const struct syscall_frame *, uint64_t number);

/*
 * Sets *value to the address to be recorded: of a copy of the path in `text`,
 * of the path itself, or NULL if it cannot be read.  `error` is the call's
 * errno or 0: after EFAULT no path is read.  Returns false if the copy was cut.
 */
bool	syscall_path_read(uint64_t path, int error, char *text, size_t room,
	    uint64_t *value);

/* --------------------------------------------------------------- the sites */

/* Called for each instruction that was found; `problem` NULL: it is traced. */
typedef void syscall_report(const char *object, uintptr_t offset,
	    const char *problem);

/*
 * Without a report, texts may be redirected as another process has found
 * (site_table.h).
 */
void	syscall_patch(syscall_report *);

/*
 * Patches one text of an object.  `tables` is the runtime directory, or -1.  A
 * report may be NULL.
 */
void	syscall_patch_text(const struct patch_text *, const char *name,
	    int tables, syscall_report *);

#pragma GCC visibility pop

#endif
