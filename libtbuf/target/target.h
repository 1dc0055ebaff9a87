/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Definitions for all files of the target side.  Its parts have their own
 * headers:
 *	self.h		this process
 *	thread.h	the calling thread
 *	file.h, probe_table.h	the control file and its table of probes
 *	lane.h, pack.h	a record, from its arguments into a lane
 *	thread_lane.h		a thread's own lane, from the session's pool
 *	inflight.h		fires at a lock lane while their thread forks
 *	unit.h		work units: records that wait for an outcome
 *	clause.h	a probe's programs, if it has any
 *	fire.h		from a site to the sessions that trace it
 *	recorder.h	a session that the program itself has begun
 *	last_records.h, fatal_signal.h	the last records, at the end
 *	process.h	start of the process, and of forked children
 */
#ifndef TBUF_TARGET_TARGET_H
#define TBUF_TARGET_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/atomics.h"
#include "layout/layout.h"
#include "tbuf.h"

#define TBUF_HIDDEN	__attribute__((visibility("hidden")))

/*
 * ELF section of data that a forked child writes, and that each program writes
 * at its start: each page of it is a copy that a fork or an exec costs.
 */
#define TBUF_FORKED	__attribute__((section("tbuf_forked")))

/*
 * ELF section of code of fires with strings, and of a unit's begin and end.  It
 * runs with caches full of the program's data: each page and line of code costs
 * more than its instructions.
 */
#define TBUF_FIRES	__attribute__((section(".text.hot.tbuf_fires")))

#endif
