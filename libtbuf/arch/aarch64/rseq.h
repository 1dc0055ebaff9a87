/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The steps of the sections of rseq.h for aarch64.  Memory is weakly
 * ordered: head and sequence are store-releases, and a store barrier is between
 * a step of the ring's tail and the stores that overwrite records.
 *
 * Registers: %[m] is the memo, %[rs] the thread's rseq area, %[w] the struct
 * tbuf_write or tbuf_search, and %[size] the record's size (in a fire of a
 * known shape a constant, with %[site] and %[values] in place of %[w]).
 * Inside, x9 is the lane, x10 head and at last the new head, x11 the stamp, x12
 * the storage, x13 the EPID, x14 the bytes of all rows; the rest up to x15 is
 * scratch.
 */
#ifdef TBUF_INJECT
#define TBUF_DELAY_IN(scratch, n)					\
	"ldr " scratch ", [%[inject], #(4 * " #n ")]\n\t"		\
	"77: subs " scratch ", " scratch ", #1\n\t"			\
	"b.cs 77b\n\t"
#define TBUF_INJECT_OPERAND	, [inject] "r"(tbuf_inject)
#else
#define TBUF_DELAY_IN(scratch, n)
#define TBUF_INJECT_OPERAND
#endif
#define TBUF_DELAY(n)	TBUF_DELAY_IN("w3", n)

#define TBUF_SECTION_ARM(descriptor)					\
	"adrp x3, " descriptor "\n\t"					\
	"add x3, x3, :lo12:" descriptor "\n\t"				\
	"str x3, [%[rs], #8]\n\t"

/*
 * The link register's value is kept at the jump, so the return address has the
 * column that libgcc gives it in a signal's frame.
 */
#define TBUF_SECTION_BEGIN						\
	TBUF_SECTION_DESCRIPTOR("3", "1f", "2f", "4f")			\
	".pushsection __rseq_failure, \"ax\"\n\t"			\
	".inst 0xd428bc00\n\t" /* brk, the signature */			\
	"4: b %l[changed]\n\t"						\
	TBUF_UNWIND_RULES("96", "31", ".byte 0x16, 96, 6, 0xf1, 0x1b\n\t" \
	    ".long %l[changed] - .\n\t")				\
	".popsection\n\t"						\
	TBUF_DELAY(7)							\
	TBUF_SECTION_ARM("3b")						\
	"1:\n\t"							\
	TBUF_DELAY(0)

#define TBUF_BEGIN_OPERANDS						\
	[rs] "r"(tbuf_rseq_area()) TBUF_INJECT_OPERAND

#define TBUF_CHECK_OPERANDS						\
	[m] "r"(m), [local] "r"(tbuf_local)
#define TBUF_OWN_OPERANDS						\
	[m] "r"(tbuf_rseq_own()), [local] "r"(tbuf_local)

/* An operand has to be in a register on this architecture. */
#define TBUF_R_OR_CONSTANT	"r"
#define TBUF_R_OR_MEMORY	"r"
#define TBUF_R_OR_WIDE		"r"

#define TBUF_CLOBBERS							\
	"x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12",	\
	"x13", "x14", "x15", "memory", "cc"
#define TBUF_CLOBBERS_SEARCH	TBUF_CLOBBERS
#define TBUF_CLOBBERS_ROWS	TBUF_CLOBBERS
#define TBUF_CLOBBERS_PAIR	TBUF_CLOBBERS
#define TBUF_CLOBBERS_RELEASE	TBUF_CLOBBERS
#define TBUF_CLOBBERS_FEW	"x3", "x4", "memory", "cc"

/* Labels by which a section that writes records may leave. */
#define TBUF_RECORD_LABELS	changed, late, damaged, chain

/* A field of the memo, and of the struct in %[w]. */
#define TBUF_OF_M(field)	"[%[m], #" TBUF_O(field) "]"
#define TBUF_OF_W(field)	"[%[w], #" TBUF_O(field) "]"

/* need [a] == [b] */
#define TBUF_NEED_EQUAL(a, b)						\
	"ldr x3, " a "\n\t"						\
	"ldr x4, " b "\n\t"						\
	"cmp x3, x4\n\t"						\
	"b.ne %l[changed]\n\t"

#define TBUF_SECTION_HERE						\
	"ldr w3, [%[m], #" TBUF_O(M_CPU) "]\n\t"			\
	"ldr w4, [%[rs], #4]\n\t"					\
	"cmp w3, w4\n\t"						\
	"b.ne %l[changed]\n\t"						\
	"ldr x3, [%[local]]\n\t"					\
	"cbz x3, %l[changed]\n\t"

#define TBUF_SECTION_GENERATION						\
	"ldr x3, " TBUF_OF_M(M_SLOT) "\n\t"				\
	TBUF_NEED_EQUAL("[x3, #" TBUF_O(S_GENERATION) "]",		\
	    TBUF_OF_M(M_GENERATION))					\
	TBUF_DELAY(1)

/* x9 becomes the memo's lane. */
#define TBUF_SECTION_SESSION						\
	TBUF_SECTION_GENERATION						\
	"ldr x9, [%[m], #" TBUF_O(M_LANE) "]\n\t"

#define TBUF_SECTION_ENABLED						\
	"ldr x3, [%[site], #" TBUF_O(SITE_ENABLED) "]\n\t"		\
	"ldr w3, [x3]\n\t"						\
	"ldr x4, [%[m], #" TBUF_O(M_BITS) "]\n\t"			\
	"cmp x3, x4\n\t"						\
	"b.ne %l[changed]\n\t"

#define TBUF_SECTION_AMONG						\
	"ldr x3, [%[site], #" TBUF_O(SITE_ENABLED) "]\n\t"		\
	"ldar w3, [x3]\n\t"						\
	"ldr x4, [%[m], #" TBUF_O(M_BITS) "]\n\t"			\
	"tst x3, x4\n\t"						\
	"b.eq %l[changed]\n\t"

#define TBUF_SECTION_BITS						\
	"ldr x3, [%[m], #" TBUF_O(M_BITS) "]\n\t"			\
	"cmp x3, %[bits]\n\t"						\
	"b.ne %l[changed]\n\t"

#define TBUF_SECTION_SAME						\
	"ldr x3, [%[m], #" TBUF_O(M_SLOT) "]\n\t"			\
	"cmp x3, %[slot]\n\t"						\
	"b.ne %l[changed]\n\t"						\
	"ldr x3, [%[m], #" TBUF_O(M_GENERATION) "]\n\t"			\
	"cmp x3, %[generation]\n\t"					\
	"b.ne %l[changed]\n\t"						\
	TBUF_SECTION_SESSION

/* STAMP, later than the lane's last; one that no record uses does no harm. */
#define TBUF_SECTION_STAMP						\
	"mrs x11, cntvct_el0\n\t"					\
	"ldr x3, [x9, #" TBUF_O(L_LAST) "]\n\t"				\
	"add x3, x3, #1\n\t"						\
	"cmp x11, x3\n\t"						\
	"csel x11, x3, x11, lo\n\t"					\
	"str x11, [x9, #" TBUF_O(L_LAST) "]\n\t"

/*
 * ROOM of a linear lane; goes to the label `no` if there is none.  The load
 * of limit pairs with the consumer's store-release of it.
 */
#define TBUF_SECTION_LINEAR(SIZE, no)					\
	"add x4, x10, " SIZE "\n\t"					\
	"add x3, x9, #" TBUF_O(L_LIMIT) "\n\t"				\
	"ldar x3, [x3]\n\t"						\
	"cmp x3, x4\n\t"						\
	"b.lo " no "\n\t"						\
	"ldr x3, [x9, #" TBUF_O(L_FULL) "]\n\t"				\
	"ldr x4, [%[m], #" TBUF_O(M_FILL_MASK) "]\n\t"			\
	"tst x3, x4\n\t"						\
	"b.ne " no "\n\t"

/* w13 becomes the EPID of a probe's only ECB; w4 is the probe's index. */
#define TBUF_SECTION_ECB						\
	"ldr x3, [%[m], #" TBUF_O(M_HEADS) "]\n\t"			\
	"ldr w13, [x3, x4, lsl #2]\n\t"					\
	"sub w4, w13, #1\n\t"						\
	"mov w3, %[most]\n\t"						\
	"cmp w4, w3\n\t"						\
	"b.hi %l[chain]\n\t"

#define TBUF_SECTION_SITE						\
	"ldr w4, [%[site], #" TBUF_O(SITE_INDEX) "]\n\t"		\
	TBUF_SECTION_ECB

/* w13 becomes w.epid or, if that is 0, the EPID of the probe's only ECB. */
#define TBUF_SECTION_EPID						\
	"ldr w13, [%[w], #" TBUF_O(W_EPID) "]\n\t"			\
	"cbnz w13, 11f\n\t"						\
	"ldr w4, [%[w], #" TBUF_O(W_INDEX) "]\n\t"			\
	TBUF_SECTION_ECB						\
	"11:\n\t"

/*
 * REFUSE: another section takes over.  Nothing can come between the two, as its
 * first instruction follows the store that arms it.
 */
#define TBUF_SECTION_REFUSE(SIZE, ONE)					\
	TBUF_SECTION_DESCRIPTOR("23", "21f", "22f", "4b")		\
	"ldr x3, [%[m], #" TBUF_O(M_BUFSIZE) "]\n\t"			\
	"cmp x3, " SIZE "\n\t"						\
	"b.lo %l[changed]\n\t"						\
	ONE								\
	TBUF_SECTION_ARM("23b")						\
	"21: ldr x4, [%[m], #" TBUF_O(M_SLOT) "]\n\t"			\
	"ldr x4, [x4, #" TBUF_O(S_DEADLINE) "]\n\t"			\
	"sub x4, x4, #1\n\t" /* none: later than any time */		\
	"cmp x11, x4\n\t"						\
	"b.hi %l[late]\n\t"						\
	TBUF_DELAY(6)							\
	"ldr x4, [x9, #" TBUF_O(L_FULL) "]\n\t"				\
	"add x4, x4, #1\n\t"						\
	"str x4, [x9, #" TBUF_O(L_FULL) "]\n\t" /* the last instruction */ \
	"22: b 2f\n\t"

/*
 * ROOM of a ring: x3 is the sequence, x4 the valid pair, x5 tail, x6 the bytes
 * of all records, x7 overwritten, x8 the size of the oldest, x12 scratch.  The
 * barrier pairs with the load barriers of a reader of the pair, which must not
 * see the next step's pair before this step's sequence, and with the load
 * barrier after a snapshot's copy.  It comes first, as the step before may be
 * that of an aborted section.
 */
#define TBUF_SECTION_RING(SIZE)						\
	"ldr x3, [x9, #" TBUF_O(L_SEQUENCE) "]\n\t"			\
	"add x4, x9, #" TBUF_O(L_PAIR) "\n\t"				\
	"tst x3, #1\n\t"						\
	"add x5, x4, #16\n\t"						\
	"csel x4, x5, x4, ne\n\t"					\
	"ldp x5, x7, [x4]\n\t"						\
	"sub x6, x10, x5\n\t"						\
	"5: dmb ishst\n\t"						\
	"add x8, x6, " SIZE "\n\t"					\
	"ldr x12, [%[m], #" TBUF_O(M_BUFSIZE) "]\n\t"			\
	"cmp x8, x12\n\t"						\
	"b.ls 10f\n\t"							\
	"cmp x6, x12\n\t"						\
	"b.hi %l[damaged]\n\t"						\
	"tst x10, #7\n\t"						\
	"b.ne %l[damaged]\n\t"						\
	"cmp x12, " SIZE "\n\t"						\
	"b.lo %l[changed]\n\t"						\
	/* one step */							\
	"add x8, x5, #8\n\t"						\
	"ldr x12, [%[m], #" TBUF_O(M_MASK8) "]\n\t"			\
	"and x8, x8, x12\n\t"						\
	"ldr x12, [%[m], #" TBUF_O(M_DATA) "]\n\t"			\
	"add x8, x8, x12\n\t"						\
	/* x7 + 1, except for an envelope or a unit's commit record */	\
	"ldrh w12, [x8]\n\t"						\
	"mov w4, #" TBUF_O(E_UNIT) "\n\t"				\
	"sub w12, w12, w4\n\t"						\
	"cmp w12, #2\n\t"						\
	"cinc x7, x7, hs\n\t"						\
	"ldrh w8, [x8, #2]\n\t"						\
	"tst w8, #7\n\t"						\
	"b.ne %l[damaged]\n\t"						\
	"cmp w8, #16\n\t"						\
	"b.lo %l[damaged]\n\t"						\
	"subs x6, x6, x8\n\t"						\
	"b.lo %l[damaged]\n\t"						\
	"add x5, x5, x8\n\t"						\
	"add x3, x3, #1\n\t"						\
	"add x4, x9, #" TBUF_O(L_PAIR) "\n\t"				\
	"tst x3, #1\n\t"						\
	"add x12, x4, #16\n\t"						\
	"csel x4, x12, x4, ne\n\t"					\
	"stp x5, x7, [x4]\n\t"						\
	TBUF_DELAY_IN("w12", 2)						\
	"add x12, x9, #" TBUF_O(L_SEQUENCE) "\n\t"			\
	"stlr x3, [x12]\n\t"						\
	TBUF_DELAY_IN("w12", 3)						\
	"b 5b\n\t"

/*
 * STRETCH: x6 is the room, x10 head; x3 to x5 and x12 are scratch.  Goes to the
 * label `none` if there is less than a record's room.
 */
#define TBUF_SECTION_STRETCH(none)					\
	"ldr x5, " TBUF_OF_M(M_MASK8) "\n\t"				\
	"and x4, x10, x5\n\t"						\
	"add x5, x5, #8\n\t"						\
	"sub x5, x5, x4\n\t" /* up to the storage's end */		\
	"cmp x6, x5\n\t"						\
	"csel x6, x5, x6, hi\n\t"					\
	"ldr x12, " TBUF_OF_M(M_DATA) "\n\t"				\
	"add x4, x4, x12\n\t"						\
	"mvn x5, x4\n\t"						\
	"and x5, x5, %[stretch] - 1\n\t"				\
	"add x5, x5, #1\n\t"						\
	"cmp x6, x5\n\t"						\
	"csel x6, x5, x6, hi\n\t"					\
	"ldr x5, [x4]\n\t"						\
	"str x10, " TBUF_OF_M(M_BASE) "\n\t"				\
	TBUF_DELAY(9)							\
	"subs x6, x6, %[flat]\n\t"					\
	"b.ls " none "\n\t"						\
	"strh w6, " TBUF_OF_M(M_SPAN) "\n\t"

/* WITHIN: x10 becomes head. */
#define TBUF_HEAD_WITHIN						\
	"ldr x3, " TBUF_OF_M(M_BASE) "\n\t"				\
	"ldrh w4, " TBUF_OF_M(M_SPAN) "\n\t"				\
	"sub x3, x10, x3\n\t"						\
	"cmp x3, x4\n\t"

#define TBUF_SECTION_NO_STRETCH						\
	"strh wzr, " TBUF_OF_M(M_SPAN) "\n\t"

/* The stretch of a linear lane, after its ROOM. */
#define TBUF_SECTION_EXTEND						\
	TBUF_HEAD_WITHIN						\
	"b.lo 10f\n\t"							\
	TBUF_SECTION_NO_STRETCH						\
	"ldr x3, " TBUF_OF_M(M_FILL_MASK) "\n\t"			\
	"cbnz x3, 10f\n\t"						\
	"add x3, x9, #" TBUF_O(L_LIMIT) "\n\t"				\
	"ldar x3, [x3]\n\t"						\
	"subs x6, x3, x10\n\t"						\
	"b.lo 10f\n\t"							\
	TBUF_SECTION_STRETCH("10f")

/*
 * ROOM by the policy, after STAMP; ONE comes before REFUSE, most often to check
 * that it is for one record; AFTER follows the ROOM of a linear lane.
 */
#define TBUF_SECTION_ROOM_FOR(SIZE, ONE, AFTER)				\
	"ldr x10, [x9, #" TBUF_O(L_HEAD) "]\n\t"			\
	"ldrh w3, [%[m], #" TBUF_O(M_RING) "]\n\t"			\
	"cbnz w3, 30f\n\t"						\
	TBUF_SECTION_LINEAR(SIZE, "20f")				\
	AFTER								\
	"b 10f\n\t"							\
	"20:\n\t"							\
	TBUF_SECTION_REFUSE(SIZE, ONE)					\
	"30:\n\t"							\
	TBUF_SECTION_RING(SIZE)						\
	"10:\n\t"

/* ROOM for a record that may be a work unit's. */
#define TBUF_SECTION_SEGMENTS_ROOM					\
	TBUF_SECTION_ROOM_FOR("%[size]",				\
	    "mov w3, #" TBUF_O(E_UNIT) "\n\t"				\
	    "sub w3, w13, w3\n\t"					\
	    "cmp w3, #2\n\t"						\
	    "b.lo %l[late]\n\t", "")

/* Stores the header; x5 becomes mask8. */
#define TBUF_SECTION_HEADER(TID)					\
	"mov x3, %[size]\n\t"						\
	"orr x13, x13, x3, lsl #16\n\t"					\
	"ldr w3, " TID "\n\t"						\
	"orr x13, x13, x3, lsl #32\n\t"					\
	"ldr x12, [%[m], #" TBUF_O(M_DATA) "]\n\t"			\
	"ldr x5, [%[m], #" TBUF_O(M_MASK8) "]\n\t"			\
	"and x4, x10, x5\n\t"						\
	"ldr x3, [x12, x4]\n\t"						\
	"str x11, [x12, x4]\n\t"					\
	"add x10, x10, #8\n\t"						\
	"and x4, x10, x5\n\t"						\
	"str x13, [x12, x4]\n\t"					\
	"add x10, x10, #8\n\t"						\
	TBUF_DELAY(4)

/* Copies the words at `from` to the storage, until x10 is x8. */
#define TBUF_COPY_WORDS(from)						\
	"b 8f\n\t"							\
	"7: and x4, x10, x5\n\t"					\
	"ldr x3, [" from "], #8\n\t"					\
	"str x3, [x12, x4]\n\t"						\
	"add x10, x10, #8\n\t"						\
	"8: cmp x10, x8\n\t"						\
	"b.ne 7b\n\t"

/* Stores the words from x13 on; x8 is the new head. */
#define TBUF_STORE_WORDS						\
	"add x8, x10, %[size]\n\t"					\
	"sub x8, x8, #16\n\t"						\
	TBUF_COPY_WORDS("x13")

#define TBUF_SECTION_FLAT_WORDS						\
	TBUF_SECTION_HEADER(TBUF_OF_M(M_TID))				\
	"mov x13, %[values]\n\t"					\
	TBUF_STORE_WORDS
#define TBUF_SECTION_FLAT(n)						\
	TBUF_SECTION_ENABLED						\
	TBUF_SECTION_HERE						\
	TBUF_SECTION_SESSION						\
	TBUF_SECTION_SITE						\
	TBUF_SECTION_STAMP						\
	"ldr x10, [x9, #" TBUF_O(L_HEAD) "]\n\t"			\
	TBUF_HEAD_WITHIN						\
	"b.hs %l[late]\n\t"						\
	TBUF_SECTION_FLAT_WORDS
#define TBUF_FLAT_WORDS_OPERANDS [size] "r"(size)

/*
 * RELEASE: x3 is the sequence, x5 tail, x7 overwritten, x8 the least new tail,
 * x10 head.  w13 is the size and EPID of the record before, x14 its size, x6 1
 * if it is counted; x4 and x11 are scratch.  Most often a record has the size
 * and EPID of the one before it: so the branch is predicted, and no record's
 * load waits for that of the record before.  The barriers are those of ROOM.
 */
#define TBUF_RELEASE_LOAD(to)						\
	"add x11, x5, #8\n\t"						\
	"and x11, x11, x15\n\t"					\
	"ldr " to ", [x12, x11]\n\t"
#define TBUF_RELEASE_PAIR						\
	"tst x3, #1\n\t"						\
	"add x4, x9, #" TBUF_O(L_PAIR) "\n\t"				\
	"add x11, x4, #16\n\t"						\
	"csel x4, x11, x4, ne\n\t"
#define TBUF_SECTION_RELEASE						\
	"ldrh w3, " TBUF_OF_M(M_RING) "\n\t"				\
	"cbz w3, %l[changed]\n\t"					\
	TBUF_SECTION_NO_STRETCH						\
	"ldr x10, [x9, #" TBUF_O(L_HEAD) "]\n\t"			\
	"tst x10, #7\n\t"						\
	"b.ne %l[changed]\n\t"						\
	"ldr x3, [x9, #" TBUF_O(L_SEQUENCE) "]\n\t"			\
	TBUF_RELEASE_PAIR						\
	"ldp x5, x7, [x4]\n\t"						\
	"sub x4, x10, x5\n\t"						\
	"ldr x6, " TBUF_OF_M(M_BUFSIZE) "\n\t"				\
	"subs x6, x6, x4\n\t"						\
	"b.lo %l[changed]\n\t"						\
	"subs x8, %[want], x6\n\t"					\
	"b.ls 8f\n\t"							\
	"add x8, x8, x5\n\t"						\
	"ldr x12, " TBUF_OF_M(M_DATA) "\n\t"				\
	"ldr x15, " TBUF_OF_M(M_MASK8) "\n\t"				\
	"5:\n\t"							\
	TBUF_RELEASE_LOAD("w13")					\
	"lsr w14, w13, #16\n\t"					\
	"tst w14, #7\n\t"						\
	"b.ne %l[changed]\n\t"						\
	"cmp w14, #16\n\t"						\
	"b.lo %l[changed]\n\t"						\
	/* 1, except for an envelope or a unit's commit record */	\
	"uxth w4, w13\n\t"						\
	"mov w11, #" TBUF_O(E_UNIT) "\n\t"				\
	"sub w4, w4, w11\n\t"						\
	"cmp w4, #2\n\t"						\
	"cset x6, hs\n\t"						\
	"6: add x5, x5, x14\n\t"					\
	"add x7, x7, x6\n\t"						\
	"cmp x5, x8\n\t"						\
	"b.hs 7f\n\t"							\
	TBUF_RELEASE_LOAD("w11")					\
	"cmp w11, w13\n\t"						\
	"b.eq 6b\n\t"							\
	"b 5b\n\t"							\
	"7: cmp x5, x10\n\t"						\
	"b.hi %l[changed]\n\t"						\
	"add x3, x3, #1\n\t"						\
	TBUF_RELEASE_PAIR						\
	"dmb ishst\n\t"						\
	"stp x5, x7, [x4]\n\t"						\
	TBUF_DELAY_IN("w11", 2)						\
	"add x11, x9, #" TBUF_O(L_SEQUENCE) "\n\t"			\
	"stlr x3, [x11]\n\t"						\
	TBUF_DELAY_IN("w11", 3)						\
	"ldr x6, " TBUF_OF_M(M_BUFSIZE) "\n\t"				\
	"add x6, x6, x5\n\t"						\
	"sub x6, x6, x10\n\t"						\
	"8: dmb ishst\n\t"						\
	TBUF_SECTION_STRETCH("%l[changed]")

#define TBUF_SECTION_WORDS						\
	TBUF_SECTION_HEADER(TBUF_OF_W(W_TID))				\
	"ldr x13, [%[w], #" TBUF_O(W_FROM) "]\n\t"			\
	TBUF_STORE_WORDS

/*
 * Copies segments of any size and alignment.  x13 is the segment, x8 the end of
 * all segments, x14 the segment's bytes, x15 how many of them remain.
 */
#define TBUF_SECTION_SEGMENTS						\
	TBUF_SECTION_HEADER(TBUF_OF_W(W_TID))				\
	"add x5, x5, #7\n\t"						\
	"ldr x13, [%[w], #" TBUF_O(W_FROM) "]\n\t"			\
	"ldr x8, [%[w], #" TBUF_O(W_FROM_END) "]\n\t"			\
	"7: cmp x13, x8\n\t"						\
	"b.eq 12f\n\t"							\
	"ldp x14, x15, [x13], #16\n\t"					\
	/* a chunk: up to the storage's end */				\
	"8: and x4, x10, x5\n\t"					\
	"sub x3, x5, x4\n\t"						\
	"add x3, x3, #1\n\t"						\
	"cmp x3, x15\n\t"						\
	"csel x3, x15, x3, hi\n\t"					\
	"add x10, x10, x3\n\t"						\
	"sub x15, x15, x3\n\t"						\
	"add x4, x4, x12\n\t"						\
	"9: subs x3, x3, #8\n\t"					\
	"b.lo 10f\n\t"							\
	"ldr x6, [x14], #8\n\t"						\
	"str x6, [x4], #8\n\t"						\
	"b 9b\n\t"							\
	"10: adds x3, x3, #8\n\t"					\
	"b.eq 11f\n\t"							\
	"13: ldrb w6, [x14], #1\n\t"					\
	"strb w6, [x4], #1\n\t"						\
	"subs x3, x3, #1\n\t"						\
	"b.ne 13b\n\t"							\
	"11: cbnz x15, 8b\n\t"						\
	"b 7b\n\t"							\
	"12:\n\t"

#define TBUF_SECTION_COMMIT						\
	"add x4, x9, #" TBUF_O(L_HEAD) "\n\t"				\
	TBUF_DELAY(5)							\
	"stlr x10, [x4]\n\t" /* commit */				\
	"2:\n\t"

#define TBUF_WRITE_OPERANDS						\
	[w] "r"(w), [size] "r"(w->size), TBUF_ECB_OPERANDS

/*
 * ROWS reads the counter for each session: that costs no more than to find out
 * whether other code has run in between.
 */
#define TBUF_SECTION_GO_ON						\
	TBUF_SECTION_BEGIN						\
	TBUF_SECTION_HERE

/* w13 becomes the chain's EPID after the one in w13. */
#define TBUF_SECTION_NEXT						\
	"ldr x3, [%[m], #" TBUF_O(M_ECB_MAX) "]\n\t"			\
	"cmp x13, x3\n\t"						\
	"b.hs %l[chain]\n\t"						\
	"ldr x3, [%[m], #" TBUF_O(M_ECBS) "]\n\t"			\
	"add x3, x3, x13, lsl #3\n\t"					\
	"ldrh w13, [x3, #" TBUF_O(E_NEXT) "]\n\t"

/*
 * The chain of the probe that has the index in w4.  x14 becomes the bytes of
 * all its records, x13 the first EPID; x15 is the address of the chain head.
 */
#define TBUF_SECTION_CHAIN						\
	"ldr x15, [%[m], #" TBUF_O(M_HEADS) "]\n\t"			\
	"add x15, x15, x4, lsl #2\n\t"					\
	"ldr w13, [x15]\n\t"						\
	"mov x14, %[size]\n\t"						\
	"mov w3, %[most]\n\t"						\
	"sub w4, w13, #1\n\t"						\
	"cmp w4, w3\n\t"						\
	"b.ls 41f\n\t"							\
	"mov w5, %[more]\n\t"						\
	"sub w4, w4, w5\n\t"						\
	"cmp w4, w3\n\t"						\
	"b.hi %l[chain]\n\t"						\
	"add w13, w4, #1\n\t"						\
	"40:\n\t"							\
	TBUF_SECTION_NEXT						\
	"cbz w13, 42f\n\t"						\
	"add x14, x14, %[size]\n\t"					\
	"mov x3, %[longest]\n\t"					\
	"cmp x14, x3\n\t"						\
	"b.ls 40b\n\t"							\
	"b %l[chain]\n\t"						\
	"42: ldrh w13, [x15]\n\t"					\
	"41:\n\t"

/*
 * The records: x15 is their end, x7 their size and thread, x6 the words, which
 * FROM sets, x8 the end of one record.  A chain that has changed meanwhile does
 * no harm.
 */
#define TBUF_SECTION_STORE_ROWS(FROM)					\
	"add x15, x10, x14\n\t"						\
	"mov x3, %[size]\n\t"						\
	"ldr w7, [%[w], #" TBUF_O(W_TID) "]\n\t"			\
	"lsl x7, x7, #32\n\t"						\
	"orr x7, x7, x3, lsl #16\n\t"					\
	"ldr x12, [%[m], #" TBUF_O(M_DATA) "]\n\t"			\
	"ldr x5, [%[m], #" TBUF_O(M_MASK8) "]\n\t"			\
	"50: add x8, x10, %[size]\n\t"					\
	"and x4, x10, x5\n\t"						\
	"ldr x3, [x12, x4]\n\t"						\
	"str x11, [x12, x4]\n\t"					\
	"add x10, x10, #8\n\t"						\
	"and x4, x10, x5\n\t"						\
	"orr x3, x7, x13\n\t"						\
	"str x3, [x12, x4]\n\t"						\
	"add x10, x10, #8\n\t"						\
	TBUF_DELAY(4)							\
	FROM								\
	TBUF_COPY_WORDS("x6")						\
	"cmp x10, x15\n\t"						\
	"b.hs 51f\n\t"							\
	TBUF_SECTION_NEXT						\
	"add x11, x11, #1\n\t"						\
	"str x11, [x9, #" TBUF_O(L_LAST) "]\n\t"			\
	"b 50b\n\t"							\
	"51:\n\t"

/* The rows; INDEX loads the probe's index to w4. */
#define TBUF_SECTION_ROWS_OF(INDEX, FROM)				\
	INDEX								\
	TBUF_SECTION_CHAIN						\
	TBUF_SECTION_STAMP						\
	TBUF_SECTION_ROOM_FOR("x14",					\
	    "cmp x14, %[size]\n\t"					\
	    "b.ne %l[chain]\n\t", "")					\
	TBUF_SECTION_STORE_ROWS(FROM)

#define TBUF_SECTION_FEW_ROWS						\
	TBUF_SECTION_ROWS_OF(						\
	    "ldr w4, [%[site], #" TBUF_O(SITE_INDEX) "]\n\t",		\
	    "mov x6, %[values]\n\t")
#define TBUF_SECTION_ROWS						\
	TBUF_SECTION_ROWS_OF(						\
	    "ldr w4, [%[w], #" TBUF_O(W_INDEX) "]\n\t",			\
	    "ldr x6, [%[w], #" TBUF_O(W_FROM) "]\n\t")

#define TBUF_CHAIN_OPERANDS						\
	[size] "r"(w->size), [more] "i"(TBUF_HEAD_MORE),		\
	[longest] "i"(TBUF_RECORD_MAX), TBUF_ECB_OPERANDS
#define TBUF_ROWS_OPERANDS						\
	TBUF_CHECK_OPERANDS, [w] "r"(w), TBUF_CHAIN_OPERANDS
#define TBUF_FEW_ROWS_OPERANDS						\
	TBUF_CHECK_OPERANDS, [w] "r"(w), [site] "r"(site),		\
	[values] "r"(values), TBUF_CHAIN_OPERANDS

#define TBUF_SECTION_STORE						\
	TBUF_DELAY(6)							\
	"str %[value], [%[word]]\n\t"					\
	"2:\n\t"

#define TBUF_SECTION_ADD						\
	TBUF_DELAY(6)							\
	"ldr x3, [%[word]]\n\t"						\
	"add x3, x3, %[delta]\n\t"					\
	"str x3, [%[word]]\n\t"						\
	"2:\n\t"

#define TBUF_SECTION_TURN						\
	"ldr x3, " TBUF_OF_M(M_SLOT) "\n\t"				\
	TBUF_NEED_EQUAL("[x3, #" TBUF_O(S_TURN) "]", TBUF_OF_W(U_TURN))	\
	TBUF_NEED_EQUAL(TBUF_OF_M(M_LANE), TBUF_OF_W(U_LANE))		\
	TBUF_DELAY(1)

/*
 * The search: x10 is the table, w5 the slot's number, w6 its mask, w7 the
 * remaining slots, x8 the entry.  An offset outside the entries is not an
 * entry's; one after LAST, which w3 becomes, has no room for this entry.
 */
#define TBUF_SECTION_SEARCH(HAS, LAST)					\
	"ldr x10, " HAS(TABLE) "\n\t"					\
	"ldr x12, [%[w], #" TBUF_O(U_KEY) "]\n\t"			\
	"ldr w5, [%[w], #" TBUF_O(U_HASH) "]\n\t"			\
	"ldr w6, " HAS(MASK) "\n\t"					\
	"mov w7, #" TBUF_O(T_PROBES) "\n\t"				\
	"5: and w5, w5, w6\n\t"						\
	"add x3, x10, x5, lsl #2\n\t"					\
	"ldr w8, [x3, #" TBUF_O(T_INDEX) "]\n\t"			\
	"ldr w3, " HAS(HEAP) "\n\t"					\
	"subs w4, w8, w3\n\t"						\
	"b.lo %l[changed]\n\t"						\
	"ldr w3, [x10]\n\t"						\
	"cmp w4, w3\n\t"						\
	"b.hs %l[changed]\n\t"						\
	LAST "\n\t"							\
	"cmp w8, w3\n\t"						\
	"b.hi %l[changed]\n\t"						\
	"add x8, x10, x8\n\t"						\
	"ldr x3, [%[w], #" TBUF_O(U_ENTRY) "]\n\t"			\
	"ldr x4, [x8]\n\t"						\
	"cmp x3, x4\n\t"						\
	"b.ne 6f\n\t"							\
	"ldr x3, [%[w], #" TBUF_O(U_HASH) "]\n\t"			\
	"ldr x4, [x8, #" TBUF_O(K_HASH) "]\n\t"				\
	"cmp x3, x4\n\t"						\
	"b.ne 6f\n\t"							\
	"ldr x11, [%[w], #" TBUF_O(U_SIZE) "]\n\t"			\
	"add x13, x8, #" TBUF_O(K_KEY) "\n\t"				\
	"7: subs x11, x11, #8\n\t"					\
	"b.lo 8f\n\t"							\
	"ldr x3, [x12, x11]\n\t"					\
	"ldr x4, [x13, x11]\n\t"					\
	"cmp x3, x4\n\t"						\
	"b.eq 7b\n\t"							\
	"6: add w5, w5, #1\n\t"						\
	"subs w7, w7, #1\n\t"						\
	"b.ne 5b\n\t"							\
	"b %l[changed]\n\t"						\
	"8:\n\t"

/* x10 becomes the value's address. */
#define TBUF_SECTION_VALUE(HAS)						\
	"ldr w3, [x8, #" TBUF_O(K_VALUES) "]\n\t"			\
	"ldr w4, [x8, #" TBUF_O(K_NWORDS) "]\n\t"			\
	"ldr x5, [%[w], #" TBUF_O(U_WORD) "]\n\t"			\
	"cmp x5, x4\n\t"						\
	"b.hs %l[changed]\n\t"						\
	"ldr x4, " HAS(HEAP) "\n\t"					\
	"cmp x3, x4\n\t"						\
	"b.lo %l[changed]\n\t"						\
	"add x3, x3, x5, lsl #3\n\t"					\
	"ldr x4, " HAS(END) "\n\t"					\
	"cmp x3, x4\n\t"						\
	"b.hi %l[changed]\n\t"						\
	"tst x3, #7\n\t"						\
	"b.ne %l[changed]\n\t"						\
	"add x10, x10, x3\n\t"

#define TBUF_SECTION_FIND						\
	TBUF_SECTION_SEARCH(TBUF_SEARCH_HAS,				\
	    "ldr w3, " TBUF_SEARCH_HAS(LAST))				\
	TBUF_SECTION_VALUE(TBUF_SEARCH_HAS)

/* The last offset by the memo: the table's bytes, less those of the entry. */
#define TBUF_SECTION_FIND_CACHED					\
	TBUF_SECTION_SEARCH(TBUF_MEMO_HAS,				\
	    "ldr w3, " TBUF_MEMO_HAS(STORAGE) "\n\t"			\
	    "ldr w4, [%[w], #" TBUF_O(U_ENTRY) "]\n\t"			\
	    "subs w3, w3, w4\n\t"					\
	    "b.lo %l[changed]")						\
	TBUF_SECTION_VALUE(TBUF_MEMO_HAS)

#define TBUF_SECTION_UPDATE						\
	TBUF_DELAY(6)							\
	"ldr x3, [x10]\n\t"						\
	"ldr x4, [%[w], #" TBUF_O(U_DELTA) "]\n\t"			\
	"add x3, x3, x4\n\t"						\
	"str x3, [x10]\n\t" /* commit */				\
	"2:\n\t"

/* SUM from the last word of the copies, at x10: next copy, then version. */
#define TBUF_SECTION_SUM						\
	"sub x10, x10, #32\n\t"						\
	"ldr x5, [x10]\n\t"						\
	"and x4, x5, #1\n\t"						\
	"add x6, x10, x4, lsl #4\n\t"					\
	"ldr x7, [x6, #8]\n\t"						\
	"ldr x8, [x6, #16]\n\t"						\
	"ldr x3, [%[w], #" TBUF_O(U_DELTA) "]\n\t"			\
	"add x7, x7, #1\n\t"						\
	"add x8, x8, x3\n\t"						\
	"eor x4, x4, #1\n\t"						\
	"add x6, x10, x4, lsl #4\n\t"					\
	"dmb ishst\n\t" /* the copy comes after the last commit */	\
	"str x7, [x6, #8]\n\t"						\
	TBUF_DELAY(5)							\
	"str x8, [x6, #16]\n\t"						\
	"add x5, x5, #1\n\t"						\
	TBUF_DELAY(6)							\
	"stlr x5, [x10]\n\t" /* commit */				\
	"2:\n\t"

/* PEAK from the last word of the copies, at x10: value and slot.cleared. */
#define TBUF_SECTION_PEAK						\
	"ldr x3, [%[m], #" TBUF_O(M_SLOT) "]\n\t"			\
	"ldr w12, [x3, #" TBUF_O(S_CLEARED) "]\n\t"			\
	"sub x10, x10, #32\n\t"						\
	"ldr x5, [x10]\n\t"						\
	"cbz x5, %l[changed]\n\t"					\
	"and x4, x5, #1\n\t"						\
	"add x6, x10, x4, lsl #4\n\t"					\
	"ldr x7, [x6, #16]\n\t"						\
	"cmp x7, x12\n\t"						\
	"b.ne %l[changed]\n\t"						\
	"ldr x7, [x6, #8]\n\t"						\
	"ldr x8, [%[w], #" TBUF_O(U_FLIP) "]\n\t"			\
	"ldr x3, [%[w], #" TBUF_O(U_DELTA) "]\n\t"			\
	"eor x7, x7, x8\n\t"						\
	"eor x8, x8, x3\n\t"						\
	"cmp x8, x7\n\t"						\
	"b.le 2f\n\t"							\
	"eor x4, x4, #1\n\t"						\
	"dmb ishst\n\t" /* the copy comes after the last commit */	\
	"add x6, x10, x4, lsl #4\n\t"					\
	"str x3, [x6, #8]\n\t"						\
	TBUF_DELAY(5)							\
	"str x12, [x6, #16]\n\t"					\
	"add x5, x5, #1\n\t"						\
	TBUF_DELAY(6)							\
	"stlr x5, [x10]\n\t" /* commit */				\
	"2:\n\t"

#define TBUF_SECTION_TOTAL						\
	"ldr x4, [%[m], #" TBUF_O(M_ECB_MAX) "]\n\t"			\
	"cmp %[word], x4\n\t"						\
	"b.hs %l[changed]\n\t"						\
	"ldr x4, [%[m], #" TBUF_O(M_DATA) "]\n\t"			\
	"add x4, x4, %[word], lsl #3\n\t"				\
	TBUF_DELAY(6)							\
	"ldr x3, [x4]\n\t"						\
	"add x3, x3, %[delta]\n\t"					\
	"str x3, [x4]\n\t"						\
	"2:\n\t"

#define TBUF_SECTION_LOAD						\
	"mov x4, %[size]\n\t"						\
	"7: sub x4, x4, #8\n\t"						\
	"ldr x3, [%[from], x4]\n\t"					\
	"str x3, [%[to], x4]\n\t"					\
	"cbnz x4, 7b\n\t"						\
	"2:\n\t"

/* x5 is the word that commits, x6 the destination and x7 the source. */
#define TBUF_SECTION_PUBLISH_COPY					\
	"ldr x5, [%[p], #" TBUF_O(P_WORD) "]\n\t"			\
	TBUF_NEED_EQUAL("[%[p], #" TBUF_O(P_OLD) "]", "[x5]")		\
	"ldr x6, [%[p], #" TBUF_O(P_TO) "]\n\t"				\
	"ldr x7, [%[p], #" TBUF_O(P_FROM) "]\n\t"			\
	"ldr x4, [%[p], #" TBUF_O(P_SIZE) "]\n\t"			\
	"dmb ishst\n\t" /* the copy comes after the last commit */	\
	"7: sub x4, x4, #8\n\t"						\
	"ldr x3, [x7, x4]\n\t"						\
	"str x3, [x6, x4]\n\t"						\
	"cbnz x4, 7b\n\t"

#define TBUF_SECTION_PUBLISH_ZERO					\
	"ldr x6, [%[p], #" TBUF_O(P_ZERO) "]\n\t"			\
	"ldr x4, [%[p], #" TBUF_O(P_ZEROES) "]\n\t"			\
	"b 9f\n\t"							\
	"8: str xzr, [x6, x4]\n\t"					\
	"9: subs x4, x4, #8\n\t"					\
	"b.hs 8b\n\t"

#define TBUF_SECTION_PUBLISH						\
	TBUF_DELAY(4)							\
	"ldr x6, [%[p], #" TBUF_O(P_SLOT) "]\n\t"			\
	"ldr w3, [%[p], #" TBUF_O(P_OFFSET) "]\n\t"			\
	"str w3, [x6]\n\t"						\
	TBUF_DELAY(5)							\
	"ldr x3, [%[p], #" TBUF_O(P_NEW) "]\n\t"			\
	"stlr x3, [x5]\n\t" /* commit */				\
	"2:\n\t"

/*
 * SHARED and SWAP also leave CHANGED if the store fails for a reason of the
 * processor's own.
 */
#define TBUF_SECTION_SHARED						\
	TBUF_DELAY(6)							\
	"ldxr x3, [%[counter]]\n\t"					\
	"add x3, x3, #1\n\t"						\
	"stxr w4, x3, [%[counter]]\n\t"					\
	"2: cbnz w4, %l[changed]\n\t"

#define TBUF_SECTION_SWAP						\
	TBUF_DELAY(6)							\
	"ldaxr x3, [%[word]]\n\t"					\
	"cmp x3, %[old]\n\t"						\
	"b.ne %l[changed]\n\t"						\
	"stlxr w4, %[new], [%[word]]\n\t"				\
	"2: cbnz w4, %l[changed]\n\t"

#define TBUF_PAIR_LOAD							\
	"ldp x3, x4, [%[old]]\n\t"					\
	"ldp x5, x6, [%[new]]\n\t"

#define TBUF_SECTION_SWAP_PAIR						\
	TBUF_DELAY(6)							\
	TBUF_PAIR_LOAD							\
	"ldaxp x7, x8, [%[pair]]\n\t"					\
	"cmp x7, x3\n\t"						\
	"ccmp x8, x4, #0, eq\n\t"					\
	"b.ne %l[changed]\n\t"						\
	"stlxp w10, x5, x6, [%[pair]]\n\t"				\
	"2: cbnz w10, %l[changed]\n\t"

#define TBUF_SECTION_RESTART						\
	"ldr x10, [x9, #" TBUF_O(L_HEAD) "]\n\t"			\
	"add x10, x10, #7\n\t"						\
	"and x10, x10, #-8\n\t"						\
	"ldr x3, [x9, #" TBUF_O(L_SEQUENCE) "]\n\t"			\
	"add x4, x9, #" TBUF_O(L_PAIR) "\n\t"				\
	"add x5, x4, #16\n\t"						\
	"tst x3, #1\n\t"						\
	"csel x6, x5, x4, ne\n\t"					\
	"csel x7, x4, x5, ne\n\t"					\
	"ldr x8, [x6, #8]\n\t"						\
	"dmb ishst\n\t" /* after a step's sequence, as above */		\
	"stp x10, x8, [x7]\n\t"						\
	"add x3, x3, #1\n\t"						\
	"add x4, x9, #" TBUF_O(L_SEQUENCE) "\n\t"			\
	"stlr x3, [x4]\n\t"						\
	"ldr x3, [x9, #" TBUF_O(L_RESTARTS) "]\n\t"			\
	"add x3, x3, #1\n\t"						\
	"str x3, [x9, #" TBUF_O(L_RESTARTS) "]\n\t"			\
	"add x4, x9, #" TBUF_O(L_HEAD) "\n\t"				\
	"stlr x10, [x4]\n\t"						\
	"2:\n\t"

#define TBUF_SECTION_REMEMBER						\
	"ldr w3, [%[from], #" TBUF_O(M_CPU) "]\n\t"			\
	"ldr w4, [%[rs], #4]\n\t"					\
	"cmp w3, w4\n\t"						\
	"b.ne %l[changed]\n\t"						\
	"ldr w3, [%[marked]]\n\t"					\
	"cbnz w3, %l[changed]\n\t"					\
	"str %[none], [%[to]]\n\t"					\
	"mov x4, %[size]\n\t"						\
	"5: sub x4, x4, #8\n\t"						\
	"cbz x4, 6f\n\t"						\
	"ldr x3, [%[from], x4]\n\t"					\
	"str x3, [%[to], x4]\n\t"					\
	TBUF_DELAY(8)							\
	"b 5b\n\t"							\
	"6: ldr x3, [%[from]]\n\t"					\
	"str x3, [%[to]]\n\t" /* commit */				\
	"2:\n\t"

static inline bool
tbuf_swap_pair(uint64_t *pair, const uint64_t old[2], const uint64_t new[2])
{
	uint32_t failed;

	__asm__ volatile(
	    TBUF_PAIR_LOAD
	    "1: ldaxp x7, x8, [%[pair]]\n\t"
	    "cmp x7, x3\n\t"
	    "ccmp x8, x4, #0, eq\n\t"
	    "cset %w[failed], ne\n\t"
	    "b.ne 2f\n\t"
	    "stlxp %w[failed], x5, x6, [%[pair]]\n\t"
	    "cbnz %w[failed], 1b\n\t"
	    "2:\n\t"
	    : [failed] "=&r"(failed)
	    : [pair] "r"(pair), [old] "r"(old), [new] "r"(new)
	    : "x3", "x4", "x5", "x6", "x7", "x8", "memory", "cc");
	return (failed == 0);
}
