/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -l: lists probes.
 */
#ifndef TBUFCTL_COMMANDS_LIST_H
#define TBUFCTL_COMMANDS_LIST_H

struct options;
struct output;
struct tbuf_consumer;
struct tbuf_d_script;

/*
 * Lists probes.  The consumer has its targets, and nothing is enabled yet.  The
 * script is that of the programs on the command line, or NULL.  Returns an exit
 * status.
 */
int	list(struct tbuf_consumer *, struct options *, struct output *,
	    const struct tbuf_d_script *);

#endif
