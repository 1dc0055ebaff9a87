/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Calls that no stub sees: of objects loaded by dlopen(3), of code made at run
 * time, of places that were not redirected.  With TBUF_SYSCALL=all the kernel
 * raises SIGSYS at each call from outside of this object's text while the
 * thread's selector says so (Syscall User Dispatch), and the handler makes the
 * thread continue in the routine that stubs jump to.  Therefore the call is
 * made outside of the handler, with the thread's own stack, signal mask and
 * registers.
 *
 *	selector	the kernel's view of a thread
 *	ALLOW		calls are not dispatched
 *	BLOCK		calls from outside come here; SIGSYS is not blocked,
 *			as a blocked SIGSYS would kill
 *
 *	ALLOW -> BLOCK	a thread has set its robust list, or has changed its
 *			signal mask: SIGSYS is not blocked
 *	BLOCK -> ALLOW	SIGSYS is going to be blocked, by a change of the mask
 *			or while a call waits; a filter of system calls is
 *			set; the program dispatches calls itself; there are
 *			too many places; a new exec image is to ignore SIGSYS
 *
 * A thread that begins with SIGSYS blocked, as those of Go's run time do, may
 * unblock it by a call from other code.  Therefore SIGSYS is not blocked there,
 * and that is hidden from the program until the mask changes again, or until it
 * would show: to tasks that inherit the mask, and to senders of a SIGSYS.
 *
 * The kernel turns dispatch off in each new thread and process, which soon
 * makes one of the calls that turn it on.
 */
#ifndef PROVIDERS_SYSCALL_DISPATCH_H
#define PROVIDERS_SYSCALL_DISPATCH_H

#include "syscall.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#ifdef __x86_64__

#pragma GCC visibility push(hidden)

/* ------------------------------------------------------ dispatch.c */

/* Prepares it, if it is asked for.  Returns NULL, or the reason why not. */
const char *syscall_dispatch_prepare(void);

/* Sets the text from which calls are let through. */
void	syscall_dispatch_text(uintptr_t start, uintptr_t size);

/* Begins, if prepared, in this thread and those that it makes. */
bool	syscall_dispatch_begin(void);

bool	syscall_dispatch_is_on(void);

/* Returns true if calls with this number are inspected, traced or not. */
bool	syscall_dispatch_looks(int number);

/*
 * Called before and after each call that has come to a stub.  before() returns
 * true if it has made the call: f->result is its result.
 */
bool	syscall_dispatch_before(struct syscall_frame *, uint64_t number);
void	syscall_dispatch_after(const struct syscall_frame *, uint64_t number);

/* Called around tasks that share this thread's memory and thread area. */
void	syscall_dispatch_share(int step);
void	syscall_dispatch_shared_for_good(void);

/* Calls fire(p, f), on the alternate stack if the program's may be small. */
void	syscall_dispatch_fire(syscall_fire *fire, struct syscall_probes *p,
	    const struct syscall_frame *f);

/* -------------------------------------------------------- signal.c */

/* The kernel's structure of sigaction(2), and its set of signals. */
struct syscall_action {
	uint64_t handler;
	uint64_t flags;
	uint64_t restorer;
	uint64_t mask;
};

#define SYSCALL_SIGSYS	((uint64_t)1 << (SIGSYS - 1))
#define SYSCALL_SET	sizeof(uint64_t)

typedef void syscall_handler(int, siginfo_t *, void *);

/* Installs the handler of SIGSYS; the program may already have handlers. */
void	syscall_signal_begin(syscall_handler *);

/* Performs rt_sigaction(2) for the program; false: the kernel has to do it. */
bool	syscall_signal_action(struct syscall_frame *);

/* Replaces the provider's action, if the kernel has given a child that one. */
void	syscall_signal_tell(const struct syscall_frame *);

/*
 * leave() is called before execve(2), return() if that fails.  A SIGSYS that
 * the program ignores has to be ignored by the kernel, as the new exec image
 * inherits only that.  leave() returns true if it is: then no call may be
 * dispatched.
 */
bool	syscall_signal_leave(void);
void	syscall_signal_return(void);

/*
 * Performs rt_sigprocmask(2) for a program that takes the signals in `more' for
 * blocked, too.  change() gets the mask that the program sets and returns the
 * one to be set; all signals are blocked meanwhile, as pending ones arrive at
 * once.
 */
bool	syscall_signal_mask(struct syscall_frame *, uint64_t more,
	    uint64_t (*change)(uint64_t));

/*
 * Delivers a SIGSYS of the program's.  `aside': makes no call for it, as that
 * would be dispatched to the program in turn.
 */
void	syscall_signal_forward(siginfo_t *, void *context, bool aside);

/* Sends a SIGSYS that came too early again. */
void	syscall_signal_again(siginfo_t *info);

/* Return true if a set at this address can be read; and if it has SIGSYS. */
bool	syscall_signal_readable(uint64_t set);
bool	syscall_signal_in(uint64_t set);

/* Returns true if the calling thread blocks SIGSYS. */
bool	syscall_signal_blocked(void);

/* Performs sigprocmask(2) for this thread.  Returns the mask before. */
uint64_t syscall_signal_block(int how, uint64_t set);

#pragma GCC visibility pop

#else

/* Linux has Syscall User Dispatch on x86-64 alone. */
static inline const char *
syscall_dispatch_prepare(void)
{
	const char *value = getenv("TBUF_SYSCALL");

	return (value != NULL && strcmp(value, "all") == 0 ?
	    "the kernel has no Syscall User Dispatch" : NULL);
}

static inline void
syscall_dispatch_text(uintptr_t start, uintptr_t size)
{
	(void)start;
	(void)size;
}

static inline bool
syscall_dispatch_begin(void)
{
	return (false);
}

static inline bool
syscall_dispatch_is_on(void)
{
	return (false);
}

static inline bool
syscall_dispatch_looks(int number)
{
	(void)number;
	return (false);
}

static inline bool
syscall_dispatch_before(struct syscall_frame *f, uint64_t number)
{
	(void)f;
	(void)number;
	return (false);
}

static inline void
syscall_dispatch_after(const struct syscall_frame *f, uint64_t number)
{
	(void)f;
	(void)number;
}

static inline void
syscall_dispatch_share(int step)
{
	(void)step;
}

static inline void
syscall_dispatch_shared_for_good(void)
{
}

static inline void
syscall_dispatch_fire(syscall_fire *fire, struct syscall_probes *p,
    const struct syscall_frame *f)
{
	fire(p, f);
}

#endif

#endif
