/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The restartable sections of rseq.h for aarch64.  The machine is weakly
 * ordered: head and sequence are store-releases, and a store barrier stands
 * between a step of the ring's tail and the stores that overwrite.
 *
 * Registers: %[m] is the memo, %[rs] the thread's rseq area; inside, x9 is the
 * lane, x10 head, in the end the new one, x11 the stamp, x12 the storage; the
 * rest up to x15 is scratch.
 */
#include <stdbool.h>

extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

/* The kernel's struct rseq, as far as it is used here. */
struct tbuf_rseq_area {
	uint32_t cpu_id_start;
	uint32_t cpu_id;
	uint64_t rseq_cs;
};

static inline struct tbuf_rseq_area *
tbuf_rseq_area(void)
{
	unsigned char *thread;

	__asm__("mrs %0, tpidr_el0" : "=r"(thread));
	return ((struct tbuf_rseq_area *)(void *)(thread + __rseq_offset));
}

static inline bool
tbuf_rseq_ready(void)
{
	if (&__rseq_size == NULL || __rseq_size == 0)
		return (false);
	return ((int32_t)__atomic_load_n(&tbuf_rseq_area()->cpu_id,
	    __ATOMIC_RELAXED) >= 0);
}

static inline uint32_t
tbuf_rseq_cpu(void)
{
	return (__atomic_load_n(&tbuf_rseq_area()->cpu_id_start,
	    __ATOMIC_RELAXED));
}

static inline void
tbuf_rseq_clear(void)
{
	__atomic_store_n(&tbuf_rseq_area()->rseq_cs, 0, __ATOMIC_RELAXED);
	__asm__ volatile("" : : : "memory");
}

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

#define TBUF_SECTION_BEGIN						\
	".pushsection __rseq_cs, \"aw\"\n\t"				\
	".balign 32\n\t"						\
	"3: .long 0, 0\n\t"						\
	".quad 1f, (2f - 1f), 4f\n\t"					\
	".popsection\n\t"						\
	".pushsection __rseq_failure, \"ax\"\n\t"			\
	".inst 0xd428bc00\n\t" /* brk, the signature */			\
	"4: b %l[changed]\n\t"						\
	".popsection\n\t"						\
	"adrp x3, 3b\n\t"						\
	"add x3, x3, :lo12:3b\n\t"					\
	"str x3, [%[rs], #8]\n\t"					\
	"1:\n\t"

#define TBUF_SECTION_CHECK						\
	TBUF_DELAY(0)							\
	"ldr w3, [%[m], %[cpu]]\n\t"					\
	"ldr w4, [%[rs], #4]\n\t"					\
	"cmp w3, w4\n\t"						\
	"b.ne %l[changed]\n\t"						\
	"ldr x3, [%[local]]\n\t"					\
	"cbz x3, %l[changed]\n\t"					\
	"ldr x3, [%[m], %[generation]]\n\t"				\
	"cmp x3, %[gen]\n\t"						\
	"b.ne %l[changed]\n\t"						\
	"ldr x3, [%[m], %[slot]]\n\t"					\
	"ldr x3, [x3, %[at]]\n\t"					\
	"cmp x3, %[gen]\n\t"						\
	"b.ne %l[changed]\n\t"						\
	"ldr x9, [%[m], %[lane]]\n\t"					\
	TBUF_DELAY(1)

#define TBUF_CHECK_OPERANDS						\
	[m] "r"(m), [rs] "r"(tbuf_rseq_area()), [gen] "r"(generation),	\
	[local] "r"(tbuf_local), [cpu] "i"(TBUF_M(cpu)),		\
	[generation] "i"(TBUF_M(generation)), [slot] "i"(TBUF_M(slot)),	\
	[lane] "i"(TBUF_M(lane)),					\
	[at] "i"(offsetof(struct tbuf_slot, generation))		\
	TBUF_INJECT_OPERAND

/* The counter is read first: what follows overlaps with its latency. */
#define TBUF_SECTION_CLOCK	"mrs x11, cntvct_el0\n\t"

#define TBUF_SECTION_HEAD	"ldr x10, [x9, %[head]]\n\t"

#define TBUF_HEAD_OPERANDS						\
	[head] "i"(TBUF_L(head)), [size] "r"(w->size)

/*
 * Room of a linear lane; goes to the label `no` if there is none.  The load
 * of limit pairs with the consumer's store-release of it.
 */
#define TBUF_SECTION_LINEAR(no)						\
	"add x4, x10, %[size]\n\t"					\
	"add x3, x9, %[limit]\n\t"					\
	"ldar x3, [x3]\n\t"						\
	"cmp x3, x4\n\t"						\
	"b.lo " no "\n\t"						\
	"ldr x3, [x9, %[full]]\n\t"					\
	"ldr x4, [%[m], %[fill_mask]]\n\t"				\
	"tst x3, x4\n\t"						\
	"b.ne " no "\n\t"

#define TBUF_LINEAR_OPERANDS						\
	[limit] "i"(TBUF_L(limit)), [full] "i"(TBUF_L(full)),		\
	[fill_mask] "i"(TBUF_M(fill_mask))

/*
 * Room of a ring: x3 the sequence, x4 the valid pair, x5 tail, x6 what there
 * is of records, x7 overwritten, x8 the size of the oldest, x12 scratch.  The
 * barrier pairs with the load barriers of a reader of the pair, which must not
 * see the next step's before it sees this one's sequence, and behind a
 * snapshot's copy.  It comes first, for the step before may be that of a
 * section that was aborted.
 */
#define TBUF_SECTION_RING						\
	"ldr x3, [x9, %[sequence]]\n\t"					\
	"add x4, x9, %[pair]\n\t"					\
	"tst x3, #1\n\t"						\
	"add x5, x4, #16\n\t"						\
	"csel x4, x5, x4, ne\n\t"					\
	"ldp x5, x7, [x4]\n\t"						\
	"sub x6, x10, x5\n\t"						\
	"5: dmb ishst\n\t"						\
	"add x8, x6, %[size]\n\t"					\
	"ldr x12, [%[m], %[bufsize]]\n\t"				\
	"cmp x8, x12\n\t"						\
	"b.ls 6f\n\t"							\
	"cmp x6, x12\n\t"						\
	"b.hi %l[damaged]\n\t"						\
	"tst x10, #7\n\t"						\
	"b.ne %l[damaged]\n\t"						\
	/* one step */							\
	"add x8, x5, #8\n\t"						\
	"ldr x12, [%[m], %[mask8]]\n\t"					\
	"and x8, x8, x12\n\t"						\
	"ldr x12, [%[m], %[data]]\n\t"					\
	"add x8, x8, x12\n\t"						\
	"ldrh w8, [x8, #2]\n\t"						\
	"tst w8, #7\n\t"						\
	"b.ne %l[damaged]\n\t"						\
	"cmp w8, #16\n\t"						\
	"b.lo %l[damaged]\n\t"						\
	"subs x6, x6, x8\n\t"						\
	"b.lo %l[damaged]\n\t"						\
	"add x5, x5, x8\n\t"						\
	"add x7, x7, #1\n\t"						\
	"add x3, x3, #1\n\t"						\
	"add x4, x9, %[pair]\n\t"					\
	"tst x3, #1\n\t"						\
	"add x12, x4, #16\n\t"						\
	"csel x4, x12, x4, ne\n\t"					\
	"stp x5, x7, [x4]\n\t"						\
	TBUF_DELAY_IN("w12", 2)						\
	"add x12, x9, %[sequence]\n\t"					\
	"stlr x3, [x12]\n\t"						\
	TBUF_DELAY_IN("w12", 3)						\
	"b 5b\n\t"							\
	"6:\n\t"

#define TBUF_RING_OPERANDS						\
	[sequence] "i"(TBUF_L(sequence)), [pair] "i"(TBUF_L(pair)),	\
	[bufsize] "i"(TBUF_M(bufsize))

/* The stamp, later than the lane's last, and the header; x5 is mask8. */
#define TBUF_SECTION_STAMP						\
	"ldr x3, [x9, %[last]]\n\t"					\
	"add x3, x3, #1\n\t"						\
	"cmp x11, x3\n\t"						\
	"csel x11, x3, x11, lo\n\t"					\
	"ldr x12, [%[m], %[data]]\n\t"					\
	"ldr x5, [%[m], %[mask8]]\n\t"					\
	"and x4, x10, x5\n\t"						\
	"ldr x3, [x12, x4]\n\t"						\
	"str x11, [x9, %[last]]\n\t"					\
	"str x11, [x12, x4]\n\t"					\
	"add x10, x10, #8\n\t"						\
	"and x4, x10, x5\n\t"						\
	"str %[word], [x12, x4]\n\t"					\
	"add x10, x10, #8\n\t"						\
	TBUF_DELAY(4)

#define TBUF_STORE_OPERANDS						\
	[last] "i"(TBUF_L(last)), [data] "i"(TBUF_M(data)),		\
	[mask8] "i"(TBUF_M(mask8)), [word] "r"(w->word),		\
	[from] "r"(w->from), [from_end] "r"(w->from_end)

/* 64-bit words; x8 is the new head. */
#define TBUF_SECTION_WORDS						\
	"add x8, x10, %[size]\n\t"					\
	"sub x8, x8, #16\n\t"						\
	"mov x13, %[from]\n\t"						\
	"b 8f\n\t"							\
	"7: and x4, x10, x5\n\t"					\
	"ldr x3, [x13], #8\n\t"						\
	"str x3, [x12, x4]\n\t"						\
	"add x10, x10, #8\n\t"						\
	"8: cmp x10, x8\n\t"						\
	"b.ne 7b\n\t"

/*
 * Segments of any size and alignment.  x13 is the segment, x14 its bytes,
 * x15 what is left of it.
 */
#define TBUF_SECTION_SEGMENTS						\
	"add x5, x5, #7\n\t"						\
	"mov x13, %[from]\n\t"						\
	"7: cmp x13, %[from_end]\n\t"					\
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
	"add x4, x9, %[head]\n\t"					\
	TBUF_DELAY(5)							\
	"stlr x10, [x4]\n\t" /* the last instruction */			\
	"2:\n\t"

#define TBUF_CLOBBERS							\
	"x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12",	\
	"x13", "x14", "x15", "memory", "cc"

/* The four ways to commit: ROOM is LINEAR or RING, COPY WORDS or SEGMENTS. */
#define TBUF_COMMIT(name, ROOM, ROOM_OPERANDS, COPY)			\
static inline enum tbuf_outcome						\
name(const struct tbuf_memo *m, uint64_t generation,			\
    const struct tbuf_write *w)						\
{									\
	__asm__ goto volatile(						\
	    TBUF_SECTION_BEGIN						\
	    TBUF_SECTION_CHECK						\
	    TBUF_SECTION_CLOCK						\
	    TBUF_SECTION_HEAD						\
	    ROOM							\
	    TBUF_SECTION_STAMP						\
	    TBUF_SECTION_ ## COPY					\
	    TBUF_SECTION_COMMIT						\
	    :								\
	    : TBUF_CHECK_OPERANDS, TBUF_HEAD_OPERANDS, ROOM_OPERANDS,	\
	      TBUF_STORE_OPERANDS					\
	    : TBUF_CLOBBERS						\
	    : changed, no_room, damaged);				\
	tbuf_rseq_clear();						\
	return (TBUF_COMMITTED);					\
no_room:								\
	tbuf_rseq_clear();						\
	return (TBUF_NO_ROOM);						\
damaged:								\
	tbuf_rseq_clear();						\
	return (TBUF_DAMAGED);						\
changed:								\
	tbuf_rseq_clear();						\
	return (TBUF_CHANGED);						\
}

TBUF_COMMIT(tbuf_rseq_linear_words, TBUF_SECTION_LINEAR("%l[no_room]"),
    TBUF_LINEAR_OPERANDS, WORDS)
TBUF_COMMIT(tbuf_rseq_linear_segments, TBUF_SECTION_LINEAR("%l[no_room]"),
    TBUF_LINEAR_OPERANDS, SEGMENTS)
TBUF_COMMIT(tbuf_rseq_ring_words, TBUF_SECTION_RING,
    TBUF_RING_OPERANDS, WORDS)
TBUF_COMMIT(tbuf_rseq_ring_segments, TBUF_SECTION_RING,
    TBUF_RING_OPERANDS, SEGMENTS)

#define TBUF_SECTION_COUNT						\
	TBUF_DELAY(6)							\
	"ldr x5, [%[counter]]\n\t"					\
	"add x5, x5, #1\n\t"						\
	"str x5, [%[counter]]\n\t"					\
	"2:\n\t"

static inline enum tbuf_outcome
tbuf_rseq_refuse(const struct tbuf_memo *m, uint64_t generation,
    const struct tbuf_write *w, uint64_t *counter)
{
	__asm__ goto volatile(
	    TBUF_SECTION_BEGIN
	    TBUF_SECTION_CHECK
	    TBUF_SECTION_HEAD
	    TBUF_SECTION_LINEAR("5f")
	    "b %l[changed]\n\t"
	    "5:\n\t"
	    TBUF_SECTION_COUNT
	    :
	    : TBUF_CHECK_OPERANDS, TBUF_HEAD_OPERANDS, TBUF_LINEAR_OPERANDS,
	      [counter] "r"(counter)
	    : TBUF_CLOBBERS
	    : changed);
	tbuf_rseq_clear();
	return (TBUF_COMMITTED);
changed:
	tbuf_rseq_clear();
	return (TBUF_CHANGED);
}

static inline enum tbuf_outcome
tbuf_rseq_count(const struct tbuf_memo *m, uint64_t generation,
    uint64_t *counter)
{
	__asm__ goto volatile(
	    TBUF_SECTION_BEGIN
	    TBUF_SECTION_CHECK
	    TBUF_SECTION_COUNT
	    :
	    : TBUF_CHECK_OPERANDS, [counter] "r"(counter)
	    : TBUF_CLOBBERS
	    : changed);
	tbuf_rseq_clear();
	return (TBUF_COMMITTED);
changed:
	tbuf_rseq_clear();
	return (TBUF_CHANGED);
}

static inline enum tbuf_outcome
tbuf_rseq_restart(const struct tbuf_memo *m, uint64_t generation)
{
	__asm__ goto volatile(
	    TBUF_SECTION_BEGIN
	    TBUF_SECTION_CHECK
	    "ldr x10, [x9, %[head]]\n\t"
	    "add x10, x10, #7\n\t"
	    "and x10, x10, #-8\n\t"
	    "ldr x3, [x9, %[sequence]]\n\t"
	    "add x4, x9, %[pair]\n\t"
	    "add x5, x4, #16\n\t"
	    "tst x3, #1\n\t"
	    "csel x6, x5, x4, ne\n\t"
	    "csel x7, x4, x5, ne\n\t"
	    "ldr x8, [x6, #8]\n\t"
	    "dmb ishst\n\t" /* behind a step's sequence, as above */
	    "stp x10, x8, [x7]\n\t"
	    "add x3, x3, #1\n\t"
	    "add x4, x9, %[sequence]\n\t"
	    "stlr x3, [x4]\n\t"
	    "ldr x3, [x9, %[restarts]]\n\t"
	    "add x3, x3, #1\n\t"
	    "str x3, [x9, %[restarts]]\n\t"
	    "add x4, x9, %[head]\n\t"
	    "stlr x10, [x4]\n\t"
	    "2:\n\t"
	    :
	    : TBUF_CHECK_OPERANDS, [head] "i"(TBUF_L(head)),
	      [sequence] "i"(TBUF_L(sequence)), [pair] "i"(TBUF_L(pair)),
	      [restarts] "i"(TBUF_L(restarts))
	    : TBUF_CLOBBERS
	    : changed);
	tbuf_rseq_clear();
	return (TBUF_COMMITTED);
changed:
	tbuf_rseq_clear();
	return (TBUF_CHANGED);
}

/* Copy `from` to `to` as one: a signal handler finds it whole or void. */
static inline void
tbuf_rseq_remember(struct tbuf_memo *to, const struct tbuf_memo *from)
{
	__asm__ goto volatile(
	    TBUF_SECTION_BEGIN
	    "str %[none], [%[to]]\n\t"
	    "mov x4, %[size]\n\t"
	    "5: sub x4, x4, #8\n\t"
	    "cbz x4, 6f\n\t"
	    "ldr x3, [%[from], x4]\n\t"
	    "str x3, [%[to], x4]\n\t"
	    "b 5b\n\t"
	    "6: ldr x3, [%[from]]\n\t"
	    "str x3, [%[to]]\n\t"
	    "2:\n\t"
	    :
	    : [rs] "r"(tbuf_rseq_area()), [to] "r"(to), [from] "r"(from),
	      [none] "r"(TBUF_MEMO_NONE), [size] "i"(sizeof(*to))
	    : "x3", "x4", "memory", "cc"
	    : changed);
changed:
	tbuf_rseq_clear();
}
