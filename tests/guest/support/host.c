/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A host that is built in several ways.  Threads, a handler and a forked child
 * fire; the process itself fires 3100 times.
 */
#include <sys/wait.h>

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <tbuf.h>

static void
fire(int n)
{
	const char *text = "a text";
	char *heap = malloc(16);
	int i;

	heap[0] = 'h';
	heap[1] = '\0';
	for (i = 0; i < n; i++) {
		TBUF_PROBE(guest, fire, i, text, heap, TBUF_BYTES(&i,
		    sizeof(i)));
	}
	free(heap);
}

static void *
thread(void *cookie)
{
	fire(1000);
	return (cookie);
}

static void
handler(int number)
{
	TBUF_PROBE(guest, handler, number);
}

int
main(void)
{
	pthread_t ids[2];
	int i, status;
	pid_t pid;

	signal(SIGUSR1, handler);
	for (i = 0; i < 2; i++)
		if (pthread_create(&ids[i], NULL, thread, NULL) != 0)
			return (1);
	fire(1000);
	for (i = 0; i < 100; i++)
		raise(SIGUSR1);
	for (i = 0; i < 2; i++)
		pthread_join(ids[i], NULL);
	if ((pid = fork()) == 0) {
		fire(50);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status != 0)
		return (1);
	return (0);
}
