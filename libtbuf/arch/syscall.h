/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * System calls by an instruction in the caller's object, libtbuf or a provider.
 * The instruction has no stub, so these calls are not reported as calls of the
 * program (providers/syscall/syscall.h), and they work while those of the C
 * library are being replaced.
 */
#ifndef TBUF_ARCH_SYSCALL_H
#define TBUF_ARCH_SYSCALL_H

/* Makes a system call.  Returns its result, or a negative errno. */
static inline long
raw_call_six(long number, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__)
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile ("syscall" : "=a" (result) : "a" (number), "D" (a),
	    "S" (b), "d" (c), "r" (r10), "r" (r8), "r" (r9) :
	    "rcx", "r11", "memory", "cc");
	return (result);
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile ("svc #0" : "+r" (x0) : "r" (x8), "r" (x1),
	    "r" (x2), "r" (x3), "r" (x4), "r" (x5) : "memory", "cc");
	return (x0);
#endif
}

static inline long
raw_call(long number, long a, long b, long c, long d, long e)
{
	return (raw_call_six(number, a, b, c, d, e, 0));
}

#endif
