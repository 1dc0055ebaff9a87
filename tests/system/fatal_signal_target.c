/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A program that ends as its arguments say, for fatal_signal.sh.  Each argument
 * is an order:
 *
 *	fire=N		last(number, text), N times
 *	thread=N	fires N times in a new thread
 *	stay=N		N threads fire once, and stay
 *	enabled		wait until the process is traced
 *	unit=ID, end=OUTCOME	a work unit of kind `job' begins, or ends
 *	types		every type that a probe can have
 *	backtrace=N	tbuf_backtrace() to standard output; prints its result
 *	fatal=OPTIONS	tbuf_on_fatal(); prints its result if it is not 0
 *	chain=HOW	a handler of SIGSEGV and SIGABRT: print, then exit,
 *			return or jump; or `ignore` them
 *	stack=BYTES	an alternate stack of one's own; prints whether it stays
 *	cut		cut the control file off
 *	full		close standard error
 *	assert		a false assertion
 *	die=HOW		segv, bus, abort, fpe, ill, sys, overflow, sent (SIGSEGV
 *			by kill(2)), both (two threads at once)
 *	say=WORD	print a line
 *	wait		for a line
 */
#include <sys/mman.h>
#include <sys/resource.h>

#include <err.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tbuf.h>
#include <tbuf_text.h>

static const char *how_chained;
static sigjmp_buf back;
static volatile int zero;
static uint64_t unit;
static void *volatile nowhere;

static void
fire(long n)
{
	long i;

	for (i = 1; i <= n; i++)
		TBUF_PROBE(ft, last, i, "a \"text\"");
}

static void *
fire_thread(void *arg)
{
	fire(*(long *)arg);
	return (NULL);
}

static void
fire_apart(long n)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, fire_thread, &n) != 0)
		err(99, "thread");
	pthread_join(thread, NULL);
}

static long staying;

static void *
fire_and_stay(void *arg)
{
	fire(1);
	__atomic_fetch_add(&staying, 1, __ATOMIC_RELEASE);
	for (;;)
		pause();
	return (arg);
}

static void
stay(long n)
{
	long all = staying + n;
	pthread_t thread;

	for (; n > 0; n--)
		if (pthread_create(&thread, NULL, fire_and_stay, NULL) != 0)
			err(99, "thread");
	while (__atomic_load_n(&staying, __ATOMIC_ACQUIRE) < all)
		sched_yield();
}

static void
fire_types(void)
{
	int8_t i8 = INT8_MIN;
	int16_t i16 = INT16_MIN;
	int32_t i32 = INT32_MIN;
	int64_t i64 = INT64_MIN;
	const char *string = "q\"b\\n\n\x01\xff", *none = NULL;

	TBUF_PROBE(ft, signed, i8, i16, i32, i64);
	TBUF_PROBE(ft, unsigned, (uint8_t)-1, (uint16_t)-1, (uint32_t)-1,
	    (uint64_t)-1);
	TBUF_PROBE(ft, floats, 0.1f, -0.1, 0.0, 1e300, 5e-324);
	TBUF_PROBE(ft, others, (_Bool)1, (void *)0x1234, string, none,
	    TBUF_BYTES("\x01\x02\xff", 3));
}

static void
print(const char *text)
{
	if (write(STDOUT_FILENO, text, strlen(text)) == -1)
		_exit(98);
}

static void
chained(int number, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	print(number == SIGSEGV ? "chained SEGV\n" : "chained ABRT\n");
	if (strcmp(how_chained, "exit") == 0)
		_exit(3);
	if (strcmp(how_chained, "jump") == 0)
		siglongjmp(back, 1);
}

static void
chain(const char *how)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO };

	how_chained = how;
	action.sa_sigaction = chained;
	if (strcmp(how, "ignore") == 0) {
		action.sa_handler = SIG_IGN;
		action.sa_flags = 0;
	}
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGABRT, &action, NULL);
}

static void
own_stack(size_t size)
{
	stack_t stack = { .ss_sp = malloc(size), .ss_size = size }, now;

	if (stack.ss_sp == NULL || sigaltstack(&stack, NULL) != 0)
		err(99, "sigaltstack");
	if (tbuf_on_fatal(NULL) != 0)
		errx(99, "tbuf_on_fatal");
	sigaltstack(NULL, &now);
	print(now.ss_sp == stack.ss_sp ? "stays\n" : "is another\n");
}

static void
cut(void)
{
	char path[256];
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512], *at;

	while (maps != NULL && fgets(line, sizeof(line), maps) != NULL)
		if ((at = strstr(line, "/tbuf.")) != NULL &&
		    sscanf(strchr(line, '/'), "%255s", path) == 1 &&
		    truncate(path, 0) == 0)
			break;
	if (maps != NULL)
		fclose(maps);
}

static int
deeper(volatile char *above)
{
	char room[4096];

	room[0] = *above;
	return (room[0] == 'x' ? 0 : deeper(room) + room[0]);
}

static void *
fault(void *arg)
{
	(void)arg;
	*(volatile int *)nowhere = 1;
	return (NULL);
}

static void
die_both(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, fault, NULL) != 0)
		err(99, "thread");
	fault(NULL);
}

static void
die(const char *how)
{
	char first = 0;
	void *p;

	if (sigsetjmp(back, 1) != 0)
		return;
	if (strcmp(how, "segv") == 0)
		fault(NULL);
	else if (strcmp(how, "both") == 0)
		die_both();
	else if (strcmp(how, "sent") == 0)
		kill(getpid(), SIGSEGV);
	else if (strcmp(how, "abort") == 0)
		abort();
	else if (strcmp(how, "fpe") == 0)
		raise(SIGFPE);
	else if (strcmp(how, "ill") == 0)
		__builtin_trap();
	else if (strcmp(how, "sys") == 0)
		raise(SIGSYS);
	else if (strcmp(how, "overflow") == 0)
		zero = deeper(&first);
	else if (strcmp(how, "bus") == 0) {
		p = mmap(NULL, 4096, PROT_READ, MAP_SHARED,
		    memfd_create("bus", 0), 0);
		zero = *(volatile int *)p;
	}
}

static void
say(const char *what, int result)
{
	char line[64];

	snprintf(line, sizeof(line), "%s %d\n", what, result);
	print(line);
}

static void
obey(const char *order, const char *value)
{
	int result;

	if (strcmp(order, "fire") == 0)
		fire(atol(value));
	else if (strcmp(order, "thread") == 0)
		fire_apart(atol(value));
	else if (strcmp(order, "stay") == 0)
		stay(atol(value));
	else if (strcmp(order, "enabled") == 0)
		while (!TBUF_ENABLED(ft, last))
			sched_yield();
	else if (strcmp(order, "unit") == 0)
		unit = tbuf_unit_begin("job", (uint64_t)atol(value));
	else if (strcmp(order, "end") == 0)
		tbuf_unit_end(unit, atoi(value));
	else if (strcmp(order, "types") == 0)
		fire_types();
	else if (strcmp(order, "backtrace") == 0)
		say("backtrace", tbuf_backtrace(1, atoi(value)));
	else if (strcmp(order, "fatal") == 0) {
		if ((result = tbuf_on_fatal(value)) != 0)
			say("fatal", result);
	} else if (strcmp(order, "chain") == 0)
		chain(value);
	else if (strcmp(order, "stack") == 0)
		own_stack((size_t)atol(value));
	else if (strcmp(order, "cut") == 0)
		cut();
	else if (strcmp(order, "full") == 0)
		close(STDERR_FILENO);
	else if (strcmp(order, "assert") == 0)
		TBUF_ASSERT(zero != 0);
	else if (strcmp(order, "die") == 0)
		die(value);
	else if (strcmp(order, "say") == 0) {
		print(value);
		print("\n");
	} else if (strcmp(order, "wait") == 0)
		while (getchar() > '\n')
			continue;
	else
		errx(99, "%s?", order);
}

int
main(int argc, char **argv)
{
	const struct rlimit none = { 0, 0 };
	char *equals;
	int i;

	if (getenv("CORES") == NULL)
		setrlimit(RLIMIT_CORE, &none);
	for (i = 1; i < argc; i++) {
		if ((equals = strchr(argv[i], '=')) != NULL)
			*equals++ = '\0';
		obey(argv[i], equals == NULL ? "" : equals);
	}
	return (0);
}
