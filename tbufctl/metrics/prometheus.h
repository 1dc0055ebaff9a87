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
