/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A machine with memory of its own, a program that is written word by word,
 * and surroundings that write down what they are asked for.
 */
#ifndef TESTS_UNIT_MACHINE_FIXTURE_H
#define TESTS_UNIT_MACHINE_FIXTURE_H

#include <check.h>

#include "machine/machine.h"
#include "lib/check_main.h"
#include "tbuf.h"

#define FIXTURE_STRSIZE		32
#define FIXTURE_SCRATCH		64
#define FIXTURE_VARIABLES	4

struct fixture {
	struct tbuf_machine m;
	uint64_t code[256];
	char constants[512];
	uint64_t values[10];
	uint8_t types[10];

	/* Lent to the machine; each ends where memory may not be touched. */
	uint8_t *pages;

	/* The surroundings' memory. */
	uint64_t numbers[FIXTURE_VARIABLES];
	char texts[FIXTURE_VARIABLES][FIXTURE_STRSIZE + 1];
	bool set[FIXTURE_VARIABLES];
	uint8_t array[16];	/* the object of global variable 3 */
	int answer;		/* of effects */
	bool resumes;		/* behind a part that has stopped */

	/* What was asked for, a line each. */
	char log[2048];
};

void	fixture_begin(struct fixture *);
void	fixture_end(struct fixture *);
/* Forget the program and what it did, not the memory. */
void	fixture_clear(struct fixture *);

/* Append an instruction; its index. */
unsigned op(struct fixture *, unsigned operation, unsigned a, unsigned b,
	    unsigned c, uint64_t immediate);
/* Set a register to any number. */
void	number(struct fixture *, unsigned a, uint64_t value);
/* Set a register to the address of a constant text; NULL: to 0. */
void	text(struct fixture *, unsigned a, const char *);

/* Append `ret a` and run; the machine must come to it. */
uint64_t returns(struct fixture *, unsigned a);
/* The program must raise this fault with this address. */
void	faults(struct fixture *, unsigned fault, uint64_t address);
/* The text at an address, NULL for 0; until the next call. */
const char *text_at(struct fixture *, uint64_t address);

/* Call a subroutine with numbers or addresses; what it returns. */
uint64_t call(struct fixture *, unsigned subroutine, unsigned count, ...);
/* The same with texts and numbers by a pattern of 's' and 'n'. */
uint64_t call_with(struct fixture *, unsigned subroutine,
	    const char *pattern, ...);
const char *text_of(struct fixture *, unsigned subroutine,
	    const char *pattern, ...);
void	call_faults(struct fixture *, unsigned fault, uint64_t address,
	    unsigned subroutine, const char *pattern, ...);

#endif
