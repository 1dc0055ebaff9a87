/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Preloading into a command: the providers that descriptions ask for, and what
 * ends a command whose probes are to be listed.
 */
#ifndef TBUFCTL_RUN_PRELOAD_H
#define TBUFCTL_RUN_PRELOAD_H

#include <limits.h>
#include <stdbool.h>

struct program;

/*
 * Is there a description whose provider field matches this provider?  An empty
 * one and * match everything, which is no reason to change a command's
 * environment.
 */
bool	preload_wanted(const struct program *, const char *provider);

/* Why -x syscall=all cannot be had, or NULL. */
const char *preload_dispatch(void);

/* What can be preloaded. */
#define PRELOAD_LIST	0x1u	/* the command ends before its main() */
#define PRELOAD_LIBC	0x2u	/* the libc provider */
#define PRELOAD_SYSCALL	0x4u	/* the syscall provider */
#define PRELOAD_USDT	0x8u	/* the provider of USDT probes */

/* The providers that a program asks for so, of those that can be preloaded. */
unsigned preload_providers(const struct program *);

/* The file of a command, or of what interprets it; false if there is none. */
bool	preload_program(const char *name, char path[PATH_MAX]);

/*
 * What to set in the environment of the command `name`, which is searched for
 * as execvp(3) does: LD_PRELOAD with these modules, followed by what it has
 * now.  The modules are in the directory $TBUF_PROVIDERS, or where they were
 * installed.
 * 0 with *setting for the caller to free, or an exit status after a message:
 * into a command that is setuid or statically linked nothing can be preloaded.
 * A command that cannot be found or read is left to exec to complain about.
 */
int	preload_prepare(const char *name, unsigned what, char **setting);

#endif
