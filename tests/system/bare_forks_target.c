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
 * than that.  With the way `facts' the processes print their facts: pid,
 * parent, process group, session, terminal, and 1 if their control file is
 * mapped by its name.
 */
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
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

/* Returns true if /proc shows the window with its control file, by name. */
static bool
is_mapped(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[600], name[32];
	bool found = false;

	if (f == NULL)
		err(99, "/proc/self/maps");
	snprintf(name, sizeof(name), "/tbuf.%d.", getpid());
	while (!found && fgets(line, sizeof(line), f) != NULL)
		found = strstr(line, " rw-s ") != NULL &&
		    strstr(line, name) != NULL;
	fclose(f);
	return (found);
}

/* Prints the facts of this process before it changes any. */
static void
facts(void)
{
	FILE *f = fopen("/proc/self/stat", "re");
	int terminal;

	if (f == NULL || fscanf(f, "%*d (%*[^)]) %*c %*d %*d %*d %d",
	    &terminal) != 1)
		err(99, "/proc/self/stat");
	fclose(f);
	printf("%d %d %d %d %d %d\n", getpid(), getppid(), getpgrp(),
	    getsid(0), terminal, is_mapped());
	fflush(stdout);
	fire(1);
}

/* Forks a child that prints its facts, and another one if `next' is not 0. */
static bool
fork_facts(int next)
{
	pid_t pid = fork();

	if (pid != 0)
		return (await(pid));
	facts();
	_exit(next == 0 || fork_facts(next - 1) ? 0 : 1);
}

/* Gets a controlling terminal.  Returns false if there is no pty. */
static bool
terminal(void)
{
	int pty = posix_openpt(O_RDWR | O_NOCTTY);

	return (pty != -1 && grantpt(pty) == 0 && unlockpt(pty) == 0 &&
	    open(ptsname(pty), O_RDWR) != -1);
}

/*
 * Makes children of a process before and after it has a process group, a
 * session, and a terminal of its own; the last child is the one that gets them.
 * A process that was executed as the leader of a session can get a terminal at
 * once.  Most of the first children get the files of ones before them.
 */
static pid_t
facts_of_all(void)
{
	bool leads = getsid(0) == getpid();
	pid_t pid;
	int i;

	for (i = 0; i < 50; i++)
		if (!fork_facts(0))
			_exit(1);
	if (!fork_facts(1) || (leads ? !terminal() : setpgid(0, 0) != 0) ||
	    !fork_facts(1))
		_exit(1);
	if ((pid = fork()) != 0)
		return (pid);
	facts();
	if (setsid() == -1 || !fork_facts(2) ||
	    (terminal() && !fork_facts(2)))
		_exit(1);
	_exit(0);
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
	if (strcmp(way, "facts") == 0)
		return (facts_of_all());
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
