/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The target side's own state, and what its parts ask of each other.
 *
 *	life	when this process is a target, and why it is not
 *	file	makes or adopts the control file
 *	wanted	sessions that the board wants of it
 *	fork	what a child of fork may do
 *	vfork, lend	what a child of vfork or clone may do
 *	register sites into the probe table, sessions onto new probes
 *	fire	from a site to the sessions that trace it
 *	lane	one record into a CPU's lane or a lock lane
 *	clause	a probe's programs, where it has any (clause.h)
 *	hold	fires that are at a lock lane, when their thread forks
 *	unit	work units (unit.h): records that wait for an outcome
 *	backtrace, fatal	the last records, when it ends
 *	pack	arguments into the words or segments of a record
 *	side	a lane of the session's pool that is a thread's own (side.h)
 *	thread	what is known of the calling thread
 */
#ifndef TBUF_PRODUCER_PRODUCER_H
#define TBUF_PRODUCER_PRODUCER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "tbuf.h"
#include "atomics.h"
#include "layout.h"
#include "arch/rseq.h"
#include "common/clock.h"
#include "common/chain.h"
#include "common/peek.h"

#define TBUF_HIDDEN	__attribute__((visibility("hidden")))

/* What else a fire has to know; written once, before tbuf_local is set. */
struct tbuf_self {
	uint64_t window;	/* bytes mapped from the base */
	uint64_t file_limit;	/* RLIMIT_FSIZE when it began */
	struct tbuf_tables tables; /* a forked child has its parent's, too */
	enum tbuf_clock clock;
	/* When it began (began.c); argc and argv are 0 if nobody knows. */
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

#define TBUF_HOLDS	4
#define TBUF_BLOCKS_REMEMBERED	4

/* A lane's words, checked (tbuf_lane_place). */
struct tbuf_place {
	struct tbuf_lane *lane;
	unsigned char *data;
	uint64_t storage;
	uint64_t size;
};

/*
 * What a thread without rseq remembers of its last fire, in the place of its
 * memo, whose bits stay void.  A handler may fire while this is read or
 * written: `version` is odd in between, and is not the same afterwards.
 */
struct tbuf_locked {
	uint64_t bits;			/* enable word that it is good for */
	uint64_t generation;
	struct tbuf_slot *slot;
	const uint32_t *heads;
	struct tbuf_place place;
	uint32_t lock;			/* the lane's number */
	uint32_t version;
};

/* Whose fire is under way, as its provider says: fire_from.c. */
struct tbuf_from {
	const struct tbuf_site *site;
	uint64_t inner;		/* in what the program has called, or 0 */
	uint64_t pc;		/* where the program goes on, */
	uint64_t sp, fp;	/* and what it has in these registers then */
};

/*
 * What a forked child writes, and what each program that begins does, side by
 * side in one section: each page of it is a copy that a fork or an exec costs.
 */
#define TBUF_FORKED	__attribute__((section("tbuf_forked")))

/*
 * Likewise the code of a fire with texts, and of a unit's begin and end.  A
 * program comes to it with its caches full of other things: each page and each
 * line of it costs more than what is done there.
 */
#define TBUF_FIRES	__attribute__((section(".text.hot.tbuf_fires")))

/*
 * A thread, as the fire path needs it.  Initial-exec: touching it never
 * allocates.  It has one memo: there is little room for objects that are
 * loaded late.
 */
struct tbuf_thread {
	union {
		struct tbuf_memo memo;	/* void while shared > 0 */
		struct {
			uint64_t memo_bits;
			struct tbuf_locked locked;
		};
	};
	uint32_t tid;		/* 0: not known yet */
	uint32_t shared;	/* > 0: its area is, with a task without rseq */
	uint32_t children;	/* > 0: a child of vfork is under way */
	uint32_t lock;		/* the lock lane that was free last */
	uint32_t nholds;	/* of the following that count */
	uint32_t busy;		/* > 0: it makes a target, or registers */
	uint8_t looks;		/* chains with clauses, counted round */
	uint8_t hidden;		/* > 0: its system calls are none of the
				 * program's */
	uint8_t side_busy;	/* not 0: its side lanes are not to be used */
	bool batch;		/* between tbuf_batch_begin and _end */
	int16_t batch_error;	/* why it cannot register any there, or 0 */
	uint8_t elsewhere;	/* fires by CPUs' memos, for sessions of which
				 * each was alone at its probe */
	uint64_t stack_low;	/* as far down as its stack is known, ... */
	uint64_t stack_end;	/* ... and where it ends; 0: not known */
	uint64_t *holds[TBUF_HOLDS]; /* fires at lock lanes: producer/hold.h */
	uint64_t spare[2];	/* sections are armed here without rseq */
	uint64_t number;	/* never used twice; 0: not drawn yet */
	/* Its blocks of variables, in sessions by their slot: clause_thread. */
	uint64_t blocks[TBUF_BLOCKS_REMEMBERED];
	uint64_t side;		/* its lane of the last session: side.c */
	struct tbuf_unit *unit;	/* the work unit that it is in, or NULL */
	uint32_t unit_last;	/* where its last one was, and its table */
	uint32_t unit_table;
	struct tbuf_from from;
};
_Static_assert(offsetof(struct tbuf_thread, memo_bits) ==
    offsetof(struct tbuf_thread, memo.bits) &&
    sizeof(struct tbuf_locked) + sizeof(uint64_t) <= sizeof(struct tbuf_memo),
    "locked lies within the memo, behind its bits");
extern __thread struct tbuf_thread tbuf_thread
    __attribute__((tls_model("initial-exec"))) TBUF_HIDDEN;

_Static_assert(offsetof(struct tbuf_thread, memo) == 0, "tbuf_rseq_own");

/*
 * So many of them, and the thread remembers the session whose probe it fires:
 * what it does most is a flat section.  Where two take turns that is half of
 * their fires, and a memo costs little among so many.
 */
#define TBUF_ELSEWHERE	64

/* No fire of this thread goes by what it remembers. */
static inline void
tbuf_thread_forget(void)
{
	tbuf_store(&tbuf_thread.memo.bits, TBUF_MEMO_NONE);
	if (!tbuf_self.rseq)
		tbuf_store(&tbuf_thread.locked.bits, 0);
}

/* Is it of a session that has not ended?  A hint, as all that is read here. */
static inline bool
tbuf_memo_stands(const struct tbuf_memo *m)
{
	const struct tbuf_slot *slot = tbuf_load(&m->slot);

	return (slot != NULL && tbuf_load(&slot->generation) ==
	    tbuf_load(&m->generation));
}

/* The C library's idea of this thread's id.  No system call. */
uint32_t tbuf_thread_id(void) TBUF_HIDDEN;
void	tbuf_thread_init(void) TBUF_HIDDEN;
/* A number that is never drawn twice in this process; and this thread's. */
uint64_t tbuf_thread_draw(void) TBUF_HIDDEN;
uint64_t tbuf_thread_own_number(void) TBUF_HIDDEN;

/*
 * No handler comes between the two: it could fork, and the child go on with
 * what is its parent's, or leave by a jump.  Not for the fire path.
 */
void	tbuf_signals_block(sigset_t *old) TBUF_HIDDEN;
void	tbuf_signals_restore(const sigset_t *old) TBUF_HIDDEN;

/* Does a session trace this process? */
bool	tbuf_life_traced(void) TBUF_HIDDEN;

/* Make the library ready, once; called by whatever comes first. */
void	tbuf_life_begin(void) TBUF_HIDDEN;
/* Have this called in each forked child, when its thread has forgotten. */
void	tbuf_fork_init(void (*child)(void)) TBUF_HIDDEN;
/* What its thread believes of itself is its parent's. */
void	tbuf_fork_forget(void) TBUF_HIDDEN;

/* Before abort(3): the last records, if nobody has them at SIGABRT. */
void	tbuf_fatal_assertion(void) TBUF_HIDDEN;

/*
 * Back a part of the fixed part with storage, so that a store into it cannot
 * raise SIGBUS.  Not for the fire path.
 */
int	tbuf_file_back(uint64_t offset, uint64_t length) TBUF_HIDDEN;

/* Base name of the object that holds an address, cut to size. */
void	tbuf_module_name(const void *address, char *name, size_t size)
	    TBUF_HIDDEN;

/* The window as a view; base NULL when tracing is off. */
static inline struct tbuf_view
tbuf_target_view(void)
{
	struct tbuf_view view = { NULL, tbuf_self.window, tbuf_self.tables };

	view.base = (unsigned char *)(uintptr_t)tbuf_load(&tbuf_local->base);
	return (view);
}

/* Provider and module, which many that register one by one have in common. */
struct tbuf_group {
	const char *provider, *module;
	size_t provider_size, module_size;	/* NULs included */
	uint32_t hash;			/* of both */
	uint32_t provider_at, module_at; /* in the heap, or 0 */
};

/* A probe as it registers. */
struct tbuf_candidate {
	struct tbuf_names names;
	struct tbuf_group *group;	/* theirs, or NULL: not known */
	unsigned nargs;
	const uint8_t *types;
	const char *argnames;	/* nargs strings, one after the other */
	size_t argnames_size;	/* bytes, NULs included */
	uint32_t selection;	/* or 0 */
};

/*
 * Whoever adds to the table or looks into it has its lock, with no handler in
 * between.  A forked child takes it off a thread that it has not.
 */
void	tbuf_table_lock(void) TBUF_HIDDEN;
void	tbuf_table_unlock(void) TBUF_HIDDEN;
bool	tbuf_table_locked(void) TBUF_HIDDEN;

/*
 * The table's index of a probe, which is added if it is not there, or
 * -ENOSPC.  One more site stands there.
 */
int	tbuf_table_add(const struct tbuf_candidate *) TBUF_HIDDEN;
/* For all candidates that come while the lock is held. */
void	tbuf_table_group(struct tbuf_group *, const char *provider,
	    const char *module) TBUF_HIDDEN;
/* Its selection: that of a site that may register again. */
uint32_t tbuf_table_remove(uint32_t index) TBUF_HIDDEN;

/*
 * How many probes have these names, whatever their types (function NULL: any
 * function), and the first one's index.
 */
unsigned tbuf_table_find(const struct tbuf_names *, uint32_t *index)
	    TBUF_HIDDEN;

/* How many probes there are. */
uint32_t tbuf_table_count(void) TBUF_HIDDEN;

/*
 * How many bytes of the tables are in use, in whole steps of backing; and how
 * many probes there are, into a new file's header.
 */
struct tbuf_extent {
	uint32_t enable, probes, strings;
};
void	tbuf_table_extent(struct tbuf_extent *) TBUF_HIDDEN;
void	tbuf_table_claim(struct tbuf_control *) TBUF_HIDDEN;
/* Leave what is mapped in the heap, if there is room. */
void	tbuf_table_leave(const struct tbuf_view *, const char *text,
	    uint32_t size) TBUF_HIDDEN;
/* ... of a program that begins, if a session of it wants names. */
void	tbuf_mappings_leave(void) TBUF_HIDDEN;

/* Let all active sessions meet the probes of some indexes. */
void	tbuf_sessions_meet(uint32_t first, uint32_t end) TBUF_HIDDEN;

/* Give a site the entry point that its arguments ask for. */
void	tbuf_fire_choose(struct tbuf_site *) TBUF_HIDDEN;

/*
 * A record's data in the making: 64-bit words, where there is nothing but
 * arguments of fixed size and short texts, else segments.  `stage` holds the
 * words, or what is not copied straight from the caller's memory: at most 10 x
 * (7 padding + 8) bytes, the last padding, and eight that may be zeroed behind
 * it; a text splits it in two segments.
 */
#define TBUF_STAGE_WORDS	32
#define TBUF_SEGMENTS_MAX	(2 + 2 * TBUF_NARGS)

struct tbuf_pack {
	uint64_t size;			/* of the data, a multiple of 8 */
	bool words;			/* the stage has all of them */
	struct tbuf_segment *end;
	struct tbuf_segment segments[TBUF_SEGMENTS_MAX];
	uint64_t stage[TBUF_STAGE_WORDS];
};

/*
 * Lay the arguments out.  segments[0] is left to the caller (a lock lane's
 * CPU word).  Texts stay where they are; their lengths are taken now.
 */
void	tbuf_pack(const struct tbuf_site *, const uint64_t *values,
	    uint32_t strsize, struct tbuf_pack *) TBUF_HIDDEN;

/*
 * The words alone, and how many bytes those are, or 0: the texts are too long
 * for the stage.  A string is read once: its bytes and its length belong
 * together, whatever another thread makes of it.  For TBUF_SHAPE_STRING
 * string_words.h has the same.
 */
uint64_t tbuf_pack_texts(const struct tbuf_site *, const uint64_t *values,
	    uint32_t strsize, uint64_t words[TBUF_STAGE_WORDS]) TBUF_HIDDEN;
/* The words of a string alone, which end a key (key.h). */
struct tbuf_key_text tbuf_pack_key(uint64_t string, uint32_t strsize,
	    uint64_t *words, uint64_t factor) TBUF_HIDDEN;

/* Arguments without a text: their words, and how many bytes those are. */
uint64_t tbuf_pack_fixed(const struct tbuf_site *, const uint64_t *values,
	    uint64_t words[TBUF_NARGS]) TBUF_HIDDEN;

/* What a site's arguments are. */
enum tbuf_shape {
	TBUF_SHAPE_FLAT,	/* all 64 bits wide: data as they come */
	TBUF_SHAPE_FIXED,	/* no text among them */
	TBUF_SHAPE_STRING,	/* one at the end of what would be flat */
	TBUF_SHAPE_TEXT
};
enum tbuf_shape tbuf_pack_shape(const struct tbuf_site *) TBUF_HIDDEN;

/* One session's part of one fire. */
struct tbuf_fire {
	uint64_t base;			/* of the window */
	struct tbuf_slot *slot;
	uint64_t generation;
	uint64_t bits;			/* as its memo has them */
	unsigned number;		/* of the slot */
	uint32_t index;			/* of the probe */
	uint32_t epid;
	bool programs;			/* one of the chain's ECBs has one */
	bool words;			/* segments[1] is 64-bit words */
	uint64_t size;			/* of the data */
	struct tbuf_segment *segments;	/* [0] is free for the lane's use */
	struct tbuf_segment *end;
	struct tbuf_memo *memo;		/* a clause's, for tbuf_lane_do() */
};

enum tbuf_emit {
	TBUF_EMIT_DONE,		/* a record or a drop, or not this session's */
	TBUF_EMIT_AGAIN		/* the session changed: look from the start */
};

/* Returns the number of the CPU that this thread runs on, 0 if unknown. */
uint32_t tbuf_run_cpu(void) TBUF_HIDDEN;

/* Writes a record into a lane, even if the thread is in a work unit. */
enum tbuf_emit tbuf_lane_put(const struct tbuf_fire *) TBUF_HIDDEN;
enum tbuf_emit tbuf_lock_emit(const struct tbuf_fire *) TBUF_HIDDEN;

/*
 * The same for a thread without rseq whose last fire was in the same session,
 * of a probe with one ECB there and arguments that are words already.  False:
 * it is another case, and nothing has been done.
 */
bool	tbuf_lock_again(const struct tbuf_site *, const uint64_t *words,
	    uint64_t size) TBUF_HIDDEN;
/* ... or with texts, if they are not too long to be words. */
bool	tbuf_lock_texts_again(const struct tbuf_site *, const uint64_t *values,
	    uint64_t base) TBUF_HIDDEN;

/* -x cpu: does a fire on this CPU belong to the session? */
static inline bool
tbuf_fire_wanted(const struct tbuf_fire *f, uint32_t cpu)
{
	int32_t only = tbuf_load(&f->slot->terms.only_cpu);

	return (only < 0 || (uint32_t)only == cpu);
}

/* A session's strsize, within its bounds. */
static inline uint32_t
tbuf_fire_strsize(const struct tbuf_slot *slot)
{
	uint32_t strsize = tbuf_load(&slot->terms.strsize);

	return (strsize < TBUF_STRSIZE_MIN || strsize > TBUF_STRSIZE_MAX ?
	    TBUF_STRSIZE_MIN : strsize);
}

/*
 * This CPU's memos, or NULL.  Not while the thread's own is void: another task
 * may share its area, and so it may not be on the CPU that stands there.
 */
static inline const struct tbuf_memo *
tbuf_memos_here(void)
{
	const struct tbuf_local *local = tbuf_local;
	uint32_t cpu = tbuf_rseq_cpu();

	if (tbuf_load(&tbuf_thread.memo.bits) == TBUF_MEMO_NONE ||
	    cpu >= tbuf_load(&local->cpus))
		return (NULL);
	return (tbuf_memo_of(local, cpu, 0));
}

static inline const struct tbuf_memo *
tbuf_memo_among(const struct tbuf_memo *memos, unsigned number)
{
	return ((const struct tbuf_memo *)((uintptr_t)memos +
	    number * TBUF_MEMO_SIZE));
}

/* What is remembered of a session, or NULL. */
static inline const struct tbuf_memo *
tbuf_memo_find(uint64_t bits)
{
	const struct tbuf_memo *memos;

	if (tbuf_load(&tbuf_thread.memo.bits) == bits)
		return (&tbuf_thread.memo);
	memos = tbuf_memos_here();
	return (memos == NULL ? NULL :
	    tbuf_memo_among(memos, (unsigned)__builtin_ctzll(bits)));
}

/*
 * A session with clauses is remembered by bits that no enable word has: its
 * fires need not try the fast path, which reads the clock before it looks at
 * the probe's head.
 */
static inline uint64_t
tbuf_fire_bits(const struct tbuf_slot *slot, unsigned number)
{
	return (UINT64_C(1) << number |
	    (tbuf_load(&slot->clauses) != 0 ? TBUF_MEMO_CLAUSES : 0));
}

/* What the sections have to know of the record. */
static inline void
tbuf_fire_write(const struct tbuf_fire *f, struct tbuf_write *w)
{
	w->bits = f->bits;
	w->generation = f->generation;
	w->size = sizeof(struct tbuf_header) + f->size;
	w->less = w->size - 8;
	w->size16 = (uint32_t)w->size << 16;
	w->from = f->segments + 1;
	w->from_end = f->end;
	w->index = f->index;
	w->epid = f->epid;
	w->tid = tbuf_thread.tid;
	w->time = 0;
}

/*
 * A word of the session's is stored, if it still stands.  DONE: or it is a lost
 * store, for all lanes were busy.
 */
enum tbuf_emit tbuf_lane_store(const struct tbuf_fire *, uint64_t *word,
	    uint64_t value) TBUF_HIDDEN;
enum tbuf_emit tbuf_lock_store(const struct tbuf_fire *, uint64_t *word,
	    uint64_t value) TBUF_HIDDEN;
/*
 * Something is done in a lane whose lock is held; DONE: or it is counted as
 * lost, for all lanes were busy.
 */
typedef void tbuf_lock_work(void *argument, const struct tbuf_place *);
enum tbuf_emit tbuf_lock_do(const struct tbuf_fire *, tbuf_lock_work *,
	    void *argument, enum tbuf_lost) TBUF_HIDDEN;
/*
 * ... or by sections of the CPU's lane, that go by the fire's memo, which is
 * made if it is not there; it says what came of it.  The lock lanes come next.
 */
typedef enum tbuf_outcome tbuf_lane_work(void *argument,
	    const struct tbuf_memo *);
enum tbuf_emit tbuf_lane_do(const struct tbuf_fire *, tbuf_lane_work *,
	    tbuf_lock_work *, void *argument, enum tbuf_lost) TBUF_HIDDEN;
/* ... that is left undone where all lanes are busy: false. */
bool	tbuf_lock_try(const struct tbuf_fire *, tbuf_lock_work *,
	    void *argument) TBUF_HIDDEN;
bool	tbuf_lane_try(const struct tbuf_fire *, tbuf_lane_work *,
	    tbuf_lock_work *, void *argument) TBUF_HIDDEN;
/* The fire's record, or that it has no room, by such work. */
void	tbuf_lock_write(const struct tbuf_fire *,
	    const struct tbuf_place *) TBUF_HIDDEN;
/* A drop, because something that a record needs is busy. */
enum tbuf_emit tbuf_lock_busy(const struct tbuf_fire *) TBUF_HIDDEN;

/* A chain of ECBs that is longer than this has been damaged. */
#define TBUF_CHAIN_MAX	4096

/* The EPID behind one in its chain; 0 at the end, or if that is damaged. */
uint32_t tbuf_fire_next(const struct tbuf_fire *) TBUF_HIDDEN;

/*
 * The ECBs of a chain of which one has a program, from f->epid on.  `values'
 * are the site's arguments, and pack is room for them; NULL: f->segments has
 * them, as words.
 */
enum tbuf_emit tbuf_clause_chain(struct tbuf_fire *,
	    const struct tbuf_site *, const uint64_t *values,
	    struct tbuf_pack *pack) TBUF_HIDDEN;
/*
 * The fire in the session of this slot, of a probe with one clause that has
 * been met before.  It has words, or, where a site has texts, the site's
 * values.  False: it is another case, and nothing has been done.
 */
bool	tbuf_clause_again(const struct tbuf_site *, const uint64_t *words,
	    uint64_t size, unsigned number) TBUF_HIDDEN;
/* A hint: is it so, in the only session that the probe is enabled for? */
bool	tbuf_clause_met(const struct tbuf_site *, uint32_t bits) TBUF_HIDDEN;
extern bool tbuf_clause_kept TBUF_HIDDEN;	/* else it need not be asked */
/* No fire of this process is under way: in a forked child. */
void	tbuf_workspaces_forget(void) TBUF_HIDDEN;

/* Does the session still stand as it was when the fire looked at it? */
bool	tbuf_fire_current(const struct tbuf_fire *) TBUF_HIDDEN;

/* Leave the session: its consumer is gone (exit 0), or as slot.exit says. */
void	tbuf_fire_leave(const struct tbuf_fire *, uint64_t exit) TBUF_HIDDEN;
/* What a lane has beside it; NULL: nothing that lies where it may. */
struct tbuf_side *tbuf_side_find(uint64_t base, const struct tbuf_lane *)
	    TBUF_HIDDEN;
/* The deadline has passed: give the session up.  True if it was so. */
bool	tbuf_fire_deadline(const struct tbuf_fire *) TBUF_HIDDEN;

/*
 * How far the file reaches, by what it says itself: behind it lies address
 * space that raises SIGBUS.
 */
static inline uint64_t
tbuf_fire_end(uint64_t base)
{
	const struct tbuf_control *control =
	    (const struct tbuf_control *)(uintptr_t)base;
	uint64_t end = tbuf_load(&control->end);

	return (end < tbuf_self.window ? end : tbuf_self.window);
}

/*
 * A lane's words, checked: its storage lies in the file and is a power of
 * two.  False if not.
 */
static inline bool
tbuf_lane_place(uint64_t base, uint64_t offset, struct tbuf_place *place)
{
	uint64_t end = tbuf_fire_end(base), word, data, storage;

	if (end < TBUF_TABLES + sizeof(struct tbuf_lane) ||
	    offset % 64 != 0 || offset - TBUF_TABLES >
	    end - TBUF_TABLES - sizeof(struct tbuf_lane))
		return (false);
	place->lane = (struct tbuf_lane *)(uintptr_t)(base + offset);
	word = tbuf_load(&place->lane->place);
	data = tbuf_place_offset(word);
	storage = tbuf_place_storage(word);
	if (data > end - 64 || storage - 64 > end - 64 - data)
		return (false);
	place->data = (unsigned char *)(uintptr_t)(base + data);
	place->storage = storage;
	place->size = tbuf_load(&place->lane->size);
	return (place->size <= storage);
}

/* A session's heads, NULL if they do not lie in the file. */
static inline const uint32_t *
tbuf_fire_heads(uint64_t base, const struct tbuf_slot *slot)
{
	uint64_t heads = tbuf_load(&slot->heads), end = tbuf_fire_end(base);
	uint64_t size = tbuf_self.tables.entries * sizeof(uint32_t);

	if (heads < TBUF_TABLES || heads % sizeof(uint32_t) != 0 ||
	    end < size || heads > end - size)
		return (NULL);
	return ((const uint32_t *)(uintptr_t)(base + heads));
}

/* A session's ECBs; max becomes 0 if they do not lie in the file. */
static inline const struct tbuf_ecb *
tbuf_fire_ecbs(uint64_t base, const struct tbuf_slot *slot, uint64_t *max)
{
	uint64_t at = tbuf_load(&slot->ecbs), end = tbuf_fire_end(base);

	*max = tbuf_load(&slot->ecb_max);
	if (at % sizeof(struct tbuf_ecb) != 0 || at > end ||
	    *max > (end - at) / sizeof(struct tbuf_ecb))
		*max = 0;
	return ((const struct tbuf_ecb *)(uintptr_t)(base + at));
}

/* Offset of a CPU's lane, 0 if it has none. */
static inline uint64_t
tbuf_lane_offset(const struct tbuf_slot *slot, uint32_t cpu)
{
	if (cpu >= TBUF_NCPUS)
		return (0);
	return ((uint64_t)tbuf_load(&slot->lane_of_cpu[cpu]) * 64);
}

#endif
