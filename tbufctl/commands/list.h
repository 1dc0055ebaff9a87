/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -l: the probes there are.
 */
#ifndef TBUFCTL_COMMANDS_LIST_H
#define TBUFCTL_COMMANDS_LIST_H

struct options;
struct output;
struct tbuf_consumer;
struct tbuf_d_script;

/*
 * The consumer knows its targets, and nothing is enabled yet.  The script is
 * that of the programs on the command line, or NULL.
 */
int	list(struct tbuf_consumer *, struct options *, struct output *,
	    const struct tbuf_d_script *);

#endif
