/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * From the programs of the command line to a script that a consumer runs.
 */
#ifndef TBUFCTL_SCRIPT_COMPILE_H
#define TBUFCTL_SCRIPT_COMPILE_H

#include "machine/program.h"

#include "probe_lookup.h"
#include "library.h"
#include "tbufd.h"

struct options;

/* All of it lives until the consumer is closed. */
struct compiled {
	struct options *options;
	pid_t target;			/* $target; 0: none */
	struct known known;
	struct libraries libraries;
	struct d_options d;
	struct d_compiler *compiler;
	struct d_node **programs;	/* NULL: no program but a description */
	const struct tbuf_d_script *script;
};

/* Read the scripts.  0, or an exit status after a message. */
int	compile_read(struct options *);

/*
 * Compile what is a program; targets that were named are known.  0, or an exit
 * status after a message.
 */
int	compile_all(struct compiled *, struct options *,
	    struct tbuf_consumer *, pid_t target);
void	compile_free(struct compiled *);

/*
 * "script 'X' matched N probes", for each of them that has not been `told`; of
 * one that matches nothing so far only when `all` is set.
 */
void	compile_tell(struct compiled *, bool *told, bool all);

/* Say which descriptions of clauses have met no probe; true if any. */
bool	compile_unmatched(struct compiled *);

#endif
