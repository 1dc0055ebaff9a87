/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Finds the program of a command.
 */
#ifndef TBUFCTL_BASE_COMMAND_PATH_H
#define TBUFCTL_BASE_COMMAND_PATH_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Returns the file that execvp(3) would execute, for the caller to free, or
 * NULL.
 */
char	*command_find(const char *name);
/* Returns 0, or the error that execvp(3) would have before it runs anything. */
int	command_error(const char *name);

/*
 * script_line() copies the path of a script's interpreter from the first `n`
 * bytes of the script to `path`; script_interpreter() reads them from a file.
 * Both return false if there is none.
 */
#define SCRIPT_HEAD	256
#define SCRIPTS_MAX	5	/* levels that the kernel follows */
bool	script_line(const char *head, size_t n, char path[PATH_MAX]);
bool	script_interpreter(const char *file, char path[PATH_MAX]);

#endif
