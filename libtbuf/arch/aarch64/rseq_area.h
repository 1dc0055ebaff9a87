/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The rseq area of a thread (rseq_area.h) for aarch64.
 */

/* The word before a section's abort address; the C library registers it. */
#define TBUF_RSEQ_SIGNATURE	0xd428bc00u

/* The first fields of the kernel's struct rseq, which are used here. */
struct tbuf_rseq_area {
	uint32_t cpu_id_start;
	uint32_t cpu_id;
	uint64_t rseq_cs;
};

static inline unsigned char *
tbuf_rseq_pointer(void)
{
	unsigned char *thread;

	__asm__("mrs %0, tpidr_el0" : "=r"(thread));
	return (thread);
}

/*
 * Returns true if this task has a thread area.  A child of clone(2) may have a
 * zeroed one, in which it only makes system calls and exits.  In all others the
 * C library has a pointer in the first word.
 */
static inline bool
tbuf_rseq_thread(void)
{
	return (*(void *volatile *)(void *)tbuf_rseq_pointer() != NULL);
}

static inline struct tbuf_rseq_area *
tbuf_rseq_area(void)
{
	return ((struct tbuf_rseq_area *)(void *)(tbuf_rseq_pointer() +
	    tbuf_rseq_at));
}

static inline ptrdiff_t
tbuf_rseq_find(void *spare)
{
	if (tbuf_rseq_registered())
		return (__rseq_offset);
	return ((unsigned char *)spare - tbuf_rseq_pointer());
}

/* Returns the thread's own memo. */
static inline const struct tbuf_memo *
tbuf_rseq_own(void)
{
	unsigned char *offset;

	__asm__("adrp %0, :gottprel:tbuf_thread\n\t"
	    "ldr %0, [%0, #:gottprel_lo12:tbuf_thread]" : "=r"(offset));
	return ((const struct tbuf_memo *)(void *)(tbuf_rseq_pointer() +
	    (uintptr_t)offset));
}

static inline bool
tbuf_rseq_ready(void)
{
	if (!tbuf_rseq_registered() || !tbuf_rseq_thread())
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
