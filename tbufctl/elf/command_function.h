/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Functions of a command, for descriptions that match nothing: only the
 * provider pid makes probes of them, and only where it is named.
 */
#ifndef TBUFCTL_ELF_COMMAND_FUNCTION_H
#define TBUFCTL_ELF_COMMAND_FUNCTION_H

#include "base/suggest.h"

/*
 * Suggests pid$target for a description without a provider that names a
 * function of the command, or of a library that it needs; as the function, or
 * where the name is.  The caller frees it; NULL if there is none, or if one of
 * the probes is of the function.
 */
char	*command_function(const char *command, const char *description,
	    near_probes *, void *context);

#endif
