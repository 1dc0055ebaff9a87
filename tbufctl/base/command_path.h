/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the program of a command.
 */
#ifndef TBUFCTL_BASE_COMMAND_PATH_H
#define TBUFCTL_BASE_COMMAND_PATH_H

/*
 * Returns the file that execvp(3) would execute, for the caller to free, or
 * NULL.
 */
char	*command_find(const char *name);
/* Returns 0, or the error that execvp(3) would have before it runs anything. */
int	command_error(const char *name);

#endif
