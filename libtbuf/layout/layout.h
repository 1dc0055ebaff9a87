/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The shared-memory layout of a control file, which target and consumer have
 * in common.  This header is the design; the headers that it includes have the
 * fields, each with the details of its own part.
 *
 * PURPOSE
 *
 * A target (a process that has libtbuf in it) makes one file, its control
 * file, in the runtime directory and maps it once, with a window that reaches
 * past the file's end.  A consumer makes a session by growing the file and
 * writing the session into the new part, which the target's window covers
 * already.  A fire therefore never opens, maps, unmaps or waits.
 *
 *	0         TBUF_SLOTS  tables.enable  .probes   .strings  .areas
 *	+---------+-----------+--------------+---------+---------+-------------+
 *	| control | session   | enable word  | probe   | strings | session     |
 *	| header  | slots, 32 | per probe    | table   |         | areas ...   |
 *	+---------+-----------+--------------+---------+---------+-------------+
 *	tables.areas                      control.end          the window's end
 *	+--------------+---------------+-  -+ - - - - - - - - - - - - - +
 *	| session area | session area  |    |   address space, no file  |
 *	+--------------+---------------+-  -+ - - - - - - - - - - - - - +
 *
 * Everything below tables.areas is the fixed part.  The header has the offsets
 * and sizes of its tables: a target with a limited file or address space has
 * smaller ones.  Pages are backed as they are needed: the target backs the
 * header, and, as probes register, never in a fire, the enable words,
 * the probe table and the strings; a consumer backs the pages of the slot that
 * it takes.  A page is not loaded from or stored to before fallocate(2) has
 * backed it: touching a hole raises SIGBUS when the file system is full.
 *
 * A session area (drawn in shared/session_build.h) holds the session's header,
 * its patterns (enablings as text), the lanes' control words, the parts that a
 * script's clauses need, room for the mappings that its consumer sees, then
 * the chain heads of the probes, the ECB table and the clauses beside it, then
 * the lanes' storage.  Chain heads, ECBs and clauses are backed page by page,
 * by the side that inserts an ECB, before the probe's enable bit is set.
 *
 * WRITERS OF FIELDS
 *
 * Each shared field carries one of these tags:
 *	(i)	immutable once its owner has published it
 *	(t)	the target writes, any process reads
 *	(c)	one consumer writes (the slot's owner), any process reads
 *	(l)	consumers write, holding the OFD lock on byte 0 of the file
 *	(a)	either side, by an atomic read-modify-write
 * A value that another process can write is a hint until it is checked: an
 * offset is compared with the window before it is followed, a position is
 * masked, a size is bounded.  Either side survives garbage in every field, with
 * one exception: only the size of the file could show that `end`, and an offset
 * below it, are past the file's end.  Such an offset costs the target a SIGBUS,
 * as truncating the file does.
 *
 * LOCKS OF THE FILE (a fire never takes one)
 *
 *	flock LOCK_EX	held by the target for as long as it lives, by a
 *			mapping with MADV_DONTFORK of an open file description
 *			without descriptor: exec and death end it.
 *			Processes test it by LOCK_SH | LOCK_NB.  [inv.alive]
 *	OFD byte 0	consumers, while they change slots or the file's size
 *	OFD byte 1 + s	the consumer that owns slot s, for as long as it lives
 *
 * STATES OF A SESSION SLOT (control.state[s])
 *
 *	        (c) takes         (c) built, then sets bits
 *	  FREE ----------> SETUP ---------------------> ACTIVE
 *	   ^                                 (c) stop /   | (t) deadline, exit()
 *	   |                                         |    v
 *	   |                                         | GIVINGUP
 *	   |  (c) no thread is inside any more       v    | (t) bits clear
 *	   +------------------------------------- ENDING  v
 *	   RETIRED <---(c) cannot be sure--------------+<- GIVENUP, EXITED
 *
 * In GIVINGUP the slot belongs to the target's thread that clears the bits; a
 * slot that stays in it while the target lives is not used again.
 *
 * A slot's generation is drawn from control.generation and never used twice.
 * A writer reads it again in its section.  It is 0 while the slot has no
 * session.  A session ends in this order: state = ENDING, generation = 0, full
 * fence, clear the bits.  Its space is used again only when the consumer has
 * done that, has run once on every CPU (so that each section that was under
 * way has been aborted or has finished), holds each lock lane, and has read
 * control.registering as 0 (a target's thread that matches patterns may still
 * read the old ones; both sides have a full fence there).
 *
 * REGISTRATION AGAINST ATTACH	[inv.attach]
 *
 *	target				consumer
 *	fill the probe, ready = 1	write patterns, state = ACTIVE
 *	full fence (A)			full fence (B)
 *	read states, match patterns	read the table, match patterns
 * Fences A and B pair: at least one side sees the other's store.  Both may see
 * it: the ECB is inserted by one compare-and-swap into a list sorted by
 * enabling, and the bit is set by an atomic OR, so matching twice is harmless.
 * At the end the consumer stores state = ENDING, issues a full fence (C), and
 * clears the bits.  A target that has set a bit issues a full fence (D) and
 * rereads the state; if it is not ACTIVE it clears the bit.  C pairs with D.
 *
 * THE LANE PROTOCOL: ONE STORE COMMITS
 *
 * A lane is one ring of `storage` bytes (a power of two).  head, tail and
 * limit are counts of bytes that only grow; a position is masked.
 *
 *	tail            mark = head at the switch        head        limit
 *	 |-- inactive half, being read --|-- active, being written --|
 *
 *	switch	The writer stores a record if head + n <= limit.  The consumer
 *		reads head (acquire) as mark, sets
 *		limit = min(mark + size, tail + 2 * size) (release), reads
 *		[tail, mark), then sets tail = mark.  A record past limit is
 *		a drop `full`.  With TBUF_S_GROW a target that builds its own
 *		session backs each lane only as far as its first limit, which
 *		may be below `size`; the consumer backs the rest before it
 *		raises limit, and does not raise limit if it cannot.
 *	fill	limit = size, permanently.  The first refused record makes
 *		`full` non-zero: one store both counts the drop and closes the
 *		lane, which stores no more records from then on.
 *		(A work unit's refused record closes it without being counted:
 *		unit.h.)
 *	ring	The writer moves tail past whole records until
 *		head + n - tail <= size.  It writes the one of the two
 *		{tail, overwritten} pairs that `sequence` does not select, then
 *		stores sequence + 1 (release): the only publishing store of a
 *		step.  A kill between the two leaves [tail, head) whole.  A step
 *		removes one record or, in larger rings, as many as make part of
 *		the ring free.
 *
 * A CPU's lane is written in a restartable section (arch/rseq.h).  Its last
 * instruction is the committing store: of head, or of a drop counter.  The
 * records of one fire in a session, one for each ECB of the probe's chain, are
 * stored one after the other and committed by one store of head if there is
 * room for all of them; otherwise each is stored or dropped by itself.
 * Threads that cannot use rseq write lock lanes, under a trylock.
 *
 * Clauses also store to the session's variables and to the lane's table
 * (struct tbuf_table): a value, a count, an entry or a copy of values, each
 * committed by one store in a section of its own, or under the lane's lock.
 *
 * Memos (struct tbuf_memo) save a fire from looking this up: a thread has one
 * for its last session, and each of the first CPUs has a page with one for
 * every session.  A memo has the addresses of chain heads, ECBs and lane.  A
 * thread's own memo also has a stretch: positions from a head on at which a
 * record is known to have room.  A fire that begins in it looks at head alone,
 * not at limit, tail or the storage's end, as neither limit nor tail ever goes
 * back.  Under fill there is none.  A stretch is valid as long as its memo.
 * Memos are memory of the target alone, and sections compare them with cpu_id
 * and slot.generation, so consumers neither see them nor wait for them.
 *
 * MEMORY ORDER
 *
 *	head (t, release)	after the record's bytes; pairs with the
 *				consumer's acquire load of head.
 *	limit (c, release)	after the consumer is done with the bytes that
 *				it releases; pairs with the writer's load of
 *				limit, on which its stores are control
 *				dependent.
 *	sequence (t, release)	after the pair; pairs with the consumer's
 *				acquire load.  One store-store barrier is
 *				between it and the next step's pair, and pairs
 *				with the load barrier between the consumer's
 *				load of a pair and its second load of sequence;
 *				another one is between it and the overwriting
 *				stores, and pairs with the load barrier after
 *				the consumer's copy.
 *	lock word		acquire on taking it, release on freeing it.
 *	table.top (t, release)	after an entry's bytes and the slot that points
 *				to it: the consumer reads top first, and no
 *				entry past it.
 *	a value's version (t, release)	after the copy that it selects; the
 *				consumer reads the version, the copy, and the
 *				version again.
 *
 * INVARIANTS (cited by the code that keeps them and the tests that break them)
 *
 *	inv.account	finished = records + drops, always; under ring
 *			records = consumed + overwritten
 *	inv.order	a consumer reads whole records of a lane, in strictly
 *			rising time, a prefix of the committed ones
 *	inv.killed	the target can be killed at any instruction, and every
 *			committed record can be read
 *	inv.consumer	the consumer can be killed at any instruction, and the
 *			target goes on unharmed
 *	inv.guest	the target side never blocks, allocates, makes a system
 *			call, or touches anything but its own file
 *	inv.alias	where one place has several probes, an enabling that
 *			matches some of them has an ECB on one (probe.h)
 *	inv.spare	a file that is handed on to another process has no
 *			other user, and contains zeroes (shared/spare_file.h)
 *	inv.alive, inv.attach	see above
 */
#ifndef TBUF_LAYOUT_LAYOUT_H
#define TBUF_LAYOUT_LAYOUT_H

#include "layout/aggregation.h"
#include "layout/clause.h"
#include "layout/common.h"
#include "layout/control.h"
#include "layout/lane.h"
#include "layout/probe.h"
#include "layout/record.h"
#include "layout/session.h"
#include "layout/speculation.h"
#include "layout/terms.h"
#include "layout/thread_lane.h"
#include "layout/unit.h"
#include "layout/variable.h"

#endif
