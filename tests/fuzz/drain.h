/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Look at everything that a consumer gives.
 */
#ifndef FUZZ_DRAIN_H
#define FUZZ_DRAIN_H

#include "tbuf_consumer.h"

/* All events that there are; every byte of their arguments is read. */
void	drain(struct tbuf_consumer *);

/* The same by packets, as far as there are records; then what is left. */
void	drain_packets(struct tbuf_consumer *);

/* All probes. */
void	drain_list(struct tbuf_consumer *);

#endif
