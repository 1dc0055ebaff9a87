/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Functions of a command, for descriptions that match nothing: only the
 * provider pid makes probes of them, and only where it is named.
 */
#ifndef TBUFCTL_ELF_COMMAND_FUNCTION_H
#define TBUFCTL_ELF_COMMAND_FUNCTION_H

/*
 * Suggests pid$target for a description without a provider that names a function
 * of the command, or of a library that it needs; as the function, or where the
 * name is.  The caller frees it; NULL if there is none.
 */
char	*command_function(const char *command, const char *description);

#endif
