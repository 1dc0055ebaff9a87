/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Calls that no stub sees: of objects that come by dlopen(3), of code that is
 * made at run time, of places that were left alone.  With TBUF_SYSCALL=all the
 * kernel raises SIGSYS at each call that is made outside of this object's text
 * while the thread's selector says so (Syscall User Dispatch), and the handler
 * has the thread go on in the routine that stubs jump to.  So the call is made
 * outside of the handler, with the thread's own stack, signal mask and
 * registers.
 *
 *	selector	the kernel's view of a thread
 *	ALLOW		calls are not looked at
 *	BLOCK		calls from outside come here; SIGSYS is not blocked,
 *			for a SIGSYS that is would kill
 *
 *	ALLOW -> BLOCK	a thread has got its robust list, or has changed its
 *			mask of signals: SIGSYS is not blocked
 *	BLOCK -> ALLOW	SIGSYS is to be blocked, by such a call or for as long
 *			as one waits; a filter of system calls comes; the
 *			program dispatches calls itself; there are too many
 *			places; SIGSYS is to be ignored by a new image
 *
 * A thread that begins with SIGSYS blocked, as those of Go's run time do, may
 * unblock it by a call from elsewhere.  So it is not blocked there, and that is
 * hidden from the program, until the mask changes again, or somebody else
 * would get to know of it: tasks that inherit it, and who sends a SIGSYS.
 *
 * The kernel forgets it for each new thread and process, which comes by one
 * of those calls soon.
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

/* Is it asked for, and to be had?  NULL, or why not. */
const char *syscall_dispatch_prepare(void);

/* The text from which calls are let through. */
void	syscall_dispatch_text(uintptr_t start, uintptr_t size);

/* From now on, if so, in this thread and those that it makes. */
bool	syscall_dispatch_begin(void);

bool	syscall_dispatch_is_on(void);

/* Is a call with this number looked at, whether it is traced or not? */
bool	syscall_dispatch_looks(int number);

/*
 * Around each call that has come to a stub; true: the call has been made, and
 * f->result is its result.
 */
bool	syscall_dispatch_before(struct syscall_frame *, uint64_t number);
void	syscall_dispatch_after(const struct syscall_frame *, uint64_t number);

/* Around tasks that share this thread's memory and thread area. */
void	syscall_dispatch_share(int step);
void	syscall_dispatch_shared_for_good(void);

/* fire(p, f), on the alternate stack if the program's may be too small. */
void	syscall_dispatch_fire(syscall_fire *fire, struct syscall_probes *p,
	    const struct syscall_frame *f);

/* -------------------------------------------------------- signal.c */

/* What the kernel has of sigaction(2), and of a set of signals. */
struct syscall_action {
	uint64_t handler;
	uint64_t flags;
	uint64_t restorer;
	uint64_t mask;
};

#define SYSCALL_SIGSYS	((uint64_t)1 << (SIGSYS - 1))
#define SYSCALL_SET	sizeof(uint64_t)

typedef void syscall_handler(int, siginfo_t *, void *);

/* The handler of SIGSYS, before which there are other handlers, or none. */
void	syscall_signal_begin(syscall_handler *);

/* rt_sigaction(2) as the program sees it; false: the kernel is to do it. */
bool	syscall_signal_action(struct syscall_frame *);

/* ... and as a child sees it whose call the kernel has done. */
void	syscall_signal_tell(const struct syscall_frame *);

/*
 * A SIGSYS that is ignored stays so in a new image, which no handler does; and
 * there has to be one again if there is no new image.  True: the kernel ignores
 * it, so no call may be dispatched.
 */
bool	syscall_signal_leave(void);
void	syscall_signal_return(void);

/*
 * rt_sigprocmask(2) in the same way, for a program that takes `more' signals
 * for blocked than are.  change() has what is to be blocked, and says what is
 * going to be, while all signals are, as those that wait come at once.
 */
bool	syscall_signal_mask(struct syscall_frame *, uint64_t more,
	    uint64_t (*change)(uint64_t));

/*
 * A SIGSYS that is the program's.  `aside': no call is to be made for it, as
 * that would be dispatched to the program in turn.
 */
void	syscall_signal_forward(siginfo_t *, void *context, bool aside);

/* A SIGSYS that came too early: it is sent again. */
void	syscall_signal_again(siginfo_t *info);

/* A set of the program's, by its address: can it be read, with SIGSYS in it? */
bool	syscall_signal_readable(uint64_t set);
bool	syscall_signal_in(uint64_t set);

/* Does the calling thread block SIGSYS? */
bool	syscall_signal_blocked(void);

/* All signals: what was blocked, which is to be so again. */
uint64_t syscall_signal_block(void);
void	syscall_signal_add(uint64_t set);
void	syscall_signal_unblock(uint64_t mask);

#pragma GCC visibility pop

#else

/* Linux has it on x86-64 alone. */
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
