/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Aggregating functions.  The input is a function, its parameter, then values
 * and weights alternately.
 */
#include "support/fuzz.h"
#include "machine/aggregate.h"

#define WORDS_MAX	(1 << 16)

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return (0);
}

static uint64_t *
make(enum tbuf_aggregator function, uint32_t nwords)
{
	uint64_t *words = malloc(nwords * sizeof(*words));

	FUZZ_CHECK(words != NULL);
	tbuf_aggregate_initial(function, words, nwords);
	return (words);
}

/* Checks that a value is within the bounds of its bucket. */
static void
check_bucket(enum tbuf_aggregator function, uint64_t parameter,
    uint32_t nwords, int64_t value)
{
	uint32_t bucket = tbuf_aggregate_bucket(function, parameter, value);
	int64_t low, high;

	FUZZ_CHECK(bucket < nwords);
	if (tbuf_aggregate_bounds(function, parameter, bucket, &low, &high))
		FUZZ_CHECK(low <= high);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	enum tbuf_aggregator function = (enum tbuf_aggregator)
	    (input_take(&in, 1) % (TBUF_AGGREGATORS + 1));
	uint64_t parameter = input_take(&in, 8), value, weight;
	uint32_t nwords = tbuf_aggregate_words(function, parameter);
	uint64_t *whole, *part[2];
	unsigned turn = 0;

	if (nwords == 0 || nwords > WORDS_MAX)
		return (0);
	whole = make(function, nwords);
	part[0] = make(function, nwords);
	part[1] = make(function, nwords);
	for (; in.size > 0; turn ^= 1) {
		value = input_take(&in, 8);
		weight = input_take(&in, 2);
		if (tbuf_aggregate_has_buckets(function))
			check_bucket(function, parameter, nwords,
			    (int64_t)value);
		tbuf_aggregate_update(function, parameter, whole, value,
		    weight);
		tbuf_aggregate_update(function, parameter, part[turn], value,
		    weight);
	}
	tbuf_aggregate_merge(function, part[0], part[1], nwords);
	FUZZ_CHECK(memcmp(part[0], whole, nwords * sizeof(*whole)) == 0);
	free(part[1]);
	free(part[0]);
	free(whole);
	return (0);
}
