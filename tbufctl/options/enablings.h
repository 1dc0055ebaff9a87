/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Probe descriptions of the command line, in its order, and their enablings.
 */
#ifndef TBUFCTL_OPTIONS_ENABLINGS_H
#define TBUFCTL_OPTIONS_ENABLINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/suggest.h"

struct tbuf_consumer;

struct description {
	const char *text;	/* argument of the flag */
	int flag;		/* P, m, f, n, i or s */
	char *full;		/* for the library; NULL: by id so far */
	unsigned id;		/* -i */
	const char *selection;	/* `=MASK' at the text's end, or "" */
	int enabling;		/* of tbuf_consumer_enable() */
	bool is_program;	/* D: compiled, not enabled */
	bool has_own;		/* it matches probes of tbufctl (-l) */
	bool hinted;		/* a near probe has been suggested */
	char *script;		/* -s: the content of the file */
	size_t length;		/* of script, bytes */
};

struct program {
	struct description *all;
	size_t count;
	size_t programs;	/* number of those that are D */
};

/*
 * Adds the argument of -P, -m, -f, -n, -i or -s.  Returns 0, or EXIT_USAGE
 * after a message.
 */
int	program_add(struct program *, int flag, const char *text);

/*
 * Adds to each description without a clause, and to each in a list, others that
 * mean the same: more() returns these with a comma before each, to be freed.
 */
void	program_extend(struct program *, char *(*more)(void *,
	    const char *), void *context);

/*
 * Enables all descriptions.  Ids are looked up among the current probes of the
 * consumer's targets; a missing one never matches.  With has_targets, named
 * targets are attached even if there are only D programs.  Returns 0, or an
 * exit status after a message.
 */
int	program_enable(struct program *, struct tbuf_consumer *,
	    bool has_targets);

/*
 * Reports descriptions that will match nothing: lacks() returns true for each
 * in a list.  Returns true if there is one.
 */
bool	program_lacking(const struct program *, bool (*lacks)(void *,
	    const char *), near_one *, void *context);

/*
 * Descriptions that match nothing: there is none; a suggestion was reported for
 * each; or there is one without, of functions, or of any other probe.
 */
enum unmatched {
	UNMATCHED_NONE,
	UNMATCHED_EXPLAINED,
	UNMATCHED_FUNCTION,	/* of the provider pid */
	UNMATCHED_PLAIN
};

/*
 * Reports descriptions that match nothing so far, each once, if a known probe
 * is near and absent() returns true for each in a list.
 */
void	program_hint(const struct program *, struct tbuf_consumer *,
	    bool (*absent)(void *, const char *), near_one *,
	    void *context);

/* Reports descriptions that match nothing, with hints that are new. */
enum unmatched program_unmatched(const struct program *,
	    struct tbuf_consumer *, near_one *, void *context);

/* Reports a description that matches nothing in a file, with a suggestion. */
void	program_tell_nothing(const struct description *, near_one *,
	    void *context);

void	program_free(struct program *);

/*
 * Reports the form of a timer if one of a list of descriptions has the name of
 * a timer that does not exist, such as tick-1x.  Returns true if so.
 */
bool	description_tell_timer(const char *list);

#endif
