/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The libraries that an executable needs, before it runs.
 */
#ifndef TBUFCTL_ELF_NEEDED_LIBRARIES_H
#define TBUFCTL_ELF_NEEDED_LIBRARIES_H

#include <libelf.h>

/*
 * Visit the path of each library that the file at `path` names and that is
 * found where a loader looks: in its run path, in $LD_LIBRARY_PATH, and where
 * systems keep them.
 */
void	needed_visit(Elf *, const char *path, void (*visit)(void *,
	    const char *path), void *);

#endif
