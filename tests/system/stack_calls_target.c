/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A program that fires on several kinds of stacks, and prints for each the
 * system calls that read memory during a fire, and the bytes of the frames on
 * that stack.  A child traces the process, so the program needs no filter of
 * system calls, with which a target reads its memory otherwise.
 *
 *	stack_calls_target DEPTH ...
 *
 * Exits with 77 if processes may not be traced here.
 */
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <linux/ptrace.h>

#include <err.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

#include <tbuf.h>

#define NOINLINE	__attribute__((noinline))
/* Prevents tail calls. */
#define STAY()		__asm__ volatile("" ::: "memory")

/* Descriptors that no process has: the tracer counts calls between them. */
#define BEGIN		-1000
#define END		-1001

#define STACK		65536
#define GAP		65536

/* ------------------------------------------------------------ the tracer */

/* Handles one system call; returns the number of calls so far. */
static unsigned
take(pid_t pid, unsigned calls)
{
	struct ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info) <= 0 ||
	    info.op != PTRACE_SYSCALL_INFO_ENTRY)
		return (calls);
	if (info.entry.nr == SYS_process_vm_readv)
		return (calls + 1);
	if (info.entry.nr != SYS_close)
		return (calls);
	if ((int)info.entry.args[0] == END) {
		printf("%u calls, %llu bytes\n", calls,
		    (unsigned long long)info.entry.args[1]);
		fflush(stdout);
	}
	return ((int)info.entry.args[0] == BEGIN ? 0 : calls);
}

static _Noreturn void
trace(pid_t parent, int go, int ready)
{
	unsigned calls = 0;
	bool told = false;
	int status, signal;
	pid_t pid;
	char c;

	if (read(go, &c, 1) != 1 || ptrace(PTRACE_SEIZE, parent, NULL,
	    PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE) == -1 ||
	    ptrace(PTRACE_INTERRUPT, parent, NULL, NULL) == -1)
		_exit(77);
	while ((pid = waitpid(-1, &status, __WALL)) > 0) {
		if (!WIFSTOPPED(status)) {
			if (pid == parent)
				break;
			continue;
		}
		signal = WSTOPSIG(status);
		if (signal == (SIGTRAP | 0x80))
			calls = take(pid, calls);
		if (signal == (SIGTRAP | 0x80) || status >> 16 != 0)
			signal = 0;
		(void)ptrace(PTRACE_SYSCALL, pid, NULL, (long)signal);
		if (!told)
			told = write(ready, "", 1) == 1;
	}
	_exit(0);
}

static void
be_traced(void)
{
	int go[2], ready[2];
	pid_t parent = getpid(), child;
	char c;

	if (pipe(go) == -1 || pipe(ready) == -1)
		err(99, "pipe");
	if ((child = fork()) == -1)
		err(99, "fork");
	if (child == 0) {
		(void)close(ready[0]);
		trace(parent, go[0], ready[1]);
	}
	(void)close(ready[1]);
	(void)prctl(PR_SET_PTRACER, child, 0, 0, 0);
	if (write(go[1], "", 1) != 1 || read(ready[0], &c, 1) != 1)
		exit(77);
}

/* ------------------------------------------------------------ fires */

static int depth;
static uintptr_t top;		/* of the frames on this stack */

/* Fires twice: the first may find out where the thread's stack is. */
NOINLINE void
deep(int left)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	int again;

	if (left > 1) {
		deep(left - 1);
		STAY();
		return;
	}
	for (again = 0; again < 2; again++) {
		if (again == 1)
			(void)syscall(SYS_close, (long)BEGIN);
		TBUF_PROBE(stack, fire, again);
	}
	(void)syscall(SYS_close, (long)END, top - here);
	STAY();
}

NOINLINE void
begin(int ignored)
{
	(void)ignored;
	top = (uintptr_t)__builtin_frame_address(0);
	deep(depth);
	STAY();
}

static void *
map(size_t size)
{
	void *at = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
	    0);

	if (at == MAP_FAILED)
		err(99, "mmap");
	return (at);
}

static void
open_up(char *at, size_t size)
{
	if (mprotect(at, size, PROT_READ | PROT_WRITE) == -1)
		err(99, "mprotect");
}

/* Maps a stack with gaps around it. */
static char *
stack_alone(void)
{
	char *at = map(STACK + 2 * GAP);

	open_up(at + GAP, STACK);
	return (at + GAP);
}

NOINLINE void
in_handler(char *at)
{
	struct sigaction action = {
		.sa_handler = begin, .sa_flags = SA_ONSTACK
	};
	stack_t stack = { .ss_sp = at, .ss_size = STACK };

	if (sigaltstack(&stack, NULL) == -1 ||
	    sigaction(SIGUSR1, &action, NULL) == -1)
		err(99, "sigaltstack");
	(void)raise(SIGUSR1);
	stack.ss_flags = SS_DISABLE;
	(void)sigaltstack(&stack, NULL);
	STAY();
}

static ucontext_t caller, callee;

NOINLINE void
coroutine(void)
{
	begin(0);
	STAY();
}

NOINLINE void
in_coroutine(char *at)
{
	if (getcontext(&callee) == -1)
		err(99, "getcontext");
	callee.uc_stack.ss_size = STACK;
	callee.uc_stack.ss_sp = at;
	callee.uc_link = &caller;
	makecontext(&callee, coroutine, 0);
	if (swapcontext(&caller, &callee) == -1)
		err(99, "swapcontext");
	STAY();
}

/* ------------------------------------------------------------ threads */

NOINLINE void *
plain_thread(void *arg)
{
	begin(0);
	STAY();
	return (arg);
}

NOINLINE void *
signal_thread(void *arg)
{
	in_handler(arg);
	STAY();
	return (arg);
}

NOINLINE void *
coroutine_thread(void *arg)
{
	in_coroutine(arg);
	STAY();
	return (arg);
}

/* A megabyte lies between the other stack and the gap below the thread's. */
#define FAR		(1 << 20)

static void
in_thread(void *(*function)(void *))
{
	char *at = map(2 * GAP + STACK + FAR + 4 * STACK);
	char *stack = at + 2 * GAP + STACK + FAR;
	pthread_attr_t attributes;
	pthread_t thread;

	open_up(at + GAP, STACK + FAR);
	open_up(stack, 4 * STACK);
	if (pthread_attr_init(&attributes) != 0 ||
	    pthread_attr_setstack(&attributes, stack, 4 * STACK) != 0 ||
	    pthread_create(&thread, &attributes, function, at + GAP) != 0)
		errx(99, "pthread_create");
	(void)pthread_join(thread, NULL);
	(void)pthread_attr_destroy(&attributes);
}

int
main(int argc, char *argv[])
{
	char *alone = stack_alone();

	be_traced();
	while (*++argv != NULL) {
		depth = atoi(*argv);
		begin(0);
		in_handler(alone);
		in_coroutine(alone);
		in_thread(plain_thread);
		in_thread(signal_thread);
		in_thread(coroutine_thread);
	}
	STAY();
	return (argc == 1);
}
