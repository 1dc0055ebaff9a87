/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Clauses at a fire: the machine of machine/machine.h and its surroundings in
 * a target.
 *
 *	clause		the clauses of a probe's chain, one after the other
 *	clause_builtin	timestamp, pid, probename and their like
 *	clause_variable	globals of the session, this-> of the chain
 *	clause_thread	self-> variables
 *	clause_place	where variables are
 *	clause_array	associative arrays
 *	clause_element	... what is seen of their structures and texts
 *	clause_effect	records, faults, exit()
 *	clause_record	a record's way into a lane
 *	clause_table	what is aggregated
 *	clause_speculate speculation(), commit() and what lies between
 *	clause_copyin	the program's own memory
 *	clause_again	what most fires are, once more
 *	clause_update	... what they leave
 *	clause_self	... and what comes with a number of the thread's
 *	clause_steps	a chain of them
 *	clause_keep	what these go by
 *	clause_decode	... made of a program
 *	clause_stack	the frames above the probe
 *	clause_destructive raise(), stop(), chill()
 *	clause_memory	workspaces, for what a small stack does not hold
 *
 * A run is in a frame of the fire, and whatever it looks at may change: the
 * session may end, and another one stand in its place.  So what it reads is
 * bounded at each use, and what it writes it writes in sections, which look
 * whether the session still stands.
 */
#ifndef TBUF_TARGET_CLAUSE_CLAUSE_H
#define TBUF_TARGET_CLAUSE_CLAUSE_H

#include "arch/rseq_area.h"
#include "machine/aggregate.h"
#include "shared/array_element.h"
#include "machine/machine.h"
#include "target/file/file.h"
#include "target/lane/lane.h"
#include "target/lane/pack.h"
#include "target/self/self.h"
#include "target/self/thread.h"

/* What a fire has on its stack; the consumer knows these numbers, too. */
#define TBUF_RUN_RECORD		384
#define TBUF_RUN_LOCALS		64
#define TBUF_RUN_KEY		64
/* In front of a key's bytes, for the head of its table entry. */
#define TBUF_RUN_KEY_ENTRY	sizeof(struct tbuf_table_entry)
/* In front of a record's, for its header where it is speculated. */
#define TBUF_RUN_HEADER		sizeof(struct tbuf_header)

/* What one takes instead that needs more. */
struct tbuf_workspace {
	/* One, and another one aside. */
	uint64_t record[(2 * 12288 + TBUF_RUN_HEADER) / 8];
	uint64_t temporary[16384 / 8];
	uint64_t scratch[4096 / 8];
	uint64_t locals[16384 / 8];
	uint64_t token[1024 / 8];
	uint64_t key[(2048 + TBUF_RUN_KEY_ENTRY) / 8];
};

#define TBUF_WORKSPACES		32

/*
 * What a thread remembers of its block in a session: generation <<
 * TBUF_BLOCK_INDEX | the block's index, or NONE.
 */
#define TBUF_BLOCK_INDEX	20
#define TBUF_BLOCK_NONE		((UINT64_C(1) << TBUF_BLOCK_INDEX) - 1)

_Static_assert(TBUF_BLOCKS_MAX <= TBUF_BLOCK_NONE, "an index that is none");

/* Does another task take this one's variables for its own? */
static inline bool
tbuf_thread_is_nobody(void)
{
	return (tbuf_thread.shared != 0 || tbuf_thread.children != 0);
}

/* Where threads have the numbers of self->, as far as that is kept. */
#define TBUF_PLACES	4

struct tbuf_places {
	unsigned char *blocks;
	uint64_t block;			/* bytes of one */
	uint64_t count;			/* of blocks */
	uint32_t at[TBUF_PLACES];	/* in a block, by id; 0: not known */
};

/*
 * The number's word in the block that the thread remembers, or what it has
 * without one; a memo that says whose CPU and session that is, which is all
 * that is asked where no lane is written to.
 */
static inline bool
tbuf_places_find(const struct tbuf_places *p, unsigned number,
    uint64_t generation, struct tbuf_slot *slot, uint32_t id,
    struct tbuf_memo *here, uint64_t **cell)
{
	uint64_t seen, index;

	if (id >= TBUF_PLACES || p->at[id] == 0 || !tbuf_self.rseq ||
	    tbuf_thread_is_nobody())
		return (false);
	seen = tbuf_load(&tbuf_thread.blocks[number %
	    TBUF_BLOCKS_REMEMBERED]);
	index = seen & TBUF_BLOCK_NONE;
	if (seen != (generation << TBUF_BLOCK_INDEX | index) ||
	    (index != TBUF_BLOCK_NONE && index >= p->count))
		return (false);
	*cell = index == TBUF_BLOCK_NONE ? NULL : (uint64_t *)(void *)
	    (p->blocks + index * p->block + p->at[id]);
	here->generation = generation;
	here->slot = slot;
	here->lane = NULL;
	here->cpu = tbuf_rseq_cpu();
	return (true);
}

/* How ticks are turned into timestamps, the same for a session. */
struct tbuf_tempo {
	uint64_t ticks;
	uint64_t mono;
	uint64_t multiplier;
};

/* Before its base the clock has not been; another CPU's may be behind. */
static inline uint64_t
tbuf_tempo_scale(const struct tbuf_tempo *tempo, uint64_t ticks)
{
	__extension__ typedef unsigned __int128 wide;

	if (ticks < tempo->ticks)
		return (tempo->mono);
	return (tempo->mono + (uint64_t)((wide)(ticks - tempo->ticks) *
	    tempo->multiplier >> 32));
}

struct tbuf_run {
	struct tbuf_machine machine;	/* the first: surroundings find us */
	struct tbuf_fire *fire;
	const struct tbuf_site *site;
	struct tbuf_pack *pack;		/* the fire's; NULL: it has words */
	struct tbuf_memo memo;		/* of the lane; generation 0: not yet */
	struct tbuf_workspace *workspace;	/* NULL: none so far */
	const struct tbuf_places *places; /* NULL: they are not kept */
	uint64_t timestamp;		/* 0: not read in this clause */
	uint64_t vtimestamp;		/* so is this */
	uint64_t known;			/* a self-> variable's number */
	uint32_t known_id;		/* its id; UINT32_MAX: none */
	struct tbuf_element_last last;	/* of an array */
	bool shares;			/* what others store has been loaded */
	uint64_t speculation;		/* the word of the id; 0: none */
	uint32_t speculating;		/* the id, from 0 on */
	uint64_t signals;		/* to be raised, a bit each from 1 on */
	uint64_t exit;			/* 2^32 + status; 0: not called */
	const void *frame;		/* ours, with a frame pointer */
	uint64_t chain;			/* the function that it is of */
	uint8_t *locals;
	uint32_t locals_room;
	bool begun;			/* there is more than a predicate */
	bool locals_ready;		/* they are 0, or have been stored to */
	bool calls;			/* this clause may make system calls */
	bool gone;			/* the session is not there any more */
	bool is_main;			/* of a stack: the first thread's */
	uint64_t values[TBUF_NARGS];
	uint64_t small_locals[TBUF_RUN_LOCALS / 8];
	uint64_t small_record[(TBUF_RUN_RECORD + TBUF_RUN_HEADER) / 8];
	uint64_t small_key[(TBUF_RUN_KEY + TBUF_RUN_KEY_ENTRY) / 8];
};

static inline struct tbuf_run *
tbuf_run_of(struct tbuf_machine *m)
{
	return ((struct tbuf_run *)(void *)m);
}

/* Bytes of the file, if all of them lie in it; else NULL. */
static inline const void *
tbuf_run_bytes(const struct tbuf_run *run, uint64_t at, uint64_t size)
{
	uint64_t end = tbuf_fire_end(run->fire->base);

	if (at < TBUF_TABLES || at > end || size > end - at || at % 8 != 0)
		return (NULL);
	return ((const void *)(uintptr_t)(run->fire->base + at));
}

/* ... of a part of the session, as far as that goes. */
static inline const void *
tbuf_run_part(const struct tbuf_run *run, const struct tbuf_part *part,
    uint64_t offset, uint64_t size)
{
	uint64_t at = tbuf_load(&part->at), room = tbuf_load(&part->size);

	if (offset > room || size > room - offset)
		return (NULL);
	return (tbuf_run_bytes(run, at + offset, size));
}

/* A lane's side words, or NULL; they lie in front of the storage. */
static inline struct tbuf_side *
tbuf_run_side(const struct tbuf_run *run, const struct tbuf_lane *lane)
{
	uint64_t base = run->fire->base, end = tbuf_fire_end(base);
	uint64_t at = tbuf_load(&lane->side);

	if (at < TBUF_TABLES || at % 64 != 0 || at > end ||
	    end - at < sizeof(struct tbuf_side))
		return (NULL);
	return ((struct tbuf_side *)(uintptr_t)(base + at));
}

static inline uint32_t
tbuf_run_thread(void)
{
	if (tbuf_thread.tid == 0)
		tbuf_thread.tid = tbuf_thread_id();
	return (tbuf_thread.tid);
}

static inline uint32_t
tbuf_run_pid(const struct tbuf_run *run)
{
	const struct tbuf_control *control =
	    (const struct tbuf_control *)(uintptr_t)run->fire->base;

	return (tbuf_load(&control->pid));
}

/* clause_builtin.c */
int	tbuf_run_builtin(struct tbuf_machine *, unsigned which,
	    uint64_t *value) TBUF_HIDDEN;
/* False: timestamps are not made so, but read. */
bool	tbuf_tempo_make(const struct tbuf_run *, struct tbuf_tempo *)
	    TBUF_HIDDEN;
int	tbuf_run_builtin_text(const struct tbuf_run *, uint32_t which,
	    struct tbuf_span *) TBUF_HIDDEN;
int	tbuf_run_call(struct tbuf_machine *, unsigned subroutine,
	    const uint64_t arguments[TBUF_CALL_ARGUMENTS], unsigned count,
	    uint64_t *result) TBUF_HIDDEN;

/* clause_variable.c */
int	tbuf_run_object(struct tbuf_machine *, unsigned kind, uint32_t index,
	    struct tbuf_span *) TBUF_HIDDEN;
int	tbuf_run_write(struct tbuf_machine *, uint64_t address,
	    const uint8_t *from, uint64_t size) TBUF_HIDDEN;
int	tbuf_run_load(struct tbuf_machine *, enum tbuf_scope, uint32_t id,
	    uint64_t *value) TBUF_HIDDEN;
int	tbuf_run_store(struct tbuf_machine *, enum tbuf_scope, uint32_t id,
	    uint64_t value) TBUF_HIDDEN;
int	tbuf_run_refer(struct tbuf_machine *, enum tbuf_scope, uint32_t id,
	    uint64_t *address) TBUF_HIDDEN;
int	tbuf_run_store_text(struct tbuf_machine *, enum tbuf_scope,
	    uint32_t id, const uint8_t *bytes, uint32_t size) TBUF_HIDDEN;
int	tbuf_run_store_bytes(struct tbuf_machine *, enum tbuf_scope,
	    uint32_t id, const uint8_t *bytes, uint32_t size) TBUF_HIDDEN;

/* clause_variable_address.c: as the codes say; false: it is nowhere. */
bool	tbuf_variable_place(const struct tbuf_run *, enum tbuf_scope,
	    uint32_t id, struct tbuf_code_variable *) TBUF_HIDDEN;

/*
 * clause_thread_local.c: a thread's variable, whose place is known.  What is stored
 * is bytes, or a number (NULL): unless that is 0, such as that a text is unset,
 * the thread is given a block.  A thread without one loads 0.
 */
int	tbuf_thread_variable_load(struct tbuf_run *,
	    const struct tbuf_code_variable *, uint64_t *value) TBUF_HIDDEN;
int	tbuf_thread_variable_refer(struct tbuf_run *,
	    const struct tbuf_code_variable *, uint64_t *address) TBUF_HIDDEN;
int	tbuf_thread_variable_store(struct tbuf_run *,
	    const struct tbuf_code_variable *, const uint8_t *bytes,
	    uint32_t size, uint64_t value) TBUF_HIDDEN;

/*
 * The places of its numbers, from the session; and a number by these, where the
 * thread has a block already (tbuf_places_find()).  False: it is another case.
 */
void	tbuf_places_make(const struct tbuf_run *, struct tbuf_places *)
	    TBUF_HIDDEN;
bool	tbuf_places_load(struct tbuf_run *, uint32_t id, uint64_t *value)
	    TBUF_HIDDEN;
bool	tbuf_places_store(struct tbuf_run *, uint32_t id, uint64_t value)
	    TBUF_HIDDEN;

/* A thread's number; one that is new if another task may have the same. */
uint64_t tbuf_thread_number(bool *shared) TBUF_HIDDEN;

/* clause_array.c: the element of the key that the machine has built. */
int	tbuf_array_load(struct tbuf_run *, enum tbuf_scope, uint32_t id,
	    const struct tbuf_code_variable *, uint64_t *value) TBUF_HIDDEN;
/* Its bytes to so many 64-bit words, if it is there. */
int	tbuf_array_copy(struct tbuf_run *, enum tbuf_scope, uint32_t id,
	    const struct tbuf_code_variable *, uint64_t *words, bool *present)
	    TBUF_HIDDEN;
/* Bytes, of which there may be none: then it is made, if it is not there. */
int	tbuf_array_store(struct tbuf_run *, enum tbuf_scope, uint32_t id,
	    const struct tbuf_code_variable *, const uint8_t *bytes,
	    uint32_t size, uint64_t value) TBUF_HIDDEN;
/* Of its bytes these, from one on; the others are as they should be. */
int	tbuf_array_store_part(struct tbuf_run *, enum tbuf_scope, uint32_t id,
	    const struct tbuf_code_variable *, const uint8_t *bytes,
	    uint32_t at, uint32_t size) TBUF_HIDDEN;

/*
 * Where elements are in the session; false: nowhere.  And what is kept of an
 * access to a number (plan_thread_local.c): it is made of a body that has the key,
 * and done by sections for this memo's CPU and session.  False: it is another
 * case.  A store that was begun is done in any case by tbuf_array_finish(), or
 * is a drop.
 */
bool	tbuf_array_sets(const struct tbuf_run *, struct tbuf_sets *)
	    TBUF_HIDDEN;
bool	tbuf_array_make(struct tbuf_access *, uint64_t *body,
	    uint32_t key_words, enum tbuf_scope, uint32_t id) TBUF_HIDDEN;
bool	tbuf_array_again(struct tbuf_access *, const struct tbuf_memo *)
	    TBUF_HIDDEN;
void	tbuf_array_finish(struct tbuf_run *, const struct tbuf_access *)
	    TBUF_HIDDEN;

/*
 * clause_array_copy.c: the address of a copy of an element's bytes, 0 if it is not
 * there; what is behind a structure's; a part of it is stored.
 */
#define TBUF_OBJECT_ELEMENT	(TBUF_OBJECT_OUTSIDE + 1)
int	tbuf_element_refer(struct tbuf_run *, enum tbuf_scope, uint32_t id,
	    const struct tbuf_code_variable *, uint64_t *address) TBUF_HIDDEN;
int	tbuf_element_span(struct tbuf_run *, uint32_t index,
	    struct tbuf_span *) TBUF_HIDDEN;
int	tbuf_element_write(struct tbuf_run *, uint32_t index, uint64_t at,
	    const uint8_t *from, uint64_t size) TBUF_HIDDEN;

/* clause_effect.c */
int	tbuf_run_emit(struct tbuf_machine *, uint32_t record) TBUF_HIDDEN;
int	tbuf_run_room(struct tbuf_machine *, uint32_t record) TBUF_HIDDEN;
int	tbuf_run_exit(struct tbuf_machine *, uint64_t status) TBUF_HIDDEN;
/*
 * A record of so many bytes at 64-bit words, or a drop: 0, or TBUF_STOP where
 * the session has ended.
 */
int	tbuf_run_record(struct tbuf_run *, uint32_t epid, const void *data,
	    uint64_t size) TBUF_HIDDEN;
/*
 * The same of one that is made aside, to be aggregated: neither speculated nor
 * left to the outcome of a work unit, as no value is that is aggregated here.
 */
int	tbuf_run_aside(struct tbuf_run *, uint32_t epid, const void *data,
	    uint64_t size) TBUF_HIDDEN;
/* Tell the fault that the machine has met. */
void	tbuf_run_fault(struct tbuf_run *) TBUF_HIDDEN;

/* clause_aggregate.c */
int	tbuf_run_update(struct tbuf_machine *, const struct tbuf_update *)
	    TBUF_HIDDEN;
/*
 * Take one step with the values of an aggregation's key, which has so many
 * bytes, in the lane of a memo.  The search has whose memo it is to be, the key
 * and its hash, which word, and what comes there.  False: it is not done,
 * mostly for the key is not there yet.
 */
bool	tbuf_table_update(const struct tbuf_memo *, struct tbuf_search *,
	    uint64_t base, uint32_t aggregation, uint32_t bytes,
	    enum tbuf_table_step) TBUF_HIDDEN;
/* Behind it, without a key: where it was, in this CPU's memo of that number. */
void	tbuf_table_remember(unsigned total, const struct tbuf_search *,
	    uint64_t base, uint32_t aggregation, uint64_t bits) TBUF_HIDDEN;

/* ... and with a key: where this CPU's table lies. */
void	tbuf_table_remember_place(unsigned total, const struct tbuf_search *,
	    uint64_t base, uint64_t bits) TBUF_HIDDEN;

/* clause_speculate.c */
int	tbuf_run_speculation(struct tbuf_machine *, uint64_t *id) TBUF_HIDDEN;
int	tbuf_run_speculate(struct tbuf_machine *, uint64_t id) TBUF_HIDDEN;
bool	tbuf_run_resume(struct tbuf_machine *) TBUF_HIDDEN;
int	tbuf_run_commit(struct tbuf_machine *, uint64_t id) TBUF_HIDDEN;
int	tbuf_run_discard(struct tbuf_machine *, uint64_t id) TBUF_HIDDEN;
/* The machine's record goes where speculate() has said: as tbuf_run_record. */
int	tbuf_run_speculated(struct tbuf_run *, uint32_t epid) TBUF_HIDDEN;

/* clause_copyin.c */
int	tbuf_run_copyin(struct tbuf_machine *, uint64_t address, uint8_t *to,
	    uint64_t size) TBUF_HIDDEN;
int	tbuf_run_copyout(struct tbuf_machine *, uint64_t address,
	    const uint8_t *bytes, uint64_t size) TBUF_HIDDEN;

/*
 * clause_destructive.c: what a subroutine does to the program; and have
 * signals, a bit each, reach this thread.
 */
int	tbuf_run_destroy(struct tbuf_run *, unsigned subroutine,
	    uint64_t argument) TBUF_HIDDEN;
void	tbuf_signals_raise(uint64_t signals) TBUF_HIDDEN;

/*
 * clause_stack.c: the pcs of frames, from the site's on, and how many they are
 * (frames NULL: no more than that); the same into memory of the machine's, 0
 * behind the last; the pc behind the site's; a register there.
 */
uint32_t tbuf_run_stack(struct tbuf_run *, uint64_t *frames, uint32_t most)
	    TBUF_HIDDEN;
int	tbuf_run_stack_put(struct tbuf_machine *, uint64_t address,
	    uint64_t most) TBUF_HIDDEN;
uint64_t tbuf_run_caller(struct tbuf_run *) TBUF_HIDDEN;
/* A piece of it as it is, from the site's frame on (layout/raw_stack.h). */
int	tbuf_run_stack_raw(struct tbuf_machine *, uint64_t image, uint8_t *to,
	    uint32_t *size) TBUF_HIDDEN;
int	tbuf_run_register(struct tbuf_run *, uint64_t number,
	    uint64_t *value) TBUF_HIDDEN;

/*
 * A record at 64-bit words, by what the thread remembers of the fire's session:
 * bits, generation and index are all that is looked at.  False: not done.
 */
bool	tbuf_record_write(const struct tbuf_fire *, uint32_t epid,
	    const void *data, uint64_t size) TBUF_HIDDEN;

/*
 * plan_cache.c: keep a probe's program, which the machine has and which has
 * these flags.  Packed: fires have its arguments as words.
 */
void	tbuf_clause_keep(const struct tbuf_run *, uint32_t flags, bool packed)
	    TBUF_HIDDEN;

/* clause_workspace.c: NULL, all are taken. */
struct tbuf_workspace *tbuf_workspace_take(void) TBUF_HIDDEN;
/* These there are from now on, TBUF_WORKSPACES of them. */
void	tbuf_workspaces_have(struct tbuf_workspace *) TBUF_HIDDEN;
void	tbuf_workspace_give(struct tbuf_workspace *) TBUF_HIDDEN;

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

#endif
