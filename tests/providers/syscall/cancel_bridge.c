/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Cancellable calls as in newer C libraries (glibc 2.41): one function makes
 * them, and a signal handler checks whether the thread is in it.  The program
 * makes 1,000 getppid, a close that fails, and a read that waits until a
 * handler has found it there; then a getppid that is cancelled before it is
 * made.
 */
#include <sys/syscall.h>

#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

#define CANCELLED	8u
#define NCALLS		1000
#define SIGNALS_MAX	10000

long	bridge(unsigned *flags, long number, long a, long b, long c, long d,
	    long e, long f);
extern const char bridge_end[];

__asm__(
    ".text\n"
    ".type bridge, @function\n"
    "bridge:\n\t"
    ".cfi_startproc\n\t"
    "mov (%rdi), %eax\n\t"
    "testb $8, (%rdi)\n\t"
    "jne 1f\n\t"
    "mov %rdi, %r11\n\t"
    "mov %rsi, %rax\n\t"
    "mov %rdx, %rdi\n\t"
    "mov %rcx, %rsi\n\t"
    "mov %r8, %rdx\n\t"
    "mov %r9, %r10\n\t"
    "mov 8(%rsp), %r8\n\t"
    "mov 16(%rsp), %r9\n\t"
    "mov %r11, 8(%rsp)\n\t"
    "syscall\n"
    "bridge_end:\n\t"
    "ret\n"
    "1:\n\t"
    "mov $-125, %rax\n\t"	/* -ECANCELED */
    "ret\n\t"
    ".cfi_endproc\n\t"
    ".size bridge, . - bridge\n"
);

static unsigned flags;
static atomic_bool found;

static __attribute__((noinline)) long
call(long number, long a, long b, long c)
{
	return (bridge(&flags, number, a, b, c, 0, 5, 6));
}

static void
look(int number, siginfo_t *info, void *context)
{
	const ucontext_t *c = context;
	uintptr_t pc = (uintptr_t)c->uc_mcontext.gregs[REG_RIP];

	(void)number;
	(void)info;
	if (pc >= (uintptr_t)bridge && pc < (uintptr_t)bridge_end)
		found = true;
}

static void *
wait_for(void *fd)
{
	char byte;

	if (call(SYS_read, *(int *)fd, (long)&byte, 1) != 1)
		errx(1, "read");
	return (NULL);
}

int
main(void)
{
	struct sigaction action = { .sa_sigaction = look,
	    .sa_flags = SA_SIGINFO | SA_RESTART };
	pthread_t thread;
	int fds[2], i;

	for (i = 0; i < NCALLS; i++)
		if (call(SYS_getppid, 1, 2, 3) != getppid())
			errx(1, "getppid");
	if (call(SYS_close, 4711, 0, 0) != -EBADF)
		errx(1, "close");
	if (sigaction(SIGUSR1, &action, NULL) == -1 || pipe(fds) == -1 ||
	    pthread_create(&thread, NULL, wait_for, fds) != 0)
		err(1, "begin");
	for (i = 0; i < SIGNALS_MAX && !found; i++) {
		pthread_kill(thread, SIGUSR1);
		usleep(100);
	}
	if (write(fds[1], "", 1) != 1 || pthread_join(thread, NULL) != 0)
		err(1, "end");
	flags = CANCELLED;
	if (call(SYS_getppid, 0, 0, 0) != -ECANCELED)
		errx(1, "not cancelled");
	if (!found)
		errx(1, "the thread is not where it makes the call");
	return (0);
}
