/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Hints: how there would be probes where no probe matched.
 */
#ifndef TBUFCTL_RUN_HINTS_H
#define TBUFCTL_RUN_HINTS_H

#include <stdbool.h>

struct options;
struct tbuf_consumer;

/*
 * After the run of a command: names --follow if the command may execute other
 * programs, and -x usdt if it may load libraries, unless they were given, or
 * all that matched nothing describe functions.
 */
void	hints_tell_command(const struct options *, struct tbuf_consumer *,
	    bool of_functions);

/*
 * After -p of a process without libtbuf: says that it can be sampled, unless
 * that is done, and unless `told` has said so how it would have probes.
 */
void	hints_tell_process(bool sampled, bool told);

#endif
