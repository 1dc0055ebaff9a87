/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The C library's syscall(2), interposed: the program that includes this file
 * defines syscall_answer(), and other calls go to the kernel.
 */
#ifndef TESTS_LIB_INTERPOSED_SYSCALL_H
#define TESTS_LIB_INTERPOSED_SYSCALL_H

#include <dlfcn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#include "lib/interposed_call.h"

/* Returns true if *result is the answer to this call, with errno. */
static bool syscall_answer(long number, const long a[6], long *result);

INTERPOSED(syscall);

long
syscall(long number, ...)
{
	static long (*next)(long, ...);
	long a[6], result;
	va_list ap;
	unsigned i;

	va_start(ap, number);
	for (i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (syscall_answer(number, a, &result))
		return (result);
	if (next == NULL)
		next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	return (next(number, a[0], a[1], a[2], a[3], a[4], a[5]));
}

#endif
