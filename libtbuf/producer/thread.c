/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the target side knows of a thread without asking the kernel.
 */
#include <pthread.h>
#include <threads.h>

#include "producer/mark.h"
#include "producer/producer.h"

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
