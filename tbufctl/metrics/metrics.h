/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The state of --format=prometheus.
 */
#ifndef TBUFCTL_METRICS_METRICS_H
#define TBUFCTL_METRICS_METRICS_H

#include "family.h"
#include "print/format.h"

/* All families of tbufctl's own; a file has those of its command. */
enum {
	BUFFER_RECORDS,		/* --stat */
	BUFFER_OVERWRITTEN,
	BUFFER_DROPS,
	BUFFER_FILL,
	BUFFER_SIZE,
	LEFT_FILES,		/* --left */
	LEFT_BYTES,
	UNITS,			/* --units=stat */
	UNIT_FAILURES,
	UNIT_DURATION,
	FAMILIES
};

struct metrics {
	struct family families[FAMILIES];
	int first, last;	/* families of this command */
	struct output labels;	/* of the present row */
	void *rows;		/* labels of all rows, for tsearch(3) */
	uint64_t left_files, left_bytes;
};

#endif
