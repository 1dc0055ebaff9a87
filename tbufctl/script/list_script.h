/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * -l: lists the probes that programs describe.
 */
#ifndef TBUFCTL_SCRIPT_LIST_SCRIPT_H
#define TBUFCTL_SCRIPT_LIST_SCRIPT_H

#include <stddef.h>

#include "base/suggest.h"

struct format;
struct program;
struct tbuf_consumer;
struct tbuf_d_script;

struct listed {
	const char *description;	/* of targets' probes */
	int enabling;
};

/* Only `format` is initialized by the caller. */
struct script_list {
	struct format *format;
	char **timers;			/* in the order of their ids */
	size_t ntimers;
	struct listed *enablings;
	size_t count;
};

/*
 * Shows tbufctl's own probes that a script describes, and enables the other
 * descriptions.  Returns 0, or an exit status after a message.
 */
int	script_list(struct script_list *, const struct tbuf_d_script *,
	    struct tbuf_consumer *);
/* Shows tbufctl's own probes that descriptions without clauses match. */
void	script_list_unclaused(struct script_list *, struct program *);
/* Shows BEGIN, END, ERROR and the usual timers. */
void	script_list_own(struct script_list *);
/*
 * Reports descriptions that match nothing, with suggestions, after targets were
 * listed; frees all.
 */
void	script_list_end(struct script_list *, struct tbuf_consumer *, near_one *,
	    void *context);

#endif
