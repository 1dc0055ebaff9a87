/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Receives a recording from a pipe (--read=-): its packets become a recording
 * in a directory, without being decoded.
 */
#ifndef TBUFCTL_RECORD_RECEIVE_H
#define TBUFCTL_RECORD_RECEIVE_H

#include <stdbool.h>
#include <stdint.h>

#include <tbuf_consumer.h>

#include "pipe_read.h"
#include "recording.h"

/* Sums of a pipe. */
struct received {
	uint64_t lost, repeated;	/* packets */
	uint64_t records;		/* in packets that were lost */
	bool any;			/* it had a packet */
	bool ended;			/* it had its last packet */
	struct tbuf_totals totals;	/* lost records are overwritten */
};

/*
 * Receives all packets of a pipe, up to its end, and stores their sums.
 * Returns 0, or -errno: then *unwritten says if the recording failed, or the
 * pipe did.
 */
int	receive(struct pipe_reader *, struct recording *, struct received *,
	    bool *unwritten);

#endif
