/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the stubs of the syscall provider call, with no vector register saved:
 * this file is built with -mgeneral-regs-only, as all that fires is.
 */
#include "syscall_dispatch.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <errno.h>
#include <limits.h>
#include <link.h>
#include <sched.h>

#include "producer/mark.h"

/* Fires under way in a thread: handlers fire in the midst of others. */
#define DEPTH_MAX	8u

#define PATH_SHORT	256u

struct syscall_probes syscall_probes[SYSCALL_NUMBERS];

static _Thread_local struct {
	uint32_t firing;	/* fires under way */
	uintptr_t outermost;	/* on the stack, of the first of them */
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
 * Is this a call that libtbuf makes while it fires?  copyin() reads memory by
 * system calls, which would fire in turn.  What it calls are functions of the
 * C library that have nothing on the stack but their return address.  (A
 * signal handler's calls, in the midst of a fire, are the program's.)  A fire
 * that a handler has left by a jump is no longer under way.
 */
static bool
is_own(const struct syscall_frame *f)
{
	const uint64_t *stack = (const uint64_t *)((uintptr_t)(f + 1) + 128);

	if ((uintptr_t)f > thread.outermost)
		thread.firing = 0;
	return (thread.firing != 0 && (thread.firing >= DEPTH_MAX ||
	    syscall_fire_is_library(*stack)));
}

static void
fire(struct tbuf_site *site, const uint64_t *values, const void *frame)
{
	(void)__atomic_load_n(&site->enabled, __ATOMIC_ACQUIRE);
	if (thread.firing++ == 0)
		thread.outermost = (uintptr_t)frame;
	site->fire(site, values);
	if (thread.firing != 0)
		thread.firing--;
}

static void
fire_entry(struct syscall_probes *p, const struct syscall_frame *f)
{
	const uint64_t values[SYSCALL_NARGS] = {
		f->rdi, f->rsi, f->rdx, f->r10, f->r8, f->r9
	};

	if (tbuf_probe_enabled(&p->entry) && !thread.strict && !is_own(f))
		fire(&p->entry, values, f);
}

/*
 * The C library sets errno after the stub.  A fire tells the value that it will
 * set, or 0 if the call has not failed.
 */
static void
fire_result(struct syscall_probes *p, uint64_t result, uint64_t *values,
    const void *frame)
{
	bool failed = result > (uint64_t)-4096;
	int saved = errno;

	values[0] = failed ? (uint64_t)-1 : result;
	values[1] = failed ? -result : 0;
	errno = (int)values[1];
	fire(&p->leave, values, frame);
	errno = saved;
}

/* False: there is no room for a path, and nothing has been told. */
static bool
fire_paths(struct syscall_probes *p, const struct syscall_frame *f,
    char *texts, size_t room)
{
	const uint64_t arguments[SYSCALL_NARGS] = {
		f->rdi, f->rsi, f->rdx, f->r10, f->r8, f->r9
	};
	uint64_t values[2 + SYSCALL_PATHS];
	unsigned i;

	for (i = 0; i < p->npaths; i++)
		if (!syscall_path_read(arguments[p->paths[i]],
		    texts + i * room, room, &values[2 + i]) &&
		    room < PATH_MAX)
			return (false);
	fire_result(p, f->result, values, f);
	return (true);
}

/* With a frame of its own: few paths need it, and stacks may be small. */
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
fire_leave(struct syscall_probes *p, const struct syscall_frame *f)
{
	uint64_t values[2 + SYSCALL_PATHS] = { 0 };

	if (!tbuf_probe_enabled(&p->leave) || thread.strict || is_own(f))
		return;
	if (p->npaths == 0 || f->result > (uint64_t)-4096)
		fire_result(p, f->result, values, f);
	else if (!fire_short_paths(p, f))
		fire_long_paths(p, f);
}

/*
 * Has the thread entered the strict mode of seccomp(2)?  The kernel then kills
 * it for reading the cycle counter, so it fires no more.
 */
static void
look_if_strict(const struct syscall_frame *f, uint64_t number)
{
	if (f->result == 0 && ((number == SYS_prctl &&
	    f->rdi == PR_SET_SECCOMP && f->rsi == SECCOMP_MODE_STRICT) ||
	    (number == SYS_seccomp && f->rdi == SECCOMP_SET_MODE_STRICT)))
		thread.strict = true;
}

/* ------------------------------------------------------------------ clones */

/*
 * Tasks that share memory and thread area with the one that makes them: the
 * thread writes lock lanes while both may run, for restartable sections are
 * one task's (producer/lend.c).  CLONE_VFORK: until the child has ended or
 * become another program, which the parent sleeps for; else for good.
 *
 * What a number in a register makes of a pointer is not looked at: it may be
 * a wrong one.
 */
static uint64_t
clone_flags(const struct syscall_frame *f, uint64_t number)
{
	if (number == SYS_vfork)
		return (CLONE_VM | CLONE_VFORK);
	if (number == SYS_clone)
		return (f->rdi);
	return (f->place->number == SYSCALL_ANY ? CLONE_VM :
	    *(const uint64_t *)(uintptr_t)f->rdi);
}

static bool
is_clone(uint64_t number)
{
	return (number == SYS_clone || number == SYS_clone3 ||
	    number == SYS_vfork);
}

static bool
shares(uint64_t flags)
{
	return ((flags & CLONE_VM) != 0 && (flags & CLONE_SETTLS) == 0);
}

/* Of a number in a register nobody knows when the child is done. */
static void
clone_begin(const struct syscall_frame *f, uint64_t flags)
{
	tbuf_thread_mark(1);
	if (f->place->number != SYSCALL_ANY && (flags & CLONE_VFORK) != 0)
		syscall_dispatch_share(1);
	else
		syscall_dispatch_shared_for_good();
}

/*
 * Runs in the parent, and in a child that has a copy of the stack: that one is
 * no target yet, so nothing is told of it.
 */
static void
clone_end(const struct syscall_frame *f, uint64_t number)
{
	uint64_t flags = clone_flags(f, number);

	if (shares(flags) && ((flags & CLONE_VFORK) != 0 ||
	    f->result > (uint64_t)-4096))
		tbuf_thread_mark(-1);
	if (shares(flags) && (flags & CLONE_VFORK) != 0)
		syscall_dispatch_share(-1);
}

/* ----------------------------------------------------- what the stubs call */

static uint64_t
number_of(const struct syscall_place *place, const struct syscall_frame *f)
{
	return (place->number == SYSCALL_ANY ? (uint32_t)f->number :
	    (uint64_t)place->number);
}

/*
 * Is the call to find the stack as the program has it, and to leave no trace
 * on it?  A clone's child may be on another stack, or on the same one at the
 * same time; the end of a handler is told by where the stack is; and the stack
 * itself may go.  The stub of a clone's number finds its way back by itself;
 * where a number is in a register the return is given up, unless the child has
 * a copy of all.
 */
static bool
wants_stack(const struct syscall_frame *f, uint64_t number, uint64_t flags)
{
	uintptr_t frame = (uintptr_t)f;

	switch (number) {
	case SYS_rt_sigreturn:
		return (true);
	case SYS_munmap:
		return (frame - f->rdi < f->rsi ||
		    f->rdi - frame < sizeof(*f));
	case SYS_clone:
		return (f->place->number != SYSCALL_ANY ||
		    (flags & CLONE_VM) != 0 || f->rsi != 0);
	default:
		return (is_clone(number));
	}
}

enum syscall_way
syscall_enter(struct syscall_place *place, struct syscall_frame *f)
{
	uint64_t number = number_of(place, f), flags = 0;
	bool done;

	if (number >= SYSCALL_NUMBERS)
		return (SYSCALL_BARE);
	if (is_clone(number)) {
		flags = clone_flags(f, number);
		if (shares(flags))
			clone_begin(f, flags);
	}
	syscall_path_look(f, number);
	fire_entry(&syscall_probes[number], f);
	done = syscall_dispatch_before(f, number);
	return (done ? SYSCALL_DONE : wants_stack(f, number, flags) ?
	    SYSCALL_BARE : SYSCALL_CALL);
}

void
syscall_leave(struct syscall_place *place, struct syscall_frame *f)
{
	uint64_t number = number_of(place, f);

	if (number >= SYSCALL_NUMBERS)
		return;
	if (is_clone(number))
		clone_end(f, number);
	look_if_strict(f, number);
	syscall_dispatch_after(f, number);
	fire_leave(&syscall_probes[number], f);
}

/* ------------------------------------------------------------------- vfork */

/*
 * Its child comes back through the frame that its parent is to come back
 * through, so it has a wrapper (producer/vfork.c) and no stub.  These stand in
 * front of what that calls, by the linker's --wrap.
 */
uint32_t __real_tbuf_vfork_begin(void);
void	__real_tbuf_vfork_end(uint32_t token);

__attribute__((visibility("hidden")))
uint32_t __wrap_tbuf_vfork_begin(void);
__attribute__((visibility("hidden")))
void	__wrap_tbuf_vfork_end(uint32_t token, uint64_t result);

uint32_t
__wrap_tbuf_vfork_begin(void)
{
	struct syscall_probes *p = &syscall_probes[SYS_vfork];
	const uint64_t values[1] = { 0 };

	if (tbuf_probe_enabled(&p->entry))
		fire(&p->entry, values, __builtin_frame_address(0));
	syscall_dispatch_share(1);
	return (__real_tbuf_vfork_begin());
}

void
__wrap_tbuf_vfork_end(uint32_t token, uint64_t result)
{
	struct syscall_probes *p = &syscall_probes[SYS_vfork];
	uint64_t values[2];

	__real_tbuf_vfork_end(token);
	syscall_dispatch_share(-1);
	if (tbuf_probe_enabled(&p->leave))
		fire_result(p, result, values, __builtin_frame_address(0));
}
