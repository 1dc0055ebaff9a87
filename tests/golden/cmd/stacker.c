/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A program with probes at the end of known stacks, for the golden tests.  Each
 * argument is an order:
 *
 *	shapes		fires probes with each kind of arguments
 *	thread		fires in a thread
 *	signal		fires in a handler, and in one on a stack of its own
 *	coroutine	fires in a context with a stack of its own
 *	deep=N		fires below N frames
 *	long		fires in functions with long names
 *	load		fires a probe in a library that is loaded now
 *	broken		fires with frame pointers that lead nowhere
 *	plus		fires in functions of C++
 *	enabled		waits until the probe `ready' is enabled; all others
 *			are enabled by then
 *	spin		runs until there is a line on standard input
 *	worker		spins in a thread that starts now
 *	fork		a child obeys the orders that follow, too; wait for it
 *	say=WORD	prints a line
 *	wait		waits for a line, or the end, on standard input
 */
#include <sys/mman.h>
#include <sys/wait.h>

#include <dlfcn.h>
#include <err.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include <tbuf.h>

#define NOINLINE	__attribute__((noinline))
/* Prevents tail calls. */
#define STAY()		__asm__ volatile("" ::: "memory")

NOINLINE void
leaf(int number)
{
	TBUF_PROBE(stacker, leaf, number);
	STAY();
}

void	stacker_plus(void);

NOINLINE void
middle(int number)
{
	leaf(number);
	STAY();
}

NOINLINE void
outer(int number)
{
	middle(number);
	STAY();
}

/* ------------------------------------------------------------ shapes */

NOINLINE void
fire_none(void)
{
	TBUF_PROBE(stacker, none);
	STAY();
}

NOINLINE void
fire_words(void)
{
	TBUF_PROBE(stacker, words, (long)1, (long)2);
	STAY();
}

NOINLINE void
fire_many(void)
{
	TBUF_PROBE(stacker, many, (long)1, (long)2, (long)3, (long)4, (long)5,
	    (long)6);
	STAY();
}

NOINLINE void
fire_packed(void)
{
	TBUF_PROBE(stacker, packed, (char)1, (short)2, (long)3);
	STAY();
}

NOINLINE void
fire_bytes(void)
{
	TBUF_PROBE(stacker, bytes, (char)1, (short)2, 3, (char)4, (char)5,
	    (char)6);
	STAY();
}

NOINLINE void
fire_text(void)
{
	TBUF_PROBE(stacker, text, (const char *)"a text");
	STAY();
}

NOINLINE void
fire_texts(void)
{
	TBUF_PROBE(stacker, texts, (const char *)"a text", 1,
	    (const char *)"another");
	STAY();
}

NOINLINE static void
shapes(void)
{
	fire_none();
	fire_words();
	fire_many();
	fire_packed();
	fire_bytes();
	fire_text();
	fire_texts();
	STAY();
}

/* ------------------------------------------------------------ threads */

NOINLINE void *
run_thread(void *arg)
{
	outer(*(int *)arg);
	STAY();
	return (NULL);
}

NOINLINE static void
in_thread(void *(*function)(void *), int number)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, function, &number) != 0)
		errx(99, "pthread_create");
	(void)pthread_join(thread, NULL);
}

/* ------------------------------------------------------------ signals */

NOINLINE void
handler(int number)
{
	outer(number);
	STAY();
}

/* Maps a stack with gaps around it. */
static void *
stack_alone(size_t size)
{
	char *at = mmap(NULL, size + 2 * 65536, PROT_NONE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED || mprotect(at + 65536, size,
	    PROT_READ | PROT_WRITE) == -1)
		err(99, "mmap");
	return (at + 65536);
}

NOINLINE void
raise_here(int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	if (sigaction(SIGUSR1, &action, NULL) == -1)
		err(99, "sigaction");
	raise(SIGUSR1);
	STAY();
}

NOINLINE void *
signals(void *arg)
{
	stack_t stack = { .ss_size = 65536 };

	(void)arg;
	raise_here(0);
	stack.ss_sp = stack_alone(stack.ss_size);
	if (sigaltstack(&stack, NULL) == -1)
		err(99, "sigaltstack");
	raise_here(SA_ONSTACK);
	stack.ss_flags = SS_DISABLE;
	(void)sigaltstack(&stack, NULL);
	STAY();
	return (NULL);
}

/* ------------------------------------------------------------ coroutines */

static ucontext_t caller, callee;

NOINLINE void
coroutine(void)
{
	outer(5);
	STAY();
}

NOINLINE static void
in_coroutine(void)
{
	if (getcontext(&callee) == -1)
		err(99, "getcontext");
	callee.uc_stack.ss_size = 65536;
	callee.uc_stack.ss_sp = stack_alone(callee.uc_stack.ss_size);
	callee.uc_link = &caller;
	makecontext(&callee, coroutine, 0);
	if (swapcontext(&caller, &callee) == -1)
		err(99, "swapcontext");
}

/* ------------------------------------------------------------ depth */

NOINLINE void
deep(int left)
{
	if (left > 1)
		deep(left - 1);
	else
		TBUF_PROBE(stacker, deep, left);
	STAY();
}

NOINLINE void *
deep_thread(void *arg)
{
	deep(*(int *)arg);
	STAY();
	return (NULL);
}

/* Names of 3000 characters. */
#define TEN(x)		x x x x x x x x x x
#define LONG		TEN(TEN(TEN("abc")))
void	long_leaf(int) __asm__(LONG "_leaf");
void	long_outer(int) __asm__(LONG "_outer");

NOINLINE void
long_leaf(int number)
{
	TBUF_PROBE(stacker, long_, number);
	STAY();
}

NOINLINE void
long_outer(int number)
{
	long_leaf(number);
	STAY();
}

NOINLINE void
load(void)
{
	void *library = dlopen("libm.so.6", RTLD_NOW);
	void *function = library == NULL ? NULL : dlsym(library, "cbrt");

	if (function == NULL)
		errx(99, "%s", dlerror());
	TBUF_PROBE(stacker, loaded, function);
	STAY();
}

/* ------------------------------------------------------------ broken ones */

/*
 * Fires with an invalid frame pointer.  The function is not inline, so that no
 * caller needs the pointer; with_frame() restores it.
 */
NOINLINE void
fire_odd(void)
{
	TBUF_PROBE(stacker, odd);
	STAY();
}

NOINLINE void
with_frame(void *pointer)
{
#if defined(__x86_64__)
	__asm__ volatile("pushq %%rbp\n\tpushq %%rbx\n\tsubq $136, %%rsp\n\t"
	    "movq %%rsp, %%rbx\n\tandq $-16, %%rsp\n\t"
	    "movq %0, %%rbp\n\tcall fire_odd\n\t"
	    "movq %%rbx, %%rsp\n\taddq $136, %%rsp\n\tpopq %%rbx\n\t"
	    "popq %%rbp" : : "r" (pointer) : "rax", "rcx", "rdx", "rsi",
	    "rdi", "r8", "r9", "r10", "r11", "memory", "cc");
#else
	(void)pointer;
	fire_odd();
#endif
	STAY();
}

static uintptr_t loop[4], other[4];

NOINLINE void *
broken(void *arg)
{
	uintptr_t local[4] = { 0 };
	char *alone = stack_alone(65536);

	(void)arg;
	with_frame(NULL);
	with_frame((void *)8);
	with_frame((void *)UINTPTR_MAX);
	with_frame((void *)(uintptr_t)0x8000000000000000u);
	/* This one is not aligned. */
	with_frame((char *)local + 1);
	/* Loops: outside of the stack, and a frame that leads to itself. */
	loop[0] = (uintptr_t)other;
	other[0] = (uintptr_t)loop;
	loop[1] = other[1] = (uintptr_t)&fire_odd;
	with_frame(loop);
	local[0] = (uintptr_t)local;
	local[1] = (uintptr_t)&fire_odd;
	with_frame(local);
	/* Frames after the end of the mapping, and across its ends. */
	with_frame(alone + 65536);
	with_frame(alone + 65536 - 8);
	with_frame(alone - 8);
	/* This frame in the stack leads out of it. */
	local[0] = (uintptr_t)(alone + 65536 - 8);
	with_frame(local);
	/* This is the program's code. */
	with_frame((void *)(uintptr_t)&fire_odd);
	STAY();
	return (NULL);
}

/* ------------------------------------------------------------ orders */

/* the last probe: probes are enabled in order */
static struct tbuf_site ready;

static void
await(void)
{
	while (!tbuf_probe_enabled(&ready))
		(void)usleep(1000);
}

static volatile sig_atomic_t stopped;

static void *
listen(void *arg)
{
	(void)arg;
	(void)getchar();
	stopped = 1;
	return (NULL);
}

NOINLINE void
busy(void)
{
	volatile unsigned i;

	while (!stopped)
		for (i = 0; i < 1000; i++)
			STAY();
}

NOINLINE void *
spin(void *arg)
{
	pthread_t thread;

	(void)arg;
	if (pthread_create(&thread, NULL, listen, NULL) != 0)
		errx(99, "pthread_create");
	busy();
	(void)pthread_join(thread, NULL);
	STAY();
	return (NULL);
}

static pid_t child;

static void
fork_here(void)
{
	if ((child = fork()) == -1)
		err(99, "fork");
}

static int
is(const char *order, const char *name, int *number)
{
	size_t n = strlen(name);

	if (strncmp(order, name, n) != 0 ||
	    (order[n] != '\0' && order[n] != '='))
		return (0);
	*number = order[n] == '=' ? atoi(order + n + 1) : 0;
	return (1);
}

NOINLINE static void
obey(const char *order)
{
	int number;

	if (is(order, "shapes", &number))
		shapes();
	else if (is(order, "call", &number))
		outer(number);
	else if (is(order, "thread", &number))
		in_thread(run_thread, number);
	else if (is(order, "signal", &number)) {
		(void)signals(NULL);
		in_thread(signals, number);
	} else if (is(order, "coroutine", &number))
		in_coroutine();
	else if (is(order, "deep", &number)) {
		deep(number);
		in_thread(deep_thread, number);
	} else if (is(order, "long", &number))
		long_outer(number);
	else if (is(order, "load", &number))
		load();
	else if (is(order, "broken", &number)) {
		(void)broken(NULL);
		in_thread(broken, number);
	} else if (is(order, "plus", &number))
		stacker_plus();
	else if (is(order, "enabled", &number))
		await();
	else if (is(order, "spin", &number))
		(void)spin(NULL);
	else if (is(order, "worker", &number))
		in_thread(spin, number);
	else if (is(order, "fork", &number))
		fork_here();
	else if (is(order, "say", &number)) {
		puts(order + 4);
		(void)fflush(stdout);
	} else if (is(order, "wait", &number))
		(void)getchar();
	else
		errx(99, "%s: no such order", order);
	STAY();
}

int
main(int argc, char **argv)
{
	int i;

	(void)tbuf_probe_register(&ready, "stacker", "stacker", "main",
	    "ready", 0, NULL, NULL);
	for (i = 1; i < argc; i++)
		obey(argv[i]);
	if (child > 0)
		(void)waitpid(child, NULL, 0);
	return (0);
}
