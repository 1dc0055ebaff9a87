/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A program that makes known numbers of system calls, by the C library's
 * functions: calls KIND.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <dlfcn.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

#define NTHREADS	8
#define NCALLS		1000

static void *
call(void *unused)
{
	int i;

	for (i = 0; i < NCALLS; i++)
		(void)getppid();
	return (unused);
}

/*
 * Calls getppid 8,000 times in threads, and 1,000 times by a number in a
 * register.
 */
static void
threads(void)
{
	pthread_t threads[NTHREADS];
	int i;

	for (i = 0; i < NTHREADS; i++)
		if (pthread_create(&threads[i], NULL, call, NULL) != 0)
			errx(1, "pthread_create");
	for (i = 0; i < NTHREADS; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < NCALLS; i++)
		(void)syscall(SYS_getppid);
}

/* Makes calls that fail and calls that succeed, and checks errno. */
static void
errors(void)
{
	char byte = 0;
	int fd;

	errno = 0;
	if (open("/nowhere/at/all", O_RDONLY) != -1 || errno != ENOENT)
		errx(1, "open: %s", strerror(errno));
	if (open((const char *)8, O_RDONLY) != -1 || errno != EFAULT)
		errx(1, "open: %s", strerror(errno));
	/* The flags are checked before the path is read. */
	if (open((const char *)8, O_TMPFILE, 0) != -1 || errno != EINVAL)
		errx(1, "open: %s", strerror(errno));
	errno = 4711;
	if ((fd = open("/dev/null", O_RDWR)) == -1 || errno != 4711)
		errx(1, "open: %s", strerror(errno));
	if (write(fd, &byte, 1) != 1 || close(fd) != 0)
		errx(1, "write: %s", strerror(errno));
	if (close(4711) != -1 || errno != EBADF)
		errx(1, "close: %s", strerror(errno));
}

#define PAGE	4096
#define LONG	3990

/*
 * Opens paths with the last byte at the end of a page, before an unmapped one.
 */
static void
paths(void)
{
	char *pages = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *last = pages + 2 * PAGE - sizeof("/dev/null"), *p;

	if (pages == MAP_FAILED || munmap(pages + 2 * PAGE, PAGE) == -1)
		err(1, "mmap");
	strcpy(last, "/dev/null");
	close(open(last, O_RDWR));
	for (p = last; p > last - LONG; p -= 2)
		memcpy(p - 2, "/.", 2);
	close(open(p, O_RDWR));
}

/* Makes a call that overwrites its own path. */
static void
gone(void)
{
	int fd = memfd_create("path", 0);
	char *path;

	if (fd == -1 || ftruncate(fd, PAGE) == -1)
		err(1, "memfd_create");
	path = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (path == MAP_FAILED)
		err(1, "mmap");
	snprintf(path, PAGE, "/proc/self/fd/%d", fd);
	if (truncate(path, 0) == -1)
		err(1, "truncate");
}

/* Kills the process, from here on, for reading memory by a system call. */
static void
filter(bool by_number)
{
	struct sock_filter filters[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
	};
	struct sock_fprog program = { 4, filters };

	close(open("/dev/zero", O_RDWR));
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1 || (by_number ?
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) :
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) == -1)
		err(1, "filter");
	close(open("/dev/null", O_RDWR));
}

static void
filters(void)
{

	filter(false);
}

static void
filters_exec(void)
{

	filter(false);
	(void)execl("/proc/self/exe", "calls", "errors", NULL);
}

static void
filters_number(void)
{

	filter(true);
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

static void *
spawn(void *unused)
{
	static char name[] = "/bin/true";
	char *argv[] = { name, NULL };
	pid_t pid;
	FILE *p;
	int i;

	for (i = 0; i < 10; i++) {
		if (posix_spawn(&pid, name, NULL, NULL, argv, environ) != 0)
			errx(1, "posix_spawn");
		if (status_of(pid) != 0)
			errx(1, "true has failed");
		if ((p = popen("exit 3", "r")) == NULL)
			err(1, "popen");
		if (WEXITSTATUS(pclose(p)) != 3)
			errx(1, "pclose");
		(void)getppid();
	}
	return (unused);
}

/* Starts 10 children each by spawn in two threads, and 10 by popen. */
static void
spawns(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, spawn, NULL) != 0)
		errx(1, "pthread_create");
	spawn(NULL);
	pthread_join(thread, NULL);
	if (WEXITSTATUS(system("exit 5")) != 5)
		errx(1, "system");
}

/*
 * Makes 10,000 calls in a thread that has shared its memory with a child
 * before: too many for the lanes of threads that share memory.
 */
static void
spawned(void)
{
	static char name[] = "/bin/true";
	char *argv[] = { name, NULL };
	pid_t pid;
	int i;

	if (posix_spawn(&pid, name, NULL, NULL, argv, environ) != 0)
		errx(1, "posix_spawn");
	if (status_of(pid) != 0)
		errx(1, "true has failed");
	for (i = 0; i < 10; i++)
		call(NULL);
}

/*
 * Starts 50 children that make some 60 calls each before exec: too many for the
 * lanes of threads that share memory.
 */
static void
spawned_long(void)
{
	static char name[] = "/bin/true";
	char *argv[] = { name, NULL };
	posix_spawnattr_t attributes;
	sigset_t all;
	pid_t pid;
	int i;

	sigfillset(&all);
	if (posix_spawnattr_init(&attributes) != 0 ||
	    posix_spawnattr_setsigdefault(&attributes, &all) != 0 ||
	    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF) != 0)
		errx(1, "posix_spawnattr");
	for (i = 0; i < 50; i++) {
		if (posix_spawn(&pid, name, NULL, &attributes, argv,
		    environ) != 0)
			errx(1, "posix_spawn");
		if (status_of(pid) != 0)
			errx(1, "true has failed");
	}
}

/* Makes 10 children by vfork, each of which makes a call. */
static void
vforks(void)
{
	volatile int i;
	pid_t pid;

	for (i = 0; i < 10; i++) {
		pid = vfork();
		if (pid == -1)
			err(1, "vfork");
		if (pid == 0) {
			(void)getppid();
			_exit(i);
		}
		if (WEXITSTATUS(status_of(pid)) != i)
			errx(1, "another status");
	}
}

/* Some processors have no call named fork. */
static pid_t
fork_by_number(void)
{
#ifdef SYS_fork
	return ((pid_t)syscall(SYS_fork));
#else
	return ((pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
#endif
}

/* Makes a child that runs no fork handlers and starts a session of its own. */
static void
session(void)
{
	pid_t pid = fork_by_number();

	if (pid == 0) {
		(void)getppid();
		if (setsid() == -1)
			err(1, "setsid");
		(void)getppid();
		_exit(0);
	}
	if (pid == -1 || status_of(pid) != 0)
		err(1, "fork");
}

static volatile sig_atomic_t handled;

static void
handler(int signal)
{

	(void)signal;
	(void)getppid();
	handled++;
}

/* Makes 1,000 calls in a handler that interrupts others. */
static void
signals(void)
{
	struct sigaction action = { .sa_handler = handler };
	int i;

	sigaction(SIGUSR1, &action, NULL);
	for (i = 0; i < NCALLS; i++)
		raise(SIGUSR1);
	if (handled != NCALLS)
		errx(1, "%d signals", (int)handled);
}

/* Enters strict mode, in which reading a clock kills. */
static void
strict(void)
{

	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == -1)
		err(1, "prctl");
	(void)write(STDOUT_FILENO, "", 0);
	(void)syscall(SYS_exit, 3);
}

#define INDEX	8	/* of words in struct tbuf_site */

/*
 * Registers a probe as the provider's, and one with another type, with the
 * library that the provider has brought: tbuf_probe_register() of tbuf.h, a
 * header that would need the library at once.
 */
static void
same(void)
{
	static uint64_t sites[2][16];
	const char *const names[] = { "fd", "buf", "count" };
	unsigned types[] = { 3, 13, 8 };	/* of enum tbuf_type */
	int (*add)(uint64_t *, const char *, const char *, const char *,
	    const char *, unsigned, const unsigned *, const char *const *);
	unsigned i;

	*(void **)&add = dlsym(RTLD_DEFAULT, "tbuf_probe_register");
	for (i = 0; i < 2; i++, types[0] = 4)
		if (add == NULL || add(sites[i], "syscall", "", "read",
		    "entry", 3, types, names) != 0)
			errx(1, "no probe");
	/* The first one would be new, too, directly before the other. */
	if (((uint32_t *)sites[0])[INDEX] + 1 == ((uint32_t *)sites[1])[INDEX])
		errx(1, "a new probe");
}

static const struct {
	const char *name;
	void (*run)(void);
} kinds[] = {
	{ "errors", errors },
	{ "filter", filters },
	{ "filter-exec", filters_exec },
	{ "filter-number", filters_number },
	{ "gone", gone },
	{ "paths", paths },
	{ "same", same },
	{ "session", session },
	{ "signals", signals },
	{ "spawned", spawned },
	{ "spawned-long", spawned_long },
	{ "spawns", spawns },
	{ "strict", strict },
	{ "threads", threads },
	{ "vforks", vforks }
};

int
main(int argc, char **argv)
{
	size_t i;

	for (i = 0; argc == 2 && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(argv[1], kinds[i].name) == 0) {
			kinds[i].run();
			return (0);
		}
	errx(2, "usage: calls kind");
}
