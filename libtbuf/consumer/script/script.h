/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A compiled script in the consumer: the clauses of BEGIN, END, ERROR, tick-N
 * and profile-N, which fire only here.
 *
 *	go()    BEGIN ----+
 *	work()  tick-N ---+--> clauses --> machine --> entries --> next()
 *	        END ------+                   |
 *	                                      +--> a fault --> ERROR
 *
 * In a replay (events.h) clauses at other probes fire here, too, once for each
 * record, and all clauses see the time of the records.
 *
 * The thread that calls the library runs all clauses.  They count as run on one
 * CPU, that of BEGIN, except those of profile-N, which fires for each CPU.  One
 * queue has all entries in order of time; the size of each CPU's buffer is
 * charged as in DTrace.
 */
#ifndef TBUF_CONSUMER_SCRIPT_SCRIPT_H
#define TBUF_CONSUMER_SCRIPT_SCRIPT_H

#include <sys/queue.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "consumer/run/run.h"
#include "consumer/script/agg.h"
#include "machine/machine.h"
#include "machine/program.h"
#include "shared/program_select.h"
#include "tbuf_consumer.h"

/* ------------------------------------------------------------ probes */

enum tbuf_script_kind {
	TBUF_SCRIPT_BEGIN,
	TBUF_SCRIPT_END,
	TBUF_SCRIPT_ERROR,
	TBUF_SCRIPT_RECORD,		/* stands for all probes of records */
	TBUF_SCRIPT_TICK,		/* the first kind with a period */
	TBUF_SCRIPT_PROFILE
};

struct tbuf_script_probe {
	struct tbuf_probe_info info;
	enum tbuf_script_kind kind;
	uint64_t period;		/* ns */
	uint64_t next;			/* time of the next firing, ns */
	uint64_t records;		/* nrecords at the last firing */
	char name[32];
};

/* A clause at a probe. */
struct tbuf_script_enabling {
	const struct tbuf_d_clause *clause;
	struct tbuf_script_probe *probe;
	const char *description;	/* to match probes of records */
	uint32_t epid;			/* of the clause's first record */
};

struct tbuf_record_layout;

/* A record of a replay, which fires the clauses of its probe. */
struct tbuf_script_record {
	const struct tbuf_probe_info *probe;
	const char *execname;
	uint64_t image;			/* of the process */
	uint64_t time, wall;		/* ns */
	pid_t pid;
	uint32_t tid, uid;
	int cpu;
	const uint64_t *values;		/* arguments, as at a site */
	const uint8_t *types;		/* enum tbuf_type */
	unsigned nargs;
	/* Layouts of the clause's records, by number. */
	const struct tbuf_record_layout *const *layouts;
};

/* Most faults in the queues; they are not charged against bufsize. */
#define TBUF_SCRIPT_FAULTS	16384u

/* The least bufsize of a script with ERROR, recorded with arguments. */
#define TBUF_SCRIPT_ERROR_SIZE	64u

#define TBUF_SCRIPT_PROBES	TBUF_IDS_OWN

struct tbuf_cell;
struct tbuf_element;

/* A thread that profile-N sampled, or that had a fault in a clause. */
#define TBUF_SCRIPT_FRAMES	128u

struct tbuf_script_sample {
	uint64_t time;			/* ns */
	uint64_t image;
	const uint64_t *frames;		/* the program counter first */
	unsigned nframes;		/* 0 for a fault, else 1 at least */
	pid_t pid, tid;
	int cpu;
	char execname[16];
};

/* Whether targets have an element. */
enum tbuf_element_known {
	TBUF_ELEMENT_UNKNOWN,
	TBUF_ELEMENT_ABSENT,
	TBUF_ELEMENT_PRESENT
};

/*
 * How clauses here share global variables and elements of arrays with targets:
 * pull before a load, push after a store, push_part after a store of some
 * bytes.  push_element without `keeps` frees the element.  Pushing an element
 * returns false if a target has no room for it.
 */
struct tbuf_script_sharing {
	void (*pull)(void *, struct tbuf_cell *, uint32_t id);
	void (*push)(void *, const struct tbuf_cell *, uint32_t id);
	void (*push_part)(void *, const struct tbuf_cell *, uint32_t id,
	    uint32_t at, uint32_t size);
	enum tbuf_element_known (*pull_element)(void *,
	    struct tbuf_element *);
	bool (*push_element)(void *, const struct tbuf_element *, bool keeps);
	bool (*push_element_part)(void *, const struct tbuf_element *,
	    uint32_t at, uint32_t size);
};

/* ------------------------------------------------------------ variables */

/* A variable that is not an array. */
struct tbuf_cell {
	const struct tbuf_d_variable *variable;	/* NULL: no such id */
	uint64_t number;
	uint8_t *bytes;			/* of a text or a structure */
	uint32_t room;
	bool is_text;
	bool is_set;
};

struct tbuf_cells {
	struct tbuf_cell *all;
	uint32_t count;
};

/* The self-> variables of a thread of an image. */
struct tbuf_script_thread {
	struct tbuf_script_thread *next;	/* in bucket or spare list */
	uint64_t image;
	uint32_t tid;
	struct tbuf_cells cells;
};

/* An element of an array. */
struct tbuf_element {
	struct tbuf_element *next;	/* in its bucket or the spare list */
	uint64_t hash;
	uint64_t number;
	uint64_t charge;		/* against dynvarsize */
	uint8_t *key;
	uint8_t *bytes;
	uint32_t key_size;
	uint32_t slot;
	uint64_t image;			/* of its thread; 0: no thread's */
	uint32_t tid;
	uint32_t id;
	uint32_t room;			/* bytes at `bytes` */
	uint8_t scope;
	bool used;
	bool orphan;			/* value of a target that has ended */
	bool lent;			/* freed when the clause ends */
};

struct tbuf_elements {
	struct tbuf_element **slots;
	struct tbuf_element **buckets;
	struct tbuf_element *spare;
	uint32_t *lent;			/* slots of lent elements */
	uint32_t nlent, lent_room;
	uint32_t nslots;
	uint32_t nbuckets;		/* a power of two */
};

/* ------------------------------------------------------------ entries */

/* A record or a fault that tbuf_script_next() has not returned yet. */
struct tbuf_entry {
	STAILQ_ENTRY(tbuf_entry) link;
	const struct tbuf_probe_info *probe;
	const struct tbuf_d_record *layout;	/* NULL: the default record */
	/* Layout of the data, if the clause fired for a record; else NULL. */
	const struct tbuf_record_layout *pieces;
	pid_t pid;
	uint32_t tid;
	uint64_t time, wall;
	uint64_t turn;			/* temporal: place in the merge, ns */
	uint64_t charge;
	uint64_t address;		/* of a fault */
	uint32_t fault;			/* 0: a record */
	uint32_t action;
	uint32_t offset;
	uint32_t epid;
	int cpu;			/* of the buffer that is charged */
	int shown_cpu;
	uint32_t size;
	char execname[16];
	uint64_t data[];
};
STAILQ_HEAD(tbuf_entries, tbuf_entry);

/* Bytes that a record without data is charged. */
#define TBUF_RECORD_LEAST	16u

#define TBUF_NSPEC_MAX	65536u

/* A speculation: records that wait for commit() or discard(). */
struct tbuf_speculation {
	struct tbuf_entries entries;
	uint64_t used;			/* bytes of specsize in use */
	uint64_t drops;			/* counted by commit() */
	bool active;
};

/* A CPU's buffer, and its losses that are not reported yet. */
struct tbuf_script_cpu {
	uint64_t used;			/* bytes of bufsize in use */
	uint64_t drops[3];		/* by enum tbuf_cause */
	uint64_t overwritten;
	uint64_t aggregation_drops;
	uint64_t chill_start, chilled;	/* ns: in the second from start on */
	bool full;			/* fill: only END's records fit */
};

/* ------------------------------------------------------------ the script */

struct tbuf_script {
	struct tbuf_machine machine;	/* first, for tbuf_script_of() */
	const struct tbuf_d_script *source;
	struct tbuf_options terms;	/* as the run began */

	struct tbuf_script_probe probes[TBUF_SCRIPT_PROBES];
	unsigned nprobes;
	struct tbuf_script_probe recorded;	/* all probes of records */
	bool records;			/* replay: records fire clauses */
	struct tbuf_script_enabling *enablings;	/* in the source's order */
	unsigned nenablings;

	struct tbuf_secret secret;	/* of the hashes below */
	struct tbuf_cells globals, locals;
	struct tbuf_script_thread own;	/* the consumer's one thread */
	struct tbuf_script_thread *self;	/* the thread that fires */
	struct tbuf_script_thread **threads;	/* by hash; NULL: none */
	struct tbuf_script_thread *spare;
	const struct tbuf_script_sharing *sharing;	/* NULL: not shared */
	void *sharer;
	struct tbuf_elements elements;
	struct tbuf_aggregates aggregates;
	uint64_t dynamic;		/* bytes of dynvarsize in use */

	struct tbuf_speculation *speculations;	/* by id - 1 */
	uint32_t nspeculations;

	/* The current fire. */
	const struct tbuf_script_enabling *now;
	const struct tbuf_script_record *record;	/* NULL: no replay */
	int cpu;			/* that the clause counts as run on */
	int home;			/* of all clauses but profile-N's */
	struct tbuf_speculation *speculating;	/* for records, or NULL */
	uint64_t timestamp;		/* 0: not read in this clause */
	uint64_t moment;		/* time in a replay, ns; 0: the clock */
	uint64_t wall_ahead;		/* wall clock less moment, ns */
	uint64_t nrecords;		/* records that have fired */
	uint64_t quiet;			/* timers' firings without a record */
	const struct tbuf_script_sample *sample;	/* or NULL */
	uint64_t values[TBUF_ARGS_MAX];
	uint8_t types[TBUF_ARGS_MAX];
	char execname[16];
	char execargs[256];
	pid_t pid;

	/* Output. */
	struct tbuf_entries queue;	/* before the next switch */
	struct tbuf_entries giving;	/* to be returned in this drain */
	struct tbuf_entry *returned;	/* returned last; its data are in use */
	struct tbuf_script_cpu *cpus;	/* TBUF_NCPUS */
	unsigned next_loss;		/* CPU of the next losses */
	bool telling;			/* losses are to be reported */
	struct tbuf_value *pieces;	/* of one record */
	uint64_t reserved_end;		/* fill: bytes reserved for END */
	uint64_t dynamic_drops;
	uint64_t speculative_drops;
	uint64_t unavailable;		/* speculation() without a free id */
	uint64_t errors;		/* faults in ERROR */
	uint64_t timer_drops;		/* firings that were skipped */
	uint64_t snapshots;		/* calls of snapshot(), not looked at */
	uint64_t snapshots_beyond;	/* those without a snapshot */
	uint64_t next_snapshot;		/* earliest time of the next one */
	bool snapshot_due;		/* the caller has to take one */
	uint32_t faults;		/* in the queues */
	bool started;			/* BEGIN has fired */
	bool stopped;			/* only remaining events and END */
	bool ending;			/* END fires, or has fired */
	bool exited;			/* exit() was called */
	int status;
};

static inline struct tbuf_script *
tbuf_script_of(struct tbuf_machine *m)
{
	return ((struct tbuf_script *)(void *)m);
}

/*
 * script.c.  Makes a script, and checks all clauses.  Clauses at probes of
 * targets fire here only with `records`; profile-N is ENOTSUP then.  Returns
 * NULL and sets errno and, for EINVAL, *why.
 */
struct tbuf_script *tbuf_script_new(const struct tbuf_d_script *,
	    bool records, const char **why);
void	tbuf_script_free(struct tbuf_script *);

/*
 * Allocates the script's memory and, except in a replay, starts it.  Returns 0,
 * -ENOMEM, -ENOSPC: END's records exceed the buffer, -EFBIG: buffers exceed the
 * memory, or -EINVAL: a size is too small to hold anything.
 */
int	tbuf_script_begin(struct tbuf_script *, const struct tbuf_options *);
/* Fires BEGIN and starts the timers. */
void	tbuf_script_start(struct tbuf_script *);
/* Return the present time in ns: the clocks', or the records' in a replay. */
uint64_t tbuf_script_now(const struct tbuf_script *);
uint64_t tbuf_script_wall(const struct tbuf_script *);
/* Returns the program's name of the current fire: execname in D. */
static inline const char *
tbuf_script_execname(const struct tbuf_script *s)
{
	return (s->sample != NULL ? s->sample->execname :
	    s->record != NULL ? s->record->execname : s->execname);
}
/* Returns the time of the current fire: its timestamp, if a clause read it. */
static inline uint64_t
tbuf_script_moment(const struct tbuf_script *s)
{
	return (s->timestamp != 0 ? s->timestamp : tbuf_script_now(s));
}

/* Fires the timers that are due. */
void	tbuf_script_tick(struct tbuf_script *, uint64_t now);
/*
 * Fires the first timer that is due up to `until`, at its own time.  Too many
 * firings without a record in between are skipped and counted.  Returns false
 * if no timer is due.
 */
bool	tbuf_script_tick_next(struct tbuf_script *, uint64_t until);
/* Returns the time when the next timer is due, UINT64_MAX without one. */
uint64_t tbuf_script_due(const struct tbuf_script *);
/* Fires END, last of all; its entries and all losses are the next events. */
void	tbuf_script_end(struct tbuf_script *);

/*
 * script_probes.c.  Returns the next of the consumer's probes, from *from on,
 * that a description matches, or NULL.
 */
struct tbuf_script_probe *tbuf_script_probe_find(struct tbuf_script *,
	    const char *description, unsigned *from);
/* Makes tick-N or profile-N.  Returns false if the description is neither. */
bool	tbuf_script_probe_make(const char *description,
	    struct tbuf_script_probe *);
/*
 * Returns true if a description may match probes of targets, even if it matches
 * some of the consumer's own.
 */
bool	tbuf_clauses_theirs(const char *description);

/*
 * script_choose.c.  Returns the program of a clause for a probe, with the
 * clause's names bound to its arguments.  Returns NULL if there is none: the
 * probe lacks an argument, or it has another class.
 */
const struct tbuf_d_program *tbuf_script_choose(const struct tbuf_d_clause *,
	    const struct tbuf_probe_info *, uint64_t *binding);
/* Visits the clauses that match a probe: see tbuf_consumer_fits(). */
int	tbuf_script_fits(const struct tbuf_script *,
	    const struct tbuf_probe_info *, int (*visit)(void *, unsigned,
	    const struct tbuf_probe_info *, bool fits), void *);

/* script_fire.c.  Runs the clauses of a probe, as on this CPU. */
void	tbuf_script_fire(struct tbuf_script *,
	    const struct tbuf_script_probe *, int cpu);
/*
 * tbuf_script_take() sets the machine's arguments: a record's, or with NULL
 * those of the consumer's own probes.  tbuf_script_run() runs a clause's
 * program with them.
 */
void	tbuf_script_take(struct tbuf_script *,
	    const struct tbuf_script_record *);
void	tbuf_script_run(struct tbuf_script *,
	    const struct tbuf_script_enabling *,
	    const struct tbuf_d_program *);
/* Resets the state that clauses of one fire share: this->, strtok(). */
void	tbuf_script_anew(struct tbuf_script *);
/* Fires ERROR for a fault in a target; its entries are the next events. */
void	tbuf_script_error(struct tbuf_script *, const struct tbuf_event *,
	    const struct tbuf_script_sample *thread);
/* Returns the action and the part of the clause that an instruction is in. */
struct tbuf_d_place tbuf_clause_place(const struct tbuf_d_clause *,
	    uint32_t at);
/* Fills in the verifier's view of a program: its code and its limits. */
void	tbuf_script_limits(const struct tbuf_d_script *,
	    const struct tbuf_d_clause *, const struct tbuf_d_program *,
	    struct tbuf_program *);

/*
 * script_sample.c: profile-N on threads.  Returns the profile-N probe after
 * another one, or the first one for NULL; NULL if there is none.
 */
struct tbuf_script_probe *tbuf_script_profile(struct tbuf_script *,
	    const struct tbuf_script_probe *);
/* Returns true if a clause of the probe reads the stack. */
bool	tbuf_script_stacks(const struct tbuf_script *,
	    const struct tbuf_script_probe *);
/* Stops the timers of profile-N: from now on only samples fire it. */
void	tbuf_script_sampling(struct tbuf_script *);
void	tbuf_script_sampled(struct tbuf_script *,
	    const struct tbuf_script_probe *,
	    const struct tbuf_script_sample *);
/* Counts lost samples of a CPU as drops. */
void	tbuf_script_unsampled(struct tbuf_script *, int cpu, uint64_t);
/* Stores a sample's frames as layout/raw_stack.h has known frames. */
int	tbuf_script_stack(struct tbuf_machine *, uint64_t image, uint8_t *to,
	    uint32_t *size);
/* Stores at most `most` frames of a sample, and zeroes in the other places. */
int	tbuf_script_frames(struct tbuf_machine *, uint64_t address,
	    uint64_t most);

/* script_variable.c */
int	tbuf_cells_make(struct tbuf_cells *, const struct tbuf_d_script *,
	    enum tbuf_scope, uint32_t strsize);
void	tbuf_cells_clear(struct tbuf_cells *);
void	tbuf_cells_free(struct tbuf_cells *);
/* Returns the bytes of a text, with its NUL, or a structure; 0 for a number. */
uint32_t tbuf_cell_room(const struct tbuf_d_shape *, uint32_t strsize);
int	tbuf_script_load(struct tbuf_machine *, enum tbuf_scope, uint32_t id,
	    uint64_t *value);
int	tbuf_script_store(struct tbuf_machine *, enum tbuf_scope, uint32_t id,
	    uint64_t value);
int	tbuf_script_refer(struct tbuf_machine *, enum tbuf_scope, uint32_t id,
	    uint64_t *address);
int	tbuf_script_store_text(struct tbuf_machine *, enum tbuf_scope,
	    uint32_t id, const uint8_t *bytes, uint32_t size);
int	tbuf_script_store_bytes(struct tbuf_machine *, enum tbuf_scope,
	    uint32_t id, const uint8_t *bytes, uint32_t size);
int	tbuf_script_write(struct tbuf_machine *, uint64_t address,
	    const uint8_t *from, uint64_t size);
int	tbuf_script_object(struct tbuf_machine *, unsigned kind,
	    uint32_t index, struct tbuf_span *);
/*
 * Lowers sizes to the limits of all runs, and those of a script that runs in
 * the consumer alone until they fit its budget.  Returns 0, -ENOSPC under
 * manual, or -EINVAL with the message set.
 */
int	tbuf_sizes_lower(struct tbuf_consumer *);
/* Returns true if a clause speculates. */
bool	tbuf_script_speculates(const struct tbuf_d_script *);
/* Returns true if dynvarsize can hold each variable, taken by itself. */
bool	tbuf_variables_fit(const struct tbuf_d_script *,
	    const struct tbuf_options *);
/* Takes bytes of dynvarsize.  Returns false, a drop, if too few remain. */
bool	tbuf_script_charge(struct tbuf_script *, uint64_t bytes);
/*
 * Makes the element of the machine's key for a value of a target that has
 * ended, and charges it.  Returns NULL, a drop, if there is no room.
 */
struct tbuf_element *tbuf_script_orphan(struct tbuf_script *, uint32_t id);

/* script_array.c: elements of arrays, by the machine's key.  NULL: none. */
struct tbuf_element *tbuf_element_find(struct tbuf_script *,
	    enum tbuf_scope, uint32_t id);
/* Makes an element; the caller charges it.  Returns NULL without memory. */
struct tbuf_element *tbuf_element_make(struct tbuf_script *,
	    enum tbuf_scope, uint32_t id, uint32_t room);
/* Makes an element for a target's value; it lives until the clause ends. */
struct tbuf_element *tbuf_element_lend(struct tbuf_script *,
	    enum tbuf_scope, uint32_t id, uint32_t room);
void	tbuf_elements_return(struct tbuf_script *);
void	tbuf_element_drop(struct tbuf_script *, struct tbuf_element *);
void	tbuf_elements_free(struct tbuf_elements *);

/*
 * script_thread_local.c.  Sets the thread of self-> variables.  Returns false
 * without memory.
 */
bool	tbuf_script_thread(struct tbuf_script *, uint64_t image, uint32_t tid);
void	tbuf_script_threads_free(struct tbuf_script *);

/* script_record.c.  Reads a built-in variable of a record in a replay. */
int	tbuf_script_record_builtin(const struct tbuf_script *,
	    unsigned which, uint64_t *value);
/* Returns a feature that a program needs and records lack, or NULL. */
const char *tbuf_script_record_lack(const struct tbuf_d_program *);

/* script_builtin.c */
int	tbuf_script_builtin(struct tbuf_machine *, unsigned which,
	    uint64_t *value);
bool	tbuf_script_builtin_text(struct tbuf_script *, uint32_t which,
	    struct tbuf_span *);
int	tbuf_script_call(struct tbuf_machine *, unsigned subroutine,
	    const uint64_t arguments[TBUF_CALL_ARGUMENTS], unsigned count,
	    uint64_t *result);
/* Copies memory of the process that a clause is about. */
int	tbuf_script_copyin(struct tbuf_machine *, uint64_t address,
	    uint8_t *to, uint64_t size);

/*
 * script_aggregate.c.  tbuf_script_folds() returns true if the values of such a
 * record are aggregated, and the record itself is not returned; stacks in it
 * have been unwound before tbuf_script_fold().
 */
int	tbuf_script_update(struct tbuf_machine *, const struct tbuf_update *);
bool	tbuf_script_folds(const struct tbuf_d_record *);
void	tbuf_script_fold(struct tbuf_script *, const struct tbuf_d_record *,
	    const struct tbuf_value *, int cpu);

/* script_speculate.c */
bool	tbuf_speculations_make(struct tbuf_script *);
void	tbuf_speculations_free(struct tbuf_script *);
int	tbuf_script_speculation(struct tbuf_machine *, uint64_t *id);
int	tbuf_script_speculate(struct tbuf_machine *, uint64_t id);
int	tbuf_script_commit(struct tbuf_machine *, uint64_t id);
int	tbuf_script_discard(struct tbuf_machine *, uint64_t id);
/* Returns false, a drop, if the current speculation has no room. */
bool	tbuf_speculation_room(struct tbuf_script *, uint64_t charge);

/* script_buffer.c.  Returns false, a drop, if a record has no room. */
bool	tbuf_script_room(struct tbuf_script *, uint64_t charge);
/* Adds a record or a fault.  Returns NULL, a drop, without memory. */
struct tbuf_entry *tbuf_entry_add(struct tbuf_script *, uint64_t charge,
	    const void *data, uint32_t size);
uint64_t tbuf_record_charge(const struct tbuf_d_record *);
/* Begins a drain: of the queue if `switched`, of losses if `telling`. */
void	tbuf_script_drain(struct tbuf_script *, bool switched, bool telling);
/* Makes all entries in the queue the next events. */
void	tbuf_script_give(struct tbuf_script *);
/* Returns 1 with the next entry, if its turn is not after `until`, or 0. */
int	tbuf_script_next(struct tbuf_script *, struct tbuf_event *,
	    uint64_t until);
/* Returns 1 with the next loss, or 0; called when no entry is due. */
int	tbuf_script_losses(struct tbuf_script *, struct tbuf_event *);
/* Returns true if a CPU's buffer is full under fill. */
bool	tbuf_script_full(const struct tbuf_script *);
void	tbuf_entries_free(struct tbuf_entries *);

/* ------------------------------------------------------------ globals */

/* Bytes of the largest key of an array in a target. */
#define TBUF_KEY_LARGE		TBUF_KEY_ROOM

/*
 * Global variables (shared_globals.c).  share: clauses here use those of
 * targets from now on.  keep: copies the values of a target that is about to be
 * freed.  put: stores the present values at the places that the codes say.
 */
void	tbuf_globals_share(struct tbuf_consumer *);
void	tbuf_globals_keep(struct tbuf_consumer *, struct tbuf_target *);
void	tbuf_globals_put(const struct tbuf_script *,
	    const struct tbuf_code_variable *, unsigned char *to);

/*
 * tbuf_globals_has() returns true if a target's variables can be accessed;
 * tbuf_globals_sole() returns the only such target, NULL if there are several.
 */
bool	tbuf_globals_has(const struct tbuf_consumer *,
	    const struct tbuf_target *);
struct tbuf_target *tbuf_globals_sole(const struct tbuf_consumer *);

/*
 * Elements of arrays (shared_arrays.c).  pull and push access the elements in
 * targets with the key, variable and size of an element here.  keep: copies all
 * elements of a target that is about to be freed.
 */
enum tbuf_element_known tbuf_elements_pull(void *consumer,
	    struct tbuf_element *);
bool	tbuf_elements_push(void *consumer, const struct tbuf_element *,
	    bool keeps);
bool	tbuf_elements_push_part(void *consumer, const struct tbuf_element *,
	    uint32_t at, uint32_t size);
void	tbuf_elements_keep(struct tbuf_consumer *,
	    struct tbuf_target *);

#endif
