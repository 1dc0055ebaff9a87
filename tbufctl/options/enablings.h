/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What to trace: the descriptions of the command line, in its order.
 */
#ifndef TBUFCTL_OPTIONS_ENABLINGS_H
#define TBUFCTL_OPTIONS_ENABLINGS_H

#include <stdbool.h>
#include <stddef.h>

struct tbuf_consumer;

struct description {
	const char *text;	/* as it was given, ... */
	int flag;		/* ... and with what: Pmfnis */
	char *full;		/* as the library takes it; NULL: an id */
	unsigned id;		/* -i */
	const char *selection;	/* `=MASK' at the text's end, or "" */
	int enabling;		/* the library's number */
	bool is_program;	/* D: it is compiled, and not enabled */
	bool has_own;		/* -l has shown some that it matches */
	char *script;		/* -s: what is in the file, */
	size_t length;		/* ... and how much of it */
};

struct program {
	struct description *all;
	size_t count;
	size_t programs;	/* how many of them are D */
};

/* Add what -P, -m, -f, -n, -i or -s says: 0, or EXIT_USAGE after a message. */
int	program_add(struct program *, int flag, const char *text);

/*
 * Enable everything.  Ids are looked up among the probes that the consumer's
 * targets have by now; one that is not there matches nothing, and never will.
 * 0, or an exit status after a message.  With D programs alone processes may
 * have been named nevertheless.
 */
int	program_enable(struct program *, struct tbuf_consumer *,
	    bool has_targets);

/* Say which descriptions match nothing; true when there is one. */
bool	program_unmatched(const struct program *,
	    struct tbuf_consumer *);

/* How many probes a description has matched by now. */
unsigned program_matched(const struct description *,
	    struct tbuf_consumer *);

void	program_free(struct program *);

#endif
