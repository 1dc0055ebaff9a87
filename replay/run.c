/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes the calls of a list, by as many threads as it has.  A thread makes its
 * own calls in their order, and waits for a block that another thread has not
 * allocated yet.  The first call of those that are left never waits, so the
 * threads cannot wait for each other in a circle.
 */
#include <sys/mman.h>

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "replay.h"

#define PAGE		4096u
#define TOUCHED		(128u << 10)	/* bytes of a block that are written */

static const struct list *list;
static void **blocks;		/* by number; NULL: not yet allocated */
static uint32_t *order;		/* calls by thread, each thread's in order */
static uint32_t *firsts;	/* of each thread in it, and the end */
static uint64_t refused;
static pthread_barrier_t barrier;
static char none;		/* a block that malloc had no memory for */

static void *
block_wait(uint32_t number)
{
	void *block;

	while ((block = __atomic_load_n(&blocks[number], __ATOMIC_ACQUIRE)) ==
	    NULL)
		sched_yield();
	return (block == &none ? NULL : block);
}

/* Publishes a block, after a write to each page of its beginning. */
static void
block_give(uint32_t number, void *block, uint64_t size)
{
	volatile char *bytes = block;
	uint64_t at;

	if (block == NULL) {
		__atomic_fetch_add(&refused, 1, __ATOMIC_RELAXED);
		block = &none;
	} else
		for (at = 0; at < size && at < TOUCHED; at += PAGE)
			bytes[at] = 1;
	__atomic_store_n(&blocks[number], block, __ATOMIC_RELEASE);
}

/* Allocates as the recorded function did, where its result may differ. */
static void *
allocate(const struct call *c, void *old)
{
	void *block = NULL;

	switch (c->function) {
	case CALLOC:
		return (calloc(1, c->size));
	case REALLOC:
	case REALLOCARRAY:
		return (realloc(old, c->size));
	case POSIX_MEMALIGN:
		return (posix_memalign(&block, c->alignment, c->size) == 0 ?
		    block : NULL);
	case ALIGNED_ALLOC:
		return (aligned_alloc(c->alignment, c->size));
	case MEMALIGN:
		return (memalign(c->alignment, c->size));
	case VALLOC:
		return (valloc(c->size));
	case PVALLOC:
		return (pvalloc(c->size));
	default:
		return (malloc(c->size));
	}
}

static void
call_make(const struct call *c)
{
	void *old = c->old == NO_BLOCK ? NULL : block_wait(c->old), *block;

	if (c->function == FREE) {
		free(old);
		return;
	}
	block = allocate(c, old);
	if (block == NULL && c->size != 0)
		free(old);
	block_give(c->block, block, c->size);
}

static void *
thread_main(void *arg)
{
	uint32_t thread = (uint32_t)(uintptr_t)arg, i;

	pthread_barrier_wait(&barrier);
	for (i = firsts[thread]; i < firsts[thread + 1]; i++)
		call_make(&list_calls(list)[order[i]]);
	return (NULL);
}

/* Returns zeroed memory that malloc does not know, or NULL. */
static void *
memory(size_t size)
{
	void *p = mmap(NULL, size == 0 ? 1 : size, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	return (p == MAP_FAILED ? NULL : p);
}

/* Sorts the calls by threads. */
static void
order_make(void)
{
	const struct call *calls = list_calls(list);
	uint32_t next[THREADS_MAX], i;

	for (i = 0; i < list->ncalls; i++)
		firsts[calls[i].thread + 1]++;
	for (i = 0; i < list->nthreads; i++) {
		firsts[i + 1] += firsts[i];
		next[i] = firsts[i];
	}
	for (i = 0; i < list->ncalls; i++)
		order[next[calls[i].thread]++] = i;
}

/* Returns a number of /proc/self/status, in KiB. */
static uint64_t
status(const char *name)
{
	char line[128];
	unsigned long long kib = 0;
	FILE *f = fopen("/proc/self/status", "re");

	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, name, strlen(name)) == 0)
			kib = strtoull(line + strlen(name), NULL, 10);
	if (f != NULL)
		fclose(f);
	return (kib);
}

/* Makes the peak of resident memory the present one. */
static void
peak_reset(void)
{
	FILE *f = fopen("/proc/self/clear_refs", "we");

	if (f != NULL) {
		fputs("5", f);
		fclose(f);
	}
}

static uint64_t
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return ((uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec);
}

/* Starts the threads, which wait for each other, and measures. */
static int
run(pthread_t *threads, struct result *result)
{
	uint64_t before, start;
	uint32_t i;
	int error;

	pthread_barrier_init(&barrier, NULL, list->nthreads + 1);
	for (i = 0; i < list->nthreads; i++)
		if ((error = pthread_create(&threads[i], NULL, thread_main,
		    (void *)(uintptr_t)i)) != 0)
			return (error);
	peak_reset();
	before = status("VmRSS:");
	start = now();
	pthread_barrier_wait(&barrier);
	for (i = 0; i < list->nthreads; i++)
		pthread_join(threads[i], NULL);
	result->nanoseconds = now() - start;
	result->peak_kib = status("VmHWM:");
	result->peak_kib -= before < result->peak_kib ? before :
	    result->peak_kib;
	result->refused = refused;
	return (0);
}

int
list_run(const struct list *l, struct result *result)
{
	static pthread_t threads[THREADS_MAX];

	list = l;
	blocks = memory(list->nblocks * sizeof(*blocks));
	order = memory(list->ncalls * sizeof(*order));
	firsts = memory((list->nthreads + 1) * sizeof(*firsts));
	if (blocks == NULL || order == NULL || firsts == NULL)
		return (ENOMEM);
	order_make();
	return (run(threads, result));
}
