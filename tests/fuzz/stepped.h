/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Single instructions, executed in a process that has nothing else: pages of
 * text to put them on, some data, and a stack.  Each starts with registers and
 * memory that a seed decides.
 */
#ifndef FUZZ_STEPPED_H
#define FUZZ_STEPPED_H

#include <sys/types.h>
#include <sys/user.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STEPPED_PAGE	UINT64_C(4096)

/* Pages of text are here, and at these distances. */
#define STEPPED_TEXT	UINT64_C(0x200092345000)
#define STEPPED_GIB	(UINT64_C(1) << 30)

/* What it came to.  Pages: two of data behind the text, one before, a stack. */
struct stepped {
	struct user_regs_struct registers;
	uint8_t vectors[16384];		/* as the kernel lays them out */
	size_t nvectors_bytes;
	int signal, code;		/* SIGTRAP: it has been executed */
	uint64_t fault;			/* the address that it is about */
	uint8_t memory[4][STEPPED_PAGE];
};

/* False where a process may not trace its child; nothing can be run then. */
bool	stepped_begin(void);

/* Text at an address of one of these pages, to be written to. */
uint8_t	*stepped_text(uint64_t address);

/*
 * Execute what stands at `at` until it leaves [at, at + size), or is back at
 * its beginning, or faults.
 */
void	stepped_run(uint64_t at, size_t size, uint64_t seed, struct stepped *);

#endif
