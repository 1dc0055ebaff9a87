/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The header of a control file: the target's identity and abilities.
 */
#ifndef TBUF_LAYOUT_CONTROL_H
#define TBUF_LAYOUT_CONTROL_H

#include "layout/common.h"

enum tbuf_clock {
	TBUF_CLOCK_COUNTER = 0,	/* the raw cycle counter */
	TBUF_CLOCK_MONOTONIC = 1, /* ns, vDSO: no invariant counter here */
	TBUF_CLOCK_COARSE = 2	/* ns, CLOCK_MONOTONIC_COARSE */
};

/*
 * control.flags: the target's abilities.  A consumer that needs a missing one
 * refuses the target, and reports both versions: libraries of this major may be
 * too old for a bit or a version of the machine.  The highest 8 bits are the
 * version of the machine's instructions, 0 without a machine; a target runs the
 * instructions of all versions up to its own.  Bit 0x4 is not used.
 */
#define TBUF_F_RSEQ		0x1u	/* rseq: CPU lanes make sense */
#define TBUF_F_COPYIN		0x2u	/* a fire may read its own memory */
#define TBUF_F_THREAD_LANE	0x8u	/* binds thread lanes */
#define TBUF_F_SELECTION	0x10u	/* its probes have selection masks */
#define TBUF_F_TURNS		0x20u	/* obeys slot.turn */
#define TBUF_F_VARIABLES	0x40u	/* variables of threads, and arrays */
#define TBUF_F_ELEMENTS		0x80u	/* arrays can have initial elements */
#define TBUF_F_SAVED		0x100u	/* no ability: a copy of a recorder that
					   its program has saved */
#define TBUF_F_MACHINE_SHIFT	24
#define TBUF_F_MACHINE(version)	((uint32_t)(version) << TBUF_F_MACHINE_SHIFT)
#define TBUF_MACHINE_VERSION	2	/* current version of the machine */
#define TBUF_MACHINE_SNAPSHOT	2	/* the first with snapshot(); programs
					   without it need version 1 */

/* Returns the bits of `needs` that are missing in `flags`, 0 if none. */
static inline uint32_t
tbuf_flags_lack(uint32_t flags, uint32_t needs)
{
	uint32_t bits = TBUF_F_MACHINE(1) - 1, lack = needs & ~flags & bits;

	if ((flags & ~bits) < (needs & ~bits))
		lack |= needs & ~bits;
	return (lack);
}

/* control.stage: the target's stage of life */
enum tbuf_stage {
	TBUF_STAGE_WAITING = 0,	/* made by a consumer for a command (-c) */
	TBUF_STAGE_LIVE = 1,	/* a target has it */
	TBUF_STAGE_EXITED = 2	/* the target ended by exit(3) */
};

/*
 * The tables of the fixed part, with an entry for each of `entries` probes, on
 * page boundaries, one after the other in this order.
 */
struct tbuf_tables {
	uint32_t entries;	/* a multiple of TBUF_NPROBES_MIN */
	uint32_t strings_size;	/* bytes of the string heap */
	uint32_t enable;	/* offset: uint32_t[entries] */
	uint32_t probes;	/* offset: struct tbuf_probe_entry[entries] */
	uint32_t strings;	/* offset of the string heap */
	uint32_t areas;		/* offset of the first session area */
};

/*
 * control.mappings: the executable mappings that a program had when it began,
 * as lines of /proc/PID/maps in the string heap, if a session had TBUF_S_NAMES
 * by then.  A session's consumer writes other mappings (later ones, or all if
 * there was no such session) into its area (tbuf_session.mappings).  Either has
 * at most TBUF_MAPPINGS_MAX bytes.
 */
#define TBUF_MAPPINGS(offset, bytes) ((uint64_t)(offset) << 32 | (bytes))
#define TBUF_MAPPINGS_MAX 65536u	/* bytes */

struct tbuf_control {
	char magic[8];		/* (i) TBUF_MAGIC */
	uint32_t byte_order;	/* (i) */
	uint16_t major;		/* (i) */
	uint16_t minor;		/* (i) */
	uint32_t control_size;	/* (i) sizeof(struct tbuf_control) */
	uint32_t slot_size;	/* (i) sizeof(struct tbuf_slot) */
	uint32_t probe_size;	/* (i) sizeof(struct tbuf_probe_entry) */
	uint32_t lane_size;	/* (i) sizeof(struct tbuf_lane) */
	struct tbuf_tables tables; /* (i) */
	uint32_t clock;		/* (i) enum tbuf_clock */
	uint32_t flags;		/* (i) TBUF_F_* */
	uint32_t stage;		/* (t) enum tbuf_stage; published by release */
	uint32_t pid;		/* (i) in the target's own pid namespace */
	uint32_t uid;		/* (i) effective */
	uint32_t filters;	/* (i) seccomp filters when the target began */
	uint64_t start;		/* (i) start time, field 22 of /proc/PID/stat */
	uint64_t random;	/* (i) the random part of the file's name */
	uint64_t window;	/* (i) bytes the target has mapped */
	uint64_t pid_namespace;	/* (i) inode of it; 0: not known */
	uint64_t mappings;	/* (t) TBUF_MAPPINGS, or 0; by release */
	uint32_t fatal;		/* (t) the signal that ends it, if known */
	uint32_t units;		/* (l) bits of slots with sessions that may have
				   unit tables */
	uint64_t image;		/* (i) number of the exec image, equal in all
				   copies of the library in it; 0: unknown */
	struct tbuf_moment birth; /* (i) when the target began */
	char comm[48];		/* (i) base name of its program, with a NUL */
	char execname[16];	/* (i) the kernel's name for it, with a NUL */

	/* fields that change */
	uint32_t nprobes;	/* (t) entries of the probe table */
	uint32_t strings;	/* (t) bytes of the string heap in use */
	uint32_t lost_probes;	/* (t) sites without room for their probes */
	uint32_t registering;	/* (t) threads that match new probes now */
	uint64_t generation;	/* (l) the last one drawn */
	uint64_t end;		/* (l) offset of the file's end */
	uint32_t state[TBUF_NSESSIONS]; /* (a) enum tbuf_state */
};

/*
 * Another process's order for the target's text trace, at TBUF_TEXT_ORDER in
 * the header's page (tbuf_text(3)).  Consumers exclude each other by a lock of
 * the file; `sequence' is odd while one writes.  A consumer sets `pending'
 * after it has written, and the target clears it before it reads.
 */
struct tbuf_text_order {
	uint32_t pending;	/* (a) there is an order to be taken */
	uint32_t sequence;	/* (l) */
	char setting[1024];	/* (l) NUL-terminated */
	uint64_t ticket;	/* (l) of a path (shared/text_ticket.h) */
};

TBUF_ASSERT_OFFSET(tbuf_control, tables, 32);
TBUF_ASSERT_OFFSET(tbuf_control, stage, 64);
TBUF_ASSERT_OFFSET(tbuf_control, start, 80);
TBUF_ASSERT_OFFSET(tbuf_control, window, 96);
TBUF_ASSERT_OFFSET(tbuf_control, fatal, 120);
TBUF_ASSERT_OFFSET(tbuf_control, birth, 136);
TBUF_ASSERT_OFFSET(tbuf_control, comm, 160);
TBUF_ASSERT_OFFSET(tbuf_control, execname, 208);
TBUF_ASSERT_OFFSET(tbuf_control, nprobes, 224);
TBUF_ASSERT_OFFSET(tbuf_control, generation, 240);
TBUF_ASSERT_OFFSET(tbuf_control, state, 256);
_Static_assert(sizeof(struct tbuf_tables) == 24, "tbuf_tables");
_Static_assert(sizeof(struct tbuf_control) == 384, "tbuf_control");
_Static_assert(sizeof(struct tbuf_control) <= TBUF_TEXT_ORDER &&
    TBUF_TEXT_ORDER + sizeof(struct tbuf_text_order) <= TBUF_SLOTS,
    "the header's page");

#endif
