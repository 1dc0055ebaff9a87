/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The bytes that files of a run may take.
 */
#ifndef TBUF_CONSUMER_RUN_BUDGET_H
#define TBUF_CONSUMER_RUN_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "consumer/run/run.h"

/* The largest control file: larger offsets do not fit lane_of_cpu. */
#define TBUF_FILE_MAX	(UINT64_C(1) << 38)

/* Returns true if a file may grow to this size (RLIMIT_FSIZE). */
bool	tbuf_budget_file(uint64_t size);

/*
 * Computes the bytes that the buffers of one consumer may take in the file
 * systems of its targets: TBUF_MAXSIZE, or half of the least room.  Returns 0,
 * -EINVAL if TBUF_MAXSIZE is not a size.
 */
int	tbuf_budget(struct tbuf_consumer *, uint64_t *bytes);

/*
 * Take from the remaining budget, and return to it.  tbuf_budget_take() returns
 * false if less than `bytes` remains.
 */
bool	tbuf_budget_take(struct tbuf_consumer *, uint64_t bytes);
void	tbuf_budget_give(struct tbuf_consumer *, uint64_t bytes);

#endif
