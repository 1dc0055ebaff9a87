/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Allocates in three threads, which free each other's blocks, for replay.sh.
 * The numbers of calls are known: see main().
 */
#include <err.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#define THREADS	3
#define BLOCKS	100

static void *blocks[THREADS][BLOCKS];
static pthread_barrier_t barrier;

static void *
thread(void *arg)
{
	uintptr_t own = (uintptr_t)arg, other = (own + 1) % THREADS, i;

	for (i = 0; i < BLOCKS; i++)
		blocks[own][i] = malloc(100 + i);
	pthread_barrier_wait(&barrier);
	for (i = 0; i < BLOCKS; i++)
		blocks[other][i] = realloc(blocks[other][i], 2000);
	pthread_barrier_wait(&barrier);
	for (i = 0; i < BLOCKS; i++)
		free(blocks[own][i]);
	return (NULL);
}

int
main(void)
{
	pthread_t threads[THREADS];
	uintptr_t i;
	void *volatile p;
	void *aligned;

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, thread, (void *)i) != 0)
			errx(99, "pthread_create");
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	/* A volatile pointer: the compiler leaves no call out. */
	p = memalign(256, 1000);
	free(p);
	p = aligned_alloc(64, 640);
	free(p);
	if (posix_memalign(&aligned, 4096, 5000) == 0)
		free(aligned);
	p = calloc(10, 100);
	free(p);
	p = NULL;
	free(p);
	/* This one stays. */
	p = malloc(7777);
	return (p == NULL);
}
