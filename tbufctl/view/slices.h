/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Makes slices of time of records, for viewers.  A work unit is a slice; so are
 * the records of two probes that are a pair (pairs.h).  Each slice is on a
 * track: its thread's, its unit's, or, if it would not nest there, another.
 *
 *	records --> contexts (threads, units) --> events of tracks
 *
 * A record that begins a slice waits in its context until the slices there have
 * ended, as only then it is known which of them nest.  The events of a track
 * are emitted in an order in which slices nest, also those of equal times.
 */
#ifndef TBUFCTL_VIEW_SLICES_H
#define TBUFCTL_VIEW_SLICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <tbuf_consumer.h>

enum slice_track_kind {
	SLICE_THREAD,
	SLICE_UNIT,
	SLICE_OTHER		/* slices that do not nest elsewhere */
};

/* Slices of one track nest. */
struct slice_track {
	enum slice_track_kind kind;
	uint64_t number;	/* from 1, unique in the output */
	pid_t pid;
	uint32_t tid;		/* of a thread's */
	const char *name;	/* of a unit's kind or a slice */
	bool shown;		/* for the format's use; false at first */
	uint64_t end;		/* of the last slice; not of a thread's */
	uint64_t count;		/* for the format's use; 0 at first */
	struct slice_track *next;
};

enum slice_what {
	SLICE_BEGIN,
	SLICE_END,
	SLICE_INSTANT
};

/* `bytes` of them are the arguments, as the format has encoded them. */
struct slice_data {
	size_t size;
	const char *bytes;
};

struct slice_event {
	enum slice_what what;
	struct slice_track *track;
	uint64_t time;		/* ns of CLOCK_MONOTONIC */
	uint64_t end;		/* of a slice, with SLICE_BEGIN */
	uint64_t offset;	/* from these times to those since 1970, ns */
	pid_t pid;
	uint32_t tid;
	const char *execname;
	const char *name;
	const char *category;	/* the provider */
	bool incomplete;	/* records were lost while it was open */
	bool by_value;		/* its records have the same first argument */
	struct slice_data data;
	struct slice_data end_data;	/* SLICE_BEGIN: those of its end */
	const struct tbuf_unit_info *unit;	/* the unit that the slice is */
};

struct slices {
	void (*emit)(void *, const struct slice_event *);
	void *argument;
	uint64_t unpaired;	/* records without a partner */
	uint64_t paired;	/* slices of two records */
	/* private */
	struct slice_state *state;
};

void	slices_init(struct slices *);

/* Takes a record.  The data is copied if it has to wait. */
void	slices_record(struct slices *, const struct tbuf_record *,
	    struct slice_data);

/* Records of a process were lost: slices at that time are incomplete. */
void	slices_lost(struct slices *, const struct tbuf_event *);

/* Ends the present unit: no more of its records come. */
void	slices_unit_end(struct slices *);

/* Emits all that waits of a process that has ended, or of all (0). */
void	slices_finish(struct slices *, pid_t);

/* Returns a track of a process for events that are in no thread. */
struct slice_track *slices_other(struct slices *, pid_t, const char *name,
	    uint64_t time);

/* Returns the program of a process that has had records, or "". */
const char *slices_program(const struct slices *, pid_t);

/* Makes each track be shown again, in a new file. */
void	slices_restart(struct slices *);

void	slices_free(struct slices *);

#endif
