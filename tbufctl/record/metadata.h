/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The metadata of a recorded target, in TSDL of CTF 1.8.
 */
#ifndef TBUFCTL_RECORD_METADATA_H
#define TBUFCTL_RECORD_METADATA_H

#include <stdbool.h>
#include <stdint.h>

#include <tbuf_consumer.h>

#include "interned.h"
#include "stream.h"

struct output;

struct metadata {
	uint8_t uuid[CTF_UUID];
	const uint8_t *clock_uuid;
	pid_t pid;
	uint64_t target, generation;
	char execname[16];
	bool nanoseconds;
	bool classes[CTF_CLASSES];	/* that the trace has streams of */
	bool faults;		/* of clauses are among the records */
	struct tbuf_calibration calibration[2];
	uint64_t covered;	/* ns between its points at the last change */
	char **events;		/* by EPID: name and fields, or NULL */
	unsigned nevents;
	bool complete;		/* all of these EPIDs have a probe */
	struct interned interned;
};

/* Begins the metadata of a packet's session, and makes its UUID. */
void	metadata_begin(struct metadata *, const uint8_t *clock_uuid,
	    const struct tbuf_packet *);

bool	metadata_is_of(const struct metadata *, const struct tbuf_packet *);

/*
 * Adds the class of a packet's stream, the events with new EPIDs of its
 * session, and the interned texts of its records.  Returns true if there are
 * any, if the clock is known over twice the time, or all units are: the
 * metadata have to be written before the packet.
 */
bool	metadata_update(struct metadata *, struct tbuf_consumer *,
	    const struct tbuf_packet *);

void	metadata_write(const struct metadata *, struct output *);
void	metadata_free(struct metadata *);

#endif
