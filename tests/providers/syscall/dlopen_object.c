/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An object loaded by dlopen(3) that makes system calls by its own instruction.
 */
long	object_call(long number, long a, long b, long c, long d);

long
object_call(long number, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	long result;

	__asm__ volatile ("syscall" : "=a" (result) : "a" (number), "D" (a),
	    "S" (b), "d" (c), "r" (r10) : "rcx", "r11", "memory", "cc");
	return (result);
}
