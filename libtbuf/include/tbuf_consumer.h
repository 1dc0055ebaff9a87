/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * tbuf_consumer.h: read what targets record.
 *
 *	struct tbuf_consumer *c = tbuf_consumer_new();
 *	tbuf_consumer_set(c, "bufpolicy", "ring");
 *	tbuf_consumer_enable(c, "kv:::request-start");
 *	tbuf_consumer_grab(c, pid);
 *	tbuf_consumer_go(c);
 *	while ((r = tbuf_consumer_work(c)) > 0)
 *		while (tbuf_consumer_next(c, &event) > 0)
 *			...
 *	tbuf_consumer_close(c);
 *
 * tbufctl(1) is built on this header alone.  One consumer is used by one
 * thread at a time; the exceptions say so.  Functions that return int return
 * 0 or more, or a negative errno; tbuf_consumer_error() has the words.  The
 * library never prints, exits or aborts.  See libtbuf_consumer(3).
 *
 * Structures that programs allocate end in reserved words, which the library
 * sets to zero.  A later version gives them a meaning, in which zero stands for
 * what this version does; so programs of either version work with a library of
 * the other.  They also take event types, causes and value types into account
 * that they do not know.
 *
 * A control file that another process truncates while it is read raises
 * SIGBUS in the reader: a program that reads other users' targets handles it
 * with tbuf_consumer_mend(), as tbufctl does.
 */
#ifndef TBUF_CONSUMER_H
#define TBUF_CONSUMER_H

#include <sys/types.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tbuf.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* The version of the library, as "1.0.0". */
const char *tbuf_version(void);

/*
 * Parse a value as the options do.  A size is an integer (C bases) and one of
 * k m g t, each a factor of 1024; a rate is an integer and a unit (ns ... day,
 * hz; bare: per second) and is given back as a period in nanoseconds.
 * 0 or -EINVAL (also: negative, trailing junk, overflow).
 */
int	tbuf_parse_size(const char *text, uint64_t *bytes);
int	tbuf_parse_rate(const char *text, uint64_t *nanoseconds);

/* ------------------------------------------------------------ one run */

struct tbuf_consumer;

/* NULL with errno (ENOMEM, EMFILE, ...).  To be closed by the caller. */
struct tbuf_consumer *tbuf_consumer_new(void);

/*
 * End the run if that has not been done, give all sessions back, and free
 * everything.  Targets run on.  NULL is fine.
 */
void	tbuf_consumer_close(struct tbuf_consumer *);

/*
 * Why the last call that returned a negative value failed: a phrase without
 * a full stop, such as "failed to grab pid 7: No such process".  Valid until
 * the next call with this consumer.
 */
const char *tbuf_consumer_error(const struct tbuf_consumer *);

/*
 * Set an option by its DTrace name before tbuf_consumer_go(): bufsize,
 * bufpolicy, bufresize, switchrate, statusrate, strsize, cpu, temporal,
 * follow.  `value` is NULL for a bare name.
 *	-ENOENT	no such option
 *	-EINVAL	no value for this option
 *	-ENOTSUP an option that has no meaning in user space, or one that
 *		belongs to D programs, which are not in this version
 *	-EBUSY	tracing is active
 */
int	tbuf_consumer_set(struct tbuf_consumer *, const char *name,
	    const char *value);

/*
 * The value in force as an integer: bytes, a period in nanoseconds, 0 or 1,
 * bufpolicy 0 switch 1 fill 2 ring, bufresize 0 auto 1 manual, cpu -1 for
 * all, encoding 0 default 1 ascii 2 utf8.  -ENOENT for a name that
 * tbuf_consumer_set() does not take.
 */
int	tbuf_consumer_get(const struct tbuf_consumer *, const char *name,
	    int64_t *value);

/*
 * Enable all probes that a description matches, those included that register
 * later.  The description is [[[provider:]module:]function:]name, right-
 * aligned, an empty field is any, fields are globs with * ? [], and several
 * descriptions are separated by commas.  Every enabling writes records of its
 * own.  Returns the enabling's number, 0 for the first, or -EINVAL, or -E2BIG
 * for too many of them.
 */
int	tbuf_consumer_enable(struct tbuf_consumer *, const char *description);

/*
 * Run a compiled script (program.h), one a consumer.  Its clauses at
 * BEGIN, END, ERROR, tick-N and profile-N fire here: BEGIN in
 * tbuf_consumer_go(), the others in tbuf_consumer_work().  Those at other
 * probes run in the targets, each description as an enabling of its own, in
 * order.  The script must live until the close.  A run with a script needs
 * neither targets nor enablings; without targets it goes on until exit() or
 * tbuf_consumer_stop().  Where files are read (open_file(), before), all
 * clauses fire here, for each record that was read.
 *	-ENOTSUP a clause at a probe of targets does what these cannot do
 *	-EINVAL	the script is damaged
 *	-EBUSY	tracing is active, or there is a script already
 *
 * own: does this description match probes that a consumer has itself?  1, 0,
 * or -EINVAL.
 *
 * exited: has a clause called exit()?  Then the status, too.
 */
struct tbuf_d_script;
int	tbuf_consumer_script(struct tbuf_consumer *,
	    const struct tbuf_d_script *);
int	tbuf_consumer_own(const char *description);
bool	tbuf_consumer_exited(const struct tbuf_consumer *, int *status);

/*
 * Whom to trace.  Called before tbuf_consumer_go(); pids are the caller's.
 *
 * grab: a running target.  -ESRCH No such process, -EPERM Operation not
 * permitted, -ENOEXEC no libtbuf in it, -EPROTO versions that do not fit,
 * -EOPNOTSUPP strict seccomp mode, -ECANCELED tracing is off: REASON, -EAGAIN
 * there is a lease on its control file.  A process that is none, and began
 * within the last second or is amid execve(2), is waited for: its program may
 * have to be loaded yet.  That takes a second at most, and stop() ends it.
 *
 * spawn: a command that does not run yet; tbuf_consumer_go() lets it.  Its
 * three standard descriptors are the caller's.  Returns its pid, or -ENOENT,
 * -EACCES and the like when it cannot be executed.  argv is searched for as
 * execvp(3) does.  envp_add, if not NULL, is a NULL-terminated list of
 * NAME=VALUE that are set in its environment.
 *
 * grab_all: all of the user's targets, those included that start later.
 */
int	tbuf_consumer_grab(struct tbuf_consumer *, pid_t);
pid_t	tbuf_consumer_spawn(struct tbuf_consumer *, char *const argv[],
	    const char *const *envp_add);
int	tbuf_consumer_grab_all(struct tbuf_consumer *);

/*
 * Read a control file: what the lanes of its sessions hold is given, under
 * any policy, and stays there.  Its target may be dead, or live and be traced
 * by somebody else.  With enablings, only records of probes that they match
 * are given.  1: it was cut off, and is read as far as it goes; error() says
 * how much is missing.  -ENOENT and the like, -EINVAL (not a control file, or
 * damaged), -ENODATA (no session), -EPROTO, -EAGAIN (there is a lease on it).
 *
 * open_pid: the same for what a process that has ended has left in the runtime
 * directory, and for the file of one that lives.  -ESRCH if there is nothing of
 * either; else what tbuf_consumer_grab() says, or what is wrong with all that
 * it has left.
 */
int	tbuf_consumer_open_file(struct tbuf_consumer *, const char *path);
int	tbuf_consumer_open_pid(struct tbuf_consumer *, pid_t);

/*
 * Read the sessions that an ELF core of a target has in it, as open_file()
 * does those of a control file.  Where the core has none but names the control
 * file of its process, that is read if it still is this process's.  The result
 * is 1 then, and for a core that ends early; tbuf_consumer_error() says which.
 *
 * `path` is for the words alone if `read` is not NULL: that is asked for bytes
 * at offsets of the core, most of the time rising ones, and returns how many
 * of them there are from there on, at least one if the core has not ended, or
 * a negative errno.
 *
 * -ENOENT and the like, -EINVAL (no core of this kind of machine), -ENODATA
 * (no session, and no file that could be read), -EFBIG, -ENOMEM, or what
 * `read` returned.
 */
typedef ssize_t (*tbuf_core_read)(void *arg, void *to, size_t size,
    uint64_t offset);
int	tbuf_consumer_open_core(struct tbuf_consumer *, const char *path,
	    tbuf_core_read read, void *arg);

/*
 * Reserve the buffers, start tracing, and let the command run.  All targets
 * or none.
 *	-ENOSPC	"could not enable tracing: Not enough space"
 *	-EINVAL	no enabling, a bufsize under 16, or TBUF_MAXSIZE is no size
 *	-E2BIG	the descriptions are longer, or enable more probes of one
 *		target, than a session can hold
 *	-EPROTO	a target's libtbuf lacks what is needed
 *	-EUSERS	a target has as many sessions as it can have (32)
 *	-ESRCH, -EPERM, ... a target that was grabbed went away
 * Options hold what is in force afterwards: a bufsize or an aggsize that was
 * lowered is told by tbuf_consumer_get(); tbuf_consumer_lowered() says whether
 * one was.
 */
int	tbuf_consumer_go(struct tbuf_consumer *);
bool	tbuf_consumer_lowered(const struct tbuf_consumer *);

/*
 * Targets that were not asked for by pid (all targets, children, what exec
 * made of one) and cannot be had are left out.  0 as long as there was none,
 * else what the first of them was lacking: -EMFILE (a target takes two
 * descriptors: raise RLIMIT_NOFILE), -ENFILE, -ENOMEM, -ENOSPC, -EUSERS, ...
 */
int	tbuf_consumer_skipped(const struct tbuf_consumer *);

/*
 * Processes that belong to the run and say themselves that they could not be
 * traced.  Gives one reason in words, such as "Not enough space", and the
 * number of processes that it held for since it was given last; NULL when
 * there is nothing to tell any more.
 */
const char *tbuf_consumer_missed(struct tbuf_consumer *, uint64_t *count);

/*
 * Why profile-N samples less than it was asked to, in a line of words that is
 * valid until the next call; each is given once.  NULL: there is no other.
 */
const char *tbuf_consumer_unsampled(struct tbuf_consumer *);

/*
 * For a handler of SIGBUS, with its si_addr: if that lies in a control file
 * of this consumer, which its owner has truncated then, there are zeroes from
 * now on.  True if so: the handler may return, and the target is left out of
 * the run, or what was to be set in it fails.  Async-signal-safe.
 */
bool	tbuf_consumer_mend(struct tbuf_consumer *, const void *address);

/*
 * How many probes an enabling has matched by now, in all targets; equal
 * probes of several targets count once.
 */
unsigned tbuf_consumer_matched(struct tbuf_consumer *, int enabling);

/*
 * Wait until something is due (a switch, a status look, the end of a target,
 * tbuf_consumer_stop()) and do it.
 *	1	tracing goes on; there may be nothing for
 *		tbuf_consumer_next(), after tbuf_consumer_wake()
 *	0	tracing has ended: all targets did, the first full buffer
 *		under fill, or a stop.  The last records are there for
 *		tbuf_consumer_next(); a further call does nothing.
 *	-errno	it ended because of an error (-ETIMEDOUT: the targets had
 *		given this consumer up); the records that could be had are
 *		there nevertheless.
 */
int	tbuf_consumer_work(struct tbuf_consumer *);

/*
 * Ask for the end: the next (or the waiting) tbuf_consumer_work() stops
 * tracing.  Async-signal-safe; any thread may call it.
 */
void	tbuf_consumer_stop(struct tbuf_consumer *);

/*
 * Have the next (or the waiting) tbuf_consumer_work() return, though nothing
 * may be due.  Async-signal-safe; any thread may call it.
 */
void	tbuf_consumer_wake(struct tbuf_consumer *);

/*
 * Switch all buffers now, for a program with a loop of its own that cannot
 * wait: what was recorded so far is given by tbuf_consumer_next().  -ENOTSUP
 * under another policy, -EINVAL when no tracing is active.
 */
int	tbuf_consumer_switch(struct tbuf_consumer *);

/*
 * A live snapshot under ring or fill: what was recorded before a moment, on all
 * CPUs, is given by tbuf_consumer_next(), stays there, and is in no total.
 * -ENOTSUP under switch, -EINVAL when no tracing is active.
 */
int	tbuf_consumer_snapshot(struct tbuf_consumer *);

/* ------------------------------------------------------------ what comes */

/* A probe, as targets have registered it.  Valid until the close. */
struct tbuf_probe_info {
	unsigned id;		/* unique in this run; targets' from 1025 */
	const char *provider;
	const char *module;
	const char *function;
	const char *name;
	unsigned nargs;
	uint8_t types[TBUF_ARGS_MAX];	/* enum tbuf_type */
	const char *argnames[TBUF_ARGS_MAX];
};

/*
 * One argument of a record.
 *	TBUF_INT*, TBUF_CHAR where char is signed	i
 *	TBUF_UINT*, TBUF_CHAR elsewhere, TBUF_BOOL, TBUF_POINTER	u
 *	TBUF_FLOAT, TBUF_DOUBLE				d
 *	TBUF_STRING, TBUF_STRING_SIZED, TBUF_BINARY	data, size, null, cut
 * `data` is not NUL-terminated and holds whatever the target had there; it is
 * valid until the next call of tbuf_consumer_next() or _work().
 */
struct tbuf_value {
	uint8_t type;		/* enum tbuf_type */
	bool cut;		/* strsize was reached */
	bool null;		/* a NULL string */
	uint32_t size;		/* bytes of data */
	union {
		int64_t i;
		uint64_t u;
		double d;
		const char *data;
	};
};

/*
 * The work unit that kept a record back.  A unit's records come together, in
 * the order in which they were made, where the unit ended; those of one that
 * has not ended when its target or the run has.
 */
struct tbuf_unit_info {
	char kind[32];
	uint64_t id;
	int outcome;
	bool ended;		/* else it has no outcome */
	uint64_t records;	/* that are given of it */
	uint64_t discarded;	/* and those that are not, by its outcome */
	uint64_t began;		/* ns of CLOCK_MONOTONIC */
	uint64_t reserved[4];
};

struct tbuf_record {
	pid_t pid;		/* as the consumer knows it */
	uint32_t tid;		/* as the target does, in its pid namespace */
	int cpu;		/* its lane's, if a fire could not tell */
	unsigned enabling;
	uint64_t time;		/* ns of CLOCK_MONOTONIC */
	uint64_t wall;		/* ns of CLOCK_REALTIME */
	const struct tbuf_probe_info *probe;
	unsigned nargs;
	const struct tbuf_value *args;
	unsigned npieces;	/* a clause's record has pieces, and no args */
	const struct tbuf_value *pieces;
	/*
	 * Of a script's clause what the pieces are (program.h); NULL: it
	 * has no actions.
	 */
	const struct tbuf_d_record *layout;
	unsigned epid;		/* of a script's clause, from 1, in a target by
				   its own count; else 0 */
	const struct tbuf_unit_info *unit;	/* the work unit, or NULL */
	uint64_t reserved[3];
};

enum tbuf_event_type {
	TBUF_EVENT_RECORD,
	TBUF_EVENT_DROPS,	/* since the last such event of that cause */
	TBUF_EVENT_OVERWRITTEN,	/* under ring, at the end */
	TBUF_EVENT_EXIT,	/* a target or the command has ended */
	TBUF_EVENT_DAMAGE,	/* senseless bytes of a lane were skipped */
	TBUF_EVENT_LOST,	/* probes that found no room in their table */
	TBUF_EVENT_UNMET,	/* probes that the session had no room for */
	TBUF_EVENT_FAULT,	/* of a script's clause: record says which */
	TBUF_EVENT_DYNAMIC,	/* variables that dynvarsize had no room for */
	TBUF_EVENT_ERRORS,	/* faults in clauses of ERROR */
	TBUF_EVENT_AGGREGATION,	/* keys that aggsize had no room for, by CPU */
	TBUF_EVENT_UNFIT,	/* probes that a clause has no program for */
	TBUF_EVENT_SPECULATIVE,	/* records that specsize had no room for */
	TBUF_EVENT_UNAVAILABLE,	/* speculation() that found none free */
	TBUF_EVENT_BUSY,	/* and one that waited to be given */
	TBUF_EVENT_UNIT_DROPS,	/* records that a work unit's table had no room
				   for */
	TBUF_EVENT_UNIT_OVERWRITTEN,	/* or that made way there */
	TBUF_EVENT_DISCARDED,	/* records that units' outcomes left out */
	TBUF_EVENT_UNITS,	/* units that found no table: their records go
				   where all others do */
	TBUF_EVENT_TIMERS	/* firings of timers that were left out where
				   there are no records */
};

enum tbuf_cause {
	TBUF_CAUSE_FULL,
	TBUF_CAUSE_LARGE,
	TBUF_CAUSE_NOLANE
};

/* What tbuf_consumer_next() gives. */
struct tbuf_event {
	enum tbuf_event_type type;
	pid_t pid;
	int cpu;		/* drops, overwritten, damage, aggregation */
	enum tbuf_cause cause;	/* drops */
	uint64_t count;		/* drops, overwritten: records; damage: bytes;
				   lost, unmet, unfit: probes; dynamic, errors:
				   how many; aggregation: values; since the
				   last one */
	bool child;		/* exit: it was the command */
	int status;		/* exit: -1 if by a signal, or not known */
	int signal;		/* exit: the signal, or 0 */
	uint32_t fault;		/* fault: its number, as DTRACEFLT_* have it */
	uint32_t action;	/* of the clause, from 1; 0: the predicate */
	uint32_t offset;	/* the instruction's index */
	uint32_t spare;
	uint64_t address;	/* or size, or index */
	uint64_t reserved[4];
	struct tbuf_record record;
};

/*
 * The next event that the last tbuf_consumer_work() made available: 1, or 0
 * when there is none left, or -ENOMEM.  Order: by CPU, then pid, each lane in
 * time order (with `temporal` all records by time); a CPU's drops and
 * overwritten records come after its records.
 */
int	tbuf_consumer_next(struct tbuf_consumer *, struct tbuf_event *);

/* ------------------------------------------------------------ addresses */

/*
 * What an image of a process (one from its first constructor to exec, or to its
 * end) has had mapped at an address, to be run: an image is what addresses in
 * records of scripts and in keys begin with; a pid means the latest one of that
 * process.  Known of those that are or were
 * targets of a run whose script asks for names, and of what they had mapped as
 * they began, and when they were looked at: each statusrate, and when something
 * is asked that is not known.  Of files (tbuf_consumer_open_file()) what their
 * programs had mapped as they began under such a run, and what its consumer
 * has seen, as far as there was room for it.  1, 0 if nothing was
 * there, -ESRCH if there is no such image.
 */
struct tbuf_mapping {
	uint64_t start, end;
	uint64_t offset;	/* in the file */
	uint64_t inode;		/* of it; 0: there is none */
	const char *path;	/* as /proc/PID/maps has it; till the close */
	pid_t pid;		/* of the image if it runs still, else 0 */
	uint64_t reserved[4];
};
int	tbuf_consumer_mapping(struct tbuf_consumer *, uint64_t image,
	    uint64_t address, struct tbuf_mapping *);
/* All that is known of them so far: the one of a number, from 0 on; or 0. */
int	tbuf_consumer_mapped(struct tbuf_consumer *, uint64_t image,
	    unsigned number, struct tbuf_mapping *);

/*
 * Addresses that usym(), ufunc() and umod() have made keys of aggregations are
 * one key if they have one name. The function is given what was asked for, by
 * its word, an image and an address, and gives the address that stands for all
 * with that name: it is asked once for each key, when a key is given or
 * trunc() looks at it.
 */
void	tbuf_consumer_name(struct tbuf_consumer *, uint64_t (*)(void *,
	    const char *asked, uint64_t image, uint64_t address), void *);

/*
 * A thread's stack when profile-N met it: registers by their numbers of DWARF,
 * the program counter behind the others, and bytes from the stack pointer on.
 */
struct tbuf_stack {
	uint64_t image;
	const uint64_t *registers;
	unsigned nregisters;
	const unsigned char *bytes;
	uint64_t size;
};

/*
 * Samples have raw stacks instead of what frame pointers say.  The function
 * fills in where each of the callers goes on, at most so many, with
 * TBUF_FRAME_EXACT for one that a signal has interrupted, and says how many
 * they are.  To be set before tbuf_consumer_go().
 */
void	tbuf_consumer_unwind(struct tbuf_consumer *, unsigned (*)(void *,
	    const struct tbuf_stack *, uint64_t *frames, unsigned most),
	    void *);

/* ------------------------------------------------------------ aggregations */

struct tbuf_d_aggregation;

/* Values from low to high, both included, and how often they came. */
struct tbuf_bucket {
	int64_t low;
	int64_t high;
	int64_t count;
};

/*
 * What an aggregation has gathered for a key.  The library's own, which grows
 * at its end.
 */
struct tbuf_gathered {
	const struct tbuf_d_aggregation *aggregation;	/* program.h */
	int64_t value;		/* divided by normal; none of quantizers */
	int64_t whole;		/* not divided */
	uint64_t normal;	/* of normalize(); 1 or more */
	unsigned nbuckets;	/* all of a quantizer, from low to high */
	const struct tbuf_bucket *buckets;	/* counts are not divided */
	unsigned ncpus;		/* with aggpercpu: of each CPU from 0 on */
	const struct tbuf_gathered *cpus;
};

/* A key, and what each of some aggregations has for it. */
struct tbuf_tuple {
	unsigned nkeys;
	const struct tbuf_value *keys;
	unsigned nvalues;
	const struct tbuf_gathered *values;
};

/*
 * What a script's aggregations hold now; they have numbers, their ids.  Calls
 * `visit` for each key that any of these aggregations has, which must have
 * keys of the same types; where one has no such key its value is 0.  They come
 * sorted by the values from the aggregation aggsortpos on, then by key;
 * aggsortkey, aggsortkeypos and aggsortrev change that, at any time.  `visit`
 * returns non-zero to stop; that value is given back.  Its tuple is valid until
 * it returns, and it must not change what is visited.  -EINVAL if there is no
 * such aggregation, -ENOMEM.
 */
int	tbuf_consumer_aggregates(struct tbuf_consumer *,
	    const uint32_t *ids, unsigned nids,
	    int (*visit)(void *, const struct tbuf_tuple *), void *);

/*
 * What clear(), trunc() and normalize() ask for.  clear: keys stay, with a
 * value of 0.  trunc: keep the n keys with the largest values, or those with
 * the smallest if n is negative.  normalize: divide by a factor what is given
 * from now on; 1 is as before.  -EINVAL if there is no such aggregation.
 */
int	tbuf_consumer_clear(struct tbuf_consumer *, uint32_t id);
int	tbuf_consumer_trunc(struct tbuf_consumer *, uint32_t id, int64_t n);
int	tbuf_consumer_normalize(struct tbuf_consumer *, uint32_t id,
	    uint64_t factor);

/* ------------------------------------------------------------ raw packets */

/* Two of them turn a record's stamp into time. */
struct tbuf_calibration {
	uint64_t stamp;
	uint64_t mono;		/* ns of CLOCK_MONOTONIC, at the same moment */
	uint64_t wall;		/* ns of CLOCK_REALTIME */
};

enum tbuf_packet_kind {
	TBUF_PACKET_CPU,	/* of a lane that one CPU's records go to */
	TBUF_PACKET_LOCK	/* of one under a lock: a record says its CPU */
};

/*
 * Records of one lane as they lie there (tbuf(5)): whole ones, in order of
 * their stamps, one after the other.  What one switch gives of a lane are one
 * packet or more.  Memory is the library's.
 */
struct tbuf_packet {
	pid_t pid;		/* the target, as the consumer knows it */
	int cpu;
	enum tbuf_packet_kind kind;
	unsigned lane;		/* its number in the session, all kinds alike */
	uint64_t target;	/* the random number in its file's name */
	uint64_t generation;	/* of its session; used once in that file */
	const void *data;	/* aligned to 8 */
	size_t size;		/* bytes, a multiple of 8; may be 0 */
	uint64_t records;
	bool more;		/* there is more of this lane, in this round */
	uint64_t begin, end;	/* stamps of the first and the last record */

	/* What the lane has lost since its last packet. */
	uint64_t drops[3];	/* records, by enum tbuf_cause */
	uint64_t overwritten;	/* records, under ring, at the end */
	uint64_t damage;	/* bytes that made no sense: skipped */

	/* All EPIDs in it are below; see tbuf_consumer_epid(). */
	unsigned epids;
	bool nanoseconds;	/* stamps are ns of CLOCK_MONOTONIC already */
	struct tbuf_calibration calibration[2];	/* an early and a late one */
	const void *source;	/* the library's */
	uint64_t reserved[8];
};

/*
 * In place of the records that tbuf_consumer_next() would give: the lanes'
 * bytes, for a recorder.  1, or 0 when there is nothing left but what next()
 * gives then: ends, and probes that were lost or unmet.  What a packet has told
 * is not told again there, and is in the totals but for a snapshot.  A packet
 * without records has losses.  The data are valid until the next call with this
 * consumer.  Enablings choose nothing in a file.
 *	-ENOTSUP with `temporal`: there is no order among lanes
 */
int	tbuf_consumer_packet(struct tbuf_consumer *, struct tbuf_packet *);

/*
 * What an EPID of the last packet's session stands for, from 1 to below
 * packet.epids: the probe, and the enabling.  NULL if it makes no sense, or for
 * want of memory.
 */
const struct tbuf_probe_info *tbuf_consumer_epid(struct tbuf_consumer *,
	    const struct tbuf_packet *, unsigned epid, unsigned *enabling);

/* ------------------------------------------------------------ sums */

/*
 * Sums of the run so far: what next() and packet() have given, but for
 * snapshots.
 */
struct tbuf_totals {
	uint64_t records;
	uint64_t overwritten;
	uint64_t drops;
	uint64_t discarded;	/* by work units */
	uint64_t reserved[4];
};
void	tbuf_consumer_totals(const struct tbuf_consumer *,
	    struct tbuf_totals *);

/* Targets under trace that still live. */
unsigned tbuf_consumer_alive(const struct tbuf_consumer *);

/* ------------------------------------------------------------ lists */

/*
 * Let the command that waits run untraced, and wait for its end: for a list,
 * since it has no probes before.  With libtbuf-list.so preloaded it ends where
 * its main() would begin.  -ENOENT, -EACCES and the like when it cannot be
 * executed, -EINTR when tbuf_consumer_stop() ended the waiting, -EINVAL when
 * no command waits.
 */
int	tbuf_consumer_run(struct tbuf_consumer *);

/*
 * The probes of all targets of a consumer (grabbed, or the user's, or of a
 * command that was run), matching an enabling if there are any, sorted by id.
 * No session is opened.  `visit` returns non-zero to stop; that value is given
 * back.  `pid` is the target's.
 */
int	tbuf_consumer_list(struct tbuf_consumer *,
	    int (*visit)(void *, pid_t pid, const struct tbuf_probe_info *),
	    void *);

/*
 * Every probe that the targets have had so far, whatever is enabled and before,
 * during and after a run, each once and by its id.  `visit` returns non-zero
 * to stop; that value is given back.
 */
int	tbuf_consumer_probes(struct tbuf_consumer *,
	    int (*visit)(void *, const struct tbuf_probe_info *), void *);

/*
 * Targets with more probes than their tables hold: such probes are neither
 * listed nor traced, and every place where they stand counts.  Gives one target
 * and how many there were since they were told last, here or as an event; false
 * when there is nothing more to tell.
 */
bool	tbuf_consumer_lost(struct tbuf_consumer *, pid_t *pid,
	    uint64_t *count);

/*
 * Targets that do not come by probes that are enabled, as they test a semaphore
 * first (USDT), which could not be raised.  Gives one target and how many there
 * are of them, once; false when there is nothing more to tell.
 */
bool	tbuf_consumer_waiting(struct tbuf_consumer *, pid_t *pid,
	    uint64_t *count);

/*
 * All of the user's live targets: `visit` gets a pid and the program's name.
 */
int	tbuf_targets(int (*visit)(void *, pid_t, const char *comm), void *);

/* How a process ended that has left a file, as far as that is known. */
enum tbuf_left_end {
	TBUF_LEFT_UNKNOWN = 0,	/* by a signal, or _exit(2) */
	TBUF_LEFT_EXIT = 1,	/* by exit(3), or from main() */
	TBUF_LEFT_EXEC = 2,	/* it goes on as another program */
	TBUF_LEFT_ALIVE = 3,	/* it has not: a recorder runs */
	TBUF_LEFT_SIGNAL = 4	/* by this one: the kernel, or it, said so */
};

struct tbuf_left {
	const char *name;	/* of the file in the runtime directory */
	const char *program;
	pid_t pid;		/* in its own pid namespace */
	enum tbuf_left_end end;
	int signal;		/* of TBUF_LEFT_SIGNAL, or 0 */
	uint64_t wall;		/* of its last record or line of a text trace,
				   or its beginning; ns */
	uint64_t bytes;		/* that the file takes */
	uint64_t removed;	/* recorders of the program that made way */
};

/*
 * What the user's dead processes have left, control files and text traces in
 * memory, and besides the living that record themselves: `visit` returns
 * non-zero to stop.  What is removed then is of the dead alone, and nobody's
 * who reads its records now: 0, -EBUSY, -ENOENT, ...
 */
int	tbuf_left(int (*visit)(void *, const struct tbuf_left *), void *);
int	tbuf_left_remove(const struct tbuf_left *);

/* A work unit that has not ended (tbuf_unit_begin(3)). */
struct tbuf_unit_status {
	pid_t pid;		/* in its own pid namespace */
	bool alive;		/* its process is */
	bool inside;		/* a thread is in it now, this one: */
	uint32_t tid;		/* or that was in it last */
	const char *program;
	const char *kind;
	uint64_t id;
	uint64_t age;		/* ns since it began */
	uint64_t records;	/* that its table holds */
	uint64_t reserved[4];
};

/* And those of a kind that have, in a session of a process. */
struct tbuf_unit_figures {
	pid_t pid;
	bool alive;
	const char *program;
	const char *kind;
	uint64_t units;
	uint64_t failures;	/* whose outcome was not 0 */
	uint64_t median;	/* of their durations, ns, to about 6 % */
	uint64_t p99;
	uint64_t p999;
	uint64_t reserved[4];
};

/*
 * Work units of the user's processes and of what dead ones have left: `visit`
 * returns non-zero to stop.
 */
int	tbuf_unit_list(int (*visit)(void *, const struct tbuf_unit_status *),
	    void *);
int	tbuf_unit_figures(int (*visit)(void *,
	    const struct tbuf_unit_figures *), void *);
/* Those in files and cores that have been opened; without `unit', figures. */
int	tbuf_consumer_units(struct tbuf_consumer *,
	    int (*unit)(void *, const struct tbuf_unit_status *),
	    int (*figures)(void *, const struct tbuf_unit_figures *), void *);

/* A lane of somebody's session, as --stat shows it. */
struct tbuf_lane_status {
	pid_t pid;		/* the target */
	pid_t consumer;		/* its consumer */
	const char *consumer_name;
	int policy;		/* 0 switch, 1 fill, 2 ring */
	uint64_t size;		/* bytes */
	int cpu;		/* -1: of a thread's */
	bool locked;		/* a lock lane */
	bool side;		/* one that threads take in turn */
	unsigned number;	/* of its kind in the session, from 0 */
	uint64_t fill;		/* bytes that have not been read */
	uint64_t records;	/* consumed, and those in the lane */
	uint64_t overwritten;
	uint64_t drops[3];	/* by enum tbuf_cause */
	uint64_t reserved[8];
};

/*
 * Every lane of every session on the given targets (npids 0: all of the
 * user's), read only: it opens no session and disturbs nobody.
 */
int	tbuf_status(const pid_t *pids, size_t npids,
	    int (*visit)(void *, const struct tbuf_lane_status *), void *);

/*
 * Have a target set its text trace (tbuf_text(3)) when it has its next message,
 * together with what it has not taken yet.
 *	-EINVAL	the setting is wrong
 *	-ENOENT	it has no components
 *	-ESTALE	its control file was truncated meanwhile (mend())
 *	-E2BIG	there is no room for so much that it has not taken
 * and as tbuf_consumer_grab().
 */
int	tbuf_consumer_text(struct tbuf_consumer *, pid_t, const char *setting);

/*
 * Change what is kept of work units (tbuf_unit_begin(3)) in all sessions of a
 * process, a recorder's included, as -x unitselect does in one's own.
 *	-EINVAL	these are no rules
 *	-ENOENT	none of its sessions has units
 *	-ESTALE	as above
 *	-E2BIG	they have rules for as many outcomes as there is room for
 * and as tbuf_consumer_grab().
 */
int	tbuf_consumer_unitselect(struct tbuf_consumer *, pid_t,
	    const char *rules);

/* A text trace in memory (tbuf_text(3)). */
struct tbuf_unwrapped {
	pid_t pid;		/* as its process had it */
	const char *comm;	/* the program's name */
	const char *text;	/* whole lines in order, each with its end */
	size_t size;		/* bytes */
	uint64_t lost;		/* lines that found no room */
	const char *file;	/* that a core names, having none; or NULL */
	uint64_t missing;	/* bytes that the file was cut off by */
	uint64_t reserved[2];
};

/*
 * The text traces in a file, which is that of one, or a core; and that of a
 * process, living or dead.  A core that has none may name the file of one.
 * `visit` returns non-zero to stop; that value is given back.
 *	-ENOEXEC	the file is neither
 *	-ENODATA	there is none in the core
 *	-EBADMSG	nor in what there is of one that is truncated
 *	-ESRCH		the process has none
 *	-EINVAL		it is damaged
 * and what open(2) says.
 */
int	tbuf_unwrap_file(const char *path,
	    int (*visit)(void *, const struct tbuf_unwrapped *), void *);
int	tbuf_unwrap_pid(pid_t,
	    int (*visit)(void *, const struct tbuf_unwrapped *), void *);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
