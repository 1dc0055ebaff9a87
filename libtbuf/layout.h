/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The shared-memory layout of a control file: the one header that target
 * and consumer have in common.
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
 * A session area (common/session.h draws it) holds the session's header, its
 * patterns (enablings as text), the lanes' control words, what a script's
 * clauses need, then the heads of the probes' ECB chains, the ECB table and
 * the clauses beside it, then the lanes' storage.  Heads, ECBs and clauses are
 * backed page by page, by whoever inserts an ECB, before the probe's enable
 * bit is set.
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
 *	  FREE ----------> SETUP ---------------------------> ACTIVE
 *	   ^                                       (c) stop /   | (t) deadline, exit()
 *	   |                                               |    v
 *	   |                                               | GIVINGUP
 *	   |  (c) nobody is inside any more                v    | (t) bits clear
 *	   +------------------------------------------- ENDING  v
 *	   RETIRED <---(c) cannot be sure--------------------+<- GIVENUP, EXITED
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
 *		`full` is not zero stores nothing more.
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
#ifndef TBUF_LAYOUT_H
#define TBUF_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#define TBUF_MAGIC		"tbuf\nctl"	/* eye-catcher, 8 bytes */
#define TBUF_BYTE_ORDER		0x01020304u
#define TBUF_MAJOR		2	/* another major is refused */
#define TBUF_MINOR		1	/* a higher minor only appends */

#define TBUF_NSESSIONS		32	/* bits of an enable word */
#define TBUF_NPROBES_MAX	65536	/* entries of the largest probe table */
#define TBUF_NPROBES_MIN	1024	/* of the smallest; a page of enable words */
#define TBUF_PROBE_STRINGS	128	/* bytes of the string heap for each */
#define TBUF_NARGS		10
#define TBUF_NCPUS		1024	/* CPU numbers from here on: lock lanes */
#define TBUF_NLANES		(2 * TBUF_NCPUS) /* of a session, at most */
#define TBUF_NLOCKS		24	/* lock lanes of a session, spares included */
#define TBUF_RECORD_MAX		32768	/* bytes; bounds the ring's walk */
#define TBUF_BUFSIZE_MIN	16
#define TBUF_STRSIZE_MIN	2	/* a byte and the NUL */
#define TBUF_STRSIZE_MAX	TBUF_RECORD_MAX
#define TBUF_PAGE		4096u	/* what is backed together */

/* Offsets of the fixed part; those of the tables stand in the header. */
#define TBUF_TEXT_ORDER		0x800u
#define TBUF_SLOTS		0x1000u
#define TBUF_SLOT_SIZE		0x2000u
#define TBUF_TABLES		0x41000u

enum tbuf_state {
	TBUF_FREE = 0,
	TBUF_SETUP = 1,
	TBUF_ACTIVE = 2,
	TBUF_ENDING = 3,
	TBUF_GIVENUP = 4,
	TBUF_RETIRED = 5,
	TBUF_GIVINGUP = 6,
	TBUF_EXITED = 7		/* a clause has said exit() */
};

enum tbuf_policy {
	TBUF_SWITCH = 0,
	TBUF_FILL = 1,
	TBUF_RING = 2
};

enum tbuf_clock {
	TBUF_CLOCK_COUNTER = 0,	/* the raw cycle counter */
	TBUF_CLOCK_MONOTONIC = 1, /* ns, vDSO: no invariant counter here */
	TBUF_CLOCK_COARSE = 2	/* ns, CLOCK_MONOTONIC_COARSE */
};

/*
 * control.flags: what the target can do.  A consumer that needs what is not
 * there refuses the target, and says both versions: whatever is new, a bit or a
 * version of the machine, is a thing that older libraries of this major lack.
 * The highest 8 bits are no flags but a version of the machine's instructions,
 * 0 for none; a target runs those of all versions up to its own.
 */
#define TBUF_F_RSEQ		0x1u	/* it has rseq: CPU lanes make sense */
#define TBUF_F_COPYIN		0x2u	/* its own memory may be read at a fire */
#define TBUF_F_VISITS		0x4u	/* it counts visits of side words */
#define TBUF_F_SIDE		0x8u	/* it binds side lanes */
#define TBUF_F_SELECTION	0x10u	/* its probes have selection masks */
#define TBUF_F_VARIABLES	0x40u	/* it has those of threads, and arrays */
#define TBUF_F_MACHINE_SHIFT	24
#define TBUF_F_MACHINE(version)	((uint32_t)(version) << TBUF_F_MACHINE_SHIFT)
#define TBUF_MACHINE_VERSION	1	/* of the instructions there are now */

/* Of what is needed, what flags do not have; 0: they have it all. */
static inline uint32_t
tbuf_flags_lack(uint32_t flags, uint32_t needs)
{
	uint32_t bits = TBUF_F_MACHINE(1) - 1, lack = needs & ~flags & bits;

	if ((flags & ~bits) < (needs & ~bits))
		lack |= needs & ~bits;
	return (lack);
}

/* control.stage: how far the file's target is */
enum tbuf_stage {
	TBUF_STAGE_WAITING = 0,	/* made by a consumer for a command (-c) */
	TBUF_STAGE_LIVE = 1,	/* a target has it */
	TBUF_STAGE_EXITED = 2	/* the target left by exit(3) */
};

/* One moment by three clocks; what turns the counter into nanoseconds. */
struct tbuf_moment {
	uint64_t ticks;		/* the target's record clock */
	uint64_t mono;		/* CLOCK_MONOTONIC, ns */
	uint64_t real;		/* CLOCK_REALTIME, ns */
};

/*
 * The tables of the fixed part: one entry each for so many probes.  In this
 * order, each behind the other, on page boundaries.
 */
struct tbuf_tables {
	uint32_t entries;	/* a multiple of TBUF_NPROBES_MIN */
	uint32_t strings_size;	/* bytes of the string heap */
	uint32_t enable;	/* offset: uint32_t[entries] */
	uint32_t probes;	/* offset: struct tbuf_probe_entry[entries] */
	uint32_t strings;	/* offset of the string heap */
	uint32_t areas;		/* offset of the first session area */
};

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
	uint32_t reserved0;
	uint64_t start;		/* (i) start time, field 22 of /proc/PID/stat */
	uint64_t random;	/* (i) the random part of the file's name */
	uint64_t window;	/* (i) bytes the target has mapped */
	uint64_t pid_namespace;	/* (i) its inode; 0: not known */
	uint64_t reserved1[3];
	struct tbuf_moment birth; /* (i) when the target began */
	char comm[64];		/* (i) base name of the program, NUL-terminated */

	/* what changes */
	uint32_t nprobes;	/* (t) entries of the probe table */
	uint32_t strings;	/* (t) bytes of the string heap in use */
	uint32_t lost_probes;	/* (t) sites whose probes found no room */
	uint32_t registering;	/* (t) threads that match new probes now */
	uint64_t generation;	/* (l) the last one given out */
	uint64_t end;		/* (l) where the file ends */
	uint32_t state[TBUF_NSESSIONS]; /* (a) enum tbuf_state */
};

/*
 * How others want the target's text trace, at TBUF_TEXT_ORDER in the header's
 * page (tbuf_text(3)).  Consumers keep each other out by a lock of the file;
 * `sequence' is odd while one writes, and `pending' is set when it is done, and
 * taken back by the target before it reads.
 */
struct tbuf_text_order {
	uint32_t pending;	/* (a) there is something to be taken */
	uint32_t sequence;	/* (l) */
	char setting[1024];	/* (l) NUL-terminated */
};

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
	uint32_t reserved1[3];
};

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

/*
 * A lock lane's lock.  It stands in the slot's fixed part, never in session
 * space, so that a late compare-and-swap can do no harm.
 *	word	2 * generation: free; 2 * generation + 1: held
 *	nolane	by what was lost, low 16 bits of the generation << 48 | count:
 *		of fires that came to this lock first and found every lane
 *		busy.  It stops at its maximum, which a machine would need
 *		months for, lest it carry into the generation.
 */
enum tbuf_lost {
	TBUF_LOST_RECORD,	/* or the rest of a clause: a drop */
	TBUF_LOST_STORE,	/* to a global: the clause goes on */
	TBUF_LOST_UPDATE,	/* of an aggregation: so it does */
	TBUF_NLOST
};

struct tbuf_lock {
	uint64_t word;			/* (a) */
	uint64_t nolane[TBUF_NLOST];	/* (a) */
	uint64_t reserved[4];
};

#define TBUF_NOLANE_SHIFT	48
#define TBUF_NOLANE_COUNT	((UINT64_C(1) << TBUF_NOLANE_SHIFT) - 1)

/*
 * SPECULATIONS
 *
 * An id's word stands in the slot, as locks do, and names its session by the
 * low bits of the generation: a compare-and-swap that comes too late fails.
 *
 *	INACTIVE --speculation()--> ACTIVE --commit()--> COMMITTING
 *	   ^  ^                       |                      |  (t) its mark is
 *	   |  +------discard()--------+                      v  there, or refused
 *	   +-----------(c) has read the batch----------- COMMITTED
 *
 * Each lane has a buffer for each id, in slot.speculations.  Its head says of
 * which instance its records are: those of another one do not count any more,
 * so that a new instance empties the buffers of all CPUs at once.  A writer
 * loads the head, sees that the id is active, and commits by the head if that
 * is as it was: so none of an instance comes behind those of a later one.
 *
 * The mark (struct tbuf_commit_record) goes the way of all records, and the
 * batch is given in its place.  A batch of COMMITTING without a mark, of a
 * target that was killed between the two, is committed; of COMMITTED, the mark
 * was refused, and its records are drops.
 */
enum tbuf_speculation_state {
	TBUF_INACTIVE = 0,
	TBUF_SPECULATING = 1,
	TBUF_COMMITTING = 2,
	TBUF_COMMITTED_BATCH = 3
};

#define TBUF_NSPEC	240u		/* ids of a session */
#define TBUF_SPECSIZE_MAX ((UINT64_C(1) << 27) - 8) /* bytes of a buffer */
#define TBUF_INSTANCE	((UINT64_C(1) << 40) - 1)

/* A lane's records of an id. */
struct tbuf_speculated {
	uint64_t head;		/* (t) instance << 24 | bytes / 8; release */
	uint64_t drops;		/* (t) instance << 24 | records without room */
	uint64_t reserved[6];
	/* the records, one after the other */
};

static inline uint64_t
tbuf_speculation_word(uint64_t generation, uint64_t instance,
    enum tbuf_speculation_state state)
{
	return (generation << 43 | (instance & TBUF_INSTANCE) << 3 |
	    (uint64_t)state);
}

static inline uint64_t
tbuf_speculation_instance(uint64_t word)
{
	return (word >> 3 & TBUF_INSTANCE);
}

/* A head's, or a count's, if it is of this instance; else 0. */
static inline uint64_t
tbuf_speculated_count(uint64_t word, uint64_t instance)
{
	return (word >> 24 == instance ? word & 0xffffff : 0);
}

/*
 * WORK UNITS
 *
 * What a thread fires in a unit goes to a table of the unit's own, in
 * slot.units, as records of a lock lane do, and stays there until the unit has
 * ended.  Its outcome says by a rule which of them are kept: those of probes
 * whose selection has a bit of the rule's mask.
 *
 *	+------------+------------------+---------------------+-  -+
 *	| struct     | struct           | table, of the first | .. |
 *	| tbuf_units | tbuf_unit_entry, |                     |    |
 *	|            | one a table      |                     |    |
 *	+------------+------------------+---------------------+-  -+
 *
 *	        begin          fields         end: outcome, count
 *	FREE --------> TAKEN --------> BOUND ---------------------> ENDING
 *	  ^ ^                                                       |    |
 *	  | +---- nothing to keep, or an envelope is there, or refused   |
 *	  |                                                              v
 *	  +--(c) the batch was given; (t) begin, under ring----------- DONE
 *
 * What is short is copied into an envelope, one record of the CPU's lane; else
 * a mark goes there, and the reader gives the batch out of the table.  Either
 * counts in its lane as one record: `extra' has the others, so that those that
 * a reader was not given are known.  A unit that is not FREE is never another
 * one's, and one that is BOUND or ENDING when nobody can be inside any more is
 * given as it is: it has not ended.
 *
 * A table that wraps has two halves, and the older one makes way as a whole.
 */
enum tbuf_unit_state {
	TBUF_UNIT_FREE = 0,
	TBUF_UNIT_TAKEN = 1,
	TBUF_UNIT_BOUND = 2,
	TBUF_UNIT_ENDING = 3,
	TBUF_UNIT_DONE = 4
};

#define TBUF_UNIT_KINDS		8u	/* the last one: all others */
#define TBUF_UNIT_NAME		32u	/* bytes, the NUL counted */
#define TBUF_UNIT_BUCKETS	384u	/* tbuf_unit_bucket() */
#define TBUF_UNIT_ENVELOPE	2048u	/* most bytes of records in one */
#define TBUF_UNIT_RULES		8u	/* the last one: any other outcome */
#define TBUF_SELECTED		1u	/* a probe's selection, unless it says */
#define TBUF_SELECTED_SUCCESS	2u	/* the mask of outcome 0, likewise */

struct tbuf_unit_entry {
	uint64_t word;		/* (a) tbuf_unit_word() */
	uint64_t previous;	/* (t) the head of the half before, if it wraps */
	uint64_t overwritten;	/* (t) records of this table, ever */
	uint64_t full;		/* (t) drops, likewise */
	uint64_t head;		/* (t) tbuf_unit_head(); release */
	uint64_t began;		/* (t) record clock */
	uint64_t id;		/* (t) */
	uint64_t kind;		/* (t) index in kinds */
	uint64_t thread;	/* (t) its thread, or who left it last */
	uint64_t inside;	/* (t) 1: is in it now */
	uint64_t ended;		/* (t) outcome << 32 | mask */
	uint64_t count;		/* (t) records that are kept */
	uint64_t extra;		/* (t) of all units so far: count - 1 */
	uint64_t discarded;	/* (t) records that were not kept, likewise */
	uint64_t reserved[2];
};

struct tbuf_unit_kind {
	uint64_t state;		/* (a) 0 free, 1 claimed, 2 it has a name */
	uint64_t failures;	/* (a) */
	uint64_t reserved[2];
	char name[TBUF_UNIT_NAME];	/* (t) NUL-terminated */
	uint64_t durations[TBUF_UNIT_BUCKETS];	/* (a) ticks: units */
};

struct tbuf_units {
	uint64_t without;	/* (a) units that found no table */
	uint64_t elsewhere;	/* (a) records of those, in other lanes */
	/* (c) tbuf_unit_rule(), as what differs from tbuf_unit_default() */
	uint64_t rules[TBUF_UNIT_RULES];
	uint64_t reserved[6];
	struct tbuf_unit_kind kinds[TBUF_UNIT_KINDS];
};

/* The data of a mark, and what an envelope's records stand behind. */
struct tbuf_unit_record {
	uint32_t table;
	uint32_t kind;
	uint64_t instance;
	uint64_t id;
	uint64_t began;
	int32_t outcome;
	uint32_t mask;
	uint32_t count;		/* of its records */
	uint32_t discarded;
};

/* An entry's word names its session, as an id's of speculations does. */
static inline uint64_t
tbuf_unit_word(uint64_t generation, uint64_t instance,
    enum tbuf_unit_state state)
{
	return (generation << 43 | (instance & TBUF_INSTANCE) << 3 |
	    (uint64_t)state);
}

static inline uint64_t
tbuf_unit_instance(uint64_t word)
{
	return (word >> 3 & TBUF_INSTANCE);
}

static inline enum tbuf_unit_state
tbuf_unit_state(uint64_t word)
{
	return ((enum tbuf_unit_state)(word & 7));
}

/* How often it has wrapped, and the records and bytes of this half. */
static inline uint64_t
tbuf_unit_head(uint64_t laps, uint64_t records, uint64_t bytes)
{
	return (laps << 48 | (records & 0xffffff) << 24 |
	    (bytes / 8 & 0xffffff));
}

static inline uint64_t
tbuf_unit_laps(uint64_t head)
{
	return (head >> 48);
}

static inline uint64_t
tbuf_unit_records(uint64_t head)
{
	return (head >> 24 & 0xffffff);
}

static inline uint64_t
tbuf_unit_bytes(uint64_t head)
{
	return (8 * (head & 0xffffff));
}

/* Eight for each power of two. */
static inline uint32_t
tbuf_unit_bucket(uint64_t ticks)
{
	uint32_t e, bucket;

	if (ticks < 8)
		return ((uint32_t)ticks);
	e = 63 - (uint32_t)__builtin_clzll(ticks);
	bucket = (e - 2) * 8 + (uint32_t)(ticks >> (e - 3) & 7);
	return (bucket < TBUF_UNIT_BUCKETS ? bucket : TBUF_UNIT_BUCKETS - 1);
}

/* The least that a bucket has. */
static inline uint64_t
tbuf_unit_least(uint32_t bucket)
{
	return (bucket < 8 ? bucket :
	    (UINT64_C(8) | (bucket & 7)) << (bucket / 8 - 1));
}

/* A rule; one for no outcome is unused. */
#define TBUF_UNIT_NO_OUTCOME	INT32_MIN

static inline uint64_t
tbuf_unit_rule(int32_t outcome, uint32_t mask)
{
	return ((uint64_t)(uint32_t)outcome << 32 | mask);
}

static inline int32_t
tbuf_unit_outcome(uint64_t rule)
{
	return ((int32_t)(uint32_t)(rule >> 32));
}

/* Of success little, of failures everything. */
static inline uint64_t
tbuf_unit_default(unsigned i)
{
	return (i == 0 ? tbuf_unit_rule(0, TBUF_SELECTED_SUCCESS) :
	    tbuf_unit_rule(TBUF_UNIT_NO_OUTCOME,
	    i == TBUF_UNIT_RULES - 1 ? UINT32_MAX : 0));
}

/* A part of a session area. */
struct tbuf_part {
	uint64_t at;		/* offset; 0: there is none */
	uint64_t size;		/* bytes */
};

/*
 * SIDE LANES
 *
 * Lanes behind those of CPUs and locks, from slot.first_side on, which belong
 * to a thread or a work unit while that writes there: a pool.  Each has a
 * holder, which says whose it is:
 *
 *	        (t) claims               (t) ends, its records to be read
 *	FREE --------------> BOUND ------------------------------> DONE
 *	 ^ ^                   |  \\                                 |
 *	 | +-------------------+   +--> KEPT  never used again       |
 *	 |   (t) gives it back,         in this session              |
 *	 |   (c) its thread has died                                 |
 *	 +-----------------------------------------------------------+
 *
 * Whoever claims a lane and gives it back does so in a section or under a lock
 * lane's lock, as clauses do: so none of it comes too late.  The first side
 * lane is a spare, taken when nothing else is free.
 *
 * The pool begins with the lanes that the terms say, whose storage lies in the
 * session's area.  The words of all that there may come to be stand there too,
 * backed as lanes are added; their storage is in chunks behind it, which stay
 * the slot's when the session has ended, as its area does.
 */
struct tbuf_chunk {
	uint64_t at;		/* (c) offset; 0: there is none */
	uint64_t size;		/* (c) bytes */
};

struct tbuf_holder {
	uint32_t state;		/* (a) enum tbuf_holder_state */
	uint32_t tid;		/* (a) of the thread; 0: no thread is there */
	uint64_t instance;	/* (a) of whom, never used twice in a process */
};

enum tbuf_holder_state {
	TBUF_LANE_FREE = 0,
	TBUF_LANE_BOUND = 1,
	TBUF_LANE_DONE = 2,	/* (later) its records are to be read */
	TBUF_LANE_KEPT = 3	/* (later) */
};

#define TBUF_SIDES_MAX	1024u	/* side lanes of a session */
#define TBUF_SIDES_FIRST 10u	/* -x nbuf, if it is not said */

/* A holder's first eight bytes. */
static inline uint64_t
tbuf_holder_word(enum tbuf_holder_state state, uint32_t tid)
{
	return ((uint64_t)tid << 32 | (uint64_t)state);
}

/*
 * An ECB's program, beside the table of ECBs, and what its records look like.
 * A clause names arguments of the probe; which of the probe's they are is found
 * out for each probe, by whoever meets it.
 */
struct tbuf_clause {
	uint32_t program;	/* (i) offset in programs, in units of 8; 0: none */
	uint32_t text;		/* (i) offset in texts, in units of 8; 0: the
				   probe's arguments */
	uint64_t binding;	/* (i) 4 bits a name: its argument */
};

/* A program, in slot.programs; its words stand behind it, then constants. */
struct tbuf_program_head {
	uint32_t length;	/* (i) words */
	uint32_t constants_size; /* (i) bytes */
	uint32_t flags;		/* (i) TBUF_PROGRAM_* */
	uint32_t reserved;
};

#define TBUF_PROGRAM_MEMORY	0x1u	/* it needs more than a small stack */
#define TBUF_PROGRAM_CALLS	0x2u	/* it may make system calls */

/*
 * What whoever meets a probe has to know of the clauses: slot.codes.  Offsets
 * count from its start.  Timestamps are base.mono, and for each tick since
 * base.ticks the multiplier, which stays the same for a session.
 */
struct tbuf_codes {
	uint32_t nenablings;	/* (i) as many as there are patterns */
	uint32_t enablings;	/* (i) offset of their struct tbuf_code */
	uint32_t nglobals;	/* (i) ids of global variables */
	uint32_t globals;	/* (i) offset of their struct tbuf_code_variable */
	uint32_t nlocals;	/* (i) ids of this-> variables, likewise */
	uint32_t locals;
	uint32_t locals_size;	/* (i) bytes that these take */
	uint32_t values;	/* (i) offset of what the globals are at first */
	struct tbuf_moment base; /* (c) */
	uint64_t multiplier;	/* (i) ns a tick, 32 bits of it a fraction */
	uint32_t nthreads;	/* (i) ids of self-> variables, as globals */
	uint32_t threads;
	uint32_t block;		/* (i) bytes of a struct tbuf_block */
	uint32_t narrays;	/* (i) ids of arrays; `at` is 0 */
	uint32_t arrays;
	uint32_t nthread_arrays; /* (i) and of self-> arrays */
	uint32_t thread_arrays;
	uint32_t element;	/* (i) bytes of an element's body */
};

/* An enabling's clause; without a program its records are default ones. */
struct tbuf_code {
	uint16_t nprograms;	/* (i) one for each choice of classes */
	uint16_t nrecords;	/* (i) */
	uint16_t nnames;	/* (i) at most TBUF_NAMES_MAX */
	uint16_t reserved;
	uint32_t names;		/* (i) offset: texts, one after the other */
	uint32_t programs;	/* (i) offset of struct tbuf_code_program */
	uint32_t texts;		/* (i) offset of each record's `text` */
};

struct tbuf_code_program {
	uint32_t program;	/* (i) as in a clause */
	uint8_t classes[16];	/* (i) for each name those that it is for */
};

/* A variable's place: a number, or whether it is set and then its bytes. */
struct tbuf_code_variable {
	uint32_t at;		/* (i) offset in globals or locals */
	uint32_t size;		/* (i) bytes behind the word; 0: a number */
	uint32_t text;		/* (i) 1: a text, unset to begin with */
	uint32_t known;		/* (i) 0: there is none with this id */
};

/*
 * A thread's variables, as codes.threads places them behind this.  Blocks are
 * in slot.blocks, one behind the other, and 0 to begin with.
 *
 *	thread	looks at the blocks from number % blocks on, as many as
 *		TBUF_BLOCK_PROBES: one is free if it has no owner; the thread
 *		claims it by one swap of both words, stores to it, and keeps
 *		it.  Nobody else stores there while the thread lives.
 *	consumer when the kernel has no such thread any more: the variables
 *		become 0, then tid, then owner (release).
 */
struct tbuf_block {
	uint64_t owner;		/* (a) its thread's number; 0: it is free */
	uint64_t tid;		/* (a) as the thread knows it; 0: unknown */
	/* the variables (t) */
};

/*
 * Elements of associative arrays are in slot.dynamic, in sets of
 * TBUF_ELEMENT_SET, 0 to begin with:
 *
 *	+---------------+-  -+---------------+--------+-  -+--------+
 *	| state   value |    | state   value | body   |    | body   |
 *	+---------------+-  -+---------------+--------+-  -+--------+
 * The value is a number; bytes are in the body behind the key.  A body is its
 * sequence; id | scope << 16 | bytes of the key << 32; the number of the thread
 * (0: it is no thread's array); the key, padded with zeroes; then such bytes.
 *
 *	   (a) swap of the pair        (t) publish            (a) swap
 *	FREE ----------------> CLAIMED ----------> and READY ---------> LIVE
 *	  ^                                                              | ^
 *	  |  (a) 0 is stored                     (a) bytes are stored    v |
 *	  +----------------------------------- LIVE -------------> UPDATING
 * A state is FREE or LIVE with a sequence that rises each time it becomes so,
 * and bits of the key's hash; or CLAIMED or UPDATING with the number of the
 * thread that does that.  A number that is stored into what lives is a swap of
 * the pair, too: it fails if the element has become another's.
 */
#define TBUF_ELEMENT_SET	8u
#define TBUF_ELEMENT_HEAD	3u	/* words of a body before its key */
#define TBUF_ELEMENT_FREE	0u	/* the low two bits of a state */
#define TBUF_ELEMENT_LIVE	1u
#define TBUF_ELEMENT_CLAIMED	2u
#define TBUF_ELEMENT_UPDATING	3u
#define TBUF_ELEMENT_READY	4u	/* of what is claimed */
#define TBUF_ELEMENT_LOCKED	8u	/* under a lane's lock */

#define TBUF_BLOCK_PROBES	64u	/* blocks that a thread looks at */
#define TBUF_BLOCKS_MAX		0xfffffu

/* The data of a record that tells a fault. */
struct tbuf_fault_record {
	uint32_t epid;		/* of the clause's first record */
	uint32_t at;		/* the instruction's index */
	uint32_t fault;		/* enum tbuf_fault of the machine */
	uint32_t reserved;
	uint64_t address;
};

/* The data of a mark. */
struct tbuf_commit_record {
	uint32_t id;		/* from 1 */
	uint32_t reserved;
	uint64_t instance;
};

/*
 * A record that a clause leaves, in slot.texts: pieces, one after the other as
 * they lie in its data.
 */
struct tbuf_text_record {
	uint32_t size;		/* (i) bytes with this header */
	uint16_t npieces;	/* (i) at most TBUF_PIECES_MAX */
	uint16_t record;	/* (i) which of the clause's records */
	/* struct tbuf_piece[npieces] (i) */
};

/*
 * A piece lies as an argument of its type does.  One that has the type of a
 * name's argument takes 8 bytes, whatever the argument's width: an integer is
 * extended by its own sign, a float lies in the low half.  An array is bytes,
 * as many as its elements take, at the alignment of one.
 */
struct tbuf_piece {
	uint8_t type;		/* (i) enum tbuf_type; TBUF_NONE: the name's */
	uint8_t name;		/* (i) of the clause, below TBUF_NAMES_MAX; from
				   there on an argument of the probe */
	uint16_t count;		/* (i) elements of an array; 0: none */
	uint32_t reserved;
};

#define TBUF_PIECES_MAX	256
#define TBUF_NAMES_MAX	16

#define TBUF_NCHUNKS	16

/*
 * The terms of a run: what of its options a target goes by.  A consumer fills
 * them in once; board entry, slot and the order that a session is built from
 * have them as a whole.  They carry the tag of the structure they stand in.
 */
struct tbuf_terms {
	uint64_t bufsize;	/* logical bytes of one half of a CPU's lane */
	uint64_t flags;		/* TBUF_S_* */
	uint64_t run;		/* the consumer's, common/board.h; or 0 */
	uint32_t policy;	/* enum tbuf_policy */
	uint32_t strsize;	/* bytes of a text, the NUL counted */
	int32_t only_cpu;	/* -x cpu, or -1 */
	uint32_t owner_pid;	/* the consumer's, in its own namespace */
	uint32_t owner_uid;
	uint32_t needs;		/* TBUF_F_* that the target must have */
	char owner[16];		/* the consumer's name, NUL-terminated */
};

/* tbuf_terms.flags */
#define TBUF_S_FOLLOW	0x1u	/* forked children join */
#define TBUF_S_KEEP	0x2u	/* no deadline: a recorder, or ring */
#define TBUF_S_GROW	0x4u	/* the consumer backs a lane's storage before
				   it raises `limit` */
#define TBUF_S_THREAD	0x8u	/* each thread writes a lane of its own */
#define TBUF_S_SIDES	32	/* shift: side lanes there are at first, 16 bits */
#define TBUF_S_WRAP	0x10u	/* a work unit's table wraps when it is full */
#define TBUF_S_UNITS	16	/* tables of work units, 12 bits */
#define TBUF_S_UNIT	48	/* and the binary logarithm of their bytes */
#define TBUF_NUNITS	1024u	/* tables of a session, at most */
#define TBUF_UNITSIZE_MIN (UINT64_C(1) << 10)
#define TBUF_UNITSIZE_MAX (UINT64_C(1) << 26)

/* How many tables there are, and how large each; 0: none. */
static inline uint32_t
tbuf_terms_units(const struct tbuf_terms *terms, uint64_t *size)
{
	uint64_t n = terms->flags >> TBUF_S_UNITS & 0xfff;
	uint64_t shift = terms->flags >> TBUF_S_UNIT & 63;

	*size = UINT64_C(1) << shift;
	return (n > TBUF_NUNITS || *size < TBUF_UNITSIZE_MIN ||
	    *size > TBUF_UNITSIZE_MAX ? 0 : (uint32_t)n);
}

static inline uint64_t
tbuf_terms_unit_flags(uint64_t n, uint64_t size)
{
	return (n == 0 ? 0 : n << TBUF_S_UNITS |
	    (uint64_t)__builtin_ctzll(size) << TBUF_S_UNIT);
}

/*
 * A recorder's: the session that a target has made for itself, with no
 * consumer.  Nobody moves a tail there, and nobody takes its slot.
 */
static inline int
tbuf_terms_recorder(const struct tbuf_terms *terms)
{
	return ((terms->flags & TBUF_S_KEEP) != 0 && terms->owner_pid == 0);
}

/* Side lanes that a session begins with, the spare counted. */
static inline uint32_t
tbuf_terms_sides(const struct tbuf_terms *terms)
{
	return ((uint32_t)(terms->flags >> TBUF_S_SIDES & 0xffff));
}

struct tbuf_slot {
	uint64_t generation;	/* (c) 0: no session; release */
	uint64_t area;		/* (l) offset of the session area */
	uint64_t area_size;	/* (l) bytes */
	uint64_t ecbs;		/* (c) offset of the ECB table */
	uint32_t ecb_max;	/* (c) entries of it, at most TBUF_ECBS_MAX */
	uint32_t necbs;		/* (a) EPIDs given out, the unused 0 included */
	uint64_t deadline;	/* (c) record clock; 0: none */
	uint64_t lanes;		/* (c) offset of struct tbuf_lane[nlanes] */
	uint32_t nlanes;	/* (c) CPU lanes, then lock lanes, then spares,
				   then side lanes; grows by these, release */
	uint32_t first_lock;	/* (c) index of the first lock lane */
	struct tbuf_terms terms; /* (c) bufsize as it is, after `auto` */
	uint64_t heads;		/* (c) offset of uint32_t[tables.entries] */
	uint64_t fill_mask;	/* (c) ~0 under fill, else 0 */
	uint32_t nlocks;	/* (c) lock lanes in use; grows when one retires */
	uint32_t nlocks_max;	/* (c) with the spares */
	uint32_t ncpus;		/* (c) CPUs that have lanes */
	uint32_t unmet;		/* (a) not 0: probes met without room for an ECB */
	uint64_t clauses;	/* (c) offset of tbuf_clause[ecb_max]; 0: none */
	uint64_t exit;		/* (a) 0, or 2^32 + status */
	uint32_t cleared;	/* (c) counts: a min() or max() that an earlier
				   one has is begun anew */
	uint32_t unfit;		/* (a) not 0: probes that no program fits */
	uint32_t nspec;		/* (c) ids of speculations, at most TBUF_NSPEC */
	uint32_t speculated;	/* (c) bytes of a struct tbuf_speculated */
	uint64_t holders;	/* (c) offset of struct tbuf_holder[], one for
				   each side lane there may be; 0: no pool */
	uint32_t first_side;	/* (c) index of the first side lane */
	uint32_t nlanes_max;	/* (c) lanes that there may come to be */
	uint32_t released;	/* (a) counts: a side lane has become free */
	uint32_t reserved0[11];
	struct tbuf_lock locks[TBUF_NLOCKS];
	struct tbuf_chunk chunks[TBUF_NCHUNKS];	/* (c) of side lanes */
	struct tbuf_part programs;	/* (c) tbuf_program_head */
	struct tbuf_part texts;		/* (c) tbuf_text_record */
	struct tbuf_part globals;	/* (c) variables, written by both sides */
	struct tbuf_part blocks;	/* (c) tbuf_block: threads' variables */
	struct tbuf_part dynamic;	/* (c) sets of elements of arrays */
	struct tbuf_part speculations;	/* (c) nspec buffers for each lane */
	struct tbuf_part codes;		/* (c) tbuf_codes */
	struct tbuf_part units;		/* (c) tbuf_units, entries, tables */
	uint64_t speculation[TBUF_NSPEC]; /* (a) tbuf_speculation_word() */
	/* Offset of a CPU's lane in units of 64 bytes; 0: it has none. */
	uint32_t lane_of_cpu[TBUF_NCPUS];	/* (c) */
};

/* How many lanes are no side lanes: all that an older library has made. */
static inline uint32_t
tbuf_slot_main(const struct tbuf_slot *slot)
{
	return (slot->holders == 0 || slot->first_side > slot->nlanes ?
	    slot->nlanes : slot->first_side);
}

/* The header of a session area, at slot.area. */
struct tbuf_session {
	uint64_t generation;	/* (i) the slot's */
	uint64_t patterns;	/* (i) offset of the patterns' text */
	uint32_t patterns_size;	/* (i) bytes, NULs included */
	uint32_t npatterns;	/* (i) enablings: NUL-terminated, in order */
	struct tbuf_moment go;	/* (c) when the consumer said go */
	struct tbuf_moment now;	/* (c) its last calibration */
	uint64_t boot;		/* (i) a recorder's: of the machine it began on;
				   0: not known */
	uint64_t removed;	/* (i) a recorder's: how many older ones of its
				   program made way, those of theirs counted */
	uint64_t reserved[5];
};

enum tbuf_kind {
	TBUF_KIND_CPU = 0,	/* written in a restartable section */
	TBUF_KIND_LOCK = 1,	/* written under a lock */
	TBUF_KIND_THREAD = 2,	/* a thread's */
	TBUF_KIND_UNIT = 3,	/* (later) a work unit's */
	TBUF_KIND_LINES = 4	/* (later) lines of text */
};

struct tbuf_pair {
	uint64_t tail;		/* (t) bytes ever released */
	uint64_t overwritten;	/* (t) records */
};

/*
 * A lane's control words.  The writer's and the reader's words are on cache
 * lines of their own.  `pair` and `sequence` are used by ring alone; under
 * switch and fill the reader's `tail` counts.
 */
struct tbuf_lane {
	uint64_t head;		/* (t) bytes ever committed */
	uint64_t last;		/* (t) the last stamp; harmless without head */
	uint64_t full;		/* (t) drops: no room */
	uint64_t sequence;	/* (t) its low bit selects the valid pair */
	struct tbuf_pair pair[2];
	uint64_t large;		/* (t) offset 64; drops: larger than the lane */
	uint64_t restarts;	/* (t) started anew after damage */
	uint64_t taken;		/* (t) record clock when a lock lane was taken;
				 * no later than its holder's stamp */
	uint64_t reserved0[5];
	uint64_t tail;		/* (c) offset 128; bytes ever released */
	uint64_t limit;		/* (c) the writer may go so far */
	uint64_t consumed;	/* (c) records ever consumed */
	uint64_t reserved1[5];
	uint64_t place;		/* (i) offset 192; see tbuf_place() */
	uint64_t size;		/* (i) logical bytes of one half */
	uint32_t cpu;		/* (i) CPU, or the one a lock lane stands for;
				   UINT32_MAX: a side lane's */
	uint32_t kind;		/* (i) enum tbuf_kind */
	uint64_t side;		/* (i) offset of struct tbuf_side; 0: none */
	uint64_t table[2];	/* (i) aggregation tables, as `place`; 0: none;
				   (later) the second */
	uint64_t reserved2[2];
};

/* What a lane has beside it. */
struct tbuf_side {
	uint64_t entered[2];	/* (later, t) visits begun, of each half */
	uint64_t left[2];	/* (later, t) and ended */
	uint64_t aggregation;	/* (t) values that found no room in the table */
	uint64_t dynamic;	/* (t) stores that no variable was left for */
	uint64_t busy;		/* (t) speculation(): all ids are in use, one of
				   them waits for the consumer */
	uint64_t unavailable;	/* (t) and none does */
	uint64_t claims;	/* (t) blocks claimed, or tried to be */
	uint64_t reserved[7];
};

/*
 * A lane's aggregation table: what clauses have aggregated there, by key.
 *
 *	+-----+-------+----------------------+- - - -+----------------+
 *	| top | index | entries, with keys ->|       |<- their values |
 *	+-----+-------+----------------------+- - - -+----------------+
 *	0     64      tbuf_table_heap()                         storage
 *
 * Entries never move, and their values are 0 in the beginning: nobody stores
 * where none are yet.  An entry is copied behind the others, then its offset
 * into a slot of the index, and at last `top` commits it: the bytes that
 * entries take, and in the upper half those of values.  A slot that points to
 * what is not committed is empty.  An insertion that is abandoned may leave its
 * slot behind, which then points to somebody else's entry, with another key.
 *
 * A count is one word.  What takes several words at once (common/aggregate.h)
 * is a version and two copies: the one that the version's low bit does not
 * select is written, then version + 1.
 */
struct tbuf_table {
	uint64_t top;		/* (t) release */
	uint64_t reserved[7];
	/* uint32_t index[]: offsets of entries in the table; 0: none */
};

struct tbuf_table_entry {
	uint32_t size;		/* (i) bytes with the key, a multiple of 8 */
	uint16_t aggregation;	/* (i) its id */
	uint16_t key;		/* (i) bytes of the key */
	uint32_t values;	/* (i) offset in the table */
	uint32_t nwords;	/* (i) of its values */
	uint64_t hash;		/* (i) where its search begins in the index */
	/* the key (i), padded with zeroes */
};

#define TBUF_TABLE_MIN	512u			/* bytes of a table */
#define TBUF_TABLE_MAX	(UINT64_C(1) << 31)
#define TBUF_TABLE_LOCK	65536u			/* most of a small lock lane's */
#define TBUF_TABLE_PROBES 64u			/* slots that a search looks at */

/* Slots of the index, a power of two. */
static inline uint32_t
tbuf_table_slots(uint64_t storage)
{
	return ((uint32_t)(storage / 32));
}

static inline uint64_t
tbuf_table_heap(uint64_t storage)
{
	return (sizeof(struct tbuf_table) +
	    tbuf_table_slots(storage) * sizeof(uint32_t));
}

/*
 * Where a lane's storage is, in one word that is checked in one go: the
 * offset, a multiple of 64, plus the binary logarithm of its bytes.
 */
static inline uint64_t
tbuf_place(uint64_t offset, uint64_t storage)
{
	return (offset | (uint64_t)__builtin_ctzll(storage));
}

static inline uint64_t
tbuf_place_offset(uint64_t place)
{
	return (place & ~UINT64_C(63));
}

static inline uint64_t
tbuf_place_storage(uint64_t place)
{
	return (UINT64_C(1) << (place & 63));
}

/*
 * A record.  In a lock lane the data are preceded by a word that says on
 * which CPU the record was written (struct tbuf_lock_record).
 * Data: fixed-size arguments at their own size and alignment; a string or
 * bytes as a 16-bit word, aligned to 2 (bits 0-14 the length, bit 15 set if
 * it was cut; 0x8000 alone, length 0 and cut, is NULL) and the bytes.  The
 * whole is padded to 8 with zeroes.
 */
struct tbuf_header {
	uint64_t time;		/* record clock */
	uint16_t epid;
	uint16_t size;		/* bytes with this header, a multiple of 8 */
	uint32_t tid;
};

struct tbuf_lock_record {
	struct tbuf_header header;
	uint32_t cpu;		/* UINT32_MAX: not known */
	uint32_t reserved;
};

#define TBUF_TEXT_CUT	0x8000u
#define TBUF_TEXT_NULL	0x8000u

#define TBUF_ASSERT_OFFSET(type, field, offset) \
	_Static_assert(offsetof(struct type, field) == (offset), #type "." #field)

TBUF_ASSERT_OFFSET(tbuf_control, tables, 32);
TBUF_ASSERT_OFFSET(tbuf_control, stage, 64);
TBUF_ASSERT_OFFSET(tbuf_control, start, 80);
TBUF_ASSERT_OFFSET(tbuf_control, window, 96);
TBUF_ASSERT_OFFSET(tbuf_control, birth, 136);
TBUF_ASSERT_OFFSET(tbuf_control, comm, 160);
TBUF_ASSERT_OFFSET(tbuf_control, nprobes, 224);
TBUF_ASSERT_OFFSET(tbuf_control, generation, 240);
TBUF_ASSERT_OFFSET(tbuf_control, state, 256);
_Static_assert(sizeof(struct tbuf_tables) == 24, "tbuf_tables");
_Static_assert(sizeof(struct tbuf_control) == 384, "tbuf_control");
_Static_assert(sizeof(struct tbuf_probe_entry) == 64, "tbuf_probe_entry");
_Static_assert(sizeof(struct tbuf_ecb) == 8, "tbuf_ecb");
_Static_assert(sizeof(struct tbuf_clause) == 16, "tbuf_clause");
_Static_assert(sizeof(struct tbuf_program_head) == 16, "tbuf_program_head");
_Static_assert(sizeof(struct tbuf_codes) == 96, "tbuf_codes");
_Static_assert(sizeof(struct tbuf_block) == 16, "tbuf_block");
_Static_assert(sizeof(struct tbuf_code) == 20, "tbuf_code");
_Static_assert(sizeof(struct tbuf_code_program) == 20, "tbuf_code_program");
_Static_assert(sizeof(struct tbuf_code_variable) == 16, "tbuf_code_variable");
_Static_assert(sizeof(struct tbuf_fault_record) == 24, "tbuf_fault_record");
_Static_assert(sizeof(struct tbuf_commit_record) == 16, "tbuf_commit_record");
_Static_assert(sizeof(struct tbuf_speculated) == 64, "tbuf_speculated");
_Static_assert(sizeof(struct tbuf_text_record) == 8, "tbuf_text_record");
_Static_assert(sizeof(struct tbuf_piece) == 8, "tbuf_piece");
TBUF_ASSERT_OFFSET(tbuf_terms, policy, 24);
TBUF_ASSERT_OFFSET(tbuf_terms, owner, 48);
_Static_assert(sizeof(struct tbuf_terms) == 64, "tbuf_terms");
TBUF_ASSERT_OFFSET(tbuf_slot, lanes, 48);
TBUF_ASSERT_OFFSET(tbuf_slot, terms, 64);
TBUF_ASSERT_OFFSET(tbuf_slot, heads, 128);
TBUF_ASSERT_OFFSET(tbuf_slot, locks, 256);
TBUF_ASSERT_OFFSET(tbuf_slot, holders, 192);
TBUF_ASSERT_OFFSET(tbuf_slot, chunks, 1792);
TBUF_ASSERT_OFFSET(tbuf_slot, programs, 2048);
TBUF_ASSERT_OFFSET(tbuf_slot, units, 2160);
TBUF_ASSERT_OFFSET(tbuf_slot, speculation, 2176);
TBUF_ASSERT_OFFSET(tbuf_unit_entry, began, 40);
_Static_assert(sizeof(struct tbuf_unit_entry) == 128, "tbuf_unit_entry");
_Static_assert(sizeof(struct tbuf_unit_kind) == 3136, "tbuf_unit_kind");
_Static_assert(sizeof(struct tbuf_units) == 25216, "tbuf_units");
_Static_assert(sizeof(struct tbuf_unit_record) == 48, "tbuf_unit_record");
TBUF_ASSERT_OFFSET(tbuf_slot, lane_of_cpu, 4096);
_Static_assert(sizeof(struct tbuf_slot) == TBUF_SLOT_SIZE, "tbuf_slot");
_Static_assert(sizeof(struct tbuf_session) == 128, "tbuf_session");
TBUF_ASSERT_OFFSET(tbuf_lane, full, 16);
TBUF_ASSERT_OFFSET(tbuf_lane, sequence, 24);
TBUF_ASSERT_OFFSET(tbuf_lane, large, 64);
TBUF_ASSERT_OFFSET(tbuf_lane, tail, 128);
TBUF_ASSERT_OFFSET(tbuf_lane, limit, 136);
TBUF_ASSERT_OFFSET(tbuf_lane, place, 192);
TBUF_ASSERT_OFFSET(tbuf_lane, size, 200);
_Static_assert(sizeof(struct tbuf_lane) == 256, "tbuf_lane");
_Static_assert(sizeof(struct tbuf_table) == 64, "tbuf_table");
_Static_assert(sizeof(struct tbuf_table_entry) == 24, "tbuf_table_entry");
TBUF_ASSERT_OFFSET(tbuf_lane, side, 216);
TBUF_ASSERT_OFFSET(tbuf_side, aggregation, 32);
TBUF_ASSERT_OFFSET(tbuf_side, busy, 48);
_Static_assert(sizeof(struct tbuf_side) == 128, "tbuf_side");
_Static_assert(sizeof(struct tbuf_header) == 16, "tbuf_header");
_Static_assert(sizeof(struct tbuf_lock_record) == 24, "tbuf_lock_record");
_Static_assert(sizeof(struct tbuf_holder) == 16, "tbuf_holder");
_Static_assert(sizeof(struct tbuf_chunk) == 16, "tbuf_chunk");
_Static_assert(sizeof(struct tbuf_control) <= TBUF_TEXT_ORDER &&
    TBUF_TEXT_ORDER + sizeof(struct tbuf_text_order) <= TBUF_SLOTS,
    "the header's page");
_Static_assert(TBUF_SLOTS + TBUF_NSESSIONS * TBUF_SLOT_SIZE == TBUF_TABLES,
    "slots");
_Static_assert(TBUF_STRSIZE_MAX <= TBUF_TEXT_CUT, "lengths of texts");
_Static_assert(TBUF_HEAD_EPID + 1 == TBUF_ECBS_MAX, "EPIDs");

#endif
