/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The record clock: the raw cycle counter where it is invariant, else ns of
 * CLOCK_MONOTONIC.
 */
#ifndef TBUF_BASE_CLOCK_H
#define TBUF_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "layout/layout.h"

/*
 * Which clock a target on this machine should stamp with.  The kernel is asked
 * whether it trusts the counter, unless that is known.
 */
enum tbuf_clock tbuf_clock_choose(bool trusted);

/*
 * Returns true if TBUF_CLOCK demands the counter: the user knows that it is
 * fit, where a kernel was told that it is not (tsc=unstable).
 */
bool	tbuf_clock_demanded(void);

/* The clock's reading now, after all earlier loads. */
uint64_t tbuf_clock_read(enum tbuf_clock);

/* This run of the machine, as a number; 0: not known. */
uint64_t tbuf_boot(void);

/* One moment by all three clocks, as close together as can be had. */
void	tbuf_moment_take(enum tbuf_clock, struct tbuf_moment *);

#endif
