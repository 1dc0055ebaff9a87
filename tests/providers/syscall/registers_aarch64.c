/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A system call of a program's own in code that uses all registers and flags:
 * only x0 may be different afterwards.  The number is known in one call, and
 * unknown in the other.
 */
#include <sys/syscall.h>

#include <unistd.h>

#include "aarch64/registers.h"

#define NUMBER_AT	8u

void	known(const uint64_t *, uint64_t *);
void	in_register(const uint64_t *, uint64_t *);

FUNCTION("known", "mov x8, #173\n\tsvc #0\n\t");
FUNCTION("in_register", "svc #0\n\t");

static void
look(const char *name, void (*function)(const uint64_t *, uint64_t *))
{
	uint64_t from[NREGISTERS], to[NREGISTERS];

	fill_registers(from);
	from[NUMBER_AT] = SYS_getppid;
	function(from, to);
	if (to[0] != (uint64_t)getppid())
		errx(1, "%s: another result: %#" PRIx64, name, to[0]);
	compare_registers(name, from, to, 1);
}

int
main(void)
{
	int i;

	_Static_assert(SYS_getppid == 173, "the assembly has this number");
	for (i = 0; i < 1000; i++) {
		look("known", known);
		look("in a register", in_register);
	}
	return (0);
}
