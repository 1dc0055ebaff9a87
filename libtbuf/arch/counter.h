/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The cycle counter, and the number of this CPU without a system call.
 */
#ifndef TBUF_ARCH_COUNTER_H
#define TBUF_ARCH_COUNTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <cpuid.h>

/*
 * EAX, EBX, ECX and EDX of a CPUID function, as glibc 2.33 and later cache
 * them.  In a virtual machine the instruction itself traps to the host and
 * takes ten microseconds or more, at the start of each program.
 */
struct tbuf_cpuid {
	uint32_t found[4], active[4];
};

extern const struct tbuf_cpuid *tbuf_cpuid_cached(unsigned number)
    __asm__("__x86_get_cpuid_feature_leaf") __attribute__((weak));

enum { TBUF_CPUID_ECX = 2, TBUF_CPUID_EDX = 3 };

/* Returns a bit of a CPUID function; number: see <bits/platform/x86.h>. */
static inline bool
tbuf_cpuid_bit(unsigned function, unsigned number, unsigned word, unsigned bit)
{
	uint32_t own[4];
	const uint32_t *found = own;

	if (tbuf_cpuid_cached != NULL)
		found = tbuf_cpuid_cached(number)->found;
	else if (__get_cpuid_count(function, 0, &own[0], &own[1], &own[2],
	    &own[3]) == 0)
		return (false);
	return ((found[word] >> bit & 1) != 0);
}

/*
 * Returns true if the counter ticks at one rate in all power states.  CPUID,
 * AMD64 Architecture Programmer's Manual vol. 3, Fn8000_0007 EDX bit 8.
 */
static inline bool
tbuf_counter_invariant(void)
{
	return (tbuf_cpuid_bit(0x80000007, 4, TBUF_CPUID_EDX, 8));
}

/* Reads the counter after all earlier loads; taking a lock is one. */
static inline uint64_t
tbuf_counter_read(void)
{
	uint32_t low, high;

	__asm__ volatile("lfence\n\trdtsc" : "=a"(low), "=d"(high) : :
	    "memory");
	return ((uint64_t)high << 32 | low);
}

/* Reads the counter in no order with other instructions, at half the cost. */
static inline uint64_t
tbuf_counter_glance(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
	return ((uint64_t)high << 32 | low);
}

/* Returns true if there is RDTSCP: Fn8000_0001 EDX bit 27. */
static inline bool
tbuf_cpu_readable(void)
{
	return (tbuf_cpuid_bit(0x80000001, 2, TBUF_CPUID_EDX, 27));
}

/*
 * Reads counter and CPU at once, after all earlier loads.  Linux has the CPU in
 * the low 12 bits of TSC_AUX.  To be called only if tbuf_cpu_readable().
 */
static inline uint64_t
tbuf_counter_read_cpu(uint32_t *cpu)
{
	uint32_t low, high, aux;

	__asm__ volatile("rdtscp" : "=a"(low), "=d"(high), "=c"(aux) : :
	    "memory");
	*cpu = aux & 0xfff;
	return ((uint64_t)high << 32 | low);
}

/* Returns true if there is RDPID: Fn0000_0007 ECX bit 22. */
static inline bool
tbuf_cpu_glanceable(void)
{
	return (tbuf_cpuid_bit(7, 1, TBUF_CPUID_ECX, 22));
}

/*
 * Reads counter and CPU in no order with other instructions: the reading may be
 * older than earlier loads by as much as the processor works ahead, but not
 * older than the last interrupt.  It costs half of tbuf_counter_read_cpu(), or
 * less.  To be called only if tbuf_cpu_glanceable().
 */
static inline uint64_t
tbuf_counter_glance_cpu(uint32_t *cpu)
{
	uint64_t high, low, aux;

	__asm__ volatile("rdtsc\n\trdpid %2" : "=a"(low), "=d"(high),
	    "=r"(aux) : : "memory");
	*cpu = aux & 0xfff;
	return (high << 32 | low);
}

#else /* aarch64 */

/* The generic timer's virtual counter is always invariant. */
static inline bool
tbuf_counter_invariant(void)
{
	return (true);
}

static inline uint64_t
tbuf_counter_read(void)
{
	uint64_t count;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(count) : :
	    "memory");
	return (count);
}

static inline uint64_t
tbuf_counter_glance(void)
{
	uint64_t count;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(count) : : "memory");
	return (count);
}

static inline bool
tbuf_cpu_readable(void)
{
	return (false);
}

static inline uint64_t
tbuf_counter_read_cpu(uint32_t *cpu)
{
	*cpu = UINT32_MAX;
	return (tbuf_counter_read());
}

static inline bool
tbuf_cpu_glanceable(void)
{
	return (false);
}

static inline uint64_t
tbuf_counter_glance_cpu(uint32_t *cpu)
{
	return (tbuf_counter_read_cpu(cpu));
}

#endif

#endif
