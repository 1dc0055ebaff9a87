/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Files that programs are made of, and the functions in them.  Each file is
 * read by a process of its own (helper_process.h), which writes what it has found to a
 * pipe.
 */
#ifndef TBUFCTL_DEBUGINFO_FUNCTIONS_H
#define TBUFCTL_DEBUGINFO_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What lies where in the file, and when it is mapped. */
struct segment {
	uint64_t offset, size, address;
};

struct function {
	uint64_t address;
	uint64_t size;		/* 0: up to the next one */
	uint64_t name;		/* in names */
};

struct functions {
	struct segment *segments;
	struct function *all;		/* by address; no two have the same */
	char *names;			/* each with its NUL */
	uint32_t nsegments, count;
	uint64_t names_size, names_room;
};

/*
 * The functions of an open file, whose name is for libdw to look for separate
 * debug information by.  NULL, or why there are none (static, or valid until
 * the next call).
 */
const char *module_read(struct functions *, int fd, const char *path);
void	module_free(struct functions *);

/* What is at an offset of the file; NULL: it is not known. */
const struct function *module_find(const struct functions *,
	    uint64_t offset, uint64_t *from_start);

/* The other process: what it finds goes to the pipe, as it is above. */
int	module_find_all(struct functions *, int fd, const char *path);

/* Of two names of one function: is the first one that people know it by? */
bool	module_better(const char *a, const char *b);

#endif
