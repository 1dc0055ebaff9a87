/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Aggregations of the fake consumer (fake.h), in the order of the script.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "machine/program.h"

#include "fake.h"

#define KEYS		4
#define BUCKETS		8

static const struct tbuf_d_shape number = {
	.kind = TBUF_KIND_INTEGER, .is_signed = 1, .size = 8, .name = "long"
};
static const struct tbuf_d_shape string = {
	.kind = TBUF_KIND_TEXT, .size = 256, .name = "string"
};

/* Returns the line of an aggregation's id, or NULL. */
static const struct fake_line *
find(uint32_t id)
{
	const struct fake_line *line;

	STAILQ_FOREACH(line, fake_script(), next)
		if (fake_is(line, "aggregation") && id-- == 0)
			return (line);
	return (NULL);
}

static void
make_aggregation(const struct fake_line *line, uint32_t id,
    struct tbuf_d_piece *pieces, struct tbuf_d_aggregation *to)
{
	unsigned i;

	*to = (struct tbuf_d_aggregation){
		.name = fake_text(line, 1), .id = id,
		.function = (uint32_t)fake_number(line, 2), .keys = pieces,
		.nkeys = line->count - 3
	};
	if (to->nkeys > KEYS)
		fake_wrong(line, "too many");
	for (i = 0; i < to->nkeys; i++)
		if (strcmp(fake_text(line, 3 + i), "string") == 0)
			pieces[i] = (struct tbuf_d_piece){
				.kind = TBUF_PIECE_TEXT, .shape = &string
			};
		else
			pieces[i] = (struct tbuf_d_piece){
				.kind = TBUF_PIECE_INTEGER, .shape = &number
			};
}

/* Parses LOW:HIGH:COUNT,... */
static unsigned
make_buckets(const struct fake_line *line, const char *text,
    struct tbuf_bucket *to)
{
	unsigned n;
	char *end;

	for (n = 0; *text != '\0'; n++) {
		if (n == BUCKETS)
			fake_wrong(line, "too many");
		to[n].low = strtoll(text, &end, 0);
		to[n].high = strtoll(end + 1, &end, 0);
		to[n].count = strtoll(end + 1, &end, 0);
		text = *end == ',' ? end + 1 : end;
	}
	return (n);
}

static int
give(const struct fake_line *line, const struct tbuf_d_aggregation *one,
    int (*visit)(void *, const struct tbuf_tuple *), void *arg)
{
	struct tbuf_gathered g = { .aggregation = one, .normal = 1 };
	struct tbuf_value keys[KEYS];
	struct tbuf_bucket buckets[BUCKETS];
	const struct tbuf_tuple tuple = {
		.nkeys = one->nkeys, .keys = keys, .nvalues = 1, .values = &g
	};
	unsigned i;

	for (i = 0; i < one->nkeys; i++)
		fake_value(line, 3 + i, one->keys[i].kind == TBUF_PIECE_TEXT ?
		    TBUF_STRING : TBUF_INT64, &keys[i]);
	if (strchr(fake_text(line, 2), ':') == NULL)
		g.value = g.whole = fake_number(line, 2);
	else {
		g.nbuckets = make_buckets(line, fake_text(line, 2), buckets);
		g.buckets = buckets;
	}
	return (visit(arg, &tuple));
}

int
tbuf_consumer_aggregates(struct tbuf_consumer *c, const uint32_t *ids,
    unsigned nids, int (*visit)(void *, const struct tbuf_tuple *), void *arg)
{
	const struct fake_line *line = find(ids[0]);
	struct tbuf_d_piece pieces[KEYS];
	struct tbuf_d_aggregation one;
	int stop;

	(void)c;
	if (line == NULL || nids != 1)
		return (-EINVAL);
	make_aggregation(line, ids[0], pieces, &one);
	STAILQ_FOREACH(line, fake_script(), next) {
		if (!fake_is(line, "tuple") ||
		    fake_number(line, 1) != (int64_t)ids[0])
			continue;
		if ((stop = give(line, &one, visit, arg)) != 0)
			return (stop);
	}
	return (0);
}

int
tbuf_consumer_clear(struct tbuf_consumer *c, uint32_t id)
{

	(void)c;
	return (find(id) == NULL ? -EINVAL : 0);
}

int
tbuf_consumer_trunc(struct tbuf_consumer *c, uint32_t id, int64_t n)
{

	(void)n;
	return (tbuf_consumer_clear(c, id));
}

void
tbuf_consumer_clearing(struct tbuf_consumer *c,
    void (*change)(void *, uint32_t id, bool done), void *arg)
{

	(void)c;
	(void)change;
	(void)arg;
}

int
tbuf_consumer_normalize(struct tbuf_consumer *c, uint32_t id,
    uint64_t factor)
{

	(void)factor;
	return (tbuf_consumer_clear(c, id));
}
