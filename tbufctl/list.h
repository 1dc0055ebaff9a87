/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -l: the probes there are.
 */
#ifndef TBUFCTL_LIST_H
#define TBUFCTL_LIST_H

struct options;
struct output;
struct tbuf_consumer;

/* The consumer knows its targets, and nothing is enabled yet. */
int	list(struct tbuf_consumer *, struct options *, struct output *);

#endif
