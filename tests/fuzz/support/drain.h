/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads everything that a consumer returns.
 */
#ifndef FUZZ_DRAIN_H
#define FUZZ_DRAIN_H

#include "tbuf_consumer.h"

/* Takes all events, and reads every byte of their arguments. */
void	drain(struct tbuf_consumer *);

/* Takes packets while there are records, then the remaining events. */
void	drain_packets(struct tbuf_consumer *);

/* Lists all probes. */
void	drain_list(struct tbuf_consumer *);

#endif
