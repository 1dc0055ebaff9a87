/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Questions of types.c and answers of the helper process, in parcels:
 *
 *	ADD		pid				nothing
 *	FIND		module, kind, name		id
 *	ARGUMENT	module, function, name		id
 *	READ		id				one level of a type
 *	NAMES		1: typedefs, 0: tags		names
 *	SITES		nothing				probes
 *	FUNCTIONS	descriptions, provider		a table, the number of
 *							lacks, these, probes
 *	PARAMETER	module, function, name		id
 *	PLACE		module, function, name, word	id, word
 *	RESULT		module, function		id
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
	TYPES_SITES,
	TYPES_FUNCTIONS,
	TYPES_PARAMETER,
	TYPES_PLACE,
	TYPES_RESULT
};

struct types_source {
	struct types_source *next;
	pid_t pid;
	const char *command;		/* NULL: a process */
	/* The helper process uses these. */
	bool opened;
	Dwfl *dwfl;
	struct dwarf_module *modules;
};

/* Answers questions until the socket is closed; in the helper process. */
void	types_answer(struct types_source *first, int fd)
	    __attribute__((noreturn));

#endif
