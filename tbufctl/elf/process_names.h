/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Names of the functions that running processes have probes of.  The provider
 * pid has given a probe the names that TBUF_PID used; a description may call
 * the module by another part of its file's name, or the function by another
 * symbol.
 */
#ifndef TBUFCTL_ELF_PROCESS_NAMES_H
#define TBUFCTL_ELF_PROCESS_NAMES_H

#include <sys/types.h>

#include <stddef.h>

struct tbuf_probe_info;
struct process_probe;
struct process_object;
struct process_symbols;

/* A part of the list of objects. */
struct process_objects {
	size_t first, last;		/* and the one after the last */
};

/* Zeroed at first. */
struct process_names {
	struct process_probe *probes;	/* of the provider pid */
	size_t nprobes;
	struct process_object *objects;	/* of the processes read so far */
	size_t nobjects;
	pid_t pid;			/* the process read last, or 0 */
	struct process_objects present;	/* its objects */
	struct process_symbols *symbols; /* of files, each read once */
};

/* Adds a probe of a process, unless it is of another provider. */
void	process_names_add(struct process_names *, pid_t,
	    const struct tbuf_probe_info *);

/*
 * Visits descriptions of the probes that a description, of four fields, matches
 * by other names of theirs.  A place is left out if the description matches
 * one of its probes as it is.
 */
void	process_names_find(struct process_names *,
	    const char *const field[4], void (*visit)(void *,
	    const char *const field[4]), void *arg);

void	process_names_free(struct process_names *);

#endif
