/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * D programs, compiled: what a compiler makes, a consumer runs and an output
 * is made from.  Nothing here depends on how a program was written.
 *
 *	script ----> clauses ----> records ----> actions ----> pieces
 *	   |            |
 *	   |            +--------> programs, one for each choice of classes
 *	   +-------> variables, aggregations
 *
 * A clause that fires runs a program of the machine (doc/machine.md).  What
 * its actions record lies in records, each of which has a layout: its actions
 * in the order of the source, and the pieces that they left, one behind the
 * other.  All of it is immutable and belongs to who made it; it must live
 * until the consumer that was given it is closed.
 */
#ifndef TBUF_MACHINE_PROGRAM_H
#define TBUF_MACHINE_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------ types */

enum tbuf_d_kind {
	TBUF_KIND_INTEGER,
	TBUF_KIND_FLOAT,
	TBUF_KIND_CHARACTER,	/* an integer that print() shows as 'a' */
	TBUF_KIND_ENUM,
	TBUF_KIND_POINTER,
	TBUF_KIND_TEXT,		/* D's string */
	TBUF_KIND_ARRAY,
	TBUF_KIND_STRUCT,
	TBUF_KIND_UNION,
	TBUF_KIND_VOID
};

struct tbuf_d_shape;

/* A member, or an enumerator (`value`). */
struct tbuf_d_member {
	const char *name;
	const struct tbuf_d_shape *shape;
	uint64_t value;
	uint32_t offset;	/* bytes */
	uint8_t bit;		/* of a bit-field: its first one in there */
	uint8_t bits;		/* 0: no bit-field */
};

/* A type, as far as output needs it. */
struct tbuf_d_shape {
	enum tbuf_d_kind kind;
	int is_signed;
	uint32_t size;		/* bytes; of a text strsize */
	uint32_t count;		/* elements of an array */
	const char *name;	/* as D writes it: "struct request *" */
	const struct tbuf_d_shape *of;	/* of a pointer or an array; or NULL */
	const struct tbuf_d_member *members;
	uint32_t nmembers;
};

/* ------------------------------------------------------------ records */

/*
 * What lies in a record or a key: see "Pieces" in doc/machine.md.
 * TBUF_PIECE_ARGUMENT is one or the other by the type of the probe's argument.
 */
enum tbuf_d_piece_kind {
	TBUF_PIECE_INTEGER,	/* 8 bytes: shape->size and sign say the rest */
	TBUF_PIECE_TEXT,
	TBUF_PIECE_BYTES,	/* `bytes` of them */
	TBUF_PIECE_ARGUMENT,
	TBUF_PIECE_STACK	/* bytes as those of ustack, `bytes` at most */
};

/* What a stack takes in a record that is to be unwound, at most. */
#define TBUF_STACK_ROOM	(8192u + 40u)

struct tbuf_d_piece {
	enum tbuf_d_piece_kind kind;
	uint32_t bytes;
	uint32_t argument;	/* as the instruction puta has it */
	const struct tbuf_d_shape *shape;
};

enum tbuf_d_action_kind {
	TBUF_ACTION_TRACE,	/* value */
	TBUF_ACTION_TRACEMEM,	/* bytes[, how many of them: value] */
	TBUF_ACTION_PRINT,	/* value, or address and bytes if `pointer` */
	TBUF_ACTION_PRINTF,	/* arguments of the format */
	TBUF_ACTION_PRINTA,	/* of `aggregations`, with the format or not */
	TBUF_ACTION_SYSTEM,	/* as printf */
	TBUF_ACTION_FREOPEN,	/* as printf */
	TBUF_ACTION_FTRUNCATE,
	TBUF_ACTION_SETOPT,	/* name[, value]: texts */
	TBUF_ACTION_EXIT,	/* status */
	TBUF_ACTION_CLEAR,	/* of `aggregations` */
	TBUF_ACTION_TRUNC,	/* of `aggregations`[, how many] */
	TBUF_ACTION_NORMALIZE,	/* of `aggregations`, factor */
	TBUF_ACTION_DENORMALIZE,
	TBUF_ACTION_USTACK,	/* bytes: the image, then addresses */
	TBUF_ACTION_STACK,	/* addresses alone */
	TBUF_ACTION_USYM,	/* image, address; so are the next three */
	TBUF_ACTION_UMOD,
	TBUF_ACTION_UFUNC,
	TBUF_ACTION_UADDR,
	TBUF_ACTION_SYM,	/* address; so are the next two */
	TBUF_ACTION_MOD,
	TBUF_ACTION_FUNC,
	TBUF_ACTION_COMMIT,	/* id: the mark of a batch */
	/*
	 * Alone in its record, which is not given but aggregated in the
	 * consumer, by the only one of `aggregations': its keys, of which a
	 * stack is TBUF_PIECE_STACK, then value and weight as far as its
	 * function takes them.
	 */
	TBUF_ACTION_AGGREGATE
};

struct tbuf_d_action {
	enum tbuf_d_action_kind kind;
	int pointer;		/* print(): of what a pointer points to */
	uint32_t first;		/* of the record's pieces */
	uint32_t count;
	const char *format;	/* NULL: none */
	const uint32_t *aggregations;	/* ids */
	uint32_t naggregations;
};

struct tbuf_d_record {
	const struct tbuf_d_action *actions;
	uint32_t nactions;
	const struct tbuf_d_piece *pieces;
	uint32_t npieces;
	/*
	 * What it takes at most: in a buffer, where a text takes what it is
	 * long; and as DTrace counts, where it takes strsize.
	 */
	uint32_t bytes;
	uint32_t charge;
};

/*
 * Addresses of programs: bytes that begin with the 8 of their image
 * (tbuf_consumer_mapping()), in which they have their names.  The shape's name
 * is what they were asked for by: "ustack", "usym", "umod", "ufunc", "uaddr".
 *
 * A frame of a stack goes on at its address behind a call; with this bit it
 * was at that address itself, as the first one of a sample was.
 */
#define TBUF_FRAME_EXACT	(UINT64_C(1) << 63)

/* ------------------------------------------------------------ clauses */

#define TBUF_D_NAMES_MAX		16
#define TBUF_CLASS_INTEGER	0x01u	/* a signed one, or narrower than 64 */
#define TBUF_CLASS_UNSIGNED	0x02u	/* 64 bits unsigned, or a pointer */
#define TBUF_CLASS_FLOAT	0x04u
#define TBUF_CLASS_TEXT		0x08u

/* A clause for one choice of its names' classes. */
struct tbuf_d_program {
	const uint64_t *code;
	const void *constants;
	uint32_t length;		/* words */
	uint32_t constants_size;	/* bytes */
	/* For each name the classes that this program is for. */
	uint8_t classes[TBUF_D_NAMES_MAX];
};

/*
 * Where an action begins in a program, for the words of a fault: action 0 is
 * the predicate.
 */
struct tbuf_d_place {
	uint32_t at;		/* the instruction's index */
	uint32_t action;
	uint32_t part;		/* of the clause's EPIDs, from 0 */
};

/* tbuf_clause_code.flags */
#define TBUF_CLAUSE_DEFAULT	0x01u	/* no program: the default record */
#define TBUF_CLAUSE_DESTRUCTIVE	0x02u	/* it needs -w */
#define TBUF_CLAUSE_COPYIN	0x04u	/* it may ask for memory by a call */
#define TBUF_CLAUSE_EXIT	0x08u	/* it has exit() */
#define TBUF_CLAUSE_VISIT	0x10u	/* it uses blocks, arrays or tables */
#define TBUF_CLAUSE_SPECULATE	0x20u	/* its records go to a speculation */
#define TBUF_CLAUSE_ROOM	0x40u	/* its program takes room by itself */
#define TBUF_CLAUSE_STACK	0x100u	/* it looks at the stack, by a call */
#define TBUF_CLAUSE_FRAMES	0x200u	/* by frame pointers, though others are
					   asked to unwind */
#define TBUF_CLAUSE_CALLS	0x400u	/* it asks the kernel something */

struct tbuf_d_clause {
	/* Each with four fields: "kv:::request-start". */
	const char *const *descriptions;
	uint32_t ndescriptions;
	uint32_t flags;
	/* Arguments of the probe that it uses by name. */
	const char *const *names;
	uint32_t nnames;
	const struct tbuf_d_program *programs;
	uint32_t nprograms;
	/* `nplaces` of each program, one program's behind the other's. */
	const struct tbuf_d_place *places;
	uint32_t nplaces;
	const struct tbuf_d_record *records;
	uint32_t nrecords;
	int line;
};

/* ------------------------------------------------------------ data */

/* enum tbuf_scope of the machine says where. */
struct tbuf_d_variable {
	const char *name;
	uint32_t scope;
	uint32_t id;			/* within its scope */
	const struct tbuf_d_shape *shape;
	const struct tbuf_d_piece *keys;	/* of an array */
	uint32_t nkeys;
	int is_written;			/* else it reads as 0 for ever */
};

/* enum tbuf_aggregator of the machine is the function. */
struct tbuf_d_aggregation {
	const char *name;		/* "" for @ */
	uint32_t id;
	uint32_t function;
	/*
	 * lquantize: step << 48 | levels << 32 | base as 32 bits;
	 * llquantize: factor << 48 | low << 32 | high << 16 | steps.
	 */
	uint64_t parameter;
	const struct tbuf_d_piece *keys;
	uint32_t nkeys;
	int is_signed;			/* its values */
};

struct tbuf_d_script {
	const struct tbuf_d_clause *clauses;	/* in the source's order */
	uint32_t nclauses;
	const struct tbuf_d_variable *variables;
	uint32_t nvariables;
	const struct tbuf_d_aggregation *aggregations;
	uint32_t naggregations;
};

#ifdef __cplusplus
}
#endif

#pragma GCC visibility pop

#endif
