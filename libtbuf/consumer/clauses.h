/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Clauses at probes of targets: from what a compiler gives to what targets
 * are given (layout_clause.h, struct tbuf_codes), and what their records are.
 */
#ifndef TBUF_CONSUMER_CLAUSES_H
#define TBUF_CONSUMER_CLAUSES_H

#include <stdbool.h>
#include <stdint.h>

#include "consumer/pieces.h"
#include "consumer/run.h"
#include "tbuf_program.h"

/* Memory of a program in a target (producer/clause.h has it). */
#define TBUF_RECORD_SMALL	384u	/* bytes of a record, on the stack */
#define TBUF_LOCALS_SMALL	64u	/* and of this-> variables */
#define TBUF_KEY_SMALL		64u	/* and of a key */
#define TBUF_KEY_LARGE		2048u
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

/* May the memory of its targets be read, if clauses do so?  -EPERM. */
int	tbuf_copyin_check(struct tbuf_consumer *);
/*
 * Has a thread of it more filters than it began with?  They may kill for the
 * call that reads.
 */
bool	tbuf_copyin_filtered(pid_t, uint32_t from_the_start);

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

/*
 * Global variables (globals.c): clauses here use those of targets from now on;
 * what a target leaves that is let go; and the values there are, as the codes
 * have their places.
 */
struct tbuf_script;
struct tbuf_element;
void	tbuf_globals_share(struct tbuf_consumer *);
void	tbuf_globals_keep(struct tbuf_consumer *, struct tbuf_target *);
void	tbuf_globals_put(const struct tbuf_script *,
	    const struct tbuf_code_variable *, unsigned char *to);

/* Are a target's variables there?  Whose count here; NULL: none's do. */
bool	tbuf_globals_has(const struct tbuf_consumer *,
	    const struct tbuf_target *);
struct tbuf_target *tbuf_globals_sole(const struct tbuf_consumer *);

/*
 * Elements of arrays that clauses here and in targets have in common
 * (elements.c), likewise: by the key, variable and size of one here.
 */
enum tbuf_element_known tbuf_elements_pull(void *consumer,
	    struct tbuf_element *);
bool	tbuf_elements_push(void *consumer, const struct tbuf_element *,
	    bool keeps);
bool	tbuf_elements_push_part(void *consumer, const struct tbuf_element *,
	    uint32_t at, uint32_t size);
void	tbuf_elements_keep(struct tbuf_consumer *,
	    struct tbuf_target *);

#endif
