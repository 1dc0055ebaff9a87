/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -h and -G: make files from a provider file for a program that is compiled, as
 * dtrace(1) does.
 */
#ifndef TBUFCTL_COMMANDS_HEADER_H
#define TBUFCTL_COMMANDS_HEADER_H

struct options;

/* Returns an exit status, after a message if it is not 0. */
int	header_run(struct options *);

#endif
