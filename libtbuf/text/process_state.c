/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The state of the text trace that belongs to this process alone, and the lock
 * under which its settings are changed.
 */
#include <sys/mman.h>

#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "target/self/thread.h"
#include "text/text.h"

/* Every program reads this when it ends, so it is in a page that is in use. */
struct tbuf_text_own *tbuf_text_own __attribute__((section(".data")));

uint32_t
tbuf_text_pid(void)
{
	uint32_t pid = tbuf_load(&tbuf_text_own->pid);

	if (pid == 0) {
		pid = (uint32_t)getpid();
		tbuf_store(&tbuf_text_own->pid, pid);
	}
	return (pid);
}

uint32_t
tbuf_text_tid(void)
{
	uint32_t tid = tbuf_thread_id();

	return (tid != 0 ? tid : (uint32_t)gettid());
}

void
tbuf_text_lose(void)
{
	tbuf_add(&tbuf_text_own->lost, 1);
}

uint64_t
tbuf_text_lost(void)
{
	return (tbuf_text_own == NULL ? 0 : tbuf_load(&tbuf_text_own->lost));
}

/* Wipes the page in a child of fork(3), in case the kernel does not. */
static void
forked(void)
{
	memset(tbuf_text_own, 0, sizeof(*tbuf_text_own));
}

/* Marks the trace as one of a normal end, which trace_retention.c removes. */
__attribute__((destructor(101)))
static void
end(void)
{
	struct tbuf_text_own *own = tbuf_text_own;

	if (own != NULL && tbuf_load(&own->trace) != NULL)
		own->trace->exited = 1;
}

static struct tbuf_text_own *
own_map(void)
{
	void *p = mmap(NULL, TBUF_PAGE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return (NULL);
#ifdef MADV_WIPEONFORK
	madvise(p, TBUF_PAGE, MADV_WIPEONFORK);
#endif
	return (p);
}

bool
tbuf_text_own_make(void)
{
	if ((tbuf_text_own = own_map()) == NULL)
		return (false);
	pthread_atfork(NULL, NULL, forked);
	return (true);
}

bool
tbuf_text_lock(void)
{
	uint32_t *word = &tbuf_text_own->changing, tid = tbuf_text_tid();

	while (!tbuf_cas(word, 0, tid)) {
		if (tbuf_load(word) == tid)
			return (false);
		sched_yield();
	}
	return (true);
}

void
tbuf_text_unlock(void)
{
	tbuf_store_release(&tbuf_text_own->changing, 0);
}
