/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A program for fires in all of the C library, in difficult situations: it
 * starts and cancels threads, forks, executes, handles signals on two stacks,
 * loads objects, jumps out of functions and ends by its exit handlers.  It
 * prints how often this process has called l64a(3), for which only it has a
 * use, and exits with status 7.
 */
#define _GNU_SOURCE
#include <sys/time.h>
#include <sys/wait.h>

#include <dlfcn.h>
#include <err.h>
#include <pthread.h>
#include <regex.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#define THREADS		40
#define CHILDREN	10
#define BLOCKS		2000

extern char **environ;

static atomic_long calls;
static atomic_bool ends;
static volatile sig_atomic_t handled[2];
static char stack[65536], context_stack[65536];
static ucontext_t here, there;
static jmp_buf jump;

/* A call of a function of the C library that is counted here. */
static void
count(void)
{
	atomic_fetch_add(&calls, 1);
	(void)l64a(12345);
}

static void
handler(int signal)
{
	static char copy[2][300];
	unsigned which = signal == SIGALRM;

	memset(copy[which], 'x', sizeof(copy[which]) - 1);
	handled[which] = 1;
	if (strlen(copy[which]) != sizeof(copy[which]) - 1 ||
	    getpid() == getppid())
		_exit(9);
}

/* One handler has a stack of its own. */
static void
start_timers(void)
{
	static const struct itimerval often = { { 0, 200 }, { 0, 200 } };
	struct sigaction action = { .sa_handler = handler,
	    .sa_flags = SA_RESTART };
	stack_t other = { .ss_sp = stack, .ss_size = sizeof(stack) };

	sigaction(SIGPROF, &action, NULL);
	action.sa_flags |= SA_ONSTACK;
	sigaction(SIGALRM, &action, NULL);
	if (sigaltstack(&other, NULL) != 0 ||
	    setitimer(ITIMER_REAL, &often, NULL) != 0 ||
	    setitimer(ITIMER_PROF, &often, NULL) != 0)
		err(3, "timers");
}

static void
stop_timers(void)
{
	static const struct itimerval never = { { 0, 0 }, { 0, 0 } };

	setitimer(ITIMER_REAL, &never, NULL);
	setitimer(ITIMER_PROF, &never, NULL);
}

/* Returns the sum of sizes, which is the same in each thread. */
static size_t
allocate(unsigned seed)
{
	void *all[64] = { NULL };
	size_t sum = 0, size;
	unsigned i, n;

	for (i = 0; i < BLOCKS; i++) {
		seed = seed * 1103515245 + 12345;
		n = seed >> 16 & 63;
		size = seed >> 12 & 4095;
		free(all[n]);
		if ((all[n] = i % 3 == 0 ? calloc(1, size + 1) :
		    malloc(size + 1)) == NULL)
			err(3, "malloc");
		memset(all[n], 1, size);
		sum += size;
	}
	for (i = 0; i < 64; i++)
		free(all[i]);
	return (sum);
}

static void *
thread(void *cookie)
{
	count();
	return ((void *)allocate((unsigned)(uintptr_t)cookie));
}

static void
threads(void)
{
	pthread_t ids[THREADS];
	size_t sum = 0;
	void *result;
	unsigned i;

	for (i = 0; i < THREADS; i++)
		if (pthread_create(&ids[i], NULL, thread,
		    (void *)(uintptr_t)(i / 2)) != 0)
			err(3, "pthread_create");
	for (i = 0; i < THREADS; i++) {
		pthread_join(ids[i], &result);
		sum += (size_t)result;
	}
	printf("threads: %zu\n", sum);
}

static void
cleanup(void *cookie)
{
	count();
	atomic_store((atomic_bool *)cookie, true);
}

static void *
canceled(void *cookie)
{
	char byte;

	pthread_cleanup_push(cleanup, &ends);
	while (read(*(int *)cookie, &byte, 1) == -1)
		continue;
	pthread_cleanup_pop(0);
	return (NULL);
}

static void
cancel(void)
{
	int pipes[2];
	pthread_t id;
	void *result;

	if (pipe(pipes) != 0 ||
	    pthread_create(&id, NULL, canceled, &pipes[0]) != 0)
		err(3, "a thread");
	pthread_cancel(id);
	pthread_join(id, &result);
	printf("canceled: %d\n", result == PTHREAD_CANCELED);
	close(pipes[0]);
	close(pipes[1]);
}

static void
expect_status(const char *what, pid_t pid, int wanted)
{
	int status;

	if (pid == -1)
		err(3, "%s", what);
	while (waitpid(pid, &status, 0) == -1)
		continue;
	if (!WIFEXITED(status) || WEXITSTATUS(status) != wanted)
		errx(4, "%s: status %#x", what, status);
}

static void
last_words(void)
{
	count();
	printf("exit handler\n");
}

static void
children(void)
{
	char *true_[] = { (char *)(uintptr_t)"true", NULL };
	volatile unsigned i;
	pid_t pid;

	for (i = 0; i < CHILDREN; i++) {
		fflush(stdout);
		if ((pid = fork()) == 0) {
			allocate(i);
			(void)l64a(1);
			if (i % 2 == 0)
				exit(5);
			_exit(5);
		}
		expect_status("fork", pid, 5);
		if ((pid = vfork()) == 0) {
			execvp("true", true_);
			_exit(1);
		}
		expect_status("vfork", pid, 0);
		if (posix_spawnp(&pid, "true", NULL, NULL, true_, environ) !=
		    0)
			err(3, "posix_spawnp");
		expect_status("posix_spawn", pid, 0);
	}
	printf("children: %d\n", system("exit 6") >> 8);
}

static void
in_context(void)
{
	count();
	swapcontext(&there, &here);
	count();
}

static int
compare(const void *a, const void *b)
{
	if (*(const int *)a == 77)
		longjmp(jump, 8);
	return (*(const int *)a - *(const int *)b);
}

static void
jumps(void)
{
	int numbers[] = { 3, 77, 1 }, code;

	getcontext(&there);
	there.uc_stack.ss_sp = context_stack;
	there.uc_stack.ss_size = sizeof(context_stack);
	there.uc_link = &here;
	makecontext(&there, in_context, 0);
	swapcontext(&here, &there);
	swapcontext(&here, &there);
	if ((code = setjmp(jump)) == 0)
		qsort(numbers, 3, sizeof(*numbers), compare);
	printf("jumps: %d\n", code);
}

static void
texts(void)
{
	regmatch_t match;
	regex_t regex;
	char text[200];
	FILE *in;

	snprintf(text, sizeof(text), "%g %Lg %s", strtod("0x1.8p3", NULL),
	    strtold("2.5e10", NULL), strerror(2));
	printf("%s\n", text);
	if (regcomp(&regex, "([a-z]+) \\1", REG_EXTENDED) != 0 ||
	    regexec(&regex, "one two two", 1, &match, 0) != 0)
		errx(4, "regexec");
	printf("%d\n", (int)match.rm_so);
	regfree(&regex);
	if ((in = popen("echo from a pipe", "r")) == NULL)
		err(3, "popen");
	while (fgets(text, sizeof(text), in) != NULL)
		fputs(text, stdout);
	pclose(in);
}

static void
load(void)
{
	void *object;
	int i;

	for (i = 0; i < 5; i++) {
		if ((object = dlopen("libresolv.so.2", RTLD_NOW)) == NULL)
			errx(3, "%s", dlerror());
		if (dlsym(object, "ns_name_ntop") == NULL)
			errx(4, "%s", dlerror());
		dlclose(object);
	}
}

int
main(void)
{
	int i;

	setvbuf(stdout, NULL, _IOFBF, 0);
	start_timers();
	for (i = 0; i < 3; i++) {
		threads();
		jumps();
		texts();
		load();
	}
	cancel();
	children();
	while (!handled[0] || !handled[1])
		allocate(1);
	stop_timers();
	atexit(last_words);
	fprintf(stderr, "%ld\n", atomic_load(&calls) + 1);
	exit(7);
}
