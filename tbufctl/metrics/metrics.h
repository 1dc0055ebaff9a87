/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The state of --format=prometheus.
 */
#ifndef TBUFCTL_METRICS_METRICS_H
#define TBUFCTL_METRICS_METRICS_H

#include "family.h"
#include "print/format.h"
#include "series.h"

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
	UNIT_SLOW,
	UNIT_DURATION,
	RUN_RECORDS,		/* runs */
	RUN_OVERWRITTEN,
	RUN_DROPS,
	RUN_OTHER_KEYS,
	FAMILIES
};

#define RUN_OTHER_LOSSES	6

struct metrics {
	struct family families[FAMILIES];
	int first, last;	/* families of this command */
	struct output labels;	/* of the present row */
	void *rows;		/* labels of all rows, for tsearch(3) */
	uint64_t left_files, left_bytes;

	/* Runs */
	struct tbuf_consumer *consumer;
	uint64_t drops[3];	/* by enum tbuf_cause */
	uint64_t lost[RUN_OTHER_LOSSES];
	uint64_t due;		/* the next metrics_turn(), ns */
	bool failed;		/* the file could not be written */
	struct metric *all;	/* of aggregations */
	size_t count;
};

/* run_metrics.c: operations of the format, and all samples of a run. */
void	metrics_losses(struct format *, const struct loss *, size_t);
void	metrics_count(struct format *, const struct tbuf_event *);
void	metrics_sample_run(struct metrics *);

#endif
