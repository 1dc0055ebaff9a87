/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Interposes _Fork(3) and syscall(2) for children that run no fork handler:
 * they become targets as those of fork(3) do.  As in interpose_vfork.c, a
 * preloaded provider has these functions, too; those of the C library are found
 * by dlsym(3), so that a static program has neither.
 */
#include "base/optimize_size.h"

#include <sys/syscall.h>

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdint.h>

#include "arch/syscall.h"
#include "target/provider.h"

#ifdef SYS_fork
#define FORK	SYS_fork
#else
#define FORK	(-1)
#endif

/* struct clone_args of clone3(2): its least size, and the word of the stack. */
#define CLONE3_SIZE	64
#define CLONE3_STACK	5

#ifdef PIC
typedef long call(long number, long first, long second, long third, long fourth,
    long fifth, long sixth);

static call *real_syscall;
static pid_t (*real_fork)(void);

/* The function syscall(), which is declared with variable arguments. */
__attribute__((visibility("default")))
call	interposed_syscall __asm__("syscall");

/*
 * Runs in the constructor, as dlsym(3) may wait for a lock in a forked child;
 * or before it, if another constructor calls one of these functions.
 */
static void
look_up(void)
{
	real_syscall = (call *)dlsym(RTLD_NEXT, "syscall");
	real_fork = (pid_t (*)(void))dlsym(RTLD_NEXT, "_Fork");
}

/*
 * Where another object comes first, as a preloaded provider does, the C library
 * may come before this object, too: dlsym(3) would fail, for which it calls
 * malloc(3).
 */
__attribute__((constructor(101)))
static void
begin(void)
{
	if (dlsym(RTLD_DEFAULT, "syscall") == (void *)interposed_syscall)
		look_up();
}

/*
 * Returns true for a system call that may create a child which goes on here,
 * with a copy of this stack.  A child that shares its parent's stack would
 * overwrite the frame of forking_syscall(), and one with a stack of its own has
 * no such frame.  clone3(2) with other arguments fails, or is of a program that
 * asks if there is that call.
 */
static bool
copies(long number, long first, long second)
{
	const uint64_t *clone3 = (const uint64_t *)(uintptr_t)first;

	if (number == SYS_clone)
		return ((first & (CLONE_VM | CLONE_SETTLS)) == 0 &&
		    second == 0);
	if (number == SYS_clone3)
		return (clone3 != NULL && second >= CLONE3_SIZE &&
		    (*clone3 & (CLONE_VM | CLONE_SETTLS)) == 0 &&
		    clone3[CLONE3_STACK] == 0);
	return (number == FORK);
}

static long
forking_syscall(long number, long first, long second, long third, long fourth,
    long fifth, long sixth)
{
	long result;

	tbuf_fork_begin();
	result = real_syscall(number, first, second, third, fourth, fifth,
	    sixth);
	tbuf_fork_end(result == 0);
	return (result);
}

/* As in a C library, this reads all arguments that there can be. */
long
interposed_syscall(long number, long first, long second, long third,
    long fourth, long fifth, long sixth)
{
	if (real_syscall == NULL)
		look_up();
	return ((copies(number, first, second) ? forking_syscall : real_syscall)
	    (number, first, second, third, fourth, fifth, sixth));
}

__attribute__((visibility("default")))
pid_t
_Fork(void)
{
	pid_t pid;

	if (real_fork == NULL)
		look_up();
	tbuf_fork_begin();
	pid = real_fork();
	tbuf_fork_end(pid == 0);
	return (pid);
}

/*
 * The function syscall() for libtbuf itself, by the linker's option --wrap: the
 * one above may not find the C library's.
 */
__attribute__((visibility("hidden"), used))
long	__wrap_syscall(long number, long first, long second, long third,
	    long fourth, long fifth);

long
__wrap_syscall(long number, long first, long second, long third, long fourth,
    long fifth)
{
	long result = raw_call(number, first, second, third, fourth, fifth);

	if ((unsigned long)result <= -4096UL)
		return (result);
	errno = (int)-result;
	return (-1);
}
#endif
