/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The libc provider: fork, exec, spawn and exit.
 *
 * An exec that succeeds does not return, so its path is never recorded as a
 * string; the return of a spawn records it.
 *
 * exec and _exit also run in children of vfork.  Their wrappers leave no state
 * in memory, which is the parent's.
 *
 * vfork, clone, _Fork, syscall, daemon and setsid have no probes.  This object
 * defines them because libtbuf's definitions come after the C library's in the
 * order of search; the first four are those of target/process/interpose_*.c.
 */
#include "libc.h"

#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#define FUNCTIONS	PROCESS_FUNCTIONS

LIBC_FAMILY(tbuf_libc_process)

WRAPPER(pid_t, fork, (void), (), (0), OR_ERRNO)

WRAPPER(int, execve, (const char *path, char *const argv[], char *const envp[]),
    (path, argv, envp), (ADDRESS(path), ADDRESS(argv), ADDRESS(envp)), OR_ERRNO)

WRAPPER(int, execv, (const char *path, char *const argv[]), (path, argv),
    (ADDRESS(path), ADDRESS(argv)), OR_ERRNO)

WRAPPER(int, execvp, (const char *file, char *const argv[]), (file, argv),
    (ADDRESS(file), ADDRESS(argv)), OR_ERRNO)

WRAPPER(int, execvpe, (const char *file, char *const argv[],
    char *const envp[]), (file, argv, envp), (ADDRESS(file), ADDRESS(argv),
    ADDRESS(envp)), OR_ERRNO)

WRAPPER(int, fexecve, (int fd, char *const argv[], char *const envp[]), (fd,
    argv, envp), (fd, ADDRESS(argv), ADDRESS(envp)), OR_ERRNO)

/* The declaration of glibc since 2.34. */
int	execveat(int dirfd, const char *path, char *const argv[],
	    char *const envp[], int flags);

WRAPPER(int, execveat, (int dirfd, const char *path, char *const argv[],
    char *const envp[], int flags), (dirfd, path, argv, envp, flags), (dirfd,
    ADDRESS(path), ADDRESS(argv), ADDRESS(envp), flags), OR_ERRNO)

/*
 * Counts the arguments of execl() and its kin after the first, without the
 * NULL.  The arguments cannot be passed on as they are: they become a vector
 * for the real function that takes one.
 */
static size_t
count(va_list list)
{
	size_t n = 0;

	while (va_arg(list, char *) != NULL)
		n++;
	return (n);
}

/* Fills argv, which has room for the first argument, n more, and NULL. */
static void
collect(char **argv, const char *arg, size_t n, va_list list)
{
	size_t i;

	argv[0] = (char *)(uintptr_t)arg;
	for (i = 1; i <= n + 1; i++)
		argv[i] = va_arg(list, char *);
}

/* Declares argv with the arguments after `arg`; `list` is after its NULL. */
#define COLLECT(arg)							\
	va_list list;							\
	size_t n;							\
	va_start(list, arg);						\
	n = count(list);						\
	va_end(list);							\
	char *argv[n + 2];						\
	va_start(list, arg);						\
	collect(argv, arg, n, list)

/* Calls the function that takes a vector, as if it were `name`. */
#define EXEC(name, called, path, ...) do {				\
	struct libc_function *f = &functions[FN_##name];		\
	typeof(called) *real;						\
	int result;							\
	if (quiet(f))							\
		return (REAL(called, &functions[FN_##called])(path,	\
		    __VA_ARGS__));					\
	real = tbuf_libc_real(&functions[FN_##called]);			\
	FIRE(f->entry, ADDRESS(path));					\
	result = real(path, __VA_ARGS__);				\
	FIRE(f->leave, result, error_if(result == -1));			\
	return (result);						\
} while (0)

int
execl(const char *path, const char *arg, ...)
{
	COLLECT(arg);
	va_end(list);
	EXEC(execl, execv, path, argv);
}

int
execlp(const char *file, const char *arg, ...)
{
	COLLECT(arg);
	va_end(list);
	EXEC(execlp, execvp, file, argv);
}

int
execle(const char *path, const char *arg, ...)
{
	char **envp;

	COLLECT(arg);
	envp = va_arg(list, char **);
	va_end(list);
	EXEC(execle, execve, path, argv, envp);
}

/* Returns the child's pid if a spawn that reports it succeeded, else 0. */
static pid_t
spawned(int result, const pid_t *pid)
{
	return (result == 0 && pid != NULL ? *pid : 0);
}

WRAPPER(int, posix_spawn, (pid_t *pid, const char *path,
    const posix_spawn_file_actions_t *file_actions,
    const posix_spawnattr_t *attr, char *const argv[], char *const envp[]),
    (pid, path, file_actions, attr, argv, envp), (ADDRESS(pid), ADDRESS(path),
    ADDRESS(file_actions), ADDRESS(attr), ADDRESS(argv), ADDRESS(envp)), result,
    spawned(result, pid), result == 0 ? ADDRESS(path) : 0)

WRAPPER(int, posix_spawnp, (pid_t *pid, const char *file,
    const posix_spawn_file_actions_t *file_actions,
    const posix_spawnattr_t *attr, char *const argv[], char *const envp[]),
    (pid, file, file_actions, attr, argv, envp), (ADDRESS(pid), ADDRESS(file),
    ADDRESS(file_actions), ADDRESS(attr), ADDRESS(argv), ADDRESS(envp)), result,
    spawned(result, pid), result == 0 ? ADDRESS(file) : 0)

/* true: exit:entry has fired */
static bool exit_fired;

/*
 * When main returns, the C library calls its exit() by another name.  This
 * handler fires exit:entry then.  It was registered before the program's own
 * handlers, so it runs last.
 */
static void
returned(int status, void *unused)
{
	(void)unused;
	if (!__atomic_load_n(&exit_fired, __ATOMIC_RELAXED))
		FIRE(functions[FN_exit].entry, status);
}

void
tbuf_libc_process_begin(void)
{
	(void)on_exit(returned, NULL);
}

void
exit(int status)
{
	struct libc_function *f = &functions[FN_exit];
	typeof(exit) *real = tbuf_libc_real(f);

	__atomic_store_n(&exit_fired, true, __ATOMIC_RELAXED);
	FIRE(f->entry, status);
	real(status);
	__builtin_unreachable();
}

#define EXIT_WRAPPER(name)						\
void									\
name(int status)							\
{									\
	struct libc_function *f = &functions[FN_##name];		\
	typeof(name) *real = tbuf_libc_real(f);				\
									\
	FIRE(f->entry, status);						\
	real(status);							\
	__builtin_unreachable();					\
}

EXIT_WRAPPER(quick_exit)
EXIT_WRAPPER(_exit)
EXIT_WRAPPER(_Exit)

/* A forked child that calls daemon() or setsid() becomes a target. */
int
daemon(int nochdir, int noclose)
{
	typeof(daemon) *real = tbuf_libc_real(&functions[FN_daemon]);
	int result = real(nochdir, noclose);

	if (result == 0)
		(void)tbuf_process_register();
	return (result);
}

pid_t
setsid(void)
{
	typeof(setsid) *real = tbuf_libc_real(&functions[FN_setsid]);
	pid_t session = real();

	if (session != -1)
		(void)tbuf_process_register();
	return (session);
}
