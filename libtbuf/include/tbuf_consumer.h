/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * tbuf_consumer.h: trace targets and read their records.
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
 * tbufctl(1) uses these functions only.  A consumer is used by one thread at a
 * time, except where a function says otherwise.  Functions that return int
 * return 0 or more, or a negative errno; then tbuf_consumer_error() returns a
 * message.  The library never prints, exits or aborts.  See
 * libtbuf_consumer(3).
 *
 * Structures that programs allocate end in reserved words, which the library
 * sets to zero.  In a later version they may become fields, in which zero
 * stands for the behaviour of this version, so programs of one version work
 * with a library of the other.  Programs have to ignore types of events,
 * causes and values that they do not know.
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

/* tbuf_left() and tbuf_unit_figures() have the names of their structures. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"

/* Returns the version of the library, such as "1.0.0". */
const char *tbuf_version(void);

/*
 * Parse a value as the options do.  A size is an integer (C bases), optionally
 * followed by one of k m g t, each a factor of 1024.  A rate is an integer and
 * a suffix (ns ... day, hz; none: per second), and is stored as a period in
 * nanoseconds.  Return 0, or -EINVAL, also if the value is negative, followed
 * by other text, or too large for 64 bits.
 */
int	tbuf_parse_size(const char *text, uint64_t *bytes);
int	tbuf_parse_rate(const char *text, uint64_t *nanoseconds);

/* ------------------------------------------------------------ one run */

struct tbuf_consumer;

/*
 * Creates a consumer, which the caller closes.  Returns NULL and sets errno
 * (ENOMEM, EMFILE, ...) on failure.
 */
struct tbuf_consumer *tbuf_consumer_new(void);

/*
 * Ends tracing if it has not ended, releases all sessions, and frees all
 * memory.  Targets continue to run.  NULL is ignored.
 */
void	tbuf_consumer_close(struct tbuf_consumer *);

/*
 * Returns the message for the last call that returned a negative value: a
 * phrase without a full stop, such as "failed to grab pid 7: No such process".
 * Valid until the next call with this consumer.
 */
const char *tbuf_consumer_error(const struct tbuf_consumer *);

/*
 * Sets an option by its name.  The names and values are those of -x of
 * tbufctl(1): bufsize, bufpolicy, bufresize, bufscope, nbuf, switchrate,
 * statusrate, strsize, cpu, temporal, follow, dynvarsize, scratchsize, nspec,
 * specsize, cleanrate, snaprate, nunits, unitsize, unitpolicy, unitselect,
 * unitslow, unithung, aggsize, aggpercpu, aggrate, aggsortkey, aggsortrev,
 * aggsortpos, aggsortkeypos, agghist, aggpack, aggzoom, encoding.  `value` is
 * NULL for a bare name.  switchrate, aggrate, unitselect, unitslow, unithung,
 * encoding and the options for sorting and showing aggregations can be set at
 * any time, the others before tbuf_consumer_go().  Returns 0, or
 *	-ENOENT	there is no such option
 *	-EINVAL	the value is not valid for this option
 *	-E2BIG	too many outcomes for unitselect
 *	-ENOTSUP an option of DTrace that has no meaning in user space, or
 *		that the library leaves to programs and compilers of D
 *	-EBUSY	tracing is active
 */
int	tbuf_consumer_set(struct tbuf_consumer *, const char *name,
	    const char *value);

/*
 * Stores the current value of an option: bytes, a number, a period or time in
 * nanoseconds, 0 or 1; bufpolicy 0 switch 1 fill 2 ring, bufresize 0 auto 1
 * manual, bufscope 0 cpu 1 thread, unitpolicy 0 fill 1 ring, cpu -1 for all,
 * encoding 0 default 1 ascii 2 utf8.  Returns 0, or -ENOENT for unitselect and
 * for names that tbuf_consumer_set() does not accept.
 */
int	tbuf_consumer_get(const struct tbuf_consumer *, const char *name,
	    int64_t *value);

/*
 * Enables all probes that a description matches, including those that register
 * later.  The description is [[[provider:]module:]function:]name, right-
 * aligned; an empty field is any, fields are globs with * ? [], commas
 * separate several descriptions, and after them may be =MASK, a selection for
 * work units (tbuf_unit_begin(3)).  Each enabling writes records of its own.
 * Returns the enabling's number, from 0 on, or -EINVAL (not a description),
 * -E2BIG (too many enablings) or -EBUSY (tracing is active).
 */
int	tbuf_consumer_enable(struct tbuf_consumer *, const char *description);

/*
 * tbuf_consumer_script() adds a compiled script (program.h), at most one.  Its
 * clauses at BEGIN, END, ERROR, tick-N and profile-N fire in the consumer:
 * BEGIN in tbuf_consumer_go(), the others in tbuf_consumer_work().  Clauses at
 * other probes run in the targets, each description as an enabling of its own,
 * in order.  The script must live until tbuf_consumer_close().  A run with a
 * script needs neither targets nor enablings; without targets it continues
 * until exit() or tbuf_consumer_stop().  If files have been opened before, all
 * clauses fire in the consumer, for each record of the files.  Returns 0, or
 *	-ENOTSUP a clause at a probe of targets has an operation that targets
 *		do not support, or a clause for samples is used with files
 *	-E2BIG	too many timers
 *	-EINVAL	the script is damaged
 *	-EBUSY	tracing is active, or there is a script already
 *
 * tbuf_consumer_own() returns 1 if the description matches probes of the
 * consumer itself, 0 if not, or -EINVAL.
 *
 * tbuf_consumer_exited() returns true if a clause has called exit(), and then
 * stores the status.
 */
struct tbuf_d_script;
int	tbuf_consumer_script(struct tbuf_consumer *,
	    const struct tbuf_d_script *);
int	tbuf_consumer_own(const char *description);
bool	tbuf_consumer_exited(const struct tbuf_consumer *, int *status);

/*
 * Returns when a traced process, or the process of a file, made its control
 * file: ns of CLOCK_MONOTONIC.  The number is stored in the file: unlike the
 * times of records, which this consumer converts, each consumer gets the same.
 * Together with the pid it identifies the process since the machine's start.
 * Returns 0 if no target has this pid.
 */
uint64_t tbuf_consumer_birth(const struct tbuf_consumer *, pid_t);

/*
 * Add targets, before tbuf_consumer_go(); pids are in the caller's pid
 * namespace.  All return -EBUSY if tracing is active.
 *
 * tbuf_consumer_grab() adds a running target.  If the process is not a target
 * yet, and began within the last second or is in execve(2), its program may
 * still have to be loaded: the function waits for a second at most, or until
 * tbuf_consumer_stop().  Returns 0, -ESRCH (no such process), -ENXIO (no usable
 * /proc), -EPERM (another user's), -ENOEXEC (it has no libtbuf), -EPROTO (its
 * version does not fit), -EOPNOTSUPP (strict seccomp mode), -ECANCELED (tracing
 * is off in it) or -EAGAIN (a lease on its control file).
 *
 * tbuf_consumer_sample() adds a process that need not have libtbuf: a script's
 * profile probes sample it as far as the kernel allows, and it has no other
 * probes.  Returns 0, -ESRCH (no such process), -ENXIO (no usable /proc) or
 * -ENOMEM.
 *
 * tbuf_consumer_spawn() creates a process for a command, at most one, which
 * tbuf_consumer_go() lets run.  It is a child of the caller and has the
 * caller's three standard descriptors.  argv is searched for as by execvp(3).
 * envp_add, if not NULL, is a NULL-terminated list of NAME=VALUE that are
 * added to its environment.  Returns its pid, or -ENOENT, -EACCES, ... if it
 * cannot be executed, or another errno.
 *
 * tbuf_consumer_grab_all() adds all of the user's targets, including those that
 * start later.  Returns 0, or -errno if the runtime directory cannot be used.
 */
int	tbuf_consumer_grab(struct tbuf_consumer *, pid_t);
int	tbuf_consumer_sample(struct tbuf_consumer *, pid_t);
pid_t	tbuf_consumer_spawn(struct tbuf_consumer *, char *const argv[],
	    const char *const *envp_add);
int	tbuf_consumer_grab_all(struct tbuf_consumer *);

/*
 * Add the sessions of control files; the records in their lanes are returned
 * under any policy, and remain there.  The target may be dead, or live and have
 * other consumers.  With enablings, only records of probes that they match are
 * returned.
 *
 * tbuf_consumer_open_file() opens a file.  Returns 0, or 1 if it was cut off:
 * its existing part is read, and tbuf_consumer_error() says how much is
 * missing; or -EINVAL (not a control file, or damaged), -ENODATA (no session),
 * -EEXIST (its sessions have been added), -EPROTO (its version does not fit),
 * -EAGAIN (a lease on it), -ENOMEM or -EFBIG (cut off, and too little memory
 * for the rest), -EBUSY (tracing is active), or an error of open(2).
 *
 * tbuf_consumer_open_pid() opens the files that an ended process left in the
 * runtime directory, or the file of a living one.  Returns -ESRCH if there are
 * none, for a living process the errors of tbuf_consumer_grab(), for an ended
 * one those of its files.  Root looks into the runtime directories of all users
 * for a process that has ended; it returns 2 if several users have files of the
 * pid, which are all added, and tbuf_consumer_error() says so.
 */
int	tbuf_consumer_open_file(struct tbuf_consumer *, const char *path);
int	tbuf_consumer_open_pid(struct tbuf_consumer *, pid_t);

/*
 * Adds the sessions that an ELF core of a target contains, as
 * tbuf_consumer_open_file() does.  If the core has none but names the control
 * file of its process, that file is read if it still belongs to the process.
 * Returns 0; or 1 in that case and for a truncated core, with the reason in
 * tbuf_consumer_error(); or -EINVAL (not a core of this architecture),
 * -ENODATA (no session, and no readable file), -EFBIG (more than 4 GiB of
 * buffers), -ENOMEM, -EBUSY (tracing is active), an error of open(2), or the
 * error that `read` returned.
 *
 * If `read` is not NULL, `path` is for messages only.  read stores up to
 * `size` bytes of the core from `offset` on; offsets rise most of the time.
 * It returns the number of bytes stored, at least one before the end of the
 * core, or a negative errno.
 */
typedef ssize_t (*tbuf_core_read)(void *arg, void *to, size_t size,
    uint64_t offset);
int	tbuf_consumer_open_core(struct tbuf_consumer *, const char *path,
	    tbuf_core_read read, void *arg);

/*
 * Reserves the buffers, starts tracing, and lets the command run.  Either all
 * targets are traced or none.  Returns 0, or
 *	-ENOSPC	"could not enable tracing: Not enough space"
 *	-EINVAL	no enabling, a bufsize under 16, or TBUF_MAXSIZE is not a size
 *	-E2BIG	the descriptions are longer, or enable more probes of one
 *		target, than a session can hold
 *	-EPROTO	a target's libtbuf lacks a feature that the run needs
 *	-ENOTSUP the script was set before a file was opened, or cannot run
 *		over the records of the files
 *	-EUSERS	a target has 32 sessions already
 *	-EBUSY	it was called already
 *	-ESRCH, -EPERM, ... a target that was grabbed has ended
 *	-ENOENT, -EACCES, ... the command cannot be executed
 * Sizes may be lowered: then tbuf_consumer_lowered() returns true, and
 * tbuf_consumer_get() stores the new value.
 */
int	tbuf_consumer_go(struct tbuf_consumer *);
bool	tbuf_consumer_lowered(const struct tbuf_consumer *);

/*
 * Returns 0 if no target was left out.  Targets that were not requested by pid
 * (all targets, children, new exec images) are left out if they cannot be
 * traced; then returns the error of the first one: -EMFILE (a target takes two
 * descriptors: raise RLIMIT_NOFILE), -ENFILE, -ENOMEM, -ENOSPC, -EUSERS,
 * -EAGAIN, ...
 */
int	tbuf_consumer_skipped(const struct tbuf_consumer *);

/*
 * Returns a reason that processes of the run have published for not being
 * traced, such as "not enough space", and stores the number of these processes
 * since the reason was last returned.  Returns NULL if there is no further
 * reason.  Valid until the next call with this consumer.
 */
const char *tbuf_consumer_missed(struct tbuf_consumer *, uint64_t *count);

/*
 * Returns a reason, as a line, why profile-N samples less than requested, each
 * once; NULL if there is no other.  Valid until the next call with this
 * consumer.
 */
const char *tbuf_consumer_unsampled(struct tbuf_consumer *);

/*
 * Repairs a truncated file; called by a handler of SIGBUS with its si_addr.
 * If the address is in a control file of this consumer, the file is replaced
 * by zeroes.  Returns true then: the handler may return, and the target is
 * left out of the run, or the setting that was being changed in it fails.
 * Async-signal-safe.
 */
bool	tbuf_consumer_mend(struct tbuf_consumer *, const void *address);

/*
 * Returns the number of probes that an enabling has matched so far, in all
 * targets; equal probes of several targets count once.  Returns 0 for a number
 * that is not an enabling's.
 */
unsigned tbuf_consumer_matched(struct tbuf_consumer *, int enabling);

/*
 * Waits until an action is due (a switch, a check for drops, the end of a
 * target, tbuf_consumer_stop()) and performs it.  Returns
 *	1	tracing continues; tbuf_consumer_next() may have no event, as
 *		after tbuf_consumer_wake()
 *	0	tracing has ended: all targets have, a buffer is full under
 *		fill, or a stop.  The last records are available to
 *		tbuf_consumer_next(); a further call does nothing.
 *	-EINVAL	tbuf_consumer_go() was not called
 *	-errno	tracing ended because of an error (-ETIMEDOUT: targets gave up
 *		the sessions of this consumer); the records that could be read
 *		are available.
 */
int	tbuf_consumer_work(struct tbuf_consumer *);

/*
 * Requests the end of tracing by the next (or the waiting)
 * tbuf_consumer_work().  Async-signal-safe; any thread may call it.
 */
void	tbuf_consumer_stop(struct tbuf_consumer *);

/*
 * Makes the next (or the waiting) tbuf_consumer_work() return, even if no
 * action is due.  Async-signal-safe; any thread may call it.
 */
void	tbuf_consumer_wake(struct tbuf_consumer *);

/*
 * Makes the rest of the run quick, for a caller that only counts it: no clause
 * fires over records of files any more, which are returned as they are, and
 * tbuf_consumer_aggregates() neither names nor sorts keys, even while it does
 * so.  Async-signal-safe; any thread may call it.
 */
void	tbuf_consumer_hurry(struct tbuf_consumer *);

/*
 * Switches all buffers now, for a program with a loop of its own that cannot
 * wait; tbuf_consumer_next() then returns the records.  Returns 0, -ENOTSUP
 * (the policy is not switch) or -EINVAL (tracing is not active).
 */
int	tbuf_consumer_switch(struct tbuf_consumer *);

/*
 * Makes a snapshot under ring or fill: tbuf_consumer_next() then returns the
 * records from before one moment, on all CPUs.  They remain in the buffers,
 * and do not count in totals.  Returns 0, -ENOTSUP (the policy is switch) or
 * -EINVAL (tracing is not active).
 */
int	tbuf_consumer_snapshot(struct tbuf_consumer *);

/*
 * Returns true if clauses have called snapshot(), which ends a
 * tbuf_consumer_work() early, at most as often as the option snaprate says.
 * Each time, the caller takes a snapshot, or switches the buffers.
 */
bool	tbuf_consumer_snapshot_due(struct tbuf_consumer *);

/* ------------------------------------------------------------ events */

/* A probe.  Valid until tbuf_consumer_close(). */
struct tbuf_probe_info {
	unsigned id;		/* unique in this run; targets' from 1025 */
	const char *provider;
	const char *module;
	const char *function;
	const char *name;
	unsigned nargs;
	uint8_t types[TBUF_ARGS_MAX];	/* enum tbuf_type */
	const char *argnames[TBUF_ARGS_MAX];
	unsigned code;		/* of an event (tbuf_registry.h), or 0 */

	/*
	 * Another probe that has sites at the places of this one, or NULL.  An
	 * enabling that matches it, or its elder and so on, does not enable
	 * this one.
	 */
	const struct tbuf_probe_info *elder;
};

/*
 * One argument or piece of a record, with the field for its type:
 *	TBUF_INT*, TBUF_CHAR where char is signed	i
 *	TBUF_UINT*, TBUF_CHAR elsewhere, TBUF_BOOL, TBUF_POINTER	u
 *	TBUF_FLOAT, TBUF_DOUBLE				d
 *	TBUF_STRING, TBUF_STRING_SIZED, TBUF_BINARY	data, size, null, cut
 * An argument of the type TBUF_STRING_INTERNED is a value of TBUF_STRING.
 * `data` has no terminating NUL and may have bytes of any value.  It is valid
 * until the next tbuf_consumer_next() or tbuf_consumer_work().
 */
struct tbuf_value {
	uint8_t type;		/* enum tbuf_type */
	bool cut;		/* strsize was reached */
	bool null;		/* the target passed NULL */
	uint32_t size;		/* bytes of data */
	union {
		int64_t i;
		uint64_t u;
		double d;
		const char *data;
	};
};

/*
 * The work unit that held a record back.  A unit's records are returned one
 * after the other, in the order in which they were made, at the place where the
 * unit ended; records of an unfinished unit at the end of its target or of the
 * run.  A unit that is older than unithung is hung: it is returned once before,
 * TBUF_EVENT_HUNG and the records that it has so far, which do not count in
 * totals and are returned again.  Of a file that is read, each unfinished unit
 * is returned once, as a hung one if it is one.
 */
struct tbuf_unit_info {
	char kind[32];
	uint64_t id;
	int outcome;
	bool ended;		/* else it has no outcome */
	uint64_t records;	/* records of it that are returned */
	uint64_t discarded;	/* records discarded by its outcome */
	uint64_t began;		/* ns of CLOCK_MONOTONIC */
	uint64_t end;		/* likewise, if it has ended; 0: not known */
	uint64_t hung;		/* ns: age of a hung unit, else 0 */
	uint64_t reserved[2];
};

struct tbuf_record {
	pid_t pid;		/* in the consumer's pid namespace */
	uint32_t tid;		/* in the target's pid namespace */
	int cpu;		/* the lane's, if the fire's is not known */
	unsigned enabling;
	uint64_t time;		/* ns of CLOCK_MONOTONIC */
	uint64_t wall;		/* ns of CLOCK_REALTIME */
	const struct tbuf_probe_info *probe;
	unsigned nargs;
	const struct tbuf_value *args;
	unsigned npieces;	/* a clause's record has pieces, and no args */
	const struct tbuf_value *pieces;
	/*
	 * Layout of the pieces of a script's clause (program.h); NULL: the
	 * clause has no actions.
	 */
	const struct tbuf_d_record *layout;
	unsigned epid;		/* for a script's clause its EPID, from 1, which
				   each target counts by itself; else 0 */
	const struct tbuf_unit_info *unit;	/* the work unit, or NULL */
	const char *execname;	/* the kernel's name of the program; valid until
				   the next tbuf_consumer_next() */
	uint64_t reserved[2];
};

enum tbuf_event_type {
	TBUF_EVENT_RECORD,
	TBUF_EVENT_DROPS,	/* since the last such event of that cause */
	TBUF_EVENT_OVERWRITTEN,	/* records overwritten under ring, at the end */
	TBUF_EVENT_EXIT,	/* a target or the command has ended */
	TBUF_EVENT_DAMAGE,	/* invalid bytes of a lane were skipped */
	TBUF_EVENT_LOST,	/* probes that found no room in their table */
	TBUF_EVENT_UNMET,	/* probes that the session had no room for */
	TBUF_EVENT_FAULT,	/* fault of the clause that record describes */
	TBUF_EVENT_DYNAMIC,	/* variables that dynvarsize had no room for */
	TBUF_EVENT_ERRORS,	/* faults in clauses at ERROR */
	TBUF_EVENT_AGGREGATION,	/* values that aggsize had no room for */
	TBUF_EVENT_UNFIT,	/* probes that a clause has no program for */
	TBUF_EVENT_SPECULATIVE,	/* records that specsize had no room for */
	TBUF_EVENT_UNAVAILABLE,	/* speculation() calls that found none free */
	TBUF_EVENT_BUSY,	/* such calls, one waited for the consumer */
	TBUF_EVENT_UNIT_DROPS,	/* records that a unit table had no room for */
	TBUF_EVENT_UNIT_OVERWRITTEN,	/* records overwritten in one */
	TBUF_EVENT_DISCARDED,	/* records discarded by units' outcomes */
	TBUF_EVENT_UNITS,	/* units that exceeded nunits: their records
				   were stored like all others */
	TBUF_EVENT_TIMERS,	/* firings of timers omitted while there were
				   no records */
	TBUF_EVENT_HUNG,	/* record.unit is hung; its records, if it has
				   any, follow */
	TBUF_EVENT_SNAPSHOTS,	/* calls of snapshot() beyond snaprate, at the
				   end */
	TBUF_EVENT_GAP		/* with temporal and dropsoon, before the next
				   record of a lane: it has losses, which
				   another event counts, or has counted */
};

enum tbuf_cause {
	TBUF_CAUSE_FULL,
	TBUF_CAUSE_LARGE,
	TBUF_CAUSE_NOLANE
};

/* An event, as tbuf_consumer_next() returns it. */
struct tbuf_event {
	enum tbuf_event_type type;
	pid_t pid;
	int cpu;		/* drops, overwritten, damage, aggregation */
	enum tbuf_cause cause;	/* drops */
	uint64_t count;		/* since the last such event: records for drops
				   and overwritten, bytes for damage, probes for
				   lost, unmet and unfit, values for
				   aggregation, records for hung, else the
				   number of cases */
	bool child;		/* exit: it was the command */
	int status;		/* exit: -1 if by a signal, or not known */
	int signal;		/* exit: the signal, or 0 */
	uint32_t fault;		/* fault: the number, as DTRACEFLT_* */
	uint32_t action;	/* fault: the action, from 1; 0: predicate */
	uint32_t offset;	/* fault: the instruction's index */
	uint32_t spare;
	uint64_t address;	/* fault: address, size or index */
	uint64_t after, before;	/* drops, overwritten, damage, gap: times of
				   records of the lane before and after all of
				   these, ns of CLOCK_MONOTONIC; 0: there is
				   none */
	uint64_t reserved[2];
	struct tbuf_record record;
};

/*
 * Stores the next event that the last tbuf_consumer_work(),
 * tbuf_consumer_switch() or tbuf_consumer_snapshot() made available.  Returns
 * 1, 0 if no event remains, or -ENOMEM.  Order: by CPU, then pid, each lane in
 * time order (with `temporal` all records by time); a CPU's drops and
 * overwritten records follow its records, and ends of targets come last.
 */
int	tbuf_consumer_next(struct tbuf_consumer *, struct tbuf_event *);

/* ------------------------------------------------------------ addresses */

/*
 * An executable mapping of an exec image.  Addresses in records of scripts and
 * in keys begin with the image's number.  Mappings are known for targets of a
 * run with a script that needs names: those from the image's beginning, and
 * those found later, at each statusrate and when an unknown address is looked
 * up.  For files (tbuf_consumer_open_file()) they are those that the control
 * file had room for.
 */
struct tbuf_mapping {
	uint64_t start, end;
	uint64_t offset;	/* in the file */
	uint64_t inode;		/* of the file; 0: none */
	const char *path;	/* as in /proc/PID/maps; valid until close */
	pid_t pid;		/* of the image if it still runs, else 0 */
	uint64_t reserved[4];
};
/*
 * Finds the mapping of an image at an address.  A pid in place of an image
 * means the latest image of that process.  Returns 1, 0 if there was no
 * mapping, or -ESRCH if there is no such image.
 */
int	tbuf_consumer_mapping(struct tbuf_consumer *, uint64_t image,
	    uint64_t address, struct tbuf_mapping *);
/* Stores known mapping `number`, from 0 on; returns 0 after the last one. */
int	tbuf_consumer_mapped(struct tbuf_consumer *, uint64_t image,
	    unsigned number, struct tbuf_mapping *);

/*
 * Sets the function that names addresses: those that usym(), ufunc() and umod()
 * have made keys of aggregations are one key if they have the same name.  The
 * function gets the name of the D function, such as "umod", an image and an
 * address, and returns the address that stands for all with that name.  It is
 * called once for each key, before tbuf_consumer_aggregates() or
 * tbuf_consumer_trunc() uses the key.
 */
void	tbuf_consumer_name(struct tbuf_consumer *, uint64_t (*)(void *,
	    const char *asked, uint64_t image, uint64_t address), void *);

/*
 * A thread's stack in a sample of profile-N: registers by their DWARF numbers,
 * then the program counter, and bytes from the stack pointer on.
 */
struct tbuf_stack {
	uint64_t image;
	const uint64_t *registers;
	unsigned nregisters;
	const unsigned char *bytes;
	uint64_t size;
};

/*
 * Makes samples contain raw stacks in place of stacks by frame pointers, and
 * sets the function that unwinds them.  It stores the return addresses of the
 * callers, at most `most`, with TBUF_FRAME_EXACT for a function that a signal
 * has interrupted, and returns their number.  Called before tbuf_consumer_go().
 */
void	tbuf_consumer_unwind(struct tbuf_consumer *, unsigned (*)(void *,
	    const struct tbuf_stack *, uint64_t *frames, unsigned most),
	    void *);

/* ------------------------------------------------------------ aggregations */

struct tbuf_d_aggregation;

/* The number of values from low to high, both included. */
struct tbuf_bucket {
	int64_t low;
	int64_t high;
	int64_t count;
};

/* An aggregation's tally for a key.  Later versions may append fields. */
struct tbuf_gathered {
	const struct tbuf_d_aggregation *aggregation;	/* program.h */
	int64_t value;		/* divided by normal; not for quantizers */
	int64_t whole;		/* not divided */
	uint64_t normal;	/* factor of normalize(); 1 or more */
	unsigned nbuckets;	/* all of a quantizer, from low to high */
	const struct tbuf_bucket *buckets;	/* counts are not divided */
	unsigned ncpus;		/* with aggpercpu: number of cpus */
	const struct tbuf_gathered *cpus;	/* by CPU, from 0 on */
	uint64_t number;	/* avg(), stddev(): of values */
	int64_t total;		/* and their sum, not divided */
};

/* A key, and the value of each of some aggregations for it. */
struct tbuf_tuple {
	unsigned nkeys;
	const struct tbuf_value *keys;
	unsigned nvalues;
	const struct tbuf_gathered *values;
};

/*
 * Calls `visit` for each key that one of these aggregations of the script has,
 * with the values of all of them, 0 for one without the key.  Their keys must
 * have the same types.  Tuples are sorted by value, beginning with the
 * aggregation aggsortpos, then by key; aggsortkey, aggsortkeypos and aggsortrev
 * change that, at any time.  A tuple is valid until `visit` returns, which must
 * not change the aggregations.  If `visit` returns non-zero, it is not called
 * again, and that value is returned; else 0, -EINVAL (no such aggregation) or
 * -ENOMEM.
 */
int	tbuf_consumer_aggregates(struct tbuf_consumer *,
	    const uint32_t *ids, unsigned nids,
	    int (*visit)(void *, const struct tbuf_tuple *), void *);

/*
 * Perform the actions clear(), trunc() and normalize() of a script, which the
 * library leaves to its caller.  clear sets the values of all keys to 0.
 * trunc removes all keys except the n with the largest values, or with the
 * smallest if n is negative.  normalize sets the factor that values are
 * divided by, 1 in the beginning.  Return 0, or -EINVAL if there is no such
 * aggregation.
 */
int	tbuf_consumer_clear(struct tbuf_consumer *, uint32_t id);
int	tbuf_consumer_trunc(struct tbuf_consumer *, uint32_t id, int64_t n);
int	tbuf_consumer_normalize(struct tbuf_consumer *, uint32_t id,
	    uint64_t factor);

/*
 * Sets a function that clear and trunc call before (done is false) and after
 * they change an aggregation.  tbuf_consumer_aggregates() returns in it exactly
 * the values that are about to be lost, and those that remain.
 */
void	tbuf_consumer_clearing(struct tbuf_consumer *,
	    void (*change)(void *, uint32_t id, bool done), void *);

/* ------------------------------------------------------------ raw packets */

/* A calibration point; two of them convert a record's stamp into time. */
struct tbuf_calibration {
	uint64_t stamp;
	uint64_t mono;		/* ns of CLOCK_MONOTONIC, at the same moment */
	uint64_t wall;		/* ns of CLOCK_REALTIME */
};

/* All records have their CPU, except in lanes of CPUs and of threads. */
enum tbuf_packet_kind {
	TBUF_PACKET_CPU,	/* the lane of a CPU */
	TBUF_PACKET_LOCK,	/* a lock lane */
	TBUF_PACKET_THREAD,	/* a thread lane: cpu is -1 */
	TBUF_PACKET_UNIT,	/* all records of a work unit, or losses */
	TBUF_PACKET_BATCH	/* all records that a commit() makes visible */
};

/*
 * Records of one lane in the format of tbuf(5): whole ones, one after the
 * other, in order of their stamps.  A switch returns one packet or more for a
 * lane.  A packet of a work unit or of a commit() comes at the place of its
 * commit record, and its records are older.  A fault of a clause is a packet by
 * itself.  The library owns the memory.
 */
struct tbuf_packet {
	pid_t pid;		/* the target's, for the consumer */
	int cpu;
	enum tbuf_packet_kind kind;
	unsigned lane;		/* index among all lanes of the session, or of
				   the unit's table, or the speculation's id */
	uint64_t target;	/* the random number in its file's name */
	uint64_t generation;	/* of its session; used once in that file */
	const void *data;	/* aligned to 8 */
	size_t size;		/* bytes, a multiple of 8; may be 0 */
	uint64_t records;
	bool more;		/* the lane may have more in this drain */
	bool counted;		/* all drops up to now are in this packet's and
				   earlier ones; of a unit: all units are */
	bool unplaced;		/* damage is not just before the records */
	uint64_t begin, end;	/* stamps of the first and the last record */

	/* Losses of the lane since its last packet. */
	uint64_t drops[3];	/* records, by enum tbuf_cause */
	uint64_t overwritten;	/* records, under ring, at the end */
	uint64_t damage;	/* invalid bytes, skipped */

	/* EPIDs in the session are less than this; tbuf_consumer_epid(). */
	unsigned epids;
	bool nanoseconds;	/* stamps are ns of CLOCK_MONOTONIC already */
	struct tbuf_calibration calibration[2];	/* an early and a late one */
	const void *source;	/* private to the library */
	const struct tbuf_unit_info *unit;	/* of a unit, or NULL */
	const struct tbuf_event *fault;	/* the data are this fault's record,
				   and `records' is 0; or NULL */
	uint64_t discarded;	/* records discarded by units' outcomes */
	const char *execname;	/* as a record's; valid as long as the data */
	uint64_t reserved[4];
};

/*
 * Stores the available records as packets, in place of tbuf_consumer_next(),
 * for a program that only stores records.  Returns 1, or 0 if there are no
 * more: then tbuf_consumer_next() returns the remaining events, such as ends,
 * and probes that were lost or unmet.  Records and losses that one of the two
 * functions has returned are not returned by the other; both count in the
 * totals, except in a snapshot.  A packet without records reports losses, or a
 * fault; or, of a recording, that all drops before it are counted.  Hung units
 * are left to tbuf_consumer_next(), as their records come again.  The data are valid until the next call with this consumer other than
 * tbuf_consumer_epid() and tbuf_consumer_fields().  Returns -ENOTSUP with
 * `temporal`, as lanes are not in order of time, and in a replay.
 */
int	tbuf_consumer_packet(struct tbuf_consumer *, struct tbuf_packet *);

/*
 * Returns the probe that an EPID of the last packet's session stands for, and
 * stores the enabling.  EPIDs are from 1 to packet.epids - 1.  Returns NULL for
 * an EPID without a probe, or if there is not enough memory.
 */
const struct tbuf_probe_info *tbuf_consumer_epid(struct tbuf_consumer *,
	    const struct tbuf_packet *, unsigned epid, unsigned *enabling);

/*
 * Returns the text of a number, in a record of the last packet, of an argument
 * of the type TBUF_STRING_INTERNED; NULL for 0 and for a number that is not a
 * text's.  Valid until the next call with this consumer.
 */
const char *tbuf_consumer_interned(struct tbuf_consumer *,
	    const struct tbuf_packet *, uint32_t number);

/*
 * Writes the head of the last packet's session to an empty file: all that
 * tbuf_consumer_open_packets() has to know beside packets.  Returns 0 or
 * -errno.
 */
int	tbuf_consumer_head(struct tbuf_consumer *, const struct tbuf_packet *,
	    int fd);

/*
 * Opens stored packets of one session, as tbuf_consumer_open_file() opens a
 * file.  `next' stores the next packet and returns 1, 0 if there are no more,
 * or -errno; a packet's kind, lane, cpu, times, data, unit and losses are used.
 * The packets of a lane come one after the other in order of their times.
 * Neither the head nor the packets are trusted.  `name' is for messages, and
 * the sessions of one name are parts of a recording.
 */
int	tbuf_consumer_open_packets(struct tbuf_consumer *, const char *name,
	    int head, int (*next)(void *, struct tbuf_packet *), void *arg);

/* A value in the data of a record, after the header and a lock lane's CPU. */
struct tbuf_record_field {
	uint8_t type;		/* enum tbuf_type; its first bytes are the value
				   if it takes more than its type has */
	uint8_t align;		/* its offset in the data is a multiple */
	uint16_t size;		/* bytes; 0: a 16-bit length, then as many */
	int16_t argument;	/* of the probe, from 0; -1: another value */
	uint16_t reserved;
};

#define TBUF_FIELDS_MAX	256

/*
 * Stores the fields of the records with an EPID: the arguments of the probe, or
 * the values that a clause records.  Returns their number, or -ENOENT for an
 * EPID without a probe.
 */
int	tbuf_consumer_fields(struct tbuf_consumer *,
	    const struct tbuf_packet *, unsigned epid,
	    struct tbuf_record_field[TBUF_FIELDS_MAX]);

/* ------------------------------------------------------------ sums */

/*
 * Sums over the events of tbuf_consumer_next() and the packets so far, without
 * snapshots.
 */
struct tbuf_totals {
	uint64_t records;
	uint64_t overwritten;
	uint64_t drops;
	uint64_t discarded;	/* by units' outcomes */
	uint64_t reserved[4];
};
void	tbuf_consumer_totals(const struct tbuf_consumer *,
	    struct tbuf_totals *);

/* Returns the number of targets that still live. */
unsigned tbuf_consumer_alive(const struct tbuf_consumer *);

/* ------------------------------------------------------------ lists */

/*
 * The functions with a `visit` pass it their last argument first.  If it
 * returns non-zero, it is not called again, and that value is returned;
 * otherwise they return 0 or -errno.  Data that it gets are valid until it
 * returns, except a struct tbuf_probe_info.
 */

/*
 * Lets the waiting command run untraced, and waits for its end, so that its
 * probes can be listed: it has none before it runs.  With libtbuf-list.so
 * preloaded it ends before its main() would begin.  Returns 0, -ENOENT,
 * -EACCES, ... if it cannot be executed, -EINTR if tbuf_consumer_stop() was
 * called, or -EINVAL if no command is waiting.
 */
int	tbuf_consumer_run(struct tbuf_consumer *);

/*
 * Visits the probes of all targets of a consumer (grabbed, or all of the
 * user's, or of a command that was run), sorted by id; if there are enablings,
 * the probes that match one.  `pid` is the target's.  It opens no session.
 */
int	tbuf_consumer_list(struct tbuf_consumer *,
	    int (*visit)(void *, pid_t pid, const struct tbuf_probe_info *),
	    void *);

/*
 * Visits each probe that the targets have had so far, enabled or not, once and
 * in order of ids; before, during and after tracing.
 */
int	tbuf_consumer_probes(struct tbuf_consumer *,
	    int (*visit)(void *, const struct tbuf_probe_info *), void *);

/*
 * Visits each such probe with each clause of the script that has a program and
 * matches it; clauses count from 0.  `fits` is false if the clause has no
 * program for the probe's arguments, and so does not trace it.
 */
int	tbuf_consumer_fits(struct tbuf_consumer *,
	    int (*visit)(void *, unsigned clause,
	    const struct tbuf_probe_info *, bool fits), void *);

/*
 * Stores a target that has more probes than its table holds, and the number of
 * their sites since they were last reported, here or as an event.  Such probes
 * are neither listed nor traced.  Returns false if there is nothing to report.
 */
bool	tbuf_consumer_lost(struct tbuf_consumer *, pid_t *pid,
	    uint64_t *count);

/*
 * Stores, once, a target and the number of its probes that are enabled but not
 * reached, because the program tests a semaphore (USDT) first that could not be
 * raised.  Returns false if there is nothing to report.
 */
bool	tbuf_consumer_waiting(struct tbuf_consumer *, pid_t *pid,
	    uint64_t *count);

/*
 * Visits all live targets of the user, for root of all users: pid and the
 * program's name.
 */
int	tbuf_targets(int (*visit)(void *, pid_t, const char *comm), void *);

/* The way in which the process of an orphan ended, as far as it is known. */
enum tbuf_left_end {
	TBUF_LEFT_UNKNOWN = 0,	/* by a signal, or _exit(2) */
	TBUF_LEFT_EXIT = 1,	/* by exit(3), or from main() */
	TBUF_LEFT_EXEC = 2,	/* it continues as another program */
	TBUF_LEFT_ALIVE = 3,	/* it has not ended: a recorder runs */
	TBUF_LEFT_SIGNAL = 4,	/* by a signal, reported by kernel or process */
	TBUF_LEFT_SAVED = 5	/* a copy by tbuf_recorder_save() */
};

struct tbuf_left {
	const char *name;	/* of the file in the runtime directory, or
				   its path in another directory */
	const char *program;
	pid_t pid;		/* in its own pid namespace */
	enum tbuf_left_end end;
	int signal;		/* of TBUF_LEFT_SIGNAL, or 0 */
	uint64_t wall;		/* time of its last record or line of text, or
				   of its beginning; ns of CLOCK_REALTIME */
	uint64_t bytes;		/* space that the file takes */
	uint64_t removed;	/* older recordings of the program removed */
};

/*
 * tbuf_left() visits the control files and text traces that the user's dead
 * processes left in the runtime directory, and the files of living processes
 * that record themselves; for root also those of other users, and of processes
 * with another /dev/shm, such as containers'.  Returns -ETIMEDOUT if it visited
 * all but the rest of a directory with too many files.
 *
 * tbuf_left_remove() removes such a file.  Returns 0, -EBUSY (a process reads
 * it, or its own process lives), -ENOENT, -EPERM (it is a container's) or
 * another errno.
 */
int	tbuf_left(int (*visit)(void *, const struct tbuf_left *), void *);
int	tbuf_left_remove(const struct tbuf_left *);

/* A work unit that has not ended (tbuf_unit_begin(3)). */
struct tbuf_unit_status {
	pid_t pid;		/* in its own pid namespace */
	bool alive;		/* its process lives */
	bool inside;		/* thread tid is in it now */
	uint32_t tid;		/* the thread in it now, or last */
	const char *program;
	const char *kind;
	uint64_t id;
	uint64_t age;		/* ns since it began */
	uint64_t records;	/* in its table */
	uint64_t reserved[4];
};

#define TBUF_UNIT_POWERS	64

/* Statistics of the units of one kind that have ended, in one session. */
struct tbuf_unit_figures {
	pid_t pid;
	bool alive;
	const char *program;
	const char *kind;
	uint64_t units;
	uint64_t failures;	/* units with an outcome other than 0 */
	uint64_t median;	/* of their durations, ns, to about 6 % */
	uint64_t p99;
	uint64_t p999;
	/*
	 * For each power of two, up to TBUF_UNIT_POWERS, the units that lasted
	 * at most 2^i ns for certain: up to 1/8 below it are not.
	 */
	const uint64_t *at_most;
	uint64_t slow;		/* units that lasted longer than unitslow */
	uint64_t consumer;	/* pid of the session's, in its namespace */
	uint64_t sum;		/* of the durations, ns */
};

/* Visit units, or statistics, of the user's processes and of orphans. */
int	tbuf_unit_list(int (*visit)(void *, const struct tbuf_unit_status *),
	    void *);
int	tbuf_unit_figures(int (*visit)(void *,
	    const struct tbuf_unit_figures *), void *);
/* Visits units in opened files and cores; if `unit' is NULL, statistics. */
int	tbuf_consumer_units(struct tbuf_consumer *,
	    int (*unit)(void *, const struct tbuf_unit_status *),
	    int (*figures)(void *, const struct tbuf_unit_figures *), void *);

/* A lane of any consumer's session, as --stat shows it. */
struct tbuf_lane_status {
	pid_t pid;		/* the target */
	pid_t consumer;		/* in its own pid namespace */
	const char *consumer_name;
	int policy;		/* 0 switch, 1 fill, 2 ring */
	uint64_t size;		/* bytes */
	int cpu;		/* -1: a thread lane */
	bool locked;		/* a lock lane */
	bool side;		/* a thread lane, which threads take in turn */
	unsigned number;	/* index among lanes of its kind, from 0 */
	uint64_t fill;		/* bytes that have not been read */
	uint64_t records;	/* consumed, and those in the lane */
	uint64_t overwritten;
	uint64_t drops[3];	/* by enum tbuf_cause */
	uint64_t uncounted;	/* of fill: bytes of which no records count */
	uint64_t reserved[7];
};

/*
 * Visits each lane of each session on the listed targets (npids 0: all of the
 * user's, for root of all users').  It reads only, opens no session and does
 * not disturb targets.
 */
int	tbuf_status(const pid_t *pids, size_t npids,
	    int (*visit)(void *, const struct tbuf_lane_status *), void *);

/*
 * Requests a change of a process's text trace (tbuf_text(3)), which the
 * process applies at its next message, after earlier requests.  Returns 0, the
 * errors of tbuf_consumer_grab(), or
 *	-EINVAL	the setting is not valid
 *	-ENOENT	the process has no components
 *	-ESTALE	its control file was truncated (tbuf_consumer_mend())
 *	-E2BIG	no room for more settings that it has not applied yet
 */
int	tbuf_consumer_text(struct tbuf_consumer *, pid_t, const char *setting);

/*
 * Changes an option of work units (tbuf_unit_begin(3)), unitselect, unitslow or
 * unithung, in all sessions of a process, including a recorder's, as -x does in
 * a consumer's own.  Returns 0, the errors of tbuf_consumer_grab(), or
 *	-EINVAL	not such an option, or not a value of it
 *	-ENOENT	none of its sessions has units
 *	-ESTALE	its control file was truncated (tbuf_consumer_mend())
 *	-E2BIG	a session has no room for rules for more outcomes
 */
int	tbuf_consumer_unitset(struct tbuf_consumer *, pid_t, const char *name,
	    const char *value);
/* Does the same with unitselect. */
int	tbuf_consumer_unitselect(struct tbuf_consumer *, pid_t,
	    const char *rules);

/* A text trace in memory (tbuf_text(3)). */
struct tbuf_unwrapped {
	pid_t pid;		/* in its own pid namespace */
	const char *comm;	/* the program's name */
	const char *text;	/* whole lines in order, each with its end */
	size_t size;		/* bytes */
	uint64_t lost;		/* lines that found no room */
	const char *file;	/* read in place of a core; or NULL */
	uint64_t missing;	/* bytes by which the file was cut off */
	uint64_t reserved[2];
};

/*
 * Visit the text traces in a file, which is a text trace or a core, or those of
 * a process, living or dead.  If a core has none, the trace file that its
 * process had mapped is read.  Return the value of `visit`, 0, or
 *	-ENOEXEC	the file is neither
 *	-ENODATA	the core has no text trace
 *	-EBADMSG	the core is truncated, and the rest has no text trace
 *	-ESRCH		no process of the pid has, or left, a text trace
 *	-EINVAL		the text trace is damaged
 * or an error of open(2).
 */
int	tbuf_unwrap_file(const char *path,
	    int (*visit)(void *, const struct tbuf_unwrapped *), void *);
int	tbuf_unwrap_pid(pid_t,
	    int (*visit)(void *, const struct tbuf_unwrapped *), void *);

#pragma GCC diagnostic pop
#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
