/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The valid pair of a ring.
 */
#ifndef TBUF_SHARED_LANE_PAIR_H
#define TBUF_SHARED_LANE_PAIR_H

#include "layout/lane.h"

/* Reads the valid pair of a ring, both words of one moment. */
void	tbuf_lane_pair(const struct tbuf_lane *, struct tbuf_pair *);

#endif
