/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Steps in a session's memory: each is a section (arch/rseq.h), or, without a
 * memo, stands under a lane's lock or is the consumer's.  Either way the
 * session stands while it is taken.
 */
#ifndef TBUF_SHARED_ATOMIC_STEP_H
#define TBUF_SHARED_ATOMIC_STEP_H

#include <stdint.h>

#include "arch/rseq_types.h"

enum tbuf_outcome tbuf_step_load(const struct tbuf_memo *, uint64_t *to,
	    const uint64_t *from, uint64_t words);
enum tbuf_outcome tbuf_step_store(const struct tbuf_memo *, uint64_t *word,
	    uint64_t value);
/* Of a lane's own words. */
enum tbuf_outcome tbuf_step_add(const struct tbuf_memo *, uint64_t *word,
	    uint64_t delta);
enum tbuf_outcome tbuf_step_swap(const struct tbuf_memo *, uint64_t *word,
	    uint64_t old, uint64_t new);
/* CHANGED: it is not what it was, or look again. */
enum tbuf_outcome tbuf_step_swap_pair(const struct tbuf_memo *,
	    uint64_t *pair, const uint64_t old[2], const uint64_t new[2]);

enum tbuf_outcome tbuf_step_publish(const struct tbuf_memo *,
	    const struct tbuf_publish *);

uint64_t tbuf_step_hash(const uint64_t *words, uint32_t n);

/* Up to eight bytes of a value as a word, and zeroes. */
uint64_t tbuf_step_gather(const uint8_t *bytes, uint32_t at, uint32_t size);

#endif
