/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The machine that D programs run on, in a target at a fire and in a consumer
 * for BEGIN, END, ERROR, tick and profile.  doc/machine.md explains it.
 *
 * Every instruction is total: its word is loaded once, every operation is
 * defined for every operand, and no register holds a pointer that is followed.
 * Programs, constants and variables may therefore be in memory that other
 * processes change while it runs: it then computes nonsense, and does no other
 * harm.  It allocates nothing, calls no function of other libraries, and ends
 * after at most as many steps as the program has words, and as much work on
 * texts as there is fuel.
 */
#ifndef TBUF_MACHINE_MACHINE_H
#define TBUF_MACHINE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/code.h"

/* Bytes of work on texts in one program, in a target. */
#define TBUF_FUEL		65536

/* An answer of the surroundings, beside faults: the clause ends silently. */
#define TBUF_STOP		(-1)

/* token_at: strtok has no text yet. */
#define TBUF_TOKEN_NONE		UINT32_MAX

struct tbuf_machine;

/* Memory that may be read, and written if it is writable. */
struct tbuf_span {
	uint8_t *at;
	uint64_t size;
	bool writable;
};

/* Memory that fills up; at most 1 GiB. */
struct tbuf_buffer {
	uint8_t *bytes;
	uint32_t room;
	uint32_t used;		/* at most room */
};

/* The operands of `upd`; the key is in the machine. */
struct tbuf_update {
	uint64_t value;
	uint64_t weight;
	uint64_t parameter;	/* for lquantize and llquantize */
	uint32_t aggregation;
	enum tbuf_aggregator function;
};

/*
 * The surroundings: functions that target and consumer implement differently.
 * Each returns 0, a fault or TBUF_STOP, and must accept any number as an
 * argument.  A function that is NULL is an illegal operation.  A fault's
 * address is tbuf_machine.fault.address, which is 0 before the call.
 */
struct tbuf_surroundings {
	/* Loads a built-in variable: a number, or the address of a text. */
	int (*builtin)(struct tbuf_machine *, unsigned which,
	    uint64_t *value);
	/* Returns the whole object of a kind from TBUF_OBJECT_GLOBAL on. */
	int (*object)(struct tbuf_machine *, unsigned kind, uint32_t index,
	    struct tbuf_span *);

	/* Stores to an object that `object` has returned as not writable. */
	int (*write)(struct tbuf_machine *, uint64_t address,
	    const uint8_t *from, uint64_t size);

	/* Variables; of an array, the element with tbuf_machine.key. */
	int (*load)(struct tbuf_machine *, enum tbuf_scope, uint32_t id,
	    uint64_t *value);
	int (*store)(struct tbuf_machine *, enum tbuf_scope, uint32_t id,
	    uint64_t value);
	/* Gets the address of a text, structure or array; 0: it is unset. */
	int (*refer)(struct tbuf_machine *, enum tbuf_scope, uint32_t id,
	    uint64_t *address);
	/* Store a text without NUL, or bytes; NULL unsets the variable. */
	int (*store_text)(struct tbuf_machine *, enum tbuf_scope, uint32_t id,
	    const uint8_t *bytes, uint32_t size);
	int (*store_bytes)(struct tbuf_machine *, enum tbuf_scope,
	    uint32_t id, const uint8_t *bytes, uint32_t size);

	/* Copy from and to memory that is not D's own. */
	int (*copyin)(struct tbuf_machine *, uint64_t address, uint8_t *to,
	    uint64_t size);
	int (*copyout)(struct tbuf_machine *, uint64_t address,
	    const uint8_t *from, uint64_t size);

	/*
	 * Stores a stack (layout/raw_stack.h) with addresses of an image: at
	 * most *size bytes; *size becomes the number of bytes.
	 */
	int (*stack)(struct tbuf_machine *, uint64_t image, uint8_t *to,
	    uint32_t *size);

	/* Effects.  The record, without a header, is tbuf_machine.record. */
	int (*room)(struct tbuf_machine *, uint32_t record);
	int (*emit)(struct tbuf_machine *, uint32_t record);
	int (*update)(struct tbuf_machine *, const struct tbuf_update *);
	int (*exit)(struct tbuf_machine *, uint64_t status);
	int (*snapshot)(struct tbuf_machine *);
	int (*speculation)(struct tbuf_machine *, uint64_t *id);
	int (*speculate)(struct tbuf_machine *, uint64_t id);
	int (*commit)(struct tbuf_machine *, uint64_t id);
	int (*discard)(struct tbuf_machine *, uint64_t id);

	/*
	 * Returns true if the program may go on after a part that has stopped.
	 */
	bool (*resume)(struct tbuf_machine *);

	/* Calls a subroutine from TBUF_SUB_OUTSIDE on. */
	int (*call)(struct tbuf_machine *, unsigned subroutine,
	    const uint64_t arguments[TBUF_CALL_ARGUMENTS], unsigned count,
	    uint64_t *result);
};

struct tbuf_machine {
	uint64_t registers[TBUF_REGISTERS];

	/* The program.  At most `length` words are run. */
	const uint64_t *code;
	const uint8_t *constants;
	uint32_t length;
	uint32_t constants_size;

	/* The probe. */
	const uint64_t *values;		/* arguments, as a site has them */
	const uint8_t *types;		/* enum tbuf_type */
	uint64_t binding;		/* 4 bits a name: its argument */
	uint32_t nargs;
	uint32_t strsize;		/* most characters of a text */

	const struct tbuf_surroundings *surroundings;

	/* Memory of the surroundings; each buffer may be empty. */
	struct tbuf_buffer scratch;
	struct tbuf_buffer temporary;
	struct tbuf_buffer key;
	struct tbuf_buffer record;
	struct tbuf_buffer token;	/* strtok's text */
	uint32_t token_at;		/* next place, or TBUF_TOKEN_NONE */
	uint32_t key_size;		/* declared bytes of the key: see KEY */
	uint32_t aside;			/* bytes of the first record + 1 while a
					   second follows it; 0: none does */

	uint64_t fuel;
	uint64_t part;			/* where the part ends; 0: none */

	/* Results. */
	uint64_t value;			/* operand of `ret` */
	struct {
		uint64_t address;	/* address, size or index */
		uint32_t number;	/* enum tbuf_fault */
		uint32_t at;		/* the instruction's index */
	} fault;
};

enum tbuf_end {
	TBUF_END_DONE,
	TBUF_END_FAULT,
	TBUF_END_STOPPED	/* the surroundings ended it */
};

/*
 * Runs the program from its start.  Registers are 0 then, and key, record and
 * temporaries empty; scratch and the text of strtok are as the last run left
 * them.
 */
enum tbuf_end tbuf_machine_run(struct tbuf_machine *);

/*
 * Returns true if the program would end at once, because of the comparisons of
 * arguments that it begins with.  Uses code, length, values, nargs and binding
 * only, so that the rest need not be set while most predicates are false.
 */
bool	tbuf_machine_idle(const struct tbuf_machine *);

/* ------------------------------------------------------------ tools */

/*
 * Prints an instruction as a line, such as "add r1, r2, r3", cut at `size`.
 * `at` is its index, from which the destination of a jump is computed.  Returns
 * the line's length.
 */
size_t	tbuf_machine_print(uint64_t word, uint32_t at, char *line,
	    size_t size);

/* Returns the name of a fault for messages, NULL if there is no such fault. */
const char *tbuf_fault_name(unsigned fault);

/* A program and the limits that the verifier checks. */
struct tbuf_program {
	const uint64_t *code;
	const uint8_t *constants;
	uint32_t length;
	uint32_t constants_size;
	uint32_t length_max;	/* TBUF_TARGET_WORDS, or TBUF_CONSUMER_WORDS */
	uint32_t names;		/* bound names of the clause, at most 16 */
	uint32_t records;	/* records of the clause */
	uint32_t aggregations;
	uint32_t variables[TBUF_SCOPES];	/* ids of each scope */
};

/*
 * Verifies a program.  Returns NULL, or a message; *at becomes its place.  A
 * program that passes raises `illegal operation` only by a value, such as a
 * base of strtoll(), or by an operation that its surroundings do not have.
 */
const char *tbuf_program_check(const struct tbuf_program *, uint32_t *at);

#endif
