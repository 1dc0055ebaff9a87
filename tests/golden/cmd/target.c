/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A program with probes for the golden tests.  It fires on one CPU, so that
 * every run is the same.  Each argument is an order:
 *
 *	types		fires every type that a probe can have, at its limits
 *	fire=N		fires count(number, text) N times
 *	threads=N	N threads, one after the other, fire it once each
 *	crowd=N		N threads, all at once, fire it ten times each
 *	stay=N		N threads fire it once each and do not end
 *	large=N		fires blob(bytes) with N bytes
 *	exit=N		exits with that status
 *	kill=N		raises that signal
 *	fork=N		a child fires count() N times; wait for it
 *	spawn=N		another image of this program does; wait for it
 *	orphan=N	like fork=N without waiting; the child is held before
 *			its fork handlers run, until there is a byte to read
 *	age=N		waits until N ms have passed on each clock
 *	kinds=N		N work units that succeed, each of its own kind
 *	units=N		N work units, with one record each, that fail
 *	forkunit=N	a child has a work unit, with one record, that fails
 *	many=N		registers N probes at run time
 *	say=WORD	prints a line
 *	wait		waits for a line, or the end, on standard input
 *	go		fires count() until it is not enabled
 *	enabled		waits until count() is enabled
 *	disabled	waits until it is not
 *	full		opens no more files, as with a full table
 *	strict		enters the strict seccomp mode
 *	filter		installs a filter that kills for process_vm_readv(2)
 */
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <err.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <tbuf.h>

#include "lib/one_cpu.h"

static void
full(void)
{
	const struct rlimit none = { 0, 0 };

	if (setrlimit(RLIMIT_NOFILE, &none) != 0)
		err(99, "setrlimit");
}

static void
fire(unsigned long n)
{
	const char *text = "a text";
	uint64_t number;

	for (number = 1; number <= n; number++)
		TBUF_PROBE(tt, count, number, text);
}

static pthread_barrier_t crowded;

static void *
thread_once(void *argument)
{
	fire(1);
	return (argument);
}

static void *
thread_of_crowd(void *argument)
{
	fire(10);
	pthread_barrier_wait(&crowded);
	return (argument);
}

static void
thread_begin(pthread_t *thread, void *(*function)(void *))
{
	if ((errno = pthread_create(thread, NULL, function, NULL)) != 0)
		err(99, "pthread_create");
}

/* A barrier could not be reused while threads leave it. */
static unsigned long staying;

static void *
thread_that_stays(void *argument)
{
	fire(1);
	__atomic_fetch_add(&staying, 1, __ATOMIC_RELEASE);
	for (;;)
		pause();
	return (argument);
}

/*
 * Starts threads one after the other: with one lock lane, or while a page is
 * found for storage, the fires of others would be drops.
 */
static void
stay_there(unsigned long n)
{
	unsigned long all = staying;
	pthread_t thread;

	for (; n > 0; n--) {
		thread_begin(&thread, thread_that_stays);
		all++;
		while (__atomic_load_n(&staying, __ATOMIC_ACQUIRE) < all)
			sched_yield();
	}
}

static void
threads(unsigned long n)
{
	pthread_t thread;

	for (; n > 0; n--) {
		thread_begin(&thread, thread_once);
		pthread_join(thread, NULL);
	}
}

static void
crowd(unsigned long n)
{
	pthread_t *all = calloc(n, sizeof(*all));
	unsigned long i;

	if (all == NULL ||
	    pthread_barrier_init(&crowded, NULL, (unsigned)n) != 0)
		errx(99, "no crowd of %lu", n);
	for (i = 0; i < n; i++)
		thread_begin(&all[i], thread_of_crowd);
	for (i = 0; i < n; i++)
		pthread_join(all[i], NULL);
	free(all);
}

/* the current work unit */
static uint64_t unit;

static void
done(unsigned long n)
{
	TBUF_PROBE_SEL(TBUF_SEL_FAILURE | TBUF_SEL_SUCCESS | 0x100, tt, done,
	    n);
}

static void
expect(int expected, int came)
{
	if (came != expected)
		errx(98, "%d, not %d", came, expected);
}

/* Continues the unit in another thread. */
static void *
thread_main(void *argument)
{
	(void)argument;
	expect(0, tbuf_unit_enter(unit));
	expect(-ENOENT, tbuf_unit_leave(unit + 1024));
	fire(1);
	expect(0, tbuf_unit_leave(unit));
	return (NULL);
}

static void
elsewhere(void)
{
	pthread_t thread;

	expect(-EBUSY, tbuf_unit_enter(unit));
	expect(0, tbuf_unit_leave(unit));
	expect(-EBUSY, tbuf_unit_leave(unit));
	if (pthread_create(&thread, NULL, thread_main, NULL) != 0)
		abort();
	pthread_join(thread, NULL);
	expect(0, tbuf_unit_enter(unit));
}

static void
types(void)
{
	int8_t i8 = INT8_MIN;
	int16_t i16 = INT16_MIN;
	int32_t i32 = INT32_MIN;
	int64_t i64 = INT64_MIN;
	uint8_t u8 = UINT8_MAX;
	uint16_t u16 = UINT16_MAX;
	uint32_t u32 = UINT32_MAX;
	uint64_t u64 = UINT64_MAX;
	char letter = 'a', array[] = "an array";
	bool yes = true, no = false;
	float third = 1.0f / 3;
	double big = 1e300, nothing = NAN;
	void *pointer = (void *)0x1234, *null = NULL;
	const char *string = "q\"b\\n\nt\tr\r\x01\xff\xc3\xa9", *none = NULL;
	char bytes[300];

	memset(bytes, 'x', sizeof(bytes) - 1);
	bytes[sizeof(bytes) - 1] = '\0';
	TBUF_PROBE(tt, integers, i8, i16, i32, i64, u8, u16, u32, u64,
	    letter);
	TBUF_PROBE(tt, other__types, yes, no, third, big, nothing, pointer,
	    null);
	TBUF_PROBE(tt, strings, string, none, array, TBUF_BYTES(array, 3));
	TBUF_PROBE(tt, cut__strings, bytes, TBUF_BYTES(bytes, 300));
	TBUF_PROBE(tt, no_arguments);
	TBUF_PROBE(tt, names, i8 + 1, i16, i16, TBUF_NAMED(sum, i8 + 2),
	    TBUF_TEXT(array, 2));
}

static void
large(unsigned long n)
{
	char *bytes = calloc(1, n + 1);

	TBUF_PROBE(tt, blob, TBUF_BYTES(bytes, n));
	free(bytes);
}

static void
many(unsigned long n)
{
	static struct tbuf_site *sites;	/* valid until the end */
	char name[32];
	unsigned long i;

	if ((sites = calloc(n, sizeof(*sites))) == NULL)
		err(99, "calloc");
	for (i = 0; i < n; i++) {
		(void)snprintf(name, sizeof(name), "p%lu", i);
		tbuf_probe_register(&sites[i], "many", "target", "many", name,
		    0, NULL, NULL);
	}
}

static void
wait_for(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || status != 0)
		errx(99, "the child has failed");
}

static void
run_child(unsigned long n)
{
	pid_t pid = fork();

	if (pid == -1)
		err(99, "fork");
	if (pid == 0) {
		fire(n);
		_exit(0);
	}
	wait_for(pid);
}

static void
run_kinds(unsigned long n)
{
	char kind[32];
	unsigned long i;

	for (i = 1; i <= n; i++) {
		snprintf(kind, sizeof(kind), "kind%lu", i);
		expect(0, tbuf_unit_end(tbuf_unit_begin(kind, i), 0));
	}
}

static void
run_units(unsigned long n)
{
	uint64_t one;

	for (; n > 0; n--) {
		one = tbuf_unit_begin("one", n);
		fire(1);
		expect(0, tbuf_unit_end(one, 1));
	}
}

static void
run_child_unit(unsigned long n)
{
	pid_t pid = fork();

	if (pid == -1)
		err(99, "fork");
	if (pid == 0) {
		unit = tbuf_unit_begin("other", n);
		fire(1);
		_exit(tbuf_unit_end(unit, 1) == 0 ? 0 : 1);
	}
	wait_for(pid);
}

static void
run_image(unsigned long n)
{
	char name[] = "target", order[32];
	char *argv[] = { name, order, NULL };
	pid_t pid;

	(void)snprintf(order, sizeof(order), "fire=%lu", n);
	if ((errno = posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv,
	    environ)) != 0)
		err(99, "posix_spawn");
	wait_for(pid);
}

static bool held;

static void
hold(void)
{
	char byte;

	if (held)
		(void)!read(STDIN_FILENO, &byte, 1);
}

static void
hold_first(void)
{

	(void)pthread_atfork(NULL, NULL, hold);
}

/*
 * Runs before the library's constructor, so that hold() is the first handler.
 */
__attribute__((section(".preinit_array"), used))
static void (*const before)(void) = hold_first;

static void
run_orphan(unsigned long n)
{
	pid_t pid;

	held = true;
	if ((pid = fork()) == -1)
		err(99, "fork");
	if (pid == 0) {
		fire(n);
		_exit(0);
	}
}

static void
await(bool enabled)
{

	while ((TBUF_ENABLED(tt, count) != 0) != enabled)
		(void)sched_yield();
}

static void
go(void)
{

	while (TBUF_ENABLED(tt, count))
		fire(1);
}

static void
filter(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		    offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv,
		    0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
	};
	struct sock_fprog program = {
		.len = sizeof(code) / sizeof(code[0]), .filter = code
	};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == -1)
		err(99, "prctl");
}

/* A fire must not depend on bytes that earlier functions left on the stack. */
static __attribute__((noinline)) void
overwrite_stack(void)
{
	char bytes[32 << 10];

	memset(bytes, 0xa5, sizeof(bytes));
	__asm__ volatile("" : : "r"(bytes) : "memory");
}

static uint64_t
coarse_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return ((uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000);
}

static void
age(unsigned long ms)
{
	const uint64_t began = coarse_ms();

	while (coarse_ms() - began <= ms)
		(void)poll(NULL, 0, 1);
}

static void
obey(const char *order)
{
	const char *value = strchr(order, '=');
	unsigned long n = value != NULL ? strtoul(value + 1, NULL, 0) : 0;
	char line[80];

	overwrite_stack();
	if (strcmp(order, "types") == 0)
		types();
	else if (strncmp(order, "fire=", 5) == 0)
		fire(n);
	else if (strncmp(order, "threads=", 8) == 0)
		threads(n);
	else if (strncmp(order, "stay=", 5) == 0)
		stay_there(n);
	else if (strncmp(order, "crowd=", 6) == 0)
		crowd(n);
	else if (strncmp(order, "large=", 6) == 0)
		large(n);
	else if (strncmp(order, "many=", 5) == 0)
		many(n);
	else if (strncmp(order, "exit=", 5) == 0)
		exit(n);
	else if (strncmp(order, "kill=", 5) == 0)
		(void)raise(n);
	else if (strncmp(order, "fork=", 5) == 0)
		run_child(n);
	else if (strncmp(order, "orphan=", 7) == 0)
		run_orphan(n);
	else if (strncmp(order, "spawn=", 6) == 0)
		run_image(n);
	else if (strncmp(order, "unit=", 5) == 0)
		unit = tbuf_unit_begin("work", n);
	else if (strncmp(order, "other=", 6) == 0)
		unit = tbuf_unit_begin("other", n);
	else if (strncmp(order, "age=", 4) == 0)
		age(n);
	else if (strncmp(order, "kinds=", 6) == 0)
		run_kinds(n);
	else if (strncmp(order, "units=", 6) == 0)
		run_units(n);
	else if (strncmp(order, "forkunit=", 9) == 0)
		run_child_unit(n);
	else if (strncmp(order, "done=", 5) == 0)
		done(n);
	else if (strncmp(order, "end=", 4) == 0)
		expect(0, tbuf_unit_end(unit, atoi(order + 4)));
	else if (strcmp(order, "last") == 0)
		(void)tbuf_backtrace(STDERR_FILENO, 1000);
	else if (strcmp(order, "elsewhere") == 0)
		elsewhere();
	else if (strncmp(order, "say=", 4) == 0)
		printf("%s\n", value + 1);
	else if (strcmp(order, "wait") == 0)
		(void)!fgets(line, sizeof(line), stdin);
	else if (strcmp(order, "go") == 0)
		go();
	else if (strcmp(order, "enabled") == 0)
		await(true);
	else if (strcmp(order, "disabled") == 0)
		await(false);
	else if (strcmp(order, "filter") == 0)
		filter();
	else if (strcmp(order, "full") == 0)
		full();
	else if (strcmp(order, "strict") == 0) {
		if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == -1)
			err(99, "prctl");
	} else
		errx(99, "no such order: %s", order);
}

int
main(int argc, char **argv)
{
	int i;

	(void)setvbuf(stdout, NULL, _IOLBF, 0);
	one_cpu();
	for (i = 1; i < argc; i++)
		obey(argv[i]);
	return (0);
}
