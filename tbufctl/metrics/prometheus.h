/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * --format=prometheus: figures as metrics, for a scrape or for the textfile
 * collector of node_exporter.
 */
#ifndef TBUFCTL_METRICS_PROMETHEUS_H
#define TBUFCTL_METRICS_PROMETHEUS_H

#include "print/format.h"

/*
 * Makes a format write metrics, if that is its format; else these functions do
 * nothing.
 */
void	metrics_begin(struct format *);
void	metrics_end(struct format *);

struct tbuf_d_script;

/*
 * Runs: metrics_check() returns 0, or an exit status after a message, if -x
 * metric does not suit the script.  metrics_run() begins; metrics_turn() writes
 * the file of -o, if aggrate says so, as metrics_write().
 */
int	metrics_check(const struct options *, const struct tbuf_d_script *);
void	metrics_run(struct format *, struct tbuf_consumer *,
	    const struct tbuf_d_script *);
int	metrics_turn(struct format *);

/* --units=stat: the heading, and a kind's units; `pid` is the one to print. */
void	metrics_units_begin(struct format *);
void	metrics_units(struct format *, pid_t pid,
	    const struct tbuf_unit_figures *);

/*
 * Writes the metrics of all rows since the last call: to the output, or in
 * place of the file of -o.  Returns 0, or an exit status after a message.
 */
int	metrics_write(struct format *);

#endif
