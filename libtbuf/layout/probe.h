/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Probes, and their ECBs in a session.
 */
#ifndef TBUF_LAYOUT_PROBE_H
#define TBUF_LAYOUT_PROBE_H

#include "layout/common.h"

struct tbuf_probe_entry {
	uint32_t ready;		/* (t) 0 empty, 1 ready; published by release */
	uint32_t sites;		/* (t) sites that stand; 0: gone (dlclose) */
	uint32_t provider;	/* (i) offsets into the string heap */
	uint32_t module;
	uint32_t function;
	uint32_t name;
	uint32_t argnames;	/* (i) nargs strings, one after the other */
	uint32_t hash;		/* (i) of the four fields and the types */
	uint8_t nargs;		/* (i) */
	uint8_t types[TBUF_NARGS]; /* (i) enum tbuf_type */
	uint8_t kind;		/* (later, i) of the event registry */
	uint16_t code;		/* (later, i) of the event registry */
	uint16_t reserved0;
	uint32_t selection;	/* (t) a work unit's mask; 0: TBUF_SELECTED */
	uint32_t reserved1;
	uint64_t semaphore;	/* (t) address of struct tbuf_semaphore, or 0 */
};

/*
 * A program may test a word of 16 bits before it prepares a probe's arguments:
 * a semaphore of USDT, which tracers count up.  Where it is stands in the
 * target's memory, which consumers reach by /proc/PID/mem.  Of the word's high
 * byte one bit is theirs, set as long as one of the word's probes is enabled.
 */
struct tbuf_semaphore {
	uint64_t check;		/* TBUF_SEMAPHORE_CHECK ^ its own address */
	uint64_t word;		/* address */
};

#define TBUF_SEMAPHORE		0x40u
#define TBUF_SEMAPHORE_CHECK	UINT64_C(0x9d3e71c5a80f264b)

/*
 * An ECB: a probe under an enabling.  Its index in the table is the EPID; 0
 * is none.  A probe's head, one for each entry of the probe table, and `next`
 * chain its ECBs in rising order of their enabling.  Entries are never taken
 * back in a session.  A head has TBUF_HEAD_MORE set before a second ECB is
 * linked behind it, so that a fire need not look at the table where there is
 * one alone; and TBUF_HEAD_PROGRAM before one that has a program is linked.
 *
 * A clause that leaves several records has as many ECBs, one after the other
 * in the table, of which the first alone is in the chain: its records have the
 * EPIDs of these.  Where there are clauses the last two EPIDs are no ECB's:
 * TBUF_EPID_FAULT is that of records that tell a fault, TBUF_EPID_COMMIT of
 * those that a commit() leaves.
 */
#define TBUF_HEAD_EPID	0xffffu
#define TBUF_HEAD_MORE	0x10000u
#define TBUF_HEAD_PROGRAM 0x20000u
#define TBUF_ECBS_MAX	0x10000u	/* entries, the unused 0 included */
#define TBUF_EPID_FAULT	0xffffu		/* struct tbuf_fault_record */
#define TBUF_EPID_COMMIT 0xfffeu	/* struct tbuf_commit_record */
#define TBUF_EPID_ENVELOPE 0xfffdu	/* struct tbuf_unit_record, records */
#define TBUF_EPID_UNIT	0xfffcu		/* struct tbuf_unit_record */

struct tbuf_ecb {
	uint32_t probe;		/* (i) index in the probe table */
	uint16_t enabling;	/* (i) index of the pattern */
	uint16_t next;		/* (a) EPID, 0: the last */
};

_Static_assert(sizeof(struct tbuf_probe_entry) == 64, "tbuf_probe_entry");
_Static_assert(sizeof(struct tbuf_ecb) == 8, "tbuf_ecb");
_Static_assert(TBUF_HEAD_EPID + 1 == TBUF_ECBS_MAX, "EPIDs");

#endif
