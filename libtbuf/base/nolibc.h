/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Names for memcpy and others, which compilers call to zero and copy structures
 * even if they may use general registers only.  The C library's functions
 * change vector registers, which are not saved where redirected code fires.
 * Included before each file of the target side.
 */
#ifndef TBUF_BASE_NOLIBC_H
#define TBUF_BASE_NOLIBC_H

__asm__ (
    "memcpy = tbuf_plain_copy\n\t"
    "memmove = tbuf_plain_move\n\t"
    "memset = tbuf_plain_set");

#endif
