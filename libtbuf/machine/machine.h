/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The machine that D programs run on, in a target at a fire and in a consumer
 * for BEGIN, END, ERROR, tick and profile.  doc/machine.md explains it.
 *
 * Every instruction is total: its word is loaded once, every operation is
 * defined for every operand, and no register holds a pointer that is followed.
 * So programs, constants and variables may lie in memory that others change
 * while it runs: then it computes nonsense, and no more.  It allocates nothing,
 * calls no function of others, and is done after as many steps as the program
 * has words and as much work on texts as there is fuel.
 */
#ifndef TBUF_MACHINE_MACHINE_H
#define TBUF_MACHINE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/code.h"

/* Bytes of work on texts in one run, in a target. */
#define TBUF_FUEL		65536

/* What the surroundings answer, beside faults: the clause ends silently. */
#define TBUF_STOP		(-1)

/* strtok has not been given a text. */
#define TBUF_TOKEN_NONE		UINT32_MAX

struct tbuf_machine;

/* Memory: for reading, and for writing if it says so. */
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

/* What `upd` hands over; the key is in the machine. */
struct tbuf_update {
	uint64_t value;
	uint64_t weight;
	uint64_t parameter;	/* of lquantize and llquantize */
	uint32_t aggregation;
	enum tbuf_aggregator function;
};

/*
 * The surroundings: what a target and a consumer do each in their own way.
 * Each answers with 0, a fault or TBUF_STOP, and must be prepared for any
 * number.  One that is NULL is an illegal operation.  A fault's address is
 * tbuf_machine.fault.address, which is 0 before the call.
 */
struct tbuf_surroundings {
	/* A built-in variable: a number, or the address of a text. */
	int (*builtin)(struct tbuf_machine *, unsigned which,
	    uint64_t *value);
	/* The whole object behind an address, from TBUF_OBJECT_GLOBAL on. */
	int (*object)(struct tbuf_machine *, unsigned kind, uint32_t index,
	    struct tbuf_span *);

	/* Store to an object of which it says that it is not writable. */
	int (*write)(struct tbuf_machine *, uint64_t address,
	    const uint8_t *from, uint64_t size);

	/* Variables.  Of an array the element of tbuf_machine.key. */
	int (*load)(struct tbuf_machine *, enum tbuf_scope, uint32_t id,
	    uint64_t *value);
	int (*store)(struct tbuf_machine *, enum tbuf_scope, uint32_t id,
	    uint64_t value);
	/* The address of a text, structure or array; 0: it is unset. */
	int (*refer)(struct tbuf_machine *, enum tbuf_scope, uint32_t id,
	    uint64_t *address);
	/* A text without NUL, or bytes; NULL: to be unset. */
	int (*store_text)(struct tbuf_machine *, enum tbuf_scope, uint32_t id,
	    const uint8_t *bytes, uint32_t size);
	int (*store_bytes)(struct tbuf_machine *, enum tbuf_scope,
	    uint32_t id, const uint8_t *bytes, uint32_t size);

	/* Memory that is not D's own. */
	int (*copyin)(struct tbuf_machine *, uint64_t address, uint8_t *to,
	    uint64_t size);
	int (*copyout)(struct tbuf_machine *, uint64_t address,
	    const uint8_t *from, uint64_t size);

	/*
	 * A stack as layout/raw_stack.h has it, of addresses of an image: at most
	 * *size bytes, which it sets.
	 */
	int (*stack)(struct tbuf_machine *, uint64_t image, uint8_t *to,
	    uint32_t *size);

	/* Effects.  The record, without a header, is tbuf_machine.record. */
	int (*room)(struct tbuf_machine *, uint32_t record);
	int (*emit)(struct tbuf_machine *, uint32_t record);
	int (*update)(struct tbuf_machine *, const struct tbuf_update *);
	int (*exit)(struct tbuf_machine *, uint64_t status);
	int (*speculation)(struct tbuf_machine *, uint64_t *id);
	int (*speculate)(struct tbuf_machine *, uint64_t id);
	int (*commit)(struct tbuf_machine *, uint64_t id);
	int (*discard)(struct tbuf_machine *, uint64_t id);

	/* May the run go on behind a part that has stopped? */
	bool (*resume)(struct tbuf_machine *);

	/* Subroutines from TBUF_SUB_OUTSIDE on. */
	int (*call)(struct tbuf_machine *, unsigned subroutine,
	    const uint64_t arguments[TBUF_CALL_ARGUMENTS], unsigned count,
	    uint64_t *result);
};

struct tbuf_machine {
	uint64_t registers[TBUF_REGISTERS];

	/* The program.  No more than `length` words are run. */
	const uint64_t *code;
	const uint8_t *constants;
	uint32_t length;
	uint32_t constants_size;

	/* The probe. */
	const uint64_t *values;		/* its arguments, as a site has them */
	const uint8_t *types;		/* enum tbuf_type */
	uint64_t binding;		/* 4 bits a name: its argument */
	uint32_t nargs;
	uint32_t strsize;		/* characters of a text at most */

	const struct tbuf_surroundings *surroundings;

	/* Memory that the surroundings lend; all may be empty. */
	struct tbuf_buffer scratch;
	struct tbuf_buffer temporary;
	struct tbuf_buffer key;
	struct tbuf_buffer record;
	struct tbuf_buffer token;	/* strtok's text */
	uint32_t token_at;		/* it goes on here; TBUF_TOKEN_NONE */
	uint32_t key_size;		/* the key's, as declared: see KEY */
	uint32_t aside;			/* behind so many bytes - 1 of another
					   record a second one; 0: none */

	uint64_t fuel;
	uint64_t part;			/* where the part ends; 0: in none */

	/* What came of it. */
	uint64_t value;			/* of `ret` */
	struct {
		uint64_t address;	/* or size, or index */
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
 * Run the program from its start.  Registers are 0, key, record and
 * temporaries empty then; scratch and the text of strtok are as they were
 * left.
 */
enum tbuf_end tbuf_machine_run(struct tbuf_machine *);

/*
 * Would the program end at once, because of the comparisons of arguments that
 * it begins with?  Looks at code, length, values, nargs and binding alone, so
 * that the rest need not be there where most predicates are false.
 */
bool	tbuf_machine_idle(const struct tbuf_machine *);

/* ------------------------------------------------------------ tools */

/*
 * One line for an instruction, as "add r1, r2, r3", cut at `size`; `at` is its
 * index, which jumps are told by.  Returns the line's length.
 */
size_t	tbuf_machine_print(uint64_t word, uint32_t at, char *line,
	    size_t size);

/* The words of messages; NULL if there is no such fault. */
const char *tbuf_fault_name(unsigned fault);

/* What a program may use, for the verifier. */
struct tbuf_program {
	const uint64_t *code;
	const uint8_t *constants;
	uint32_t length;
	uint32_t constants_size;
	uint32_t length_max;	/* TBUF_TARGET_WORDS or TBUF_CONSUMER_WORDS */
	uint32_t names;		/* of the clause that are bound, at most 16 */
	uint32_t records;	/* of the clause */
	uint32_t aggregations;
	uint32_t variables[TBUF_SCOPES];	/* ids of each scope */
};

/*
 * Is it what the compiler must make?  NULL, or what is wrong, and where.  One
 * that passes raises no `illegal operation` but by a value, such as a base of
 * strtoll(), or by what its surroundings do not know.
 */
const char *tbuf_program_check(const struct tbuf_program *, uint32_t *at);

#endif
