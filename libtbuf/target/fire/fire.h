/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * From a site to the sessions that trace it.
 */
#ifndef TBUF_TARGET_FIRE_FIRE_H
#define TBUF_TARGET_FIRE_FIRE_H

#include "target/target.h"

/* Give a site the entry point that its arguments ask for. */
void	tbuf_fire_choose(struct tbuf_site *) TBUF_HIDDEN;

#endif
