/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The restartable sections of rseq.h for aarch64.  The machine is weakly
 * ordered: head and sequence are store-releases, and a store barrier is between
 * a step of the ring's tail and the stores that overwrite records.
 *
 * Registers: %[m] is the memo, %[rs] the thread's rseq area, %[w] the struct
 * tbuf_write and %[size] the record's size (in a fire of a known shape a
 * constant, with %[site] and %[values] in place of %[w]).  Inside, x9 is the
 * lane, x10 head and at last the new head, x11 the stamp, x12 the storage, x13
 * the EPID, x14 the bytes of all rows; the rest up to x15 is scratch.
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

/*
 * A section's descriptor: the code between two labels, and the abort address.
 * It is constant once relocated, and shares a page with other such data.
 */
#define TBUF_SECTION_DESCRIPTOR(name, from, to, abort)			\
	".pushsection .data.rel.ro.__rseq_cs, \"aw\"\n\t"		\
	".balign 32\n\t"						\
	name ": .long 0, 0\n\t"						\
	".quad " from ", (" to " - " from "), " abort "\n\t"		\
	".popsection\n\t"

#define TBUF_SECTION_ARM(descriptor)					\
	"adrp x3, " descriptor "\n\t"					\
	"add x3, x3, :lo12:" descriptor "\n\t"				\
	"str x3, [%[rs], #8]\n\t"

#define TBUF_SECTION_BEGIN						\
	TBUF_SECTION_DESCRIPTOR("3", "1f", "2f", "4f")			\
	".pushsection __rseq_failure, \"ax\"\n\t"			\
	".inst 0xd428bc00\n\t" /* brk, the signature */			\
	"4: b %l[changed]\n\t"						\
	".popsection\n\t"						\
	TBUF_DELAY(7)							\
	TBUF_SECTION_ARM("3b")						\
	"1:\n\t"							\
	TBUF_DELAY(0)

#define TBUF_BEGIN_OPERANDS						\
	[rs] "r"(tbuf_rseq_area()) TBUF_INJECT_OPERAND

/* CHECK except for the session. */
#define TBUF_SECTION_HERE						\
	"ldr w3, [%[m], #" TBUF_O(M_CPU) "]\n\t"			\
	"ldr w4, [%[rs], #4]\n\t"					\
	"cmp w3, w4\n\t"						\
	"b.ne %l[changed]\n\t"						\
	"ldr x3, [%[local]]\n\t"					\
	"cbz x3, %l[changed]\n\t"

/* CHECK of the memo's session. */
#define TBUF_SECTION_SESSION						\
	"ldr x4, [%[m], #" TBUF_O(M_GENERATION) "]\n\t"			\
	"ldr x3, [%[m], #" TBUF_O(M_SLOT) "]\n\t"			\
	"ldr x3, [x3, #" TBUF_O(S_GENERATION) "]\n\t"			\
	"cmp x3, x4\n\t"						\
	"b.ne %l[changed]\n\t"						\
	"ldr x9, [%[m], #" TBUF_O(M_LANE) "]\n\t"			\
	TBUF_DELAY(1)

#define TBUF_CHECK_OPERANDS						\
	[m] "r"(m), [local] "r"(tbuf_local)

/* CHECK that the probe is enabled for the memo's session only. */
#define TBUF_SECTION_ENABLED						\
	"ldr x3, [%[site], #" TBUF_O(SITE_ENABLED) "]\n\t"		\
	"ldr w3, [x3]\n\t"						\
	"ldr x4, [%[m], #" TBUF_O(M_BITS) "]\n\t"			\
	"cmp x3, x4\n\t"						\
	"b.ne %l[changed]\n\t"

/* CHECK that the memo's session is that of w. */
#define TBUF_SECTION_MEANT						\
	"ldr x3, [%[w], #" TBUF_O(W_BITS) "]\n\t"			\
	"ldr x4, [%[m], #" TBUF_O(M_BITS) "]\n\t"			\
	"cmp x3, x4\n\t"						\
	"b.ne %l[changed]\n\t"						\
	"ldr x3, [%[w], #" TBUF_O(W_GENERATION) "]\n\t"			\
	"ldr x4, [%[m], #" TBUF_O(M_GENERATION) "]\n\t"			\
	"cmp x3, x4\n\t"						\
	"b.ne %l[changed]\n\t"

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

#define TBUF_ECB_OPERANDS	[most] "i"(TBUF_HEAD_EPID - 1)

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

/* ROOM by the policy, after STAMP; ONE checks that REFUSE is for one record. */
#define TBUF_SECTION_ROOM(SIZE, ONE)					\
	"ldr x10, [x9, #" TBUF_O(L_HEAD) "]\n\t"			\
	"ldr w3, [%[m], #" TBUF_O(M_RING) "]\n\t"			\
	"cbnz w3, 30f\n\t"						\
	TBUF_SECTION_LINEAR(SIZE, "20f")				\
	"b 10f\n\t"							\
	"20:\n\t"							\
	TBUF_SECTION_REFUSE(SIZE, ONE)					\
	"30:\n\t"							\
	TBUF_SECTION_RING(SIZE)						\
	"10:\n\t"

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

/* Copies 64-bit words from x13 on; x8 is the new head. */
#define TBUF_SECTION_WORDS						\
	"add x8, x10, %[size]\n\t"					\
	"sub x8, x8, #16\n\t"						\
	"b 8f\n\t"							\
	"7: and x4, x10, x5\n\t"					\
	"ldr x3, [x13], #8\n\t"						\
	"str x3, [x12, x4]\n\t"						\
	"add x10, x10, #8\n\t"						\
	"8: cmp x10, x8\n\t"						\
	"b.ne 7b\n\t"

/*
 * Copies segments of any size and alignment.  x13 is the segment, x8 the end of
 * all segments, x14 the segment's bytes, x15 how many of them remain.
 */
#define TBUF_SECTION_SEGMENTS						\
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
	"stlr x10, [x4]\n\t" /* the last instruction */			\
	"2:\n\t"

#define TBUF_CLOBBERS							\
	"x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12",	\
	"x13", "x14", "x15", "memory", "cc"

#define TBUF_RSEQ_FLAT(n)						\
static inline bool							\
tbuf_rseq_flat_##n(const struct tbuf_site *site, const uint64_t *values) \
{									\
	__asm__ goto volatile(						\
	    TBUF_SECTION_BEGIN						\
	    TBUF_SECTION_ENABLED					\
	    TBUF_SECTION_HERE						\
	    TBUF_SECTION_SESSION					\
	    TBUF_SECTION_SITE						\
	    TBUF_SECTION_STAMP						\
	    TBUF_SECTION_ROOM("%[size]", "")				\
	    TBUF_SECTION_HEADER("[%[m], #" TBUF_O(M_TID) "]")		\
	    "mov x13, %[values]\n\t"					\
	    TBUF_SECTION_WORDS						\
	    TBUF_SECTION_COMMIT						\
	    :								\
	    : [m] "r"(tbuf_rseq_own()), [local] "r"(tbuf_local),	\
	      [site] "r"(site), [values] "r"(values),			\
	      [size] "i"(sizeof(struct tbuf_header) + 8 * (n)),		\
	      TBUF_ECB_OPERANDS, TBUF_BEGIN_OPERANDS			\
	    : TBUF_CLOBBERS						\
	    : changed, late, damaged, chain);				\
	tbuf_rseq_clear();						\
	return (true);							\
changed: late: damaged: chain:						\
	tbuf_rseq_clear();						\
	return (false);							\
}

TBUF_RSEQ_FLAT(0)
TBUF_RSEQ_FLAT(1)
TBUF_RSEQ_FLAT(2)
TBUF_RSEQ_FLAT(3)
TBUF_RSEQ_FLAT(4)

/* Any number of words, if the session has this slot and this generation. */
static inline __attribute__((always_inline)) bool
tbuf_rseq_flat_words(const struct tbuf_site *site, const uint64_t *words,
    uint64_t size, const struct tbuf_slot *slot, uint64_t generation)
{
	__asm__ goto volatile(
	    TBUF_SECTION_BEGIN
	    TBUF_SECTION_ENABLED
	    TBUF_SECTION_HERE
	    "ldr x3, [%[m], #" TBUF_O(M_SLOT) "]\n\t"
	    "cmp x3, %[slot]\n\t"
	    "b.ne %l[changed]\n\t"
	    "ldr x3, [%[m], #" TBUF_O(M_GENERATION) "]\n\t"
	    "cmp x3, %[generation]\n\t"
	    "b.ne %l[changed]\n\t"
	    TBUF_SECTION_SESSION
	    TBUF_SECTION_SITE
	    TBUF_SECTION_STAMP
	    TBUF_SECTION_ROOM("%[size]", "")
	    TBUF_SECTION_HEADER("[%[m], #" TBUF_O(M_TID) "]")
	    "mov x13, %[words]\n\t"
	    TBUF_SECTION_WORDS
	    TBUF_SECTION_COMMIT
	    :
	    : [m] "r"(tbuf_rseq_own()), [local] "r"(tbuf_local),
	      [site] "r"(site), [words] "r"(words), [size] "r"(size),
	      [slot] "r"(slot), [generation] "r"(generation),
	      TBUF_ECB_OPERANDS, TBUF_BEGIN_OPERANDS
	    : TBUF_CLOBBERS
	    : changed, late, damaged, chain);
	tbuf_rseq_clear();
	return (true);
changed: late: damaged: chain:
	tbuf_rseq_clear();
	return (false);
}

/* COMMIT of the record in w; COPY stores its data. */
#define TBUF_RSEQ_WRITE(name, ONE, COPY)				\
static inline enum tbuf_outcome						\
name(const struct tbuf_memo *m, const struct tbuf_write *w)		\
{									\
	__asm__ goto volatile(						\
	    TBUF_SECTION_BEGIN						\
	    TBUF_SECTION_HERE						\
	    TBUF_SECTION_MEANT						\
	    TBUF_SECTION_SESSION					\
	    TBUF_SECTION_EPID						\
	    TBUF_SECTION_STAMP						\
	    TBUF_SECTION_ROOM("%[size]", ONE)				\
	    TBUF_SECTION_HEADER("[%[w], #" TBUF_O(W_TID) "]")		\
	    COPY							\
	    TBUF_SECTION_COMMIT						\
	    :								\
	    : TBUF_CHECK_OPERANDS, [w] "r"(w), [size] "r"(w->size),	\
	      TBUF_ECB_OPERANDS, TBUF_BEGIN_OPERANDS			\
	    : TBUF_CLOBBERS						\
	    : changed, late, damaged, chain);				\
	tbuf_rseq_clear();						\
	return (TBUF_COMMITTED);					\
late:									\
	tbuf_rseq_clear();						\
	return (TBUF_NO_ROOM);						\
damaged:								\
	tbuf_rseq_clear();						\
	return (TBUF_DAMAGED);						\
chain:									\
	tbuf_rseq_clear();						\
	return (TBUF_CHAIN);						\
changed:								\
	tbuf_rseq_clear();						\
	return (TBUF_CHANGED);						\
}

TBUF_RSEQ_WRITE(tbuf_rseq_words, "",
    "ldr x13, [%[w], #" TBUF_O(W_FROM) "]\n\t" TBUF_SECTION_WORDS)
TBUF_RSEQ_WRITE(tbuf_rseq_segments,
    "mov w3, #" TBUF_O(E_UNIT) "\n\t"
    "sub w3, w13, w3\n\t"
    "cmp w3, #2\n\t"
    "b.lo %l[late]\n\t", TBUF_SECTION_SEGMENTS)

/* CHECK that the probe is enabled for the session of the CPU's memo. */
#define TBUF_SECTION_AMONG						\
	"ldr x3, [%[site], #" TBUF_O(SITE_ENABLED) "]\n\t"		\
	"ldar w3, [x3]\n\t"						\
	"ldr x4, [%[m], #" TBUF_O(M_BITS) "]\n\t"			\
	"tst x3, x4\n\t"						\
	"b.eq %l[changed]\n\t"

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
 * all its records, x13 the first EPID; x15 is the address of the chain's head.
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
#define TBUF_SECTION_ROWS(FROM)						\
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
	"b 8f\n\t"							\
	"7: and x4, x10, x5\n\t"					\
	"ldr x3, [x6], #8\n\t"						\
	"str x3, [x12, x4]\n\t"						\
	"add x10, x10, #8\n\t"						\
	"8: cmp x10, x8\n\t"						\
	"b.ne 7b\n\t"							\
	"cmp x10, x15\n\t"						\
	"b.hs 51f\n\t"							\
	TBUF_SECTION_NEXT						\
	"add x11, x11, #1\n\t"						\
	"str x11, [x9, #" TBUF_O(L_LAST) "]\n\t"			\
	"b 50b\n\t"							\
	"51:\n\t"

/*
 * ROWS.  The counter is read for each session: that costs no more than to find
 * out whether other code has run in between.
 */
#define TBUF_RSEQ_ROWS(name, SESSION, INDEX, FROM, operands, ...)	\
static inline enum tbuf_outcome						\
name(const struct tbuf_memo *m, struct tbuf_write *w __VA_ARGS__)	\
{									\
	__asm__ goto volatile(						\
	    TBUF_SECTION_BEGIN						\
	    TBUF_SECTION_HERE						\
	    SESSION							\
	    TBUF_SECTION_SESSION					\
	    INDEX							\
	    TBUF_SECTION_CHAIN						\
	    TBUF_SECTION_STAMP						\
	    TBUF_SECTION_ROOM("x14",					\
		"cmp x14, %[size]\n\t"					\
		"b.ne %l[chain]\n\t")					\
	    TBUF_SECTION_ROWS(FROM)					\
	    TBUF_SECTION_COMMIT						\
	    :								\
	    : TBUF_CHECK_OPERANDS, [w] "r"(w), operands,		\
	      [more] "i"(TBUF_HEAD_MORE),				\
	      [longest] "i"(TBUF_RECORD_MAX), TBUF_ECB_OPERANDS,	\
	      TBUF_BEGIN_OPERANDS					\
	    : TBUF_CLOBBERS						\
	    : changed, late, damaged, chain);				\
	return (TBUF_COMMITTED);					\
late:									\
	tbuf_rseq_clear();						\
	return (TBUF_NO_ROOM);						\
damaged:								\
	tbuf_rseq_clear();						\
	return (TBUF_DAMAGED);						\
chain:									\
	tbuf_rseq_clear();						\
	return (TBUF_CHAIN);						\
changed:								\
	tbuf_rseq_clear();						\
	return (TBUF_CHANGED);						\
}

#define TBUF_AMONG_OPERANDS						\
	[site] "r"(site), [values] "r"(values), [size] "r"(w->size)

TBUF_RSEQ_ROWS(tbuf_rseq_rows_own, TBUF_SECTION_ENABLED,
    "ldr w4, [%[site], #" TBUF_O(SITE_INDEX) "]\n\t",
    "mov x6, %[values]\n\t", TBUF_AMONG_OPERANDS,
    , const struct tbuf_site *site, const uint64_t *values)
TBUF_RSEQ_ROWS(tbuf_rseq_rows_among, TBUF_SECTION_AMONG,
    "ldr w4, [%[site], #" TBUF_O(SITE_INDEX) "]\n\t",
    "mov x6, %[values]\n\t", TBUF_AMONG_OPERANDS,
    , const struct tbuf_site *site, const uint64_t *values)

/* SEVERAL, by a section of ROWS for each session. */
static inline uint32_t
tbuf_rseq_several(const struct tbuf_memo *memos, uint32_t bits, uint64_t size,
    uint64_t header, const struct tbuf_site *site, const uint64_t *values)
{
	struct tbuf_write w = {
		.size = size, .size16 = (uint32_t)header,
		.tid = (uint32_t)(header >> 32)
	};

	for (; bits != 0; bits &= bits - 1)
		if (tbuf_rseq_rows_among((const struct tbuf_memo *)
		    ((uintptr_t)memos + (unsigned)__builtin_ctz(bits) *
		    TBUF_MEMO_SIZE), &w, site, values) != TBUF_COMMITTED)
			break;
	tbuf_rseq_clear();
	return (bits);
}

TBUF_RSEQ_ROWS(tbuf_rseq_rows, TBUF_SECTION_MEANT,
    "ldr w4, [%[w], #" TBUF_O(W_INDEX) "]\n\t",
    "ldr x6, [%[w], #" TBUF_O(W_FROM) "]\n\t", [size] "r"(w->size))

static inline enum tbuf_outcome
tbuf_rseq_count(const struct tbuf_memo *m, uint64_t *counter)
{
	__asm__ goto volatile(
	    TBUF_SECTION_BEGIN
	    TBUF_SECTION_HERE
	    TBUF_SECTION_SESSION
	    TBUF_DELAY(6)
	    "ldr x5, [%[counter]]\n\t"
	    "add x5, x5, #1\n\t"
	    "str x5, [%[counter]]\n\t"
	    "2:\n\t"
	    :
	    : TBUF_CHECK_OPERANDS, [counter] "r"(counter),
	      TBUF_BEGIN_OPERANDS
	    : TBUF_CLOBBERS
	    : changed);
	tbuf_rseq_clear();
	return (TBUF_COMMITTED);
changed:
	tbuf_rseq_clear();
	return (TBUF_CHANGED);
}

static inline enum tbuf_outcome
tbuf_rseq_store(const struct tbuf_memo *m, uint64_t *word, uint64_t value)
{
	__asm__ goto volatile(
	    TBUF_SECTION_BEGIN
	    TBUF_SECTION_HERE
	    TBUF_SECTION_SESSION
	    TBUF_DELAY(6)
	    "str %[value], [%[word]]\n\t"
	    "2:\n\t"
	    :
	    : TBUF_CHECK_OPERANDS, [word] "r"(word), [value] "r"(value),
	      TBUF_BEGIN_OPERANDS
	    : TBUF_CLOBBERS
	    : changed);
	tbuf_rseq_clear();
	return (TBUF_COMMITTED);
changed:
	tbuf_rseq_clear();
	return (TBUF_CHANGED);
}

static inline enum tbuf_outcome
tbuf_rseq_add(const struct tbuf_memo *m, uint64_t *word, uint64_t delta)
{
	__asm__ goto volatile(
	    TBUF_SECTION_BEGIN
	    TBUF_SECTION_HERE
	    TBUF_SECTION_SESSION
	    TBUF_DELAY(6)
	    "ldr x3, [%[word]]\n\t"
	    "add x3, x3, %[delta]\n\t"
	    "str x3, [%[word]]\n\t"
	    "2:\n\t"
	    :
	    : TBUF_CHECK_OPERANDS, [word] "r"(word), [delta] "r"(delta),
	      TBUF_BEGIN_OPERANDS
	    : TBUF_CLOBBERS
	    : changed);
	tbuf_rseq_clear();
	return (TBUF_COMMITTED);
changed:
	tbuf_rseq_clear();
	return (TBUF_CHANGED);
}

/* CHECK of the search's turn and lane. */
#define TBUF_SECTION_TURN						\
	"ldr x3, [%[m], #" TBUF_O(M_SLOT) "]\n\t"			\
	"ldr x4, [%[w], #" TBUF_O(U_TURN) "]\n\t"			\
	"ldr x3, [x3, #" TBUF_O(S_TURN) "]\n\t"			\
	"cmp x3, x4\n\t"						\
	"b.ne %l[changed]\n\t"						\
	"ldr x3, [%[m], #" TBUF_O(M_LANE) "]\n\t"			\
	"ldr x4, [%[w], #" TBUF_O(U_LANE) "]\n\t"			\
	"cmp x3, x4\n\t"						\
	"b.ne %l[changed]\n\t"						\
	TBUF_DELAY(1)

/* The table's address and limits, from the search or from the memo. */
#define TBUF_SEARCH_HAS(name)	"[%[w], #" TBUF_O(U_##name) "]"
#define TBUF_MEMO_HAS(name)	"[%[m], #" TBUF_O(A_##name) "]"

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
	"ldr x4, [x8, #" TBUF_O(K_HASH) "]\n\t"			\
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

static inline enum tbuf_outcome
tbuf_rseq_update(const struct tbuf_memo *m, const struct tbuf_search *s)
{
	__asm__ goto volatile(
	    TBUF_SECTION_BEGIN
	    TBUF_SECTION_HERE
	    TBUF_SECTION_MEANT
	    TBUF_SECTION_TURN
	    TBUF_SECTION_SEARCH(TBUF_SEARCH_HAS,
		"ldr w3, " TBUF_SEARCH_HAS(LAST))
	    TBUF_SECTION_VALUE(TBUF_SEARCH_HAS)
	    TBUF_DELAY(6)
	    "ldr x3, [x10]\n\t"
	    "ldr x4, [%[w], #" TBUF_O(U_DELTA) "]\n\t"
	    "add x3, x3, x4\n\t"
	    "str x3, [x10]\n\t" /* the last instruction */
	    "2:\n\t"
	    :
	    : TBUF_CHECK_OPERANDS, [w] "r"(s), TBUF_BEGIN_OPERANDS
	    : TBUF_CLOBBERS
	    : changed);
	tbuf_rseq_clear();
	return (TBUF_COMMITTED);
changed:
	tbuf_rseq_clear();
	return (TBUF_CHANGED);
}

/* The last offset by the memo: the table's bytes, less those of the entry. */
#define TBUF_SECTION_MEMO_LAST						\
	"ldr w3, " TBUF_MEMO_HAS(STORAGE) "\n\t"			\
	"ldr w4, [%[w], #" TBUF_O(U_ENTRY) "]\n\t"			\
	"subs w3, w3, w4\n\t"						\
	"b.lo %l[changed]"

static inline enum tbuf_outcome
tbuf_rseq_cached(const struct tbuf_memo *m, const struct tbuf_search *s)
{
	__asm__ goto volatile(
	    TBUF_SECTION_BEGIN
	    TBUF_SECTION_HERE
	    "ldr x3, [%[m], #" TBUF_O(M_BITS) "]\n\t"
	    "ldr x4, [%[w], #" TBUF_O(W_BITS) "]\n\t"
	    "cmp x3, x4\n\t"
	    "b.ne %l[changed]\n\t"
	    TBUF_SECTION_SESSION
	    TBUF_SECTION_SEARCH(TBUF_MEMO_HAS, TBUF_SECTION_MEMO_LAST)
	    TBUF_SECTION_VALUE(TBUF_MEMO_HAS)
	    TBUF_DELAY(6)
	    "ldr x3, [x10]\n\t"
	    "ldr x4, [%[w], #" TBUF_O(U_DELTA) "]\n\t"
	    "add x3, x3, x4\n\t"
	    "str x3, [x10]\n\t" /* the last instruction */
	    "2:\n\t"
	    :
	    : TBUF_CHECK_OPERANDS, [w] "r"(s), TBUF_BEGIN_OPERANDS
	    : TBUF_CLOBBERS
	    : changed);
	tbuf_rseq_clear();
	return (TBUF_COMMITTED);
changed:
	tbuf_rseq_clear();
	return (TBUF_CHANGED);
}

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
	"stlr x5, [x10]\n\t" /* the last instruction */

static inline enum tbuf_outcome
tbuf_rseq_sum(const struct tbuf_memo *m, const struct tbuf_search *s)
{
	__asm__ goto volatile(
	    TBUF_SECTION_BEGIN
	    TBUF_SECTION_HERE
	    TBUF_SECTION_MEANT
	    TBUF_SECTION_TURN
	    TBUF_SECTION_SEARCH(TBUF_SEARCH_HAS,
		"ldr w3, " TBUF_SEARCH_HAS(LAST))
	    TBUF_SECTION_VALUE(TBUF_SEARCH_HAS)
	    TBUF_SECTION_SUM
	    "2:\n\t"
	    :
	    : TBUF_CHECK_OPERANDS, [w] "r"(s), TBUF_BEGIN_OPERANDS
	    : TBUF_CLOBBERS
	    : changed);
	tbuf_rseq_clear();
	return (TBUF_COMMITTED);
changed:
	tbuf_rseq_clear();
	return (TBUF_CHANGED);
}

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
	"stlr x5, [x10]\n\t" /* the last instruction */

static inline enum tbuf_outcome
tbuf_rseq_peak(const struct tbuf_memo *m, const struct tbuf_search *s)
{
	__asm__ goto volatile(
	    TBUF_SECTION_BEGIN
	    TBUF_SECTION_HERE
	    TBUF_SECTION_MEANT
	    TBUF_SECTION_TURN
	    TBUF_SECTION_SEARCH(TBUF_SEARCH_HAS,
		"ldr w3, " TBUF_SEARCH_HAS(LAST))
	    TBUF_SECTION_VALUE(TBUF_SEARCH_HAS)
	    TBUF_SECTION_PEAK
	    "2:\n\t"
	    :
	    : TBUF_CHECK_OPERANDS, [w] "r"(s), TBUF_BEGIN_OPERANDS
	    : TBUF_CLOBBERS
	    : changed);
	tbuf_rseq_clear();
	return (TBUF_COMMITTED);
changed:
	tbuf_rseq_clear();
	return (TBUF_CHANGED);
}

static inline enum tbuf_outcome
tbuf_rseq_total(const struct tbuf_memo *m, uint64_t bits, uint64_t word,
    uint64_t delta)
{
	__asm__ goto volatile(
	    TBUF_SECTION_BEGIN
	    TBUF_SECTION_HERE
	    "ldr x3, [%[m], #" TBUF_O(M_BITS) "]\n\t"
	    "cmp x3, %[bits]\n\t"
	    "b.ne %l[changed]\n\t"
	    TBUF_SECTION_SESSION
	    "ldr x4, [%[m], #" TBUF_O(M_ECB_MAX) "]\n\t"
	    "cmp %[word], x4\n\t"
	    "b.hs %l[changed]\n\t"
	    "ldr x4, [%[m], #" TBUF_O(M_DATA) "]\n\t"
	    "add x4, x4, %[word], lsl #3\n\t"
	    TBUF_DELAY(6)
	    "ldr x3, [x4]\n\t"
	    "add x3, x3, %[delta]\n\t"
	    "str x3, [x4]\n\t"
	    "2:\n\t"
	    :
	    : TBUF_CHECK_OPERANDS, [bits] "r"(bits),
	      [word] "r"(word), [delta] "r"(delta), TBUF_BEGIN_OPERANDS
	    : TBUF_CLOBBERS
	    : changed);
	tbuf_rseq_clear();
	return (TBUF_COMMITTED);
changed:
	tbuf_rseq_clear();
	return (TBUF_CHANGED);
}

static inline enum tbuf_outcome
tbuf_rseq_load(const struct tbuf_memo *m, uint64_t *to, const uint64_t *from,
    uint64_t size)
{
	__asm__ goto volatile(
	    TBUF_SECTION_BEGIN
	    TBUF_SECTION_HERE
	    TBUF_SECTION_SESSION
	    "mov x4, %[size]\n\t"
	    "7: sub x4, x4, #8\n\t"
	    "ldr x3, [%[from], x4]\n\t"
	    "str x3, [%[to], x4]\n\t"
	    "cbnz x4, 7b\n\t"
	    "2:\n\t"
	    :
	    : TBUF_CHECK_OPERANDS, [to] "r"(to), [from] "r"(from),
	      [size] "r"(size), TBUF_BEGIN_OPERANDS
	    : TBUF_CLOBBERS
	    : changed);
	tbuf_rseq_clear();
	return (TBUF_COMMITTED);
changed:
	tbuf_rseq_clear();
	return (TBUF_CHANGED);
}

/* x5 is the word that commits, x6 the destination and x7 the source. */
#define TBUF_RSEQ_PUBLISH(name, ZEROES)					\
static inline enum tbuf_outcome						\
name(const struct tbuf_memo *m, const struct tbuf_publish *p)		\
{									\
	__asm__ goto volatile(						\
	    TBUF_SECTION_BEGIN						\
	    TBUF_SECTION_HERE						\
	    TBUF_SECTION_SESSION					\
	    "ldr x5, [%[p], #" TBUF_O(P_WORD) "]\n\t"			\
	    "ldr x3, [%[p], #" TBUF_O(P_OLD) "]\n\t"			\
	    "ldr x4, [x5]\n\t"						\
	    "cmp x3, x4\n\t"						\
	    "b.ne %l[changed]\n\t"					\
	    "ldr x6, [%[p], #" TBUF_O(P_TO) "]\n\t"			\
	    "ldr x7, [%[p], #" TBUF_O(P_FROM) "]\n\t"			\
	    "ldr x4, [%[p], #" TBUF_O(P_SIZE) "]\n\t"			\
	    "dmb ishst\n\t" /* the copy comes after the last commit */	\
	    "7: sub x4, x4, #8\n\t"					\
	    "ldr x3, [x7, x4]\n\t"					\
	    "str x3, [x6, x4]\n\t"					\
	    "cbnz x4, 7b\n\t"						\
	    ZEROES							\
	    TBUF_DELAY(4)						\
	    "ldr x6, [%[p], #" TBUF_O(P_SLOT) "]\n\t"			\
	    "ldr w3, [%[p], #" TBUF_O(P_OFFSET) "]\n\t"			\
	    "str w3, [x6]\n\t"						\
	    TBUF_DELAY(5)						\
	    "ldr x3, [%[p], #" TBUF_O(P_NEW) "]\n\t"			\
	    "stlr x3, [x5]\n\t" /* the last instruction */		\
	    "2:\n\t"							\
	    :								\
	    : TBUF_CHECK_OPERANDS, [p] "r"(p), TBUF_BEGIN_OPERANDS	\
	    : TBUF_CLOBBERS						\
	    : changed);							\
	tbuf_rseq_clear();						\
	return (TBUF_COMMITTED);					\
changed:								\
	tbuf_rseq_clear();						\
	return (TBUF_CHANGED);						\
}

TBUF_RSEQ_PUBLISH(tbuf_rseq_publish, "")
TBUF_RSEQ_PUBLISH(tbuf_rseq_insert,
    "ldr x6, [%[p], #" TBUF_O(P_ZERO) "]\n\t"
    "ldr x4, [%[p], #" TBUF_O(P_ZEROES) "]\n\t"
    "b 9f\n\t"
    "8: str xzr, [x6, x4]\n\t"
    "9: subs x4, x4, #8\n\t"
    "b.hs 8b\n\t")

/*
 * SHARED: adds 1 to a word that other CPUs add to as well.  The caller repeats
 * it if the store fails for a reason of the machine's own.
 */
static inline enum tbuf_outcome
tbuf_rseq_count_shared(const struct tbuf_memo *m, uint64_t *counter)
{
	__asm__ goto volatile(
	    TBUF_SECTION_BEGIN
	    TBUF_SECTION_HERE
	    TBUF_SECTION_SESSION
	    TBUF_DELAY(6)
	    "ldxr x3, [%[counter]]\n\t"
	    "add x3, x3, #1\n\t"
	    "stxr w4, x3, [%[counter]]\n\t"
	    "2: cbnz w4, %l[changed]\n\t"
	    :
	    : TBUF_CHECK_OPERANDS, [counter] "r"(counter),
	      TBUF_BEGIN_OPERANDS
	    : TBUF_CLOBBERS
	    : changed);
	tbuf_rseq_clear();
	return (TBUF_COMMITTED);
changed:
	tbuf_rseq_clear();
	return (TBUF_CHANGED);
}

/*
 * SWAP.  Also leaves CHANGED, for the caller to repeat it, if the store fails
 * for a reason of the machine's own.
 */
static inline enum tbuf_outcome
tbuf_rseq_swap(const struct tbuf_memo *m, uint64_t *word, uint64_t old,
    uint64_t new)
{
	__asm__ goto volatile(
	    TBUF_SECTION_BEGIN
	    TBUF_SECTION_HERE
	    TBUF_SECTION_SESSION
	    TBUF_DELAY(6)
	    "ldaxr x3, [%[word]]\n\t"
	    "cmp x3, %[old]\n\t"
	    "b.ne %l[changed]\n\t"
	    "stlxr w4, %[new], [%[word]]\n\t"
	    "2: cbnz w4, %l[changed]\n\t"
	    :
	    : TBUF_CHECK_OPERANDS, [word] "r"(word), [old] "r"(old),
	      [new] "r"(new), TBUF_BEGIN_OPERANDS
	    : TBUF_CLOBBERS
	    : changed);
	tbuf_rseq_clear();
	return (TBUF_COMMITTED);
changed:
	tbuf_rseq_clear();
	return (TBUF_CHANGED);
}

#define TBUF_PAIR_LOAD							\
	"ldp x3, x4, [%[old]]\n\t"					\
	"ldp x5, x6, [%[new]]\n\t"

static inline enum tbuf_outcome
tbuf_rseq_swap_pair(const struct tbuf_memo *m, uint64_t *pair,
    const uint64_t old[2], const uint64_t new[2])
{
	__asm__ goto volatile(
	    TBUF_SECTION_BEGIN
	    TBUF_SECTION_HERE
	    TBUF_SECTION_SESSION
	    TBUF_DELAY(6)
	    TBUF_PAIR_LOAD
	    "ldaxp x7, x8, [%[pair]]\n\t"
	    "cmp x7, x3\n\t"
	    "ccmp x8, x4, #0, eq\n\t"
	    "b.ne %l[changed]\n\t"
	    "stlxp w10, x5, x6, [%[pair]]\n\t"
	    "2: cbnz w10, %l[changed]\n\t"
	    :
	    : TBUF_CHECK_OPERANDS, [pair] "r"(pair), [old] "r"(old),
	      [new] "r"(new), TBUF_BEGIN_OPERANDS
	    : TBUF_CLOBBERS
	    : changed);
	tbuf_rseq_clear();
	return (TBUF_COMMITTED);
changed:
	tbuf_rseq_clear();
	return (TBUF_CHANGED);
}

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

static inline void
tbuf_rseq_restart(const struct tbuf_memo *m)
{
	__asm__ goto volatile(
	    TBUF_SECTION_BEGIN
	    TBUF_SECTION_HERE
	    TBUF_SECTION_SESSION
	    "ldr x10, [x9, #" TBUF_O(L_HEAD) "]\n\t"
	    "add x10, x10, #7\n\t"
	    "and x10, x10, #-8\n\t"
	    "ldr x3, [x9, #" TBUF_O(L_SEQUENCE) "]\n\t"
	    "add x4, x9, #" TBUF_O(L_PAIR) "\n\t"
	    "add x5, x4, #16\n\t"
	    "tst x3, #1\n\t"
	    "csel x6, x5, x4, ne\n\t"
	    "csel x7, x4, x5, ne\n\t"
	    "ldr x8, [x6, #8]\n\t"
	    "dmb ishst\n\t" /* after a step's sequence, as above */
	    "stp x10, x8, [x7]\n\t"
	    "add x3, x3, #1\n\t"
	    "add x4, x9, #" TBUF_O(L_SEQUENCE) "\n\t"
	    "stlr x3, [x4]\n\t"
	    "ldr x3, [x9, #" TBUF_O(L_RESTARTS) "]\n\t"
	    "add x3, x3, #1\n\t"
	    "str x3, [x9, #" TBUF_O(L_RESTARTS) "]\n\t"
	    "add x4, x9, #" TBUF_O(L_HEAD) "\n\t"
	    "stlr x10, [x4]\n\t"
	    "2:\n\t"
	    :
	    : TBUF_CHECK_OPERANDS, TBUF_BEGIN_OPERANDS
	    : TBUF_CLOBBERS
	    : changed);
changed:
	tbuf_rseq_clear();
}

/*
 * REMEMBER: copies `from` to `to`.  A signal handler, or another thread on this
 * CPU, finds `to` whole or void.
 */
static inline void
tbuf_rseq_remember(struct tbuf_memo *to, const struct tbuf_memo *from,
    const uint32_t *marked)
{
	__asm__ goto volatile(
	    TBUF_SECTION_BEGIN
	    "ldr w3, [%[from], #" TBUF_O(M_CPU) "]\n\t"
	    "ldr w4, [%[rs], #4]\n\t"
	    "cmp w3, w4\n\t"
	    "b.ne %l[changed]\n\t"
	    "ldr w3, [%[marked]]\n\t"
	    "cbnz w3, %l[changed]\n\t"
	    "str %[none], [%[to]]\n\t"
	    "mov x4, %[size]\n\t"
	    "5: sub x4, x4, #8\n\t"
	    "cbz x4, 6f\n\t"
	    "ldr x3, [%[from], x4]\n\t"
	    "str x3, [%[to], x4]\n\t"
	    TBUF_DELAY(8)
	    "b 5b\n\t"
	    "6: ldr x3, [%[from]]\n\t"
	    "str x3, [%[to]]\n\t" /* the last instruction */
	    "2:\n\t"
	    :
	    : [to] "r"(to), [from] "r"(from), [marked] "r"(marked),
	      [none] "r"(TBUF_MEMO_NONE), [size] "i"(sizeof(*to)),
	      TBUF_BEGIN_OPERANDS
	    : "x3", "x4", "memory", "cc"
	    : changed);
changed:
	tbuf_rseq_clear();
}
