/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What a run has aggregated: a table of tallies by aggregation and key, into
 * which whoever aggregates puts what he has.
 *
 *	clauses that fire here --- update -->+
 *	                                     | tallies --> sorted --> visit()
 *	the tables of targets ---- merge --->+
 *
 * aggsize bounds how many keys a CPU can have, as in DTrace: as many as there
 * would be room for if each were as large as the largest key and value.
 */
#ifndef TBUF_CONSUMER_SCRIPT_AGG_H
#define TBUF_CONSUMER_SCRIPT_AGG_H

#include <sys/queue.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layout/layout.h"
#include "tbuf_consumer.h"
#include "machine/program.h"

/* What has been gathered for a key. */
struct tbuf_tally {
	TAILQ_ENTRY(tbuf_tally) link;	/* in the order of the first values */
	struct tbuf_tally *next;	/* in its bucket */
	uint64_t hash;
	uint64_t *words;		/* of all, then of each CPU by itself */
	uint64_t cpus[TBUF_NCPUS / 64];	/* in whose tables it takes a place */
	uint32_t id;			/* of the aggregation */
	uint32_t key_size;
	bool empty;			/* no value since clear() */
	bool named;			/* its key is as names want it */
	uint8_t key[];			/* pieces */
};
TAILQ_HEAD(tbuf_tallies, tbuf_tally);

struct tbuf_aggregation {
	const struct tbuf_d_aggregation *source;	/* NULL: no such id */
	uint64_t normal;
	uint32_t nwords;
};

struct tbuf_aggregates {
	struct tbuf_aggregation *all;	/* by id */
	uint32_t count;
	struct tbuf_tallies tallies;
	struct tbuf_tally **buckets;
	uint32_t nbuckets;		/* a power of two */
	uint32_t ntallies;
	unsigned ncpus;			/* have words of their own; or 0 */
	unsigned cpu;			/* whose table is read, if it is one's */
	uint32_t *used;			/* places taken, by CPU */
	uint64_t places;		/* of each CPU */
	/* The address that stands for all that are called as one; or NULL. */
	uint64_t (*name)(void *, const char *asked, uint64_t image,
	    uint64_t address);
	void *name_arg;
};

/* How tuples are sorted: the options aggsort*. */
struct tbuf_aggregate_order {
	bool by_key;
	bool reversed;
	uint64_t position;		/* of the aggregation that is first */
	uint64_t key_position;
};

/* ------------------------------------------------------------ the table */

/* agg_tallies.c.  -ENOMEM, or -EINVAL: the script is damaged. */
int	tbuf_aggregates_make(struct tbuf_aggregates *,
	    const struct tbuf_d_script *);
void	tbuf_aggregates_free(struct tbuf_aggregates *);
/* Keep values of CPUs apart, too; before anything has been gathered. */
void	tbuf_aggregates_apart(struct tbuf_aggregates *, unsigned ncpus);
/* False if aggsize bytes hold nothing that the script aggregates. */
bool	tbuf_aggregates_limit(struct tbuf_aggregates *, uint64_t aggsize,
	    uint64_t strsize);
/* NULL if there is no such id. */
struct tbuf_aggregation *tbuf_aggregation_find(struct tbuf_aggregates *,
	    uint32_t id);
/* The tally of a key; a new one if there was none.  NULL: no memory. */
struct tbuf_tally *tbuf_tally_get(struct tbuf_aggregates *, uint32_t id,
	    const void *key, uint32_t size);
/* The same, in the table of a CPU.  NULL: there is no room, too. */
struct tbuf_tally *tbuf_tally_place(struct tbuf_aggregates *, uint32_t id,
	    const void *key, uint32_t size, unsigned cpu);
/* Words of a CPU; NULL: it has none of its own. */
uint64_t *tbuf_tally_cpu(const struct tbuf_aggregates *,
	    const struct tbuf_tally *, unsigned cpu);
/* A value, and words as they have been gathered, on a CPU. */
void	tbuf_tally_update(struct tbuf_aggregates *, struct tbuf_tally *,
	    unsigned cpu, uint64_t value, uint64_t weight);
void	tbuf_tally_merge(struct tbuf_aggregates *, struct tbuf_tally *,
	    unsigned cpu, const uint64_t *words);
/* All that another one has. */
void	tbuf_tally_join(struct tbuf_aggregates *, struct tbuf_tally *,
	    const struct tbuf_tally *from);
void	tbuf_tally_clear(struct tbuf_aggregates *, struct tbuf_tally *);
void	tbuf_tally_remove(struct tbuf_aggregates *, struct tbuf_tally *);

/* ------------------------------------------------------------ targets */

/*
 * agg_target_tables.c: add to the tallies what clauses in targets have
 * aggregated since the last time; -ENOMEM.
 */
struct tbuf_consumer;
struct tbuf_seen;
struct tbuf_source;
struct tbuf_target;
int	tbuf_tables_read(struct tbuf_consumer *);
/* ... in one of a lane's two tables; -ENOMEM, or -EINVAL as below. */
int	tbuf_source_merge(struct tbuf_aggregates *, struct tbuf_source *,
    unsigned which);
/* ... in one table; -EINVAL: it is empty, makes no sense, or is gone. */
int	tbuf_table_merge(struct tbuf_aggregates *, int fd, struct tbuf_seen *);
/* May there be any in this one? */
bool	tbuf_target_aggregates(const struct tbuf_target *);
/*
 * agg_table_switch.c: from here on targets work at the other tables, those that
 * have one more than half full, or `all`; what they leave is read and emptied.
 * It is behind tbuf_tables_read(), which calls it; -ENOMEM.
 */
int	tbuf_tables_turn(struct tbuf_consumer *, bool all);
/* Between readings: read them if there is one to turn; -ENOMEM. */
int	tbuf_tables_look(struct tbuf_consumer *);
/*
 * From here on targets begin anew what min() and max() have.  What they had is
 * read behind it, lest it be lost to those that are not cleared.
 */
void	tbuf_tables_cleared(struct tbuf_consumer *);

/*
 * Where a piece of a key ends that begins at an offset or behind it; more than
 * `size`: it is none.
 */
uint64_t tbuf_key_end(const struct tbuf_d_piece *, const unsigned char *key,
	    uint64_t at, uint64_t size);

/* ------------------------------------------------------------ names */

/*
 * agg_symbol_keys.c: keys that are called the same become one; -ENOMEM.
 */
int	tbuf_aggregates_name(struct tbuf_aggregates *);

/* ------------------------------------------------------------ values */

/* agg_value.c: what a function makes of its words; not of buckets. */
int64_t	tbuf_tally_value(const struct tbuf_d_aggregation *,
	    const uint64_t *words, uint64_t normal);

/* By what tuples are sorted: first this, then that. */
struct tbuf_rank {
	long double sum;
	int64_t zero;
};
struct tbuf_rank tbuf_tally_rank(const struct tbuf_aggregation *,
	    const struct tbuf_tally *);
/* Less than 0, 0 or more. */
int	tbuf_rank_compare(const struct tbuf_rank *, const struct tbuf_rank *);
/* Of two keys, from a piece on and around; as unsigned numbers. */
int	tbuf_key_compare(const struct tbuf_d_aggregation *,
	    const struct tbuf_value *, const struct tbuf_value *,
	    uint64_t from);

/* ------------------------------------------------------------ tuples */

/*
 * agg_sort.c.  Tuples of several aggregations with the same keys; see
 * tbuf_consumer_aggregates().
 */
int	tbuf_aggregates_walk(struct tbuf_aggregates *, const uint32_t *ids,
	    unsigned nids, const struct tbuf_aggregate_order *,
	    int (*visit)(void *, const struct tbuf_tuple *), void *);
/* Keep the n largest, or the n smallest if n is negative. */
int	tbuf_aggregates_trunc(struct tbuf_aggregates *, uint32_t id,
	    int64_t n);

#endif
