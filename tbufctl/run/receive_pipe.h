/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * --read=-: a recording that comes from a pipe.
 */
#ifndef TBUFCTL_RUN_RECEIVE_PIPE_H
#define TBUFCTL_RUN_RECEIVE_PIPE_H

#include <stdbool.h>

struct options;
struct tbuf_consumer;

/*
 * Returns true if all of the pipe is to be recorded in a directory:
 * pipe_record() copies its packets as they come.
 */
bool	pipe_is_copied(const struct options *);
int	pipe_record(const struct options *);

/*
 * Receives the pipe up to its end, and makes the consumer read it, as by
 * --read=DIR.  Return 0, or an exit status after a message.
 */
int	pipe_read_open(struct tbuf_consumer *);

#endif
