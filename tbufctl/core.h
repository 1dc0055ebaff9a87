/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * --core: a core file, which may be compressed.
 */
#ifndef TBUFCTL_CORE_H
#define TBUFCTL_CORE_H

#include <stdbool.h>

struct tbuf_consumer;

/* Have the consumer read it: 0, or an exit status after a message. */
int	core_open(struct tbuf_consumer *, const char *path, bool quiet);

#endif
