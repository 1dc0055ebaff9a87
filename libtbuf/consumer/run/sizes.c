/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lowers sizes for which there is no room.
 */
#include "consumer/run/run.h"

unsigned
tbuf_cpus_number(void)
{
	struct tbuf_cpus online;
	unsigned n = TBUF_NCPUS;

	tbuf_cpus_online(&online);
	while (n > 0 && !tbuf_cpus_has(&online, n - 1))
		n--;
	return (n);
}

uint64_t
tbuf_share_space(const struct tbuf_share *share)
{
	uint64_t bytes;

	return (__builtin_mul_overflow(*share->size, share->times, &bytes) ?
	    UINT64_MAX : bytes);
}

/* Returns half of a size: a multiple of 8, and of 16 unless it is small. */
static uint64_t
half(const struct tbuf_share *share)
{
	return (*share->size / 2 &
	    ~(*share->size < 64 ? UINT64_C(7) : UINT64_C(15)));
}

bool
tbuf_share_halve(const struct tbuf_share *shares, unsigned count)
{
	const struct tbuf_share *largest = NULL, *s;
	uint64_t most = 0;

	for (s = shares; s < shares + count; s++)
		if (half(s) >= s->least && tbuf_share_space(s) > most) {
			largest = s;
			most = tbuf_share_space(s);
		}
	if (largest != NULL)
		*largest->size = half(largest);
	return (largest != NULL);
}

void
tbuf_size_bound(struct tbuf_consumer *c, const char *name, uint64_t *option,
    uint64_t most)
{
	if (*option <= most)
		return;
	*option = most;
	c->bounded = name;
	c->bound = most;
	c->lowered = true;
}

bool
tbuf_sizes_refused(const struct tbuf_consumer *c)
{
	return (c->lowered && c->options.bufresize != 0);
}
