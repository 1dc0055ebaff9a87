/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The path of a fire from its site to the sessions that trace it.
 */
#ifndef TBUF_TARGET_FIRE_FIRE_H
#define TBUF_TARGET_FIRE_FIRE_H

#include "target/target.h"

/* Sets the entry point of a site by its arguments. */
void	tbuf_fire_choose(struct tbuf_site *) TBUF_HIDDEN;

#endif
