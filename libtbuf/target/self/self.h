/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Facts about this process that fires have to know.
 */
#ifndef TBUF_TARGET_SELF_SELF_H
#define TBUF_TARGET_SELF_SELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/safe_read.h"
#include "target/target.h"

/* What else a fire has to know; written once, before tbuf_local is set. */
struct tbuf_self {
	uint64_t window;	/* bytes mapped from the base */
	uint64_t file_limit;	/* RLIMIT_FSIZE when it began */
	struct tbuf_tables tables; /* a forked child has its parent's, too */
	enum tbuf_clock clock;
	/* When it began (process_info.c); argc and argv are 0 if nobody knows. */
	uint32_t ppid, pgid, sid, terminal;
	uint32_t gid, euid, egid;
	uint32_t argc;
	uint64_t argv;
	char arguments[256];
	char execname[16];
	bool rseq;		/* CPU lanes may be used */
	bool cpu_readable;	/* tbuf_counter_read_cpu() tells the CPU */
	bool cpu_glanceable;	/* tbuf_counter_glance_cpu(), too */
	bool filtered;		/* it began under a filter of system calls */
	uint32_t filters;	/* so many; 0: none, or it is not known */
	enum tbuf_peek peek;	/* how it reads what may not be there */
};
extern struct tbuf_self tbuf_self TBUF_HIDDEN;

/* Look at the filters of system calls that there are now. */
void	tbuf_filtered_look(void) TBUF_HIDDEN;

/* Look at how this process began; its time, as a file has it. */
uint64_t tbuf_began(void) TBUF_HIDDEN;

/* Base name of the object that holds an address, cut to size. */
void	tbuf_module_name(const void *address, char *name, size_t size)
	    TBUF_HIDDEN;

#endif
