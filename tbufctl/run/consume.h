/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A run: from the start of tracing to its orderly end.
 */
#ifndef TBUFCTL_RUN_CONSUME_H
#define TBUFCTL_RUN_CONSUME_H

#include <sys/types.h>

struct compiled;
struct options;
struct output;
struct tbuf_consumer;

/*
 * Trace until the end, and print.  The consumer knows its targets and
 * enablings; `command` is the pid of the one that waits to be let, or 0; a
 * script has been `compiled`, or NULL.  Returns an exit status.
 */
int	consume(struct tbuf_consumer *, const struct options *,
	    struct output *, pid_t command, struct compiled *);

#endif
