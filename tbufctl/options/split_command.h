/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Splits the command line of -c into words, without a shell.
 */
#ifndef TBUFCTL_OPTIONS_SPLIT_COMMAND_H
#define TBUFCTL_OPTIONS_SPLIT_COMMAND_H

/*
 * Splits a line at blanks.  '...' preserves all characters, "..." all but \"
 * and \\, and a \ outside quotes the next character.  Returns a
 * NULL-terminated vector, or NULL with a message in *error.
 */
char	**command_split(const char *line, const char **error);
void	command_free(char **argv);

#endif
