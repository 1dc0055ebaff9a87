/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the target side knows of a thread without asking the kernel.
 */
#include <sys/syscall.h>

#include <pthread.h>
#include <threads.h>

#include "arch/syscall.h"
#include "arch/rseq_area.h"
#include "target/provider.h"
#include "target/self/thread.h"

#define BIT(signal)	(UINT64_C(1) << ((signal) - 1))
/* The C library's own, which it blocks for nobody. */
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
 * glibc writes the thread id that it keeps in the thread's descriptor into
 * the owner field of a recursive mutex: that is what gettid(2) gives, and
 * fork(3) refreshes it in the child.  It is taken by its other name, for a
 * preloaded provider has wrappers of the pthread functions, and would fire
 * from here.
 */
uint32_t
tbuf_thread_id(void)
{
#ifdef __GLIBC__
	union {
		pthread_mutex_t pthread;
		mtx_t mtx;
	} mutex = { .pthread = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP };
	int owner;

	if (mtx_trylock(&mutex.mtx) != thrd_success)
		return (0);
	owner = mutex.pthread.__data.__owner;
	mtx_unlock(&mutex.mtx);
	return ((uint32_t)owner);
#else
	return (0);
#endif
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

uint32_t
tbuf_thread_hide(int step)
{
	return (tbuf_thread.hidden = (uint8_t)(tbuf_thread.hidden + step));
}

/*
 * The memo goes last: a handler that fires before the mark is seen may make
 * it good again, and with it a fire does not look at the mark.
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

/* Not told as a call of the program, as it would be in a new child. */
static void
change(int how, const void *set, sigset_t *old)
{
	(void)raw_call(SYS_rt_sigprocmask, how, (long)set, (long)old,
	    _NSIG / 8, 0);
}

/*
 * All but those that an instruction raises: blocked, they kill.  A sandbox may
 * even live by its handler of SIGSYS.
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
