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
 *							lacks, these, that of
 *							files of no use, these
 *							and why, that of
 *							modules without a file,
 *							these, probes
 *	PARAMETER	module, function, name		id
 *	PLACE		module, function, name, word	id, word
 *	RESULT		module, function		id
 *	SAME		id, id				are they one type?
 */
#ifndef TBUFCTL_DEBUGINFO_TYPES_SERVER_H
#define TBUFCTL_DEBUGINFO_TYPES_SERVER_H

#include <sys/types.h>

#include <stdbool.h>

#include "base/string_list.h"
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
	TYPES_RESULT,
	TYPES_SAME
};

struct types_source {
	struct types_source *next;
	pid_t pid;
	char *const *command;		/* NULL: a process, or an object */
	const struct words *files;	/* of objects that it may load */
	const char *object;		/* NULL: a process, or a command */
	/* The helper process uses these. */
	bool opened;
	Dwfl *dwfl;
	struct dwarf_module *modules;
};

/* Answers questions until the socket is closed; in the helper process. */
void	types_answer(struct types_source *first, int fd)
	    __attribute__((noreturn));

#endif
