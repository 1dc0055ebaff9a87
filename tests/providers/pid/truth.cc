/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A program that counts the entries and the returns of its functions, and
 * prints these: by calls, tail calls, callbacks, recursion, exceptions,
 * longjmp, contexts, coroutines, threads, cancellation, signal handlers and
 * children.  Two functions have calls among their first bytes.
 */
#include <sys/time.h>
#include <sys/wait.h>

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#if __cplusplus >= 202002L
#include <coroutine>
#endif

#define FUNCTIONS(x)							\
	x(add) x(many) x(recursive) x(tail) x(compare) x(thrower)	\
	x(catcher) x(jumper) x(context) x(thread) x(handler) x(child)	\
	x(chooser) x(real) x(placed) x(aimed) x(rethrower) x(cleaner)	\
	x(canceled) x(callback) x(after_vfork) x(producer) x(consumer)	\
	x(leaver)

enum {
#define X(name) COUNT_##name,
	FUNCTIONS(X)
#undef X
	COUNTS
};

static const char *const names[] = {
#define X(name) #name,
	FUNCTIONS(X)
#undef X
};

static struct {
	volatile long entries, returns;
} counts[COUNTS];

#define ENTER(name)	__atomic_fetch_add(&counts[COUNT_##name].entries, 1, \
			    __ATOMIC_SEQ_CST)
#define LEAVE(name)	__atomic_fetch_add(&counts[COUNT_##name].returns, 1, \
			    __ATOMIC_SEQ_CST)
#ifdef ELSEWHERE
#define TRIED		extern "C" __attribute__((noinline,		\
			    section("elsewhere")))
#else
#define TRIED		extern "C" __attribute__((noinline))
#endif

TRIED long
add(long a, long b)
{
	ENTER(add);
	LEAVE(add);
	return (a + b);
}

TRIED long
many(long a, long b, long c, long d, long e, long f, long g, long h, long i,
    long j)
{
	ENTER(many);
	LEAVE(many);
	return (a + b * 2 + c + d + e + f + g * 3 + h + i + j * 5);
}

TRIED long
recursive(long n)
{
	long result = n;

	ENTER(recursive);
	if (n >= 2)
		result = recursive(n - 1) + recursive(n - 2);
	LEAVE(recursive);
	return (result);
}

TRIED long
tail(long n)
{
	ENTER(tail);
	LEAVE(tail);
	return (add(n, 1));
}

TRIED int
compare(const void *a, const void *b)
{
	ENTER(compare);
	LEAVE(compare);
	return (*(const int *)a - *(const int *)b);
}

TRIED long
thrower(long n)
{
	ENTER(thrower);
	if (n % 3 == 0)
		throw n;
	LEAVE(thrower);
	return (n);
}

TRIED long
catcher(long n)
{
	long result;

	ENTER(catcher);
	try {
		result = thrower(n);
	} catch (long caught) {
		result = -caught;
	}
	LEAVE(catcher);
	return (result);
}

/*
 * An exception passes through them.  The prefixes of a call on x86-64 make room
 * for a jump before it, where one byte has no room for a short one.
 */
#ifdef __x86_64__
#define BEGIN	"push %rdi\n .cfi_adjust_cfa_offset 8\n"
#define CALL_POINTER	".byte 0x3e, 0x48\n call *pointer(%rip)"
#define CALL_THROWER	"call thrower"
#define END	"add $8, %rsp\n .cfi_adjust_cfa_offset -8\n ret\n"
#else
#define BEGIN	"stp x29, x30, [sp, -16]!\n"				\
	" .cfi_adjust_cfa_offset 16\n"					\
	" .cfi_offset 29, -16\n .cfi_offset 30, -8\n"
#define CALL_POINTER	"adrp x1, pointer\n"				\
	" ldr x1, [x1, :lo12:pointer]\n blr x1"
#define CALL_THROWER	"bl thrower"
#define END	"ldp x29, x30, [sp], 16\n .cfi_adjust_cfa_offset -16\n"	\
	" .cfi_restore 29\n .cfi_restore 30\n ret\n"
#endif
#define CALLER(name, call)						\
	extern "C" long name(long);					\
	__asm__(".text\n.type " #name ", @function\n" #name ":\n"	\
	    ".cfi_startproc\n " BEGIN " " call "\n " END		\
	    ".cfi_endproc\n.size " #name ", . - " #name "\n")

extern "C" long (*const pointer)(long) = thrower;
CALLER(placed, CALL_POINTER);
CALLER(aimed, CALL_THROWER);

static long
pass(long n)
{
	long result = 0;

	try {
		ENTER(placed);
		result += placed(n);
		LEAVE(placed);
	} catch (long caught) {
		result += caught;
	}
	try {
		ENTER(aimed);
		result += aimed(n);
		LEAVE(aimed);
	} catch (long caught) {
		result += caught;
	}
	return (result);
}

static jmp_buf back;

TRIED void
jumper(long n)
{
	ENTER(jumper);
	if (n % 2 == 0)
		longjmp(back, 1);
	LEAVE(jumper);
}

static ucontext_t here, there;

TRIED void
context(void)
{
	ENTER(context);
	(void)add(1, 2);
	swapcontext(&there, &here);
	(void)add(3, 4);
	LEAVE(context);
}

TRIED void *
thread(void *unused)
{
	long i;

	ENTER(thread);
	for (i = 0; i < 1000; i++)
		(void)add(i, i);
	(void)catcher(3);
	LEAVE(thread);
	return (unused);
}

TRIED void
handler(int)
{
	ENTER(handler);
	LEAVE(handler);
}

TRIED void
child(void)
{
	ENTER(child);
	(void)add(1, 1);
	LEAVE(child);
}

TRIED long
chooser(long n)
{
	long result = 0;

	ENTER(chooser);
	switch (n) {
	case 0: result = add(n, n); break;
	case 1: result = 44; break;
	case 2: result = recursive(5); break;
	case 3: result = tail(3); break;
	case 4: result = add(n, 1) * 3; break;
	case 5: result = n - 7; break;
	case 6: result = add(2, n); break;
	}
	LEAVE(chooser);
	return (result);
}

TRIED double
real(double a, double b)
{
	ENTER(real);
	LEAVE(real);
	return (a * b + 0.5);
}

/* An exception goes through two functions, and destructors run on its way. */
struct cleaned {
	~cleaned();
};

TRIED void
cleaner(long n)
{
	ENTER(cleaner);
	(void)add(n, n);
	LEAVE(cleaner);
}

cleaned::~cleaned()
{
	cleaner(1);
}

TRIED long
rethrower(long n)
{
	cleaned first;

	ENTER(rethrower);
	try {
		n = thrower(n);
	} catch (long caught) {
		cleaned second;

		(void)add(caught, 1);
		throw;
	}
	LEAVE(rethrower);
	return (n);
}

/* A thread that is cancelled in a system call, and its cleanup. */
static int ends[2];

TRIED void
callback(void *unused)
{
	ENTER(callback);
	(void)unused;
	LEAVE(callback);
}

TRIED void *
canceled(void *unused)
{
	char byte;

	ENTER(canceled);
	pthread_cleanup_push(callback, NULL);
	(void)add(1, 2);
	(void)!read(ends[0], &byte, 1);
	pthread_cleanup_pop(1);
	LEAVE(canceled);
	return (unused);
}

/* The child of vfork() has its parent's memory, and so its counts. */
TRIED long
after_vfork(long n)
{
	ENTER(after_vfork);
	LEAVE(after_vfork);
	return (n + 1);
}

/* It does not return. */
TRIED void
leaver(void)
{
	ENTER(leaver);
	(void)add(1, 1);
	pthread_exit(NULL);
}

#if __cplusplus >= 202002L
/* A sequence of numbers, of which each is made when it is asked for. */
struct sequence {
	struct promise_type {
		long value = 0;

		sequence get_return_object() {
			return { std::coroutine_handle<promise_type>::
			    from_promise(*this) };
		}
		std::suspend_always initial_suspend() { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		std::suspend_always yield_value(long n)
		{
			value = n;
			return {};
		}
		void return_void() {}
		void unhandled_exception() { throw; }
	};
	std::coroutine_handle<promise_type> handle;
};

TRIED void
producer(long n)
{
	ENTER(producer);
	(void)add(n, 1);
	LEAVE(producer);
}

static sequence
numbers(long n)
{
	for (long i = 0; i < n; i++) {
		producer(i);
		co_yield i;
	}
	(void)catcher(3);
	(void)thrower(9);
}

TRIED long
consumer(long n)
{
	sequence s = numbers(n);
	long sum = 0;

	ENTER(consumer);
	try {
		while (!s.handle.done()) {
			s.handle.resume();
			sum += add(s.handle.promise().value, 1);
		}
	} catch (long caught) {
		sum += caught;
	}
	s.handle.destroy();
	LEAVE(consumer);
	return (sum);
}
#else
TRIED void producer(long) { ENTER(producer); LEAVE(producer); }
TRIED long consumer(long n) { ENTER(consumer); LEAVE(consumer); return (n); }
#endif

static void *
leave(void *unused)
{
	leaver();
	return (unused);
}

static void
departures(void)
{
	pthread_t one;
	long i;

	for (i = 0; i < 9; i++)
		try {
			(void)rethrower(i);
		} catch (long caught) {
			(void)add(caught, i);
		}
	for (i = 0; i < 4; i++) {
		if (pipe(ends) != 0)
			abort();
		pthread_create(&one, NULL, canceled, NULL);
		if (i % 2 == 0)
			pthread_cancel(one);
		close(ends[1]);
		pthread_join(one, NULL);
		close(ends[0]);
		pthread_create(&one, NULL, leave, NULL);
		pthread_join(one, NULL);
	}
}

static void
contexts(void)
{
	static char stack[65536];

	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = sizeof(stack);
	there.uc_link = &here;
	makecontext(&there, context, 0);
	swapcontext(&here, &there);
	swapcontext(&here, &there);
}

static void
children(void)
{
	char name[] = "true", *argv[] = { name, NULL };
	int status;
	pid_t pid;

	if (fork() == 0) {
		child();
		_exit(0);
	}
	wait(&status);
	if (vfork() == 0) {
		(void)after_vfork(1);
		_exit(0);
	}
	wait(&status);
	(void)after_vfork(2);
	if (posix_spawn(&pid, "/bin/true", NULL, NULL, argv, environ) == 0)
		waitpid(pid, &status, 0);
	(void)system("true");
}

static void
signals(void)
{
	struct itimerval timer = { { 0, 200 }, { 0, 200 } };

	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &timer, NULL);
	while (counts[COUNT_handler].entries < 20)
		(void)chooser(counts[COUNT_handler].entries % 8);
	memset(&timer, 0, sizeof(timer));
	setitimer(ITIMER_REAL, &timer, NULL);
	signal(SIGALRM, SIG_IGN);
}

/* With an argument there are no timers, so that all counts are known. */
int
main(int argc, char **)
{
	int numbers[] = { 5, 3, 9, 1, 7, 2, 8 };
	volatile double sum = 0;
	pthread_t threads[4];
	volatile long i;
	size_t n;

	for (i = 0; i < 30; i++) {
		sum += (double)(catcher(i) + tail(i) + chooser(i % 8));
		sum += real((double)i, 2) + (double)pass(i);
		if (setjmp(back) == 0)
			jumper(i);
	}
	sum += (double)(recursive(15) + many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
	qsort(numbers, 7, sizeof(numbers[0]), compare);
	contexts();
	for (n = 0; n < 4; n++)
		pthread_create(&threads[n], NULL, thread, NULL);
	for (n = 0; n < 4; n++)
		pthread_join(threads[n], NULL);
	children();
	departures();
	sum += (double)(consumer(5) + consumer(0));
	if (argc == 1)
		signals();
	for (n = 0; n < COUNTS; n++)
		printf("%s entry %ld\n%s return %ld\n", names[n],
		    counts[n].entries, names[n], counts[n].returns);
	fprintf(stderr, "%d%d%d\n", numbers[0], numbers[3], numbers[6]);
	return (0);
}
