/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -c: a command line without a shell.
 */
#ifndef TBUFCTL_OPTIONS_SPLIT_COMMAND_H
#define TBUFCTL_OPTIONS_SPLIT_COMMAND_H

/*
 * Split at blanks; '...' keeps everything, "..." everything but \" and \\,
 * and outside quotes \ keeps the next character.  Returns a NULL-terminated
 * vector, or NULL with *error set to what is wrong.
 */
char	**command_split(const char *line, const char **error);
void	command_free(char **argv);

#endif
