/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A clock for the begins and ends of units, in place of the record clock.  The
 * files of the library that read it include this header first.
 */
#ifndef TESTS_GUEST_SUPPORT_UNIT_CLOCK_H
#define TESTS_GUEST_SUPPORT_UNIT_CLOCK_H

#include "target/unit/unit.h"

uint64_t unit_clock(void);

#define tbuf_unit_clock()	unit_clock()
#define tbuf_counter_glance()	unit_clock()

#endif
