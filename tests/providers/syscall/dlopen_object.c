/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An object that comes by dlopen(3), and makes system calls by an instruction
 * of its own.
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
