/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The restartable sections of rseq.h for x86-64.  Stores of this machine are
 * seen in program order, so release needs no instruction of its own.
 *
 * Registers: %[m] is the memo, %[gen] the generation, %[w] what is written and
 * %[size] its size; inside, r11 is the lane, r10 the stamp, r9 head, in the
 * end the new one, r8 the place in the storage; rax, rcx and rdx are scratch,
 * rsi too for a ring's steps, rsi and rdi for segments.  There is no register
 * to spare: a sanitizer's build keeps two for itself.
 */
#include <stdbool.h>

extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

/* Offsets in the kernel's struct rseq. */
#define TBUF_RS_CPU_ID_START	"0"
#define TBUF_RS_CPU_ID		"4"
#define TBUF_RS_CS		"8"

static inline bool
tbuf_rseq_ready(void)
{
	int32_t cpu;

	if (&__rseq_size == NULL || __rseq_size == 0)
		return (false);
	__asm__ volatile("movl %%fs:" TBUF_RS_CPU_ID "(%1), %0"
	    : "=r"(cpu) : "r"(__rseq_offset));
	return (cpu >= 0);
}

static inline uint32_t
tbuf_rseq_cpu(void)
{
	uint32_t cpu;

	__asm__ volatile("movl %%fs:" TBUF_RS_CPU_ID_START "(%1), %0"
	    : "=r"(cpu) : "r"(__rseq_offset));
	return (cpu);
}

/* An operand for it would keep one more register from its function. */
#define TBUF_SECTION_AREA						\
	"movq __rseq_offset@GOTPCREL(%%rip), %%rdx\n\t"		\
	"movq (%%rdx), %%rdx\n\t"

static inline void
tbuf_rseq_clear(void)
{
	__asm__ volatile(
	    TBUF_SECTION_AREA
	    "movq $0, %%fs:" TBUF_RS_CS "(%%rdx)"
	    : : : "rdx", "memory");
}

#ifdef TBUF_INJECT
#define TBUF_DELAY(n)							\
	"movq %[inject], %%rax\n\t"					\
	"movl 4*" #n "(%%rax), %%eax\n\t"				\
	"77: subl $1, %%eax\n\t"					\
	"jnc 77b\n\t"
/* ... where rax is in use and rsi is not. */
#define TBUF_DELAY_RAX(n)						\
	"movq %%rax, %%rsi\n\t"						\
	TBUF_DELAY(n)							\
	"movq %%rsi, %%rax\n\t"
#define TBUF_INJECT_OPERAND	, [inject] "m"(tbuf_inject_at)
static uint32_t *const volatile tbuf_inject_at = tbuf_inject;
#else
#define TBUF_DELAY(n)
#define TBUF_DELAY_RAX(n)
#define TBUF_INJECT_OPERAND
#endif

#define TBUF_SECTION_BEGIN						\
	".pushsection __rseq_cs, \"aw\"\n\t"				\
	".balign 32\n\t"						\
	"3: .long 0, 0\n\t"						\
	".quad 1f, (2f - 1f), 4f\n\t"					\
	".popsection\n\t"						\
	".pushsection __rseq_failure, \"ax\"\n\t"			\
	".byte 0x0f, 0xb9, 0x3d\n\t" /* ud1, then the signature */	\
	".long 0x53053053\n\t"						\
	"4: jmp %l[changed]\n\t"					\
	".popsection\n\t"						\
	TBUF_SECTION_AREA						\
	"leaq 3b(%%rip), %%rax\n\t"					\
	"movq %%rax, %%fs:" TBUF_RS_CS "(%%rdx)\n\t"			\
	"1:\n\t"

#define TBUF_SECTION_CHECK						\
	TBUF_DELAY(0)							\
	"movl %c[cpu](%[m]), %%eax\n\t"					\
	"cmpl %%fs:" TBUF_RS_CPU_ID "(%%rdx), %%eax\n\t"		\
	"jne %l[changed]\n\t"						\
	"movq %[local], %%rax\n\t"					\
	"cmpq $0, (%%rax)\n\t"						\
	"je %l[changed]\n\t"						\
	"cmpq %[gen], %c[generation](%[m])\n\t"			\
	"jne %l[changed]\n\t"						\
	"movq %c[slot](%[m]), %%rcx\n\t"				\
	"cmpq %[gen], %c[at](%%rcx)\n\t"				\
	"jne %l[changed]\n\t"						\
	"movq %c[lane](%[m]), %%r11\n\t"				\
	TBUF_DELAY(1)

#define TBUF_CHECK_OPERANDS						\
	[m] "r"(m), [gen] "r"(generation),	\
	[local] "m"(tbuf_local), [cpu] "i"(TBUF_M(cpu)),		\
	[generation] "i"(TBUF_M(generation)), [slot] "i"(TBUF_M(slot)),	\
	[lane] "i"(TBUF_M(lane)),					\
	[at] "i"(offsetof(struct tbuf_slot, generation))		\
	TBUF_INJECT_OPERAND

/* The counter is read first: what follows overlaps with its latency. */
#define TBUF_SECTION_CLOCK						\
	"rdtsc\n\t"							\
	"shlq $32, %%rdx\n\t"						\
	"orq %%rdx, %%rax\n\t"						\
	"movq %%rax, %%r10\n\t"

#define TBUF_SECTION_HEAD						\
	"movq %c[head](%%r11), %%r9\n\t"

#define TBUF_HEAD_OPERANDS						\
	[head] "i"(TBUF_L(head)), [size] "r"(w->size)

/* Room of a linear lane; goes to the label `no` if there is none. */
#define TBUF_SECTION_LINEAR(no)						\
	"leaq (%%r9, %[size]), %%rax\n\t"				\
	"cmpq %%rax, %c[limit](%%r11)\n\t"				\
	"jb " no "\n\t"							\
	"movq %c[full](%%r11), %%rax\n\t"				\
	"testq %%rax, %c[fill_mask](%[m])\n\t"				\
	"jnz " no "\n\t"

#define TBUF_LINEAR_OPERANDS						\
	[limit] "i"(TBUF_L(limit)), [full] "i"(TBUF_L(full)),		\
	[fill_mask] "i"(TBUF_M(fill_mask))

/*
 * Room of a ring: rcx the sequence, rdx 16 times its low bit, r8 tail, rax
 * what there is of records, rsi the size of the oldest, then overwritten.
 */
#define TBUF_SECTION_RING						\
	"movq %c[sequence](%%r11), %%rcx\n\t"				\
	"movl %%ecx, %%edx\n\t"						\
	"andl $1, %%edx\n\t"						\
	"shll $4, %%edx\n\t"						\
	"movq %c[pair](%%r11, %%rdx), %%r8\n\t"				\
	"movq %%r9, %%rax\n\t"						\
	"subq %%r8, %%rax\n\t"						\
	"leaq (%%rax, %[size]), %%rsi\n\t"				\
	"cmpq %c[bufsize](%[m]), %%rsi\n\t"				\
	"jbe 6f\n\t"							\
	"cmpq %c[bufsize](%[m]), %%rax\n\t"				\
	"ja %l[damaged]\n\t"						\
	"testb $7, %%r9b\n\t"						\
	"jnz %l[damaged]\n\t"						\
	/* one step */							\
	"5: leaq 8(%%r8), %%rsi\n\t"					\
	"andq %c[mask8](%[m]), %%rsi\n\t"				\
	"addq %c[data](%[m]), %%rsi\n\t"				\
	"movzwl 2(%%rsi), %%esi\n\t"					\
	"testb $7, %%sil\n\t"						\
	"jnz %l[damaged]\n\t"						\
	"cmpl $16, %%esi\n\t"						\
	"jb %l[damaged]\n\t"						\
	"subq %%rsi, %%rax\n\t"						\
	"jb %l[damaged]\n\t"						\
	"addq %%rsi, %%r8\n\t"						\
	"movq %c[pair] + 8(%%r11, %%rdx), %%rsi\n\t"			\
	"addq $1, %%rsi\n\t"						\
	"xorl $16, %%edx\n\t"						\
	"movq %%r8, %c[pair](%%r11, %%rdx)\n\t"				\
	"movq %%rsi, %c[pair] + 8(%%r11, %%rdx)\n\t"			\
	"addq $1, %%rcx\n\t"						\
	TBUF_DELAY_RAX(2)						\
	"movq %%rcx, %c[sequence](%%r11)\n\t"				\
	TBUF_DELAY_RAX(3)						\
	"leaq (%%rax, %[size]), %%rsi\n\t"				\
	"cmpq %c[bufsize](%[m]), %%rsi\n\t"				\
	"ja 5b\n\t"							\
	"6:\n\t"

#define TBUF_RING_OPERANDS						\
	[sequence] "i"(TBUF_L(sequence)), [pair] "i"(TBUF_L(pair)),	\
	[bufsize] "i"(TBUF_M(bufsize))

/* r10: later than the lane's last stamp. */
#define TBUF_SECTION_STAMP						\
	"movq %c[last](%%r11), %%rdx\n\t"				\
	"addq $1, %%rdx\n\t"						\
	"cmpq %%rdx, %%r10\n\t"						\
	"cmovb %%rdx, %%r10\n\t"						\
	"movq %%r10, %c[last](%%r11)\n\t"

#define TBUF_STORE_OPERANDS						\
	[last] "i"(TBUF_L(last)), [data] "i"(TBUF_M(data)),		\
	[mask8] "i"(TBUF_M(mask8)), [w] "r"(w),				\
	[word] "i"(offsetof(struct tbuf_write, word)),			\
	[from] "i"(offsetof(struct tbuf_write, from)),			\
	[from_end] "i"(offsetof(struct tbuf_write, from_end))

/* A record of 64-bit words that does not go around the storage's end. */
#define TBUF_SECTION_WORDS						\
	"movq %%r9, %%r8\n\t"						\
	"andq %c[mask8](%[m]), %%r8\n\t"				\
	"leaq -8(%%r8, %[size]), %%rax\n\t"				\
	"cmpq %c[mask8](%[m]), %%rax\n\t"				\
	"ja %l[wrapped]\n\t"						\
	"addq %c[data](%[m]), %%r8\n\t"					\
	"movq (%%r8), %%rcx\n\t"					\
	TBUF_SECTION_STAMP						\
	"movq %%r10, (%%r8)\n\t"					\
	"movq %c[word](%[w]), %%rcx\n\t"					\
	"movq %%rcx, 8(%%r8)\n\t"					\
	TBUF_DELAY(4)							\
	"movq %c[from](%[w]), %%rdx\n\t"					\
	"movq %[size], %%rcx\n\t"					\
	"subq $16, %%rcx\n\t"						\
	"jz 8f\n\t"							\
	"7: movq -8(%%rdx, %%rcx), %%rax\n\t"				\
	"movq %%rax, 8(%%r8, %%rcx)\n\t"				\
	"subq $8, %%rcx\n\t"						\
	"jnz 7b\n\t"							\
	"8: addq %[size], %%r9\n\t"

/*
 * Segments of any size and alignment, anywhere.  r9 is the position, rsi the
 * segment, rdi its bytes, rcx what is left of it.
 */
#define TBUF_SECTION_SEGMENTS						\
	TBUF_SECTION_STAMP						\
	"movq %c[data](%[m]), %%rdi\n\t"				\
	"movq %%r9, %%r8\n\t"						\
	"andq %c[mask8](%[m]), %%r8\n\t"				\
	"movq (%%rdi, %%r8), %%rcx\n\t"					\
	"movq %%r10, (%%rdi, %%r8)\n\t"					\
	"leaq 8(%%r9), %%r8\n\t"					\
	"andq %c[mask8](%[m]), %%r8\n\t"				\
	"movq %c[word](%[w]), %%rcx\n\t"					\
	"movq %%rcx, (%%rdi, %%r8)\n\t"				\
	"addq $16, %%r9\n\t"						\
	TBUF_DELAY(4)							\
	"movq %c[from](%[w]), %%rsi\n\t"					\
	"7: cmpq %c[from_end](%[w]), %%rsi\n\t"				\
	"je 12f\n\t"							\
	"movq (%%rsi), %%rdi\n\t"					\
	"movq 8(%%rsi), %%rcx\n\t"					\
	/* a chunk: up to the storage's end */				\
	"8: movq %c[mask8](%[m]), %%rax\n\t"				\
	"addq $7, %%rax\n\t"						\
	"movq %%r9, %%rdx\n\t"						\
	"andq %%rax, %%rdx\n\t"						\
	"subq %%rdx, %%rax\n\t"						\
	"addq $1, %%rax\n\t"						\
	"cmpq %%rcx, %%rax\n\t"						\
	"cmova %%rcx, %%rax\n\t"					\
	"addq %%rax, %%r9\n\t"						\
	"subq %%rax, %%rcx\n\t"						\
	"addq %c[data](%[m]), %%rdx\n\t"				\
	"9: subq $8, %%rax\n\t"						\
	"jb 10f\n\t"							\
	"movq (%%rdi), %%r8\n\t"					\
	"movq %%r8, (%%rdx)\n\t"					\
	"addq $8, %%rdi\n\t"						\
	"addq $8, %%rdx\n\t"						\
	"jmp 9b\n\t"							\
	"10: addq $8, %%rax\n\t"					\
	"jz 11f\n\t"							\
	"13: movb (%%rdi), %%r8b\n\t"					\
	"movb %%r8b, (%%rdx)\n\t"					\
	"addq $1, %%rdi\n\t"						\
	"addq $1, %%rdx\n\t"						\
	"subq $1, %%rax\n\t"						\
	"jnz 13b\n\t"							\
	"11: testq %%rcx, %%rcx\n\t"					\
	"jnz 8b\n\t"							\
	"addq $16, %%rsi\n\t"						\
	"jmp 7b\n\t"							\
	"12:\n\t"

#define TBUF_SECTION_COMMIT						\
	TBUF_DELAY(5)							\
	"movq %%r9, %c[head](%%r11)\n\t" /* the last instruction */	\
	"2:\n\t"

#define TBUF_CLOBBERS							\
	"rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "memory", "cc"

/*
 * The four ways to commit: ROOM is LINEAR or RING, COPY is WORDS or SEGMENTS,
 * `more` the registers that they need beside TBUF_CLOBBERS.
 */
#define TBUF_COMMIT(name, ROOM, ROOM_OPERANDS, COPY, more...)		\
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
	    TBUF_SECTION_ ## COPY					\
	    TBUF_SECTION_COMMIT						\
	    :								\
	    : TBUF_CHECK_OPERANDS, TBUF_HEAD_OPERANDS, ROOM_OPERANDS,	\
	      TBUF_STORE_OPERANDS					\
	    : TBUF_CLOBBERS, ## more					\
	    : changed, no_room, damaged, wrapped);			\
	tbuf_rseq_clear();						\
	return (TBUF_COMMITTED);					\
no_room:								\
	tbuf_rseq_clear();						\
	return (TBUF_NO_ROOM);						\
damaged:								\
	tbuf_rseq_clear();						\
	return (TBUF_DAMAGED);						\
wrapped:								\
	tbuf_rseq_clear();						\
	return (TBUF_WRAPPED);						\
changed:								\
	tbuf_rseq_clear();						\
	return (TBUF_CHANGED);						\
}

TBUF_COMMIT(tbuf_rseq_linear_words, TBUF_SECTION_LINEAR("%l[no_room]"),
    TBUF_LINEAR_OPERANDS, WORDS)
TBUF_COMMIT(tbuf_rseq_linear_segments, TBUF_SECTION_LINEAR("%l[no_room]"),
    TBUF_LINEAR_OPERANDS, SEGMENTS, "rsi", "rdi")
TBUF_COMMIT(tbuf_rseq_ring_words, TBUF_SECTION_RING,
    TBUF_RING_OPERANDS, WORDS, "rsi")
TBUF_COMMIT(tbuf_rseq_ring_segments, TBUF_SECTION_RING,
    TBUF_RING_OPERANDS, SEGMENTS, "rsi", "rdi")

#define TBUF_SECTION_COUNT						\
	"movq %[counter], %%rdx\n\t"					\
	TBUF_DELAY(6)							\
	"addq $1, (%%rdx)\n\t"						\
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
	    "jmp %l[changed]\n\t"
	    "5:\n\t"
	    TBUF_SECTION_COUNT
	    :
	    : TBUF_CHECK_OPERANDS, TBUF_HEAD_OPERANDS, TBUF_LINEAR_OPERANDS,
	      [counter] "m"(counter)
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
	    : TBUF_CHECK_OPERANDS, [counter] "m"(counter)
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
	    "movq %c[head](%%r11), %%r9\n\t"
	    "addq $7, %%r9\n\t"
	    "andq $-8, %%r9\n\t"
	    "movq %c[sequence](%%r11), %%rcx\n\t"
	    "movl %%ecx, %%edx\n\t"
	    "andl $1, %%edx\n\t"
	    "shll $4, %%edx\n\t"
	    "movq %c[pair] + 8(%%r11, %%rdx), %%rax\n\t"
	    "xorl $16, %%edx\n\t"
	    "movq %%r9, %c[pair](%%r11, %%rdx)\n\t"
	    "movq %%rax, %c[pair] + 8(%%r11, %%rdx)\n\t"
	    "addq $1, %%rcx\n\t"
	    "movq %%rcx, %c[sequence](%%r11)\n\t"
	    "addq $1, %c[restarts](%%r11)\n\t"
	    "movq %%r9, %c[head](%%r11)\n\t"
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
	    "movabsq %[none], %%rax\n\t"
	    "movq %%rax, (%[to])\n\t"
	    "movl %[size], %%ecx\n\t"
	    "5: subl $8, %%ecx\n\t"
	    "jz 6f\n\t"
	    "movq (%[from], %%rcx), %%rax\n\t"
	    "movq %%rax, (%[to], %%rcx)\n\t"
	    "jmp 5b\n\t"
	    "6: movq (%[from]), %%rax\n\t"
	    "movq %%rax, (%[to])\n\t"
	    "2:\n\t"
	    :
	    : [to] "r"(to), [from] "r"(from),
	      [none] "i"(TBUF_MEMO_NONE), [size] "i"(sizeof(*to))
	    : "rax", "rcx", "rdx", "memory", "cc"
	    : changed);
changed:
	tbuf_rseq_clear();
}
