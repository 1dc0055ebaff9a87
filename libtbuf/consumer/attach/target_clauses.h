/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Clauses at probes of targets: translates a compiled script into the parts
 * that targets get (layout/clause.h), and describes their records.
 */
#ifndef TBUF_CONSUMER_ATTACH_TARGET_CLAUSES_H
#define TBUF_CONSUMER_ATTACH_TARGET_CLAUSES_H

#include <stdbool.h>
#include <stdint.h>

#include "consumer/decode/record_layout.h"
#include "consumer/run/run.h"
#include "consumer/script/script.h"
#include "machine/program.h"

/* Memory of a program in a target (target/clause/clause.h). */
#define TBUF_RECORD_SMALL	384u	/* bytes of a record, on the stack */
#define TBUF_LOCALS_SMALL	64u	/* bytes of this->, on the stack */
#define TBUF_KEY_SMALL		64u	/* bytes of a key, on the stack */
#define TBUF_RECORD_LARGE	12288u	/* bytes of a record, in a workspace */
#define TBUF_LOCALS_LARGE	16384u

/*
 * Returns an action of a script's clauses that targets cannot do, in words,
 * with the clause's description, or NULL.  `alone`: there are no targets, so
 * that clauses at the consumer's own probes match no others.  `ring`: records
 * may be overwritten.
 */
const char *tbuf_clauses_lack(const struct tbuf_d_script *, bool alone,
	    bool ring, const char **description);

/*
 * Enables the probes of targets that a script's clauses name.  Returns 0, or
 * the error of tbuf_consumer_enable().
 */
int	tbuf_clauses_enable(struct tbuf_consumer *,
	    const struct tbuf_d_script *);

/*
 * Makes the parts that targets get of the clauses, before sessions are built;
 * the run needs them from then on.  -E2BIG: they are too large, -ENOMEM.
 */
int	tbuf_clauses_make(struct tbuf_consumer *,
	    const struct tbuf_d_script *);

/* Returns true if any clause, wherever it runs, needs names of addresses. */
bool	tbuf_clauses_names(const struct tbuf_d_script *);
/* Returns true if any clause, wherever it runs, calls snapshot(). */
bool	tbuf_clauses_snapshot(const struct tbuf_d_script *);

/* Returns how many EPIDs an enabling takes for each probe. */
unsigned tbuf_clauses_epids(const struct tbuf_consumer *, unsigned enabling);

/*
 * tbuf_clauses_record() returns a record of an enabling's clause, or NULL.
 * tbuf_clauses_pieces() makes its pieces for the layout in a target.
 */
const struct tbuf_d_record *tbuf_clauses_record(const struct tbuf_consumer *,
	    unsigned enabling, unsigned record);
void	tbuf_clauses_pieces(const struct tbuf_d_record *,
	    struct tbuf_piece pieces[TBUF_PIECES_MAX]);

#endif
