/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Functions that the stubs of the syscall provider call.  No vector register is
 * saved: this file is built with -mgeneral-regs-only, as all code that fires
 * is.
 */
#include "dispatch.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <limits.h>
#include <link.h>
#include <sched.h>
#include <signal.h>

#include "target/provider.h"

/* Fires under way in a thread: handlers fire during other fires. */
#define DEPTH_MAX	8u

#define PATH_SHORT	256u

struct syscall_probes syscall_probes[SYSCALL_NUMBERS];

static _Thread_local struct {
	uint32_t firing;	/* fires under way */
	uintptr_t outermost;	/* the first of them, on the stack */
	bool strict;		/* the kernel kills it for reading a clock */
} thread __attribute__((tls_model("initial-exec")));

/* libtbuf, and the provider of USDT probes if there is one. */
static struct {
	uintptr_t start, size;
} libraries[2];

void
syscall_fire_library(uintptr_t start, uintptr_t size)
{
	unsigned i = libraries[0].size != 0;

	libraries[i].start = start;
	libraries[i].size = size;
}

bool
syscall_fire_is_library(uintptr_t address)
{
	return (address - libraries[0].start < libraries[0].size ||
	    address - libraries[1].start < libraries[1].size);
}

/* ------------------------------------------------------------------- fires */

/*
 * Returns true if this is a call of a provider, or one that libtbuf makes in a
 * fire.  copyin() reads memory by system calls, which would fire in turn.  It
 * calls functions of the C library that have only their return address on the
 * stack.  (A signal handler's calls during a fire are the program's.)  A fire
 * that a handler has left by a jump is no longer under way.
 */
static bool
is_own(const struct syscall_frame *f)
{
	if (tbuf_thread_hide(0) != 0 ||
	    syscall_fire_is_library(f->place->address))
		return (true);
	if ((uintptr_t)f > thread.outermost)
		thread.firing = 0;
	return (thread.firing != 0 && (thread.firing >= DEPTH_MAX ||
	    syscall_fire_is_library(syscall_frame_caller(f))));
}

/*
 * `record' is a frame record of the place: the program's frame pointer, and the
 * address of the call.
 */
static void
fire(struct tbuf_site *site, const uint64_t *values, const uint64_t *record,
    uint64_t inner, uint64_t pc, uintptr_t sp)
{
	if (thread.firing++ == 0)
		thread.outermost = (uintptr_t)record;
	tbuf_site_fire_from(site, values, inner, pc, sp, record[0]);
	if (thread.firing != 0)
		thread.firing--;
}

/*
 * The stub has put a record below the frame.  A function with its return
 * address in a register has no record: its place is the inner address then.
 */
static inline void
fire_in(struct tbuf_site *site, const uint64_t *values,
    const struct syscall_frame *f)
{
	const uint64_t *record = (const uint64_t *)(const void *)f - 2;
	uint64_t pc = record[1] + 1, inner = 0;

	if (f->place->is_leaf) {
		inner = pc;
		pc = syscall_frame_caller(f);
	}
	fire(site, values, record, inner, pc, syscall_frame_stack(f));
}

static void
fire_arguments(struct syscall_probes *p, const struct syscall_frame *f)
{
	fire_in(&p->entry, f->args, f);
}

static void
fire_entry(struct syscall_probes *p, const struct syscall_frame *f)
{
	if (tbuf_probe_enabled(&p->entry) && !thread.strict && !is_own(f))
		syscall_dispatch_fire(fire_arguments, p, f);
}

/*
 * A thread's first call may be the one that registers its rseq area.  This may
 * look registered before that: it is zeroed, so the CPU would be 0, or a thread
 * that has ended had it.
 */
static void
fire_rseq(struct syscall_probes *p, const struct syscall_frame *f)
{
	tbuf_thread_mark(1);
	fire_entry(p, f);
	tbuf_thread_mark(-1);
}

static inline bool
is_failure(uint64_t result)
{
	return (result > (uint64_t)-4096);
}

/*
 * Sets `values' to the result and the errno of a call.  As the C library sets
 * errno after the stub, errno has that value during a fire, or 0 if the call
 * succeeded.  Returns the errno before.
 */
static int
result_put(uint64_t result, uint64_t *values)
{
	bool failed = is_failure(result);
	int *error = tbuf_thread_errno(), saved = *error;

	values[0] = failed ? (uint64_t)-1 : result;
	values[1] = failed ? -result : 0;
	*error = (int)values[1];
	return (saved);
}

static void
fire_result(struct syscall_probes *p, const struct syscall_frame *f,
    uint64_t *values)
{
	int saved = result_put(f->result, values);

	fire_in(&p->leave, values, f);
	*tbuf_thread_errno() = saved;
}

/* Returns false if there is no room for a path; then nothing has fired. */
static bool
fire_paths(struct syscall_probes *p, const struct syscall_frame *f,
    char *texts, size_t room)
{
	uint64_t values[2 + SYSCALL_PATHS];
	int error = is_failure(f->result) ? -(int)f->result : 0;
	unsigned i;

	for (i = 0; i < p->npaths; i++)
		if (!syscall_path_read(f->args[p->paths[i]], error,
		    texts + i * room, room, &values[2 + i]) &&
		    room < PATH_MAX)
			return (false);
	fire_result(p, f, values);
	return (true);
}

/* This has a frame of its own: few paths need it, and stacks may be small. */
static __attribute__((noinline)) void
fire_long_paths(struct syscall_probes *p, const struct syscall_frame *f)
{
	char texts[SYSCALL_PATHS * PATH_MAX];

	(void)fire_paths(p, f, texts, PATH_MAX);
}

static __attribute__((noinline)) bool
fire_short_paths(struct syscall_probes *p, const struct syscall_frame *f)
{
	char texts[SYSCALL_PATHS * PATH_SHORT];

	return (fire_paths(p, f, texts, PATH_SHORT));
}

static void
fire_outcome(struct syscall_probes *p, const struct syscall_frame *f)
{
	uint64_t values[2];

	if (p->npaths == 0)
		fire_result(p, f, values);
	else if (!fire_short_paths(p, f))
		fire_long_paths(p, f);
}

static void
fire_leave(struct syscall_probes *p, const struct syscall_frame *f)
{
	if (tbuf_probe_enabled(&p->leave) && !thread.strict && !is_own(f))
		syscall_dispatch_fire(fire_outcome, p, f);
}

/*
 * Notes that the thread has entered the strict mode of seccomp(2).  The kernel
 * then kills it for reading the cycle counter, so it fires no more.
 */
static void
look_if_strict(const struct syscall_frame *f, uint64_t number)
{
	bool seccomp = number == SYS_prctl ? f->args[0] == PR_SET_SECCOMP &&
	    f->args[1] == SECCOMP_MODE_STRICT : number == SYS_seccomp &&
	    f->args[0] == SECCOMP_SET_MODE_STRICT;

	if (seccomp && f->result == 0)
		thread.strict = true;
}

/* ---------------------------------------------------- calls from the stubs */

static uint64_t
number_of(const struct syscall_place *place, const struct syscall_frame *f)
{
	return (place->number == SYSCALL_ANY ? (uint32_t)f->number :
	    (uint64_t)place->number);
}

/*
 * Returns true if the call must find the program's stack pointer, and leave no
 * trace on the stack.  A clone's child may be on another stack, or on the same
 * one at the same time; the end of a handler is found by the stack pointer; and
 * the stack itself may be unmapped.  The stub of a clone's number returns by
 * itself; with the number in a register the return is not traced, unless the
 * child has a copy of all memory.
 */
static bool
wants_stack(const struct syscall_frame *f, uint64_t number, uint64_t flags)
{
	uintptr_t frame = (uintptr_t)f;

	switch (number) {
	case SYS_rt_sigreturn:
		return (true);
	case SYS_munmap:
		return (frame - f->args[0] < f->args[1] ||
		    f->args[0] - frame < sizeof(*f));
	case SYS_clone:
		return (f->place->number != SYSCALL_ANY ||
		    (flags & CLONE_VM) != 0 || f->args[1] != 0);
	default:
		return (syscall_is_clone(number));
	}
}

enum syscall_way
syscall_enter(struct syscall_place *place, struct syscall_frame *f)
{
	uint64_t number = number_of(place, f), flags = 0;
	bool done;

	if (number >= SYSCALL_NUMBERS || syscall_area_is_other())
		return (SYSCALL_BARE);
	syscall_clone_take(f);
	syscall_area_look(f, number);
	if (syscall_is_clone(number))
		flags = syscall_clone_begin(f, number);
	syscall_path_look(f, number);
	if (number == SYS_rseq)
		fire_rseq(&syscall_probes[number], f);
	else
		fire_entry(&syscall_probes[number], f);
	done = syscall_dispatch_before(f, number);
	return (done ? SYSCALL_DONE : wants_stack(f, number, flags) ?
	    SYSCALL_BARE : SYSCALL_CALL);
}

void
syscall_leave(struct syscall_place *place, struct syscall_frame *f)
{
	uint64_t number = number_of(place, f);

	if (number >= SYSCALL_NUMBERS || syscall_area_is_other())
		return;
	if (syscall_is_clone(number))
		syscall_clone_end(f, number);
	look_if_strict(f, number);
	syscall_dispatch_after(f, number);
	fire_leave(&syscall_probes[number], f);
}

/* ------------------------------------------------------------------- vfork */

/* Without a call vfork it is a clone, on the same stack. */
#ifdef SYS_vfork
#define VFORK			SYS_vfork
#define VFORK_ARGUMENTS(stack)	{ 0 }
#else
#define VFORK			SYS_clone
#define VFORK_ARGUMENTS(stack)	\
	{ CLONE_VM | CLONE_VFORK | SIGCHLD, (uintptr_t)(stack) }
#endif

/*
 * The child of vfork(2) returns through the frame that its parent returns
 * through later, so vfork has a wrapper (target/process/interpose_vfork.c) and
 * no stub.  The linker's --wrap has the wrapper call the functions __wrap_*
 * below, which call the real ones.
 */
uint32_t __real_tbuf_vfork_begin(void);
void	__real_tbuf_vfork_end(uint32_t token);

__attribute__((visibility("hidden")))
uint32_t __wrap_tbuf_vfork_begin(void);
__attribute__((visibility("hidden")))
void	__wrap_tbuf_vfork_end(uint32_t token, uint64_t result);

static void
fire_vfork(struct tbuf_site *site, const uint64_t *values,
    const uint64_t *record)
{
	fire(site, values, record, 0, record[1] + 1, (uintptr_t)(record + 2));
}

uint32_t
__wrap_tbuf_vfork_begin(void)
{
	const uint64_t *record = __builtin_frame_address(0);
	struct syscall_probes *p = &syscall_probes[VFORK];
	const uint64_t values[SYSCALL_NARGS] = VFORK_ARGUMENTS(record + 2);

	if (tbuf_probe_enabled(&p->entry))
		fire_vfork(&p->entry, values, record);
	syscall_dispatch_share(1);
	return (__real_tbuf_vfork_begin());
}

void
__wrap_tbuf_vfork_end(uint32_t token, uint64_t result)
{
	const uint64_t *record = __builtin_frame_address(0);
	struct syscall_probes *p = &syscall_probes[VFORK];
	uint64_t values[2];
	int saved;

	__real_tbuf_vfork_end(token);
	syscall_dispatch_share(-1);
	if (!tbuf_probe_enabled(&p->leave))
		return;
	saved = result_put(result, values);
	fire_vfork(&p->leave, values, record);
	*tbuf_thread_errno() = saved;
}
