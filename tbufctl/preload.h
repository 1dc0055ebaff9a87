/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Preloading the libc provider into a command, for descriptions that ask for
 * it.
 */
#ifndef TBUFCTL_PRELOAD_H
#define TBUFCTL_PRELOAD_H

#include <stdbool.h>

struct program;

/*
 * Is there a description whose provider field matches libc?  An empty one and
 * * match everything, which is no reason to change a command's environment.
 */
bool	preload_wanted(const struct program *);

/*
 * What to set in the environment of the command `name`, which is searched for
 * as execvp(3) does: LD_PRELOAD=PROVIDER, followed by what LD_PRELOAD has now.
 * The provider is in the directory $TBUF_PROVIDERS, or where it was installed.
 * 0 with *setting for the caller to free, or an exit status after a message:
 * into a command that is setuid or statically linked nothing can be preloaded.
 * A command that cannot be found or read is left to exec to complain about.
 */
int	preload_prepare(const char *name, char **setting);

#endif
