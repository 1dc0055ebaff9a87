/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -h and -G: what dtrace(1) makes of a provider file while a program is
 * compiled.
 */
#ifndef TBUFCTL_COMMANDS_HEADER_H
#define TBUFCTL_COMMANDS_HEADER_H

struct options;

/* An exit status, after a message if it is not 0. */
int	header_run(struct options *);

#endif
