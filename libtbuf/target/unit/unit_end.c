/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The end of a unit: its outcome's rule selects the retained records, and one
 * record of the CPU's lane commits them, all or none (layout/unit.h).
 */
#include "arch/rseq.h"
#include "target/lane/lane.h"
#include "target/self/thread.h"
#include "target/unit/unit.h"
#include "target/unit/unit_cached_end.h"

struct ending {
	const struct tbuf_bound *bound;
	const struct tbuf_fire *fire;	/* the record to be written */
	int32_t outcome;
	uint64_t ticks;			/* of the unit */
	uint32_t mask;			/* or a level */
	bool by_level;
	bool slow;
	bool ours;			/* the table is still the unit's */
	bool fits;			/* `bytes' has all retained records */
	bool clean;			/* the table has not wrapped */
	bool cached;			/* the table is retained for the next
					 * unit */
	bool abandoned;			/* its thread may be in it still */
	struct tbuf_unit_total totals;	/* the table's, from then on */
	uint64_t total, count;		/* records; those that are retained */
	uint64_t size;
	uint64_t bytes[TBUF_UNIT_ENVELOPE / 8];
};

/* ------------------------------------------------------------ selection */

/* The words of struct tbuf_units that rule_find() loads. */
struct rules {
	uint64_t rules[TBUF_UNIT_RULES];
	uint64_t returned;
	uint64_t slow;
};

_Static_assert(offsetof(struct tbuf_units, slow) -
    offsetof(struct tbuf_units, rules) == offsetof(struct rules, slow),
    "struct rules");

/*
 * Finds the mask of the outcome's rule, or of the rule for other outcomes, or
 * the level; a slow unit has the level of all records.
 */
static enum tbuf_outcome
rule_find(void *argument, const struct tbuf_memo *memo)
{
	struct ending *e = argument;
	struct rules r;
	uint64_t rule = 0;
	unsigned i;

	if (tbuf_step_load(memo, r.rules, e->bound->units->rules,
	    sizeof(r) / 8) != TBUF_COMMITTED)
		return (TBUF_CHANGED);
	e->slow = e->by_level = tbuf_unit_is_slow(e->ticks, r.slow);
	for (i = 0; i < TBUF_UNIT_RULES; i++) {
		rule = r.rules[i] ^ tbuf_unit_default(i);
		if (tbuf_unit_outcome(rule) == e->outcome)
			break;
	}
	if ((r.rules[0] ^ tbuf_unit_default(0)) == TBUF_UNIT_LEVELS) {
		e->by_level |= e->outcome >= 0;
		rule = e->outcome >= 0 ? (uint32_t)e->outcome : 0;
	}
	e->mask = e->slow ? UINT32_MAX : (uint32_t)rule;
	return (TBUF_COMMITTED);
}

/* Returns true if records of this EPID are retained. */
static bool
selects(const struct ending *e, uint32_t epid)
{
	return (tbuf_unit_selects(tbuf_unit_selection(e->bound->fire.base,
	    e->bound->fire.slot, epid, NULL), e->mask, e->by_level));
}

/* Counts a retained record, and copies it while all may fit an envelope. */
static enum tbuf_outcome
keep(struct ending *e, const struct tbuf_memo *memo,
    const unsigned char *record, uint64_t size)
{
	e->count++;
	e->fits = e->fits && size <= sizeof(e->bytes) - e->size;
	if (!e->fits)
		return (TBUF_COMMITTED);
	if (tbuf_step_load(memo, e->bytes + e->size / 8,
	    (const uint64_t *)(const void *)record, size / 8) !=
	    TBUF_COMMITTED)
		return (TBUF_CHANGED);
	e->size += size;
	return (TBUF_COMMITTED);
}

/* Removes unselected records from `bytes'. */
static void
keep_copied(struct ending *e, uint64_t bytes)
{
	uint64_t *to = e->bytes, header, size, at, i;
	const uint64_t *from;

	for (at = 0; at + sizeof(struct tbuf_lock_record) <= bytes;
	    at += size) {
		from = e->bytes + at / 8;
		header = from[1];
		size = header >> 16 & 0xffff;
		if (size < sizeof(struct tbuf_lock_record) || size % 8 != 0 ||
		    size > bytes - at)
			break;
		if (!selects(e, header & 0xffff))
			continue;
		e->count++;
		for (i = 0; i < size / 8; i++) {
			*to++ = *from++;
			__asm__ volatile("" : : : "memory");
		}
	}
	e->size = (uint64_t)((unsigned char *)to - (unsigned char *)e->bytes);
}

/* Selects the records of a table, or of a half. */
static enum tbuf_outcome
walk(struct ending *e, const struct tbuf_memo *memo,
    const unsigned char *table, uint64_t bytes)
{
	uint64_t header[2], size, at;

	for (at = 0; at + sizeof(struct tbuf_lock_record) <= bytes;
	    at += size) {
		if (tbuf_step_load(memo, header, (const uint64_t *)
		    (const void *)(table + at), 2) != TBUF_COMMITTED)
			return (TBUF_CHANGED);
		size = header[1] >> 16 & 0xffff;
		if (size < sizeof(struct tbuf_lock_record) || size % 8 != 0 ||
		    size > bytes - at)
			break;
		if (selects(e, header[1] & 0xffff) &&
		    keep(e, memo, table + at, size) != TBUF_COMMITTED)
			return (TBUF_CHANGED);
	}
	return (TBUF_COMMITTED);
}

static uint64_t
least(uint64_t a, uint64_t b)
{
	return (a < b ? a : b);
}

/* If all are retained and exceed an envelope, they are only counted. */
static enum tbuf_outcome
select_records(struct ending *e, const struct tbuf_memo *memo,
    uint64_t previous, uint64_t head)
{
	const struct tbuf_bound *b = e->bound;
	uint64_t laps = tbuf_unit_laps(head), before = 0;
	uint64_t bytes = least(tbuf_unit_bytes(head), b->way.size);
	const unsigned char *table = b->way.table, *older = table;

	if (b->wraps && (laps & 1) != 0)
		table += b->way.size;
	else if (b->wraps)
		older += b->way.size;
	e->total = tbuf_unit_records(head) +
	    (laps == 0 ? 0 : tbuf_unit_records(previous));
	e->count = e->size = 0;
	e->fits = true;
	if (laps != 0)
		before = least(tbuf_unit_bytes(previous), b->way.size);
	if (e->mask == UINT32_MAX && before + bytes > sizeof(e->bytes)) {
		e->fits = false;
		e->count = e->total;
		return (TBUF_COMMITTED);
	}
	if (laps == 0 && bytes <= sizeof(e->bytes)) {
		if (bytes != 0 && tbuf_step_load(memo, e->bytes,
		    (const uint64_t *)(const void *)table, bytes / 8) !=
		    TBUF_COMMITTED)
			return (TBUF_CHANGED);
		keep_copied(e, bytes);
		return (TBUF_COMMITTED);
	}
	if (walk(e, memo, older, before) != TBUF_COMMITTED)
		return (TBUF_CHANGED);
	return (walk(e, memo, table, bytes));
}

/* ------------------------------------------------------------ steps */

/* Words of an entry that are loaded, and fields that are stored, in order. */
#define ENTRY_WORDS	(offsetof(struct tbuf_unit_entry, reserved) / 8)

struct fields {
	uint64_t ended;
	uint64_t count;
	struct tbuf_unit_total total[2];
};

_Static_assert(offsetof(struct tbuf_unit_entry, total) -
    offsetof(struct tbuf_unit_entry, ended) == offsetof(struct fields, total),
    "struct fields");

static enum tbuf_unit_state
empty(const struct ending *e)
{
	return (e->abandoned ? TBUF_UNIT_ABANDONED :
	    e->clean ? TBUF_UNIT_CACHED : TBUF_UNIT_FREE);
}

/*
 * Publishes the outcome, which is then known even if the process is killed.  If
 * nothing is retained the table is free then.
 */
static __attribute__((cold)) enum tbuf_outcome
begin_here(void *argument, const struct tbuf_memo *memo)
{
	struct ending *e = argument;
	const struct tbuf_bound *b = e->bound;
	enum tbuf_unit_state next = TBUF_UNIT_ENDING;
	struct tbuf_unit_entry was;
	struct fields fields;
	unsigned total;

	if (tbuf_step_load(memo, &was.word, &b->entry->word, ENTRY_WORDS) !=
	    TBUF_COMMITTED)
		return (TBUF_CHANGED);
	e->ours = was.word == tbuf_unit_word(b->fire.generation, b->instance,
	    TBUF_UNIT_BOUND);
	if (!e->ours)
		return (TBUF_COMMITTED);
	if (rule_find(e, memo) != TBUF_COMMITTED ||
	    select_records(e, memo, was.half[tbuf_unit_older(was.head)].head,
	    was.head) != TBUF_COMMITTED)
		return (TBUF_CHANGED);
	e->clean = tbuf_unit_laps(was.head) == 0;
	if (e->count == 0)
		next = empty(e);
	total = tbuf_unit_totals(was.word);
	fields.ended = (uint64_t)(uint32_t)e->outcome << 32 | e->mask;
	fields.count = e->count | (e->by_level ? TBUF_UNIT_COUNT_LEVEL : 0);
	fields.total[0] = was.total[0];
	fields.total[1] = was.total[1];
	fields.total[total ^ 1].committed = was.total[total].committed +
	    e->count;
	fields.total[total ^ 1].discarded = was.total[total].discarded +
	    (e->total - e->count);
	if (tbuf_step_store(memo, b->ticks_at, b->ticks + e->ticks) !=
	    TBUF_COMMITTED || tbuf_step_publish(memo, &b->entry->word, was.word,
	    tbuf_unit_word(b->fire.generation, b->instance, next),
	    &b->entry->ended, &fields.ended, sizeof(fields)) != TBUF_COMMITTED)
		return (TBUF_CHANGED);
	e->cached = next == TBUF_UNIT_CACHED;
	e->totals = fields.total[total ^ 1];
	return (TBUF_COMMITTED);
}

static enum tbuf_outcome
finish_here(void *argument, const struct tbuf_memo *memo)
{
	struct ending *e = argument;
	const struct tbuf_bound *b = e->bound;
	enum tbuf_unit_state next = e->fits || e->abandoned ? empty(e) :
	    TBUF_UNIT_DONE;

	if (tbuf_step_swap(memo, &b->entry->word,
	    tbuf_unit_word(b->fire.generation, b->instance, TBUF_UNIT_ENDING),
	    tbuf_unit_word(b->fire.generation, b->instance, next)) !=
	    TBUF_COMMITTED)
		return (TBUF_CHANGED);
	e->cached = next == TBUF_UNIT_CACHED;
	return (TBUF_COMMITTED);
}

static __attribute__((cold)) void
count(const struct tbuf_bound *b, uint64_t *word)
{
	if (!tbuf_unit_count(b, word))
		tbuf_bound_add(b, word, 1);
}

__attribute__((cold)) void
tbuf_unit_tally(const struct tbuf_bound *b, int32_t outcome, uint64_t ticks,
    bool slow)
{
	count(b, tbuf_unit_duration(b, ticks));
	if (b->entry == NULL)
		tbuf_bound_add(b, &b->units->kinds[b->kind].ticks, ticks);
	if (slow)
		count(b, &b->units->kinds[b->kind].slow);
	if (outcome != 0)
		count(b, &b->units->kinds[b->kind].failures);
}

/* ------------------------------------------------------------ commit */

static void
emit_locked(void *argument, const struct tbuf_place *place)
{
	struct ending *e = argument;

	tbuf_lock_write(e->fire, place);
	(void)finish_here(e, NULL);
}

/*
 * Writes the record, then releases the table.  Without sections both happen
 * under one lock, or neither: else the record might be refused, which is a drop
 * of the unit's records, and then, with no lane free, the table would remain
 * TBUF_UNIT_ENDING, from which a consumer reads these records.
 */
static void
emit_finish(struct ending *e)
{
	if (tbuf_fire_sections()) {
		(void)tbuf_record_emit(e->fire);
		(void)tbuf_bound_do(e->bound, finish_here, e);
	} else
		(void)tbuf_bound_wait(e->bound, emit_locked, e);
}

/* Writes an envelope with the retained records, or a commit record. */
static void
emit(struct ending *e)
{
	const struct tbuf_bound *b = e->bound;
	struct tbuf_unit_record record = {
		.table = b->index | (e->by_level ? TBUF_UNIT_TABLE_LEVEL : 0),
		.kind = b->kind, .instance = b->instance,
		.id = b->id, .began = b->began, .outcome = e->outcome,
		.mask = e->mask, .count = (uint32_t)e->count,
		.discarded = (uint32_t)(e->total - e->count)
	};
	struct tbuf_segment segments[3] = { { NULL, 0 },
	    { &record, sizeof(record) }, { e->bytes, e->size } };
	struct tbuf_fire f = b->fire;

	f.epid = e->fits ? TBUF_EPID_ENVELOPE : TBUF_EPID_UNIT;
	f.words = false;
	f.size = sizeof(record) + (e->fits ? e->size : 0);
	f.segments = segments;
	f.end = segments + (e->fits ? 3 : 2);
	e->fire = &f;
	emit_finish(e);
}

/*
 * Commits and counts a unit.  Returns false if the table is not the unit's any
 * more.
 */
static __attribute__((noinline)) bool
commit_records(struct tbuf_bound *b, int32_t outcome, uint64_t ticks,
    bool abandoned)
{
	struct ending e;

	e.bound = b;
	e.outcome = outcome;
	e.ticks = ticks;
	e.ours = b->entry == NULL;
	e.cached = false;
	e.count = 0;
	e.abandoned = abandoned;
	if (tbuf_bound_do(b, b->entry == NULL ? rule_find : begin_here, &e) !=
	    TBUF_EMIT_DONE || !e.ours)
		return (false);
	if (e.count != 0)
		emit(&e);
	if (b->entry != NULL) {
		b->cached = e.cached;
		b->refers = e.count != 0 && !e.fits;
		b->totals = e.totals;
		b->ticks += ticks;
	}
	tbuf_unit_tally(b, outcome, ticks, e.slow);
	return (true);
}

/*
 * Discards all records by the first rule, which is that of successes by
 * default.  If a consumer has changed it, the cached rule is loaded again.
 */
static bool
discard(struct tbuf_bound *b, int32_t outcome, uint64_t ticks)
{
	uint64_t guess;

	if (b->entry == NULL)
		return (false);
	do {
		if (tbuf_unit_discard(b, outcome, ticks))
			return (true);
		guess = b->rule;
	} while (b->fast_bits != 0 && tbuf_thread.shared == 0 &&
	    tbuf_rseq_load(&b->way.memo, &b->rule, b->units->rules,
	    sizeof(b->rule)) == TBUF_COMMITTED && b->rule != guess);
	return (false);
}

void
tbuf_unit_commit(struct tbuf_unit *u, int32_t outcome, uint64_t now)
{
	struct tbuf_bound *b;
	uint64_t ticks;

	for (b = u->bound; b < u->bound + u->nbound; b++) {
		ticks = tbuf_unit_ticks(b, now);
		if (discard(b, outcome, ticks))
			tbuf_unit_tally(b, outcome, ticks, false);
		else
			(void)commit_records(b, outcome, ticks, false);
	}
}

bool
tbuf_unit_commit_abandoned(struct tbuf_bound *b, int32_t outcome, uint64_t now)
{
	return (commit_records(b, outcome, tbuf_unit_ticks(b, now), true));
}
