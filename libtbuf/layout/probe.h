/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Probes, and their ECBs in a session.
 */
#ifndef TBUF_LAYOUT_PROBE_H
#define TBUF_LAYOUT_PROBE_H

#include "layout/common.h"

#define TBUF_CODE_MAX	0xffffu	/* codes are from 1 on */

struct tbuf_probe_entry {
	uint32_t ready;		/* (t) 0 empty, 1 ready; published by release */
	uint32_t sites;		/* (t) sites that exist; 0 after dlclose */
	uint32_t provider;	/* (i) offsets into the string heap */
	uint32_t module;
	uint32_t function;
	uint32_t name;
	uint32_t argnames;	/* (i) nargs strings, one after the other */
	uint32_t hash;		/* (i) of the four fields and the types */
	uint8_t nargs;		/* (i) */
	uint8_t types[TBUF_NARGS]; /* (i) enum tbuf_type */
	uint8_t reserved0;
	uint32_t alias;		/* (i) index + 1 of an alias's elder; 0: none */
	uint32_t selection;	/* (t) mask for units; 0: TBUF_SELECTED */
	uint32_t code;		/* (t) of an event list; 0: none */
	uint64_t semaphore;	/* (t) address of struct tbuf_semaphore, or 0 */
};

/*
 * A probe may be an alias: each of its sites stands where one of another probe
 * stands, its elder, with another name.  An enabling that matches the elder, or
 * one that the elder is an alias of, has no ECB on the alias: so it records
 * once each time such a place is reached [inv.alias].  The elder has the lower
 * index.  Two probes of equal names and types have different elders.
 */
#define TBUF_ELDERS_MAX	32u	/* that are looked at */

/*
 * The address of a USDT semaphore: a 16-bit word that tracers increment, and
 * that a program may test before it prepares a probe's arguments.  This
 * structure and the word are in the target's memory, which consumers reach by
 * /proc/PID/mem.  Consumers own one bit of the word's high byte
 * (TBUF_SEMAPHORE), set as long as one of the word's probes is enabled.
 */
struct tbuf_semaphore {
	uint64_t check;		/* TBUF_SEMAPHORE_CHECK ^ its own address */
	uint64_t word;		/* address */
};

#define TBUF_SEMAPHORE		0x40u
#define TBUF_SEMAPHORE_CHECK	UINT64_C(0x9d3e71c5a80f264b)

/*
 * An ECB: an enabling on a probe.  Its index in the table is the EPID; EPID 0
 * is not used.  A chain head, one for each entry of the probe table, and
 * `next` chain a probe's ECBs in rising order of their enabling.  Entries are
 * not removed during a session.  TBUF_HEAD_MORE is set before a second ECB is
 * linked, so that a fire of a probe with one ECB need not read the table;
 * and TBUF_HEAD_PROGRAM before an ECB with a program is linked.
 *
 * A clause that stores several records has as many ECBs, one after the other
 * in the table, one for each record; only the first is in the chain.  In a
 * session with clauses the last two EPIDs do not belong to ECBs:
 * TBUF_EPID_FAULT is that of records that report a fault, TBUF_EPID_COMMIT
 * that of commit records.
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
	uint16_t next;		/* (a) EPID of the next one; 0: the last */
};

_Static_assert(sizeof(struct tbuf_probe_entry) == 64, "tbuf_probe_entry");
_Static_assert(sizeof(struct tbuf_ecb) == 8, "tbuf_ecb");
_Static_assert(TBUF_HEAD_EPID + 1 == TBUF_ECBS_MAX, "EPIDs");

#endif
