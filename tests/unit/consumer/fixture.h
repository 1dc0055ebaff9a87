/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A target made by hand: a control file of a process that only waits, with
 * probes and records that the test writes into it.
 */
#ifndef TESTS_UNIT_CONSUMER_FIXTURE_H
#define TESTS_UNIT_CONSUMER_FIXTURE_H

#include <check.h>

#include "consumer/attach/attach.h"
#include "consumer/decode/probe_ids.h"
#include "consumer/files/files.h"
#include "consumer/read/events.h"
#include "consumer/run/run.h"
#include "consumer/target/target.h"
#include "consumer/util/clock_sync.h"
#include "consumer/util/util.h"
#include "layout/layout.h"

struct fake {
	char directory[64];
	int dirfd;
	pid_t pid;
	char name[TBUF_NAME_MAX];
	int fd;
	struct tbuf_tables tables;
	struct tbuf_control *control;	/* the fixed part */
	unsigned char *file;		/* all of it, after fake_map() */
	size_t size;
	uint64_t time;			/* of the next record */
};

/* Makes a live target with rseq, in its own runtime directory. */
void	fake_begin(struct fake *);
void	fake_end(struct fake *);

/* Kills its process, and waits for the end. */
void	fake_kill(struct fake *);

/* Adds a probe fake:module:function:NAME (a0, a1, ...).  Returns its index. */
uint32_t fake_probe(struct fake *, const char *name, unsigned nargs,
	    const uint8_t *types);

/* Makes it a target of this consumer, without a search. */
struct tbuf_target *fake_grab(struct fake *, struct tbuf_consumer *);

/* Maps the file at its current size; the slot is the first session's. */
void	fake_map(struct fake *);
struct tbuf_slot *fake_slot(struct fake *);
struct tbuf_lane *fake_lane(struct fake *, uint32_t lane);

/*
 * Writes as a target would: a record with these data, or a drop if there is no
 * room.  Returns true if the record was stored.
 */
bool	fake_record(struct fake *, uint32_t lane, uint16_t epid,
	    const void *data, size_t size);

/* Returns the first EPID of a probe, 0 if it has none. */
uint16_t fake_epid(struct fake *, uint32_t probe);

/* Makes a consumer with options "name=value ..." that enables all probes. */
struct tbuf_consumer *fake_consumer(const char *options);

/* Starts a run of such a consumer with the target, and maps the file. */
struct tbuf_consumer *fake_session(struct fake *, const char *options);

/* Sums over all events of a round; fake_drain() begins the round itself. */
struct tally {
	uint64_t records, drops[3], overwritten, damage, lost, unmet;
	uint64_t unit_drops;
	unsigned exits;
	bool many;			/* several lanes may share a CPU */
	uint64_t last_time;
	int64_t first, last;		/* first argument of the records */
};
void	fake_drain(struct tbuf_consumer *, unsigned what, struct tally *);
void	fake_tally(struct tbuf_consumer *, struct tally *);

#endif
