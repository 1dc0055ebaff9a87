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
 * Returns the clock for time stamps of a target on this computer.  Asks the
 * kernel whether it trusts the counter, unless `trusted` says so already.
 */
enum tbuf_clock tbuf_clock_choose(bool trusted);

/*
 * Returns true if TBUF_CLOCK demands the counter: the user knows that it is
 * fit, although the kernel was booted with tsc=unstable.
 */
bool	tbuf_clock_demanded(void);

/* Reads the clock, after all earlier loads. */
uint64_t tbuf_clock_read(enum tbuf_clock);

/* Returns a number for this boot of the system, 0 if it is not known. */
uint64_t tbuf_boot(void);

/* Reads all three clocks, as close together as possible. */
void	tbuf_moment_take(enum tbuf_clock, struct tbuf_moment *);

#endif
