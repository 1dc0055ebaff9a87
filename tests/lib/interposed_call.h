/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A test's own definition of a function of the C library takes the place of the
 * target side's as well (base/nolibc_call.c), if the test links that as an
 * archive.
 */
#ifndef TESTS_LIB_INTERPOSED_CALL_H
#define TESTS_LIB_INTERPOSED_CALL_H

#define INTERPOSED(name)						\
__asm__(".globl tbuf_own_" #name "\n\t.set tbuf_own_" #name ", " #name)

#endif
