/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A machine with memory of its own, a program that is written word by word, and
 * surroundings that log each request.
 */
#ifndef TESTS_UNIT_MACHINE_FIXTURE_H
#define TESTS_UNIT_MACHINE_FIXTURE_H

#include <check.h>

#include "lib/check_main.h"
#include "machine/machine.h"
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

	/* The machine's memory; an inaccessible page follows each part. */
	uint8_t *pages;

	/* Variables of the surroundings. */
	uint64_t numbers[FIXTURE_VARIABLES];
	char texts[FIXTURE_VARIABLES][FIXTURE_STRSIZE + 1];
	bool set[FIXTURE_VARIABLES];
	uint8_t array[16];	/* the object of global variable 3 */
	int answer;		/* result of effects */
	bool resumes;		/* after a part that has stopped */

	/* Requests, one line each. */
	char log[2048];
};

void	fixture_begin(struct fixture *);
void	fixture_end(struct fixture *);
/* Forgets the program and its log, not the memory. */
void	fixture_clear(struct fixture *);

/* Appends an instruction.  Returns its index. */
unsigned op(struct fixture *, unsigned operation, unsigned a, unsigned b,
	    unsigned c, uint64_t immediate);
/* Sets a register to any number. */
void	number(struct fixture *, unsigned a, uint64_t value);
/* Sets a register to the address of a constant string, or to 0 for NULL. */
void	text(struct fixture *, unsigned a, const char *);

/* Appends `ret a` and runs; the program must reach it.  Returns the value. */
uint64_t returns(struct fixture *, unsigned a);
/* The program must raise this fault with this address. */
void	faults(struct fixture *, unsigned fault, uint64_t address);
/* Returns the string at an address, NULL for 0; valid until the next call. */
const char *text_at(struct fixture *, uint64_t address);

/* Calls a subroutine with numbers or addresses.  Returns its result. */
uint64_t call(struct fixture *, unsigned subroutine, unsigned count, ...);
/* Calls a subroutine with strings ('s') and numbers ('n') as in the pattern. */
uint64_t call_with(struct fixture *, unsigned subroutine,
	    const char *pattern, ...);
const char *text_of(struct fixture *, unsigned subroutine,
	    const char *pattern, ...);
void	call_faults(struct fixture *, unsigned fault, uint64_t address,
	    unsigned subroutine, const char *pattern, ...);

#endif
