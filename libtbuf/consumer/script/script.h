/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A compiled script in the consumer: the clauses of BEGIN, END, ERROR, tick-N
 * and profile-N, which fire here and nowhere else.
 *
 *	go()    BEGIN ----+
 *	work()  tick-N ---+--> clauses --> machine --> entries --> next()
 *	        END ------+                   |
 *	                                      +--> a fault --> ERROR
 *
 * Over records that were read (replay.h) those at other probes fire here, too,
 * a record at a time, and the time of all is that of the records.
 *
 * All of it is done by the thread that calls the library.  The clauses count
 * as run on one CPU, where BEGIN was, but for profile-N, which fires for each.
 * Entries lie in one queue in the order of time; what a CPU's buffer could
 * hold is counted as DTrace counts it.
 */
#ifndef TBUF_CONSUMER_SCRIPT_SCRIPT_H
#define TBUF_CONSUMER_SCRIPT_SCRIPT_H

#include <sys/queue.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared/program_select.h"
#include "machine/machine.h"
#include "consumer/script/agg.h"
#include "consumer/util/util.h"
#include "tbuf_consumer.h"
#include "machine/program.h"

/* What the run says of it. */
struct tbuf_script_terms {
	uint64_t bufsize;
	uint64_t policy;		/* enum tbuf_policy */
	uint64_t dynvarsize;
	uint64_t scratchsize;
	uint64_t strsize;
	uint64_t aggsize;
	bool aggpercpu;
	uint64_t nspec;
	uint64_t specsize;
	bool manual;			/* refuse what cannot be */
	bool temporal;			/* what it recorded goes by time */
	int64_t cpu;			/* -1: any */
};

/* ------------------------------------------------------------ probes */

enum tbuf_script_kind {
	TBUF_SCRIPT_BEGIN,
	TBUF_SCRIPT_END,
	TBUF_SCRIPT_ERROR,
	TBUF_SCRIPT_RECORD,		/* what a record says of its own */
	TBUF_SCRIPT_TICK,		/* the first with a period */
	TBUF_SCRIPT_PROFILE
};

struct tbuf_script_probe {
	struct tbuf_probe_info info;
	enum tbuf_script_kind kind;
	uint64_t period;		/* ns */
	uint64_t next;
	uint64_t records;		/* that there had been when it fired */
	char name[32];
};

/* A clause at a probe. */
struct tbuf_script_enabling {
	const struct tbuf_d_clause *clause;
	struct tbuf_script_probe *probe;
	const char *description;	/* of probes that records are of */
	uint32_t epid;			/* of its first record */
};

struct tbuf_record_layout;

/* A record that was read, and fires its probe's clauses. */
struct tbuf_script_record {
	const struct tbuf_probe_info *probe;
	const char *execname;
	uint64_t image;			/* of the process */
	uint64_t time, wall;		/* ns */
	pid_t pid;
	uint32_t tid, uid;
	int cpu;
	const uint64_t *values;		/* its arguments, as a site has them */
	unsigned nargs;
	/* How the clause's records are read, by number. */
	const struct tbuf_record_layout *const *layouts;
};

/* Faults wait in memory that is not counted against bufsize. */
#define TBUF_SCRIPT_FAULTS	16384u

/* The least bufsize with ERROR, which DTrace records with its arguments. */
#define TBUF_SCRIPT_ERROR_SIZE	64u

#define TBUF_SCRIPT_PROBES	TBUF_IDS_OWN

struct tbuf_cell;
struct tbuf_element;

/* A thread that profile-N has met, or whose clause failed, as it was then. */
#define TBUF_SCRIPT_FRAMES	128u

struct tbuf_script_sample {
	uint64_t time;			/* ns */
	uint64_t image;
	const uint64_t *frames;		/* from what it was at on */
	unsigned nframes;		/* 1 at least, but of a fault */
	pid_t pid, tid;
	int cpu;
	char execname[16];
};

/* What is known of an element elsewhere. */
enum tbuf_element_known {
	TBUF_ELEMENT_UNKNOWN,
	TBUF_ELEMENT_ABSENT,
	TBUF_ELEMENT_PRESENT
};

/*
 * How clauses share global variables and elements of arrays with others: what
 * is done before one is looked at, and after it has been stored to, or so many
 * bytes of it.  An element that is not kept is 0 from now on; false: it found
 * no room.
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

/* A variable that has one value. */
struct tbuf_cell {
	const struct tbuf_d_variable *variable;	/* NULL: no such id */
	uint64_t number;
	uint8_t *bytes;			/* a text's, a structure's */
	uint32_t room;
	bool is_text;
	bool is_set;
};

struct tbuf_cells {
	struct tbuf_cell *all;
	uint32_t count;
};

/* A thread that has self-> variables, of the image that it is in. */
struct tbuf_script_thread {
	struct tbuf_script_thread *next;	/* in its bucket, or spare */
	uint64_t image;
	uint32_t tid;
	struct tbuf_cells cells;
};

/* An element of an array. */
struct tbuf_element {
	struct tbuf_element *next;	/* in its bucket, or free */
	uint64_t hash;
	uint64_t number;
	uint64_t charge;		/* against dynvarsize */
	uint8_t *key;
	uint8_t *bytes;
	uint32_t key_size;
	uint32_t slot;
	uint64_t image;			/* of its thread; else 0 */
	uint32_t tid;
	uint32_t id;
	uint32_t room;			/* bytes at `bytes` */
	uint8_t scope;
	bool used;
	bool left;			/* by a target that has ended */
	bool lent;			/* a target's, till the clause ends */
};

struct tbuf_elements {
	struct tbuf_element **slots;
	struct tbuf_element **buckets;
	struct tbuf_element *spare;
	uint32_t *lent;			/* slots of those that were */
	uint32_t nlent, lent_room;
	uint32_t nslots;
	uint32_t nbuckets;		/* a power of two */
};

/* ------------------------------------------------------------ entries */

/* A record or a fault that waits to be given. */
struct tbuf_entry {
	STAILQ_ENTRY(tbuf_entry) link;
	const struct tbuf_probe_info *probe;
	const struct tbuf_d_record *layout;	/* NULL: the default record */
	/* How it is read, if its clause fired for a record; else NULL. */
	const struct tbuf_record_layout *pieces;
	pid_t pid;
	uint32_t tid;
	uint64_t time, wall;
	uint64_t turn;			/* temporal: behind what is older, ns */
	uint64_t charge;
	uint64_t address;		/* of a fault */
	uint32_t fault;			/* 0: a record */
	uint32_t action;
	uint32_t offset;
	uint32_t epid;
	int cpu;			/* whose buffer it takes room of */
	int shown_cpu;
	uint32_t size;
	uint64_t data[];
};
STAILQ_HEAD(tbuf_entries, tbuf_entry);

/* What a record without data takes of a buffer. */
#define TBUF_RECORD_LEAST	16u

#define TBUF_NSPEC_MAX	65536u

/* Records that wait for commit() or discard(). */
struct tbuf_speculation {
	struct tbuf_entries entries;
	uint64_t used;			/* of specsize */
	uint64_t drops;			/* told if it is committed */
	bool active;
};

/* What a CPU's buffer holds, and has lost since that was told. */
struct tbuf_script_cpu {
	uint64_t used;
	uint64_t drops[3];		/* by enum tbuf_cause */
	uint64_t overwritten;
	uint64_t aggregation_drops;
	uint64_t chill_start, chilled;	/* ns: in the second from then on */
	bool full;			/* fill: it takes no more */
};

/* ------------------------------------------------------------ the script */

struct tbuf_script {
	struct tbuf_machine machine;	/* the first: surroundings find us */
	const struct tbuf_d_script *source;
	struct tbuf_script_terms terms;

	struct tbuf_script_probe probes[TBUF_SCRIPT_PROBES];
	unsigned nprobes;
	struct tbuf_script_probe recorded;	/* for those of records */
	bool records;			/* which are read, and fire here */
	struct tbuf_script_enabling *enablings;	/* in the source's order */
	unsigned nenablings;

	struct tbuf_cells globals, locals;
	struct tbuf_script_thread own;	/* the consumer's one thread */
	struct tbuf_script_thread *self;	/* the one that fires */
	struct tbuf_script_thread **threads;	/* by hash; NULL: none */
	struct tbuf_script_thread *spare;
	const struct tbuf_script_sharing *sharing;	/* NULL: with nobody */
	void *sharer;
	struct tbuf_elements elements;
	struct tbuf_aggregates aggregates;
	uint64_t dynamic;		/* bytes of dynvarsize in use */

	struct tbuf_speculation *speculations;	/* by their ids - 1 */
	uint32_t nspeculations;

	/* The firing. */
	const struct tbuf_script_enabling *now;
	const struct tbuf_script_record *record;	/* NULL: our own */
	int cpu;			/* which counts as the one */
	int home;			/* that of all clauses but profile's */
	struct tbuf_speculation *speculating;	/* where records go, or NULL */
	uint64_t timestamp;		/* 0: not read in this clause */
	uint64_t moment;		/* over records, ns; 0: the clock's */
	uint64_t wall_ahead;		/* of that, ns */
	uint64_t nrecords;		/* that have fired */
	uint64_t quiet;			/* firings of timers between them */
	const struct tbuf_script_sample *sample;	/* or NULL */
	uint64_t values[TBUF_ARGS_MAX];
	uint8_t types[TBUF_ARGS_MAX];
	char execname[16];
	char execargs[256];
	pid_t pid;

	/* What came of it. */
	struct tbuf_entries queue;	/* not yet given */
	struct tbuf_entries giving;	/* in this round */
	struct tbuf_entry *given;	/* the last one, whose data are read */
	struct tbuf_script_cpu *cpus;	/* TBUF_NCPUS */
	unsigned told;			/* the CPU whose losses are next */
	bool telling;
	struct tbuf_value *pieces;	/* of one record */
	uint64_t reserved_end;		/* fill: room that END has */
	uint64_t dynamic_drops;
	uint64_t speculative_drops;
	uint64_t unavailable;		/* speculation() had none */
	uint64_t errors;		/* faults in ERROR */
	uint64_t timer_drops;		/* firings that were left out */
	uint32_t faults;		/* that are to be given */
	bool started;			/* BEGIN has fired */
	bool stopped;			/* what is left is told, then END fires */
	bool ending;			/* it fires, or has fired */
	bool exited;			/* exit() was called */
	int status;
};

static inline struct tbuf_script *
tbuf_script_of(struct tbuf_machine *m)
{
	return ((struct tbuf_script *)(void *)m);
}

/*
 * script.c.  NULL and errno: EINVAL, and *why says what is wrong with it.
 * Clauses at probes of targets are looked at, and left to others, unless they
 * are to fire for records: then profile-N is ENOTSUP.
 */
struct tbuf_script *tbuf_script_new(const struct tbuf_d_script *,
	    bool records, const char **why);
void	tbuf_script_free(struct tbuf_script *);

/*
 * Take room for what it needs, and start it, unless it is for records.  0,
 * -ENOMEM, -ENOSPC: END's records exceed the buffer, -EFBIG: no memory has
 * buffers that large, or -EINVAL: aggsize or specsize holds nothing.
 */
int	tbuf_script_begin(struct tbuf_script *,
	    const struct tbuf_script_terms *);
/* Fire BEGIN, from when on the timers run. */
void	tbuf_script_start(struct tbuf_script *);
/* The time of our own probes: the clocks', or that of records. */
uint64_t tbuf_script_now(const struct tbuf_script *);
uint64_t tbuf_script_wall(const struct tbuf_script *);
/* That of the firing: its timestamp, once a clause has asked for it. */
static inline uint64_t
tbuf_script_moment(const struct tbuf_script *s)
{
	return (s->timestamp != 0 ? s->timestamp : tbuf_script_now(s));
}

/* Fire the timers that are due. */
void	tbuf_script_tick(struct tbuf_script *, uint64_t now);
/*
 * Fire the first timer that is due until then, as if it was that time.  Of what
 * has no record in between a part is left out, and counted.  False: none is.
 */
bool	tbuf_script_tick_next(struct tbuf_script *, uint64_t until);
/* When the next one is. */
uint64_t tbuf_script_due(const struct tbuf_script *);
/* Fire END, behind all else, and give it, with all losses. */
void	tbuf_script_end(struct tbuf_script *);

/* script_probes.c: the probe of a description, or NULL. */
struct tbuf_script_probe *tbuf_script_probe_find(struct tbuf_script *,
	    const char *description, unsigned *from);
bool	tbuf_script_probe_make(const char *description,
	    struct tbuf_script_probe *);
/*
 * Returns true if a description may match probes of targets, even if it matches
 * some of the consumer's own.
 */
bool	tbuf_clauses_theirs(const char *description);

/* script_copyin.c */
int	tbuf_script_copyin(struct tbuf_machine *, uint64_t address,
	    uint8_t *to, uint64_t size);

/* script_fire.c: run the clauses of a probe. */
void	tbuf_script_fire(struct tbuf_script *,
	    const struct tbuf_script_probe *, int cpu);
/*
 * Whose arguments the machine has: a record's, or with NULL our own.  And run a
 * clause's program for the one that it is.
 */
void	tbuf_script_take(struct tbuf_script *,
	    const struct tbuf_script_record *);
void	tbuf_script_run(struct tbuf_script *,
	    const struct tbuf_script_enabling *,
	    const struct tbuf_d_program *);
/* Another probe fires: what clauses share for a fire begins anew. */
void	tbuf_script_anew(struct tbuf_script *);
/* A fault in a target fires ERROR; what it records comes next. */
void	tbuf_script_error(struct tbuf_script *, const struct tbuf_event *,
	    const struct tbuf_script_sample *thread);
/* The action, and the part of the clause, that an instruction belongs to. */
struct tbuf_d_place tbuf_clause_place(const struct tbuf_d_clause *,
	    uint32_t at);
/* What a program may use, for the verifier. */
void	tbuf_script_limits(const struct tbuf_d_script *,
	    const struct tbuf_d_clause *, const struct tbuf_d_program *,
	    struct tbuf_program *);

/*
 * script_sample.c: profile-N on threads.  The probe of that kind behind one, or
 * the first; NULL: there is none.
 */
struct tbuf_script_probe *tbuf_script_profile(struct tbuf_script *,
	    const struct tbuf_script_probe *);
/* Does a clause of it look at the stack? */
bool	tbuf_script_stacks(const struct tbuf_script *,
	    const struct tbuf_script_probe *);
/* From now on samples are what it fires for, and nothing else. */
void	tbuf_script_sampling(struct tbuf_script *);
void	tbuf_script_sampled(struct tbuf_script *,
	    const struct tbuf_script_probe *,
	    const struct tbuf_script_sample *);
/* So many on a CPU came to nothing: they are drops. */
void	tbuf_script_unsampled(struct tbuf_script *, int cpu, uint64_t);
/* A sample's frames, as layout/raw_stack.h has those that are known. */
int	tbuf_script_stack(struct tbuf_machine *, uint64_t image, uint8_t *to,
	    uint32_t *size);
/* Its frames, as many as there is room for, and zeroes behind. */
int	tbuf_script_frames(struct tbuf_machine *, uint64_t address,
	    uint64_t most);

/* script_variable.c */
int	tbuf_cells_make(struct tbuf_cells *, const struct tbuf_d_script *,
	    enum tbuf_scope, uint32_t strsize);
void	tbuf_cells_clear(struct tbuf_cells *);
void	tbuf_cells_free(struct tbuf_cells *);
/* Bytes that a value needs beside a number; a text's NUL is one more. */
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
/* Does dynvarsize hold one of each variable that takes of it, by itself? */
bool	tbuf_variables_fit(const struct tbuf_d_script *,
	    const struct tbuf_script_terms *);
/* Take so much of dynvarsize, or count a drop. */
bool	tbuf_script_charge(struct tbuf_script *, uint64_t bytes);
/*
 * The element of the machine's key, which a target has left: it takes room here
 * from now on.  NULL: there is none, which is a drop.
 */
struct tbuf_element *tbuf_script_left(struct tbuf_script *, uint32_t id);

/* script_array.c: elements of arrays; the key is the machine's. */
struct tbuf_element *tbuf_element_find(struct tbuf_script *,
	    enum tbuf_scope, uint32_t id);
/* NULL: no memory, or dynvarsize is used up, which is counted. */
struct tbuf_element *tbuf_element_make(struct tbuf_script *,
	    enum tbuf_scope, uint32_t id, uint32_t room);
/* The same, until the clause ends that is running: a target's as it is. */
struct tbuf_element *tbuf_element_lend(struct tbuf_script *,
	    enum tbuf_scope, uint32_t id, uint32_t room);
void	tbuf_elements_return(struct tbuf_script *);
void	tbuf_element_drop(struct tbuf_script *, struct tbuf_element *);
void	tbuf_elements_free(struct tbuf_elements *);

/* script_thread_local.c: the thread whose self-> variables are meant from now on. */
bool	tbuf_script_thread(struct tbuf_script *, uint64_t image, uint32_t tid);
void	tbuf_script_threads_free(struct tbuf_script *);

/* script_record.c: a built-in variable as a record says it. */
int	tbuf_script_record_builtin(const struct tbuf_script *,
	    unsigned which, uint64_t *value);
/* What a program asks for that no record has, in words; or NULL. */
const char *tbuf_script_record_lack(const struct tbuf_d_program *);

/* script_builtin.c */
int	tbuf_script_builtin(struct tbuf_machine *, unsigned which,
	    uint64_t *value);
bool	tbuf_script_builtin_text(struct tbuf_script *, uint32_t which,
	    struct tbuf_span *);
int	tbuf_script_call(struct tbuf_machine *, unsigned subroutine,
	    const uint64_t arguments[TBUF_CALL_ARGUMENTS], unsigned count,
	    uint64_t *result);

/*
 * script_aggregate.c.  folds: is a record of this layout not given, but its
 * values aggregated?  Pieces that are stacks have their frames by then.
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
/* Has the one that is speculated into room?  If not, it is a drop of it. */
bool	tbuf_speculation_room(struct tbuf_script *, uint64_t charge);

/* script_buffer.c: what was recorded. */
/* Is there room for a record? If not, it is a drop. */
bool	tbuf_script_room(struct tbuf_script *, uint64_t charge);
/* A record, or a fault; NULL for want of memory, which is a drop. */
struct tbuf_entry *tbuf_entry_add(struct tbuf_script *, uint64_t charge,
	    const void *data, uint32_t size);
uint64_t tbuf_record_charge(const struct tbuf_d_record *);
/* All that there is is given from now on. */
void	tbuf_script_round(struct tbuf_script *, bool switched, bool telling);
/* What a record has brought is given next. */
void	tbuf_script_give(struct tbuf_script *);
/* The next event of those whose turn it is up to a time: 1, or 0. */
int	tbuf_script_next(struct tbuf_script *, struct tbuf_event *,
	    uint64_t until);
/* What was lost, once there is no such event: 1, or 0. */
int	tbuf_script_losses(struct tbuf_script *, struct tbuf_event *);
/* Under fill: has a CPU's buffer become full? */
bool	tbuf_script_full(const struct tbuf_script *);
void	tbuf_entries_free(struct tbuf_script *);

#endif
