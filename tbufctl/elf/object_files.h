/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Files of objects that a program may load while it runs.
 */
#ifndef TBUFCTL_ELF_OBJECT_FILES_H
#define TBUFCTL_ELF_OBJECT_FILES_H

#include <sys/types.h>

#include <stdbool.h>
#include <stddef.h>

#include "base/string_list.h"

#define OBJECT_FILES_MAX	256u

struct object_files {
	struct words paths;		/* each file once */
	struct object_file {
		dev_t device;
		ino_t inode;
	} files[OBJECT_FILES_MAX];
};

/* Adds a file.  Returns NULL, or why it is not an object of this machine. */
const char *object_files_add(struct object_files *, const char *path);

/*
 * Adds the files in a folder that have a wanted name.  Returns true if there is
 * an object among them; a folder in it is not searched.
 */
typedef bool object_wanted(void *, const char *file);

bool	object_files_folder(struct object_files *, const char *folder,
	    object_wanted *, void *arg);

#endif
