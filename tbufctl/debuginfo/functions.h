/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Functions in the files of programs.  Each file is read by a helper process of
 * its own (helper_process.h), which writes the tables below to a socket.
 */
#ifndef TBUFCTL_DEBUGINFO_FUNCTIONS_H
#define TBUFCTL_DEBUGINFO_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A part of the file, and its address when it is mapped. */
struct segment {
	uint64_t offset, size, address;
};

struct function {
	uint64_t address;
	uint64_t size;		/* 0: up to the next function */
	uint64_t name;		/* offset in names */
};

struct functions {
	struct segment *segments;
	struct function *all;		/* sorted by address, all distinct */
	char *names;			/* each ends with a NUL */
	uint32_t nsegments, count;
	uint64_t names_size, names_room;
};

/*
 * Reads the functions of an open file; libdw needs its path to find separate
 * debug information.  Returns NULL, or the reason for a failure (static, or
 * valid until the next call).
 */
const char *module_read(struct functions *, int fd, const char *path);
void	module_free(struct functions *);

/* Returns the function at an offset of the file, or NULL. */
const struct function *module_find(const struct functions *,
	    uint64_t offset, uint64_t *from_start);

/*
 * Loads the library that demangles names, before the helper process is
 * confined: after that it maps no code.
 */
void	module_load(void);

/* Fills the tables, in the helper process.  Returns 0 or -1. */
int	module_find_all(struct functions *, int fd, const char *path);

/*
 * Returns true if the first of two names of a function is the better one: with
 * fewer leading underscores, or shorter.
 */
bool	module_better(const char *a, const char *b);

#endif
