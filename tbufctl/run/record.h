/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Records a run (--record) in place of printing its records.
 */
#ifndef TBUFCTL_RUN_RECORD_H
#define TBUFCTL_RUN_RECORD_H

#include <sys/types.h>

#include <stdbool.h>
#include <stdint.h>

#include <tbuf_consumer.h>

struct options;
struct tbuf_d_script;

/*
 * record_open() opens the directory of --record, or the pipe.  record_check()
 * refuses options, and clauses that print.  Return 0, or an exit status after a
 * message.
 */
int	record_open(const struct options *);
int	record_check(const struct options *, struct tbuf_consumer *,
	    const struct tbuf_d_script *);

/*
 * Adds the packets of this drain, and calls a function for their losses and
 * faults.  Sets *any if there are records.  Returns 0, or an exit status after
 * a message: then all later records are lost.
 */
int	record_drain(const struct options *, struct tbuf_consumer *,
	    void (*event)(void *, const struct tbuf_event *), void *arg,
	    bool *any);

/*
 * Returns true if no more packets are recorded: one was not written, or the
 * pipe has no reader.
 */
bool	record_failed(void);

/* Completes the recording of a process, or all.  Return as record_drain(). */
int	record_ended(const struct options *, pid_t);
int	record_close(const struct options *);

/*
 * record_snapshot() makes the next drain a recording of its own;
 * record_snapshot_end() completes it, and stores its records.
 */
int	record_snapshot(const struct options *);
int	record_snapshot_end(const struct options *, uint64_t *records);

/*
 * Sets the records that the recording has, without snapshots; those that were
 * removed with chunks are overwritten.
 */
void	record_total(struct tbuf_totals *);

#endif
