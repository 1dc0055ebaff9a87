/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A program that makes system calls by instructions that did not exist when it
 * began: late_code KIND OBJECT.  It counts the calls of getppid that must
 * be traced, and prints the number; calls that must not be traced are getuid.
 */
#include <asm/prctl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <dlfcn.h>
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#define NTHREADS	8
#define NCALLS		200
#define NSIGNALS	40
#define NMANY		5000
#define ANSWER		4711

extern char **environ;

typedef long call(long number, long a, long b, long c, long d);

static call *outside;
static const char *object;
static long count;
static pid_t parent;

static void
check(bool right, const char *what)
{
	if (!right)
		errx(1, "wrong: %s", what);
}

/* Makes a call that must be traced. */
static void
seen(void)
{
	__atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
	check(outside(SYS_getppid, 0, 0, 0, 0) == parent, "getppid");
}

/* Makes a call that must not be traced, because SIGSYS is blocked. */
static void
unseen(void)
{
	check(outside(SYS_getuid, 0, 0, 0, 0) == (long)getuid(), "getuid");
}

static void
repeat(void)
{
	int i;

	for (i = 0; i < NCALLS; i++)
		seen();
}

static int
status_of(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) == -1)
		if (errno != EINTR)
			err(1, "waitpid");
	return (status);
}

/* ----------------------------------------------------------- made by itself */

/* call(), by the calling convention of C */
static const uint8_t code[] = {
	0x48, 0x89, 0xf8,		/* mov %rdi,%rax */
	0x48, 0x89, 0xf7,		/* mov %rsi,%rdi */
	0x48, 0x89, 0xd6,		/* mov %rdx,%rsi */
	0x48, 0x89, 0xca,		/* mov %rcx,%rdx */
	0x4d, 0x89, 0xc2,		/* mov %r8,%r10 */
	0x0f, 0x05,			/* syscall */
	0xc3				/* ret */
};

/* mov $64,%eax; int $0x80; ret: getppid, as programs of 32 bits call it */
static const uint8_t old_code[] = { 0xb8, 64, 0, 0, 0, 0xcd, 0x80, 0xc3 };

static uint8_t *
make(const uint8_t *bytes, size_t size, size_t n)
{
	uint8_t *p = mmap(NULL, n * size, PROT_READ | PROT_WRITE, MAP_PRIVATE |
	    MAP_ANONYMOUS, -1, 0);
	size_t i;

	if (p == MAP_FAILED)
		err(1, "mmap");
	for (i = 0; i < n; i++)
		memcpy(p + i * size, bytes, size);
	if (mprotect(p, n * size, PROT_READ | PROT_EXEC) == -1)
		err(1, "mprotect");
	return (p);
}

static void
made(void)
{
	outside = (call *)(uintptr_t)make(code, sizeof(code), 1);
	repeat();
}

/* Makes calls from more places than the provider distinguishes. */
static void
many(void)
{
	uint8_t *p = make(code, sizeof(code), NMANY);
	size_t i;

	for (i = 0; i < NMANY; i++) {
		outside = (call *)(uintptr_t)(p + i * sizeof(code));
		seen();
	}
}

static void
old(void)
{
	uint8_t *p = make(old_code, sizeof(old_code), 1);

	check(((int (*)(void))(uintptr_t)p)() == parent, "int $0x80");
	seen();
}

/* ------------------------------------------------------------------ threads */

static void *
run(void *unused)
{
	repeat();
	return (unused);
}

static void
threads(void)
{
	pthread_t threads[NTHREADS];
	int i;

	for (i = 0; i < NTHREADS; i++)
		if (pthread_create(&threads[i], NULL, run, NULL) != 0)
			errx(1, "pthread_create");
	for (i = 0; i < NTHREADS; i++)
		pthread_join(threads[i], NULL);
}

/* ------------------------------------------------------------------ signals */

static volatile sig_atomic_t handled;
static sigset_t all;

static void
install(int signal, void (*handler)(int), const sigset_t *mask, int flags)
{
	struct sigaction action = { .sa_handler = handler };

	action.sa_mask = *mask;
	action.sa_flags = flags;
	if (sigaction(signal, &action, NULL) == -1)
		err(1, "sigaction");
}

static void
by_handler(int signal)
{
	(void)signal;
	seen();
	handled++;
}

static void *
send(void *to)
{
	int i, status;

	for (i = 0; i < NSIGNALS; i++) {
		status = pthread_kill(*(pthread_t *)to, SIGUSR1);
		check(status == 0, "pthread_kill");
		seen();
		while (handled <= i)
			sched_yield();
	}
	return (NULL);
}

/* Makes calls in handlers that block all signals and interrupt calls. */
static void
signals(void)
{
	pthread_t self = pthread_self(), thread;
	stack_t stack = { .ss_size = 1 << 16 };

	stack.ss_sp = malloc(stack.ss_size);
	if (stack.ss_sp == NULL || sigaltstack(&stack, NULL) == -1)
		err(1, "sigaltstack");
	install(SIGUSR1, by_handler, &all, SA_RESTART | SA_ONSTACK);
	if (pthread_create(&thread, NULL, send, &self) != 0)
		errx(1, "pthread_create");
	repeat();
	while (handled < NSIGNALS)
		unseen();
	pthread_join(thread, NULL);
}

/* --------------------------------------------------------- little of stack */

#define LITTLE	640u	/* bytes: a routine of Go's has some more */
#define PAGE	4096u

long	call_on(void *stack, call *, long number);

__asm__(".text\n"
    "call_on: .cfi_startproc\n"
    " push %rbp\n .cfi_def_cfa_offset 16\n .cfi_offset rbp, -16\n"
    " mov %rsp, %rbp\n .cfi_def_cfa_register rbp\n"
    " mov %rdi, %rsp\n mov %rdx, %rdi\n call *%rsi\n"
    " leave\n .cfi_def_cfa rsp, 8\n ret\n .cfi_endproc\n");

static void
repeat_on(uint8_t *stack)
{
	int i;

	for (i = 0; i < NCALLS; i++) {
		count++;
		check(call_on(stack, outside, SYS_getppid) == parent,
		    "getppid");
		check(handled == i, "no signal");
		raise(SIGUSR1);
	}
}

static void
interrupted(int signal)
{
	(void)signal;
	handled++;
	seen();
}

/*
 * Makes calls on stacks of the program's own, with an unmapped page next to
 * them.  Handlers run on another stack, and make calls, too.
 */
static void
little(void)
{
	stack_t stack = { .ss_size = 1 << 16 };
	uint8_t *pages = mmap(NULL, 2 * PAGE, PROT_NONE, MAP_PRIVATE |
	    MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED ||
	    mprotect(pages + PAGE, PAGE, PROT_READ | PROT_WRITE) == -1)
		err(1, "mmap");
	stack.ss_sp = malloc(stack.ss_size);
	if (stack.ss_sp == NULL || sigaltstack(&stack, NULL) == -1)
		err(1, "sigaltstack");
	install(SIGUSR1, interrupted, &all, SA_RESTART | SA_ONSTACK);
	repeat_on(pages + PAGE + LITTLE);
}

/* -------------------------------------------------------------------- areas */

#define AREA	8192u		/* bytes, half of them below the pointer */
#define PATTERN	0x55

static uint8_t area[AREA];

/* Makes a call by an instruction that existed at the start. */
static __attribute__((noinline)) long
inside(long number, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	long result;

	__asm__ volatile ("syscall; nopl 0(%%rax)" : "=a" (result) :
	    "a" (number), "D" (a), "S" (b), "d" (c), "r" (r10) :
	    "rcx", "r11", "memory", "cc");
	return (result);
}

static void
check_area(void)
{
	size_t i;

	for (i = 0; i < AREA; i++)
		check(area[i] == PATTERN, "another's data");
}

/* Makes no other calls while the thread has another area. */
static void
with_area(call *way, long address)
{
	long old, set, user[2], back_again;

	check(way(SYS_arch_prctl, ARCH_GET_FS, (long)&old, 0, 0) == 0, "get");
	set = way(SYS_arch_prctl, ARCH_SET_FS, address, 0, 0);
	user[0] = inside(SYS_getuid, 0, 0, 0, 0);
	user[1] = outside(SYS_getuid, 0, 0, 0, 0);
	back_again = way(SYS_arch_prctl, ARCH_SET_FS, old, 0, 0);
	check(set == 0 && back_again == 0, "set");
	check(user[0] == user[1] && user[0] == (long)getuid(), "getuid");
}

static int
child(void *unused)
{
	(void)unused;
	return ((int)inside(SYS_exit, inside(SYS_getuid, 0, 0, 0, 0) < 0, 0,
	    0, 0));
}

static void
clone_with_area(void)
{
	uint8_t *stack = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t pid = clone(child, stack + (1 << 16), CLONE_VM | CLONE_SETTLS |
	    SIGCHLD, NULL, NULL, area + AREA / 2, NULL);

	check(pid > 0 && status_of(pid) == 0, "clone");
}

/* Threads have areas that are not the C library's, for a while. */
static void
areas(void)
{
	memset(area, PATTERN, AREA);
	seen();
	clone_with_area();
	with_area(inside, (long)area + AREA / 2);
	with_area(inside, 0);
	with_area(outside, (long)area + AREA / 2);
	check_area();
	count++;
	check(inside(SYS_getppid, 0, 0, 0, 0) == parent, "getppid");
	threads();
}

/* -------------------------------------------------------------------- masks */

static sigjmp_buf back;

static void
blocked_handler(int signal)
{
	(void)signal;
	unseen();
	handled++;
}

static void
unblocking_handler(int signal)
{
	(void)signal;
	sigprocmask(SIG_UNBLOCK, &all, NULL);
	seen();
}

static void
leaving_handler(int signal)
{
	(void)signal;
	unseen();
	siglongjmp(back, 1);
}

static int
by_ppoll(const sigset_t *mask)
{
	return (ppoll(NULL, 0, NULL, mask));
}

static int
by_pselect(const sigset_t *mask)
{
	return (pselect(0, NULL, NULL, NULL, NULL, mask));
}

static int
by_epoll(const sigset_t *mask)
{
	struct epoll_event event;
	int fd = epoll_create1(EPOLL_CLOEXEC);
	int n = epoll_pwait(fd, &event, 1, -1, mask);
	int saved = errno;

	close(fd);
	errno = saved;
	return (n);
}

/* A signal arrives during a wait with a mask that allows it. */
static void
wait_by(int (*wait)(const sigset_t *), const sigset_t *mask)
{
	sigset_t one;

	sigemptyset(&one);
	sigaddset(&one, SIGUSR1);
	sigprocmask(SIG_BLOCK, &one, NULL);
	raise(SIGUSR1);
	check(wait(mask) == -1 && errno == EINTR, "interrupted");
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	seen();
}

static void
waits(void)
{
	static int (*const ways[])(const sigset_t *) = {
		sigsuspend, by_ppoll, by_pselect, by_epoll
	};
	sigset_t empty, most = all;
	size_t i;

	sigemptyset(&empty);
	sigdelset(&most, SIGUSR1);
	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		install(SIGUSR1, by_handler, &all, 0);
		wait_by(ways[i], &empty);
		install(SIGUSR1, blocked_handler, &empty, 0);
		wait_by(ways[i], &most);
	}
	check(syscall(SYS_rt_sigsuspend, 8, 8) == -1 && errno == EFAULT,
	    "sigsuspend");
	install(SIGUSR1, leaving_handler, &empty, 0);
	if (sigsetjmp(back, 1) == 0)
		wait_by(sigsuspend, &most);
	sigprocmask(SIG_UNBLOCK, &all, NULL);
	seen();
}

static void
masks(void)
{
	struct sigaction action;
	sigset_t set, was;

	sigprocmask(SIG_BLOCK, &all, &set);
	unseen();
	sigprocmask(SIG_SETMASK, &set, &was);
	check(sigismember(&was, SIGSYS) == 1, "blocked");
	seen();

	/* The object changes the mask by an instruction of its own. */
	check(outside(SYS_rt_sigprocmask, SIG_BLOCK, (long)&all, 0, 8) == 0,
	    "rt_sigprocmask");
	unseen();
	sigprocmask(SIG_UNBLOCK, &all, NULL);
	seen();
	check(outside(SYS_rt_sigprocmask, SIG_BLOCK, 8, 0, 8) == -EFAULT,
	    "rt_sigprocmask");
	seen();

	/* sigaction(2) returns handlers with the mask that was set for them. */
	install(SIGUSR1, by_handler, &all, 0);
	check(sigaction(SIGUSR1, NULL, &action) == 0 &&
	    action.sa_handler == by_handler &&
	    sigismember(&action.sa_mask, SIGSYS) == 1, "sa_mask");
	raise(SIGUSR1);
	check(handled == 1, "handled");

	/* A pending signal arrives as soon as it is unblocked. */
	sigprocmask(SIG_BLOCK, &all, &set);
	raise(SIGUSR1);
	sigprocmask(SIG_SETMASK, &set, NULL);
	check(handled == 2, "handled at once");
	check(syscall(SYS_rt_sigaction, SIGUSR1, 8, NULL, 8) == -1 &&
	    errno == EFAULT, "sigaction");
	check(syscall(SYS_rt_sigaction, SIGUSR1, NULL, 8, 8) == -1 &&
	    errno == EFAULT, "sigaction");

	/* A handler's changes to the mask are undone when it returns. */
	install(SIGUSR1, unblocking_handler, &all, 0);
	sigemptyset(&set);
	sigaddset(&set, SIGSYS);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGUSR1);
	unseen();
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	seen();
	waits();
}

/*
 * Checks whether a thread, started with all signals blocked, has them blocked.
 */
static void
check_blocked(bool is)
{
	sigset_t set;

	check(pthread_sigmask(SIG_BLOCK, NULL, &set) == 0 &&
	    sigismember(&set, SIGSYS) == is &&
	    sigismember(&set, SIGUSR1) == is, "blocked");
}

/* Unblocks signals like Go's run time at the start of a thread. */
static void *
unblock_outside(void *unused)
{
	sigset_t set, old;

	sigemptyset(&set);
	check_blocked(true);
	repeat();
	check(outside(SYS_rt_sigprocmask, SIG_SETMASK, (long)&set, (long)&old,
	    8) == 0 && sigismember(&old, SIGSYS) == 1, "rt_sigprocmask");
	check_blocked(false);
	repeat();
	return (unused);
}

/* A SIGSYS is pending until it is unblocked. */
static void *
wait_for_own(void *unused)
{
	sigset_t set;

	seen();
	pthread_kill(pthread_self(), SIGSYS);
	unseen();
	check_blocked(true);
	check(handled == 0 && sigpending(&set) == 0 &&
	    sigismember(&set, SIGSYS) == 1, "it waits");
	pthread_sigmask(SIG_UNBLOCK, &all, NULL);
	check(handled == 1, "it came");
	seen();
	return (unused);
}

/* A child inherits the mask that its thread began with. */
static void *
inherit(void *unused)
{
	pid_t pid;

	seen();
	pid = fork();
	if (pid == 0) {
		raise(SIGSYS);
		_exit(handled);
	}
	check(status_of(pid) == 0, "in a child");
	check_blocked(true);
	return (unused);
}

static void
handle_quietly(int signal)
{
	(void)signal;
	handled++;
}

static void
born(void)
{
	static void *(*const ways[])(void *) = {
		unblock_outside, inherit, wait_for_own
	};
	pthread_t thread;
	size_t i;

	signal(SIGSYS, handle_quietly);
	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		pthread_sigmask(SIG_BLOCK, &all, NULL);
		if (pthread_create(&thread, NULL, ways[i], NULL) != 0)
			errx(1, "pthread_create");
		pthread_sigmask(SIG_UNBLOCK, &all, NULL);
		pthread_join(thread, NULL);
	}
}

/* ------------------------------------------------------------------- SIGSYS */

static siginfo_t told;

/* Sets the result of a call that was trapped. */
static void
own(int signal, siginfo_t *info, void *context)
{
	ucontext_t *c = context;
	sigset_t set;

	(void)signal;
	told = *info;
	handled++;
	pthread_sigmask(SIG_BLOCK, NULL, &set);
	check(sigismember(&set, SIGUSR2) == 1, "the handler's mask");
	if (info->si_code > 0)
		c->uc_mcontext.gregs[REG_RAX] = ANSWER;
	else
		seen();
}

static void
install_own(int flags)
{
	struct sigaction action = { .sa_sigaction = own }, old;

	action.sa_flags = SA_SIGINFO | flags;
	sigaddset(&action.sa_mask, SIGUSR2);
	if (sigaction(SIGSYS, &action, NULL) == -1 ||
	    sigaction(SIGSYS, NULL, &old) == -1)
		err(1, "sigaction");
	check(old.sa_sigaction == own && (old.sa_flags & ~0x04000000) ==
	    action.sa_flags && sigismember(&old.sa_mask, SIGUSR2) == 1,
	    "the handler that is told");
}

static void
check_default(void)
{
	struct sigaction old;

	check(sigaction(SIGSYS, NULL, &old) == 0 &&
	    old.sa_handler == SIG_DFL, "the default");
}

/* In a child: a filter raises SIGSYS for getpgid. */
static void
trap(void)
{
	struct sock_filter filters[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpgid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
	};
	struct sock_fprog program = { 4, filters };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == -1)
		err(1, "filter");
	check(getpgid(0) == ANSWER && told.si_syscall == SYS_getpgid, "trap");
	check(outside(SYS_getpgid, 0, 0, 0, 0) == ANSWER, "trap outside");
	_exit(0);
}

/* In a child: a filter kills at a handler's return, so no handler may run. */
static void
filter(void)
{
	struct sock_filter filters[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
	};
	struct sock_fprog program = { 4, filters };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == -1)
		err(1, "filter");
	unseen();
	_exit(0);
}

static void *
wait_and_call(void *barrier)
{
	stack_t stack = { .ss_size = 1 << 16 };

	stack.ss_sp = malloc(stack.ss_size);
	if (stack.ss_sp == NULL || sigaltstack(&stack, NULL) == -1)
		err(1, "sigaltstack");
	seen();
	pthread_barrier_wait(barrier);
	pthread_barrier_wait(barrier);
	check(outside(SYS_getppid, 0, 0, 0, 0) == parent, "getppid");
	return (NULL);
}

/*
 * Installs a filter for another thread that kills for calls a fire would make.
 */
static void
synced(void)
{
	struct sock_filter filters[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sigaltstack, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
	};
	struct sock_fprog program = { 4, filters };
	pthread_barrier_t barrier;
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	if (pthread_create(&thread, NULL, wait_and_call, &barrier) != 0)
		errx(1, "pthread_create");
	pthread_barrier_wait(&barrier);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1 ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
	    SECCOMP_FILTER_FLAG_TSYNC, &program) != 0)
		err(1, "filter");
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
}

static void
die(void)
{
	signal(SIGSYS, SIG_DFL);
	raise(SIGSYS);
	_exit(0);
}

static int
in_child(void (*what)(void))
{
	pid_t pid = fork();

	if (pid == -1)
		err(1, "fork");
	if (pid == 0)
		what();
	return (status_of(pid));
}

static void
handlers(void)
{
	check_default();
	install_own(SA_RESTART);
	seen();
	raise(SIGSYS);
	seen();
	check(handled == 1 && told.si_code == SI_TKILL &&
	    told.si_pid == getpid(), "raise");
	check(in_child(trap) == 0, "the child with a filter");
	check(in_child(filter) == 0, "the child that is filtered");
	check(WTERMSIG(in_child(die)) == SIGSYS, "the child that dies");
	signal(SIGSYS, SIG_IGN);
	raise(SIGSYS);
	seen();
	check(handled == 1, "ignored");
	install_own((int)SA_RESETHAND);
	raise(SIGSYS);
	check(handled == 2, "once");
	check_default();
	seen();
}

/* set while the program dispatches its own calls */
static volatile uint8_t selector;

static void
dispatch(int signal, siginfo_t *info, void *context)
{
	ucontext_t *c = context;

	(void)signal;
	selector = 0;
	check(info->si_code == 2, "si_code");
	c->uc_mcontext.gregs[REG_RAX] = ANSWER;
}

static void
aside(void)
{
	struct sigaction action = { .sa_sigaction = dispatch };

	action.sa_flags = SA_SIGINFO;
	sigaction(SIGSYS, &action, NULL);
	seen();
	if (prctl(59, 1, 0, 0, &selector) == -1)
		err(1, "prctl");
	selector = 1;
	check(outside(SYS_getuid, 0, 0, 0, 0) == ANSWER, "dispatched");
	check(selector == 0, "selector");
	unseen();
}

/* ---------------------------------------------------------------- processes */

static pid_t self;

/*
 * Makes a child a target; its calls count, and its parent knows their number.
 */
static void
end_child(void)
{
	if (setsid() == -1)
		err(1, "setsid");
	parent = self;
	repeat();
	_exit(0);
}

static pid_t
fork_by_function(void)
{
	return (fork());
}

static pid_t
fork_by_number(void)
{
	return ((pid_t)syscall(SYS_fork));
}

static pid_t
fork_outside(void)
{
	return ((pid_t)outside(SYS_fork, 0, 0, 0, 0));
}

static pid_t
clone_outside(void)
{
	return ((pid_t)outside(SYS_clone, SIGCHLD, 0, 0, 0));
}

static void
forks(void)
{
	static pid_t (*const ways[])(void) = {
		fork_by_function, fork_by_number, fork_outside, clone_outside
	};
	size_t i;
	pid_t pid;

	self = getpid();
	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		pid = ways[i]();
		if (pid == -1)
			err(1, "fork");
		if (pid == 0)
			end_child();
		check(status_of(pid) == 0, "child");
		count += NCALLS;
		seen();
	}
}

/* Starts children that share memory, and changes their masks and handlers. */
static void
spawns(void)
{
	static char name[] = "/bin/true";
	char *argv[] = { name, NULL };
	posix_spawnattr_t attributes;
	pid_t pid;

	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &all);
	posix_spawnattr_setsigdefault(&attributes, &all);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK |
	    POSIX_SPAWN_SETSIGDEF);
	install_own(0);
	check(posix_spawn(&pid, name, NULL, &attributes, argv, environ) == 0 &&
	    status_of(pid) == 0, "posix_spawn");
	seen();
	pid = vfork();
	if (pid == -1)
		err(1, "vfork");
	if (pid == 0) {
		sigprocmask(SIG_BLOCK, &all, NULL);
		signal(SIGSYS, SIG_DFL);
		unseen();
		execve(name, argv, environ);
		_exit(1);
	}
	check(status_of(pid) == 0, "vfork");
	seen();
	raise(SIGSYS);
	check(handled == 1, "the handler is still there");
	check(WEXITSTATUS(system("exit 5")) == 5, "system");
	seen();
}

/*
 * Executes a new image, which begins without dispatching and with all signals
 * blocked.
 */
static void
exec(void)
{
	repeat();
	sigprocmask(SIG_BLOCK, &all, NULL);
	printf("and %ld\n", count);
	fflush(stdout);
	execl("/proc/self/exe", "late_code", "plain", object, NULL);
	err(1, "execl");
}

static void
plain(void)
{
	sigset_t set;

	sigprocmask(SIG_BLOCK, NULL, &set);
	if (sigismember(&set, SIGSYS) == 1)
		unseen();
	sigprocmask(SIG_UNBLOCK, &all, NULL);
	repeat();
}

static const struct {
	const char *name;
	void (*run)(void);
} kinds[] = {
	{ "areas", areas },
	{ "aside", aside },
	{ "born", born },
	{ "exec", exec },
	{ "forks", forks },
	{ "handlers", handlers },
	{ "little", little },
	{ "made", made },
	{ "many", many },
	{ "masks", masks },
	{ "old", old },
	{ "plain", plain },
	{ "signals", signals },
	{ "spawns", spawns },
	{ "synced", synced },
	{ "threads", threads }
};

static void
load(void)
{
	void *handle = dlopen(object, RTLD_NOW);

	if (handle == NULL)
		errx(1, "%s", dlerror());
	outside = (call *)(uintptr_t)dlsym(handle, "object_call");
	if (outside == NULL)
		errx(1, "%s", dlerror());
}

int
main(int argc, char **argv)
{
	size_t i;

	if (argc != 3)
		errx(2, "usage: late_code kind object");
	/* This call exists from the start, and counts. */
	parent = getppid();
	count = 1;
	sigfillset(&all);
	object = argv[2];
	load();
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(argv[1], kinds[i].name) == 0) {
			kinds[i].run();
			printf("and %ld\n", count);
			return (0);
		}
	errx(2, "%s: no such kind", argv[1]);
}
