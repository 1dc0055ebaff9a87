/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Aggregations of clauses at a fire go into the table of a lane
 * (layout/aggregation.h).
 *
 *	search the key -+- found ------------> a word + delta, or PUBLISH
 *	   ^            +- not -- PUBLISH --+
 *	   +--------------------------------+	values that are 0
 *
 * Each step is a section (arch/rseq.h), or is done under a lane's lock; for a
 * word of a key that exists, search and addition are one.  A step works with
 * values that the steps before it found, which are valid as long as CPU,
 * session and the word that commits are; else the update begins again.  The
 * table is loaded from and stored to in no other way: a step that comes late
 * finds that the session has ended, or that its tables have turned.
 *
 * inv.account: values + drops = updates.  An insertion counts nothing yet.
 */
#include "arch/rseq.h"
#include "arch/rseq_area.h"
#include "machine/aggregate.h"
#include "target/clause/clause.h"
#include "target/file/file.h"
#include "target/lane/key_hash.h"
#include "target/lane/lane.h"
#include "target/self/self.h"
#include "target/self/thread.h"

#define WORDS	(TBUF_RUN_KEY_ENTRY / 8)	/* of an entry's header */
#define CHUNK	8				/* words compared at once */
#define COPY	4				/* most words of a copy */

/* A value to be aggregated. */
struct value {
	const struct tbuf_run *run;
	const struct tbuf_update *update;
	uint64_t hash;
	uint64_t *entry;		/* its header, then the key */
	uint32_t size;			/* bytes of both */
	uint32_t which;			/* aggregation, and bytes of the key */
};

/* A lane's table, as far as it has been read. */
struct table {
	const struct tbuf_memo *memo;	/* NULL: its lock is held */
	unsigned char *at;
	uint64_t storage;
	uint64_t *drops;
	uint64_t top;
	uint32_t *slot;			/* an empty one; NULL: none */
	uint64_t *values;		/* of the entry that has the key */
	uint32_t nwords;
};

enum found {
	FOUND,
	ABSENT,
	CHANGED
};

/* ------------------------------------------------------------ steps */

static __attribute__((cold)) bool
words_load(const struct table *t, uint64_t *to, const uint64_t *from,
    uint64_t n)
{
	uint64_t i;

	if (t->memo != NULL)
		return (tbuf_rseq_load(t->memo, to, from, 8 * n) ==
		    TBUF_COMMITTED);
	for (i = 0; i < n; i++)
		to[i] = tbuf_load(&from[i]);
	return (true);
}

static enum tbuf_outcome
word_add(const struct table *t, uint64_t *word, uint64_t delta)
{
	if (t->memo != NULL)
		return (tbuf_rseq_add(t->memo, word, delta));
	tbuf_store(word, tbuf_load(word) + delta);
	return (TBUF_COMMITTED);
}

static enum tbuf_outcome
publish(const struct table *t, const struct tbuf_publish *p)
{
	uint64_t i;

	if (t->memo != NULL)
		return (tbuf_rseq_publish(t->memo, p));
	/* The copy comes after the last commit, as in the section. */
	tbuf_fence_stores();
	for (i = 0; i < p->size / 8; i++)
		tbuf_store(&p->to[i], p->from[i]);
	tbuf_store(p->slot, (uint32_t)p->offset);
	tbuf_store_release(p->word, p->new);
	return (TBUF_COMMITTED);
}

/*
 * Publishes an entry, with values of 0.  A lock's holder abandons no insertion,
 * so there are no bytes to zero.
 */
static enum tbuf_outcome
publish_entry(const struct table *t, const struct tbuf_publish *p)
{
	return (t->memo != NULL ? tbuf_rseq_insert(t->memo, p) :
	    publish(t, p));
}

static __attribute__((cold)) enum tbuf_outcome
drop(const struct table *t)
{
	return (t->drops == NULL ? TBUF_COMMITTED : word_add(t, t->drops, 1));
}

/* ------------------------------------------------------------ the table */

/* Returns true if the place of a lane's table is in the file. */
static inline bool
place_check(uint64_t base, uint64_t word)
{
	uint64_t end = tbuf_file_end(base), at = tbuf_place_offset(word);
	uint64_t storage = tbuf_place_storage(word);

	return (at >= TBUF_TABLES && at <= end && storage <= end - at &&
	    storage >= TBUF_TABLE_MIN && storage <= TBUF_TABLE_MAX);
}

static inline uint64_t
place_load(const struct tbuf_lane *lane, uint64_t turn)
{
	return (tbuf_load(&lane->table[turn & 1]));
}

static bool
table_place(const struct value *v, const struct tbuf_lane *lane,
    uint64_t turn, struct table *t)
{
	struct tbuf_lane_counters *counters = tbuf_run_counters(v->run, lane);
	uint64_t word = place_load(lane, turn);
	uint64_t base = v->run->fire->base;

	t->drops = counters == NULL ? NULL : &counters->aggregation;
	t->storage = tbuf_place_storage(word);
	t->at = (unsigned char *)(uintptr_t)(base + tbuf_place_offset(word));
	return (place_check(base, word));
}

static uint64_t *
word_at(const struct table *t, uint64_t offset)
{
	return ((uint64_t *)(void *)(t->at + offset));
}

/*
 * The bytes of the table's heap that entries take, and those that values take.
 */
static uint64_t
keys_used(uint64_t top)
{
	return (top & UINT32_MAX);
}

static uint64_t
values_used(uint64_t top)
{
	return (top >> 32);
}

/* ------------------------------------------------------------ the search */

static enum found
key_compare(const struct value *v, const struct table *t, uint64_t at)
{
	uint64_t left = v->size / 8 - WORDS, n, i, chunk[CHUNK];
	const uint64_t *key = v->entry + WORDS;

	for (at += TBUF_RUN_KEY_ENTRY; left > 0; left -= n, at += 8 * n) {
		n = left < CHUNK ? left : CHUNK;
		if (!words_load(t, chunk, word_at(t, at), n))
			return (CHANGED);
		for (i = 0; i < n; i++)
			if (chunk[i] != *key++)
				return (ABSENT);
	}
	return (FOUND);
}

/* Compares an entry with the key.  If FOUND, t->values are the entry's. */
static enum found
entry_compare(const struct value *v, struct table *t, uint64_t at)
{
	uint64_t head[WORDS], heap = tbuf_table_heap(t->storage);
	enum found found;

	if (at % 8 != 0 || at + v->size > t->storage)
		return (ABSENT);
	if (!words_load(t, head, word_at(t, at), WORDS))
		return (CHANGED);
	if (head[0] >> 32 != v->which || head[2] != v->hash)
		return (ABSENT);
	if ((found = key_compare(v, t, at)) != FOUND)
		return (found);
	t->nwords = (uint32_t)(head[1] >> 32);
	at = (uint32_t)head[1];
	if (at % 8 != 0 || at < heap || at > t->storage ||
	    UINT64_C(8) * t->nwords > t->storage - at)
		t->nwords = 0;
	t->values = word_at(t, at);
	return (FOUND);
}

/* Loads the n-th slot from the key's own, and the offset that it has. */
static bool
slot_load(const struct value *v, struct table *t, uint32_t n, uint32_t **slot,
    uint64_t *offset)
{
	uint32_t i = ((uint32_t)v->hash + n) &
	    (tbuf_table_slots(t->storage) - 1);
	uint64_t at = sizeof(struct tbuf_table) + i * sizeof(uint32_t), word;

	*slot = (uint32_t *)(void *)(t->at + at);
	if (!words_load(t, &word, word_at(t, at & ~UINT64_C(7)), 1))
		return (false);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	*offset = at % 8 == 0 ? (uint32_t)word : word >> 32;
#else
	*offset = at % 8 != 0 ? (uint32_t)word : word >> 32;
#endif
	return (true);
}

static enum found
search(const struct value *v, struct table *t)
{
	uint64_t heap = tbuf_table_heap(t->storage), offset;
	enum found found = ABSENT;
	uint32_t n, *slot;

	t->slot = NULL;
	if (!words_load(t, &t->top, word_at(t, 0), 1))
		return (CHANGED);
	for (n = 0; n < TBUF_TABLE_PROBES && found == ABSENT; n++) {
		if (!slot_load(v, t, n, &slot, &offset))
			return (CHANGED);
		if (offset < heap || offset - heap >= keys_used(t->top)) {
			t->slot = slot;
			return (ABSENT);
		}
		found = entry_compare(v, t, offset);
	}
	return (found);
}

/* ------------------------------------------------------------ values */

/* Makes the next copy.  Returns false if the value changes nothing. */
static bool
copy_next(const struct value *v, uint64_t version, uint64_t copy[COPY])
{
	const struct tbuf_update *u = v->update;
	uint64_t cleared = tbuf_load(&v->run->fire->slot->cleared), old;

	switch (u->function) {
	case TBUF_AGG_MIN:
	case TBUF_AGG_MAX:
		if (version == 0 || copy[1] != cleared)
			tbuf_aggregate_initial(u->function, copy, 1);
		old = copy[0];
		tbuf_aggregate_update(u->function, 0, copy, u->value, 1);
		if (version != 0 && copy[1] == cleared && copy[0] == old)
			return (false);
		copy[1] = cleared;
		return (true);
	default:
		tbuf_aggregate_update(u->function == TBUF_AGG_STDDEV ?
		    TBUF_AGG_STDDEV : TBUF_AGG_AVG, 0, copy, u->value, 1);
		return (true);
	}
}

static enum tbuf_outcome
copy_update(const struct value *v, const struct table *t, uint32_t n)
{
	uint64_t words[1 + 2 * COPY], next;
	uint64_t *copy;
	uint32_t slot;

	if (t->nwords < 1 + 2 * n)
		return (drop(t));
	if (!words_load(t, words, t->values, 1 + 2 * n))
		return (TBUF_CHANGED);
	copy = &words[1 + (words[0] & 1) * n];
	if (!copy_next(v, words[0], copy))
		return (TBUF_COMMITTED);
	next = words[0] + 1;
	return (publish(t, &(struct tbuf_publish){
		.word = t->values, .old = words[0], .new = next,
		.to = t->values + 1 + (next & 1) * n, .from = copy,
		.size = 8 * n, .slot = &slot
	}));
}

static enum tbuf_outcome
values_update(const struct value *v, const struct table *t)
{
	const struct tbuf_update *u = v->update;
	uint32_t n = tbuf_table_copy(u->function), bucket;

	if (n != 0)
		return (copy_update(v, t, n));
	bucket = tbuf_aggregate_bucket(u->function, u->parameter,
	    (int64_t)u->value);
	if (bucket >= t->nwords)
		return (drop(t));
	return (word_add(t, t->values + bucket,
	    u->function == TBUF_AGG_COUNT ? 1 : u->weight));
}

/*
 * Returns how many bytes of an entry's values an abandoned insertion may have
 * stored to: as far as the largest entry reaches.
 */
static uint64_t
values_touched(uint64_t at, uint64_t values, uint64_t size)
{
	uint64_t end = at + TBUF_TABLE_ENTRY;

	return (end <= values ? 0 : end - values < size ? end - values : size);
}

/*
 * Inserts an entry for the key, with values of 0.  Returns TBUF_WRAPPED if
 * done.
 */
static enum tbuf_outcome
insert(const struct value *v, const struct table *t)
{
	uint64_t room = t->storage - tbuf_table_heap(t->storage);
	uint64_t keys = keys_used(t->top), values = values_used(t->top);
	uint64_t nwords = tbuf_table_words(v->update->function,
	    v->update->parameter);
	uint64_t at = tbuf_table_heap(t->storage) + keys;

	values += 8 * nwords;
	if (t->slot == NULL || nwords == 0 || at % 8 != 0 || values % 8 != 0 ||
	    keys + v->size + values > room)
		return (drop(t));
	v->entry[0] = v->size | (uint64_t)v->which << 32;
	v->entry[1] = (t->storage - values) | nwords << 32;
	v->entry[2] = v->hash;
	return (publish_entry(t, &(struct tbuf_publish){
		.word = word_at(t, 0), .old = t->top,
		.new = (keys + v->size) | values << 32,
		.to = word_at(t, at), .from = v->entry, .size = v->size,
		.slot = t->slot, .offset = at,
		.zero = word_at(t, t->storage - values),
		.zeroes = values_touched(at, t->storage - values, 8 * nwords)
	}) == TBUF_COMMITTED ? TBUF_WRAPPED : TBUF_CHANGED);
}

/*
 * Returns the session's turn, which the memo checks from now on; 0: there is
 * none.
 */
static uint64_t
turn_take(const struct tbuf_fire *f, struct tbuf_memo *memo)
{
	uint64_t turn = tbuf_load_acquire(&f->slot->turn);

	if (!tbuf_turn_of(turn, f->generation))
		return (0);
	if (memo != NULL)
		tbuf_memo_turn(memo, turn);
	return (turn);
}

/* Updates the table of a lane; an insertion is followed by the update. */
static __attribute__((cold)) enum tbuf_outcome
lane_update(const struct value *v, const struct tbuf_lane *lane,
    const struct tbuf_memo *memo)
{
	enum tbuf_outcome outcome = TBUF_WRAPPED;
	struct tbuf_memo here;
	struct table t = { .memo = NULL };
	unsigned tries;

	if (memo != NULL) {
		here = *memo;
		t.memo = &here;
	}
	if (!table_place(v, lane, turn_take(v->run->fire,
	    memo == NULL ? NULL : &here), &t))
		return (drop(&t));
	/* Tried twice: a damaged table may not show an insertion. */
	for (tries = 0; tries < 2 && outcome == TBUF_WRAPPED; tries++)
		switch (search(v, &t)) {
		case FOUND:
			outcome = values_update(v, &t);
			break;
		case ABSENT:
			outcome = insert(v, &t);
			break;
		case CHANGED:
			return (TBUF_CHANGED);
		}
	return (outcome == TBUF_WRAPPED ? drop(&t) : outcome);
}

/* Returns the hash of a key: `which`, and its words. */
static uint64_t
hash(uint32_t which, const uint64_t *words, uint32_t size)
{
	uint64_t sum = 0, factor = TBUF_HASH_FACTOR;
	uint32_t i;

	for (i = 0; i < size / 8; i++)
		tbuf_hash_add(&sum, &factor, words[i]);
	return (tbuf_hash_key(sum, which));
}

/* Sets the table of a search by the table's place. */
static inline void
search_fill(struct tbuf_search *s, uint64_t place, uint64_t base,
    uint32_t aggregation, uint32_t bytes)
{
	uint32_t which = aggregation | bytes << 16, size = (bytes + 7) & ~7u;
	uint64_t storage = tbuf_place_storage(place);
	uint64_t entry = TBUF_RUN_KEY_ENTRY + size;

	s->table = (const unsigned char *)(uintptr_t)
	    (base + tbuf_place_offset(place));
	s->heap = tbuf_table_heap(storage);
	s->last = storage - entry;
	s->end = storage - sizeof(uint64_t);
	s->mask = tbuf_table_slots(storage) - 1;
	s->size = size;
	s->entry = entry | (uint64_t)which << 32;
}

static inline struct tbuf_slot *
slot_of(const struct tbuf_search *s, uint64_t base)
{
	unsigned number = (unsigned)__builtin_ctzll(s->bits);

	return ((struct tbuf_slot *)(uintptr_t)(base + TBUF_SLOTS +
	    number * (uint64_t)TBUF_SLOT_SIZE));
}

static inline enum tbuf_outcome
section_run(const struct tbuf_memo *m, const struct tbuf_search *s,
    enum tbuf_table_step step)
{
	if (step == TBUF_STEP_UPDATE)
		return (tbuf_rseq_update(m, s));
	if (step == TBUF_STEP_SUM)
		return (tbuf_rseq_sum(m, s));
	return (tbuf_rseq_peak(m, s));
}

/*
 * The memo may be changed by a handler: the section checks that it has the lane
 * that was found here, and the session this turn.
 */
bool
tbuf_table_update(const struct tbuf_memo *m, struct tbuf_search *s,
    uint64_t base, uint32_t aggregation, uint32_t bytes,
    enum tbuf_table_step step)
{
	const struct tbuf_lane *lane = tbuf_load(&m->lane);
	uint64_t at = (uintptr_t)lane - base, place;

	if (at < TBUF_TABLES || at > tbuf_self.window - sizeof(*lane))
		return (false);
	s->lane = lane;
	s->turn = tbuf_load(&slot_of(s, base)->turn);
	place = place_load(lane, s->turn);
	if (!tbuf_turn_of(s->turn, s->generation) || !place_check(base, place))
		return (false);
	search_fill(s, place, base, aggregation, bytes);
	return (s->last < tbuf_place_storage(place) &&
	    section_run(m, s, step) == TBUF_COMMITTED);
}

/*
 * Finds this CPU's lane in the session of a search, if fires here belong to it.
 */
static bool
lane_here(const struct tbuf_search *s, uint64_t base, struct tbuf_memo *here)
{
	struct tbuf_fire f = { .slot = slot_of(s, base) };
	struct tbuf_place place;

	here->cpu = tbuf_rseq_cpu();
	here->slot = f.slot;
	here->generation = s->generation;
	if (!tbuf_fire_wanted(&f, here->cpu) || !tbuf_lane_place(base,
	    tbuf_lane_offset(f.slot, here->cpu), &place))
		return (false);
	here->lane = place.lane;
	return (true);
}

/* Makes a memo for this CPU's current table, and finds the table's place. */
static __attribute__((cold)) bool
table_here(const struct tbuf_search *s, uint64_t base, struct tbuf_memo *here,
    uint64_t *place)
{
	uint64_t turn;

	if (!lane_here(s, base, here) ||
	    here->cpu >= tbuf_load(&tbuf_local->cpus))
		return (false);
	turn = tbuf_load(&here->slot->turn);
	*place = place_load(here->lane, turn);
	tbuf_memo_turn(here, turn);
	return (tbuf_turn_of(turn, s->generation) &&
	    place_check(base, *place));
}

/*
 * The memo has values that sections have read: with another session than that
 * of the search, the section that commits it would not be reached.  It goes to
 * the CPU that the section checks: a thread that has moved meanwhile does not
 * write to another CPU's memo.
 */
__attribute__((noinline, cold)) void
tbuf_table_remember(unsigned total, const struct tbuf_search *s,
    uint64_t base, uint32_t aggregation, uint64_t bits)
{
	struct tbuf_memo here = { .bits = bits };
	uint64_t entry[WORDS], place;
	struct value v = { .entry = entry, .size = TBUF_RUN_KEY_ENTRY,
		.hash = s->hash, .which = aggregation };
	struct table t = { .memo = &here };

	if (!table_here(s, base, &here, &place))
		return;
	t.storage = tbuf_place_storage(place);
	t.at = (unsigned char *)(uintptr_t)(base + tbuf_place_offset(place));
	if (search(&v, &t) != FOUND)
		return;
	here.data = (unsigned char *)t.values;
	here.ecb_max = t.nwords;
	tbuf_rseq_remember(tbuf_memo_total(tbuf_local, here.cpu, total),
	    &here, &tbuf_thread.shared);
}

static inline void
limits_fill(struct tbuf_memo *m, unsigned char *table, uint64_t storage)
{
	m->tbuf_memo_table = table;
	m->tbuf_memo_mask = tbuf_table_slots(storage) - 1;
	m->tbuf_memo_heap = tbuf_table_heap(storage);
	m->tbuf_memo_storage = storage;
	m->tbuf_memo_end = storage - sizeof(uint64_t);
}

/* The memo is made as in tbuf_table_remember(), of the table's place. */
__attribute__((noinline, cold)) void
tbuf_table_remember_place(unsigned total, const struct tbuf_search *s,
    uint64_t base, uint64_t bits)
{
	struct tbuf_memo here = { .bits = bits };
	uint64_t place;

	if (!table_here(s, base, &here, &place))
		return;
	limits_fill(&here, (unsigned char *)(uintptr_t)
	    (base + tbuf_place_offset(place)), tbuf_place_storage(place));
	tbuf_rseq_remember(tbuf_memo_total(tbuf_local, here.cpu, total),
	    &here, &tbuf_thread.shared);
}

/* Updates a key that exists already, with the memo of the session. */
static bool
update_at_once(const struct value *v)
{
	const struct tbuf_memo *m = tbuf_memo_find(v->run->fire->bits);
	const struct tbuf_update *u = v->update;
	const enum tbuf_table_step step = tbuf_table_step(u->function);
	struct tbuf_search s;

	if (m == NULL || step == TBUF_STEP_NONE)
		return (false);
	s.bits = v->run->fire->bits;
	s.generation = v->run->fire->generation;
	s.key = v->entry + WORDS;
	s.hash = v->hash;
	s.word = step != TBUF_STEP_UPDATE ? TBUF_TABLE_PAIRS :
	    tbuf_aggregate_bucket(u->function, u->parameter,
	    (int64_t)u->value);
	s.delta = step != TBUF_STEP_UPDATE ? u->value :
	    u->function == TBUF_AGG_COUNT ? 1 : u->weight;
	s.flip = tbuf_table_flip(u->function);
	return (tbuf_table_update(m, &s, v->run->fire->base, u->aggregation,
	    v->which >> 16, step));
}

static enum tbuf_outcome
update_here(void *argument, const struct tbuf_memo *memo)
{
	return (lane_update(argument, memo->lane, memo));
}

static void
update_locked(void *argument, const struct tbuf_place *place)
{
	(void)lane_update(argument, place->lane, NULL);
}

/* ------------------------------------------------------------ the machine */

/* The key is after the room for an entry's header, and is padded there. */
int
tbuf_run_update(struct tbuf_machine *m, const struct tbuf_update *update)
{
	struct tbuf_run *run = tbuf_run_of(m);
	uint32_t key = m->key.used, padded = (key + 7) & ~7u;
	struct value v = {
		.run = run, .update = update,
		.entry = (uint64_t *)(void *)
		    (m->key.bytes - TBUF_RUN_KEY_ENTRY),
		.size = TBUF_RUN_KEY_ENTRY + padded,
		.which = update->aggregation | key << 16
	};

	if (update->aggregation > UINT16_MAX || padded > m->key.room)
		return (TBUF_FAULT_ILLEGAL);
	for (; key < padded; key++)
		m->key.bytes[key] = 0;
	v.hash = hash(v.which, v.entry + WORDS, padded);
	if (update_at_once(&v))
		return (0);
	if (tbuf_lane_do(run->fire, update_here, update_locked, &v,
	    TBUF_LOST_UPDATE) == TBUF_EMIT_DONE)
		return (0);
	run->gone = true;
	return (TBUF_STOP);
}
