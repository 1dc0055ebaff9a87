/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Tasks that share memory and thread area with their creator: the thread writes
 * to lock lanes while both may run, as restartable sections belong to one task
 * (target/process/vfork_rseq.c).  With CLONE_VFORK this lasts while the parent
 * sleeps, until the child has ended or executed another program; otherwise for
 * good.
 *
 * A child that the parent sleeps for is lent the parent's rseq area if it has a
 * stack of its own, as in posix_spawn(3): it takes that at its first call that
 * fires, which is recognized by its stack.
 *
 * Part of a fire: compiled with -mgeneral-regs-only.
 */
#include "dispatch.h"

#include <sys/syscall.h>

#include <sched.h>

#include "target/provider.h"

bool
syscall_is_clone(uint64_t number)
{
#ifdef SYS_vfork
	if (number == SYS_vfork)
		return (true);
#endif
	return (number == SYS_clone || number == SYS_clone3);
}

/*
 * Returns the flags of a call.  If the number is in a register, a pointer is
 * not followed, as it may be a bad one.
 */
static uint64_t
flags_of(const struct syscall_frame *f, uint64_t number)
{
	if (number == SYS_clone)
		return (f->args[0]);
	if (number == SYS_clone3)
		return (f->place->number == SYSCALL_ANY ? CLONE_VM :
		    *(const uint64_t *)(uintptr_t)f->args[0]);
	return (CLONE_VM | CLONE_VFORK);
}

static bool
shares(uint64_t flags)
{
	return ((flags & CLONE_VM) != 0 && (flags & CLONE_SETTLS) == 0);
}

/* Calls of these are not the program's: see fire.c. */
uint32_t __real_tbuf_vfork_begin(void);
void	__real_tbuf_vfork_end(uint32_t token);

static _Thread_local struct {
	uintptr_t caller;	/* stack of the parent; 0: nothing is lent */
	uintptr_t stack, size;	/* of the child; size 0: taken */
	uint32_t token;
} lent __attribute__((tls_model("initial-exec")));

/* Indices of words in struct clone_args. */
enum { CLONE_STACK = 5, CLONE_STACK_SIZE = 6 };

static bool
lend(const struct syscall_frame *f, uint64_t number, uint64_t flags)
{
	const uint64_t *args = (const uint64_t *)(uintptr_t)f->args[0];

	if (number != SYS_clone3 || f->place->number == SYSCALL_ANY ||
	    (flags & CLONE_VFORK) == 0 || lent.caller != 0 ||
	    args[CLONE_STACK] == 0)
		return (false);
	lent.stack = args[CLONE_STACK];
	lent.size = args[CLONE_STACK_SIZE];
	lent.token = __real_tbuf_vfork_begin();
	lent.caller = syscall_frame_stack(f);
	return (true);
}

static bool
take_back(const struct syscall_frame *f)
{
	if (lent.caller != syscall_frame_stack(f))
		return (false);
	lent.caller = 0;
	__real_tbuf_vfork_end(lent.token);
	return (true);
}

void
syscall_clone_take(const struct syscall_frame *f)
{
	if (lent.caller == 0 || (uintptr_t)f - lent.stack >= lent.size)
		return;
	lent.size = 0;
	tbuf_vfork_child(lent.token);
}

#ifdef __aarch64__
/*
 * A call's result takes the register of its first argument, so flags are saved
 * until the parent returns.  Handlers that make clones meanwhile are further
 * down on the stack; calls that are further down than this one have been left
 * by a jump.  If flags are lost, the thread stays marked, which is safe.
 */
#define CLONES_MAX	4u

static _Thread_local struct {
	uint32_t n;
	struct {
		uintptr_t stack;
		uint64_t flags;
	} calls[CLONES_MAX];
} clones __attribute__((tls_model("initial-exec")));

/* Returns the number of saved calls that are not below this address. */
static uint32_t
count_stored(uintptr_t stack)
{
	uint32_t n = clones.n;

	while (n > 0 && clones.calls[n - 1].stack < stack)
		n--;
	return (n);
}

static void
store_flags(const struct syscall_frame *f, uint64_t flags)
{
	uint32_t n = count_stored(syscall_frame_stack(f) + 1);

	if (n == CLONES_MAX)
		return;
	clones.calls[n].stack = syscall_frame_stack(f);
	clones.calls[n].flags = flags;
	clones.n = n + 1;
}

static uint64_t
stored_flags(const struct syscall_frame *f, uint64_t number)
{
	uint32_t n = count_stored(syscall_frame_stack(f));

	(void)number;
	if (n == 0 || clones.calls[n - 1].stack != syscall_frame_stack(f))
		return (0);
	clones.n = n - 1;
	return (clones.calls[n - 1].flags);
}
#else
static void
store_flags(const struct syscall_frame *f, uint64_t flags)
{
	(void)f;
	(void)flags;
}

static uint64_t
stored_flags(const struct syscall_frame *f, uint64_t number)
{
	return (flags_of(f, number));
}
#endif

/* With the number in a register, the end of the child is not noticed. */
uint64_t
syscall_clone_begin(const struct syscall_frame *f, uint64_t number)
{
	uint64_t flags = flags_of(f, number);

	syscall_area_clone(f, number);
	store_flags(f, flags);
	if (!shares(flags))
		return (flags);
	if (!lend(f, number, flags))
		tbuf_thread_mark(1);
	if (f->place->number != SYSCALL_ANY && (flags & CLONE_VFORK) != 0)
		syscall_dispatch_share(1);
	else
		syscall_dispatch_shared_for_good();
	return (flags);
}

/*
 * Runs in the parent, and in a child that has a copy of the stack: the child is
 * no target yet, so it does not fire.
 */
void
syscall_clone_end(const struct syscall_frame *f, uint64_t number)
{
	uint64_t flags = stored_flags(f, number);

	if (shares(flags) && ((flags & CLONE_VFORK) != 0 ||
	    f->result > (uint64_t)-4096) && !take_back(f))
		tbuf_thread_mark(-1);
	if (shares(flags) && (flags & CLONE_VFORK) != 0)
		syscall_dispatch_share(-1);
}
