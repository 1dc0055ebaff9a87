/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -l of programs.
 */
#ifndef TBUFCTL_SCRIPT_LIST_SCRIPT_H
#define TBUFCTL_SCRIPT_LIST_SCRIPT_H

#include <stddef.h>

struct format;
struct program;
struct tbuf_consumer;
struct tbuf_d_script;

struct listed {
	const char *description;	/* of targets' probes */
	int enabling;
};

/* Begins with the format alone. */
struct script_list {
	struct format *format;
	char **timers;			/* in the order of their ids */
	size_t ntimers;
	struct listed *enablings;
	size_t count;
};

/*
 * Show tbufctl's own probes that a script describes, and enable the others: 0,
 * or an exit status after a message.
 */
int	script_list(struct script_list *, const struct tbuf_d_script *,
	    struct tbuf_consumer *);
/* Show those of ours that descriptions without clauses match. */
void	script_list_unclaused(struct script_list *, struct program *);
/* Show those that are always there, and the usual timers. */
void	script_list_own(struct script_list *);
/* Say what has matched nothing once targets are listed; frees all. */
void	script_list_end(struct script_list *, struct tbuf_consumer *);

#endif
