/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the libraries that an executable needs, before it runs.
 */
#ifndef TBUFCTL_ELF_NEEDED_LIBRARIES_H
#define TBUFCTL_ELF_NEEDED_LIBRARIES_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/string_list.h"

/*
 * Visits the path of each library that the file at `path` names, if it is in
 * one of needed_folders().  Returns false if one is in none of them.
 */
bool	needed_visit(Elf *, const char *path, void (*visit)(void *,
	    const char *path), void *);

/*
 * Visit the folders in which a loader looks for a library that a file needs or
 * loads: those of its run path, of $LD_LIBRARY_PATH, of the loader's cache, and
 * of the system; or those of its run path alone.  They end when a visit returns
 * true, and return true then.
 */
typedef bool needed_folder(void *, const char *folder);

bool	needed_folders(Elf *, const char *file, needed_folder *, void *);
bool	needed_run_path(Elf *, const char *file, needed_folder *, void *);

/*
 * Adds the folders of a loader's cache, of which these are the bytes; a NUL
 * follows them.
 */
void	needed_cache(const char *bytes, size_t size, struct words *folders);

#endif
