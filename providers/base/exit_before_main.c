/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * libtbuf-list.so, which is preloaded into a command to list its probes: it
 * ends the command where main() would begin.  All constructors have run by
 * then, so that the command's control file has its probes.
 */
#include <dlfcn.h>
#include <unistd.h>

typedef int (*program)(int, char **, char **);

int	__libc_start_main(program, int, char **, void (*)(void),
	    void (*)(void), void (*)(void), void *);

static int
stop(int argc, char **argv, char **envp)
{
	(void)argc;
	(void)argv;
	(void)envp;
	/* Destructors do not run, as the program has not begun. */
	_exit(0);
}

/* A program's startup code finds this before the C library's function. */
__attribute__((visibility("default")))
int
__libc_start_main(program begin, int argc, char **argv, void (*init)(void),
    void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
	int (*real)(program, int, char **, void (*)(void), void (*)(void),
	    void (*)(void), void *);

	(void)begin;
	*(void **)&real = dlsym(RTLD_NEXT, "__libc_start_main");
	return (real(stop, argc, argv, init, fini, rtld_fini, stack_end));
}
