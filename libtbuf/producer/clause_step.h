/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Steps in the session's memory that clauses take: each is a section
 * (arch/rseq.h), or, without a memo, stands under a lane's lock.  Either way
 * the session stands while it is taken.
 */
#ifndef TBUF_PRODUCER_CLAUSE_STEP_H
#define TBUF_PRODUCER_CLAUSE_STEP_H

#include "producer/producer.h"

enum tbuf_outcome tbuf_step_load(const struct tbuf_memo *, uint64_t *to,
	    const uint64_t *from, uint64_t words) TBUF_HIDDEN;
enum tbuf_outcome tbuf_step_store(const struct tbuf_memo *, uint64_t *word,
	    uint64_t value) TBUF_HIDDEN;
/* Of a lane's own words. */
enum tbuf_outcome tbuf_step_add(const struct tbuf_memo *, uint64_t *word,
	    uint64_t delta) TBUF_HIDDEN;
enum tbuf_outcome tbuf_step_swap(const struct tbuf_memo *, uint64_t *word,
	    uint64_t old, uint64_t new) TBUF_HIDDEN;
/* CHANGED: it is not what it was, or look again. */
enum tbuf_outcome tbuf_step_swap_pair(const struct tbuf_memo *,
	    uint64_t *pair, const uint64_t old[2], const uint64_t new[2])
	    TBUF_HIDDEN;

enum tbuf_outcome tbuf_step_publish(const struct tbuf_memo *,
	    const struct tbuf_publish *) TBUF_HIDDEN;

uint64_t tbuf_step_hash(const uint64_t *words, uint32_t n) TBUF_HIDDEN;

/* Up to eight bytes of a value as a word, and zeroes. */
uint64_t tbuf_step_gather(const uint8_t *bytes, uint32_t at, uint32_t size)
	    TBUF_HIDDEN;

/* What a lane has beside it; NULL: nothing that lies where it may. */
struct tbuf_side *tbuf_side_find(uint64_t base, const struct tbuf_lane *)
	    TBUF_HIDDEN;

#endif
