/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The table of bytes that programs used of their lanes (lane_usage.h).
 */
#include "base/optimize_size.h"

#include "arch/atomics.h"
#include "shared/lane_usage.h"

#define LOG_BITS	6
#define LIVES_BITS	3
#define LOW_BITS	(LOG_BITS + LIVES_BITS)
#define LOW_MASK	((UINT64_C(1) << LOW_BITS) - 1)

_Static_assert(TBUF_USAGE_WORDS == LOW_MASK + 1, "a place is of LOW_BITS");
_Static_assert(TBUF_USAGE_LIVES <= TBUF_USAGE_WELL &&
    TBUF_USAGE_WELL < 1 << LIVES_BITS, "lives are counted");

/*
 * Returns the FNV-1a hash; its upper bits are for the word, the lower ones for
 * the place.  The name is in memory that others can write and may lack a NUL,
 * so at most TBUF_USAGE_NAME bytes are read.
 */
static uint64_t
hash(uint64_t run, const char *program)
{
	uint64_t h = UINT64_C(14695981039346656037) ^ run;
	unsigned i;

	for (i = 0; i < TBUF_USAGE_NAME && program[i] != '\0'; i++)
		h = (h ^ (unsigned char)program[i]) *
		    UINT64_C(1099511628211);
	return (h);
}

static unsigned
lives(uint64_t word)
{
	return ((unsigned)(word >> LOG_BITS) & ((1u << LIVES_BITS) - 1));
}

static unsigned
log_of(uint64_t word)
{
	return ((unsigned)word & ((1u << LOG_BITS) - 1));
}

void
tbuf_usage_note(uint64_t *words, uint64_t run, const char *program,
    uint64_t bytes)
{
	uint64_t h = hash(run, program), word;
	unsigned log = 0, n = 0;

	while (log < 63 && UINT64_C(1) << log < bytes)
		log++;
	word = tbuf_load(&words[h & LOW_MASK]);
	if ((word & ~LOW_MASK) == (h & ~LOW_MASK)) {
		n = lives(word);
		if (log < log_of(word))
			log = log_of(word);
	}
	if (n < TBUF_USAGE_WELL)
		n++;
	tbuf_store(&words[h & LOW_MASK], (h & ~LOW_MASK) |
	    (uint64_t)n << LOG_BITS | log);
}

static uint64_t
most(uint64_t a, uint64_t b)
{
	return (a > b ? a : b);
}

/* Returns the least bytes of the lane that is written, after n lives. */
static uint64_t
least_own(unsigned n)
{
	return (n < TBUF_USAGE_LIVES ? TBUF_USAGE_NEW >> n :
	    n < TBUF_USAGE_WELL ? TBUF_USAGE_MIN : TBUF_USAGE_MIN_WELL);
}

struct tbuf_usage
tbuf_usage_look(const uint64_t *words, uint64_t run, const char *program)
{
	uint64_t h = hash(run, program), word, many, own;

	word = tbuf_load(&words[h & LOW_MASK]);
	if ((word & ~LOW_MASK) != (h & ~LOW_MASK) || lives(word) == 0 ||
	    UINT64_C(1) << log_of(word) > UINT64_MAX / TBUF_USAGE_TIMES)
		return ((struct tbuf_usage){ UINT64_MAX, UINT64_MAX });
	many = (UINT64_C(1) << log_of(word)) * TBUF_USAGE_TIMES;
	own = least_own(lives(word));
	return ((struct tbuf_usage){ most(many, most(own / TBUF_USAGE_TIMES,
	    TBUF_USAGE_LEAST)), most(many, own) });
}
