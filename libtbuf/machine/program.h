/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The form of compiled D programs: the compiler makes it, a consumer runs it,
 * and output is formatted by it.  It does not depend on a program's syntax.
 *
 *	script ----> clauses ----> records ----> actions ----> pieces
 *	   |            |
 *	   |            +--------> programs, one for each choice of classes
 *	   +-------> variables, aggregations
 *
 * A clause that fires runs a program of the machine (doc/machine.md).  Its
 * actions store values in records.  Each record has a layout: its actions in
 * the order of the source, and their pieces, one after the other.  All of this
 * is immutable and owned by its maker, and must exist until the consumer that
 * uses it is closed.
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
	uint8_t bit;		/* first bit of a bit-field */
	uint8_t bits;		/* 0: no bit-field */
};

/* A type, with the facts that output needs. */
struct tbuf_d_shape {
	enum tbuf_d_kind kind;
	int is_signed;
	uint32_t size;		/* bytes; strsize for a text */
	uint32_t count;		/* elements of an array */
	const char *name;	/* as D writes it: "struct request *" */
	const struct tbuf_d_shape *of;	/* of a pointer or array, or NULL */
	const struct tbuf_d_member *members;
	uint32_t nmembers;
};

/* ------------------------------------------------------------ records */

/*
 * The pieces of a record or a key: see "Pieces" in doc/machine.md.
 * TBUF_PIECE_ARGUMENT is an integer or a text by the probe argument's type.
 */
enum tbuf_d_piece_kind {
	TBUF_PIECE_INTEGER,	/* 8 bytes: shape->size and sign say the rest */
	TBUF_PIECE_TEXT,
	TBUF_PIECE_BYTES,	/* a number of them: `bytes` */
	TBUF_PIECE_ARGUMENT,
	TBUF_PIECE_STACK	/* bytes as those of ustack, `bytes` at most */
};

/* Most bytes of a key at probes of programs. */
#define TBUF_KEY_ROOM	2048u

/* Most bytes in a record of a stack that the consumer unwinds. */
#define TBUF_STACK_ROOM	(8192u + 40u)

struct tbuf_d_piece {
	enum tbuf_d_piece_kind kind;
	uint32_t bytes;
	uint32_t argument;	/* operand of the instruction puta */
	const struct tbuf_d_shape *shape;
};

enum tbuf_d_action_kind {
	TBUF_ACTION_TRACE,	/* value */
	TBUF_ACTION_TRACEMEM,	/* bytes[, their number: value] */
	TBUF_ACTION_PRINT,	/* value, or address and bytes if `pointer` */
	TBUF_ACTION_PRINTF,	/* arguments of the format */
	TBUF_ACTION_PRINTA,	/* `aggregations`, with or without a format */
	TBUF_ACTION_SYSTEM,	/* like printf */
	TBUF_ACTION_FREOPEN,	/* like printf */
	TBUF_ACTION_FTRUNCATE,
	TBUF_ACTION_SETOPT,	/* name[, value]: texts */
	TBUF_ACTION_EXIT,	/* status */
	TBUF_ACTION_CLEAR,	/* `aggregations` */
	TBUF_ACTION_TRUNC,	/* `aggregations`[, number of keys] */
	TBUF_ACTION_NORMALIZE,	/* `aggregations`, factor */
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
	TBUF_ACTION_COMMIT,	/* id: the commit record of a batch */
	/*
	 * The only action of its record, which is not returned: the consumer
	 * aggregates it by the only one of `aggregations'.  Pieces: the keys
	 * (a stack is TBUF_PIECE_STACK), then value and weight if the
	 * function takes them.
	 */
	TBUF_ACTION_AGGREGATE,
	TBUF_ACTION_RECORD	/* all arguments that a probe can have */
};

struct tbuf_d_action {
	enum tbuf_d_action_kind kind;
	int pointer;		/* print() of the value pointed to */
	uint32_t first;		/* index of its first piece */
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
	 * Most bytes of the record: in a buffer, where a text takes its
	 * length, and as DTrace counts, where it takes strsize.
	 */
	uint32_t bytes;
	uint32_t charge;
};

/*
 * Addresses of programs are bytes: 8 for their image, which has their names
 * (tbuf_consumer_mapping()), then the addresses.  The shape's name is the D
 * function that recorded them: "ustack", "usym", "umod", "ufunc" or "uaddr".
 *
 * A frame's address is a return address, after a call.  With this bit it is the
 * address where the thread was, as in the first frame of a sample, or that of a
 * redirected place.
 */
#define TBUF_FRAME_EXACT	(UINT64_C(1) << 63)

/* ------------------------------------------------------------ clauses */

#define TBUF_D_NAMES_MAX		16
#define TBUF_CLASS_INTEGER	0x01u	/* signed, or narrower than 64 bits */
#define TBUF_CLASS_UNSIGNED	0x02u	/* 64 bits unsigned, or a pointer */
#define TBUF_CLASS_FLOAT	0x04u
#define TBUF_CLASS_TEXT		0x08u

/* The program of a clause for one choice of its names' classes. */
struct tbuf_d_program {
	const uint64_t *code;
	const void *constants;
	uint32_t length;		/* words */
	uint32_t constants_size;	/* bytes */
	/* The classes of each name that this program is for. */
	uint8_t classes[TBUF_D_NAMES_MAX];
};

/*
 * The place where an action begins in a program, for messages of faults; action
 * 0 is the predicate.
 */
struct tbuf_d_place {
	uint32_t at;		/* the instruction's index */
	uint32_t action;
	uint32_t part;		/* index in the clause's EPIDs */
};

/* tbuf_clause_code.flags */
#define TBUF_CLAUSE_DEFAULT	0x01u	/* no program: the default record */
#define TBUF_CLAUSE_DESTRUCTIVE	0x02u	/* it needs -w */
#define TBUF_CLAUSE_COPYIN	0x04u	/* it may read memory by system calls */
#define TBUF_CLAUSE_EXIT	0x08u	/* it has exit() */
#define TBUF_CLAUSE_VISIT	0x10u	/* it uses blocks, arrays or tables */
#define TBUF_CLAUSE_SPECULATE	0x20u	/* records go to a speculation */
#define TBUF_CLAUSE_ROOM	0x40u	/* the program reserves the room */
#define TBUF_CLAUSE_STACK	0x100u	/* it reads stacks by system calls */
#define TBUF_CLAUSE_FRAMES	0x200u	/* it needs frame pointers, though the
					   consumer is to unwind stacks */
#define TBUF_CLAUSE_CALLS	0x400u	/* it makes other system calls */

struct tbuf_d_clause {
	/* Each with four fields: "kv:::request-start". */
	const char *const *descriptions;
	uint32_t ndescriptions;
	uint32_t flags;
	/* The probe's arguments that the clause uses by name. */
	const char *const *names;
	uint32_t nnames;
	const struct tbuf_d_program *programs;
	uint32_t nprograms;
	/* `nplaces` for each program, one program after the other. */
	const struct tbuf_d_place *places;
	uint32_t nplaces;
	const struct tbuf_d_record *records;
	uint32_t nrecords;
	int line;
};

/* ------------------------------------------------------------ data */

/* A variable; its scope is enum tbuf_scope of the machine. */
struct tbuf_d_variable {
	const char *name;
	uint32_t scope;
	uint32_t id;			/* number within its scope */
	const struct tbuf_d_shape *shape;
	const struct tbuf_d_piece *keys;	/* pieces of an array's key */
	uint32_t nkeys;
	int is_written;			/* 0: it always reads as 0 */
};

/* An aggregation; its function is enum tbuf_aggregator of the machine. */
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
	int is_signed;			/* the values are signed */
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
