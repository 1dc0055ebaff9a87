/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * SEVERAL of rseq.h, by a section of ROWS for each session.
 */
#ifndef TBUF_ARCH_GENERIC_RSEQ_SEVERAL_H
#define TBUF_ARCH_GENERIC_RSEQ_SEVERAL_H

static inline uint32_t
tbuf_rseq_several(const struct tbuf_memo *memos, uint32_t bits, uint64_t size,
    uint64_t header, const struct tbuf_site *site, const uint64_t *values)
{
	struct tbuf_write w = {
		.size = size, .size16 = (uint32_t)header,
		.tid = (uint32_t)(header >> 32)
	};

	for (; bits != 0; bits &= bits - 1)
		if (tbuf_rseq_rows_among((const struct tbuf_memo *)
		    ((uintptr_t)memos + (unsigned)__builtin_ctz(bits) *
		    TBUF_MEMO_SIZE), &w, site, values) != TBUF_COMMITTED)
			break;
	tbuf_rseq_clear();
	return (bits);
}

#endif
