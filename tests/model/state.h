/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The lane protocol as a machine with few states, which lane.c explores.
 *
 * Processes take steps; a step is one access of shared memory with the register
 * work that belongs to it.  The search (search.c) takes every step of
 * every process in every state, and so covers every interleaving within a
 * scenario's bounds.
 *
 * MEMORY.  Sequentially consistent, or weak.  Under weak order a location has a
 * history, and an agent (a CPU) may load any value that it does not know to be
 * out of date.  Its knowledge grows by loads that acquire from stores that
 * release, by fences, and by the kernel: a CPU always sees its own stores; the
 * consumer's visit to a CPU orders both ways, and so does the death of the
 * target.  Loads do not wait for later stores here: every store of the protocol
 * depends on the loads before it.
 *
 * UNITS.  A cell stands for 8 bytes of a lane's storage.  A record is a cell
 * with its time, a cell with its number and its size, and up to two of data.
 */
#ifndef TESTS_MODEL_STATE_H
#define TESTS_MODEL_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum agent {
	CPU0,			/* runs restartable sections */
	CPU1,			/* runs a thread without rseq */
	READER,			/* the consumer */
	NAGENTS
};

#define NLANES		2
#define NCELLS		8	/* largest storage of a lane */
#define NTASKS		5
#define NRECORDS	12	/* most records committed to a lane */
#define NHISTORY	8

/* Words of a lane (lane.h), then its storage. */
enum lane_word {
	W_HEAD,
	W_LAST,
	W_FULL,
	W_LARGE,
	W_SEQUENCE,
	W_TAIL0,		/* two pairs of tail and overwritten */
	W_OVER0,
	W_TAIL1,
	W_OVER1,
	W_LIMIT,
	W_CELLS,
	LANE_WORDS = W_CELLS + NCELLS
};

/* Locations: the lanes, and the words of one session slot. */
enum location {
	L_LANES = 0,
	L_ENABLED = NLANES * LANE_WORDS,
	L_GENERATION,
	L_ECB,			/* the probe's chain of ECBs */
	L_CPU_LANE,		/* lane_of_cpu: the other one is locked */
	L_LOCK,
	L_NOLANE,		/* generation << 4 | count */
	NLOCATIONS
};

#define LOCK_CLOSED	255

#define LANE(lane, word)	((enum location)((lane) * LANE_WORDS + (word)))

enum policy {
	SWITCH,
	FILL,
	RING
};

/* Defects that can be built in; the search must find each. */
#define DEFECTS(X)							\
	X(NONE, "none")							\
	X(COMMIT_NOT_LAST, "commit-not-last")				\
	X(DROP_NOT_LAST, "drop-not-last")				\
	X(DROP_IN_SAME_SECTION, "drop-in-same-section")			\
	X(NO_GENERATION_CHECK, "no-generation-check")			\
	X(NO_WIPE_CHECK, "no-wipe-check")				\
	X(STAMP_WITHOUT_LAST, "stamp-without-last")			\
	X(FILL_WITHOUT_MARK, "fill-without-mark")			\
	X(LIMIT_AFTER_TAIL, "limit-after-tail")				\
	X(LIMIT_NOT_RELEASED, "limit-not-released")			\
	X(SWITCH_TWO_BUFFERS, "switch-two-buffers")			\
	X(RING_SINGLE_PAIR, "ring-single-pair")				\
	X(RING_TAIL_AFTER_DATA, "ring-tail-after-data")			\
	X(RING_NO_BARRIER, "ring-no-barrier")				\
	X(RING_STEPS_NO_BARRIER, "ring-steps-no-barrier")		\
	X(RING_SEQUENCE_NOT_RELEASED, "ring-sequence-not-released")	\
	X(SNAPSHOT_NO_BARRIER, "snapshot-no-barrier")			\
	X(SNAPSHOT_NO_SECOND_LOOK, "snapshot-no-second-look")		\
	X(HEAD_NOT_RELEASED, "head-not-released")			\
	X(HEAD_NOT_ACQUIRED, "head-not-acquired")			\
	X(BUILD_NOT_RELEASED, "build-not-released")			\
	X(NO_SESSION_TAKEN_FOR_ONE, "no-session-taken-for-one")		\
	X(GENERATION_KEPT_AT_END, "generation-kept-at-end")		\
	X(MEMO_WITHOUT_GENERATION, "memo-without-generation")		\
	X(MEMO_BEFORE_ARM, "memo-before-arm")				\
	X(MEMO_COPY_NOT_VOID, "memo-copy-not-void")			\
	X(STRETCH_NOT_VOID, "stretch-not-void")				\
	X(STRETCH_TOO_LONG, "stretch-too-long")				\
	X(STRETCH_UNDER_FILL, "stretch-under-fill")			\
	X(STRETCH_NO_BARRIER, "stretch-no-barrier")			\
	X(RELEASE_UNCOUNTED, "release-uncounted")			\
	X(LOCK_NOT_RELEASED, "lock-not-released")			\
	X(LOCK_WITHOUT_GENERATION, "lock-without-generation")		\
	X(NOLANE_WITHOUT_GENERATION, "nolane-without-generation")	\
	X(NO_LOCK_AT_END, "no-lock-at-end")				\
	X(NO_CROSS_CALL, "no-cross-call")				\
	X(DRAIN_BEFORE_CROSS_CALL, "drain-before-cross-call")

enum defect {
#define X(name, text) D_##name,
	DEFECTS(X)
#undef X
	NDEFECTS
};

/* Places of a target's task.  In a section: S_*, and R_* (REMEMBER). */
#define TASK_PLACES(X)							\
	X(T_IDLE) X(T_MEMO) X(T_ARM) X(T_ENABLED) X(T_GENERATION)	\
	X(T_ECB)							\
	X(T_PLACE) X(T_CURRENT) X(T_REMEMBERED) X(T_AGAIN)		\
	X(S_MEMO) X(S_GENERATION) X(S_ECB) X(S_HEAD) X(S_LIMIT) X(S_FULL) \
	X(S_SEQUENCE) X(S_TAIL) X(S_SIZE) X(S_OVER)			\
	X(S_NEW_TAIL) X(S_NEW_OVER) X(S_PUBLISH) X(S_BASE) X(S_SPAN)	\
	X(S_LOAD_LAST) X(S_STORE_LAST) X(S_TIME) X(S_WORD) X(S_DATA)	\
	X(S_COMMIT) X(S_AFTER) X(S_LOAD_COUNTER) X(S_STORE_COUNTER)	\
	X(R_HALF) X(R_GOOD)						\
	X(K_LANE) X(K_WORD) X(K_TAKE) X(K_HEAD) X(K_LIMIT) X(K_FULL)	\
	X(K_SEQUENCE) X(K_TAIL) X(K_SIZE) X(K_OVER)			\
	X(K_NEW_TAIL) X(K_NEW_OVER) X(K_PUBLISH)			\
	X(K_LOAD_LAST) X(K_STORE_LAST) X(K_TIME) X(K_WORD_CELL)		\
	X(K_DATA) X(K_COMMIT) X(K_LOAD_COUNTER) X(K_STORE_COUNTER)	\
	X(K_RELEASE)							\
	X(N_GENERATION) X(N_LOAD) X(N_COUNT) X(T_DONE)

enum task_place {
#define X(name) name,
	TASK_PLACES(X)
#undef X
	NTASKPLACES
};

/* The goal of a section; the labels are those of arch/rseq.h. */
enum goal {
	G_COMMIT,
	G_REFUSE,
	G_LARGE,
	G_RELEASE
};

struct task {
	uint8_t place;		/* enum task_place */
	uint8_t agent;		/* enum agent */
	uint8_t locked;		/* without rseq */
	uint8_t parent;		/* 1 + the interrupted task, or 0 */
	uint8_t nested;		/* handlers that interrupt it */
	uint8_t child;		/* in a forked copy of the target */
	uint8_t fires;		/* remaining */
	uint8_t id;		/* of the current fire, 0: none */
	uint8_t ends;		/* state.ends at the fire's begin */
	uint8_t size;
	uint8_t aborts;
	uint8_t goal;
	uint8_t fast;		/* runs with the thread's memo */
	uint8_t generation;
	uint8_t lane;
	uint8_t head;
	uint8_t sequence;
	uint8_t tail;
	uint8_t value;		/* loaded, not stored yet */
	uint8_t over;
	uint8_t time;
	uint8_t at;		/* data cell */
	uint8_t good;		/* of a thread: its memo is complete */
	uint8_t memo;		/* generation of the memo */
	uint8_t memo_lane;
	uint8_t base;		/* the memo's stretch */
	uint8_t span;
};

#define READER_PLACES(X)						\
	X(C_ROUND) X(C_MARK) X(C_LIMIT) X(C_READ)			\
	X(C_FLIP)							\
	X(P_HEAD) X(P_SEQUENCE) X(P_TAIL) X(P_OVER) X(P_SAME) X(P_COPY)	\
	X(E_GENERATION) X(E_CLEAR) X(E_CROSS0) X(E_CROSS1) X(E_LOCK)	\
	X(E_SEQUENCE) X(E_TAIL) X(E_OVER) X(E_HEAD) X(E_READ)		\
	X(E_FULL) X(E_LARGE) X(E_NOLANE)				\
	X(B_ECB) X(B_SLOT) X(B_LANES) X(B_GENERATION) X(B_ACTIVE)	\
	X(B_INSERT) X(B_ENABLE) X(C_DONE)

enum reader_place {
#define X(name) name,
	READER_PLACES(X)
#undef X
	NREADERPLACES
};

struct reader {
	uint8_t place;		/* enum reader_place */
	uint8_t generation;
	uint8_t rounds;		/* remaining in this session */
	uint8_t sessions;	/* remaining after this one */
	uint8_t successor;	/* of a killed one; 2: its session is over */
	uint8_t unbegun;	/* its predecessor's session had not begun */
	uint8_t retire;		/* a writer holds the lock and does not leave */
	uint8_t active;		/* of two buffers */
	uint8_t lane;
	uint8_t mark;
	uint8_t at;		/* position of the next cell to read */
	uint8_t sequence;
	uint8_t over;
	uint8_t copied;		/* in a snapshot: this is the second look */
	uint8_t ahead;		/* LIMIT_NOT_RELEASED: 1 + the next mark */
	uint8_t tail[NLANES];
	uint8_t taken[NLANES];	/* records consumed */
	uint8_t time[NLANES];	/* of the last record */
	uint8_t copy[NCELLS];	/* cells of a record, or of a snapshot */
};

struct message {
	uint8_t value;
	uint8_t agent;
	uint8_t index;		/* index among this agent's stores */
	uint8_t view[NAGENTS];	/* knowledge that an acquire load gains */
};

/*
 * An agent's knowledge: for each agent, its stores up to an index.
 *	known	certain
 *	seen	known after the next load fence
 *	fenced	known at the last store fence
 */
struct view {
	uint8_t known[NAGENTS];
	uint8_t seen[NAGENTS];
	uint8_t fenced[NAGENTS];
	uint8_t floor[NLOCATIONS];	/* in the location's history */
};

struct state {
	struct task tasks[NTASKS];
	struct reader reader;
	uint8_t running[2];	/* 1 + the task that ran last on the CPU */
	uint8_t clock;

	/* Facts that no agent can see, for the checks. */
	uint8_t owner;		/* generation that owns the area; 0: none */
	uint8_t ends;		/* sessions ended or begun */
	uint8_t ending;		/* until the next session begins */
	uint8_t forked;
	uint8_t dead;		/* the target */
	uint8_t gone;		/* the consumer, without a successor */
	uint8_t nolanes;	/* drops of the generation `owner` */
	uint8_t committed[NLANES][NRECORDS];	/* id << 3 | size */
	uint8_t ncommitted[NLANES];
	uint8_t drops[NLANES];
	uint32_t finished;	/* fires, by id */

	uint8_t value[NLOCATIONS];	/* newest value of each location */

	/* The rest is used under weak order only. */
	uint8_t count[NAGENTS];	/* stores made */
	uint8_t nhistory[NLOCATIONS];
	struct message history[NLOCATIONS][NHISTORY];
	struct view views[NAGENTS];
};

struct task_plan {
	uint8_t fires;
	uint8_t agent;
	uint8_t locked;
	uint8_t parent;		/* 1 + index */
	uint8_t sizes[3];	/* of its fires, in cells */
};

struct scenario {
	const char *name;
	enum policy policy;
	uint8_t bufsize;	/* cells */
	uint8_t storage;
	uint8_t rounds;		/* most switches or snapshots a session */
	uint8_t sessions;
	uint8_t aborts;		/* of one fire; then it takes a lock lane */
	uint8_t lanes;		/* 1: no lock lane; 2: with one */
	uint8_t flat;		/* cells of the largest record that uses a
				 * stretch; 0: memos have none */
	uint8_t part;		/* cells of a ring that are released at once */
	bool fork;
	bool memo_of_cpu;	/* threads share the first one's memo */
	bool large;		/* takes minutes: for make stress */
	bool kill_target;
	bool kill_reader;
	bool clock;		/* it ticks; else all times are equal */
	bool weak;
	struct task_plan tasks[NTASKS];
};

/* The model during one run. */
struct model {
	const struct scenario *scenario;
	enum defect defect;
	unsigned wanted;	/* index of the value a load returns */
	unsigned choices;	/* number of possible values */
	const char *failure;	/* the failure, or NULL */
};
extern struct model model;

static inline bool
model_has(enum defect defect)
{
	return (model.defect == defect);
}

static inline void
model_fail(const char *text)
{
	if (model.failure == NULL)
		model.failure = text;
}

/* Returns the word of the pair that a sequence number selects. */
static inline unsigned
pair_word(unsigned word, unsigned sequence)
{
	if (model_has(D_RING_SINGLE_PAIR))
		return (word);
	return (word + (sequence & 1) * (W_TAIL1 - W_TAIL0));
}

/* memory.c */
enum order {
	RELAXED,
	ORDERED			/* a load acquires, a store releases */
};
void	model_memory_init(struct state *, enum location, uint8_t);
uint8_t	model_load(struct state *, enum agent, enum location, enum order);
void	model_store(struct state *, enum agent, enum location, uint8_t,
	    enum order);
bool	model_cas(struct state *, enum agent, enum location, uint8_t old,
	    uint8_t new);
void	model_fence_loads(struct state *, enum agent);
void	model_fence_stores(struct state *, enum agent);
/* Each of the two knows all that the other knows, from now on. */
void	model_meet(struct state *, enum agent, enum agent);
void	model_memory_copy(struct state *, const struct state *);
/* Removes invisible differences, so that equal states have equal bytes. */
void	model_memory_tidy(struct state *);

/* lane_target.c */
void	model_target_step(struct state *, unsigned task);
bool	model_target_can_run(const struct state *, unsigned task);
bool	model_target_in_section(const struct task *);
/* Aborts a task's section, as the kernel does. */
void	model_target_abort(struct task *);

/* lane_reader.c */
void	model_reader_step(struct state *);
bool	model_reader_can_run(const struct state *);

/* search.c */
struct result {
	uint64_t states;
	uint64_t steps;
	unsigned depth;
};
/* Returns NULL, or the failure; with `trace` the path to it goes to stdout. */
const char *model_search(const struct scenario *, enum defect, bool trace,
	    struct result *);

#endif
