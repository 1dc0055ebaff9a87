/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A program that makes a child without a fork handler, for
 * tests/system/bare_forks.sh:
 *
 *	bare_forks_target WAY [DESCRIPTOR]
 *
 * The parent fires bare:::forked with number 0, its child with number 1, and
 * the child's child, if WAY makes one, with number 2. Built with PLAIN, it has
 * no probes of its own: both close DESCRIPTOR, which is not open, and one more
 * than that.
 */
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <err.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef PLAIN
#define FIRE(number)	close(descriptor + number)
#else
#include <tbuf.h>
#define FIRE(number)	TBUF_PROBE(bare, forked, number)
#endif

static int descriptor;

static void
fire(int number)
{
	(void)descriptor;
	FIRE(number);
}

static int
child(void *unused)
{
	(void)unused;
	fire(1);
	_exit(0);
}

/* Calls no function of the C library. */
static pid_t
instruction(void)
{
#if defined(__x86_64__)
	register long r10 __asm__("r10") = 0, r8 __asm__("r8") = 0;
	long result = SYS_clone;

	__asm__ volatile("syscall" : "+a" (result) : "D" ((long)SIGCHLD),
	    "S" (0L), "d" (0L), "r" (r10), "r" (r8) : "rcx", "r11", "memory");
#else
	register long result __asm__("x0") = SIGCHLD;
	register long x1 __asm__("x1") = 0, x2 __asm__("x2") = 0;
	register long x3 __asm__("x3") = 0, x4 __asm__("x4") = 0;
	register long x8 __asm__("x8") = SYS_clone;

	__asm__ volatile("svc #0" : "+r" (result) : "r" (x1), "r" (x2),
	    "r" (x3), "r" (x4), "r" (x8) : "memory");
#endif
	return ((pid_t)result);
}

/* Waits for a child.  Returns true if it has exited with status 0. */
static bool
await(pid_t pid)
{
	int status;

	return (pid > 0 && waitpid(pid, &status, 0) == pid && status == 0);
}

/* Makes a child that has a child; both fire. */
static pid_t
twice(pid_t (*make)(void))
{
	pid_t pid = make();

	if (pid != 0)
		return (pid);
	fire(1);
	if ((pid = make()) != 0)
		_exit(await(pid) ? 0 : 1);
	fire(2);
	_exit(0);
}

/* Makes these while it is not dumpable, so that they cannot be targets. */
static pid_t
undumpable(void)
{
	pid_t pid;

	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	pid = twice(fork);
	(void)prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	return (pid);
}

/*
 * Makes a child on this stack, which overwrites all but the return address of
 * the function that made it.
 */
static pid_t
share(bool clone3)
{
	uint64_t args[8] = { CLONE_VM | CLONE_VFORK, [4] = SIGCHLD };
	pid_t pid = (pid_t)(clone3 ? syscall(SYS_clone3, args, sizeof(args)) :
	    syscall(SYS_clone, args[0] | SIGCHLD, 0, 0, 0, 0));

#if defined(__x86_64__)
	if (pid == 0)
		__asm__ volatile("lea -16(%%rsp), %%rdi; mov $60, %%ecx; std; "
		    "xor %%eax, %%eax; rep stosq; cld; mov %0, %%eax; "
		    "xor %%edi, %%edi; syscall" : : "i" (SYS_exit) :
		    "rax", "rcx", "rdi", "r11", "memory");
#endif
	return (pid);
}

static pid_t
make(const char *way)
{
	static _Alignas(16) char stack[32 << 10];
	uint64_t args[8] = { [4] = SIGCHLD };

	if (strcmp(way, "fork") == 0)
		return (fork());
	if (strcmp(way, "_Fork") == 0)
		return (_Fork());
	if (strcmp(way, "clone") == 0)
		return (clone(child, stack + sizeof(stack), SIGCHLD, NULL));
	if (strcmp(way, "SYS_clone") == 0)
		return ((pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
	if (strcmp(way, "SYS_clone3") == 0)
		return ((pid_t)syscall(SYS_clone3, args, sizeof(args)));
#ifdef SYS_fork
	if (strcmp(way, "SYS_fork") == 0)
		return ((pid_t)syscall(SYS_fork));
#endif
	if (strcmp(way, "shared") == 0)
		return (share(false));
	if (strcmp(way, "shared3") == 0)
		return (share(true));
	if (strcmp(way, "instruction") == 0)
		return (instruction());
	if (strcmp(way, "instructions") == 0)
		return (twice(instruction));
	if (strcmp(way, "undumpable") == 0)
		return (undumpable());
	errx(99, "%s: not a way", way);
}

int
main(int argc, char **argv)
{
	pid_t pid;

	if (argc < 2)
		errx(99, "an argument is missing");
	descriptor = argc > 2 ? atoi(argv[2]) : 0;
	fire(0);
	pid = make(argv[1]);
	if (pid == 0)
		child(NULL);
	if (!await(pid))
		err(99, "%s", argv[1]);
	return (0);
}
