/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Clauses: their programs, the binding of these to a probe, and their records.
 */
#ifndef TBUF_LAYOUT_CLAUSE_H
#define TBUF_LAYOUT_CLAUSE_H

#include "layout/common.h"

/*
 * An ECB's program and record layout, in a table beside that of the ECBs.  A
 * clause names arguments of the probe; the side that matches the probe binds
 * each name to an argument.
 */
struct tbuf_clause {
	uint32_t program;	/* (i) offset in programs, in units of 8; 0:
				   none */
	uint32_t text;		/* (i) offset in texts, in units of 8; 0: the
				   probe's arguments */
	uint64_t binding;	/* (i) 4 bits for each name: its argument */
};

/* A program in slot.programs; its words follow, then its constants. */
struct tbuf_program_head {
	uint32_t length;	/* (i) words */
	uint32_t constants_size; /* (i) bytes */
	uint32_t flags;		/* (i) TBUF_PROGRAM_* */
	uint32_t reserved;
};

#define TBUF_PROGRAM_MEMORY	0x1u	/* it needs more than a small stack */
#define TBUF_PROGRAM_CALLS	0x2u	/* it may make system calls */

/*
 * slot.codes: the description of the clauses that matching a probe needs.
 * Offsets count from its start.  A timestamp is base.mono + (ticks since
 * base.ticks) * multiplier; the multiplier is constant in a session.
 */
struct tbuf_codes {
	uint32_t nenablings;	/* (i) number of patterns */
	uint32_t enablings;	/* (i) offset of struct tbuf_code[] */
	uint32_t nglobals;	/* (i) ids of global variables */
	uint32_t globals;	/* (i) offset of struct tbuf_code_variable[] */
	uint32_t nlocals;	/* (i) ids of this-> variables */
	uint32_t locals;	/* (i) offset, as globals */
	uint32_t locals_size;	/* (i) bytes that they take */
	uint32_t values;	/* (i) offset of initial values of globals */
	struct tbuf_moment base; /* (c) */
	uint64_t multiplier;	/* (i) ns a tick, 32 bits of it a fraction */
	uint32_t nthreads;	/* (i) ids of self-> variables */
	uint32_t threads;	/* (i) offset, as globals */
	uint32_t block;		/* (i) bytes of a struct tbuf_block */
	uint32_t narrays;	/* (i) ids of arrays */
	uint32_t arrays;	/* (i) offset, as globals; each `at` is 0 */
	uint32_t nthread_arrays; /* (i) ids of self-> arrays */
	uint32_t thread_arrays;	/* (i) offset, as arrays */
	uint32_t element;	/* (i) bytes of an element's body */
	uint32_t elements;	/* (i) offset of initial elements */
	uint32_t elements_size;	/* (i) bytes of these */
};

/* An initial element of an array, followed by its body. */
struct tbuf_code_element {
	uint64_t value;
	uint32_t size;		/* (i) bytes of the body */
	uint32_t bytes;		/* (i) of its value; 0: it is a number */
};

/* An enabling's clause; without a program its records are default ones. */
struct tbuf_code {
	uint16_t nprograms;	/* (i) one for each choice of classes */
	uint16_t nrecords;	/* (i) */
	uint16_t nnames;	/* (i) at most TBUF_NAMES_MAX */
	uint16_t reserved;
	uint32_t names;		/* (i) offset: texts, one after the other */
	uint32_t programs;	/* (i) offset of struct tbuf_code_program[] */
	uint32_t texts;		/* (i) offset of each record's `text` */
};

struct tbuf_code_program {
	uint32_t program;	/* (i) as in a clause */
	uint8_t classes[16];	/* (i) classes that it accepts for each name */
};

/*
 * The place of a variable: a number, or a word that says whether it is set,
 * followed by its bytes.
 */
struct tbuf_code_variable {
	uint32_t at;		/* (i) offset in globals or locals */
	uint32_t size;		/* (i) bytes after the word; 0: a number */
	uint32_t text;		/* (i) 1: a text, initially unset */
	uint32_t known;		/* (i) 0: no variable has this id */
};

/* The data of a record that reports a fault. */
struct tbuf_fault_record {
	uint32_t epid;		/* of the clause's first record */
	uint32_t at;		/* the instruction's index */
	uint32_t fault;		/* enum tbuf_fault of the machine */
	uint32_t reserved;
	uint64_t address;
};

/*
 * The layout of a clause's record, in slot.texts: pieces, in the order in which
 * they are in the record's data.
 */
struct tbuf_text_record {
	uint32_t size;		/* (i) bytes with this header */
	uint16_t npieces;	/* (i) at most TBUF_PIECES_MAX */
	uint16_t record;	/* (i) its index in the clause's records */
	/* struct tbuf_piece[npieces] (i) */
};

/*
 * A piece of a record, stored like an argument of its type.  A piece that has
 * the type of a name's argument takes 8 bytes for any width of the argument:
 * an integer is sign- or zero-extended by its type, a float is in the low
 * half.  An array is the bytes of its elements, at the alignment of one
 * element.
 */
struct tbuf_piece {
	uint8_t type;		/* (i) enum tbuf_type; TBUF_NONE: the name's */
	uint8_t name;		/* (i) a name of the clause; from TBUF_NAMES_MAX
				   on an argument of the probe */
	uint16_t count;		/* (i) elements of an array; 0: no array */
	uint32_t address_kind;	/* (i) enum tbuf_recorded_address;
				   TBUF_ADDRESS_RAW has in the high half the
				   words that frames take */
};

/*
 * The D function by which a script recorded addresses of a program.  Their
 * bytes begin with the 8 of the program's exec image.
 */
enum tbuf_recorded_address {
	TBUF_ADDRESS_NONE,
	TBUF_ADDRESS_USTACK,
	TBUF_ADDRESS_USYM,
	TBUF_ADDRESS_UMOD,
	TBUF_ADDRESS_UFUNC,
	TBUF_ADDRESS_UADDR,
	TBUF_ADDRESS_RAW,	/* a copied stack, which consumers unwind */
	TBUF_ADDRESS_END
};

#define TBUF_ADDRESS_BYTES_SHIFT	16

#define TBUF_PIECES_MAX	256
#define TBUF_NAMES_MAX	16

_Static_assert(sizeof(struct tbuf_clause) == 16, "tbuf_clause");
_Static_assert(sizeof(struct tbuf_program_head) == 16, "tbuf_program_head");
_Static_assert(sizeof(struct tbuf_codes) == 104, "tbuf_codes");
_Static_assert(sizeof(struct tbuf_code_element) == 16, "tbuf_code_element");
_Static_assert(sizeof(struct tbuf_code) == 20, "tbuf_code");
_Static_assert(sizeof(struct tbuf_code_program) == 20, "tbuf_code_program");
_Static_assert(sizeof(struct tbuf_code_variable) == 16, "tbuf_code_variable");
_Static_assert(sizeof(struct tbuf_fault_record) == 24, "tbuf_fault_record");
_Static_assert(sizeof(struct tbuf_text_record) == 8, "tbuf_text_record");
_Static_assert(sizeof(struct tbuf_piece) == 8, "tbuf_piece");

#endif
