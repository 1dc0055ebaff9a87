/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Preloads modules into a command: the providers that descriptions name, and
 * libtbuf-list.so to list the command's probes.
 */
#ifndef TBUFCTL_RUN_PRELOAD_H
#define TBUFCTL_RUN_PRELOAD_H

#include <limits.h>
#include <stdbool.h>

struct options;
struct program;

/*
 * Returns true if the provider field of a description matches this provider.
 * An empty field and * match everything, but are no reason to change a
 * command's environment.
 */
bool	preload_wanted(const struct program *, const char *provider);

/*
 * Returns true if the last field of such a description matches the name of a
 * probe, too.
 */
bool	preload_wants_probe(const struct program *, const char *provider,
	    const char *name);

/*
 * Returns true if a description names the pid provider of a process.
 * preload_pid_setting() returns all these descriptions, as a setting for the
 * environment of the command, for the caller to free.
 */
bool	preload_wants_pid(const struct options *);
char	*preload_pid_setting(const struct options *);

/* Returns why -x syscall=all cannot be used, or NULL. */
const char *preload_dispatch(void);

/* Modules that can be preloaded. */
#define PRELOAD_LIST	0x1u	/* the command ends before its main() */
#define PRELOAD_LIBC	0x2u	/* the libc provider */
#define PRELOAD_SYSCALL	0x4u	/* the syscall provider */
#define PRELOAD_USDT	0x8u	/* the provider of USDT probes */
#define PRELOAD_PID	0x10u	/* the provider of functions */

/* Returns, as PRELOAD_*, the providers that preload_wanted() finds. */
unsigned preload_providers(const struct options *);

/*
 * Returns the modules to preload into the command of -c: the providers that
 * descriptions name, or that -x usdt asks for, and with -l the module that ends
 * the command before its main().
 */
unsigned preload_modules(const struct options *);

/*
 * Finds the file of a command, or of its interpreter, and why nothing can be
 * preloaded into it (*problem, or NULL).  Returns false if there is none.
 */
bool	preload_program(const char *name, char path[PATH_MAX],
	    const char **problem);

/*
 * Makes a setting for the environment of the command `name`, which is searched
 * for as execvp(3) does: LD_PRELOAD with these modules, followed by its present
 * value.  The modules are in the directory $TBUF_PROVIDERS, or where they were
 * installed.
 *
 * Returns 0 with *setting for the caller to free, or an exit status after a
 * message: nothing can be preloaded into a command that is setuid or statically
 * linked.  A command that cannot be found or read is an error that exec
 * reports.
 */
int	preload_prepare(const char *name, unsigned wanted, char **setting);

#endif
