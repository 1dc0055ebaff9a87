/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The rseq area of a thread (rseq_area.h) for x86-64.
 */

/* Offsets in the kernel's struct rseq. */
#define TBUF_RS_CPU_ID_START	"0"
#define TBUF_RS_CPU_ID		"4"
#define TBUF_RS_CS		"8"

/* The word before a section's abort address; the C library registers it. */
#define TBUF_RSEQ_SIGNATURE	0x53053053u

static inline void *
tbuf_rseq_area(void)
{
	unsigned char *thread;

	__asm__("movq %%fs:0, %0" : "=r"(thread));
	return (thread + __rseq_offset);
}

/*
 * Returns true if this task has a thread area.  A child of clone(2) may have a
 * zeroed one, in which it only makes system calls and exits.
 */
static inline bool
tbuf_rseq_thread(void)
{
	bool there;

	__asm__ volatile("cmpq $0, %%fs:16" : "=@ccne"(there));
	return (there);
}

static inline uintptr_t
tbuf_rseq_offset(const void *of_thread)
{
	return ((uintptr_t)of_thread - (uintptr_t)__builtin_thread_pointer());
}

static inline ptrdiff_t
tbuf_rseq_find(void *spare)
{
	if (tbuf_rseq_registered())
		return (__rseq_offset);
	return ((ptrdiff_t)tbuf_rseq_offset(spare));
}

/* Returns the offset of the thread's own memo, by one load. */
static inline uintptr_t
tbuf_rseq_own(void)
{
	uintptr_t offset;

	__asm__("movq tbuf_thread@gottpoff(%%rip), %0" : "=r"(offset));
	return (offset);
}

static inline bool
tbuf_rseq_ready(void)
{
	int32_t cpu;

	if (!tbuf_rseq_registered() || !tbuf_rseq_thread())
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
	    : "=r"(cpu) : "r"(tbuf_rseq_at));
	return (cpu);
}

static inline void
tbuf_rseq_clear(void)
{
	__asm__ volatile("movq $0, %%fs:" TBUF_RS_CS "(%0)"
	    : : "r"(tbuf_rseq_at) : "memory");
}
