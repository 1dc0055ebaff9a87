/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * For files that do nothing at a fire, or nothing that is often done there:
 * their functions are compiled to be small, for a program has to carry them
 * whether it is traced or not (bench/size.sh).  The first to be included, so
 * that it is also for inline functions.  A level in the flags of a file would
 * come before the builder's own, which wins; without optimization nothing
 * changes.
 */
#ifndef TBUF_BASE_OPTIMIZE_SIZE_H
#define TBUF_BASE_OPTIMIZE_SIZE_H

#if defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize ("Os")
#endif

#endif
