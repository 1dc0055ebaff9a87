/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What types.c asks another process, in parcels:
 *
 *	ADD		pid				nothing
 *	FIND		module, kind, name		id
 *	ARGUMENT	module, function, name		id
 *	READ		id				a level of a type
 *	TAGS						names
 *	SITES						probes
 */
#ifndef TBUFCTL_DEBUGINFO_TYPES_SERVER_H
#define TBUFCTL_DEBUGINFO_TYPES_SERVER_H

#include <sys/types.h>

#include <stdbool.h>

#include "dwarf.h"

enum types_question {
	TYPES_ADD,
	TYPES_FIND,
	TYPES_ARGUMENT,
	TYPES_READ,
	TYPES_NAMES,
	TYPES_SITES
};

struct types_source {
	struct types_source *next;
	pid_t pid;
	const char *command;		/* NULL: a process */
	/* Of the process that answers. */
	bool opened;
	Dwfl *dwfl;
	struct dwarf_module *modules;
};

/* Answer until nobody asks any more. */
void	types_answer(struct types_source *first, int fd)
	    __attribute__((noreturn));

#endif
