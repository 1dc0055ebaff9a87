/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Parses the command line.
 */
#ifndef TBUFCTL_OPTIONS_COMMAND_LINE_H
#define TBUFCTL_OPTIONS_COMMAND_LINE_H

#include <sys/types.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "d_options.h"
#include "enablings.h"
#include "metric_option.h"

struct tbuf_consumer;

enum mode {
	MODE_TRACE,
	MODE_LIST,		/* -l */
	MODE_LIST_OBJECT,	/* -l --object */
	MODE_STAT,		/* --stat */
	MODE_SET,		/* --set */
	MODE_UNWRAP,		/* --unwrap */
	MODE_LEFT,		/* --left */
	MODE_UNITS,		/* --units */
	MODE_HEADER,		/* -h */
	MODE_OBJECT,		/* -G */
	MODE_HELP,		/* --help */
	MODE_VERSION		/* -V */
};

/* Fields that --with adds before the arguments. */
enum with {
	WITH_TIME,
	WITH_WALL,
	WITH_DATE,
	WITH_DELTA,
	WITH_ELAPSED,
	WITH_PID,
	WITH_TID,
	WITH_CPU,
	WITH_NAME,
	WITH_EXECNAME,
	WITH_COUNT
};

extern const char *const with_names[WITH_COUNT];

/* An option that tbuf_consumer_set() takes. */
struct setting {
	const char *given;	/* the argument of -b, else NULL */
	char *name;
	const char *value;
};

/* Formats of viewers, which show slices of time. */
enum view {
	VIEW_NONE,
	VIEW_CHROME,
	VIEW_PERFETTO,
	VIEW_OTLP,
	VIEW_OTLP_LOGS,		/* VIEW_OTLP with -x otlp=logs */
	VIEW_REPORT		/* --report */
};

/* The letters of options are ASCII. */
#define GIVEN_COUNT	128

struct options {
	enum mode mode;
	bool given[GIVEN_COUNT];	/* letters on the command line */
	struct program program;
	pid_t *pids;
	size_t npids;
	char **command;		/* -c, split */
	struct words files;	/* --read, of control files */
	struct words cores;	/* --core */
	bool snapshot;		/* --snapshot, of all processes */
	const char *output;	/* -o */
	const char *record;	/* --record */
	bool record_pipe;	/* --record=- */
	uint64_t record_size;	/* -x recordsize; 0: any */
	uint64_t record_block;	/* -x packetsize, of a pipe */
	bool read_pipe;		/* --read=-, which is in files, too */
	const char *report;	/* --report */
	const char *object_file;	/* --object */
	const char *check;	/* --check: an earlier list */
	const char *set;	/* --set */
	const char *unwrap;	/* --unwrap */
	struct setting *settings;
	size_t nsettings;
	size_t nenvironment;	/* the first ones are of DTRACE_OPT_* */
	bool list;		/* -l */
	bool stat;		/* --stat */
	bool header;		/* -h */
	bool object;		/* -G */
	bool json;
	enum view view;
	bool prometheus;	/* metrics */
	bool folded;		/* aggregations, at the end */
	bool log;		/* a line for each record, time first */
	bool quiet;
	bool flow;		/* -F */
	bool verbose;
	bool unmatched;		/* -Z: a description may match nothing */
	bool tags;		/* -x droptags */
	struct d_settings d;	/* of D programs */
	const char *name;	/* $0 of programs that are not in a file */
	const char **words;	/* macro arguments; the first is $0's place */
	int nwords;
	struct words environment;	/* DTRACE_OPT_*, as of -x */
	struct words named;	/* by -x, and by pragmas of scripts */
	struct words texts;	/* -x text, as descriptions */
	struct words usdt;	/* -x usdt: provider files */
	bool usdt_all;		/* -x usdt: the provider is preloaded */
	bool syscall_all;	/* -x syscall=all */
	bool pid_partial;	/* -x pid=partial */
	bool pid_loops;		/* -x pid=loops */
	struct words pid_objects;	/* -x pidobject: files and folders */
	struct words pairs;	/* -x pair: FROM,TO */
	struct metric_options metrics;
	bool otlp;		/* -x otlp is given */
	bool otlp_logs;		/* -x otlp=logs */
	enum with with[WITH_COUNT];
	unsigned nwith;
	uint64_t interval;	/* --stat: ns, 0 for once */
	bool units;		/* --units */
	bool units_figures;	/* --units=stat */
	bool units_one;		/* --units=pid:id: print its records */
	bool units_hung;	/* --units=hung: print those of hung ones */
	pid_t units_pid;	/* 0: all processes */
	uint64_t units_id;
	bool left;		/* --left */
	bool left_remove;	/* --left=remove */
	uint64_t left_age;	/* remove only older files, ns */
};

/* A packet of a lane is smaller than an eighth of a recording. */
#define RECORD_SIZE_LEAST	(UINT64_C(4) << 20)

/* Sizes of packets on a pipe: a multiple of the least one. */
#define RECORD_BLOCK		(UINT64_C(64) << 10)
#define RECORD_BLOCK_LEAST	(UINT64_C(4) << 10)
#define RECORD_BLOCK_MOST	(UINT64_C(16) << 20)

/* Parses all options.  Returns 0, or an exit status after a message. */
int	options_parse(struct options *, int argc, char **argv);

extern const char options_usage[];

/*
 * Returns the option of -x that is nearest to an unknown one, or the first that
 * contains it, such as bufpolicy for policy; NULL if there is none.
 */
const char *options_near(const char *word, size_t length);

/* Sets -b, -x and so on in the consumer.  Returns 0 or EXIT_USAGE. */
int	options_apply(const struct options *, struct tbuf_consumer *);

/* Adds the name of NAME=VALUE to those of `named`. */
void	options_name(struct options *, const char *setting);

/*
 * Refuses options of a run that have no effect without others, which may be
 * pragmas of a script: it has been compiled.  Returns 0 or EXIT_USAGE.
 */
int	options_check(const struct options *, struct tbuf_consumer *);

/* Returns true if tbufctl reads existing records instead of tracing. */
bool	options_reads(const struct options *);

void	options_free(struct options *);

#endif
