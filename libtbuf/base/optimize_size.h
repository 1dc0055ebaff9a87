/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Compiles a file's functions to be small.  For files that are not, or rarely,
 * used in a fire: every program has their code, traced or not (bench/size.sh).
 * It is included first, so that inline functions are compiled so, too.  An
 * optimization level in the flags of a file would come before the builder's,
 * which wins.  Without optimization nothing changes.
 */
#ifndef TBUF_BASE_OPTIMIZE_SIZE_H
#define TBUF_BASE_OPTIMIZE_SIZE_H

#if defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize ("Os")
#endif

#endif
