/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * USDT sites of the processes of -p that are wanted and not armed.
 */
#ifndef TBUFCTL_RUN_UNARMED_H
#define TBUFCTL_RUN_UNARMED_H

#include <stdbool.h>

struct options;
struct tbuf_consumer;

/*
 * Reports such sites as the report of the usdt provider does for a command, or
 * that the processes lack the provider.  Returns true if it has reported why a
 * process without libtbuf does not have them.
 */
bool	unarmed_tell(const struct options *, struct tbuf_consumer *);

/* Returns true if one of the processes has the usdt provider. */
bool	unarmed_has_provider(const struct options *);

#endif
