/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Calls after which the stack is different, each by an instruction of the
 * program's own with the number in a register.
 */
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STACK	65536u

long	vfork_and_spoil(long number, int status);
long	clone_onto(long number, long flags, void *stack);
long	unmap_own(long number, void *stack, size_t size);
void	end_handler(void);

__asm__(".text\n"
    /* The child overwrites all memory below its parent's frame. */
    "vfork_and_spoil: .cfi_startproc\n"
    " mov %rsi, %r8\n mov %rdi, %rax\n nopl 0(%rax)\n syscall\n"
    " nopl 0(%rax)\n test %rax, %rax\n jnz 1f\n"
    " lea -2048(%rsp), %rdi\n mov $2048, %ecx\n mov $-1, %al\n rep stosb\n"
    " sub $4096, %rsp\n mov %r8, %rdi\n mov $231, %eax\n syscall\n"
    "1: ret\n .cfi_endproc\n"
    /* The child's status is the number that it finds on its stack. */
    "clone_onto: .cfi_startproc\n"
    " mov %rdi, %rax\n mov %rsi, %rdi\n mov %rdx, %rsi\n xor %edx, %edx\n"
    " xor %r10d, %r10d\n xor %r8d, %r8d\n nopl 0(%rax)\n syscall\n"
    " nopl 0(%rax)\n test %rax, %rax\n jnz 1f\n"
    " mov (%rsp), %rdi\n mov $231, %eax\n syscall\n"
    "1: ret\n .cfi_endproc\n"
    "unmap_own: .cfi_startproc\n"
    " mov %rsp, %r8\n lea (%rsi,%rdx), %rsp\n mov %rdi, %rax\n"
    " mov %rsi, %rdi\n mov %rdx, %rsi\n nopl 0(%rax)\n syscall\n"
    " nopl 0(%rax)\n mov %r8, %rsp\n ret\n .cfi_endproc\n"
    /* Returns from a signal handler (rt_sigreturn). */
    "end_handler: .cfi_startproc\n"
    " mov $15, %edx\n mov %edx, %eax\n nopl 0(%rax)\n syscall\n"
    " nopl 0(%rax)\n hlt\n .cfi_endproc\n");

static int
status_of(long pid)
{
	int status;

	if (pid <= 0)
		errx(1, "no child: %ld", pid);
	while (waitpid((pid_t)pid, &status, 0) == -1)
		if (errno != EINTR)
			err(1, "waitpid");
	if (!WIFEXITED(status))
		errx(1, "a child has been killed: %#x", status);
	return (WEXITSTATUS(status));
}

static void *
new_stack(void)
{
	void *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (stack == MAP_FAILED)
		err(1, "mmap");
	return (stack);
}

static volatile sig_atomic_t handled;

static void
handler(int signal)
{

	handled = signal;
}

/*
 * Installs a handler that returns through end_handler; the C library would use
 * its own restorer.
 */
static void
by_handler(void)
{
	struct {
		void (*handler)(int);
		unsigned long flags;
		void (*restorer)(void);
		unsigned long mask;
	} action = { handler, 0x04000000, end_handler, 0 };

	if (syscall(SYS_rt_sigaction, SIGUSR1, &action, NULL, 8) != 0)
		err(1, "rt_sigaction");
	raise(SIGUSR1);
	if (handled != SIGUSR1)
		errx(1, "no signal");
}

int
main(void)
{
	void *stack = new_stack();
	uint64_t *top = (uint64_t *)((uintptr_t)stack + STACK / 2);

	*top = 7;
	if (status_of(vfork_and_spoil(SYS_vfork, 5)) != 5)
		errx(1, "vfork: another status");
	if (status_of(clone_onto(SYS_clone, SIGCHLD, top)) != 7)
		errx(1, "clone: another status");
	if (status_of(clone_onto(SYS_clone, CLONE_VM | SIGCHLD, top)) != 7)
		errx(1, "clone of memory: another status");
	by_handler();
	if (unmap_own(SYS_munmap, stack, STACK) != 0)
		errx(1, "munmap");
	return (0);
}
