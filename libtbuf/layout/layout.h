/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The shared-memory layout of a control file: the one header that target
 * and consumer have in common.  This is its design; the fields are in the
 * headers that it includes, each with what concerns it alone.
 *
 * WHAT IT IS FOR
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
 * What is marked (later) has its place here, and is 0: nothing in this version
 * writes it, and a file that has it says so in control.flags.
 *
 * Everything below tables.areas is the fixed part.  Where its tables lie, and
 * how large they are, stands in the header: a target whose file or address
 * space is limited takes smaller ones.  Their pages are backed only where
 * somebody needs them: the target backs the header, and the enable words, the
 * probe table and the strings in steps, as probes register, never in a fire; a
 * consumer backs the pages of the slot that it takes.  Nobody loads from or
 * stores into a page before fallocate(2) has backed it: touching a hole
 * raises SIGBUS when the file system is full.
 *
 * A session area (shared/session_build.h draws it) holds the session's header, its
 * patterns (enablings as text), the lanes' control words, what a script's
 * clauses need, room for what its consumer sees mapped, then the heads of the
 * probes' ECB chains, the ECB table and the clauses beside it, then the lanes'
 * storage.  Heads, ECBs and clauses are backed page by page, by whoever inserts
 * an ECB, before the probe's enable bit is set.
 *
 * WHO WRITES WHAT
 *
 * Each shared field carries one of these tags:
 *	(i)	immutable once its owner has published it
 *	(t)	the target writes, anybody reads
 *	(c)	one consumer writes (the slot's owner), anybody reads
 *	(l)	consumers write, holding the OFD lock on byte 0 of the file
 *	(a)	either side, by an atomic read-modify-write
 * Whatever another process can write is a hint until it is checked: an
 * offset is compared with the window before it is followed, a position is
 * masked, a size is bounded.  Either side survives garbage in every field;
 * what only the size of the file could tell, an `end` behind the file and an
 * offset below it, costs the target a SIGBUS, as truncating the file does.
 *
 * LOCKS OF THE FILE (none of them is ever taken by a fire)
 *
 *	flock LOCK_EX	held by the target for as long as it lives, through a
 *			mapping with MADV_DONTFORK of a description whose
 *			descriptor is closed (it ends with exec and death).
 *			Testers use LOCK_SH | LOCK_NB.  [inv.alive]
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
 *	   |  (c) nobody is inside any more          v    | (t) bits clear
 *	   +------------------------------------- ENDING  v
 *	   RETIRED <---(c) cannot be sure--------------+<- GIVENUP, EXITED
 *
 * GIVINGUP belongs to the target's thread that clears the bits: a slot that
 * stays so while the target lives is not used again.
 *
 * A slot's generation is drawn from control.generation and never used twice;
 * it is the word that a writer reads again in its section, and while no
 * session stands in the slot it is 0.  A session ends in this order: state =
 * ENDING, generation = 0, full fence, clear the bits.  Its space is used again
 * only when the consumer has done that, has run once on every CPU (so that a
 * restartable section that was under way has been aborted or is done), holds
 * each lock lane, and has seen control.registering at 0 (a target's thread
 * that matches patterns may still read the old ones; a full fence stands on
 * both sides).
 *
 * REGISTRATION AGAINST ATTACH	[inv.attach]
 *
 *	target				consumer
 *	fill the probe, ready = 1	write patterns, state = ACTIVE
 *	full fence (A)			full fence (B)
 *	read states, match patterns	read the table, match patterns
 * Fences A and B pair: at least one of the two sees the other's store.  Both
 * may: the ECB is inserted by one compare-and-swap into a list sorted by
 * enabling, and the bit is set by an atomic OR, so meeting twice is harmless.
 * At the end: state = ENDING, full fence (C), clear the bits.  A target that
 * has set a bit issues a full fence (D) and reads the state again; if it is
 * not ACTIVE it clears the bit.  C pairs with D.
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
 *		may be below `size`; the consumer backs what is missing before
 *		it raises limit, and leaves limit where it is if it cannot.
 *	fill	limit = size, for good.  The first refused record makes `full`
 *		non-zero: mark and count are one store, and a lane whose
 *		`full` is not zero stores nothing more.  (One of a work unit
 *		marks it without being counted: unit.h.)
 *	ring	The writer moves tail past whole records until
 *		head + n - tail <= size.  Of two {tail, overwritten} pairs the
 *		one that `sequence` does not select is written, then
 *		sequence + 1 is stored (release): the only publishing store of
 *		a step.  A kill between the two leaves [tail, head) whole.
 *
 * A CPU's lane is written in a restartable section (arch/rseq.h) whose last
 * instruction is the committing store: of head, or of a drop counter.  The
 * records that one fire leaves in a session, one for each ECB of the probe's
 * chain, lie one behind the other and are committed by one store of head: they
 * have room together, or each is stored or dropped by itself.  Threads that
 * cannot use rseq write lock lanes, under a trylock.
 *
 * Clauses store besides to the session's variables and to the lane's table
 * (struct tbuf_table): a value, a count, an entry or a copy of values, each
 * committed by one store in a section of its own, or under the lane's lock.
 *
 * A fire does not look all this up each time.  A thread remembers its last
 * session, and each of the first CPUs has a page that remembers every session
 * (struct tbuf_memo): where heads, ECBs and lane lie.  Memos are memory of the
 * target alone, and sections compare them with cpu_id and slot.generation; no
 * consumer knows of them, and none has to wait for them.
 *
 * MEMORY ORDER
 *
 *	head (t, release)	after the record's bytes; pairs with the
 *				consumer's acquire load of head.
 *	limit (c, release)	after the consumer is done with the bytes that
 *				it gives back; pairs with the writer's load of
 *				limit, on which its stores are control
 *				dependent.
 *	sequence (t, release)	after the pair; pairs with the consumer's
 *				acquire load.  A store-store barrier stands
 *				between it and the next step's pair, and
 *				pairs with the load barrier between the
 *				consumer's load of a pair and its second look
 *				at sequence; and between it and the
 *				overwriting stores, where it pairs with the
 *				one behind the consumer's copy.
 *	lock word		acquire on taking, release on giving back.
 *	table.top (t, release)	after an entry's bytes and the slot that points
 *				to it: the consumer reads top first, and no
 *				entry behind it.
 *	a value's version (t, release)	after the copy that it selects; the
 *				consumer reads the version, the copy, and the
 *				version again.
 *
 * INVARIANTS (cited by the code that keeps and the tests that break them)
 *
 *	inv.account	finished = records + drops, always; under ring
 *			records = consumed + overwritten
 *	inv.order	a consumer is given whole records of a lane, in
 *			strictly rising time, a prefix of what was committed
 *	inv.killed	the target can be killed at any instruction, and every
 *			committed record can be read
 *	inv.consumer	the consumer can be killed at any instruction, and the
 *			target goes on unharmed
 *	inv.guest	the target side never blocks, allocates, calls the
 *			system, or touches anything but its own file
 *	inv.alive, inv.attach	see above
 */
#ifndef TBUF_LAYOUT_LAYOUT_H
#define TBUF_LAYOUT_LAYOUT_H

#include "layout/clause.h"
#include "layout/common.h"
#include "layout/control.h"
#include "layout/lane.h"
#include "layout/probe.h"
#include "layout/record.h"
#include "layout/session.h"
#include "layout/thread_lane.h"
#include "layout/speculation.h"
#include "layout/aggregation.h"
#include "layout/terms.h"
#include "layout/unit.h"
#include "layout/variable.h"

#endif
