/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The script of the stress tests, built by hand.  It records the fields of
 * default records, and also stores to a global variable at each fire.
 */
#include "common.h"
#include "lib/machine_word.h"
#include "machine/program.h"

#define NUMBERS								\
	W(PUTA, 0, 0, 0, 0), W(PUTA, 0, 0, 0, 1), W(PUTA, 0, 0, 0, 2)

/* n++; this->n = n: the number of fires so far, this one included */
static const uint64_t count[] = {
	W(LDV, 1, 0, TBUF_SCOPE_GLOBAL, 0), W(ADDI, 1, 1, 0, 1),
	W(STV, 1, 0, TBUF_SCOPE_GLOBAL, 0), W(STV, 1, 0, TBUF_SCOPE_CLAUSE, 0)
};
/* Tests that this->n is not 0; the condition is true at every fire. */
static const uint64_t numbers[] = {
	W(JAGTUI, 1, 1, 0, 0), W(END, 0, 0, 0, 0),
	W(LDV, 1, 0, TBUF_SCOPE_CLAUSE, 0), W(JNZ, 1, 0, 0, 1),
	W(END, 0, 0, 0, 0), NUMBERS, W(EMIT, 0, 0, 0, 0)
};
/* The text is copied, which needs a workspace. */
static const uint64_t words[] = {
	NUMBERS, W(LDAT, 2, 0, 0, 3), W(CALL, 2, 2, 1, TBUF_SUB_TEXT),
	W(PUTT, 2, 0, 0, 0), W(EMIT, 0, 0, 0, 0)
};

static const struct tbuf_d_shape number = {
	.kind = TBUF_KIND_INTEGER, .size = 8, .name = "uint64_t"
};
static const struct tbuf_d_piece pieces[] = {
	{ .kind = TBUF_PIECE_ARGUMENT, .argument = 0 },
	{ .kind = TBUF_PIECE_ARGUMENT, .argument = 1 },
	{ .kind = TBUF_PIECE_ARGUMENT, .argument = 2 },
	{ .kind = TBUF_PIECE_TEXT }
};
static const struct tbuf_d_record records[] = {
	{ .pieces = pieces, .npieces = 3, .bytes = 24, .charge = 24 },
	{ .pieces = pieces, .npieces = 4, .bytes = 288, .charge = 280 }
};
static const struct tbuf_d_variable variables[] = {
	{ .name = "n", .scope = TBUF_SCOPE_GLOBAL, .shape = &number },
	{ .name = "n", .scope = TBUF_SCOPE_CLAUSE, .shape = &number }
};

#define PROGRAM(words)							\
	{ .code = (words), .length = sizeof(words) / sizeof((words)[0]) }
static const struct tbuf_d_program programs[] = {
	PROGRAM(count), PROGRAM(numbers), PROGRAM(words)
};
static const char *const descriptions[] = {
	"stress:::", "stress:::numbers", "stress:::words"
};
static const struct tbuf_d_clause clauses[] = {
	{ .descriptions = &descriptions[0], .ndescriptions = 1,
	  .programs = &programs[0], .nprograms = 1 },
	{ .descriptions = &descriptions[1], .ndescriptions = 1,
	  .programs = &programs[1], .nprograms = 1,
	  .records = &records[0], .nrecords = 1 },
	{ .descriptions = &descriptions[2], .ndescriptions = 1,
	  .programs = &programs[2], .nprograms = 1,
	  .records = &records[1], .nrecords = 1 }
};

const struct tbuf_d_script stress_script = {
	.clauses = clauses, .nclauses = 3,
	.variables = variables, .nvariables = 2
};
