/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Output as text or JSON: records, losses, ends of processes, lists of probes
 * and files, and the status of buffers.
 */
#ifndef TBUFCTL_PRINT_FORMAT_H
#define TBUFCTL_PRINT_FORMAT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include <tbuf_consumer.h>

#include "base/output.h"
#include "base/write_number.h"
#include "flow_indent.h"
#include "options/command_line.h"
#include "value.h"
#include "with_fields.h"

/*
 * Parts that all records of a probe have in common, made once.  Up to
 * OUTPUT_SLACK bytes after the end of a part may be read (put_long()).
 */
struct prepared {
	char *text;
	/* Beginning of a record of this CPU, process and thread */
	char *prefix;
	size_t prefix_size;
	int cpu;		/* or FORMAT_NO_CPU: no prefix yet */
	pid_t pid;
	uint32_t tid;
	char execname[16];	/* JSON */
	/* Text before each argument; in JSON [0] has the probe's names */
	const char *part[TBUF_ARGS_MAX + 1];
	size_t part_size[TBUF_ARGS_MAX + 1];
	size_t args_size;	/* JSON: bytes of part[0] before the first
				   argument's name */
	size_t most;		/* bytes of a record without its texts */
	/* -F */
	const char *function;	/* FUNCTION:NAME */
	size_t function_size;	/* bytes of FUNCTION */
	size_t both_size;	/* bytes of FUNCTION:NAME */
	enum flow_kind flow;
	bool call;		/* a system call */
	bool words;		/* arguments that are not shown */
};

#define FORMAT_NO_CPU	INT_MIN	/* a thread lane has -1 */

/* Room for the numbers of a record, in addition to its prepared parts. */
#define FORMAT_UNIT	(VALUE_ESCAPED * 32 + 64)	/* a work unit */
#define FORMAT_EXECNAME	(VALUE_ESCAPED * 16 + 16)
#define FORMAT_NUMBERS	((TBUF_ARGS_MAX + 16) * OUTPUT_NUMBER +		\
			    FORMAT_UNIT + FORMAT_EXECNAME)

struct format {
	struct output *out;
	const struct options *options;
	struct tbuf_consumer *consumer;	/* NULL: no run */
	bool script;		/* clauses run: the end looks as in DTrace */
	bool started;		/* the heading was printed */
	bool quiet, indent;	/* -q, -F; setopt() may change them */
	bool more;		/* --format=log or --with */
	bool rawbytes;		/* trace() dumps texts */
	bool noerror;		/* faults are not reported */
	bool objects;		/* each output of a record is apart (JSON) */
	struct viewer *viewer;	/* state of a format of view/, or NULL */
	struct metrics *metrics;	/* state of prometheus, or NULL */
	uint64_t printsize;	/* as in settings; setopt() may change it */
	const char *aborted;	/* why the run cannot go on, or NULL */
	/*
	 * Output of records: the share of the present one, its bound, and how
	 * many bytes more than their shares the records of this drain may have.
	 */
	size_t share, most, spare;
	bool cut;		/* that a bound cut one is reported */
	struct flow flow;	/* -F */
	struct with_state with;	/* --with */
	bool pids;		/* -l: a PID column, for several processes */
	bool screen;		/* --stat: each table replaces the one before */
	uint64_t time;		/* --stat: time of this table, ns */
	struct number_stem times, walls;	/* cached digits of times */
	struct prepared *probes;	/* by id */
	size_t nprobes;
	const struct tbuf_probe_info *last;	/* probe of the last record */
	struct prepared *last_prepared;	/* its prepared parts */
	/* Left out, as a signal ended the run. */
	struct {
		uint64_t records, keys;
		bool more;	/* that are not counted */
	} late;
	bool *printed;		/* aggregations that printa() printed, by id */
	uint32_t naggregations;
	const struct format_ops *ops;
};

/* A number of losses, and the times of records around them; 0: none. */
struct loss_count {
	uint64_t count, after, before;
};

/* Losses of one process on one CPU since they were last reported. */
struct loss {
	int cpu;
	pid_t pid;
	struct loss_count drops[3];	/* by enum tbuf_cause */
	struct loss_count overwritten;
	struct loss_count damage;	/* bytes */
};

struct format_ops {
	/* Records of enablings without a clause. */
	void (*prepare)(struct format *, const struct tbuf_probe_info *,
	    struct prepared *);
	void (*record)(struct format *, const struct tbuf_record *,
	    struct prepared *);

	/*
	 * Records of clauses.  row (text): the columns before the output of the
	 * actions.  values (objects): the marked values.  output (objects): the
	 * output of an action.  fault (JSON): a fault and its
	 * description.
	 */
	void (*row)(struct format *, const struct tbuf_record *);
	void (*values)(struct format *, const struct tbuf_record *,
	    const bool *);
	void (*output)(struct format *, const struct tbuf_record *,
	    const char *, size_t);
	void (*fault)(struct format *, const struct tbuf_event *,
	    const char *);
	/* JSON, page: one key of an aggregation and its value, at the end. */
	void (*tuple)(struct format *, const struct tbuf_tuple *);
	/*
	 * Counts of other losses: drops of aggregations, variables,
	 * speculations and units, errors in ERROR, firings of timers.
	 */
	void (*count)(struct format *, const struct tbuf_event *);

	/* Losses on one CPU, sorted by pid. */
	void (*losses)(struct format *, const struct loss *, size_t);
	void (*exited)(struct format *, const struct tbuf_event *);
	/* End of a snapshot; its records stay in the buffers. */
	void (*snapshot)(struct format *, uint64_t records);
	void (*total)(struct format *, const struct tbuf_totals *);

	/* -l: the heading, and one probe. */
	void (*list)(struct format *);
	void (*probe)(struct format *, pid_t, const struct tbuf_probe_info *);

	/* --stat: the heading, and one lane. */
	void (*status)(struct format *);
	void (*lane)(struct format *, const struct tbuf_lane_status *);

	/* --left: the heading, and one file. */
	void (*orphans)(struct format *);
	void (*orphan)(struct format *, const struct tbuf_left *);
};

extern const struct format_ops format_text, format_json;

void	format_init(struct format *, struct output *, const struct options *);
/* Returns the prepared parts of a probe, making them at its first record. */
struct prepared *format_find(struct format *, const struct tbuf_probe_info *);
static inline struct prepared *
format_prepared(struct format *f, const struct tbuf_probe_info *probe)
{
	return (probe == f->last ? f->last_prepared : format_find(f, probe));
}
void	format_free(struct format *);

/*
 * Bound the output of a record, or of a tuple, that has `size` bytes: its
 * target chooses widths, types and names, and signals and exit() are looked at
 * between drains.  format_drain() begins a drain.  After format_unbound(),
 * "..." stands for output that was cut.
 */
void	format_drain(struct format *);
void	format_bound(struct format *, struct output *, size_t size);
void	format_unbound(struct format *, struct output *);

/* Returns how long an ended unit lasted. */
static inline uint64_t
format_unit_ns(const struct tbuf_unit_info *unit)
{
	return (unit->end > unit->began ? unit->end - unit->began : 0);
}

/* Ends the row of a clause's record, after the output of its actions. */
void	format_row_end(struct format *);

/* Writes a key of an aggregation as JSON has it. */
void	format_key_put(struct output *, const struct tbuf_d_piece *,
	    const struct tbuf_value *);

/* Returns the name of an argument's type in lists. */
const char *format_type(unsigned type);

/* Return the names of a lane's policy and of a drop's cause. */
const char *format_policy(int policy);
const char *format_cause(enum tbuf_cause);

/*
 * Writes a number of bytes in at most 4 columns to `text`, which has
 * OUTPUT_NUMBER bytes.  Returns `text`.
 */
const char *format_size(char *text, uint64_t bytes);

/*
 * Returns how the process of an orphaned file ended, perhaps in `room`; NULL if
 * that is not known.
 */
const char *format_orphan_end(const struct tbuf_left *, char *room,
	    size_t size);

/* Returns why the runtime directory cannot be used, from a negative errno. */
const char *format_directory(int error);

#endif
