/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * SIGSYS is the provider's while calls are dispatched, unnoticed by the
 * program: the program's own action is stored here, and a SIGSYS that no
 * dispatch has raised goes to it.  Handlers of other signals must not run with
 * SIGSYS blocked, so it is removed from their masks, and added to the masks
 * that the program reads.
 */
#include "dispatch.h"

#include <sys/syscall.h>
#include <ucontext.h>

#include <errno.h>
#include <sched.h>

#include "arch/syscall.h"

#ifndef SA_RESTORER
#define SA_RESTORER	0x04000000
#endif

#define SIGNALS		64
#define UNBLOCKABLE	(((uint64_t)1 << (SIGKILL - 1)) | \
			    ((uint64_t)1 << (SIGSTOP - 1)))

static syscall_handler *ours;

/*
 * The program's own action: the last one written.  No thread still reads one
 * when it is written to again, as there are enough of them.  No lock, as a
 * child may be forked at any time.
 */
#define ACTIONS		64u

static struct syscall_action actions[ACTIONS];
static uint32_t written, latest;

/* Signals with SIGSYS removed from the masks of their handlers. */
static uint64_t stripped;

void	syscall_restorer(void);

/* Unwinders and debuggers recognize the end of a handler by these bytes. */
__asm__(
    ".text\n"
    ".balign 16\n\t"
    "nop\n"
    ".globl syscall_restorer\n"
    ".hidden syscall_restorer\n"
    ".type syscall_restorer, @function\n"
    "syscall_restorer:\n\t"
    "movq $15, %rax\n\t"
    "syscall\n\t"
    ".size syscall_restorer, . - syscall_restorer\n"
);

/* ------------------------------------------------------------- the kernel's */

static long
action(uint64_t signal, const struct syscall_action *new,
    struct syscall_action *old)
{
	return (raw_call(SYS_rt_sigaction, (long)signal, (long)new,
	    (long)old, SYSCALL_SET, 0));
}

uint64_t
syscall_signal_block(int how, uint64_t set)
{
	uint64_t old = 0;

	(void)raw_call(SYS_rt_sigprocmask, how, (long)&set, (long)&old,
	    SYSCALL_SET, 0);
	return (old);
}

bool
syscall_signal_blocked(void)
{
	return ((syscall_signal_block(SIG_BLOCK, 0) & SYSCALL_SIGSYS) != 0);
}

/* The kernel reads the set before it checks the operation. */
bool
syscall_signal_readable(uint64_t set)
{
	return (raw_call(SYS_rt_sigprocmask, -1, (long)set, 0, SYSCALL_SET,
	    0) == -EINVAL);
}

bool
syscall_signal_in(uint64_t set)
{
	return (syscall_signal_readable(set) &&
	    (*(const uint64_t *)(uintptr_t)set & SYSCALL_SIGSYS) != 0);
}

/* The action of SIGKILL never changes: these only read, or write, memory. */
static bool
is_readable(uint64_t at)
{
	return (action(SIGKILL, (const void *)(uintptr_t)at, NULL) == -EINVAL);
}

static bool
is_writable(uint64_t at)
{
	return (action(SIGKILL, NULL, (void *)(uintptr_t)at) == 0);
}

/* ------------------------------------------------------------ the program's */

static const struct syscall_action *
program(void)
{
	return (&actions[__atomic_load_n(&latest, __ATOMIC_ACQUIRE)]);
}

/*
 * Calls that the signal interrupts are restarted as the program's action says,
 * or always if the program has no handler.
 */
static void
install(uint64_t handler, uint64_t flags)
{
	const struct syscall_action new = {
		.handler = (uintptr_t)ours,
		.flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK | SA_RESTORER |
		    (handler > 1 ? flags & SA_RESTART : SA_RESTART),
		.restorer = (uintptr_t)syscall_restorer
	};

	(void)action(SIGSYS, &new, NULL);
}

static void
set_program(const struct syscall_action *from)
{
	uint32_t next = __atomic_fetch_add(&written, 1, __ATOMIC_RELAXED) %
	    ACTIONS;

	actions[next] = *from;
	actions[next].mask &= ~UNBLOCKABLE;
	__atomic_store_n(&latest, next, __ATOMIC_RELEASE);
	install(from->handler, from->flags);
}

/* ------------------------------------------------------------- sigaction(2) */

static void
set_stripped(uint64_t signal, bool is)
{
	uint64_t bit = (uint64_t)1 << (signal - 1);

	if (is)
		__atomic_fetch_or(&stripped, bit, __ATOMIC_RELAXED);
	else
		__atomic_fetch_and(&stripped, ~bit, __ATOMIC_RELAXED);
}

static bool
is_stripped(uint64_t signal)
{
	return ((__atomic_load_n(&stripped, __ATOMIC_RELAXED) >> (signal - 1) &
	    1) != 0);
}

static long
other_action(uint64_t signal, struct syscall_action *new,
    struct syscall_action *old)
{
	bool had = is_stripped(signal);
	long result;

	if (new != NULL) {
		set_stripped(signal, (new->mask & SYSCALL_SIGSYS) != 0);
		new->mask &= ~SYSCALL_SIGSYS;
	}
	result = action(signal, new, old);
	if (result == 0 && had)
		old->mask |= SYSCALL_SIGSYS;
	return (result);
}

static long
own_action(struct syscall_action *new, struct syscall_action *old)
{
	*old = *program();
	if (new != NULL)
		set_program(new);
	return (0);
}

bool
syscall_signal_action(struct syscall_frame *f)
{
	struct syscall_action *to = (void *)(uintptr_t)f->args[2];
	struct syscall_action new, old;
	uint64_t number = (uint32_t)f->args[0];
	bool sets = f->args[1] != 0;
	long result;

	if (f->args[3] != SYSCALL_SET || number == 0 || number > SIGNALS ||
	    number == SIGKILL || number == SIGSTOP)
		return (false);
	if (sets && !is_readable(f->args[1])) {
		f->result = (uint64_t)-EFAULT;
		return (true);
	}
	if (sets)
		new = *(const struct syscall_action *)(uintptr_t)f->args[1];
	if (to != NULL && !is_writable(f->args[2])) {
		f->result = (uint64_t)-EFAULT;
		return (true);
	}
	result = number == SIGSYS ? own_action(sets ? &new : NULL, &old) :
	    other_action(number, sets ? &new : NULL, &old);
	if (result == 0 && to != NULL)
		*to = old;
	f->result = (uint64_t)result;
	return (true);
}

/* A child that has this memory for now asks the kernel itself. */
void
syscall_signal_tell(const struct syscall_frame *f)
{
	struct syscall_action *to = (void *)(uintptr_t)f->args[2];

	if ((uint32_t)f->args[0] == SIGSYS && f->result == 0 && to != NULL &&
	    to->handler == (uintptr_t)ours)
		*to = *program();
}

/* ---------------------------------------------------------------- execve(2) */

static bool
is_installed(uint64_t handler)
{
	struct syscall_action a;

	return (action(SIGSYS, NULL, &a) == 0 && a.handler == handler);
}

/* Other threads would be killed; unshare(2) only looks for them. */
bool
syscall_signal_leave(void)
{
	const struct syscall_action ignore = { .handler = (uintptr_t)SIG_IGN };

	return (program()->handler == ignore.handler &&
	    is_installed((uintptr_t)ours) &&
	    raw_call(SYS_unshare, CLONE_SIGHAND, 0, 0, 0, 0) == 0 &&
	    action(SIGSYS, &ignore, NULL) == 0);
}

void
syscall_signal_return(void)
{
	if (program()->handler == (uintptr_t)SIG_IGN &&
	    is_installed((uintptr_t)SIG_IGN))
		install((uintptr_t)SIG_IGN, 0);
}

/* ----------------------------------------------------------- sigprocmask(2) */

static uint64_t
combine(uint64_t how, uint64_t mask, uint64_t set)
{
	switch (how) {
	case SIG_BLOCK:
		return (mask | set);
	case SIG_UNBLOCK:
		return (mask & ~set);
	default:
		return (set);
	}
}

/* Stores the mask before; returns false if it cannot be written there. */
static bool
tell_old(struct syscall_frame *f, uint64_t more)
{
	uint64_t *old = (uint64_t *)(uintptr_t)f->args[2];

	f->result = (uint64_t)raw_call(SYS_rt_sigprocmask, SIG_BLOCK, 0,
	    (long)old, SYSCALL_SET, 0);
	if (f->result != 0)
		return (false);
	if (old != NULL)
		*old |= more;
	return (true);
}

bool
syscall_signal_mask(struct syscall_frame *f, uint64_t more,
    uint64_t (*change)(uint64_t))
{
	uint64_t how = (uint32_t)f->args[0], mask, set;

	if (f->args[3] != SYSCALL_SET || how > SIG_SETMASK ||
	    (f->args[1] == 0 && more == 0))
		return (false);
	f->result = (uint64_t)-EFAULT;
	if (f->args[1] != 0 && !syscall_signal_readable(f->args[1]))
		return (true);
	if (f->args[1] == 0) {
		(void)tell_old(f, more);
		return (true);
	}
	set = *(const uint64_t *)(uintptr_t)f->args[1];
	if (!tell_old(f, more))
		return (true);
	mask = syscall_signal_block(SIG_BLOCK, ~(uint64_t)0) | more;
	(void)syscall_signal_block(SIG_SETMASK, change(combine(how, mask,
	    set)));
	return (true);
}

/* ------------------------------------------------------------------ signals */

/* Ends the process by the default action, as without the provider. */
static void
die(void)
{
	const struct syscall_action default_action = { .handler = 0 };

	(void)action(SIGSYS, &default_action, NULL);
	(void)raw_call(SYS_tgkill, raw_call(SYS_getpid, 0, 0, 0, 0, 0),
	    raw_call(SYS_gettid, 0, 0, 0, 0, 0), SIGSYS, 0, 0);
}

/* A SIGSYS that a filter of system calls has raised cannot be ignored. */
void
syscall_signal_forward(siginfo_t *info, void *context, bool aside)
{
	const struct syscall_action a = *program(), none = { .handler = 0 };

	if (a.handler == 0 || (a.handler == 1 && info->si_code > 0))
		die();
	if (a.handler <= 1)
		return;
	if ((a.flags & SA_RESETHAND) != 0)
		set_program(&none);
	if (!aside)
		(void)syscall_signal_block(SIG_BLOCK, a.mask &
		    ~SYSCALL_SIGSYS);
	((syscall_handler *)(uintptr_t)a.handler)(SIGSYS, info, context);
}

/* Sends the signal to the same receiver: this thread, or the process. */
void
syscall_signal_again(siginfo_t *info)
{
	long pid = raw_call(SYS_getpid, 0, 0, 0, 0, 0);

	if (info->si_code == SI_TKILL)
		(void)raw_call(SYS_rt_tgsigqueueinfo, pid,
		    raw_call(SYS_gettid, 0, 0, 0, 0, 0), SIGSYS, (long)info, 0);
	else
		(void)raw_call(SYS_rt_sigqueueinfo, pid, SIGSYS, (long)info,
		    0, 0);
}

/* Changes the handlers that exist already, and the action of SIGSYS. */
void
syscall_signal_begin(syscall_handler *handler)
{
	struct syscall_action a, unused;
	uint64_t i;

	ours = handler;
	for (i = 1; i <= SIGNALS; i++) {
		if (action(i, NULL, &a) != 0)
			continue;
		if (i == SIGSYS)
			set_program(&a);
		else if (a.handler > 1 && (a.mask & SYSCALL_SIGSYS) != 0)
			(void)other_action(i, &a, &unused);
	}
}
