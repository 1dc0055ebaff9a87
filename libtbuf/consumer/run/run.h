/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The state of one run of a consumer.
 */
#ifndef TBUF_CONSUMER_RUN_RUN_H
#define TBUF_CONSUMER_RUN_RUN_H

#include <sys/types.h>

#include <stdbool.h>
#include <stdint.h>

#include "consumer/decode/probe_ids.h"
#include "consumer/target/target.h"
#include "shared/board.h"
#include "tbuf_consumer.h"

struct tbuf_replay;
struct tbuf_script;
struct tbuf_d_clause;
struct tbuf_image;
struct tbuf_sampling;

/* Words of an unwound stack: the image, then frames. */
#define TBUF_STACK_WORDS	129u

struct tbuf_options {
	uint64_t bufsize;
	uint64_t bufpolicy;		/* enum tbuf_policy */
	uint64_t bufresize;		/* 0 auto, 1 manual */
	uint64_t bufscope;		/* 0 cpu, 1 thread */
	uint64_t nbuf;			/* initial thread lanes */
	uint64_t statusrate;		/* a period in ns */
	uint64_t strsize;
	int64_t cpu;
	uint64_t temporal;
	uint64_t dropsoon;
	uint64_t packetsize;		/* of records; 0: any */
	uint64_t follow;
	uint64_t dynvarsize;		/* for scripts */
	uint64_t scratchsize;
	uint64_t aggsize;
	uint64_t aggpercpu;
	uint64_t nspec;
	uint64_t specsize;
	uint64_t cleanrate;		/* a period in ns */
	uint64_t snaprate;		/* a period in ns */
	uint64_t nunits;		/* unit tables */
	uint64_t unitsize;
	uint64_t unitpolicy;		/* 0 fill, 1 ring */
	/* The options below may change at any time. */
	uint64_t switchrate;		/* a period in ns */
	uint64_t aggrate;		/* a period in ns */
	uint64_t aggsortkey;		/* aggsort*: order of tuples */
	uint64_t aggsortrev;
	uint64_t aggsortpos;
	uint64_t aggsortkeypos;
	uint64_t agghist;		/* used by the caller's output */
	uint64_t aggpack;
	uint64_t aggzoom;
	uint64_t encoding;		/* 0 the terminal's, 1 ascii, 2 utf8 */
	uint64_t unitslow;		/* ns; 0: no unit is slow */
	uint64_t unithung;		/* ns; 0: no unit is hung */
	uint64_t unitselect[TBUF_UNIT_RULES];	/* tbuf_unit_rule() */
};

void	tbuf_options_init(struct tbuf_options *);

enum tbuf_run {
	TBUF_RUN_NEW,
	TBUF_RUN_ACTIVE,
	TBUF_RUN_ENDED
};

/* The fast path's lane (fast_path.c), and the bytes of it in memory. */
struct tbuf_fast {
	struct tbuf_reader *reader;	/* NULL: no lane is on the fast path */
	const unsigned char *next, *end;
};

/* The state of a drain. */
struct tbuf_drain {
	struct tbuf_reader **order;	/* all, sorted: CPU, pid, lane */
	unsigned count;
	bool stale;			/* `order` does not fit the targets */
	bool pending;			/* more events may follow */
	unsigned what;			/* TBUF_DRAIN_* */
	bool drops;			/* report the drops */
	bool snapshot;
	bool cut;			/* leave out records from `until` on */
	unsigned group;			/* first reader of a CPU and a pid */
	unsigned cursor;		/* current reader of records */
	unsigned counter;		/* then next counter of the group */
	unsigned packets;		/* current reader of packets */
	bool packets_done;		/* its last packet was returned */
	struct tbuf_target *packet_losses;	/* next to take units' losses */
	struct tbuf_packed *packed;	/* the last packet's own memory */
	struct tbuf_fast fast;
	bool merging;			/* temporal: events come from heap */
	bool top_returned;		/* an event of its top was returned */
	uint64_t noted;			/* time of the watermarks, ns */
	bool everywhere;		/* each CPU was run on for them */
	uint64_t until;			/* return records before this, ns */
	uint64_t until_script;		/* the script's records before, ns */
	uint64_t merged;		/* time of the last record, ns */
	const struct tbuf_target *last_target;	/* target of the last record */
	struct tbuf_reader **heap;	/* oldest on top */
	unsigned heap_count;
	struct tbuf_reader *emptied;	/* left the heap after its last event */
	struct tbuf_target *limits;	/* next to report losses, limits of */
	struct tbuf_target *lost;	/* last whose lost probes were reported */
	struct tbuf_target *exits;	/* next to report the end of */
	unsigned char *chunk;		/* shared by all readers */
	unsigned calls;			/* of tbuf_drain_next(), wraps */
};

/*
 * Reasons why processes could not be traced: the board's, one for those that
 * found no room there, and those of programs that cannot publish any.
 */
enum {
	TBUF_UNTRACEABLE_OTHER = TBUF_BOARD_REASONS,
	TBUF_UNTRACEABLE_SETUID,
	TBUF_UNTRACEABLE_RESIGNED,
	TBUF_UNTRACEABLE_STATIC,
	TBUF_UNTRACEABLE_VERSION,
	TBUF_UNTRACEABLE_CHILD,
	TBUF_UNTRACEABLE_IMAGE,
	TBUF_UNTRACEABLE_USER,	/* the first of several for other users */
	TBUF_UNTRACEABLE_LAST = TBUF_UNTRACEABLE_USER + 3,
	TBUF_UNTRACEABLE
};

struct tbuf_untraceable {
	char why[TBUF_BOARD_REASON];
	uint64_t count;			/* processes */
	uint64_t reported;		/* of these, reported */
};

/* The probes that descriptions choose in the target that was counted last. */
struct tbuf_choice {
	uint32_t entries;		/* of its probe table; 0: no target */
	const struct tbuf_probe_info **probes;	/* array of entries */
	uint64_t *bits;			/* by enabling and index */
};

/* The waiting command. */
struct tbuf_spawned {
	pid_t pid;			/* 0: none */
	int go;				/* socket to it: struct word */
	int failure;			/* pipe from it: errno of exec */
	char *command;			/* argv[0], for messages */
	bool reaped;			/* its end has been returned */
	bool ticks;			/* its start was as tbuf_start_tick() says */
};

struct tbuf_consumer {
	struct tbuf_options options;
	enum tbuf_run state;
	struct tbuf_script *script;	/* or NULL */
	struct tbuf_replay *replay;	/* clauses over a file, or NULL */
	bool alone;			/* a script runs without targets */
	uint64_t run;			/* number on the board, or 0 */
	uint32_t needs;			/* TBUF_F_* that targets must have */
	struct tbuf_programs *programs;	/* file of programs, or NULL */
	struct tbuf_board *board;
	struct tbuf_board_entry *entry;	/* ours, or NULL */
	int board_fd;
	struct tbuf_moment posted;	/* time of the entry, record clock */
	enum tbuf_clock clock;
	uint64_t budget;		/* budget remaining, without an entry */
	bool lowered;			/* sizes were, to fit the budget */
	const char *bounded;		/* a size above its bound, or NULL */
	uint64_t bound;
	int skipped;			/* error of the first skipped target */
	struct tbuf_untraceable untraceable[TBUF_UNTRACEABLE];
	uint64_t without_libtbuf;	/* targets that ended without it */
	bool all;			/* tbuf_consumer_grab_all() */
	bool grabbed;			/* tbuf_consumer_grab() */
	bool files;			/* tbuf_consumer_open_file() */
	int stop, wake;			/* eventfds */
	volatile bool hurried;		/* the caller only counts the rest */
	int watch;			/* inotify on the directory, or -1 */
	int elsewhere;			/* inotify on others' ones, or -1 */
	bool scanned;			/* `watch` reports all that is new */
	int directory;			/* the runtime directory, or -1 */
	uint64_t pid_namespace;		/* its own; 0: not read yet */
	bool exits;			/* clauses in targets have exit() */
	bool snapshots;			/* they have snapshot() */
	bool names;			/* addresses need names */
	struct tbuf_image *images;	/* for names */
	struct tbuf_sampling *sampling;	/* profile-N on targets, or NULL */
	/* Unwinds raw stacks; NULL: stacks come from frame pointers. */
	unsigned (*unwind)(void *, const struct tbuf_stack *, uint64_t *,
	    unsigned);
	void *unwind_arg;
	/* The last unwound stack: image, program counter, further frames. */
	uint64_t stack[TBUF_STACK_WORDS];
	struct tbuf_moment script_time;	/* time when the script was set */
	const struct tbuf_d_clause **clauses;	/* of each enabling, or NULL */
	char *patterns;			/* NUL-terminated each */
	size_t patterns_size;
	unsigned npatterns;
	struct tbuf_target_list targets;
	struct tbuf_probes probes;
	struct tbuf_choice choice;
	struct tbuf_spawned spawned;
	pid_t orphan;			/* process that is waited for, or 0 */
	struct tbuf_drain drain;
	struct tbuf_totals totals;
	uint64_t next_switch, next_status, next_clean, next_pool;
	uint64_t next_sign;		/* of life within a round, ns */
	bool strict;			/* switchrate was set */
	bool flushes;			/* a target has called tbuf_flush() */
	uint64_t last_fill, next_fill;	/* looks at how full buffers are */
	uint32_t block;			/* bytes of self-> variables; 0: none */
	uint64_t element_set;		/* least bytes of arrays' elements */
	/* Milliseconds to wait yet, for all files together. */
	unsigned lock_pauses, dying_pauses;
	uint64_t start_waited;		/* for processes that start, ns */
	bool unsettled;			/* a file's target is not ready */
	unsigned searches;		/* looks for it since a file came */
	uint64_t next_search;		/* time of the next one, ns */
	uint64_t next_command;		/* time of the look at a command, ns */
	uint64_t command_wait;		/* from there to the next look, ns */
	struct tbuf_value values[TBUF_PIECES_MAX];	/* of one record */
	char interned[TBUF_ARGS_MAX][TBUF_FIELD_SIZE];	/* its texts */
	/* A mapped file that is no target's, while a word in it is set. */
	struct {
		void *base;		/* NULL: none */
		uint64_t size;
		volatile bool truncated;
	} set;
	char error[512];
};

/* Computes the terms of this consumer's sessions from its options. */
void	tbuf_consumer_terms(const struct tbuf_consumer *, struct tbuf_terms *);

/* Stores this consumer's rules of work units in a target's session. */
void	tbuf_units_rule(const struct tbuf_consumer *, struct tbuf_target *);
/*
 * Store its limits of slow and of hung units there.  For slow ones the target's
 * timeline has begun.
 */
void	tbuf_units_set_slow(const struct tbuf_consumer *, struct tbuf_target *);
void	tbuf_units_set_hung(const struct tbuf_consumer *, struct tbuf_target *);
/* Returns the word tbuf_units.slow for so many ns. */
uint64_t tbuf_unit_slow(const struct tbuf_timeline *, uint64_t ns);

/*
 * Begin and end accesses to a mapping of another process's file, which that may
 * truncate meanwhile: then tbuf_set_end() returns -ESTALE, else 0.
 */
void	tbuf_set_begin(struct tbuf_consumer *, void *base, uint64_t size);
int	tbuf_set_end(struct tbuf_consumer *);
/* Returns a text for such an error; `lacks` is for ENOENT, `full` for E2BIG. */
const char *tbuf_set_problem(int error, const char *lacks, const char *full);

/* Formats the message of tbuf_consumer_error().  Returns `error`. */
int	tbuf_consumer_fail(struct tbuf_consumer *, int error,
	    const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Notes the error because of which a target that a scan found is left out. */
void	tbuf_consumer_skip(struct tbuf_consumer *, int error);

/* Sets the message of a runtime directory that cannot be used, likewise. */
int	tbuf_consumer_fail_directory(struct tbuf_consumer *, int error,
	    const char *failure);

/* Sets the message "could not enable tracing: ...".  Returns `error`. */
int	tbuf_consumer_refuse(struct tbuf_consumer *, int error);

/* Opens the runtime directory, once.  Returns a descriptor or -errno. */
int	tbuf_consumer_directory(struct tbuf_consumer *, bool make);

/* Returns the description of an enabling below npatterns. */
const char *tbuf_consumer_pattern(const struct tbuf_consumer *,
	    unsigned enabling);
/*
 * Gives all targets a sign of life, if the last one was some time ago.  Steps
 * of a round call it for each target or file that they look at, and each few
 * events: with hundreds of targets, or a slow output, a round may take longer
 * than targets wait.
 */
static inline void
tbuf_consumer_sign(struct tbuf_consumer *c)
{
	tbuf_targets_postpone(&c->targets, &c->next_sign);
}

/* Assigns ids to a target's probes that have registered since the last look. */
void	tbuf_target_probes(struct tbuf_consumer *, struct tbuf_target *);

/* ------------------------------------------------------------ budget */

/* The largest control file: larger offsets do not fit lane_of_cpu. */
#define TBUF_FILE_MAX	(UINT64_C(1) << 38)

/* Returns true if a file may grow to this size (RLIMIT_FSIZE). */
bool	tbuf_budget_file(uint64_t size);

/*
 * Computes the bytes that the buffers of one consumer may take in the file
 * systems of its targets: TBUF_MAXSIZE, or half of the least room.  Returns 0,
 * -EINVAL if TBUF_MAXSIZE is not a size.
 */
int	tbuf_budget(struct tbuf_consumer *, uint64_t *bytes);

/* Computes the bytes that the consumer's own buffers may take, likewise. */
int	tbuf_budget_own(struct tbuf_consumer *, uint64_t *bytes);

/*
 * Take from the remaining budget, and return to it.  tbuf_budget_take() returns
 * false if less than `bytes` remains.
 */
bool	tbuf_budget_take(struct tbuf_consumer *, uint64_t bytes);
void	tbuf_budget_give(struct tbuf_consumer *, uint64_t bytes);

/* ------------------------------------------------------------ sizes */

/* Returns the number of CPUs up to the last one that is online. */
unsigned tbuf_cpus_number(void);

/* A size that can be lowered, and how many times the space is taken. */
struct tbuf_share {
	uint64_t *size;
	uint64_t times;
	uint64_t least;
};

/* Returns the bytes of a share, at most UINT64_MAX. */
uint64_t tbuf_share_space(const struct tbuf_share *);

/*
 * Halves the size that takes most of the space of those that can be smaller.
 * Returns false if there is none.
 */
bool	tbuf_share_halve(const struct tbuf_share *, unsigned count);

/* Lowers an option to `most`, which is noted with the option's name. */
void	tbuf_size_bound(struct tbuf_consumer *, const char *name,
	    uint64_t *option, uint64_t most);

/* Returns true if a size was lowered although bufresize is manual. */
bool	tbuf_sizes_refused(const struct tbuf_consumer *);

/* ------------------------------------------------------------ copyin */

/*
 * Checks that the memory of all targets of a run may be read, if clauses do
 * that.  Returns 0 or -EPERM.
 */
int	tbuf_copyin_check(struct tbuf_consumer *);

/*
 * Returns true if a thread of a process has more seccomp filters than it began
 * with.  They may kill it for the system call that reads.
 */
bool	tbuf_copyin_filtered(pid_t, uint32_t from_the_start);

/* ------------------------------------------------------------ mappings */

/*
 * Executable mappings of each image of a process, remembered while it lives so
 * that addresses can be named after its end.
 */

/*
 * Reads the mappings of new images of targets, and with `again` the mappings
 * that other images have loaded since.  Does nothing if no clause needs names.
 */
void	tbuf_images_look(struct tbuf_consumer *, bool again);
/*
 * Stores the known mappings of a target's image in its session's area, for
 * later readers of the file.  The session must be this consumer's.
 */
void	tbuf_images_leave(const struct tbuf_consumer *, struct tbuf_target *);
/*
 * Add a mapping, or set the program's name, from a perf event of a command that
 * has no libtbuf.  Perf events of other targets have no effect.
 */
void	tbuf_images_mapped(struct tbuf_consumer *, const struct tbuf_target *,
	    const struct tbuf_mapping *);
void	tbuf_images_named(struct tbuf_consumer *, const struct tbuf_target *,
	    const char *name);
/* Returns the name of a target's program, "" if it is unknown. */
const char *tbuf_images_name(const struct tbuf_consumer *,
	    const struct tbuf_target *);
void	tbuf_images_free(struct tbuf_consumer *);

/* Returns the image of a target, as its clauses record it. */
uint64_t tbuf_target_image(const struct tbuf_target *);

/* ------------------------------------------------------------ threads */

/* Smallest lane that is read early by itself, bytes. */
#define TBUF_EARLY_LEAST	(UINT64_C(256) << 10)

/* Returns true if a target of the run has a pool of thread lanes. */
bool	tbuf_pools_any(const struct tbuf_consumer *);

/*
 * Frees lanes of threads that have ended, and adds lanes to targets that have
 * few free ones.  Returns true if a target has few because free lanes have
 * records: they are to be read soon.
 */
bool	tbuf_pools_look(struct tbuf_consumer *, uint64_t now);

/* Frees the blocks of dead threads in targets that may need free blocks. */
void	tbuf_variables_clean(struct tbuf_consumer *, uint64_t now);
/*
 * Checks the parts for variables and elements in a session that its target
 * built: parts of another size than ordered are not used.
 */
void	tbuf_variables_adopt(const struct tbuf_consumer *,
	    struct tbuf_target *);
/* Unmaps the variables as a target's session ends or the target is freed. */
void	tbuf_variables_forget(struct tbuf_target *);

/* ------------------------------------------------------------ locks */

#define TBUF_LOCK_PAUSES	10000
/*
 * Takes the lock on byte 0 of a control file, as tbuf_file_lock_wait(), but
 * waits 10 s in all: targets may hold the locks of their files for ever.  A
 * short wait costs nothing of that time.  Returns 0, -EBUSY, or an error of
 * fcntl(2).
 */
int	tbuf_consumer_lock(struct tbuf_consumer *, int fd);

#endif
