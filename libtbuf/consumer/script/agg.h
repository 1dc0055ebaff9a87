/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Aggregations of a run: a hash table of tallies keyed by aggregation and key.
 * Clauses that run here and the tables of targets both add to it.
 *
 *	clauses that fire here --- update -->+
 *	                                     | tallies --> sorted --> visit()
 *	the tables of targets ---- merge --->+
 *
 * aggsize bounds the keys of a CPU, as in DTrace: as many as fit if each had
 * the size of the largest key and value.
 */
#ifndef TBUF_CONSUMER_SCRIPT_AGG_H
#define TBUF_CONSUMER_SCRIPT_AGG_H

#include <sys/queue.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "consumer/util/keyed_hash.h"
#include "layout/layout.h"
#include "machine/program.h"
#include "tbuf_consumer.h"

/* The values of one key of one aggregation. */
struct tbuf_tally {
	TAILQ_ENTRY(tbuf_tally) link;	/* in the order of the first values */
	struct tbuf_tally *next;	/* in its bucket */
	uint64_t hash;
	uint64_t *words;		/* of all CPUs, then of each CPU */
	uint64_t cpus[TBUF_NCPUS / 64];	/* CPUs where it takes a place */
	uint32_t id;			/* of the aggregation */
	uint32_t key_size;
	bool empty;			/* no value since clear() */
	bool named;			/* its key went through `name` */
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
	struct tbuf_secret secret;	/* of the hashes */
	uint32_t ntallies;
	unsigned ncpus;			/* with words of their own; or 0 */
	unsigned cpu;			/* of the table that is being read */
	uint32_t *used;			/* places taken, by CPU */
	uint64_t places;		/* of each CPU */
	/* Returns the address that stands for all of that name; or NULL. */
	uint64_t (*name)(void *, const char *asked, uint64_t image,
	    uint64_t address);
	void *name_arg;
	const volatile bool *hurried;	/* keys are only counted; or NULL */
	/* tbuf_consumer_clearing() */
	void (*change)(void *, uint32_t id, bool done);
	void *change_arg;
	bool changing;			/* no table is read meanwhile */
};

/* How tuples are sorted: the options aggsort*. */
struct tbuf_aggregate_order {
	bool by_key;
	bool reversed;
	uint64_t position;		/* of the aggregation compared first */
	uint64_t key_position;		/* of the key compared first */
};

/* ------------------------------------------------------------ the table */

/* agg_tallies.c.  Returns 0, -ENOMEM, or -EINVAL: the script is damaged. */
int	tbuf_aggregates_make(struct tbuf_aggregates *,
	    const struct tbuf_d_script *);
void	tbuf_aggregates_free(struct tbuf_aggregates *);
/* Also keeps values by CPU; to be called before there are tallies. */
void	tbuf_aggregates_apart(struct tbuf_aggregates *, unsigned ncpus);
/* Sets the limit of keys.  Returns false if aggsize holds not even one. */
bool	tbuf_aggregates_limit(struct tbuf_aggregates *, uint64_t aggsize,
	    uint64_t strsize);
/* Returns an aggregation, or NULL if there is no such id. */
struct tbuf_aggregation *tbuf_aggregation_find(struct tbuf_aggregates *,
	    uint32_t id);
/* Finds or makes the tally of a key.  Returns NULL without memory. */
struct tbuf_tally *tbuf_tally_get(struct tbuf_aggregates *, uint32_t id,
	    const void *key, uint32_t size);
/*
 * Finds or makes the tally of a key, with a place of this CPU.  Returns NULL
 * without memory, or if the CPU has no free place.
 */
struct tbuf_tally *tbuf_tally_place(struct tbuf_aggregates *, uint32_t id,
	    const void *key, uint32_t size, unsigned cpu);
/* Returns the words of a CPU, or NULL if it has none of its own. */
uint64_t *tbuf_tally_cpu(const struct tbuf_aggregates *,
	    const struct tbuf_tally *, unsigned cpu);
/* Add a value, or words of a table, that were aggregated on a CPU. */
void	tbuf_tally_update(struct tbuf_aggregates *, struct tbuf_tally *,
	    unsigned cpu, uint64_t value, uint64_t weight);
void	tbuf_tally_merge(struct tbuf_aggregates *, struct tbuf_tally *,
	    unsigned cpu, const uint64_t *words);
/* Adds all values of another tally. */
void	tbuf_tally_join(struct tbuf_aggregates *, struct tbuf_tally *,
	    const struct tbuf_tally *from);
void	tbuf_tally_clear(struct tbuf_aggregates *, struct tbuf_tally *);
void	tbuf_tally_remove(struct tbuf_aggregates *, struct tbuf_tally *);

/* ------------------------------------------------------------ targets */

/*
 * agg_target_tables.c.  Adds to the tallies the changes in all tables of
 * targets since the last call.  Returns 0 or -ENOMEM.
 */
struct tbuf_consumer;
struct tbuf_copied_table;
struct tbuf_reader;
struct tbuf_target;
int	tbuf_tables_read(struct tbuf_consumer *);
/* Adds the changes in one of a lane's two tables; as tbuf_table_merge(). */
int	tbuf_reader_merge(struct tbuf_aggregates *, struct tbuf_reader *,
    unsigned which);
/*
 * Adds the changes in one table.  Returns 0, -ENOMEM, or -EINVAL if it is
 * empty, invalid or removed.
 */
int	tbuf_table_merge(struct tbuf_aggregates *, int fd,
	    struct tbuf_copied_table *);
/* Returns true if a target may have tables. */
bool	tbuf_target_aggregates(const struct tbuf_target *);
/*
 * agg_table_switch.c.  Switches targets to the other table of each lane if one
 * table of the target is more than half full, or if `all`; then reads and
 * empties the previous tables.  tbuf_tables_read() calls it last.  Returns 0 or
 * -ENOMEM.
 */
int	tbuf_tables_turn(struct tbuf_consumer *, bool all);
/* Reads all tables if one has to be switched.  Returns 0 or -ENOMEM. */
int	tbuf_tables_look(struct tbuf_consumer *);
/*
 * Makes targets reset their values of min() and max().  The old values have to
 * be read after this, for aggregations that are not cleared.
 */
void	tbuf_tables_cleared(struct tbuf_consumer *);

/*
 * Returns the end of a key's piece that begins at an offset, once aligned.  An
 * end after `size` means that the key is damaged.
 */
uint64_t tbuf_key_end(const struct tbuf_d_piece *, const unsigned char *key,
	    uint64_t at, uint64_t size);

/* ------------------------------------------------------------ names */

/*
 * agg_symbol_keys.c.  Merges keys that have the same name.  Returns 0 or
 * -ENOMEM.
 */
int	tbuf_aggregates_name(struct tbuf_aggregates *);
/* Returns true if the caller only counts the keys. */
static inline bool
tbuf_aggregates_hurried(const struct tbuf_aggregates *a)
{
	return (a->hurried != NULL && *a->hurried);
}

/* ------------------------------------------------------------ values */

/* agg_value.c.  Returns the value of a function without buckets. */
int64_t	tbuf_tally_value(const struct tbuf_d_aggregation *,
	    const uint64_t *words, uint64_t normal);

/* Tuples are sorted by sum, then by zero. */
struct tbuf_rank {
	long double sum;		/* value, or weighted sum of buckets */
	int64_t zero;			/* count of the bucket of 0 */
};
struct tbuf_rank tbuf_tally_rank(const struct tbuf_aggregation *,
	    const struct tbuf_tally *);
/* Return a number below, equal to or above 0, as strcmp(3). */
int	tbuf_rank_compare(const struct tbuf_rank *, const struct tbuf_rank *);
/* Compares keys from a piece on and around; numbers as unsigned. */
int	tbuf_key_compare(const struct tbuf_d_aggregation *,
	    const struct tbuf_value *, const struct tbuf_value *,
	    uint64_t from);

/* ------------------------------------------------------------ tuples */

/*
 * agg_sort.c.  Calls `visit` for the sorted tuples of several aggregations with
 * the same keys, as tbuf_consumer_aggregates().
 */
int	tbuf_aggregates_walk(struct tbuf_aggregates *, const uint32_t *ids,
	    unsigned nids, const struct tbuf_aggregate_order *,
	    int (*visit)(void *, const struct tbuf_tuple *), void *);
/* Removes all but the n largest, or the -n smallest if n is negative. */
int	tbuf_aggregates_trunc(struct tbuf_aggregates *, uint32_t id,
	    int64_t n);

#endif
