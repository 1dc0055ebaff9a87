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
 *	0         TBUF_ENABLE   TBUF_SLOTS  TBUF_HEADS   TBUF_PROBES TBUF_STRINGS
 *	+---------+-------------+-----------+------------+-----------+---------+
 *	| control | enable word | session   | ECB heads  | probe     | strings |
 *	| header  | per probe   | slots, 32 | slot*probe | table     |         |
 *	+---------+-------------+-----------+------------+-----------+---------+
 *	TBUF_AREAS                        control.end          the window's end
 *	+--------------+---------------+-  -+ - - - - - - - - - - - - - +
 *	| session area | session area  |    |   address space, no file  |
 *	+--------------+---------------+-  -+ - - - - - - - - - - - - - +
 *
 * Everything below TBUF_AREAS is the fixed part.  Its pages are backed only
 * where somebody needs them: the target backs the header, the enable words
 * and the probe table (in steps, as probes register, never in a fire), a
 * consumer backs the pages of the slot that it takes.  Nobody stores into a
 * page before fallocate(2) has backed it: a store into a hole raises SIGBUS
 * when the file system is full.
 *
 * A session area holds the session's header, its patterns (enablings as
 * text), the ECB table, the lanes' control words and the lanes' storage.
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
 *	   ^                                       (c) stop /   | (t) deadline
 *	   |                                               |    v
 *	   |                                               | GIVINGUP
 *	   |  (c) nobody is inside any more                v    | (t) bits clear
 *	   +------------------------------------------- ENDING  v
 *	   RETIRED <---(c) cannot be sure--------------------+<- GIVENUP
 *
 * GIVINGUP belongs to the target's thread that clears the bits: a slot that
 * stays so while the target lives is not used again.
 *
 * A slot's generation is drawn from control.generation and never used twice;
 * it is the word that a writer reads again in its section, and while no
 * session stands in the slot it is 0.  A session ends in this order: state =
 * ENDING, generation = 0, full fence, clear the bits.  Its space is used again
 * only when the consumer has done that, has run once on every CPU (so that a restartable section
 * that was under way has been aborted or is done), holds each lock lane, and
 * has seen control.registering at 0 (a target's thread that matches patterns
 * may still read the old ones; a full fence stands on both sides).
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
 *		a drop `full`.
 *	fill	limit = size, for good.  The first refused record makes `full`
 *		non-zero: mark and count are one store, and a lane whose
 *		`full` is not zero stores nothing more.
 *	ring	The writer moves tail past whole records until
 *		head + n - tail <= size.  Of two {tail, overwritten} pairs the
 *		one that `sequence` does not select is written, then
 *		sequence + 1 is stored (release): the only publishing store of
 *		a step.  A kill between the two leaves [tail, head) whole.
 *
 * A CPU's lane is written in a restartable sequence (arch/rseq.h) whose last
 * instruction is the committing store: of head, or of a drop counter.
 * Threads that cannot use rseq write lock lanes, under a trylock.
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
#define TBUF_MAJOR		1	/* another major is refused */
#define TBUF_MINOR		0	/* a higher minor only appends */

#define TBUF_NSESSIONS		32	/* bits of an enable word */
#define TBUF_NPROBES		4096
#define TBUF_NARGS		10
#define TBUF_NCPUS		1024	/* CPU numbers from here on: lock lanes */
#define TBUF_NLOCKS		24	/* lock lanes of a session, spares included */
#define TBUF_RECORD_MAX		32768	/* bytes; bounds the ring's walk */
#define TBUF_BUFSIZE_MIN	16

/* Offsets of the fixed part. */
#define TBUF_ENABLE		0x1000u
#define TBUF_SLOTS		0x8000u
#define TBUF_SLOT_SIZE		0x2000u
#define TBUF_HEADS		0x48000u
#define TBUF_HEADS_SIZE		0x2000u		/* of one slot */
#define TBUF_PROBES		0x88000u
#define TBUF_STRINGS		0xc8000u
#define TBUF_STRINGS_SIZE	0x80000u
#define TBUF_AREAS		0x148000u

enum tbuf_state {
	TBUF_FREE = 0,
	TBUF_SETUP = 1,
	TBUF_ACTIVE = 2,
	TBUF_ENDING = 3,
	TBUF_GIVENUP = 4,
	TBUF_RETIRED = 5,
	TBUF_GIVINGUP = 6
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

/* control.flags */
#define TBUF_F_RSEQ	0x1u	/* the target has rseq: CPU lanes make sense */

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

struct tbuf_control {
	char magic[8];		/* (i) TBUF_MAGIC */
	uint32_t byte_order;	/* (i) */
	uint16_t major;		/* (i) */
	uint16_t minor;		/* (i) */
	uint32_t control_size;	/* (i) sizeof(struct tbuf_control) */
	uint32_t slot_size;	/* (i) sizeof(struct tbuf_slot) */
	uint32_t probe_size;	/* (i) sizeof(struct tbuf_probe_entry) */
	uint32_t lane_size;	/* (i) sizeof(struct tbuf_lane) */
	uint32_t nprobes_max;	/* (i) TBUF_NPROBES */
	uint32_t clock;		/* (i) enum tbuf_clock */
	uint32_t flags;		/* (i) TBUF_F_* */
	uint32_t stage;		/* (t) enum tbuf_stage; published by release */
	uint32_t pid;		/* (i) in the target's own pid namespace */
	uint32_t uid;		/* (i) effective */
	uint64_t start;		/* (i) start time, field 22 of /proc/PID/stat */
	uint64_t random;	/* (i) the random part of the file's name */
	uint64_t window;	/* (i) bytes the target has mapped */
	uint64_t reserved0;
	struct tbuf_moment birth; /* (i) when the target began */
	char comm[64];		/* (i) base name of the program, NUL-terminated */

	/* offset 192: what changes */
	uint32_t nprobes;	/* (t) entries of the probe table */
	uint32_t strings;	/* (t) bytes of the string heap in use */
	uint32_t lost_probes;	/* (t) probes that found no room */
	uint32_t registering;	/* (t) threads that match new probes now */
	uint64_t generation;	/* (l) the last one given out */
	uint64_t end;		/* (l) where the file ends */
	uint32_t state[TBUF_NSESSIONS]; /* (a) enum tbuf_state */
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
	uint8_t reserved[21];
};

/*
 * An ECB: a probe under an enabling.  Its index in the table is the EPID; 0
 * is none.  heads[slot][probe] and `next` chain a probe's ECBs in rising
 * order of their enabling.  Entries are never taken back in a session.  A
 * head has TBUF_HEAD_MORE set before a second ECB is linked behind it, so
 * that a fire need not look at the table where there is one alone.
 */
#define TBUF_HEAD_MORE	0x8000u
#define TBUF_HEAD_EPID	0x7fffu
#define TBUF_ECBS_MAX	0x8000u

struct tbuf_ecb {
	uint32_t probe;		/* (i) index in the probe table */
	uint16_t enabling;	/* (i) index of the pattern */
	uint16_t next;		/* (a) EPID, 0: the last */
};

/*
 * A lock lane's lock.  It stands in the slot's fixed part, never in session
 * space, so that a late compare-and-swap can do no harm.
 *	word	2 * generation: free; 2 * generation + 1: held
 *	nolane	low 24 bits of the generation << 40 | count: drops of fires
 *		that came to this lock first and found every lane busy
 */
struct tbuf_lock {
	uint64_t word;		/* (a) */
	uint64_t nolane;	/* (a) */
	uint64_t reserved[6];
};

#define TBUF_NOLANE_SHIFT	40
#define TBUF_NOLANE_COUNT	((UINT64_C(1) << TBUF_NOLANE_SHIFT) - 1)

struct tbuf_slot {
	uint64_t generation;	/* (c) 0: no session; release */
	uint64_t area;		/* (l) offset of the session area */
	uint64_t area_size;	/* (l) bytes */
	uint64_t ecbs;		/* (c) offset of the ECB table */
	uint32_t ecb_max;	/* (c) entries of it, at most TBUF_ECBS_MAX */
	uint32_t necbs;		/* (a) EPIDs given out, the unused 0 included */
	uint64_t bufsize;	/* (c) logical bytes of one half of a CPU's lane */
	uint64_t lanes;		/* (c) offset of struct tbuf_lane[nlanes] */
	uint32_t nlanes;	/* (c) CPU lanes, then lock lanes, then spares */
	uint32_t first_lock;	/* (c) index of the first lock lane */
	uint32_t nlocks;	/* (c) lock lanes in use; grows when one retires */
	uint32_t nlocks_max;	/* (c) with the spares */
	uint32_t policy;	/* (c) enum tbuf_policy */
	uint32_t strsize;	/* (c) bytes, the NUL counted */
	int32_t only_cpu;	/* (c) -x cpu, or -1 */
	uint32_t ncpus;		/* (c) CPUs that have lanes */
	uint64_t fill_mask;	/* (c) ~0 under fill, else 0 */
	uint64_t deadline;	/* (c) record clock; 0: none */
	uint32_t owner_pid;	/* (c) consumer's pid in its own namespace */
	uint32_t owner_uid;	/* (c) */
	char owner[16];		/* (c) consumer's name, NUL-terminated */
	uint8_t reserved[128];
	struct tbuf_lock locks[TBUF_NLOCKS];	/* offset 256 */
	uint8_t reserved1[4096 - 256 - TBUF_NLOCKS * 64];
	/* Offset of a CPU's lane in units of 64 bytes; 0: it has none. */
	uint32_t lane_of_cpu[TBUF_NCPUS];	/* (c) offset 4096 */
};

/* The header of a session area, at slot.area. */
struct tbuf_session {
	uint64_t generation;	/* (i) the slot's */
	uint64_t patterns;	/* (i) offset of the patterns' text */
	uint32_t patterns_size;	/* (i) bytes, NULs included */
	uint32_t npatterns;	/* (i) enablings: NUL-terminated, in order */
	uint64_t flags;		/* (i) TBUF_S_* */
	uint64_t run;		/* (i) the consumer's run, common/board.h */
	struct tbuf_moment go;	/* (c) when the consumer said go */
	struct tbuf_moment now;	/* (c) its last calibration */
};

#define TBUF_S_FOLLOW	0x1u	/* forked children join */
#define TBUF_S_KEEP	0x2u	/* no deadline: a recorder, or ring */

/*
 * A lane's control words.  Writer's and reader's words are on cache lines of
 * their own.  `pair` and `sequence` are used by ring alone; under switch and
 * fill the reader's `tail` counts.
 */
struct tbuf_pair {
	uint64_t tail;		/* (t) bytes ever released */
	uint64_t overwritten;	/* (t) records */
};

struct tbuf_lane {
	uint64_t head;		/* (t) bytes ever committed */
	uint64_t last;		/* (t) the last stamp; harmless without head */
	uint64_t full;		/* (t) drops: no room */
	uint64_t sequence;	/* (t) its low bit selects the valid pair */
	struct tbuf_pair pair[2];
	uint64_t large;		/* (t) offset 64; drops: larger than the lane */
	uint64_t restarts;	/* (t) started anew after damage */
	uint64_t taken;		/* (t) record clock when a lock lane was taken */
	uint64_t reserved0[5];
	uint64_t tail;		/* (c) offset 128; bytes ever released */
	uint64_t limit;		/* (c) the writer may go so far */
	uint64_t consumed;	/* (c) records ever consumed */
	uint64_t reserved1[5];
	uint64_t place;		/* (i) offset 192; see tbuf_place() */
	uint64_t size;		/* (i) logical bytes of one half */
	uint32_t cpu;		/* (i) CPU, or the one a lock lane stands for */
	uint32_t locked;	/* (i) 1: a lock lane, 0: a CPU's */
	uint64_t reserved2[5];
};

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

TBUF_ASSERT_OFFSET(tbuf_control, stage, 44);
TBUF_ASSERT_OFFSET(tbuf_control, start, 56);
TBUF_ASSERT_OFFSET(tbuf_control, window, 72);
TBUF_ASSERT_OFFSET(tbuf_control, birth, 88);
TBUF_ASSERT_OFFSET(tbuf_control, comm, 112);
TBUF_ASSERT_OFFSET(tbuf_control, nprobes, 176);
TBUF_ASSERT_OFFSET(tbuf_control, generation, 192);
TBUF_ASSERT_OFFSET(tbuf_control, state, 208);
_Static_assert(sizeof(struct tbuf_control) == 336, "tbuf_control");
_Static_assert(sizeof(struct tbuf_probe_entry) == 64, "tbuf_probe_entry");
_Static_assert(sizeof(struct tbuf_ecb) == 8, "tbuf_ecb");
TBUF_ASSERT_OFFSET(tbuf_slot, lanes, 48);
TBUF_ASSERT_OFFSET(tbuf_slot, policy, 72);
TBUF_ASSERT_OFFSET(tbuf_slot, deadline, 96);
TBUF_ASSERT_OFFSET(tbuf_slot, locks, 256);
TBUF_ASSERT_OFFSET(tbuf_slot, lane_of_cpu, 4096);
_Static_assert(sizeof(struct tbuf_slot) == TBUF_SLOT_SIZE, "tbuf_slot");
_Static_assert(sizeof(struct tbuf_session) == 88, "tbuf_session");
TBUF_ASSERT_OFFSET(tbuf_lane, full, 16);
TBUF_ASSERT_OFFSET(tbuf_lane, sequence, 24);
TBUF_ASSERT_OFFSET(tbuf_lane, large, 64);
TBUF_ASSERT_OFFSET(tbuf_lane, tail, 128);
TBUF_ASSERT_OFFSET(tbuf_lane, limit, 136);
TBUF_ASSERT_OFFSET(tbuf_lane, place, 192);
TBUF_ASSERT_OFFSET(tbuf_lane, size, 200);
_Static_assert(sizeof(struct tbuf_lane) == 256, "tbuf_lane");
_Static_assert(sizeof(struct tbuf_header) == 16, "tbuf_header");
_Static_assert(sizeof(struct tbuf_lock_record) == 24, "tbuf_lock_record");
_Static_assert(TBUF_ENABLE + 4 * TBUF_NPROBES <= TBUF_SLOTS, "enable words");
_Static_assert(TBUF_SLOTS + TBUF_NSESSIONS * TBUF_SLOT_SIZE == TBUF_HEADS,
    "slots");
_Static_assert(2 * TBUF_NPROBES == TBUF_HEADS_SIZE, "ECB heads");
_Static_assert(TBUF_HEADS + TBUF_NSESSIONS * TBUF_HEADS_SIZE == TBUF_PROBES,
    "ECB heads");
_Static_assert(TBUF_PROBES + 64 * TBUF_NPROBES == TBUF_STRINGS, "probes");
_Static_assert(TBUF_STRINGS + TBUF_STRINGS_SIZE == TBUF_AREAS, "strings");

#endif
