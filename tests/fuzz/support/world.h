/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The surroundings of a machine: they answer every request, from memory of
 * exactly the size requested.
 */
#ifndef FUZZ_WORLD_H
#define FUZZ_WORLD_H

#include "machine/machine.h"
#include "tbuf.h"

#define WORLD_VARIABLES	4
#define WORLD_TEXT	48	/* characters of a variable's text */
#define WORLD_MEMORY	64	/* the program's own, from WORLD_ADDRESS on */
#define WORLD_ADDRESS	4096
#define WORLD_NAMES	16
#define WORLD_RECORDS	4

struct world {
	struct tbuf_machine m;
	uint64_t numbers[WORLD_VARIABLES];
	uint8_t *texts[WORLD_VARIABLES];
	uint8_t *memory;
	unsigned effects;	/* requests so far */
	unsigned patience;	/* requests until one ends the clause */
};

void	world_begin(struct world *, uint32_t strsize);
void	world_end(struct world *);
/* Sets every register to a number, so that all may be read. */
unsigned world_prologue(uint64_t code[TBUF_REGISTERS]);
/* Returns the nearest word that the verifier accepts before `left` words. */
uint64_t world_tame(uint64_t word, uint32_t left, uint32_t constants);
bool	world_accepts(const struct world *);
/* True if values decide whether the word is an illegal operation. */
bool	world_may_refuse(uint64_t word);

#endif
