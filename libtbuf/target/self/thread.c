/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The state of a thread that is known without a system call.
 */
#include "base/optimize_size.h"

#include <sys/syscall.h>

#include <errno.h>

#include "arch/rseq_area.h"
#include "arch/syscall.h"
#include "base/libc_facts.h"
#include "target/provider.h"
#include "target/self/thread.h"

#define BIT(signal)	(UINT64_C(1) << ((signal) - 1))
/* Signals of the C library, which it never blocks. */
#define LIBRARY		(BIT(32) | BIT(33))

__thread struct tbuf_thread tbuf_thread
    __attribute__((tls_model("initial-exec"))) = {
	.memo = { .bits = TBUF_MEMO_NONE }
};

ptrdiff_t tbuf_rseq_at TBUF_FORKED;

void
tbuf_thread_init(void)
{
	tbuf_thread.tid = tbuf_thread_id();
	tbuf_rseq_at = tbuf_rseq_find(tbuf_thread.spare);
}

/*
 * Reads the thread id from the thread's descriptor, as a fire makes no system
 * call.  It equals gettid(2), and fork(3) refreshes it in the child.
 */
uint32_t
tbuf_thread_id(void)
{
	ptrdiff_t at = tbuf_libc_facts()->tid_at;

	return (at != 0 ? tbuf_load((uint32_t *)
	    ((uintptr_t)__builtin_thread_pointer() + (uintptr_t)at)) :
	    (uint32_t)raw_call(SYS_gettid, 0, 0, 0, 0, 0));
}

uint64_t
tbuf_thread_draw(void)
{
	static uint64_t drawn;

	return (tbuf_add(&drawn, 1) + 1);
}

uint64_t
tbuf_thread_own_number(void)
{
	if (tbuf_thread.number == 0)
		tbuf_thread.number = tbuf_thread_draw();
	return (tbuf_thread.number);
}

int *
tbuf_thread_errno(void)
{
	return (&errno);
}

uint32_t
tbuf_thread_hide(int step)
{
	return (tbuf_thread.hidden = (uint8_t)(tbuf_thread.hidden + step));
}

/*
 * Changes `shared', then voids the memo: a handler that fires in between may
 * make the memo valid again, and a fire with a valid memo does not check
 * `shared'.
 */
void
tbuf_thread_mark(int step)
{
	if (!tbuf_rseq_thread())
		return;
	tbuf_thread.shared += (uint32_t)step;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	tbuf_thread_forget();
}

/* Not a traced call: that would count as the program's in a new child. */
static void
change(int how, const void *set, sigset_t *old)
{
	(void)raw_call(SYS_rt_sigprocmask, how, (long)set, (long)old,
	    _NSIG / 8, 0);
}

/*
 * Blocks all signals but those that an instruction raises: blocked, they kill.
 * A sandbox may even depend on its SIGSYS handler.
 */
void
tbuf_signals_block(sigset_t *old)
{
	const uint64_t all = ~(BIT(SIGBUS) | BIT(SIGFPE) | BIT(SIGILL) |
	    BIT(SIGSEGV) | BIT(SIGSYS) | BIT(SIGTRAP) | LIBRARY);

	change(SIG_BLOCK, &all, old);
}

void
tbuf_signals_restore(const sigset_t *old)
{
	change(SIG_SETMASK, old, NULL);
}
