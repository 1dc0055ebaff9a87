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
	char **events;		/* by EPID: name and fields, or NULL */
	unsigned nevents;
	bool complete;		/* all of these EPIDs have a probe */
	struct interned interned;
};

/*
 * Describes the events with new EPIDs of a packet's session, and adds the
 * interned texts of its records.  Returns true if there are any.
 */
bool	metadata_add(struct metadata *, struct tbuf_consumer *,
	    const struct tbuf_packet *);

void	metadata_write(const struct metadata *, struct output *);
void	metadata_free(struct metadata *);

#endif
