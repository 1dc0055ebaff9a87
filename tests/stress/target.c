/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The target of the stress tests: threads that fire, and disturbances.
 */
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "arch/atomics.h"
#include "common.h"

#ifdef TBUF_INJECT
#define INJECT_STEPS	9
extern uint32_t tbuf_inject[INJECT_STEPS];
#endif

#define STORM_PERIOD	50000		/* ns between a thread's signals */
#define FORK_FIRES	3

static struct stress_page *page;
static pthread_t threads[STRESS_THREADS];
static pid_t tids[STRESS_THREADS];
static __thread unsigned slot __attribute__((tls_model("initial-exec")));
static __thread volatile sig_atomic_t due
    __attribute__((tls_model("initial-exec")));	/* the next signal is due */

static void
fire(enum stress_kind kind)
{
	uint64_t who = slot * STRESS_KINDS + kind, number, check;
	struct stress_counter *counter = &page->who[who];
	char text[64];
	unsigned i, n;

	number = tbuf_load(&counter->before) + 1;
	tbuf_store_release(&counter->before, number);
	check = stress_check(who, number);
	if (stress_has_text(number)) {
		n = stress_text_size(number);
		for (i = 0; i < n; i++)
			text[i] = stress_text_byte(number, i);
		text[n] = '\0';
		TBUF_PROBE(stress, words, who, number, check, text);
	} else
		TBUF_PROBE(stress, numbers, who, number, check);
	tbuf_store_release(&counter->after, number);
}

static void
on_signal(int signal)
{
	fire(signal == SIGUSR1 ? STRESS_SENT : STRESS_TIMED);
	if (signal == SIGRTMIN)
		due = 1;
}

/*
 * Parks a thread.  `parked` counts the threads, so that all are parked when it
 * reaches their number.
 */
static void
park(void)
{
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	tbuf_add(&page->parked, 1);
	while (tbuf_load_acquire(&page->pause) != 0)
		sched_yield();
	tbuf_add(&page->parked, (uint32_t)-1);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static void
fork_child(void)
{
	unsigned i;

	for (i = 0; i < FORK_FIRES; i++)
		fire(STRESS_FORK);
	_exit(0);
}

/* Makes a child by fork, raw clone or vfork; only the last is traced. */
static void
fork_children(unsigned sort)
{
	sigset_t all, old;
	pid_t pid;

	/* A handler's fires in a child of vfork would count as the parent's. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	if (sort == 0) {
		if ((pid = fork()) == 0)
			fork_child();
	} else if (sort == 1) {
		if ((pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)) == 0)
			fork_child();
	} else if ((pid = vfork()) == 0) {
		fire(STRESS_VFORK);
		_exit(0);
	}
	if (pid == -1)
		err(1, "fork");
	while (waitpid(pid, NULL, 0) == -1)
		continue;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static timer_t
storm_begin(void)
{
	struct sigevent event;
	timer_t timer;

	memset(&event, 0, sizeof(event));
	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_signo = SIGRTMIN;
	event._sigev_un._tid = gettid();
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0)
		err(1, "timer");
	due = 1;
	return (timer);
}

/*
 * Requests the next signal.  The timer fires once, because slow handlers at a
 * fixed rate would leave a thread no time for anything else.
 */
static void
storm_again(timer_t timer)
{
	const struct itimerspec once = { .it_value.tv_nsec = STORM_PERIOD };

	due = 0;
	if (timer_settime(timer, 0, &once, NULL) != 0)
		err(1, "timer");
}

static void *
thread_main(void *argument)
{
	uint64_t n;
	timer_t timer = NULL;

	slot = (unsigned)(uintptr_t)argument;
	tbuf_store_release(&tids[slot], gettid());
	if ((page->flags & STRESS_SIGNALS) != 0)
		timer = storm_begin();
	for (n = 0; page->fires == 0 ? tbuf_load(&page->stop) == 0 :
	    n < page->fires; n++) {
		if (tbuf_load(&page->pause) != 0)
			park();
		if (due != 0)
			storm_again(timer);
		fire(STRESS_THREAD);
		if ((page->flags & STRESS_FORKS) != 0 && n % 4096 == 0)
			fork_children((unsigned)(n / 4096 + slot) % 3);
	}
	if (timer != NULL)
		timer_delete(timer);
	tbuf_store_release(&tids[slot], 0);
	tbuf_add(&page->running, (uint32_t)-1);
	return (NULL);
}

/* Moves a thread to another CPU of those the process had at the start. */
static void
move(pid_t tid, const cpu_set_t *cpus, uint64_t *random)
{
	unsigned pick = (unsigned)(stress_random(random) %
	    (unsigned)CPU_COUNT(cpus));
	cpu_set_t one;
	unsigned cpu;

	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, cpus) && pick-- == 0)
			break;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(tid, sizeof(one), &one);
}

/* Sends a signal to a thread that has fired since its last one. */
static void
interrupt(unsigned who, pid_t tid)
{
	static uint64_t seen[STRESS_THREADS];
	uint64_t now = tbuf_load(&page->who[who * STRESS_KINDS +
	    STRESS_THREAD].after);

	if (now == seen[who])
		return;
	seen[who] = now;
	syscall(SYS_tgkill, getpid(), tid, SIGUSR1);
}

static void
shake(const cpu_set_t *cpus, uint64_t *random)
{
	unsigned who = (unsigned)(stress_random(random) % page->threads);
	pid_t tid = tbuf_load_acquire(&tids[who]);

	if (tid == 0)
		return;
	if ((page->flags & STRESS_SIGNALS) != 0)
		interrupt(who, tid);
	if ((page->flags & STRESS_MOVES) != 0)
		move(tid, cpus, random);
#ifdef TBUF_INJECT
	if ((page->flags & STRESS_DELAYS) != 0)
		tbuf_store(&tbuf_inject[stress_random(random) % INJECT_STEPS],
		    stress_random(random) % 4 != 0 ? 0 :
		    (uint32_t)(stress_random(random) %
		    ((page->flags & STRESS_LONG) != 0 ? 400000 : 4000)));
#endif
}

/* Disturbs the other threads from the first one until they are done. */
static void
target_run(void)
{
	uint64_t random = page->seed;
	cpu_set_t cpus;
	uintptr_t i;

	sched_getaffinity(0, sizeof(cpus), &cpus);
	signal(SIGUSR1, on_signal);
	signal(SIGRTMIN, on_signal);
	page->running = page->threads;
	for (i = 0; i < page->threads; i++)
		if (pthread_create(&threads[i], NULL, thread_main,
		    (void *)i) != 0)
			errx(1, "pthread_create");
	while (tbuf_load_acquire(&page->running) != 0) {
		if (tbuf_load(&page->pause) == 0 && page->flags != 0)
			shake(&cpus, &random);
		sched_yield();
	}
	for (i = 0; i < page->threads; i++)
		pthread_join(threads[i], NULL);
}

void
stress_target_main(int argc, char **argv)
{
	int fd;

	if (argc != 3 || strcmp(argv[1], "target") != 0)
		return;
	fd = open(argv[2], O_RDWR | O_CLOEXEC);
	if (fd == -1)
		err(1, "%s", argv[2]);
	page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED,
	    fd, 0);
	if (page == MAP_FAILED)
		err(1, "mmap");
	close(fd);
	/* A target must not outlive a test that fails. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	target_run();
	exit(0);
}
