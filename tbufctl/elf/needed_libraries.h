/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the libraries that an executable needs, before it runs.
 */
#ifndef TBUFCTL_ELF_NEEDED_LIBRARIES_H
#define TBUFCTL_ELF_NEEDED_LIBRARIES_H

#include <libelf.h>
#include <stdbool.h>

/*
 * Visits the path of each library that the file at `path` names, if it is where
 * a loader looks: in the file's run path, in $LD_LIBRARY_PATH, or in a system
 * folder.  Returns false if one is in none of them.
 */
bool	needed_visit(Elf *, const char *path, void (*visit)(void *,
	    const char *path), void *);

#endif
