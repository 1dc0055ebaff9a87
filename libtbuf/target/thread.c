/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What the target side knows of a thread without asking the kernel.
 */
#include <dlfcn.h>
#include <pthread.h>

#include "target/mark.h"
#include "target/target.h"

__thread struct tbuf_thread tbuf_thread
    __attribute__((tls_model("initial-exec"))) = {
	.memo.bits = TBUF_MEMO_NONE
};

static int (*trylock)(pthread_mutex_t *) = pthread_mutex_trylock;
static int (*unlock)(pthread_mutex_t *) = pthread_mutex_unlock;

/*
 * A preloaded provider has wrappers of these two, and would fire from here.
 * It stands in front of this object, so what comes after it is the real one.
 * A static program has no wrappers.
 */
void
tbuf_thread_init(void)
{
#ifdef PIC
	void *lock = dlsym(RTLD_NEXT, "pthread_mutex_trylock");
	void *release = dlsym(RTLD_NEXT, "pthread_mutex_unlock");

	if (lock != NULL && release != NULL) {
		trylock = (int (*)(pthread_mutex_t *))lock;
		unlock = (int (*)(pthread_mutex_t *))release;
	}
#endif
	tbuf_thread.tid = tbuf_thread_id();
}

/*
 * glibc writes the thread id that it keeps in the thread's descriptor into
 * the owner field of a recursive mutex: that is what gettid(2) gives, and
 * fork(3) refreshes it in the child.
 */
uint32_t
tbuf_thread_id(void)
{
#ifdef __GLIBC__
	pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
	int owner;

	if (trylock(&mutex) != 0)
		return (0);
	owner = mutex.__data.__owner;
	unlock(&mutex);
	return ((uint32_t)owner);
#else
	return (0);
#endif
}

/*
 * The memo goes last: a handler that fires before the mark is seen may make
 * it good again, and with it a fire does not look at the mark.
 */
void
tbuf_thread_mark(int step)
{
	tbuf_thread.shared += (uint32_t)step;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	tbuf_store(&tbuf_thread.memo.bits, TBUF_MEMO_NONE);
}
