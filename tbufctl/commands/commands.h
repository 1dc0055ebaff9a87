/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Commands: modes of tbufctl other than tracing.  Each returns an exit status,
 * after a message if it is not 0.
 */
#ifndef TBUFCTL_COMMANDS_COMMANDS_H
#define TBUFCTL_COMMANDS_COMMANDS_H

struct options;
struct output;
struct tbuf_consumer;
struct tbuf_d_script;

/* -h and -G: make files from a provider file, as dtrace(1) does. */
int	header_run(struct options *);

/* --left: lists or removes the files of dead processes. */
int	left_run(const struct options *, struct output *);

/*
 * -l: lists probes.  The consumer has its targets, and nothing is enabled yet.
 * The script is that of the programs on the command line, or NULL.
 */
int	list(struct tbuf_consumer *, struct options *, struct output *,
	    const struct tbuf_d_script *);

/* -l --object: lists the USDT probes in the notes of a file. */
int	list_object(const struct options *, struct output *);

/* --set: changes text traces, and rules for keeping work units. */
int	set_run(const struct options *);

/* --stat: shows the buffers of all sessions. */
int	stat_run(const struct options *, struct output *);

/*
 * --units: shows work units that have not ended, or figures of those that
 * have.
 */
int	units_run(const struct options *, struct output *);

/* --unwrap: prints a text trace in memory, in order. */
int	unwrap_run(const struct options *, struct output *);

#endif
