/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An architecture without restartable sections: lock lanes only.
 */
#include <stdbool.h>

static inline bool
tbuf_rseq_ready(void)
{
	return (false);
}

static inline uint32_t
tbuf_rseq_cpu(void)
{
	return (0);
}

#define tbuf_rseq_linear_words(m, generation, w)	TBUF_CHANGED
#define tbuf_rseq_linear_segments(m, generation, w)	TBUF_CHANGED
#define tbuf_rseq_ring_words(m, generation, w)		TBUF_CHANGED
#define tbuf_rseq_ring_segments(m, generation, w)	TBUF_CHANGED
#define tbuf_rseq_refuse(m, generation, w, counter)	TBUF_CHANGED
#define tbuf_rseq_count(m, generation, counter)		TBUF_CHANGED
#define tbuf_rseq_restart(m, generation)		TBUF_CHANGED
#define tbuf_rseq_remember(to, from)			((void)(to))
