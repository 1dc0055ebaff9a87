/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Execution of single instructions in an otherwise empty process: it has pages
 * of code for them, some data, and a stack.  Registers and memory at the start
 * depend on a seed only.
 */
#ifndef FUZZ_STEPPED_H
#define FUZZ_STEPPED_H

#include <sys/types.h>
#include <sys/user.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STEPPED_PAGE	UINT64_C(4096)

/* Places of the code pages: this address, and others at these distances. */
#define STEPPED_TEXT	UINT64_C(0x200092345000)
#define STEPPED_GIB	(UINT64_C(1) << 30)

/* Result.  Pages: two of data after the code, one before it, a stack. */
struct stepped {
	struct user_regs_struct registers;
	uint8_t vectors[16384];		/* in the kernel's layout */
	size_t nvectors_bytes;
	int signal, code;		/* SIGTRAP: executed without a fault */
	uint64_t fault;			/* address of the fault */
	uint8_t memory[4][STEPPED_PAGE];
};

/* Starts the process.  Returns false if a child cannot be traced. */
bool	stepped_begin(void);

/* Returns writable memory for an address of a code page. */
uint8_t	*stepped_text(uint64_t address);

/*
 * Executes the code at `at` until it leaves [at, at + size), returns to its
 * beginning, or faults.
 */
void	stepped_run(uint64_t at, size_t size, uint64_t seed, struct stepped *);

#endif
