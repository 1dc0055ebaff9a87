/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -l --object: lists the USDT probes in the notes of a file.
 */
#ifndef TBUFCTL_COMMANDS_LIST_OBJECT_H
#define TBUFCTL_COMMANDS_LIST_OBJECT_H

struct options;
struct output;

/* Returns an exit status, after a message if it is not 0. */
int	list_object(const struct options *, struct output *);

#endif
