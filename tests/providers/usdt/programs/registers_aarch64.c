/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A USDT probe in code that uses all registers: none may change, even while it
 * is traced.  Some registers are its arguments.
 */
#include "aarch64/registers.h"

#define TIMES	1000

void	probed(const uint64_t *, uint64_t *);

/* At the probe sp is 448 bytes below; [sp, 256] is the argument `to'. */
FUNCTION("probed",
    "990:	nop\n\t"
    ".pushsection .note.stapsdt,\"\",\"note\"\n\t"
    ".balign 4\n\t"
    ".4byte 8, 992f-991f, 3\n\t"
    ".asciz \"stapsdt\"\n"
    "991:	.8byte 990b, 0, 0\n\t"
    ".asciz \"registers\"\n\t"
    ".asciz \"all\"\n\t"
    ".asciz \"8@x0 8@x15 8@x16 8@x17 8@x28 8@x29 8@x30 -4@w9 8@sp "
    "8@[sp, 256]\"\n"
    "992:	.balign 4\n\t"
    ".popsection\n\t");

int
main(void)
{
	uint64_t from[NREGISTERS], to[NREGISTERS];
	int i;

	fill_registers(from);
	for (i = 0; i < TIMES; i++) {
		memset(to, 0, sizeof(to));
		probed(from, to);
		compare_registers("probed", from, to, 0);
	}
	return (0);
}
