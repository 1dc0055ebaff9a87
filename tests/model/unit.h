/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The life of work units as a machine with few states, which unit.c
 * explores.  As in state.h a step is one access of shared memory with the
 * work that belongs to it, and the search takes every step of every agent.
 * Here memory is sequentially consistent, a table does not wrap, and a record
 * of the principal lane is one step: lane.c explores its steps.
 *
 * A thread runs its program, one character after the other:
 *
 *	b	begin a unit in the thread's place, and enter it
 *	1, 2	a record of that selection, in the unit or elsewhere
 *	l	leave the unit
 *	n	enter the first thread's unit, after that has left it
 *	e	end the unit, by the rule of outcome 0
 */
#ifndef TESTS_MODEL_UNIT_H
#define TESTS_MODEL_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "layout/unit.h"

#define NTASKS		3
#define NTABLES		2
#define NCELLS		3	/* records of a table */
#define NLANE		3	/* most records of the principal lane */
#define NINSTANCES	6
#define ALL		3	/* the mask of all selections */

/* Defects that can be built in; the search must find each. */
#define DEFECTS(X)							\
	X(NONE, "none")							\
	X(NO_SECOND_LOOK, "no-second-look")				\
	X(FINISH_WITHOUT_RULE, "finish-without-rule")			\
	X(MARK_BEFORE_RECORDS, "mark-before-records")			\
	X(DONE_BEFORE_MARK, "done-before-mark")				\
	X(CLAIM_WITHOUT_WORD, "claim-without-word")			\
	X(BIND_WITHOUT_WORD, "bind-without-word")			\
	X(HEAD_BEFORE_DATA, "head-before-data")				\
	X(TOTALS_SINGLE, "totals-single")				\
	X(NOT_BUSY, "not-busy")						\
	X(SPARE_OF_USED, "spare-of-used")				\
	X(SPARE_LEFT_KEPT, "spare-left-kept")				\
	X(RELEASE_NOT_GIVEN, "release-not-given")			\
	X(FORGO_NOT_NOTED, "forgo-not-noted")				\
	X(LANE_COUNTS_UNITS, "lane-counts-units")

enum defect {
#define X(name, text) D_##name,
	DEFECTS(X)
#undef X
	NDEFECTS
};

/* Task places: unit_bind.c, unit_write.c, unit_cached_end.h, unit_end.c. */
#define TASK_PLACES(X)							\
	X(T_IDLE)							\
	X(B_CACHED) X(B_FREE) X(B_CLAIM) X(B_DONE) X(B_TAKEN)		\
	X(B_HEAD) X(B_COMMIT) X(B_ENTER)				\
	X(R_BUSY) X(R_HEAD) X(R_DATA) X(R_COMMIT) X(R_FULL)		\
	X(F_RULE) X(F_WORD) X(F_TOTAL) X(F_COMMIT)			\
	X(G_WORD) X(G_RULE) X(G_TOTAL) X(G_COMMIT)			\
	X(G_EMIT) X(G_FINISH) X(G_RELEASE) X(T_DONE)

enum task_place {
#define X(name) name,
	TASK_PLACES(X)
#undef X
	NTASKPLACES
};

/* Kinds of records in the principal lane. */
enum kind {
	PLAIN,			/* a record without a unit */
	ENVELOPE,
	MARK
};

struct record {
	uint8_t kind;
	uint8_t table;
	uint8_t instance;
	uint8_t mask;
	uint8_t count;
	uint8_t ids[NCELLS];	/* of an envelope */
};

struct total {
	uint8_t kept;
	uint8_t discarded;
};

struct table {
	uint64_t word;		/* tbuf_unit_word() */
	uint8_t head;
	uint8_t cells[NCELLS];
	uint8_t full;
	uint8_t mask;
	uint8_t count;
	struct total total[2];
};

/* A unit's history, which no agent can see. */
struct truth {
	uint8_t n;
	uint8_t ids[NCELLS];
	uint8_t given;
	uint8_t lost;		/* its mark or envelope is lost */
};

/* A unit's place in the target's memory; each thread has one. */
struct place {
	uint8_t used;
	uint8_t owner;		/* 1 + the task */
	uint8_t table;		/* 1 + its index; 0: none was free */
	uint8_t instance;
	uint8_t kept;
	uint8_t counted;
	uint8_t guess;		/* the last rule seen */
	uint8_t selected;
	uint8_t busy;
	struct total was;
};

struct task {
	uint8_t at;		/* enum task_place */
	uint8_t next;		/* index in its program */
	uint8_t nested;		/* a handler interrupts it */
	uint8_t aborts;
	uint8_t place;		/* 1 + the place that it works on */
	uint8_t inside;		/* 1 + the unit that it has entered */
	uint8_t rules;		/* in force since the unit's end began */
	uint8_t i;
	uint8_t head;
	uint8_t id;
	uint8_t held;		/* `busy' is this task's */
	uint8_t mask;
	uint8_t envelope;
	uint8_t kept;
	uint8_t emitted;
	uint64_t word;
	struct total was;
	struct record record;
};

#define READER_PLACES(X)						\
	X(C_ROUND) X(C_LOOK) X(C_TAKE) X(C_NEXT) X(M_WORD) X(M_HEAD)	\
	X(M_COPY) X(M_AGAIN) X(C_FORGO) X(C_LEFT) X(C_DONE)

enum reader_place {
#define X(name) name,
	READER_PLACES(X)
#undef X
	NREADERPLACES
};

struct reader {
	uint8_t at;		/* enum reader_place */
	uint8_t rounds;
	uint8_t last;		/* last round: the target has ended */
	uint8_t i;
	uint8_t nlane;
	uint8_t head;
	uint8_t cell;
	uint8_t given;		/* records of batches */
	uint8_t plain;
	uint8_t open;		/* records of units that have not ended */
	uint8_t noted[NTABLES];
	uint8_t seen[NTABLES];	/* last instance returned */
	uint8_t ids[NCELLS];
	uint64_t word;
	struct record lane[NLANE];
};

struct state {
	struct table tables[NTABLES];
	struct place places[NTASKS];
	struct task tasks[NTASKS];
	struct reader reader;
	struct record lane[NLANE];
	uint8_t nlane;
	uint8_t full;		/* plain records that the lane refused */
	uint8_t overwritten;	/* plain records that were overwritten */
	uint8_t rule;		/* the mask of outcome 0 */
	uint8_t dead;

	struct truth truth[NTABLES][NINSTANCES];
	uint8_t user[NTABLES];	/* 1 + the place that uses the table */
	uint8_t fired;
	uint8_t lost;		/* in a lane; not in a table */
};

struct scenario {
	const char *name;
	const char *programs[NTASKS];
	uint8_t parent[NTASKS];	/* 1 + the task that a handler interrupts */
	uint8_t tables;
	uint8_t cells;
	uint8_t room;		/* most records of the lane */
	uint8_t envelope;	/* most records of an envelope */
	uint8_t rounds;
	uint8_t aborts;		/* of one task */
	uint8_t rule;		/* new rule set by the consumer, or 0 */
	bool ring;
	bool locked;		/* without sections */
};

struct model {
	const struct scenario *scenario;
	enum defect defect;
	const char *failure;	/* NULL: none */
};
extern struct model model;

static inline bool
model_has(enum defect defect)
{
	return (model.defect == defect);
}

static inline void
model_fail(const char *text)
{
	if (model.failure == NULL)
		model.failure = text;
}

static inline uint64_t
word_of(unsigned instance, enum tbuf_unit_state state)
{
	return (tbuf_unit_word(1, instance, state));
}

static inline unsigned
totals(uint64_t word)
{
	return (model_has(D_TOTALS_SINGLE) ? 0 : tbuf_unit_totals(word));
}

static inline bool
selects(unsigned mask, unsigned id)
{
	return ((mask & id & ALL) != 0);
}

/* unit_target.c */
bool	model_task_can_run(const struct state *, unsigned task);
void	model_task_step(struct state *, unsigned task);
/* Aborts a task's section.  Returns false if it is in none. */
bool	model_task_abort(struct state *, unsigned task);

/* unit_reader.c */
bool	model_reader_step(struct state *);
void	model_reader_account(const struct state *);

#endif
