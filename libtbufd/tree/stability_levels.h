/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The levels and classes of struct d_stability, from the lowest on, as DTrace
 * has them.
 */
#ifndef LIBTBUFD_TREE_STABILITY_LEVELS_H
#define LIBTBUFD_TREE_STABILITY_LEVELS_H

#include "tbufd.h"

enum { INTERNAL, PRIVATE, OBSOLETE, EXTERNAL, UNSTABLE, EVOLVING, STABLE,
	STANDARD };
enum { UNKNOWN, CPU, PLATFORM, GROUP, ISA, COMMON };

/* The language's own names have Stable/Stable/Common. */
extern const struct d_stability d_stable;

#endif
