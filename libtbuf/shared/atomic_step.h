/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Steps in a session's memory.  With a memo a step is a section (arch/rseq.h);
 * without one the caller holds a lane's lock or is the consumer.  In both cases
 * the session exists during the step.
 */
#ifndef TBUF_SHARED_ATOMIC_STEP_H
#define TBUF_SHARED_ATOMIC_STEP_H

#include <stdint.h>

#include "arch/rseq_types.h"

enum tbuf_outcome tbuf_step_load(const struct tbuf_memo *, uint64_t *to,
	    const uint64_t *from, uint64_t words);
enum tbuf_outcome tbuf_step_store(const struct tbuf_memo *, uint64_t *word,
	    uint64_t value);
/* Adds to a word of the caller's lane; not atomic against other lanes. */
enum tbuf_outcome tbuf_step_add(const struct tbuf_memo *, uint64_t *word,
	    uint64_t delta);
enum tbuf_outcome tbuf_step_swap(const struct tbuf_memo *, uint64_t *word,
	    uint64_t old, uint64_t new);
/* Returns TBUF_CHANGED if the pair is not `old`, or the section was aborted. */
enum tbuf_outcome tbuf_step_swap_pair(const struct tbuf_memo *,
	    uint64_t *pair, const uint64_t old[2], const uint64_t new[2]);

/* Copies `size` bytes; then *word becomes `new`, if it is still `old`. */
enum tbuf_outcome tbuf_step_publish(const struct tbuf_memo *, uint64_t *word,
	    uint64_t old, uint64_t new, uint64_t *to, const uint64_t *from,
	    uint64_t size);

uint64_t tbuf_step_hash(const uint64_t *words, uint32_t n);

/* Returns up to eight bytes of a value from `at` on as a word, zero-padded. */
uint64_t tbuf_step_gather(const uint8_t *bytes, uint32_t at, uint32_t size);

#endif
