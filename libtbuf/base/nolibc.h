/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compilers call these where a structure is zeroed or copied, whatever they are
 * told of registers, and the C library's own change vector registers.  What is
 * redirected fires where nobody has saved those.  Included in front of each
 * file of the target side.
 */
#ifndef TBUF_BASE_NOLIBC_H
#define TBUF_BASE_NOLIBC_H

__asm__ (
    "memcpy = tbuf_plain_copy\n\t"
    "memmove = tbuf_plain_move\n\t"
    "memset = tbuf_plain_set");

#endif
