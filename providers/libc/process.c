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
 * vfork, clone, daemon and setsid have no probes.  This object defines them
 * because libtbuf's definitions come after the C library's in the order of
 * search; the first two are those of target/process/interpose_vfork.c.
 */
#include "libc.h"

#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	FORK, EXECVE, EXECV, EXECVP, EXECVPE, FEXECVE, EXECVEAT, EXECL,
	EXECLP, EXECLE, POSIX_SPAWN, POSIX_SPAWNP, EXIT, QUICK_EXIT, U_EXIT,
	UU_EXIT, DAEMON, SETSID, NFUNCTIONS
};

static const struct libc_row rows[NFUNCTIONS] = {
	[FORK] = { "fork",
	    "", "result:i32 errno:i32" },
	[EXECVE] = { "execve",
	    "path:ptr argv:ptr envp:ptr", "result:i32 errno:i32" },
	[EXECV] = { "execv",
	    "path:ptr argv:ptr", "result:i32 errno:i32" },
	[EXECVP] = { "execvp",
	    "file:ptr argv:ptr", "result:i32 errno:i32" },
	[EXECVPE] = { "execvpe",
	    "file:ptr argv:ptr envp:ptr", "result:i32 errno:i32" },
	[FEXECVE] = { "fexecve",
	    "fd:i32 argv:ptr envp:ptr", "result:i32 errno:i32" },
	[EXECVEAT] = { "execveat",
	    "dirfd:i32 path:ptr argv:ptr envp:ptr flags:i32",
	    "result:i32 errno:i32" },
	[EXECL] = { "execl",
	    "path:ptr", "result:i32 errno:i32" },
	[EXECLP] = { "execlp",
	    "file:ptr", "result:i32 errno:i32" },
	[EXECLE] = { "execle",
	    "path:ptr", "result:i32 errno:i32" },
	[POSIX_SPAWN] = { "posix_spawn",
	    "pid:ptr path:ptr file_actions:ptr attr:ptr argv:ptr envp:ptr",
	    "result:i32 pid:i32 path:str" },
	[POSIX_SPAWNP] = { "posix_spawnp",
	    "pid:ptr file:ptr file_actions:ptr attr:ptr argv:ptr envp:ptr",
	    "result:i32 pid:i32 file:str" },
	[EXIT] = { "exit",
	    "status:i32", NULL },
	[QUICK_EXIT] = { "quick_exit",
	    "status:i32", NULL },
	[U_EXIT] = { "_exit",
	    "status:i32", NULL },
	[UU_EXIT] = { "_Exit",
	    "status:i32", NULL },
	[DAEMON] = { "daemon", NULL, NULL },
	[SETSID] = { "setsid", NULL, NULL },
};

static struct libc_function functions[NFUNCTIONS] =
    LIBC_FUNCTIONS(NFUNCTIONS);

const struct libc_family tbuf_libc_process = {
	rows, functions, NFUNCTIONS, NULL, NULL, 0
};

WRAPPER(pid_t, fork, (void), FORK, FORK, (), (0), OR_ERRNO)

WRAPPER(int, execve, (const char *path, char *const argv[], char *const envp[]),
    EXECVE, EXECVE, (path, argv, envp),
    (ADDRESS(path), ADDRESS(argv), ADDRESS(envp)), OR_ERRNO)

WRAPPER(int, execv, (const char *path, char *const argv[]), EXECV, EXECV,
    (path, argv), (ADDRESS(path), ADDRESS(argv)), OR_ERRNO)

WRAPPER(int, execvp, (const char *file, char *const argv[]), EXECVP, EXECVP,
    (file, argv), (ADDRESS(file), ADDRESS(argv)), OR_ERRNO)

WRAPPER(int, execvpe,
    (const char *file, char *const argv[], char *const envp[]), EXECVPE,
    EXECVPE, (file, argv, envp), (ADDRESS(file), ADDRESS(argv), ADDRESS(envp)),
    OR_ERRNO)

WRAPPER(int, fexecve, (int fd, char *const argv[], char *const envp[]), FEXECVE,
    FEXECVE, (fd, argv, envp), (fd, ADDRESS(argv), ADDRESS(envp)), OR_ERRNO)

/* The declaration of glibc since 2.34. */
int	execveat(int dirfd, const char *path, char *const argv[],
	    char *const envp[], int flags);

WRAPPER(int, execveat, (int dirfd, const char *path, char *const argv[],
    char *const envp[], int flags), EXECVEAT, EXECVEAT,
    (dirfd, path, argv, envp, flags),
    (dirfd, ADDRESS(path), ADDRESS(argv), ADDRESS(envp), flags), OR_ERRNO)

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
#define EXEC(name, vector, called, path, ...) do {			\
	struct libc_function *f = &functions[name];			\
	typeof(called) *real;						\
	int result;							\
	if (quiet(f))							\
		return (REAL(called, &functions[vector])(path,		\
		    __VA_ARGS__));					\
	real = tbuf_libc_real(&functions[vector]);			\
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
	EXEC(EXECL, EXECV, execv, path, argv);
}

int
execlp(const char *file, const char *arg, ...)
{
	COLLECT(arg);
	va_end(list);
	EXEC(EXECLP, EXECVP, execvp, file, argv);
}

int
execle(const char *path, const char *arg, ...)
{
	char **envp;

	COLLECT(arg);
	envp = va_arg(list, char **);
	va_end(list);
	EXEC(EXECLE, EXECVE, execve, path, argv, envp);
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
    POSIX_SPAWN, POSIX_SPAWN, (pid, path, file_actions, attr, argv, envp),
    (ADDRESS(pid), ADDRESS(path), ADDRESS(file_actions), ADDRESS(attr),
    ADDRESS(argv), ADDRESS(envp)), result, spawned(result, pid),
    result == 0 ? ADDRESS(path) : 0)

WRAPPER(int, posix_spawnp, (pid_t *pid, const char *file,
    const posix_spawn_file_actions_t *file_actions,
    const posix_spawnattr_t *attr, char *const argv[], char *const envp[]),
    POSIX_SPAWNP, POSIX_SPAWNP, (pid, file, file_actions, attr, argv, envp),
    (ADDRESS(pid), ADDRESS(file), ADDRESS(file_actions), ADDRESS(attr),
    ADDRESS(argv), ADDRESS(envp)), result, spawned(result, pid),
    result == 0 ? ADDRESS(file) : 0)

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
		FIRE(functions[EXIT].entry, status);
}

void
tbuf_libc_process_begin(void)
{
	(void)on_exit(returned, NULL);
}

void
exit(int status)
{
	struct libc_function *f = &functions[EXIT];
	typeof(exit) *real = tbuf_libc_real(f);

	__atomic_store_n(&exit_fired, true, __ATOMIC_RELAXED);
	FIRE(f->entry, status);
	real(status);
	__builtin_unreachable();
}

#define EXIT_WRAPPER(name, function)					\
void									\
name(int status)							\
{									\
	struct libc_function *f = &functions[function];			\
	typeof(name) *real = tbuf_libc_real(f);				\
									\
	FIRE(f->entry, status);						\
	real(status);							\
	__builtin_unreachable();					\
}

EXIT_WRAPPER(quick_exit, QUICK_EXIT)
EXIT_WRAPPER(_exit, U_EXIT)
EXIT_WRAPPER(_Exit, UU_EXIT)

/* A forked child that calls daemon() or setsid() becomes a target. */
int
daemon(int nochdir, int noclose)
{
	typeof(daemon) *real = tbuf_libc_real(&functions[DAEMON]);
	int result = real(nochdir, noclose);

	if (result == 0)
		(void)tbuf_process_register();
	return (result);
}

pid_t
setsid(void)
{
	typeof(setsid) *real = tbuf_libc_real(&functions[SETSID]);
	pid_t session = real();

	if (session != -1)
		(void)tbuf_process_register();
	return (session);
}
