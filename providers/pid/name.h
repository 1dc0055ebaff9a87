/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Names of functions of C++, as symbols have them and as TBUF_PROBE writes
 * them: ns::Class::method, without types.
 */
#ifndef TBUF_PROVIDERS_PID_NAME_H
#define TBUF_PROVIDERS_PID_NAME_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

#define PID_SCOPED	256	/* a field of a description, with its NUL */

/*
 * Makes the scoped name of a symbol.  Returns false if the symbol is not that
 * of a function of C++, or has a name of another kind.
 */
bool	pid_scoped(const char *symbol, char name[PID_SCOPED]);

/*
 * Skips a group of a symbol: from its letter to its E; or a substitution, from
 * its S on.
 */
bool	pid_skip_group(const char **at);
void	pid_skip_substitution(const char **at);

/*
 * Returns a symbol if it fits into a field; else its beginning and its hash,
 * which are then in the buffer.
 */
const char *pid_name_fit(const char *symbol, char name[PID_SCOPED]);

/*
 * Returns the name by which a glob matches a function, its symbol or its scoped
 * name, which is then in the buffer; or NULL.  The symbol is as pid_name_fit()
 * makes it.
 */
const char *pid_name_match(const char *glob, const char *symbol,
	    char name[PID_SCOPED]);

#pragma GCC visibility pop

#endif
