/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A function with SITES USDT probes, bench:FILE:site, as in systemtap's header.
 * The bytes after each site are like those of real programs, from a random
 * generator, so that the stubs are far apart.
 */
#define SCATTERED(n)	SCATTERED_(n)
#define SCATTERED_(n)	#n

void	sites(void);

__asm__(".text\n"
    ".globl sites\n"
    ".type sites, @function\n"
    "sites:\n"
    "	.cfi_startproc\n"
    "	.set any, 1\n"
    "	.rept " SCATTERED(SITES) "\n"
    "	.set any, (any * 1103515245 + 12345) & 0x7fffffff\n"
    "990:	nop\n"
    "	.byte 0xb8\n"			/* mov $any,%eax */
    "	.long any >> 7\n"
    "	.pushsection .note.stapsdt,\"\",\"note\"\n"
    "	.balign 4\n"
    "	.4byte 8, 992f-991f, 3\n"
    "	.asciz \"stapsdt\"\n"
    "991:	.8byte 990b, 0, 0\n"
    "	.asciz \"bench\"\n	.asciz \"site\"\n	.asciz \"\"\n"
    "992:	.balign 4\n"
    "	.popsection\n"
    "	.endr\n"
    "	ret\n"
    "	.cfi_endproc\n"
    "	.size sites, . - sites\n");
