/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Facts about this process that fires need.
 */
#ifndef TBUF_TARGET_SELF_SELF_H
#define TBUF_TARGET_SELF_SELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/safe_read.h"
#include "target/target.h"

/* Facts about this process; written once, before tbuf_local is set. */
struct tbuf_self {
	uint64_t window;	/* bytes mapped from the base */
	uint64_t file_limit;	/* RLIMIT_FSIZE at its start */
	struct tbuf_tables tables; /* a forked child has its parent's */
	enum tbuf_clock clock;
	/*
	 * The process at its start (process_info.c); argc and argv are 0 if
	 * unknown.
	 */
	uint32_t ppid, pgid, sid, terminal;
	uint32_t gid, euid, egid;
	uint32_t argc;
	uint64_t argv;
	char arguments[256];
	char execname[16];
	bool leads;		/* it led its session when it began */
	bool rseq;		/* CPU lanes may be used */
	bool cpu_readable;	/* tbuf_counter_read_cpu() returns the CPU */
	bool cpu_glanceable;	/* tbuf_counter_glance_cpu() does, too */
	bool filtered;		/* it started under a seccomp filter */
	uint32_t filters;	/* number of filters; 0: none or unknown */
	enum tbuf_peek peek;	/* how it reads memory that may be unmapped */
};
extern struct tbuf_self tbuf_self TBUF_HIDDEN;

/* Sets filtered, filters and peek from the seccomp filters there are now. */
void	tbuf_filtered_look(void) TBUF_HIDDEN;

/*
 * Describes the start of this process, whose pid is known.  Returns its time,
 * as in the control file.  `ticks': a forked child may find it by
 * tbuf_start_tick().
 */
uint64_t tbuf_began(pid_t pid, bool ticks) TBUF_HIDDEN;

/* Copies the base name of the object that contains an address, cut to size. */
void	tbuf_module_name(const void *address, char *name, size_t size)
	    TBUF_HIDDEN;

#endif
