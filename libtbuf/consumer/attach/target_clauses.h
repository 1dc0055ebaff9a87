/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Clauses at probes of targets: from what a compiler gives to what targets
 * are given (clause.h, struct tbuf_codes), and what their records are.
 */
#ifndef TBUF_CONSUMER_ATTACH_TARGET_CLAUSES_H
#define TBUF_CONSUMER_ATTACH_TARGET_CLAUSES_H

#include <stdbool.h>
#include <stdint.h>

#include "consumer/decode/record_layout.h"
#include "consumer/run/run.h"
#include "consumer/script/shared_variables.h"
#include "machine/program.h"

/* Memory of a program in a target (target/clause/clause.h has it). */
#define TBUF_RECORD_SMALL	384u	/* bytes of a record, on the stack */
#define TBUF_LOCALS_SMALL	64u	/* and of this-> variables */
#define TBUF_KEY_SMALL		64u	/* and of a key */
#define TBUF_RECORD_LARGE	12288u	/* in a workspace */
#define TBUF_LOCALS_LARGE	16384u

/*
 * What no target can do yet of what a script's clauses there do, in words, and
 * the clause's description; NULL: it can do it all.  If we are alone, clauses
 * at probes of ours are at no others, whatever their descriptions match.  Ring:
 * their records may be overwritten.
 */
const char *tbuf_clauses_lack(const struct tbuf_d_script *, bool alone,
	    bool ring, const char **description);

/*
 * Enable the probes of targets that a script's clauses are at.  0, or what
 * tbuf_consumer_enable() says.
 */
int	tbuf_clauses_enable(struct tbuf_consumer *,
	    const struct tbuf_d_script *);

/*
 * Make what targets are given of the clauses, before sessions are built; the
 * run needs it from then on.  -E2BIG: there is too much of it, -ENOMEM.
 */
int	tbuf_clauses_make(struct tbuf_consumer *,
	    const struct tbuf_d_script *);

/* Does a clause of it, wherever it runs, ask for the names of addresses? */
bool	tbuf_clauses_names(const struct tbuf_d_script *);

/* How many EPIDs an enabling takes of each probe. */
unsigned tbuf_clauses_epids(const struct tbuf_consumer *, unsigned enabling);

/*
 * A record of an enabling's clause: what it is made of, if it is one; and its
 * pieces as the layout of a target has them.
 */
const struct tbuf_d_record *tbuf_clauses_record(const struct tbuf_consumer *,
	    unsigned enabling, unsigned record);
void	tbuf_clauses_pieces(const struct tbuf_d_record *,
	    struct tbuf_piece pieces[TBUF_PIECES_MAX]);

#endif
