/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * How what comes is printed: text or JSON.
 */
#ifndef TBUFCTL_FORMAT_H
#define TBUFCTL_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include <tbuf_consumer.h>

#include "options.h"
#include "output.h"

/* A probe's part of each of its records, made once. */
struct prepared {
	char *text;
	size_t head;		/* bytes of text: head, ... */
	size_t tail;		/* ... tail, ... */
	size_t args[TBUF_ARGS_MAX];	/* ... and before each argument */
};

struct format {
	struct output *out;
	const struct options *options;
	bool started;		/* the heading was printed */
	struct prepared *probes;	/* by id */
	size_t nprobes;
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
	void (*prepare)(struct format *, const struct tbuf_probe_info *,
	    struct prepared *);
	void (*record)(struct format *, const struct tbuf_record *,
	    const struct prepared *);
	/* The losses of one CPU, in the order of pids. */
	void (*losses)(struct format *, const struct loss *, size_t);
	void (*exited)(struct format *, const struct tbuf_event *);
	void (*total)(struct format *, const struct tbuf_totals *);
};

extern const struct format_ops format_text, format_json;

void	format_init(struct format *, struct output *, const struct options *);
void	format_record(struct format *, const struct tbuf_record *);
void	format_free(struct format *);

/* SIGKILL and the like; `room` holds names that have to be made. */
const char *signal_name(int number, char *room, size_t size);

#endif
