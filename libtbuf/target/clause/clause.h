/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Clauses at a fire: the machine of machine/machine.h and its surroundings in a
 * target, and plans, which are cached clauses.
 *
 *	clause_chain	the clauses of a probe's chain, one after the other
 *	clause_builtin	timestamp, pid, probename and their like
 *	clause_variable	globals of the session, this-> of the chain
 *	clause_thread_local self-> variables
 *	clause_variable_address the places of variables
 *	clause_array	associative arrays
 *	clause_array_copy copies of their structures and texts
 *	clause_effect	records, faults, exit(), snapshot()
 *	clause_record	a record's way into a lane
 *	clause_aggregate aggregation tables
 *	clause_speculate speculation(), speculate(), commit(), discard()
 *	clause_copyin	the program's own memory
 *	clause_stack	the frames above the probe
 *	clause_destructive raise(), stop(), chill()
 *	clause_workspace workspaces, for more memory than a small stack has
 *	plan_run	cached plans of probes
 *	plan_chain	chains, by steps
 *	plan_effect	records and aggregations of plans
 *	plan_thread_local their self-> variables and array elements
 *	plan_value	their numbers
 *	plan_cache	where plans are
 *	plan_decode	plans made of programs
 *	plan_predicate	the comparisons that these begin with
 *
 * The state of clauses is on the stack of the fire.  Shared memory may change
 * while they run: the session may end, and another one take its slot.  So each
 * value that is read is checked against its bounds at each use, and each store
 * to shared memory is made in a section that checks that the session still
 * exists.
 */
#ifndef TBUF_TARGET_CLAUSE_CLAUSE_H
#define TBUF_TARGET_CLAUSE_CLAUSE_H

#include "arch/rseq_area.h"
#include "machine/aggregate.h"
#include "machine/machine.h"
#include "machine/program.h"
#include "shared/array_element.h"
#include "target/file/file.h"
#include "target/lane/lane.h"
#include "target/lane/pack.h"
#include "target/self/self.h"
#include "target/self/thread.h"

/* Bytes that a fire has on its stack; the consumer uses these numbers, too. */
#define TBUF_RUN_RECORD		384
#define TBUF_RUN_LOCALS		64
#define TBUF_RUN_KEY		64
/* room before a key's bytes for the header of its table entry */
#define TBUF_RUN_KEY_ENTRY	sizeof(struct tbuf_table_entry)
/* room before a record's bytes for its header, if it is speculated */
#define TBUF_RUN_HEADER		sizeof(struct tbuf_header)

/* Memory of a clause that needs more than the stack has. */
struct tbuf_workspace {
	/* one record, and a second one aside */
	uint64_t record[(2 * 12288 + TBUF_RUN_HEADER) / 8];
	uint64_t temporary[16384 / 8];
	uint64_t scratch[4096 / 8];
	uint64_t locals[16384 / 8];
	uint64_t token[1024 / 8];
	uint64_t key[(TBUF_KEY_ROOM + TBUF_RUN_KEY_ENTRY) / 8];
};

#define TBUF_WORKSPACES		32

/*
 * A thread remembers its block in a session as generation << TBUF_BLOCK_INDEX |
 * the block's index, or TBUF_BLOCK_NONE.
 */
#define TBUF_BLOCK_INDEX	20
#define TBUF_BLOCK_NONE		((UINT64_C(1) << TBUF_BLOCK_INDEX) - 1)

_Static_assert(TBUF_BLOCKS_MAX <= TBUF_BLOCK_NONE, "an index that is none");

/*
 * Returns true if another task may use this thread's area, so that the two
 * cannot be told apart.
 */
static inline bool
tbuf_thread_is_nobody(void)
{
	return (tbuf_thread.shared != 0 || tbuf_thread.children != 0);
}

/* The places of self-> numbers in the blocks of a session, as far as cached. */
#define TBUF_PLACES	4

struct tbuf_places {
	unsigned char *blocks;
	uint64_t block;			/* bytes of one */
	uint64_t count;			/* number of blocks */
	uint32_t at[TBUF_PLACES];	/* in a block, by id; 0: unknown */
};

/*
 * Finds a self-> number in the block that the thread remembers.  Sets *cell to
 * NULL if the thread has no block, and *here to the session and this CPU,
 * without a lane.  Returns false if the place or the block is unknown.
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

/* The conversion of ticks to timestamps, constant for a session. */
struct tbuf_tempo {
	uint64_t ticks;
	uint64_t mono;
	uint64_t multiplier;
};

/*
 * Converts ticks to ns.  Another CPU's counter may lag: ticks before the base
 * become the base's time.
 */
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
	struct tbuf_machine machine;	/* first: surroundings find us */
	struct tbuf_fire *fire;
	const struct tbuf_site *site;
	struct tbuf_pack *pack;		/* the fire's; NULL: it has words */
	struct tbuf_memo memo;		/* the lane's; generation 0: not made */
	struct tbuf_workspace *workspace;	/* NULL: none so far */
	const struct tbuf_places *places; /* NULL: not cached */
	uint64_t timestamp;		/* 0: not read in this clause */
	uint64_t vtimestamp;		/* 0: not read in this clause */
	uint64_t known;			/* value of a self-> variable */
	uint32_t known_id;		/* its id; UINT32_MAX: none */
	struct tbuf_element_last last;	/* the array element found last */
	bool shares;			/* a global or an element was loaded */
	uint64_t speculation;		/* the word of the id; 0: none */
	uint32_t speculating;		/* the id, from 0 on */
	uint64_t signals;		/* to raise: bit N - 1 for N */
	uint64_t exit;			/* 2^32 + status; 0: not called */
	uint32_t snapshots;		/* calls of snapshot() in this clause */
	const void *frame;		/* of the function that made this;
					 * it has a frame pointer */
	uint64_t chain;			/* address of tbuf_clause_chain(); all
					 * functions of tbuf are near it */
	uint8_t *locals;
	uint32_t locals_room;
	bool begun;			/* run_begin() was called */
	bool locals_ready;		/* `locals` is zeroed, or stored to */
	bool calls;			/* this clause may make system calls */
	bool gone;			/* the session has ended */
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

/*
 * Returns the bytes at an offset of the file, NULL unless all are in its areas,
 * and the offset is a multiple of 8.  A child of a bare clone(2) may write to
 * the tables before them.
 */
static inline const void *
tbuf_run_bytes(const struct tbuf_run *run, uint64_t at, uint64_t size)
{
	uint64_t end = tbuf_file_end(run->fire->base);

	if (at < tbuf_self.tables.areas || at > end || size > end - at ||
	    at % 8 != 0)
		return (NULL);
	return ((const void *)(uintptr_t)(run->fire->base + at));
}

/* Returns bytes of a part of the session, NULL if they are not within it. */
static inline const void *
tbuf_run_part(const struct tbuf_run *run, const struct tbuf_part *part,
    uint64_t offset, uint64_t size)
{
	uint64_t at = tbuf_load(&part->at), room = tbuf_load(&part->size);

	if (offset > room || size > room - offset)
		return (NULL);
	return (tbuf_run_bytes(run, at + offset, size));
}

/*
 * Returns a lane's further counters, which are before its storage; NULL if they
 * are not in the file.
 */
static inline struct tbuf_lane_counters *
tbuf_run_counters(const struct tbuf_run *run, const struct tbuf_lane *lane)
{
	uint64_t base = run->fire->base, end = tbuf_file_end(base);
	uint64_t at = tbuf_load(&lane->counters);

	if (at < TBUF_TABLES || at % 64 != 0 || at > end ||
	    end - at < sizeof(struct tbuf_lane_counters))
		return (NULL);
	return ((struct tbuf_lane_counters *)(uintptr_t)(base + at));
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
/* Returns false if ticks are not converted: timestamps are read as such. */
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

/* clause_variable_address.c: returns false if there is no such variable. */
bool	tbuf_variable_place(const struct tbuf_run *, enum tbuf_scope,
	    uint32_t id, struct tbuf_code_variable *) TBUF_HIDDEN;

/*
 * clause_thread_local.c: access to a self-> variable at a known place.  A store
 * takes bytes or, where they are NULL, a number.  It claims a block for a
 * thread that has none, unless the number is 0, which also unsets a text.  A
 * thread without a block loads 0.
 */
int	tbuf_thread_variable_load(struct tbuf_run *,
	    const struct tbuf_code_variable *, uint64_t *value) TBUF_HIDDEN;
int	tbuf_thread_variable_refer(struct tbuf_run *,
	    const struct tbuf_code_variable *, uint64_t *address) TBUF_HIDDEN;
int	tbuf_thread_variable_store(struct tbuf_run *,
	    const struct tbuf_code_variable *, const uint8_t *bytes,
	    uint32_t size, uint64_t value) TBUF_HIDDEN;

/*
 * tbuf_places_make() reads the places of self-> numbers from the session.  The
 * others access a number by its place; they return false if nothing was done,
 * as the place or the thread's block is unknown (tbuf_places_find()).
 */
void	tbuf_places_make(const struct tbuf_run *, struct tbuf_places *)
	    TBUF_HIDDEN;
bool	tbuf_places_load(struct tbuf_run *, uint32_t id, uint64_t *value)
	    TBUF_HIDDEN;
bool	tbuf_places_store(struct tbuf_run *, uint32_t id, uint64_t value)
	    TBUF_HIDDEN;

/* Returns the thread's number; a new one if another task may have the same. */
uint64_t tbuf_thread_number(bool *shared) TBUF_HIDDEN;

/* clause_array.c: access to the element of the machine's key. */
int	tbuf_array_load(struct tbuf_run *, enum tbuf_scope, uint32_t id,
	    const struct tbuf_code_variable *, uint64_t *value) TBUF_HIDDEN;
/* Copies the element's bytes to 64-bit words, if it exists. */
int	tbuf_array_copy(struct tbuf_run *, enum tbuf_scope, uint32_t id,
	    const struct tbuf_code_variable *, uint64_t *words, bool *present)
	    TBUF_HIDDEN;
/*
 * Stores bytes or, where they are NULL, a number.  With a size of 0, a
 * structure is created unless it exists.
 */
int	tbuf_array_store(struct tbuf_run *, enum tbuf_scope, uint32_t id,
	    const struct tbuf_code_variable *, const uint8_t *bytes,
	    uint32_t size, uint64_t value) TBUF_HIDDEN;
/*
 * Stores the `size` bytes from `at` on of a structure; `bytes` is all of it.
 */
int	tbuf_array_store_part(struct tbuf_run *, enum tbuf_scope, uint32_t id,
	    const struct tbuf_code_variable *, const uint8_t *bytes,
	    uint32_t at, uint32_t size) TBUF_HIDDEN;

/*
 * tbuf_array_sets() finds the session's elements; false: it has none.  The
 * others are for plans.  tbuf_array_make() prepares the access to a number from
 * a body that has the key, and tbuf_array_cached() makes it by sections for the
 * memo's CPU and session; false: the machine has to.  tbuf_array_finish()
 * completes a store that was begun, or counts a drop.
 */
bool	tbuf_array_sets(const struct tbuf_run *, struct tbuf_sets *)
	    TBUF_HIDDEN;
bool	tbuf_array_make(struct tbuf_access *, uint64_t *body,
	    uint32_t key_words, enum tbuf_scope, uint32_t id) TBUF_HIDDEN;
bool	tbuf_array_cached(struct tbuf_access *, const struct tbuf_memo *)
	    TBUF_HIDDEN;
void	tbuf_array_finish(struct tbuf_run *, const struct tbuf_access *)
	    TBUF_HIDDEN;

/*
 * clause_array_copy.c: tbuf_element_refer() copies an element and sets the
 * copy's address, 0 if there is no element.  tbuf_element_span() finds the
 * bytes of a structure's copy; tbuf_element_write() stores a part of one.
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
int	tbuf_run_snapshot(struct tbuf_machine *) TBUF_HIDDEN;
/*
 * Writes a record of `size` bytes in 64-bit words, or counts a drop.  Returns
 * 0, or TBUF_STOP if the session has ended.
 */
int	tbuf_run_record(struct tbuf_run *, uint32_t epid, const void *data,
	    uint64_t size) TBUF_HIDDEN;
/*
 * Writes a record that is made aside, to be aggregated, as tbuf_run_record()
 * does.  It is neither speculated nor left to the outcome of a work unit; no
 * value that is aggregated here is.
 */
int	tbuf_run_aside(struct tbuf_run *, uint32_t epid, const void *data,
	    uint64_t size) TBUF_HIDDEN;
/* Records the machine's fault. */
void	tbuf_run_fault(struct tbuf_run *) TBUF_HIDDEN;

/* clause_aggregate.c */
int	tbuf_run_update(struct tbuf_machine *, const struct tbuf_update *)
	    TBUF_HIDDEN;
/*
 * Updates an aggregation's key of `bytes` bytes in the lane of a memo by one
 * section.  The search has the session, the key and its hash, which word
 * changes, and the value for it.  Returns false if nothing was done, mostly as
 * the key is new.
 */
bool	tbuf_table_update(const struct tbuf_memo *, struct tbuf_search *,
	    uint64_t base, uint32_t aggregation, uint32_t bytes,
	    enum tbuf_table_step) TBUF_HIDDEN;
/* Remembers where the values without a key are, in this CPU's memo `total`. */
void	tbuf_table_remember(unsigned total, const struct tbuf_search *,
	    uint64_t base, uint32_t aggregation, uint64_t bits) TBUF_HIDDEN;

/* Remembers where the keys' table is, in this CPU's memo `total`. */
void	tbuf_table_remember_place(unsigned total, const struct tbuf_search *,
	    uint64_t base, uint64_t bits) TBUF_HIDDEN;

/* clause_speculate.c */
int	tbuf_run_speculation(struct tbuf_machine *, uint64_t *id) TBUF_HIDDEN;
int	tbuf_run_speculate(struct tbuf_machine *, uint64_t id) TBUF_HIDDEN;
bool	tbuf_run_resume(struct tbuf_machine *) TBUF_HIDDEN;
int	tbuf_run_commit(struct tbuf_machine *, uint64_t id) TBUF_HIDDEN;
int	tbuf_run_discard(struct tbuf_machine *, uint64_t id) TBUF_HIDDEN;
/* Writes the machine's record where speculate() said; as tbuf_run_record(). */
int	tbuf_run_speculated(struct tbuf_run *, uint32_t epid) TBUF_HIDDEN;

/* clause_copyin.c */
int	tbuf_run_copyin(struct tbuf_machine *, uint64_t address, uint8_t *to,
	    uint64_t size) TBUF_HIDDEN;
int	tbuf_run_copyout(struct tbuf_machine *, uint64_t address,
	    const uint8_t *bytes, uint64_t size) TBUF_HIDDEN;

/*
 * clause_destructive.c: tbuf_run_destroy() calls a destructive subroutine, and
 * tbuf_signals_raise() sends signals, bit N - 1 for signal N, to this thread.
 */
int	tbuf_run_destroy(struct tbuf_run *, unsigned subroutine,
	    uint64_t argument) TBUF_HIDDEN;
void	tbuf_signals_raise(uint64_t signals) TBUF_HIDDEN;

/*
 * clause_stack.c: tbuf_run_stack() stores the pcs of at most `most` frames, the
 * site's first, and returns their number (frames NULL: no more than that).
 * tbuf_run_stack_put() stores them into the machine's memory, with 0 after the
 * last.  tbuf_run_caller() returns the pc after the site's.
 */
uint32_t tbuf_run_stack(struct tbuf_run *, uint64_t *frames, uint32_t most)
	    TBUF_HIDDEN;
int	tbuf_run_stack_put(struct tbuf_machine *, uint64_t address,
	    uint64_t most) TBUF_HIDDEN;
uint64_t tbuf_run_caller(struct tbuf_run *) TBUF_HIDDEN;
/*
 * Copies the stack from the site's frame on, unwound by the consumer
 * (layout/raw_stack.h); tbuf_run_register() reads a register at the site.
 */
int	tbuf_run_stack_raw(struct tbuf_machine *, uint64_t image, uint8_t *to,
	    uint32_t *size) TBUF_HIDDEN;
int	tbuf_run_register(struct tbuf_run *, uint64_t number,
	    uint64_t *value) TBUF_HIDDEN;

/*
 * Writes a record of 64-bit words with the memo of the fire's session: of the
 * fire only bits, generation and index are read.  Returns false if nothing was
 * written.
 */
bool	tbuf_record_write(const struct tbuf_fire *, uint32_t epid,
	    const void *data, uint64_t size) TBUF_HIDDEN;

/*
 * Caches the program that the machine has, with these flags.  `packed`: fires
 * have its arguments as words.  plan_cache.c sets the pointer: it is above the
 * machine's runs, as the plans it makes fall back to them.
 */
extern void (*const tbuf_plan_cache)(const struct tbuf_run *, uint32_t flags,
	    bool packed) TBUF_HIDDEN;

/* clause_workspace.c: takes a workspace; NULL: all are in use. */
struct tbuf_workspace *tbuf_workspace_take(void) TBUF_HIDDEN;
/* Makes TBUF_WORKSPACES workspaces available from now on. */
void	tbuf_workspaces_have(struct tbuf_workspace *) TBUF_HIDDEN;
void	tbuf_workspace_give(struct tbuf_workspace *) TBUF_HIDDEN;

/*
 * Runs the ECBs of a chain of which at least one has a program, from f->epid
 * on.  `values` are the site's arguments, and pack is room for them; values
 * NULL: f->segments has them, as words.
 */
enum tbuf_emit tbuf_clause_chain(struct tbuf_fire *,
	    const struct tbuf_site *, const uint64_t *values,
	    struct tbuf_pack *pack) TBUF_HIDDEN;
/*
 * Runs the cached plan of the site's probe for a fire of the session in slot
 * `number`.  `words` are the fire's words or, where a site has texts, the
 * site's values.  Returns false if there is no such plan, and nothing has been
 * done.
 */
bool	tbuf_plan_run(const struct tbuf_site *, const uint64_t *words,
	    uint64_t size, unsigned number) TBUF_HIDDEN;
/*
 * Returns true if a plan is cached for the probe in the only session that it is
 * enabled for; a hint.
 */
bool	tbuf_plan_exists(const struct tbuf_site *, uint32_t bits) TBUF_HIDDEN;
extern bool tbuf_plans_any TBUF_HIDDEN;		/* false: there are no plans */
/* Frees all workspaces in a forked child, where no fire is under way. */
void	tbuf_workspaces_forget(void) TBUF_HIDDEN;

#endif
