/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The steps of BIND and FINISH of rseq_unit.h for aarch64; KEEP is in
 * generic/rseq_unit.h.  The barriers are placed as in PUBLISH.
 */
#define TBUF_SECTION_BIND						\
	"ldr x3, [%[entry]]\n\t"					\
	"cmp x3, %[old]\n\t"						\
	"b.ne %l[changed]\n\t"						\
	"dmb ishst\n\t"							\
	"str xzr, [%[entry], #" TBUF_O(Y_HEAD) "]\n\t"			\
	"str %[began], [%[entry], #" TBUF_O(Y_BEGAN) "]\n\t"		\
	"str %[id], [%[entry], #" TBUF_O(Y_ID) "]\n\t"			\
	"str %[kind], [%[entry], #" TBUF_O(Y_KIND) "]\n\t"		\
	TBUF_DELAY(4)							\
	"str %[thread], [%[entry], #" TBUF_O(Y_THREAD) "]\n\t"		\
	"mov x3, #1\n\t"						\
	"str x3, [%[entry], #" TBUF_O(Y_INSIDE) "]\n\t"			\
	TBUF_DELAY(5)							\
	"stlr %[new], [%[entry]]\n\t" /* commit */			\
	"2:\n\t"

#define TBUF_SECTION_FINISH						\
	"ldr x3, [%[units], #" TBUF_O(Y_RULE) "]\n\t"			\
	"cmp x3, %[guess]\n\t"						\
	"b.ne %l[changed]\n\t"						\
	"ldr x3, [%[units], #" TBUF_O(Y_SLOW) "]\n\t"			\
	"sub x3, x3, #1\n\t"						\
	"cmp x3, %[ticks]\n\t"						\
	"b.lo %l[changed]\n\t"						\
	"ldr x3, [%[entry]]\n\t"					\
	"cmp x3, %[old]\n\t"						\
	"b.ne %l[changed]\n\t"						\
	"ldr x3, [%[entry], #" TBUF_O(Y_HEAD) "]\n\t"			\
	"lsr x3, x3, #24\n\t"						\
	"lsr x4, x3, #24\n\t"						\
	"cbnz x4, %l[changed]\n\t"					\
	"add x4, x3, %[discarded]\n\t"					\
	"dmb ishst\n\t"							\
	"str %[ticks_sum], [%[ticks_at]]\n\t"				\
	"str %[kept], [%[to]]\n\t"					\
	TBUF_DELAY(4)							\
	"str x4, [%[to], #8]\n\t"					\
	"str x4, [%[sum]]\n\t"						\
	TBUF_DELAY(5)							\
	"stlr %[new], [%[entry]]\n\t" /* commit */			\
	"2:\n\t"
