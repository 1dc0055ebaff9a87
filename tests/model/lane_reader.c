/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The consumer of the model: switches, snapshots, the end of a session, and the
 * next session in the same space; and the checks of the records it reads.
 */
#include <string.h>

#include "state.h"

static uint8_t
load(struct state *s, unsigned word, enum order order)
{
	return (model_load(s, READER, LANE(s->reader.lane, word), order));
}

static unsigned
cell(unsigned position)
{
	return (W_CELLS + position % model.scenario->storage);
}

/*
 * [inv.order] Checks that these cells are the lane's n-th record, whole, and
 * later than the one before it.
 */
static void
check_record(struct state *s, const uint8_t *cells, unsigned n,
    uint8_t *time)
{
	unsigned lane = s->reader.lane, size = cells[1] & 7, i;

	if (n >= s->ncommitted[lane] || cells[1] != s->committed[lane][n])
		model_fail("not the record that was committed");
	for (i = 2; i < size; i++) {
		if (cells[i] != (uint8_t)~(cells[1] >> 3))
			model_fail("a torn record");
	}
	if (cells[0] <= *time)
		model_fail("time does not rise");
	*time = cells[0];
}

/* [inv.account] Checks that a lane has no record too few or too many. */
static void
check_lane(const struct state *s, unsigned records)
{
	if (records != s->ncommitted[s->reader.lane] && !s->reader.retire)
		model_fail("records are missing");
}

/* Reads a cell of the inactive half.  Returns true after the last one. */
static bool
read_cell(struct state *s)
{
	struct reader *r = &s->reader;
	uint8_t *time = &r->time[model_has(D_SWITCH_TWO_BUFFERS) ? 0 : r->lane];
	unsigned n = (uint8_t)(r->at - r->tail[r->lane]);

	r->copy[n] = load(s, cell(r->at++), RELAXED);
	if (n > 0 && n + 1u >= (r->copy[1] & 7)) {
		check_record(s, r->copy, r->taken[r->lane]++, time);
		r->tail[r->lane] = r->at;
		memset(r->copy, 0, sizeof(r->copy));
	} else if (n + 1u == NCELLS)
		model_fail("a record without an end");
	if (r->at != r->mark)
		return (false);
	if (r->tail[r->lane] != r->at)
		model_fail("half a record");
	return (true);
}

/* Moves to the next lane of a round, or ends the round. */
static void
next_lane(struct reader *r, enum reader_place again)
{
	r->mark = r->at = r->sequence = r->over = r->ahead = r->copied = 0;
	memset(r->copy, 0, sizeof(r->copy));
	r->place = (uint8_t)again;
	if (++r->lane < model.scenario->lanes &&
	    !model_has(D_SWITCH_TWO_BUFFERS))
		return;
	r->lane = 0;
	r->rounds--;
	r->place = C_ROUND;
}

static void
store_limit(struct state *s, uint8_t mark, uint8_t tail)
{
	uint8_t size = model.scenario->bufsize, limit;

	limit = (uint8_t)(tail + 2 * size);
	if (limit > mark + size && !model_has(D_LIMIT_AFTER_TAIL))
		limit = (uint8_t)(mark + size);
	model_store(s, READER, LANE(s->reader.lane, W_LIMIT), limit, ORDERED);
}

/* Takes a step of one lane's switch. */
static void
switch_step(struct state *s)
{
	struct reader *r = &s->reader;
	enum order order = model_has(D_HEAD_NOT_ACQUIRED) ? RELAXED : ORDERED;

	switch (r->place) {
	case C_FLIP:
		r->lane = r->active;
		r->active = !r->active;
		model_store(s, READER, L_CPU_LANE, r->active, ORDERED);
		r->place = C_MARK;
		break;
	case C_MARK:
		r->mark = load(s, W_HEAD, order);
		r->at = r->tail[r->lane];
		r->place = C_LIMIT;
		break;
	case C_LIMIT:
		store_limit(s, r->mark, model_has(D_LIMIT_AFTER_TAIL) ?
		    r->mark : r->tail[r->lane]);
		r->place = C_READ;
		if (r->at == r->mark)
			next_lane(r, C_MARK);
		break;
	default:		/* C_READ */
		/*
		 * Without the release, the next switch's store of limit can
		 * overtake the loads of this one.
		 */
		if (model_has(D_LIMIT_NOT_RELEASED) && r->ahead == 0 &&
		    r->rounds > 1) {
			r->ahead = load(s, W_HEAD, order) + 1;
			store_limit(s, r->ahead - 1, r->mark);
		} else if (read_cell(s))
			next_lane(r, C_MARK);
		break;
	}
}

/* Returns the index of the record at a position. */
static unsigned
record_at(const struct state *s, uint8_t position)
{
	unsigned n, at = 0;

	for (n = 0; n < s->ncommitted[s->reader.lane] && at < position; n++)
		at += s->committed[s->reader.lane][n] & 7;
	if (at != position)
		model_fail("a ring's tail is not where a record begins");
	return (n);
}

/* Checks a copy from position `from` on. */
static void
check_snapshot(struct state *s, uint8_t from)
{
	const struct reader *r = &s->reader;
	uint8_t cells[NCELLS], size, time = 0;
	unsigned n, i, at = from;

	if (from >= r->mark)
		return;
	for (n = record_at(s, from); at < r->mark; at += size, n++) {
		size = r->copy[(at + 1) % model.scenario->storage] & 7;
		if (size < 2 || size > r->mark - at) {
			model_fail("a snapshot finds damage");
			return;
		}
		memset(cells, 0, sizeof(cells));
		for (i = 0; i < size; i++)
			cells[i] = r->copy[(at + i) % model.scenario->storage];
		check_record(s, cells, n, &time);
	}
}

/* Checks a consistent pair of a ring, at the first look or the second. */
static void
snapshot_look(struct state *s)
{
	struct reader *r = &s->reader;
	uint8_t tail = r->at;

	if (record_at(s, tail) != r->over)
		model_fail("tail and overwritten are not of one step");
	if (r->copied) {
		if (model_has(D_SNAPSHOT_NO_SECOND_LOOK) ||
		    tail < r->tail[r->lane])
			tail = r->tail[r->lane];
		check_snapshot(s, tail);
		next_lane(r, P_HEAD);
	} else if (tail >= r->mark)
		next_lane(r, P_HEAD);
	else {
		if (r->mark - tail > model.scenario->bufsize)
			model_fail("a snapshot finds damage");
		r->tail[r->lane] = tail;
		r->place = P_COPY;
	}
	r->sequence = r->over = 0;
}

/* Takes a step of a live ring's snapshot: copies, then looks a second time. */
static void
snapshot_step(struct state *s)
{
	struct reader *r = &s->reader;

	switch (r->place) {
	case P_HEAD:
		r->mark = load(s, W_HEAD, ORDERED);
		r->place = P_SEQUENCE;
		break;
	case P_SEQUENCE:
		r->sequence = load(s, W_SEQUENCE, ORDERED);
		r->place = P_TAIL;
		break;
	case P_TAIL:
		r->at = load(s, pair_word(W_TAIL0, r->sequence), RELAXED);
		r->place = P_OVER;
		break;
	case P_OVER:
		r->over = load(s, pair_word(W_OVER0, r->sequence), RELAXED);
		r->place = P_SAME;
		break;
	case P_SAME:
		if (!model_has(D_SNAPSHOT_NO_BARRIER))
			model_fence_loads(s, READER);
		if (load(s, W_SEQUENCE, RELAXED) == r->sequence)
			snapshot_look(s);
		else
			r->place = P_SEQUENCE;
		break;
	default:		/* P_COPY */
		r->copy[r->at % model.scenario->storage] =
		    load(s, cell(r->at), RELAXED);
		if (++r->at != r->mark)
			break;
		if (!model_has(D_SNAPSHOT_NO_BARRIER))
			model_fence_loads(s, READER);
		r->copied = 1;
		r->place = P_SEQUENCE;
		break;
	}
	if (r->place == C_ROUND)
		memset(r->tail, 0, sizeof(r->tail));
}

/* Visits a CPU, which aborts a running section. */
static void
cross_call(struct state *s, enum agent cpu)
{
	struct task *t;

	if (!model_has(D_NO_CROSS_CALL)) {
		model_meet(s, READER, cpu);
		if (s->running[cpu] != 0) {
			t = &s->tasks[s->running[cpu] - 1];
			if (model_target_in_section(t))
				model_target_abort(t);
		}
	}
}

/* Ends a session after all lanes are drained: their space is free. */
static void
session_left(struct state *s)
{
	struct reader *r = &s->reader;

	memset(r->tail, 0, sizeof(r->tail));
	memset(r->taken, 0, sizeof(r->taken));
	memset(r->time, 0, sizeof(r->time));
	r->over = r->mark = r->at = r->lane = r->sequence = r->active = 0;
	r->unbegun = 0;
	if (r->successor == 1)
		r->successor = 2;
	r->place = C_DONE;
	if (r->retire)
		return;
	s->owner = 0;
	if (s->dead || r->sessions == 0)
		return;
	r->sessions--;
	r->place = B_ECB;
}

/* Closes a lock lane finally; one that stays locked is given up. */
static void
close_lock(struct state *s)
{
	struct reader *r = &s->reader;
	uint8_t word = (uint8_t)(2 * r->generation);

	if (model_has(D_NO_LOCK_AT_END) || s->dead) {
		r->place = E_SEQUENCE;
		return;
	}
	if (s->value[L_LOCK] != LOCK_CLOSED &&
	    !model_cas(s, READER, L_LOCK, word, LOCK_CLOSED))
		r->retire = 1;
	r->place = E_SEQUENCE;
}

/* Takes a step of a session's end, up to the last drain. */
static void
end_step(struct state *s)
{
	struct reader *r = &s->reader;

	r->place++;
	switch (r->place - 1) {
	case E_GENERATION:
		s->ends++;
		s->ending = 1;
		if (!model_has(D_GENERATION_KEPT_AT_END))
			model_store(s, READER, L_GENERATION, 0, ORDERED);
		break;
	case E_CLEAR:
		model_store(s, READER, L_ENABLED, 0, ORDERED);
		if (r->unbegun)
			session_left(s);
		else if (model_has(D_DRAIN_BEFORE_CROSS_CALL))
			r->place = E_LOCK;
		break;
	case E_CROSS0:
		cross_call(s, CPU0);
		break;
	case E_CROSS1:
		cross_call(s, CPU1);
		if (model_has(D_DRAIN_BEFORE_CROSS_CALL))
			session_left(s);
		break;
	default:		/* E_LOCK */
		close_lock(s);
		r->lane = model_has(D_SWITCH_TWO_BUFFERS) && !r->active;
		/*
		 * A successor does not know which records were consumed.  A
		 * ring with a writer inside would be read as in a snapshot.
		 */
		if (r->successor == 1 ||
		    (r->retire && model.scenario->policy == RING))
			session_left(s);
		break;
	}
}

/* Returns the last lane; of two buffers the inactive one is older. */
static unsigned
last_lane(const struct reader *r)
{
	if (model_has(D_SWITCH_TWO_BUFFERS))
		return (r->active);
	return (model.scenario->lanes - 1u);
}

static void
drain_begin(struct state *s)
{
	struct reader *r = &s->reader;

	switch (r->place) {
	case E_SEQUENCE:
		r->sequence = load(s, W_SEQUENCE, ORDERED) & 1;
		r->place = model.scenario->policy == RING ? E_TAIL : E_HEAD;
		break;
	case E_TAIL:
		r->tail[r->lane] = load(s,
		    pair_word(W_TAIL0, r->sequence), RELAXED);
		r->place = E_OVER;
		break;
	case E_OVER:
		r->over = load(s, pair_word(W_OVER0, r->sequence), RELAXED);
		if (record_at(s, r->tail[r->lane]) != r->over)
			model_fail("overwritten records are miscounted");
		r->taken[r->lane] = r->over;
		r->sequence = r->over = 0;
		r->place = E_HEAD;
		break;
	default:		/* E_HEAD */
		r->mark = load(s, W_HEAD, ORDERED);
		r->at = r->tail[r->lane];
		r->place = E_READ;
		if (r->at == r->mark) {
			check_lane(s, r->taken[r->lane]);
			r->place = E_FULL;
		}
		break;
	}
}

/* Changes the word to an unused tag, so that a late compare-and-swap fails. */
static void
close_nolane(struct state *s)
{
	uint8_t word = s->value[L_NOLANE];

	if (!model_has(D_NOLANE_WITHOUT_GENERATION))
		model_cas(s, READER, L_NOLANE, word, 0);
	if ((word & 15) != s->nolanes)
		model_fail("drops without a lane are miscounted");
}

static void
drain_end(struct state *s)
{
	struct reader *r = &s->reader;

	switch (r->place) {
	case E_READ:
		if (!read_cell(s))
			break;
		check_lane(s, r->taken[r->lane]);
		r->place = E_FULL;
		break;
	case E_FULL:
		r->over = load(s, W_FULL, RELAXED);
		r->place = E_LARGE;
		break;
	case E_LARGE:
		if (r->over + load(s, W_LARGE, RELAXED) !=
		    s->drops[r->lane] && !r->retire)
			model_fail("drops are miscounted");
		r->over = r->mark = r->at = 0;
		r->place = E_SEQUENCE;
		if (r->lane != last_lane(r))
			r->lane = !r->lane;
		else
			r->place = E_NOLANE;
		break;
	default:		/* E_NOLANE */
		close_nolane(s);
		if (model_has(D_DRAIN_BEFORE_CROSS_CALL))
			r->place = E_CROSS0;
		else
			session_left(s);
		break;
	}
}

/* Builds a new session's lanes in one step, as no writer can be inside. */
static void
build_lanes(struct state *s)
{
	unsigned lane, word, value;

	for (lane = 0; lane < NLANES; lane++) {
		for (word = 0; word < LANE_WORDS; word++) {
			value = word == W_LIMIT ? model.scenario->bufsize : 0;
			model_store(s, READER, LANE(lane, word),
			    (uint8_t)value, RELAXED);
		}
	}
	/* The CPU's lane takes the place of the lock lane. */
	s->reader.active = (s->reader.generation & 1) == 0;
	model_store(s, READER, L_CPU_LANE, s->reader.active, RELAXED);
	memset(s->committed, 0, sizeof(s->committed));
	memset(s->ncommitted, 0, sizeof(s->ncommitted));
	memset(s->drops, 0, sizeof(s->drops));
}

static void
build_step(struct state *s)
{
	struct reader *r = &s->reader;

	r->place++;
	switch (r->place - 1) {
	case B_ECB:
		r->unbegun = 1;
		model_store(s, READER, L_ECB, 0, RELAXED);
		break;
	case B_SLOT:
		r->generation++;
		model_store(s, READER, L_NOLANE,
		    (uint8_t)(r->generation << 4), RELAXED);
		model_store(s, READER, L_LOCK, (uint8_t)(2 * r->generation),
		    RELAXED);
		s->nolanes = 0;
		break;
	case B_LANES:
		build_lanes(s);
		break;
	case B_GENERATION:
		s->owner = r->generation;
		model_store(s, READER, L_GENERATION, r->generation,
		    model_has(D_BUILD_NOT_RELEASED) ? RELAXED : ORDERED);
		break;
	case B_ACTIVE:
		r->unbegun = 0;
		break;
	case B_INSERT:
		model_store(s, READER, L_ECB, 1,
		    model_has(D_BUILD_NOT_RELEASED) ? RELAXED : ORDERED);
		break;
	default:		/* B_ENABLE */
		s->ending = 0;
		s->ends++;
		model_store(s, READER, L_ENABLED, 1,
		    model_has(D_BUILD_NOT_RELEASED) ? RELAXED : ORDERED);
		r->rounds = model.scenario->rounds;
		r->place = C_ROUND;
		break;
	}
}

/* Begins another switch, or the end, which may come at any time. */
static void
round_step(struct state *s)
{
	struct reader *r = &s->reader;

	model.choices = r->rounds == 0 || s->dead ? 1 : 2;
	if (model.wanted == 1) {
		r->place = model.scenario->policy == RING ? P_HEAD :
		    C_MARK;
		if (model_has(D_SWITCH_TWO_BUFFERS))
			r->place = C_FLIP;
		return;
	}
	r->rounds = 0;
	r->place = E_GENERATION;
}

void
model_reader_step(struct state *s)
{
	enum reader_place place = s->reader.place;

	if (place == C_ROUND)
		round_step(s);
	else if (place >= C_MARK && place <= C_FLIP)
		switch_step(s);
	else if (place >= P_HEAD && place <= P_COPY)
		snapshot_step(s);
	else if (place >= E_GENERATION && place <= E_LOCK)
		end_step(s);
	else if (place >= E_SEQUENCE && place <= E_HEAD)
		drain_begin(s);
	else if (place >= E_READ && place <= E_NOLANE)
		drain_end(s);
	else
		build_step(s);
}

bool
model_reader_can_run(const struct state *s)
{
	return (s->reader.place != C_DONE);
}
