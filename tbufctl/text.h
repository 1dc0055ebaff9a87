/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -x text: messages in words, as probes to be enabled.
 */
#ifndef TBUFCTL_TEXT_H
#define TBUFCTL_TEXT_H

struct options;

/* 0, or EXIT_USAGE after a message. */
int	text_add(struct options *, const char *list);

#endif
