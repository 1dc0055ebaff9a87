/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Bytes of a file that change between two reads.  pread(2) is replaced by a
 * function that first calls the fuzz target, with the number of the read: a
 * fuzz target that stores the bytes there does so at the same place in each
 * run.
 */
#ifndef FUZZ_READS_H
#define FUZZ_READS_H

/* Counts reads from 0 on, and calls this before each; NULL ends that. */
void	reads_begin(void (*before)(unsigned number));

#endif
