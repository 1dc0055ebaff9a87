/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * From a program to what is kept of it.  Async-signal-safe.
 */
#ifndef TBUF_TARGET_CLAUSE_PLAN_DECODE_H
#define TBUF_TARGET_CLAUSE_PLAN_DECODE_H

#include "target/clause/plan.h"

/* What is kept, of whom. */
struct tbuf_keeping {
	const struct tbuf_run *run;
	const struct tbuf_site *site;
	const struct tbuf_machine *machine;
	uint32_t flags;			/* of the program */
	bool packed;
	bool updated;			/* what is to come is a store */
	bool stepwise;			/* there may be more behind */
	bool skips;			/* jumps are left out of the tests */
	struct tbuf_number registers[TBUF_REGISTERS];
	/*
	 * this-> variables, which nobody but this program looks at: what they
	 * are stands for them, also in steps behind.
	 */
	bool alone;
	bool knows;			/* it has such variables */
	bool late;			/* ... of the thread's number, as a
					 * step before has loaded it */
	uint32_t nlocals;
	struct tbuf_kept_local locals[TBUF_KEPT_LOCALS];
	struct tbuf_number key[TBUF_KEPT_NUMBERS]; /* that is being made */
	uint32_t nkey;
	uint32_t strsize, spare;	/* as struct tbuf_kept_update has them */
	bool ends;			/* nothing comes behind its last word */
};

/*
 * plan_predicate.c: an argument of fixed size that is meant by a selector, where
 * it lies: packed behind those before it; or as it is, where a site has texts
 * and its fires have not packed anything yet.  False: it is none.
 */
bool	tbuf_decode_cut(const struct tbuf_keeping *, uint32_t selector,
	    struct tbuf_cut *) TBUF_HIDDEN;
/*
 * ... and the comparisons that the program begins with.  Where what stands
 * behind them begins; nowhere in the program, if no fire comes there.
 */
uint32_t tbuf_decode_tests(struct tbuf_keeping *, struct tbuf_kept *)
	    TBUF_HIDDEN;

/*
 * Is it a load of what is the same at each fire of the probe in this process,
 * or leaves it that as it is?  The register has it then.
 */
bool	tbuf_decode_constant(struct tbuf_keeping *, uint64_t word) TBUF_HIDDEN;

/*
 * The program that the machine has: its comparisons, and what it does behind
 * them, if that is simple; where it lies.
 */
void	tbuf_decode_program(struct tbuf_keeping *, const struct tbuf_fire *,
	    struct tbuf_kept *) TBUF_HIDDEN;

/*
 * The same as far as a step of it goes: behind that another one begins at
 * `next'.  It begins itself at `from', with the comparisons if that is 0.
 * False: it is not simple.
 */
bool	tbuf_decode_step(struct tbuf_keeping *, const struct tbuf_fire *,
	    uint32_t from, struct tbuf_kept *) TBUF_HIDDEN;

/*
 * Does it know nothing that another clause of the fire has left, nor leave
 * anything, such as this-> variables and what strtok() goes on with?
 */
bool	tbuf_decode_apart(const struct tbuf_keeping *) TBUF_HIDDEN;

#endif
