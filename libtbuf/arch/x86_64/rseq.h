/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The steps of the sections of rseq.h for x86-64.  Stores become
 * visible in program order, so release needs no instruction of its own.
 *
 * Registers: %[m] is the memo, %[w] the struct tbuf_write or tbuf_search,
 * %[size] the record's size (in a fire of a known shape a constant, with
 * %[site] and %[values] in place of %[w]).  Inside, r11 is the lane, r9 head
 * and at last the new head, r8 the oldest record, then the place in the
 * storage, ecx the EPID; rax and rdx are scratch, and rsi, rdi and r10 for
 * segments and rows.  A known shape needs nine in all: those that a function
 * need not save.
 */
#ifdef TBUF_INJECT
/* Spins in step n, with the 32-bit and 64-bit name of a free register. */
#define TBUF_DELAY_IN(scratch4, scratch8, n)				\
	"movq %[inject], " scratch8 "\n\t"				\
	"movl 4*" #n "(" scratch8 "), " scratch4 "\n\t"			\
	"77: subl $1, " scratch4 "\n\t"					\
	"jnc 77b\n\t"
#define TBUF_INJECT_OPERAND	, [inject] "m"(tbuf_inject_at)
static uint32_t *const volatile tbuf_inject_at = tbuf_inject;
#else
#define TBUF_DELAY_IN(scratch4, scratch8, n)
#define TBUF_INJECT_OPERAND
#endif
#define TBUF_DELAY(n)	TBUF_DELAY_IN("%%eax", "%%rax", n)

#define TBUF_SECTION_ARM(descriptor)					\
	"movq %[at], %%rdx\n\t"						\
	"leaq " descriptor "(%%rip), %%rax\n\t"				\
	"movq %%rax, %%fs:" TBUF_RS_CS "(%%rdx)\n\t"

/*
 * The unwind rule of a jump, where a signal interrupts an aborted section: the
 * return address is that of the jump's target, computed from its displacement.
 */
#define TBUF_UNWIND_RETURN						\
	"0x16, 16, 13, 0x80, 1, 0x94, 4, 8, 32, 0x24, "			\
	"8, 32, 0x26, 0x80, 5, 0x22\n\t"
#ifdef __clang__
#define TBUF_SECTION_UNWIND(jump)					\
	jump								\
	TBUF_UNWIND_RULES("16", "7", ".byte " TBUF_UNWIND_RETURN)
#else
/* These rules are shorter in an object than those above. */
#define TBUF_SECTION_UNWIND(jump)					\
	".cfi_startproc\n\t"						\
	".cfi_signal_frame\n\t"						\
	".cfi_def_cfa rsp, 0\n\t"					\
	".cfi_escape " TBUF_UNWIND_RETURN				\
	jump								\
	".cfi_endproc\n\t"
#endif

#define TBUF_SECTION_WAY_OUT(out)					\
	TBUF_SECTION_DESCRIPTOR("3", "1f", "2f", "4f")			\
	".pushsection __rseq_failure, \"ax\"\n\t"			\
	".byte 0x0f, 0xb9, 0x3d\n\t" /* ud1, then the signature */	\
	".long 0x53053053\n\t"						\
	TBUF_SECTION_UNWIND("4: jmp " out "\n\t")			\
	".popsection\n\t"						\
	TBUF_DELAY(7)

#define TBUF_SECTION_BEGIN						\
	TBUF_SECTION_WAY_OUT("%l[changed]")				\
	TBUF_SECTION_ARM("3b")						\
	"1:\n\t"							\
	TBUF_DELAY(0)

#define TBUF_BEGIN_OPERANDS						\
	[at] "m"(tbuf_rseq_at) TBUF_INJECT_OPERAND

#define TBUF_CHECK_OPERANDS						\
	[m] "r"(tbuf_rseq_offset(m)), [local] "m"(tbuf_local)
#define TBUF_OWN_OPERANDS						\
	[m] "r"(tbuf_rseq_own()), [local] "m"(tbuf_local)

/* An operand may also be a constant of 32 bits, or in memory. */
#define TBUF_R_OR_CONSTANT	"er"
#define TBUF_R_OR_MEMORY	"rm"
#define TBUF_R_OR_WIDE		"i"	/* a constant of 64 bits */

#define TBUF_CLOBBERS_FEW	"rax", "rcx", "rdx", "memory", "cc"
#define TBUF_CLOBBERS		TBUF_CLOBBERS_FEW, "r8", "r9", "r11"
#define TBUF_CLOBBERS_SEARCH	TBUF_CLOBBERS, "rsi", "r10"
#define TBUF_CLOBBERS_ROWS	TBUF_CLOBBERS_SEARCH, "rdi"
#define TBUF_CLOBBERS_PAIR	TBUF_CLOBBERS, "rbx"
#define TBUF_CLOBBERS_RELEASE	TBUF_CLOBBERS_ROWS, "rbx"

/* The labels that a section which writes records may leave by. */
#define TBUF_RECORD_LABELS	changed, late, damaged, wrapped, chain

/* A field of the memo, and of the struct in %[w]. */
#define TBUF_OF_M(field)	"%%fs:" TBUF_O(field) "(%[m])"
#define TBUF_OF_W(field)	TBUF_O(field) "(%[w])"

/* need [a] == [b] */
#define TBUF_NEED_EQUAL(a, b)						\
	"movq " a ", %%rax\n\t"						\
	"cmpq %%rax, " b "\n\t"						\
	"jne %l[changed]\n\t"

/*
 * Steps by a memo whose fields OF names, which go to the label `out` if a need
 * is not met.  HERE: rdx is the thread's rseq area.
 */
#define TBUF_HERE_BY(OF, out)						\
	"movl %%fs:" TBUF_RS_CPU_ID "(%%rdx), %%eax\n\t"		\
	"cmpl %%eax, " OF(M_CPU) "\n\t"					\
	"jne " out "\n\t"						\
	"movq %[local], %%rax\n\t"					\
	"cmpq $0, (%%rax)\n\t"						\
	"je " out "\n\t"

/* rcx becomes the memo's generation. */
#define TBUF_SESSION_BY(OF, out)					\
	"movq " OF(M_GENERATION) ", %%rcx\n\t"				\
	"movq " OF(M_SLOT) ", %%rax\n\t"				\
	"cmpq %%rcx, " TBUF_O(S_GENERATION) "(%%rax)\n\t"		\
	"jne " out "\n\t"

#define TBUF_SECTION_HERE	TBUF_HERE_BY(TBUF_OF_M, "%l[changed]")

#define TBUF_SECTION_GENERATION						\
	TBUF_SESSION_BY(TBUF_OF_M, "%l[changed]")			\
	TBUF_DELAY(1)

/* r11 becomes the memo's lane. */
#define TBUF_SECTION_SESSION						\
	TBUF_SECTION_GENERATION						\
	"movq " TBUF_OF_M(M_LANE) ", %%r11\n\t"

#define TBUF_SECTION_ENABLED						\
	"movq " TBUF_O(SITE_ENABLED) "(%[site]), %%rax\n\t"		\
	"movl (%%rax), %%eax\n\t"					\
	"cmpq %%rax, " TBUF_OF_M(M_BITS) "\n\t"				\
	"jne %l[changed]\n\t"

#define TBUF_SECTION_AMONG						\
	"movq " TBUF_O(SITE_ENABLED) "(%[site]), %%rax\n\t"		\
	"movl (%%rax), %%eax\n\t"					\
	"testq %%rax, " TBUF_OF_M(M_BITS) "\n\t"			\
	"jz %l[changed]\n\t"

#define TBUF_SECTION_BITS						\
	"cmpq %[bits], " TBUF_OF_M(M_BITS) "\n\t"			\
	"jne %l[changed]\n\t"

/* SESSION and SAME in one: %[generation] need not be loaded. */
#define TBUF_SECTION_SAME						\
	"cmpq %[slot], " TBUF_OF_M(M_SLOT) "\n\t"			\
	"jne %l[changed]\n\t"						\
	"cmpq %[generation], " TBUF_OF_M(M_GENERATION) "\n\t"		\
	"jne %l[changed]\n\t"						\
	"cmpq %[generation], " TBUF_O(S_GENERATION) "(%[slot])\n\t"	\
	"jne %l[changed]\n\t"						\
	"movq " TBUF_OF_M(M_LANE) ", %%r11\n\t"				\
	TBUF_DELAY(1)

/* rax becomes the counter; rdx is overwritten. */
#define TBUF_SECTION_COUNTER						\
	"rdtsc\n\t"							\
	"shlq $32, %%rdx\n\t"						\
	"orq %%rdx, %%rax\n\t"

/*
 * The stamp: the time in rax, but later than the lane's last stamp.  A stamp
 * that no record uses does no harm.
 */
#define TBUF_SECTION_LATER						\
	"movq " TBUF_O(L_LAST) "(%%r11), %%rdx\n\t"			\
	"addq $1, %%rdx\n\t"						\
	"cmpq %%rdx, %%rax\n\t"						\
	"cmovb %%rdx, %%rax\n\t"					\
	"movq %%rax, " TBUF_O(L_LAST) "(%%r11)\n\t"

#define TBUF_SECTION_STAMP						\
	TBUF_SECTION_COUNTER						\
	TBUF_SECTION_LATER

/* ROOM of a linear lane; goes to the label `no` if there is none. */
#define TBUF_SECTION_LINEAR(SIZE, no)					\
	"movq %%r9, %%rax\n\t"						\
	"addq " SIZE ", %%rax\n\t"					\
	"cmpq %%rax, " TBUF_O(L_LIMIT) "(%%r11)\n\t"			\
	"jb " no "\n\t"							\
	"movq " TBUF_O(L_FULL) "(%%r11), %%rax\n\t"			\
	"testq %%rax, " TBUF_OF_M(M_FILL_MASK) "\n\t"			\
	"jnz " no "\n\t"

/* ecx becomes the EPID of a probe's only ECB; eax is the probe's index. */
#define TBUF_ECB_BY(OF, out)						\
	"movq " OF(M_HEADS) ", %%rcx\n\t"				\
	"movl (%%rcx, %%rax, 4), %%ecx\n\t"				\
	"leal -1(%%rcx), %%eax\n\t"					\
	"cmpl %[most], %%eax\n\t"					\
	"ja " out "\n\t"
#define TBUF_SECTION_ECB	TBUF_ECB_BY(TBUF_OF_M, "%l[chain]")

#define TBUF_SECTION_SITE						\
	"movl " TBUF_O(SITE_INDEX) "(%[site]), %%eax\n\t"		\
	TBUF_SECTION_ECB

/* ecx becomes w.epid or, if that is 0, the EPID of the probe's only ECB. */
#define TBUF_SECTION_EPID						\
	"movl " TBUF_OF_W(W_EPID) ", %%ecx\n\t"				\
	"testl %%ecx, %%ecx\n\t"					\
	"jnz 11f\n\t"							\
	"movl " TBUF_OF_W(W_INDEX) ", %%eax\n\t"			\
	TBUF_SECTION_ECB						\
	"11:\n\t"

/*
 * REFUSE: another section takes over.  Nothing can come between the two, as its
 * first instruction follows the store that arms it.  The lane's last stamp is
 * the counter's reading, or a little more.
 */
#define TBUF_SECTION_REFUSE(SIZE, ONE)					\
	TBUF_SECTION_DESCRIPTOR("23", "21f", "22f", "4b")		\
	"cmpq " SIZE ", " TBUF_OF_M(M_BUFSIZE) "\n\t"			\
	"jb %l[changed]\n\t"						\
	ONE								\
	TBUF_SECTION_ARM("23b")						\
	"21: movq " TBUF_O(L_LAST) "(%%r11), %%rax\n\t"			\
	"movq " TBUF_OF_M(M_SLOT) ", %%rdx\n\t"				\
	"movq " TBUF_O(S_DEADLINE) "(%%rdx), %%rdx\n\t"			\
	"subq $1, %%rdx\n\t" /* none: later than any time */		\
	"cmpq %%rdx, %%rax\n\t"						\
	"ja %l[late]\n\t"						\
	TBUF_DELAY(6)							\
	"addq $1, " TBUF_O(L_FULL) "(%%r11)\n\t" /* the last instruction */ \
	"22: jmp 2f\n\t"

/*
 * ROOM of a ring, up to its steps: rdx is 16 times the sequence's low bit, r8
 * is tail, rax the bytes of all records and the new one.
 */
#define TBUF_RING_FULL(OF, SIZE, damaged, changed)			\
	"movl " TBUF_O(L_SEQUENCE) "(%%r11), %%edx\n\t"			\
	"andl $1, %%edx\n\t"						\
	"shll $4, %%edx\n\t"						\
	"movq " TBUF_O(L_PAIR) "(%%r11, %%rdx), %%r8\n\t"		\
	"movq %%r9, %%rax\n\t"						\
	"subq %%r8, %%rax\n\t"						\
	"cmpq " OF(M_BUFSIZE) ", %%rax\n\t"				\
	"ja " damaged "\n\t"						\
	"addq " SIZE ", %%rax\n\t"					\
	"cmpq " OF(M_BUFSIZE) ", %%rax\n\t"				\
	"jbe 10f\n\t"							\
	"testb $7, %%r9b\n\t"						\
	"jnz " damaged "\n\t"						\
	"cmpq " SIZE ", " OF(M_BUFSIZE) "\n\t"				\
	"jb " changed "\n\t"

/* The oldest record, whose size this loads, must leave rax >= SIZE. */
#define TBUF_RING_OLDEST(SIZE, word8, word4, word1, damaged)		\
	"movzwl 2(" word8 "), " word4 "\n\t"				\
	"testb $7, " word1 "\n\t"					\
	"jnz " damaged "\n\t"						\
	"cmpl $16, " word4 "\n\t"					\
	"jb " damaged "\n\t"						\
	"addq " word8 ", %%r8\n\t"					\
	"subq " word8 ", %%rax\n\t"					\
	"jb " damaged "\n\t"						\
	"cmpq " SIZE ", %%rax\n\t"					\
	"jb " damaged "\n\t"

/*
 * ROOM of a ring: in a step rdx is 1 more if the oldest record is counted; r9
 * is borrowed for the oldest one's size, then for overwritten.
 */
#define TBUF_SECTION_RING(SIZE)						\
	TBUF_RING_FULL(TBUF_OF_M, SIZE, "%l[damaged]", "%l[changed]")	\
	"5: leaq 8(%%r8), %%r9\n\t"					\
	"andq " TBUF_OF_M(M_MASK8) ", %%r9\n\t"				\
	"addq " TBUF_OF_M(M_DATA) ", %%r9\n\t"				\
	/* edx + 1, except for an envelope or a unit's commit record */	\
	"cmpw $" TBUF_O(E_UNIT) ", (%%r9)\n\t"				\
	"adcl $1, %%edx\n\t"						\
	"cmpw $" TBUF_O(E_UNIT) " + 2, (%%r9)\n\t"			\
	"sbbl $0, %%edx\n\t"						\
	TBUF_RING_OLDEST(SIZE, "%%r9", "%%r9d", "%%r9b", "%l[damaged]")	\
	"movl %%edx, %%r9d\n\t"						\
	"andl $1, %%r9d\n\t"						\
	"xorl %%r9d, %%edx\n\t"						\
	"addq " TBUF_O(L_PAIR) " + 8(%%r11, %%rdx), %%r9\n\t"		\
	"xorl $16, %%edx\n\t"						\
	"movq %%r8, " TBUF_O(L_PAIR) "(%%r11, %%rdx)\n\t"		\
	"movq %%r9, " TBUF_O(L_PAIR) " + 8(%%r11, %%rdx)\n\t"		\
	TBUF_DELAY_IN("%%r9d", "%%r9", 2)				\
	"addq $1, " TBUF_O(L_SEQUENCE) "(%%r11)\n\t"			\
	TBUF_DELAY_IN("%%r9d", "%%r9", 3)				\
	"cmpq " TBUF_OF_M(M_BUFSIZE) ", %%rax\n\t"			\
	"ja 5b\n\t"							\
	"movq " TBUF_O(L_HEAD) "(%%r11), %%r9\n\t"

/*
 * STRETCH: rax is the room, r9 head, r8 its place, rdx scratch.  Goes to the
 * label `none` if there is less than a record's room.
 */
#define TBUF_SECTION_STRETCH(none)					\
	"movq " TBUF_OF_M(M_MASK8) ", %%rdx\n\t"			\
	"movq %%r9, %%r8\n\t"						\
	"andq %%rdx, %%r8\n\t"						\
	"addq $8, %%rdx\n\t"						\
	"subq %%r8, %%rdx\n\t" /* up to the storage's end */		\
	"addq " TBUF_OF_M(M_DATA) ", %%r8\n\t"				\
	"cmpq %%rdx, %%rax\n\t"					\
	"cmova %%rdx, %%rax\n\t"					\
	"movl %%r8d, %%edx\n\t"					\
	"notl %%edx\n\t"						\
	"andl %[stretch] - 1, %%edx\n\t"				\
	"addl $1, %%edx\n\t"						\
	"cmpq %%rdx, %%rax\n\t"					\
	"cmova %%rdx, %%rax\n\t"					\
	"movq (%%r8), %%rdx\n\t"					\
	"movq %%r9, " TBUF_OF_M(M_BASE) "\n\t"				\
	TBUF_DELAY_IN("%%edx", "%%rdx", 9)				\
	"subq %[flat], %%rax\n\t"					\
	"jbe " none "\n\t"						\
	"movw %%ax, " TBUF_OF_M(M_SPAN) "\n\t"

/* WITHIN: r9 is head; r8 and rdx are scratch. */
#define TBUF_HEAD_WITHIN						\
	"movq %%r9, %%r8\n\t"						\
	"subq " TBUF_OF_M(M_BASE) ", %%r8\n\t"				\
	"movzwl " TBUF_OF_M(M_SPAN) ", %%edx\n\t"			\
	"cmpq %%rdx, %%r8\n\t"

#define TBUF_SECTION_NO_STRETCH						\
	"movw $0, " TBUF_OF_M(M_SPAN) "\n\t"

/* The stretch of a linear lane, after its ROOM. */
#define TBUF_SECTION_EXTEND						\
	TBUF_HEAD_WITHIN						\
	"jb 10f\n\t"							\
	TBUF_SECTION_NO_STRETCH						\
	"cmpq $0, " TBUF_OF_M(M_FILL_MASK) "\n\t"			\
	"jne 10f\n\t"							\
	"movq " TBUF_O(L_LIMIT) "(%%r11), %%rax\n\t"			\
	"subq %%r9, %%rax\n\t"						\
	"jb 10f\n\t"							\
	TBUF_SECTION_STRETCH("10f")

/*
 * ROOM by the policy, after STAMP; ONE comes before REFUSE, most often to check
 * that it is for one record; AFTER follows the ROOM of a linear lane.
 */
#define TBUF_SECTION_ROOM_FOR(SIZE, ONE, AFTER)				\
	"movq " TBUF_O(L_HEAD) "(%%r11), %%r9\n\t"			\
	"cmpw $0, " TBUF_OF_M(M_RING) "\n\t"				\
	"jne 30f\n\t"							\
	TBUF_SECTION_LINEAR(SIZE, "20f")				\
	AFTER								\
	"jmp 10f\n\t"							\
	"20:\n\t"							\
	TBUF_SECTION_REFUSE(SIZE, ONE)					\
	"30:\n\t"							\
	TBUF_SECTION_RING(SIZE)						\
	"10:\n\t"

/* ROOM for a record that may be a work unit's. */
#define TBUF_SECTION_SEGMENTS_ROOM					\
	TBUF_SECTION_ROOM_FOR("%[size]",				\
	    "leal -" TBUF_O(E_UNIT) "(%%rcx), %%eax\n\t"		\
	    "cmpl $2, %%eax\n\t"					\
	    "jb %l[late]\n\t", "")

/*
 * r8 becomes the record's place; leaves WRAPPED if it would go around the
 * storage's end.  LAST computes rax, the last word's offset, from r8.  FETCH
 * prefetches the record that the next fire under ring overwrites: after other
 * work of the program the load of it would be the only wait here.  One cache
 * line is enough if no record is larger than a line.
 */
#define TBUF_PLACE_BY(OF, LAST, out)					\
	"movq %%r9, %%r8\n\t"						\
	"movq " OF(M_MASK8) ", %%rdx\n\t"				\
	"andq %%rdx, %%r8\n\t"						\
	LAST "\n\t"							\
	"cmpq %%rdx, %%rax\n\t"						\
	"ja " out "\n\t"						\
	"addq " OF(M_DATA) ", %%r8\n\t"					\
	"movq (%%r8), %%rax\n\t"
#define TBUF_SECTION_PLACE(LAST, FETCH)					\
	TBUF_PLACE_BY(TBUF_OF_M, LAST, "%l[wrapped]")			\
	FETCH

#define TBUF_FETCH_SHORT						\
	"prefetchw 128(%%r8)\n\t"
#define TBUF_FETCH							\
	TBUF_FETCH_SHORT						\
	"prefetchw 192(%%r8)\n\t"

/* The header.  SECOND: its second word but for size and, maybe, EPID. */
#define TBUF_SECTION_HEADER(SECOND, SIZE16)				\
	"movq " TBUF_O(L_LAST) "(%%r11), %%rax\n\t"			\
	"movq %%rax, (%%r8)\n\t"					\
	"orl " SIZE16 ", %%ecx\n\t"					\
	"orq " SECOND ", %%rcx\n\t"					\
	"movq %%rcx, 8(%%r8)\n\t"					\
	TBUF_DELAY(4)

#define TBUF_SECTION_COMMIT						\
	TBUF_DELAY(5)							\
	"movq %%r9, " TBUF_O(L_HEAD) "(%%r11)\n\t" /* commit */		\
	"2:\n\t"

/* Copies word n of the values. */
#define TBUF_WORD(n, scratch)						\
	"movq 8*" #n "(%[values]), " scratch "\n\t"			\
	"movq " scratch ", 16 + 8*" #n "(%%r8)\n\t"

/* Copies words, `left` bytes, from the last to the first. */
#define TBUF_COPY_WORDS(from, place, to, left)				\
	"7: movq -8(" from ", " left "), %%rax\n\t"			\
	"movq %%rax, " place "(" to ", " left ")\n\t"			\
	"subq $8, " left "\n\t"						\
	"jnz 7b\n\t"

#define TBUF_FLAT_0
#define TBUF_FLAT_1	TBUF_WORD(0, "%%rax")
#define TBUF_FLAT_2	TBUF_FLAT_1 TBUF_WORD(1, "%%rdx")
#define TBUF_FLAT_3	TBUF_FLAT_2 TBUF_WORD(2, "%%rax")
#define TBUF_FLAT_4	TBUF_FLAT_3 TBUF_WORD(3, "%%rdx")

/*
 * The checks of FLAT, up to WITHIN.  While an Intel processor reads its counter
 * it begins little else, and it reads it after the loads before it are done: so
 * the number of loads that wait for one another decides.  Loads that do not
 * stand side by side before the counter, and comparisons that wait for them
 * after it.  The chain head is loaded when the generation is known to be that
 * of the memo, and this process not to be a child, which has no areas.
 */
#define TBUF_FLAT_CHECK							\
	TBUF_SECTION_ENABLED						\
	"movq " TBUF_OF_M(M_SLOT) ", %%r8\n\t"				\
	"movl " TBUF_O(SITE_INDEX) "(%[site]), %%r9d\n\t"		\
	"movq " TBUF_OF_M(M_HEADS) ", %%rcx\n\t"			\
	"movq " TBUF_OF_M(M_GENERATION) ", %%rax\n\t"			\
	"cmpq %%rax, " TBUF_O(S_GENERATION) "(%%r8)\n\t"		\
	"jne %l[changed]\n\t"						\
	TBUF_DELAY(1)							\
	"movq %[local], %%rax\n\t"					\
	"cmpq $0, (%%rax)\n\t"						\
	"je %l[changed]\n\t"						\
	"movl (%%rcx, %%r9, 4), %%ecx\n\t"				\
	"movq " TBUF_OF_M(M_LANE) ", %%r11\n\t"			\
	"leal -1(%%rcx), %%eax\n\t"					\
	"cmpl %[most], %%eax\n\t"					\
	"ja %l[chain]\n\t"						\
	"movq " TBUF_O(L_HEAD) "(%%r11), %%r9\n\t"			\
	"movl %%fs:" TBUF_RS_CPU_ID "(%%rdx), %%r8d\n\t"		\
	TBUF_SECTION_COUNTER						\
	"cmpl %%r8d, " TBUF_OF_M(M_CPU) "\n\t"				\
	"jne %l[changed]\n\t"						\
	TBUF_HEAD_WITHIN						\
	"jae %l[late]\n\t"						\
	TBUF_SECTION_LATER

/*
 * The stamp is in rax.  The line that is prefetched is the one that the next
 * release of a ring loads, and the fires after it store to.
 */
#define TBUF_SECTION_FLAT(n)						\
	TBUF_FLAT_CHECK							\
	"movq %%r9, %%r8\n\t"						\
	"andq " TBUF_OF_M(M_MASK8) ", %%r8\n\t"			\
	"addq " TBUF_OF_M(M_DATA) ", %%r8\n\t"				\
	"movq %%rax, (%%r8)\n\t"					\
	"prefetchw " TBUF_O(RELEASE_MAX) " + 64(%%r8)\n\t"		\
	"orl $(%c[size] << 16), %%ecx\n\t"				\
	"orq " TBUF_OF_M(M_SECOND) ", %%rcx\n\t"			\
	"movq %%rcx, 8(%%r8)\n\t"					\
	TBUF_DELAY(4)							\
	TBUF_FLAT_##n							\
	"addq %[size], %%r9\n\t"

#define TBUF_SECTION_FLAT_WORDS						\
	TBUF_SECTION_PLACE("leaq -8(%%r8, %[size]), %%rax", TBUF_FETCH)	\
	TBUF_SECTION_HEADER(TBUF_OF_M(M_SECOND),			\
	    "%[size16]")						\
	"movq %[size], %%rcx\n\t"					\
	"subq $16, %%rcx\n\t"						\
	"jz 8f\n\t"							\
	TBUF_COPY_WORDS("%[values]", "8", "%%r8", "%%rcx")		\
	"8: addq %[size], %%r9\n\t"

/*
 * RELEASE: r8 is tail, r10 the least new tail, rdx 16 times the sequence's low
 * bit; r9 is head, and in the loop a position that the storage's end is not
 * before.  At (r8, rbx) is the word of a record's size and EPID; eax is that of
 * the record before, rcx its size, rdi 1 if it is counted, rsi their number.
 * Most often a record has the size and EPID of the one before it: so the branch
 * is predicted, and no record's load waits for that of the record before.  Two
 * records in each round of the loop are faster than one.
 */
#define TBUF_RELEASE_ONE						\
	"addq %%rcx, %%r8\n\t"						\
	"addq %%rdi, %%rsi\n\t"					\
	"cmpq %%r9, %%r8\n\t"						\
	"jae 9f\n\t"							\
	"cmpl %%eax, (%%r8, %%rbx)\n\t"
#define TBUF_SECTION_RELEASE						\
	"cmpw $0, " TBUF_OF_M(M_RING) "\n\t"				\
	"je %l[changed]\n\t"						\
	TBUF_SECTION_NO_STRETCH						\
	"movq " TBUF_O(L_HEAD) "(%%r11), %%r9\n\t"			\
	"testb $7, %%r9b\n\t"						\
	"jnz %l[changed]\n\t"						\
	"movl " TBUF_O(L_SEQUENCE) "(%%r11), %%edx\n\t"		\
	"andl $1, %%edx\n\t"						\
	"shll $4, %%edx\n\t"						\
	"movq " TBUF_O(L_PAIR) "(%%r11, %%rdx), %%r8\n\t"		\
	"movq %%r9, %%rcx\n\t"						\
	"subq %%r8, %%rcx\n\t"						\
	"movq " TBUF_OF_M(M_BUFSIZE) ", %%rax\n\t"			\
	"subq %%rcx, %%rax\n\t"					\
	"jb %l[changed]\n\t"						\
	"movq %[want], %%r10\n\t"					\
	"subq %%rax, %%r10\n\t"					\
	"jbe 8f\n\t"							\
	"addq %%r8, %%r10\n\t"						\
	"xorl %%esi, %%esi\n\t"					\
	"5: movq " TBUF_OF_M(M_MASK8) ", %%r9\n\t"			\
	"leaq 8(%%r8), %%rbx\n\t"					\
	"andq %%r9, %%rbx\n\t"						\
	"subq %%rbx, %%r9\n\t"						\
	"addq %%r8, %%r9\n\t"						\
	"cmpq %%r10, %%r9\n\t"						\
	"cmova %%r10, %%r9\n\t"					\
	"addq " TBUF_OF_M(M_DATA) ", %%rbx\n\t"			\
	"subq %%r8, %%rbx\n\t"						\
	"6: movl (%%r8, %%rbx), %%eax\n\t"				\
	"movl %%eax, %%ecx\n\t"					\
	"shrl $16, %%ecx\n\t"						\
	"testb $7, %%cl\n\t"						\
	"jnz %l[changed]\n\t"						\
	"cmpl $16, %%ecx\n\t"						\
	"jb %l[changed]\n\t"						\
	/* 1, except for an envelope or a unit's commit record */	\
	"xorl %%edi, %%edi\n\t"					\
	"cmpw $" TBUF_O(E_UNIT) ", %%ax\n\t"				\
	"adcl $1, %%edi\n\t"						\
	"cmpw $" TBUF_O(E_UNIT) " + 2, %%ax\n\t"			\
	"sbbl $0, %%edi\n\t"						\
	"7:\n\t"							\
	TBUF_RELEASE_ONE						\
	"jne 6b\n\t"							\
	TBUF_RELEASE_ONE						\
	"je 7b\n\t"							\
	"jmp 6b\n\t"							\
	"9: cmpq %%r10, %%r8\n\t"					\
	"jb 5b\n\t"							\
	"movq " TBUF_O(L_HEAD) "(%%r11), %%r9\n\t"			\
	"cmpq %%r9, %%r8\n\t"						\
	"ja %l[changed]\n\t"						\
	"addq " TBUF_O(L_PAIR) " + 8(%%r11, %%rdx), %%rsi\n\t"		\
	"xorl $16, %%edx\n\t"						\
	"movq %%r8, " TBUF_O(L_PAIR) "(%%r11, %%rdx)\n\t"		\
	"movq %%rsi, " TBUF_O(L_PAIR) " + 8(%%r11, %%rdx)\n\t"		\
	TBUF_DELAY_IN("%%ebx", "%%rbx", 2)				\
	"addq $1, " TBUF_O(L_SEQUENCE) "(%%r11)\n\t"			\
	TBUF_DELAY_IN("%%ebx", "%%rbx", 3)				\
	"movq " TBUF_OF_M(M_BUFSIZE) ", %%rax\n\t"			\
	"addq %%r8, %%rax\n\t"						\
	"subq %%r9, %%rax\n\t"						\
	"8:\n\t"							\
	TBUF_SECTION_STRETCH("%l[changed]")

#define TBUF_FLAT_WORDS_OPERANDS					\
	[size] "r"(size), [size16] "m"(size16)

#define TBUF_WRITE_OPERANDS						\
	TBUF_ECB_OPERANDS, [w] "r"(w), [size] "r"(w->size),		\
	[less] "m"(w->less), [size16] "m"(w->size16)

#define TBUF_SECTION_WORDS						\
	TBUF_SECTION_PLACE("movq %%r8, %%rax\n\taddq %[less], %%rax",	\
	    TBUF_FETCH)							\
	TBUF_SECTION_HEADER(TBUF_OF_W(W_EPID), "%[size16]")		\
	"movq " TBUF_OF_W(W_FROM) ", %%rdx\n\t"				\
	"movq %[size], %%rcx\n\t"					\
	"subq $16, %%rcx\n\t"						\
	"jz 8f\n\t"							\
	TBUF_COPY_WORDS("%%rdx", "8", "%%r8", "%%rcx")			\
	"8:\n\t"							\
	"addq %[size], %%r9\n\t"

/*
 * Copies segments of any size and alignment to any place.  r10 is the position,
 * rsi the segment, rdi its bytes, rcx how many of them remain.
 */
#define TBUF_SECTION_SEGMENTS						\
	"movq " TBUF_OF_M(M_DATA) ", %%rdi\n\t"				\
	"movq %%r9, %%r8\n\t"						\
	"andq " TBUF_OF_M(M_MASK8) ", %%r8\n\t"				\
	"movq (%%rdi, %%r8), %%rax\n\t"					\
	"movq " TBUF_O(L_LAST) "(%%r11), %%rax\n\t"			\
	"movq %%rax, (%%rdi, %%r8)\n\t"					\
	"leaq 8(%%r9), %%r8\n\t"					\
	"andq " TBUF_OF_M(M_MASK8) ", %%r8\n\t"				\
	"orl %[size16], %%ecx\n\t"					\
	"movl %%ecx, (%%rdi, %%r8)\n\t"					\
	"movl " TBUF_OF_W(W_TID) ", %%eax\n\t"				\
	"movl %%eax, 4(%%rdi, %%r8)\n\t"				\
	"leaq 16(%%r9), %%r10\n\t"					\
	TBUF_DELAY(4)							\
	"movq " TBUF_OF_W(W_FROM) ", %%rsi\n\t"				\
	"7: cmpq " TBUF_OF_W(W_FROM_END) ", %%rsi\n\t"			\
	"je 12f\n\t"							\
	"movq (%%rsi), %%rdi\n\t"					\
	"movq 8(%%rsi), %%rcx\n\t"					\
	/* a chunk: up to the storage's end */				\
	"8: movq " TBUF_OF_M(M_MASK8) ", %%rax\n\t"			\
	"addq $7, %%rax\n\t"						\
	"movq %%r10, %%rdx\n\t"						\
	"andq %%rax, %%rdx\n\t"						\
	"subq %%rdx, %%rax\n\t"						\
	"addq $1, %%rax\n\t"						\
	"cmpq %%rcx, %%rax\n\t"						\
	"cmova %%rcx, %%rax\n\t"					\
	"addq %%rax, %%r10\n\t"						\
	"subq %%rax, %%rcx\n\t"						\
	"addq " TBUF_OF_M(M_DATA) ", %%rdx\n\t"				\
	"9: subq $8, %%rax\n\t"						\
	"jb 13f\n\t"							\
	"movq (%%rdi), %%r8\n\t"					\
	"movq %%r8, (%%rdx)\n\t"					\
	"addq $8, %%rdi\n\t"						\
	"addq $8, %%rdx\n\t"						\
	"jmp 9b\n\t"							\
	"13: addq $8, %%rax\n\t"					\
	"jz 15f\n\t"							\
	"14: movb (%%rdi), %%r8b\n\t"					\
	"movb %%r8b, (%%rdx)\n\t"					\
	"addq $1, %%rdi\n\t"						\
	"addq $1, %%rdx\n\t"						\
	"subq $1, %%rax\n\t"						\
	"jnz 14b\n\t"							\
	"15: testq %%rcx, %%rcx\n\t"					\
	"jnz 8b\n\t"							\
	"addq $16, %%rsi\n\t"						\
	"jmp 7b\n\t"							\
	"12: addq %[size], %%r9\n\t"

/*
 * ARM, or GO ON: the section begins with the check that it is still armed.  If
 * it is, CPU and base are as the section before it has found them, and nothing
 * can come between the check and the rest.  rsi becomes the time, or 0.
 */
#define TBUF_SECTION_GO_ON						\
	TBUF_SECTION_WAY_OUT("%l[changed]")				\
	"movq %[at], %%rdx\n\t"						\
	"leaq 3b(%%rip), %%rax\n\t"					\
	"movq " TBUF_OF_W(W_TIME) ", %%rsi\n\t"				\
	"1: cmpq %%rax, %%fs:" TBUF_RS_CS "(%%rdx)\n\t"			\
	"je 16f\n\t"							\
	"movq %%rax, %%fs:" TBUF_RS_CS "(%%rdx)\n\t"			\
	TBUF_DELAY(0)							\
	TBUF_SECTION_HERE						\
	"xorl %%esi, %%esi\n\t"						\
	"16:\n\t"

/* rsi becomes the time, if it is 0; w.time, too. */
#define TBUF_SECTION_TIME						\
	"movq %%rsi, %%rax\n\t"						\
	"testq %%rsi, %%rsi\n\t"					\
	"jnz 17f\n\t"							\
	TBUF_SECTION_COUNTER						\
	"movq %%rax, " TBUF_OF_W(W_TIME) "\n\t"				\
	"17:\n\t"							\
	TBUF_SECTION_LATER

/* ecx becomes the chain's EPID after the one in ecx. */
#define TBUF_SECTION_NEXT						\
	"cmpq " TBUF_OF_M(M_ECB_MAX) ", %%rcx\n\t"			\
	"jae %l[chain]\n\t"						\
	"movq " TBUF_OF_M(M_ECBS) ", %%rax\n\t"				\
	"movzwl " TBUF_O(E_NEXT) "(%%rax, %%rcx, 8), %%ecx\n\t"

/*
 * The chain of the probe that has the index in eax.  r10 becomes the bytes of
 * all its records, ecx the first EPID; rdi is the address of the chain head.
 */
#define TBUF_SECTION_CHAIN(SIZE)					\
	"movq " TBUF_OF_M(M_HEADS) ", %%rdi\n\t"			\
	"leaq (%%rdi, %%rax, 4), %%rdi\n\t"				\
	"movl (%%rdi), %%ecx\n\t"					\
	"movq " SIZE ", %%r10\n\t"					\
	"leal -1(%%rcx), %%eax\n\t"					\
	"cmpl %[most], %%eax\n\t"					\
	"jbe 41f\n\t"							\
	"subl %[more] + 1, %%ecx\n\t"					\
	"cmpl %[most], %%ecx\n\t"					\
	"ja %l[chain]\n\t"						\
	"addl $1, %%ecx\n\t"						\
	"40:\n\t"							\
	TBUF_SECTION_NEXT						\
	"testl %%ecx, %%ecx\n\t"					\
	"jz 42f\n\t"							\
	"addq " SIZE ", %%r10\n\t"					\
	"cmpq %[longest], %%r10\n\t"					\
	"jbe 40b\n\t"							\
	"jmp %l[chain]\n\t"						\
	"42: movzwl (%%rdi), %%ecx\n\t"					\
	"41:\n\t"

/*
 * The records; COPY stores the words of each, and rdi is their end.  A chain
 * that has changed meanwhile does no harm.
 */
#define TBUF_SECTION_STORE_ROWS(SIZE, COPY)				\
	"leaq (%%r8, %%r10), %%rdi\n\t"					\
	"50: movq " TBUF_O(L_LAST) "(%%r11), %%rax\n\t"			\
	"movq %%rax, (%%r8)\n\t"					\
	"movl " TBUF_OF_W(W_SIZE16) ", %%eax\n\t"			\
	"orl %%ecx, %%eax\n\t"						\
	"movl %%eax, 8(%%r8)\n\t"					\
	"movl " TBUF_OF_W(W_TID) ", %%eax\n\t"				\
	"movl %%eax, 12(%%r8)\n\t"					\
	TBUF_DELAY(4)							\
	COPY								\
	"addq " SIZE ", %%r8\n\t"					\
	"cmpq %%rdi, %%r8\n\t"						\
	"jae 51f\n\t"							\
	TBUF_SECTION_NEXT						\
	"addq $1, " TBUF_O(L_LAST) "(%%r11)\n\t"			\
	"jmp 50b\n\t"							\
	"51: addq %%r10, %%r9\n\t"

/* STAMP and ROOM after CHAIN; REFUSE is for one record only. */
#define TBUF_SECTION_ROWS_ROOM(SIZE)					\
	TBUF_SECTION_TIME						\
	TBUF_SECTION_ROOM_FOR("%%r10",					\
	    "cmpq " SIZE ", %%r10\n\t"					\
	    "jne %l[chain]\n\t", "")					\
	TBUF_SECTION_PLACE("leaq -8(%%r8, %%r10), %%rax", TBUF_FETCH)

/* Copies up to four words: a loop costs more than these comparisons. */
#define TBUF_FEW_WORD(n, scratch)					\
	"cmpq $16 + 8*" #n ", %[size]\n\t"				\
	"je 8f\n\t"							\
	TBUF_WORD(n, scratch)
#define TBUF_FEW							\
	TBUF_FEW_WORD(0, "%%rax")					\
	TBUF_FEW_WORD(1, "%%rdx")					\
	TBUF_FEW_WORD(2, "%%rax")					\
	TBUF_FEW_WORD(3, "%%rdx")					\
	"8:\n\t"

#define TBUF_SECTION_FEW_ROWS						\
	"movl " TBUF_O(SITE_INDEX) "(%[site]), %%eax\n\t"		\
	TBUF_SECTION_CHAIN("%[size]")					\
	TBUF_SECTION_ROWS_ROOM("%[size]")				\
	TBUF_SECTION_STORE_ROWS("%[size]", TBUF_FEW)

#define TBUF_SECTION_ROWS						\
	"movl " TBUF_OF_W(W_INDEX) ", %%eax\n\t"			\
	TBUF_SECTION_CHAIN(TBUF_OF_W(W_SIZE))				\
	TBUF_SECTION_ROWS_ROOM(TBUF_OF_W(W_SIZE))			\
	"movq " TBUF_OF_W(W_FROM) ", %%rsi\n\t"				\
	TBUF_SECTION_STORE_ROWS(TBUF_OF_W(W_SIZE),			\
	    "movq " TBUF_OF_W(W_SIZE) ", %%rdx\n\t"			\
	    "subq $16, %%rdx\n\t"					\
	    "jz 8f\n\t"							\
	    TBUF_COPY_WORDS("%%rsi", "8", "%%r8", "%%rdx")		\
	    "8:\n\t")

#define TBUF_ROWS_OPERANDS						\
	[w] "r"(w), [more] "i"(TBUF_HEAD_MORE),				\
	[longest] "i"(TBUF_RECORD_MAX), TBUF_CHECK_OPERANDS,		\
	TBUF_ECB_OPERANDS
#define TBUF_FEW_ROWS_OPERANDS						\
	[site] "r"(site), [values] "r"(values), [size] "r"(w->size),	\
	TBUF_ROWS_OPERANDS

#define TBUF_SECTION_STORE						\
	TBUF_DELAY(6)							\
	"movq %[value], (%[word])\n\t"					\
	"2:\n\t"

#define TBUF_SECTION_ADD						\
	TBUF_DELAY(6)							\
	"addq %[delta], (%[word])\n\t"					\
	"2:\n\t"

#define TBUF_SECTION_TURN						\
	"movq " TBUF_OF_M(M_SLOT) ", %%rax\n\t"				\
	"movq " TBUF_OF_W(U_TURN) ", %%rcx\n\t"				\
	"cmpq %%rcx, " TBUF_O(S_TURN) "(%%rax)\n\t"			\
	"jne %l[changed]\n\t"						\
	TBUF_NEED_EQUAL(TBUF_OF_W(U_LANE), TBUF_OF_M(M_LANE))		\
	TBUF_DELAY(1)

/*
 * The search: r9 is the table, edx the slot's number, r10 the remaining slots,
 * r8 the entry, rsi the key.  An offset outside the entries is not an entry's;
 * one after LAST has no room for this entry.
 */
#define TBUF_SECTION_SEARCH(HAS, LAST)					\
	"movq " HAS(TABLE) ", %%r9\n\t"					\
	"movq " TBUF_OF_W(U_KEY) ", %%rsi\n\t"				\
	"movl " TBUF_OF_W(U_HASH) ", %%edx\n\t"				\
	"movl $" TBUF_O(T_PROBES) ", %%r10d\n\t"			\
	"5: andl " HAS(MASK) ", %%edx\n\t"				\
	"movl " TBUF_O(T_INDEX) "(%%r9, %%rdx, 4), %%eax\n\t"		\
	"movl %%eax, %%ecx\n\t"						\
	"subl " HAS(HEAP) ", %%ecx\n\t"					\
	"jb %l[changed]\n\t"						\
	"cmpl (%%r9), %%ecx\n\t"					\
	"jae %l[changed]\n\t"						\
	"cmpl " LAST ", %%eax\n\t"					\
	"ja %l[changed]\n\t"						\
	"leaq (%%r9, %%rax), %%r8\n\t"					\
	"movq " TBUF_OF_W(U_ENTRY) ", %%rax\n\t"			\
	"cmpq %%rax, (%%r8)\n\t"					\
	"jne 6f\n\t"							\
	"movq " TBUF_OF_W(U_HASH) ", %%rax\n\t"				\
	"cmpq %%rax, " TBUF_O(K_HASH) "(%%r8)\n\t"			\
	"jne 6f\n\t"							\
	"movq " TBUF_OF_W(U_SIZE) ", %%rcx\n\t"				\
	"7: subq $8, %%rcx\n\t"						\
	"jb 8f\n\t"							\
	"movq (%%rsi, %%rcx), %%rax\n\t"				\
	"cmpq %%rax, " TBUF_O(K_KEY) "(%%r8, %%rcx)\n\t"		\
	"je 7b\n\t"							\
	"6: addl $1, %%edx\n\t"						\
	"subl $1, %%r10d\n\t"						\
	"jnz 5b\n\t"							\
	"jmp %l[changed]\n\t"						\
	"8:\n\t"

/* rdx becomes the value's offset. */
#define TBUF_SECTION_VALUE(HAS)						\
	"movl " TBUF_O(K_VALUES) "(%%r8), %%eax\n\t"			\
	"movl " TBUF_O(K_NWORDS) "(%%r8), %%ecx\n\t"			\
	"movq " TBUF_OF_W(U_WORD) ", %%rdx\n\t"				\
	"cmpq %%rcx, %%rdx\n\t"						\
	"jae %l[changed]\n\t"						\
	"cmpq " HAS(HEAP) ", %%rax\n\t"					\
	"jb %l[changed]\n\t"						\
	"leaq (%%rax, %%rdx, 8), %%rdx\n\t"				\
	"cmpq " HAS(END) ", %%rdx\n\t"					\
	"ja %l[changed]\n\t"						\
	"testb $7, %%dl\n\t"						\
	"jnz %l[changed]\n\t"

#define TBUF_SECTION_FIND						\
	TBUF_SECTION_SEARCH(TBUF_SEARCH_HAS, TBUF_SEARCH_HAS(LAST))	\
	TBUF_SECTION_VALUE(TBUF_SEARCH_HAS)

#define TBUF_SECTION_FIND_CACHED					\
	"movl " TBUF_OF_W(U_ENTRY) ", %%eax\n\t"			\
	"movl " TBUF_MEMO_HAS(STORAGE) ", %%r11d\n\t"			\
	"subl %%eax, %%r11d\n\t"					\
	"jb %l[changed]\n\t"						\
	TBUF_SECTION_SEARCH(TBUF_MEMO_HAS, "%%r11d")			\
	TBUF_SECTION_VALUE(TBUF_MEMO_HAS)

#define TBUF_SECTION_UPDATE						\
	TBUF_DELAY(6)							\
	"movq " TBUF_OF_W(U_DELTA) ", %%rax\n\t"			\
	"addq %%rax, (%%r9, %%rdx)\n\t" /* commit */			\
	"2:\n\t"

/* SUM from the last word of the copies, at rdx: next copy, then version. */
#define TBUF_SECTION_SUM						\
	"leaq -32(%%r9, %%rdx), %%r8\n\t"				\
	"movl (%%r8), %%ecx\n\t"					\
	"andl $1, %%ecx\n\t"						\
	"shll $4, %%ecx\n\t"						\
	"movq 8(%%r8, %%rcx), %%rsi\n\t"				\
	"movq 16(%%r8, %%rcx), %%r10\n\t"				\
	"addq $1, %%rsi\n\t"						\
	"addq " TBUF_OF_W(U_DELTA) ", %%r10\n\t"			\
	"xorl $16, %%ecx\n\t"						\
	"movq %%rsi, 8(%%r8, %%rcx)\n\t"				\
	TBUF_DELAY(5)							\
	"movq %%r10, 16(%%r8, %%rcx)\n\t"				\
	TBUF_DELAY(6)							\
	"addq $1, (%%r8)\n\t" /* commit */				\
	"2:\n\t"

/* PEAK from the last word of the copies, at rdx: value and slot.cleared. */
#define TBUF_SECTION_PEAK						\
	"movq " TBUF_OF_M(M_SLOT) ", %%rax\n\t"				\
	"movl " TBUF_O(S_CLEARED) "(%%rax), %%esi\n\t"			\
	"leaq -32(%%r9, %%rdx), %%r8\n\t"				\
	"movq (%%r8), %%rcx\n\t"					\
	"testq %%rcx, %%rcx\n\t"					\
	"jz %l[changed]\n\t"						\
	"andl $1, %%ecx\n\t"						\
	"shll $4, %%ecx\n\t"						\
	"cmpq %%rsi, 16(%%r8, %%rcx)\n\t"				\
	"jne %l[changed]\n\t"						\
	"movq " TBUF_OF_W(U_FLIP) ", %%rdx\n\t"				\
	"movq " TBUF_OF_W(U_DELTA) ", %%rax\n\t"			\
	"movq 8(%%r8, %%rcx), %%r10\n\t"				\
	"xorq %%rdx, %%r10\n\t"						\
	"xorq %%rax, %%rdx\n\t"						\
	"cmpq %%r10, %%rdx\n\t"						\
	"jle 2f\n\t"							\
	"xorl $16, %%ecx\n\t"						\
	"movq %%rax, 8(%%r8, %%rcx)\n\t"				\
	TBUF_DELAY(5)							\
	"movq %%rsi, 16(%%r8, %%rcx)\n\t"				\
	TBUF_DELAY(6)							\
	"addq $1, (%%r8)\n\t" /* commit */				\
	"2:\n\t"

#define TBUF_SECTION_TOTAL						\
	"movq " TBUF_OF_M(M_DATA) ", %%rdx\n\t"				\
	"movq %[word], %%rcx\n\t"					\
	"cmpq %%rcx, " TBUF_OF_M(M_ECB_MAX) "\n\t"			\
	"jbe %l[changed]\n\t"						\
	TBUF_DELAY(6)							\
	"addq %[delta], (%%rdx, %%rcx, 8)\n\t" /* commit */		\
	"2:\n\t"

#define TBUF_SECTION_LOAD						\
	"movq %[size], %%rcx\n\t"					\
	TBUF_COPY_WORDS("%[from]", "-8", "%[to]", "%%rcx")		\
	"2:\n\t"

/* r8 is the word that commits. */
#define TBUF_SECTION_PUBLISH_COPY					\
	"movq " TBUF_O(P_WORD) "(%[p]), %%r8\n\t"			\
	TBUF_NEED_EQUAL(TBUF_O(P_OLD) "(%[p])", "(%%r8)")		\
	"movq " TBUF_O(P_TO) "(%[p]), %%r9\n\t"				\
	"movq " TBUF_O(P_FROM) "(%[p]), %%rdx\n\t"			\
	"movq " TBUF_O(P_SIZE) "(%[p]), %%rcx\n\t"			\
	TBUF_COPY_WORDS("%%rdx", "-8", "%%r9", "%%rcx")

#define TBUF_SECTION_PUBLISH_ZERO					\
	"movq " TBUF_O(P_ZERO) "(%[p]), %%r9\n\t"			\
	"movq " TBUF_O(P_ZEROES) "(%[p]), %%rcx\n\t"			\
	"jmp 9f\n\t"							\
	"8: movq $0, (%%r9, %%rcx)\n\t"					\
	"9: subq $8, %%rcx\n\t"						\
	"jae 8b\n\t"

#define TBUF_SECTION_PUBLISH						\
	TBUF_DELAY(4)							\
	"movq " TBUF_O(P_SLOT) "(%[p]), %%rdx\n\t"			\
	"movl " TBUF_O(P_OFFSET) "(%[p]), %%eax\n\t"			\
	"movl %%eax, (%%rdx)\n\t"					\
	TBUF_DELAY(5)							\
	"movq " TBUF_O(P_NEW) "(%[p]), %%rax\n\t"			\
	"movq %%rax, (%%r8)\n\t" /* commit */				\
	"2:\n\t"

#define TBUF_SECTION_SHARED						\
	TBUF_DELAY(6)							\
	"lock addq $1, (%[counter])\n\t" /* commit */			\
	"2:\n\t"

#define TBUF_SECTION_SWAP						\
	TBUF_DELAY(6)							\
	"movq %[old], %%rax\n\t"					\
	"lock cmpxchgq %[new], (%[word])\n\t"				\
	"2: jne %l[changed]\n\t"

#define TBUF_PAIR_LOAD							\
	"movq (%[old]), %%rax\n\t"					\
	"movq 8(%[old]), %%rdx\n\t"					\
	"movq (%[new]), %%rbx\n\t"					\
	"movq 8(%[new]), %%rcx\n\t"

#define TBUF_SECTION_SWAP_PAIR						\
	TBUF_DELAY(6)							\
	TBUF_PAIR_LOAD							\
	"lock cmpxchg16b (%[pair])\n\t"					\
	"2: jne %l[changed]\n\t"

#define TBUF_SECTION_RESTART						\
	"movq " TBUF_O(L_HEAD) "(%%r11), %%r9\n\t"			\
	"addq $7, %%r9\n\t"						\
	"andq $-8, %%r9\n\t"						\
	"movq " TBUF_O(L_SEQUENCE) "(%%r11), %%rcx\n\t"			\
	"movl %%ecx, %%edx\n\t"						\
	"andl $1, %%edx\n\t"						\
	"shll $4, %%edx\n\t"						\
	"movq " TBUF_O(L_PAIR) " + 8(%%r11, %%rdx), %%rax\n\t"		\
	"xorl $16, %%edx\n\t"						\
	"movq %%r9, " TBUF_O(L_PAIR) "(%%r11, %%rdx)\n\t"		\
	"movq %%rax, " TBUF_O(L_PAIR) " + 8(%%r11, %%rdx)\n\t"		\
	"addq $1, %%rcx\n\t"						\
	"movq %%rcx, " TBUF_O(L_SEQUENCE) "(%%r11)\n\t"			\
	"addq $1, " TBUF_O(L_RESTARTS) "(%%r11)\n\t"			\
	"movq %%r9, " TBUF_O(L_HEAD) "(%%r11)\n\t"			\
	"2:\n\t"

#define TBUF_SECTION_REMEMBER						\
	"movl %%fs:" TBUF_RS_CPU_ID "(%%rdx), %%eax\n\t"		\
	"cmpl %%eax, " TBUF_O(M_CPU) "(%[from])\n\t"			\
	"jne %l[changed]\n\t"						\
	"cmpl $0, (%[marked])\n\t"					\
	"jne %l[changed]\n\t"						\
	"movabsq %[none], %%rax\n\t"					\
	"movq %%rax, (%[to])\n\t"					\
	"movl %[size], %%ecx\n\t"					\
	"5: subl $8, %%ecx\n\t"						\
	"jz 6f\n\t"							\
	"movq (%[from], %%rcx), %%rax\n\t"				\
	"movq %%rax, (%[to], %%rcx)\n\t"				\
	TBUF_DELAY(8)							\
	"jmp 5b\n\t"							\
	"6: movq (%[from]), %%rax\n\t"					\
	"movq %%rax, (%[to])\n\t" /* commit */				\
	"2:\n\t"

static inline bool
tbuf_swap_pair(uint64_t *pair, const uint64_t old[2], const uint64_t new[2])
{
	bool swapped;

	__asm__ volatile(
	    TBUF_PAIR_LOAD
	    "lock cmpxchg16b (%[pair])\n\t"
	    : "=@ccz"(swapped)
	    : [pair] "r"(pair), [old] "r"(old), [new] "r"(new)
	    : "rax", "rbx", "rcx", "rdx", "memory");
	return (swapped);
}
