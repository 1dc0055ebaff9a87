/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Decodes programs into plans.  Async-signal-safe.
 */
#ifndef TBUF_TARGET_CLAUSE_PLAN_DECODE_H
#define TBUF_TARGET_CLAUSE_PLAN_DECODE_H

#include "target/clause/plan.h"

/* A program while it is decoded. */
struct tbuf_decoder {
	const struct tbuf_run *run;
	const struct tbuf_site *site;
	const struct tbuf_machine *machine;
	uint32_t flags;			/* TBUF_PROGRAM_* */
	bool packed;
	bool updated;			/* only a store may come next */
	bool stepwise;			/* further steps may follow */
	bool skips;			/* jumps are left out of the tests */
	struct tbuf_number registers[TBUF_REGISTERS];
	/*
	 * this-> variables.  If no other program reads them, each one is
	 * replaced by the number that it holds, also in later steps.
	 */
	bool alone;
	bool knows;			/* a this-> variable was stored */
	bool late;			/* an earlier step's one is_late() */
	uint32_t nlocals;
	struct tbuf_plan_local locals[TBUF_PLAN_LOCALS];
	struct tbuf_number key[TBUF_PLAN_NUMBERS]; /* that is being made */
	uint32_t nkey;
	uint32_t strsize, spare;	/* as in struct tbuf_plan_update */
	bool ends;			/* nothing follows its last word */
};

/*
 * plan_predicate.c: finds the argument of fixed size that a selector means:
 * packed after those before it; or as it is, where a site has texts and its
 * fires have not packed anything yet.  Returns false if it is none.
 */
bool	tbuf_decode_cut(const struct tbuf_decoder *, uint32_t selector,
	    struct tbuf_cut *) TBUF_HIDDEN;
/*
 * Decodes the comparisons that the program begins with.  Returns the
 * instruction after them, or the program's length if no fire comes there.
 */
uint32_t tbuf_decode_tests(struct tbuf_decoder *, struct tbuf_plan *)
	    TBUF_HIDDEN;

/*
 * Returns true if the instruction loads a value that is constant for this probe
 * and process, or leaves one as it is.  The register has it then.
 */
bool	tbuf_decode_constant(struct tbuf_decoder *, uint64_t word) TBUF_HIDDEN;

/*
 * Decodes the machine's program: its tests, its effect, if that is simple, and
 * where it is.
 */
void	tbuf_decode_program(struct tbuf_decoder *, const struct tbuf_fire *,
	    struct tbuf_plan *) TBUF_HIDDEN;

/*
 * Decodes one step of the program, from instruction `from` on; 0: with the
 * tests.  The next one is at link.next.  Returns false if it is not simple.
 */
bool	tbuf_decode_step(struct tbuf_decoder *, const struct tbuf_fire *,
	    uint32_t from, struct tbuf_plan *) TBUF_HIDDEN;

/*
 * Returns true if the program neither uses nor leaves state of other clauses of
 * the fire, such as this-> variables and the text of strtok().
 */
bool	tbuf_decode_apart(const struct tbuf_decoder *) TBUF_HIDDEN;

#endif
