/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The functions that descriptions of the pid provider match, with the types of
 * their arguments.
 */
#ifndef TBUFCTL_DEBUGINFO_FUNCTION_TYPES_H
#define TBUFCTL_DEBUGINFO_FUNCTION_TYPES_H

#include "base/pipe_message.h"
#include "base/string_list.h"
#include "probe_sites.h"

struct dwarf_module;

/* Parameters that no argument has. */
struct lack {
	char *function, *name, *why;
};

struct function_types {
	char *table;		/* for the provider: providers/pid/types.h */
	struct lack *lacks;
	size_t nlacks;
	struct words unknown;	/* modules that are in no file */
};

void	function_types_free(struct function_types *);

/*
 * In the helper process: adds the functions of a program's modules to the
 * answer.  `wanted` has descriptions as TBUF_PID has them, and `provider` is
 * that of the probes.
 */
struct function_answer {
	const char *wanted, *provider;
	char *table;
	struct parcel lacks;		/* three texts each */
	size_t nlacks;
	size_t nmodules;		/* with such functions */
	struct sites sites;
};

void	function_types_add(struct function_answer *, struct dwarf_module *);
void	function_types_put_lacks(struct function_answer *, struct parcel *);

#endif
