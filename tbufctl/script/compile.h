/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compiles the programs of the command line into a script that a consumer runs.
 */
#ifndef TBUFCTL_SCRIPT_COMPILE_H
#define TBUFCTL_SCRIPT_COMPILE_H

#include "machine/program.h"

#include "base/string_list.h"
#include "library.h"
#include "probe_lookup.h"
#include "tbufd.h"

struct description;
struct options;
struct output;

/* A compiled script and its parts, which live until the consumer is closed. */
struct compiled {
	struct options *options;
	pid_t target;			/* $target; 0: none */
	struct known known;
	struct libraries libraries;
	struct d_options d;
	struct d_compiler *compiler;
	struct d_node **programs;	/* NULL: a plain description */
	const struct tbuf_d_script *script;
	struct words hinted;		/* descriptions with a hint */
	bool *unfit_told;		/* of each clause; NULL: none */
	bool unmatched;		/* an error: a description matches nothing */
};

/* Reads the scripts.  Returns 0, or an exit status after a message. */
int	compile_read(struct options *);

/*
 * compile_begin() sets the options and the consumer, which has the targets that
 * were named; `functions` is NULL, or has descriptions for the target, as
 * TBUF_PID has them.  compile_all() compiles the programs.  It returns 0, or an
 * exit status after a message.
 */
void	compile_begin(struct compiled *, struct options *,
	    struct tbuf_consumer *, pid_t target, const char *functions);
int	compile_all(struct compiled *);
void	compile_free(struct compiled *);

/*
 * Prints "script 'X' matched N probes" once for each program, and sets its
 * element of `reported`.  A program without matches so far is reported only if
 * `all` is set.
 */
void	compile_tell(struct compiled *, bool *reported, bool all);

/* Does as known_hint() with descriptions of clauses. */
void	compile_hint(struct compiled *, bool early);

/* Reports descriptions of clauses that match no probe, with new hints. */
enum unmatched compile_unmatched(struct compiled *);

/*
 * compile_tell_unfit() reports clauses that do not fit a probe of the run, once
 * each: why, and arguments of such probes.  compile_unfit() returns true if a
 * clause fits no probe that it matches.
 */
void	compile_tell_unfit(struct compiled *);
bool	compile_unfit(struct compiled *);

/* Reports an error of a program; of a library if `program` is NULL. */
void	compile_tell_error(const struct description *program,
	    const char *why);
/* Returns the program that is number n of the script, from 0. */
const struct description *compile_program(const struct compiled *,
	    unsigned n);

/* -v: prints the stability of the interfaces that programs use. */
void	stability_print(const struct compiled *, struct output *);

/*
 * Suggests a known name for an unknown name in a script.  Returns it for the
 * caller to free; NULL if none is near.
 */
char	*hint(struct compiled *, const struct d_error *);
/* Suggests one for a clause that does not fit a probe, of its arguments. */
char	*hint_argument(struct compiled *, const struct d_error *,
	    const struct tbuf_probe_info *);

/*
 * Reports D's equivalent of bpftrace's word or descriptions that an error is
 * about.  Returns true if there is one.
 */
bool	explain_bpftrace(const struct description *program,
	    const struct d_error *);
/* Returns a probe's arguments, or "none"; the caller frees the text. */
char	*explain_list(const struct tbuf_probe_info *);
/* After an unknown variable, reports the arguments of the clause's probes. */
void	explain_arguments(struct compiled *, const struct d_error *);
/* Reports that the module of a description (NULL: none) is in no known file. */
void	explain_module(struct compiled *, const struct d_description *);
/* Reports the form of a timer if the error is one that does not exist. */
void	explain_timer(const struct d_error *);

#endif
