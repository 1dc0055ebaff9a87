/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Threads that are cancelled in system calls run their destructors: in poll(2),
 * where the number is directly before the instruction, and in read(2), where it
 * is not.
 */
#include <atomic>

#include <err.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

static std::atomic<int> destroyed, begun;

struct guard {
	~guard() { destroyed++; }
};

static int fds[2];

static void *
in_read(void *)
{
	guard g;
	char byte;

	begun++;
	return (read(fds[0], &byte, 1) == 1 ? fds : nullptr);
}

static void *
in_poll(void *)
{
	guard g;

	begun++;
	return (poll(nullptr, 0, -1) == 0 ? fds : nullptr);
}

int
main()
{
	void *(*const functions[])(void *) = { in_read, in_poll };
	int n = 0;

	if (pipe(fds) != 0)
		err(1, "pipe");
	for (auto function : functions) {
		for (int i = 0; i < 20; i++) {
			pthread_t thread;
			void *result;

			pthread_create(&thread, nullptr, function, nullptr);
			n++;
			while (begun < n)
				sched_yield();
			pthread_cancel(thread);
			pthread_join(thread, &result);
			if (result != PTHREAD_CANCELED)
				errx(1, "%d: not cancelled", n);
			if (destroyed != n)
				errx(1, "%d: not destroyed", n);
		}
	}
	return (0);
}
