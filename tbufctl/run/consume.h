/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A run: from the start of tracing to its orderly end.
 */
#ifndef TBUFCTL_RUN_CONSUME_H
#define TBUFCTL_RUN_CONSUME_H

#include <sys/types.h>

struct compiled;
struct known;
struct options;
struct output;
struct tbuf_consumer;

/*
 * Traces until the end, and prints.  The consumer has its targets and
 * enablings; `command` is the pid of a command that waits to start, or 0;
 * `compiled` is the script, or NULL; probes of `known` are suggested.  Returns
 * an exit status.
 */
int	consume(struct tbuf_consumer *, const struct options *,
	    struct output *, pid_t command, struct compiled *,
	    struct known *);

/* Reports processes that could not be traced, since the last report. */
void	tell_missed(struct tbuf_consumer *);
/* Reports targets that have more probes than their tables hold. */
void	tell_lost(struct tbuf_consumer *);

#endif
