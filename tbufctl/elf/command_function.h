/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Functions of a command, for descriptions that match nothing: only the
 * provider pid makes probes of them, and only where it is named.
 */
#ifndef TBUFCTL_ELF_COMMAND_FUNCTION_H
#define TBUFCTL_ELF_COMMAND_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/suggest.h"

/*
 * Suggests a description for one without a match, of functions of the command
 * and of the libraries that it needs.  One without a provider gets pid$target,
 * if it names such a function, as the function or where the name is; one of the
 * provider pid gets the nearest names.  The caller frees it; NULL if there is
 * none, or, without a provider, if one of the probes is of the function.
 */
char	*command_function(const char *command, const char *description,
	    near_probes *, void *context);

/* The search for the names that a description of functions may mean. */
struct near_function {
	char *text;			/* the fields */
	const char *provider, *module, *function, *name;
	size_t length;			/* of the function's name; 0: a glob */
	short letters[256];		/* how often that has each one */
	unsigned best;			/* slips; 0: it is no slip */
	char *best_module, *best_function;
	unsigned slips;			/* in the name of the present module */
	char *called;			/* the module's name */
	size_t symbols, letter_pairs;	/* that were compared */
	size_t cut;	/* characters at the end, which a flag has added */
};

/*
 * near_function_begin() returns false if a description is not of functions.
 * near_function_module() begins with a file, and returns false if none of its
 * functions can be meant; near_function_add() compares the symbol of one.
 * near_function_end() returns a description for the caller to free, or NULL.
 */
bool	near_function_begin(struct near_function *, const char *description);
bool	near_function_module(struct near_function *, const char *file,
	    bool is_program);
void	near_function_add(struct near_function *, const char *symbol);
char	*near_function_end(struct near_function *);

#endif
