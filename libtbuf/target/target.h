/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What all files of the target side need.  Its parts have headers of their own:
 *
 *	self.h		this process
 *	thread.h	the calling thread
 *	file.h, probe_table.h	the control file and its table of probes
 *	lane.h, pack.h	a record, from its arguments into a lane
 *	thread_lane.h		a lane of the session's pool that is a thread's own
 *	inflight.h		fires that are at a lock lane, when their thread forks
 *	unit.h		work units: records that wait for an outcome
 *	clause.h	a probe's programs, where it has any
 *	fire.h		from a site to the sessions that trace it
 *	recorder.h	a session that the program itself has begun
 *	last_records.h, fatal_signal.h	the last records, when it ends
 *	process.h	its beginning, and what a child of fork may do
 */
#ifndef TBUF_TARGET_TARGET_H
#define TBUF_TARGET_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "tbuf.h"
#include "arch/atomics.h"
#include "layout/layout.h"

#define TBUF_HIDDEN	__attribute__((visibility("hidden")))

/*
 * What a forked child writes, and what each program that begins does, side by
 * side in one section: each page of it is a copy that a fork or an exec costs.
 */
#define TBUF_FORKED	__attribute__((section("tbuf_forked")))

/*
 * Likewise the code of a fire with texts, and of a unit's begin and end.  A
 * program comes to it with its caches full of other things: each page and each
 * line of it costs more than what is done there.
 */
#define TBUF_FIRES	__attribute__((section(".text.hot.tbuf_fires")))

#endif
