/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * How what comes is printed, as text or JSON: records, losses and ends,
 * lists of probes, and the status of buffers.
 */
#ifndef TBUFCTL_PRINT_FORMAT_H
#define TBUFCTL_PRINT_FORMAT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include <tbuf_consumer.h>

#include "flow_indent.h"
#include "base/write_number.h"
#include "options/command_line.h"
#include "base/output.h"

/*
 * What the records of a probe have in common, made once; what is copied from
 * here can be read OUTPUT_SLACK bytes beyond its end.
 */
struct prepared {
	char *text;
	/* What a record begins with, on a CPU, of a process and thread. */
	char *prefix;
	size_t prefix_size;
	int cpu;		/* or FORMAT_NO_CPU: there is none so far */
	pid_t pid;
	uint32_t tid;
	/* Before each argument, ... */
	const char *part[TBUF_ARGS_MAX + 1];
	size_t part_size[TBUF_ARGS_MAX + 1];	/* ... and behind the last */
	size_t args_size;	/* JSON: of what stands before the first name */
	size_t most;		/* room for a record but its texts */
	/* -F */
	const char *function;	/* FUNCTION:NAME, ... */
	size_t function_size;	/* ... the former, ... */
	size_t both_size;	/* ... and both */
	enum flow_kind flow;
	bool call;		/* of a system call */
};

#define FORMAT_NO_CPU	INT_MIN	/* a thread's buffer has -1 */

/* Room for a record beside what is prepared: its numbers. */
#define FORMAT_UNIT	(VALUE_ESCAPED * 32 + 64)	/* a work unit */
#define FORMAT_NUMBERS	((TBUF_ARGS_MAX + 10) * OUTPUT_NUMBER + FORMAT_UNIT)

struct format {
	struct output *out;
	const struct options *options;
	struct tbuf_consumer *consumer;	/* NULL: no run */
	bool script;		/* clauses run: it ends as DTrace does */
	bool started;		/* the heading was printed */
	bool quiet, indent;	/* -q, -F; setopt() may change them */
	bool rawbytes;		/* trace() dumps texts */
	bool noerror;		/* faults are not told */
	uint64_t printsize;	/* as in settings; setopt() may change it */
	const char *aborted;	/* why the run cannot go on; NULL: it can */
	struct flow flow;	/* -F */
	bool pids;		/* -l: of several processes */
	bool screen;		/* --stat: over what stands there already */
	uint64_t time;		/* --stat: of this look, ns */
	struct number_stem times, walls;	/* of records */
	struct prepared *probes;	/* by id */
	size_t nprobes;
	const struct tbuf_probe_info *last;	/* the last record's, ... */
	struct prepared *last_prepared;	/* ... and what it has there */
	bool *printed;		/* aggregations that printa() was for, by id */
	uint32_t naggregations;
	const struct format_ops *ops;
};

/* What was lost on one lane's CPU since it was told last. */
struct loss {
	int cpu;
	pid_t pid;
	uint64_t drops[3];	/* by enum tbuf_cause */
	uint64_t overwritten;
	uint64_t damage;	/* bytes */
};

struct format_ops {
	/* Records. */
	void (*prepare)(struct format *, const struct tbuf_probe_info *,
	    struct prepared *);
	void (*record)(struct format *, const struct tbuf_record *,
	    struct prepared *);

	/*
	 * What a clause has recorded: the row before what its actions print,
	 * or, as an object, those of its values that are marked; text that an
	 * action makes; a fault, in words.
	 */
	void (*row)(struct format *, const struct tbuf_record *);
	void (*values)(struct format *, const struct tbuf_record *,
	    const bool *);
	void (*output)(struct format *, const char *, size_t);
	void (*fault)(struct format *, const struct tbuf_event *,
	    const char *);
	/* At the end: what an aggregation has for a key. */
	void (*tuple)(struct format *, const struct tbuf_tuple *);
	/* Variables that found no room, and faults in ERROR. */
	void (*count)(struct format *, const struct tbuf_event *);

	/* The losses of one CPU, in the order of pids. */
	void (*losses)(struct format *, const struct loss *, size_t);
	void (*exited)(struct format *, const struct tbuf_event *);
	/* So many records were what the buffers hold, and stay there. */
	void (*snapshot)(struct format *, uint64_t records);
	void (*total)(struct format *, const struct tbuf_totals *);

	/* -l: what comes first, and a probe. */
	void (*list)(struct format *);
	void (*probe)(struct format *, pid_t, const struct tbuf_probe_info *);

	/* --stat: what comes first, and a lane. */
	void (*status)(struct format *);
	void (*lane)(struct format *, const struct tbuf_lane_status *);

	/* --left: what comes first, and a file. */
	void (*lefts)(struct format *);
	void (*left)(struct format *, const struct tbuf_left *);
};

extern const struct format_ops format_text, format_json;

void	format_init(struct format *, struct output *, const struct options *);
/* Buffers are read anew. */
void	format_round(struct format *);
/* What the records of its probe have in common. */
struct prepared *format_find(struct format *, const struct tbuf_probe_info *);
static inline struct prepared *
format_prepared(struct format *f, const struct tbuf_probe_info *probe)
{

	return (probe == f->last ? f->last_prepared : format_find(f, probe));
}
void	format_free(struct format *);

/* What a type is called in lists. */
const char *format_type(unsigned type);

/* What a lane's policy and the cause of a drop are called. */
const char *format_policy(int policy);
const char *format_cause(enum tbuf_cause);

/* Bytes in a few columns, in room for OUTPUT_NUMBER. */
const char *format_size(char *text, uint64_t bytes);

/* How a process ended that has left something; NULL: not known. */
const char *format_left_end(const struct tbuf_left *, char *room,
	    size_t size);

/* What is wrong with the runtime directory. */
const char *format_directory(int error);

#endif
