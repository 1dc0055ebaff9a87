/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The target of the model: the steps of a fire in target/fire/fire.c,
 * target/lane/cpu_lane.c, target/lane/lock_lane.c and sections of arch/rseq.h.
 */
#include "state.h"

static uint8_t
load(struct state *s, const struct task *t, enum location at,
    enum order order)
{
	return (model_load(s, t->agent, at, order));
}

/* Stores into the task's lane; the area must be its session's. */
static void
lane_store(struct state *s, const struct task *t, unsigned word,
    uint8_t value, enum order order)
{
	if (t->child)
		model_fail("a forked child stores into its parent's lane");
	if (s->owner != t->generation)
		model_fail("a late writer stores into another session's lane");
	if (t->place < K_LANE && t->lane != s->value[L_CPU_LANE] &&
	    !model_has(D_SWITCH_TWO_BUFFERS))
		model_fail("a fire stores into a lane that is not its CPU's");
	model_store(s, t->agent, LANE(t->lane, word), value, order);
}

static uint8_t
lane_load(struct state *s, const struct task *t, unsigned word,
    enum order order)
{
	return (load(s, t, LANE(t->lane, word), order));
}

static unsigned
cell(unsigned position)
{
	return (W_CELLS + position % model.scenario->storage);
}

/* [inv.account] Checks that a fire is finished once. */
static void
finish_once(struct state *s, const struct task *t)
{
	if ((s->finished >> t->id & 1) != 0)
		model_fail("a fire is finished twice");
	s->finished |= 1u << t->id;
}

/*
 * Returns the thread that has the task's memo: handlers share their thread's,
 * and the memo of a CPU is the first thread's.
 */
static struct task *
thread_of(struct state *s, struct task *t)
{
	if (model.scenario->memo_of_cpu)
		return (&s->tasks[0]);
	return (t->parent == 0 ? t : &s->tasks[t->parent - 1]);
}

/* Returns true if the record that is committed had room. */
static bool
has_room(const struct state *s, const struct task *t)
{
	const uint8_t *words = s->value + LANE(t->lane, 0);
	unsigned end = t->head + t->size;

	if (model.scenario->policy != RING)
		return (end <= words[W_LIMIT]);
	return (end - words[pair_word(W_TAIL0, words[W_SEQUENCE])] <=
	    model.scenario->bufsize);
}

static void
count_record(struct state *s, const struct task *t)
{
	uint8_t n = s->ncommitted[t->lane];

	finish_once(s, t);
	if (model.scenario->policy == FILL && s->drops[t->lane] != 0)
		model_fail("fill: a full lane stores a record");
	if (!has_room(s, t))
		model_fail("a record is stored where there is no room");
	if (n == NRECORDS) {
		model_fail("the model's list of records is too short");
		return;
	}
	s->committed[t->lane][n] = (uint8_t)(t->id << 3 | t->size);
	s->ncommitted[t->lane]++;
}

static void
count_drop(struct state *s, const struct task *t)
{
	finish_once(s, t);
	s->drops[t->lane]++;
}

/* Zeroes registers that no later step reads, to have fewer states. */
static void
forget(struct task *t)
{
	t->fast = t->goal = t->lane = t->head = t->sequence = t->tail = 0;
	t->value = t->over = t->time = t->at = 0;
}

/* Returns from the fire to the program. */
static void
fire_return(struct state *s, struct task *t)
{
	forget(t);
	t->id = t->ends = t->size = t->aborts = t->generation = 0;
	t->fires--;
	t->place = T_IDLE;
	if (t->fires != 0 && !t->child)
		return;
	t->place = T_DONE;
	if (t->parent != 0)
		s->tasks[t->parent - 1].nested--;
	else if (!model.scenario->memo_of_cpu)
		t->good = t->memo = t->memo_lane = t->base = t->span = 0;
}

/*
 * Gives a fire up: the session does not take it.  Only a fire that is
 * concurrent with attach or stop may find that.  (Under weak order it is
 * concurrent with all attaches that its CPU does not know of.)
 */
static void
fire_give_up(struct state *s, struct task *t)
{
	if (t->ends == s->ends && !s->ending && !t->child &&
	    (!model.scenario->weak || s->ends == 0))
		model_fail("a fire got lost");
	fire_return(s, t);
}

static void
section_enter(struct task *t, enum goal goal)
{
	t->goal = (uint8_t)goal;
	t->place = S_GENERATION;
}

static void
fire_begin(struct state *s, struct task *t, unsigned task)
{
	const struct task_plan *plan = &model.scenario->tasks[task];

	if (t->parent != 0 && t->fires == plan->fires)
		s->tasks[t->parent - 1].nested++;
	t->size = plan->sizes[plan->fires - t->fires];
	t->id = (uint8_t)(task * 5 + t->fires);
	t->ends = s->ends;
	if (load(s, t, L_ENABLED, RELAXED) == 0)
		fire_return(s, t);	/* not a fire of a session */
	else if (thread_of(s, t)->memo != 0 &&
	    t->size <= model.scenario->bufsize &&
	    !model_has(D_SWITCH_TWO_BUFFERS)) {
		t->fast = 1;
		if (model_has(D_MEMO_BEFORE_ARM))
			t->place = T_MEMO;
		else
			t->place = S_MEMO;
	} else
		t->place = T_ENABLED;
}

static void
section_changed(struct task *t)
{
	bool fast = t->fast;

	forget(t);
	t->place = fast ? T_ENABLED : T_CURRENT;
}

void
model_target_abort(struct task *t)
{
	t->aborts++;
	/* A copy of a memo is not repeated: its fire is done. */
	if (t->place >= R_HALF && t->place <= R_GOOD)
		t->place = T_REMEMBERED;
	else
		section_changed(t);
}

bool
model_target_in_section(const struct task *t)
{
	return (t->place >= S_MEMO && t->place <= R_GOOD);
}

static void
lock_lane_enter(struct task *t)
{
	forget(t);
	t->place = K_LANE;
}

/* Takes a step of a fire's search for its lane. */
static void
place_step(struct state *s, struct task *t)
{
	switch (t->place) {
	case T_MEMO:		/* this and T_ARM: MEMO_BEFORE_ARM only */
		t->generation = thread_of(s, t)->memo;
		t->fast = thread_of(s, t)->good;
		t->place = t->fast ? T_ARM : T_ENABLED;
		break;
	case T_ARM:
		t->place = S_MEMO;
		break;
	case T_REMEMBERED:
		fire_return(s, t);
		break;
	case T_ENABLED:
		t->place = t->child || load(s, t, L_ENABLED, RELAXED) == 0 ?
		    T_AGAIN : T_GENERATION;
		break;
	case T_GENERATION:
		t->generation = load(s, t, L_GENERATION, ORDERED);
		t->place = T_ECB;
		if (t->generation == 0 &&
		    !model_has(D_NO_SESSION_TAKEN_FOR_ONE))
			fire_give_up(s, t);
		break;
	case T_ECB:
		if (load(s, t, L_ECB, RELAXED) == 0)
			fire_give_up(s, t);
		else if (t->locked)
			lock_lane_enter(t);
		else
			t->place = T_PLACE;
		break;
	case T_PLACE:
		t->lane = load(s, t, L_CPU_LANE, RELAXED);
		section_enter(t, t->size > model.scenario->bufsize ?
		    G_LARGE : G_COMMIT);
		break;
	case T_CURRENT:
		if (t->child ||
		    load(s, t, L_GENERATION, RELAXED) != t->generation)
			t->place = T_AGAIN;
		else if (t->aborts >= model.scenario->aborts &&
		    model.scenario->lanes == 2)
			lock_lane_enter(t);
		else
			t->place = T_PLACE;
		break;
	default:		/* T_AGAIN */
		forget(t);
		t->place = T_GENERATION;
		if (t->child || load(s, t, L_ENABLED, RELAXED) == 0)
			fire_give_up(s, t);
		break;
	}
}

/* Returns true if a fire by the thread's memo may use its stretch. */
static bool
is_flat(const struct task *t)
{
	return (t->fast && t->size <= model.scenario->flat);
}

/* Takes a step of CHECK in arch/rseq.h, with which a section begins. */
static void
check_step(struct state *s, struct task *t)
{
	const struct task *thread = thread_of(s, t);
	bool forked, ended;

	switch (t->place) {
	case S_MEMO:
		/* No handler can change it before the section ends. */
		t->lane = thread->memo_lane;
		if (model_has(D_MEMO_BEFORE_ARM) ?
		    thread->memo != t->generation : !thread->good) {
			section_changed(t);
			break;
		}
		t->generation = thread->memo;
		t->goal = G_COMMIT;
		t->place = S_GENERATION;
		break;
	case S_GENERATION:
		forked = t->child && !model_has(D_NO_WIPE_CHECK);
		ended = false;
		if (!model_has(D_NO_GENERATION_CHECK) &&
		    !(t->fast && model_has(D_MEMO_WITHOUT_GENERATION)))
			ended = load(s, t, L_GENERATION, RELAXED) !=
			    t->generation;
		if (forked || ended)
			section_changed(t);
		else
			t->place = t->fast ? S_ECB :
			    t->goal == G_LARGE ? S_LOAD_COUNTER : S_HEAD;
		break;
	case S_ECB:
		if (load(s, t, L_ECB, RELAXED) == 0)
			section_changed(t);
		else
			t->place = t->goal == G_LARGE ? S_LOAD_COUNTER :
			    S_HEAD;
		break;
	default:		/* S_HEAD */
		t->head = lane_load(s, t, W_HEAD, RELAXED);
		t->place = model.scenario->policy == RING ? S_SEQUENCE :
		    S_LIMIT;
		if (!is_flat(t))
			break;
		if ((uint8_t)(t->head - thread->base) < thread->span)
			t->place = S_LOAD_LAST;
		else if (model.scenario->policy == RING)
			t->goal = G_RELEASE;
		break;
	}
}

static void
section_full(struct task *t)
{
	if (t->goal == G_REFUSE || model_has(D_DROP_IN_SAME_SECTION))
		t->place = S_LOAD_COUNTER;
	else if (t->fast)
		section_changed(t);
	else
		section_enter(t, G_REFUSE);
}

/* Takes a step of ROOM for a linear lane; a lock lane has it under the lock. */
static void
linear_step(struct state *s, struct task *t)
{
	bool locked = t->place >= K_LANE, full = false;
	uint8_t limit;

	if (t->place == S_LIMIT || t->place == K_LIMIT) {
		limit = lane_load(s, t, W_LIMIT, ORDERED);
		full = t->head + t->size > limit;
		t->place = locked ? K_FULL : S_FULL;
		t->value = limit - t->head;
		if (!full && model.scenario->policy == FILL &&
		    !model_has(D_FILL_WITHOUT_MARK))
			return;
	} else
		full = lane_load(s, t, W_FULL, RELAXED) != 0;
	if (full && locked)
		t->place = K_LOAD_COUNTER;
	else if (full)
		section_full(t);
	else if (t->goal == G_REFUSE)
		section_changed(t);
	else if (is_flat(t) && (model.scenario->policy != FILL ||
	    model_has(D_STRETCH_UNDER_FILL)))
		t->place = S_BASE;
	else
		t->place = locked ? K_LOAD_LAST : S_LOAD_LAST;
	if (t->place != S_BASE)
		t->value = 0;
}

/*
 * Takes a step of STRETCH: value is the room.  A fire that has released records
 * begins again.
 */
static void
stretch_step(struct state *s, struct task *t)
{
	struct task *thread = thread_of(s, t);
	uint8_t less = (uint8_t)(model.scenario->flat - 1);

	if (t->place == S_BASE) {
		if (!model_has(D_STRETCH_NOT_VOID))
			thread->span = 0;
		thread->base = t->head;
		t->place = S_SPAN;
		return;
	}
	if (model_has(D_STRETCH_TOO_LONG))
		less = 0;
	thread->span = t->value > less ? (uint8_t)(t->value - less) : 0;
	t->value = 0;
	t->place = S_LOAD_LAST;
	if (t->goal == G_RELEASE) {
		forget(t);
		t->fast = 1;
		t->place = S_MEMO;
	}
}

/* Returns true if the ring lacks the room that a release is to make. */
static bool
is_short(const struct task *t)
{
	return (model.scenario->bufsize < t->head - t->tail - t->at +
	    model.scenario->part);
}

/* Takes a step of RELEASE: `at' cells and `time' records leave the ring. */
static void
release_step(struct state *s, struct task *t)
{
	unsigned next = t->sequence + 1u;

	switch (t->place) {
	case S_SEQUENCE:
		t->sequence = lane_load(s, t, W_SEQUENCE, RELAXED);
		t->place = S_TAIL;
		return;
	case S_TAIL:
		t->tail = lane_load(s, t, pair_word(W_TAIL0, t->sequence),
		    RELAXED);
		if (!model_has(D_RING_STEPS_NO_BARRIER))
			model_fence_stores(s, t->agent);
		t->place = S_SIZE;
		if (is_short(t))
			return;
		break;
	case S_SIZE:
		t->value = lane_load(s, t, cell(t->tail + t->at + 1u),
		    RELAXED) & 7;
		if (t->value < 2 || t->value > t->head - t->tail - t->at)
			model_fail("a release finds damage");
		t->at += t->value;
		t->time++;
		t->value = 0;
		t->place = is_short(t) ? S_SIZE : S_OVER;
		return;
	case S_OVER:
		t->over = lane_load(s, t, pair_word(W_OVER0, t->sequence),
		    RELAXED);
		t->place = S_NEW_TAIL;
		return;
	case S_NEW_TAIL:
		lane_store(s, t, pair_word(W_TAIL0, next),
		    (uint8_t)(t->tail + t->at), RELAXED);
		t->place = S_NEW_OVER;
		return;
	case S_NEW_OVER:
		lane_store(s, t, pair_word(W_OVER0, next), (uint8_t)(t->over +
		    (model_has(D_RELEASE_UNCOUNTED) ? 1 : t->time)), RELAXED);
		t->place = S_PUBLISH;
		return;
	default:		/* S_PUBLISH */
		lane_store(s, t, W_SEQUENCE, (uint8_t)next,
		    model_has(D_RING_SEQUENCE_NOT_RELEASED) ?
		    RELAXED : ORDERED);
		break;
	}
	if (!model_has(D_STRETCH_NO_BARRIER))
		model_fence_stores(s, t->agent);
	t->value = (uint8_t)(model.scenario->bufsize -
	    (t->head - t->tail - t->at));
	t->place = S_BASE;
}

static void
ring_room(struct state *s, struct task *t, bool locked)
{
	/* With this defect the goal changes before data are stored. */
	bool late = model_has(D_RING_TAIL_AFTER_DATA) && t->goal == G_COMMIT;
	bool step;

	t->tail = lane_load(s, t, pair_word(W_TAIL0, t->sequence), RELAXED);
	step = t->head + t->size - t->tail > model.scenario->bufsize && !late;
	if (!model_has(step ? D_RING_STEPS_NO_BARRIER : D_RING_NO_BARRIER))
		model_fence_stores(s, t->agent);
	if (step) {
		t->place = locked ? K_SIZE : S_SIZE;
		return;
	}
	if (t->goal != G_COMMIT) {
		t->place = S_COMMIT;
		return;
	}
	t->place = locked ? K_LOAD_LAST : S_LOAD_LAST;
}

/* Takes a step of ROOM for a ring. */
static void
ring_step(struct state *s, struct task *t)
{
	bool locked = t->place >= K_LANE;
	unsigned next = t->sequence + 1u;

	switch (locked ? t->place - K_SEQUENCE : t->place - S_SEQUENCE) {
	case 0:
		t->sequence = lane_load(s, t, W_SEQUENCE, RELAXED);
		t->place++;
		break;
	case 1:
		ring_room(s, t, locked);
		break;
	case 2:
		t->value = lane_load(s, t, cell(t->tail + 1u), RELAXED) & 7;
		if (t->value < 2 || t->value > t->head - t->tail)
			model_fail("a ring's writer finds damage");
		t->place++;
		break;
	case 3:
		t->over = lane_load(s, t, pair_word(W_OVER0, t->sequence),
		    RELAXED);
		t->place++;
		break;
	case 4:
		lane_store(s, t, pair_word(W_TAIL0, next),
		    (uint8_t)(t->tail + t->value), RELAXED);
		t->place++;
		break;
	case 5:
		lane_store(s, t, pair_word(W_OVER0, next),
		    (uint8_t)(t->over + 1), RELAXED);
		t->place++;
		break;
	default:
		lane_store(s, t, W_SEQUENCE, (uint8_t)next,
		    model_has(D_RING_SEQUENCE_NOT_RELEASED) ?
		    RELAXED : ORDERED);
		t->value = t->over = t->tail = t->sequence = 0;
		t->place = locked ? K_SEQUENCE : S_SEQUENCE;
		break;
	}
}

static void
data_stored(struct task *t, bool locked)
{
	if (!locked && model_has(D_RING_TAIL_AFTER_DATA) &&
	    model.scenario->policy == RING) {
		t->goal = G_REFUSE;
		t->place = S_SEQUENCE;
		return;
	}
	t->place = locked ? K_COMMIT : S_COMMIT;
}

/* Takes a step of STORE in a section, before the commit. */
static void
store_step(struct state *s, struct task *t)
{
	bool locked = t->place >= K_LANE;

	switch (locked ? t->place - K_LOAD_LAST : t->place - S_LOAD_LAST) {
	case 0:
		t->time = model.scenario->clock ? ++s->clock : 1;
		t->value = lane_load(s, t, W_LAST, RELAXED);
		if (t->time <= t->value && !model_has(D_STAMP_WITHOUT_LAST))
			t->time = (uint8_t)(t->value + 1);
		t->value = 0;
		t->place++;
		break;
	case 1:
		lane_store(s, t, W_LAST, t->time, RELAXED);
		t->place++;
		break;
	case 2:
		lane_store(s, t, cell(t->head), t->time, RELAXED);
		t->time = 0;
		t->place++;
		break;
	case 3:
		lane_store(s, t, cell(t->head + 1u),
		    (uint8_t)(t->id << 3 | t->size), RELAXED);
		t->at = 2;
		t->place++;
		if (t->at == t->size)
			data_stored(t, locked);
		break;
	default:
		lane_store(s, t, cell(t->head + t->at), (uint8_t)~t->id,
		    RELAXED);
		if (++t->at == t->size)
			data_stored(t, locked);
		break;
	}
}

/* Takes the committing store of a section. */
static void
commit_step(struct state *s, struct task *t)
{
	unsigned counter = t->goal == G_LARGE ? W_LARGE : W_FULL;

	switch (t->place) {
	case S_COMMIT:
		lane_store(s, t, W_HEAD, (uint8_t)(t->head + t->size),
		    model_has(D_HEAD_NOT_RELEASED) ? RELAXED : ORDERED);
		count_record(s, t);
		if (model_has(D_COMMIT_NOT_LAST))
			t->place = S_AFTER;
		else if (!t->fast)
			t->place = R_HALF;
		else
			fire_return(s, t);
		break;
	case S_LOAD_COUNTER:
		t->value = lane_load(s, t, counter, RELAXED);
		t->place = S_STORE_COUNTER;
		break;
	case S_STORE_COUNTER:
		lane_store(s, t, counter, (uint8_t)(t->value + 1), RELAXED);
		count_drop(s, t);
		/* In the commit's section, a jump to its end follows. */
		if (model_has(D_DROP_NOT_LAST) ||
		    (model_has(D_DROP_IN_SAME_SECTION) && t->goal == G_COMMIT))
			t->place = S_AFTER;
		else
			fire_return(s, t);
		break;
	default:		/* S_AFTER */
		fire_return(s, t);
		break;
	}
}

/*
 * Takes a step of REMEMBER: a memo that is half copied has this generation, but
 * the lane of another session or CPU.
 */
static void
remember_step(struct state *s, struct task *t)
{
	struct task *thread = thread_of(s, t);

	switch (t->place) {
	case R_HALF:
		if (!model_has(D_MEMO_COPY_NOT_VOID))
			thread->good = 0;
		thread->memo = t->generation;
		thread->memo_lane = !t->lane;
		thread->base = thread->span = 0;
		t->place = R_GOOD;
		break;
	default:		/* R_GOOD */
		thread->memo_lane = t->lane;
		thread->good = 1;
		fire_return(s, t);
		break;
	}
}

/* Takes a step of locking or unlocking the only lock lane. */
static void
lock_step(struct state *s, struct task *t)
{
	uint8_t word = (uint8_t)(2 * t->generation), now;

	switch (t->place) {
	case K_LANE:
		t->lane = !load(s, t, L_CPU_LANE, RELAXED);
		t->goal = t->size > model.scenario->bufsize ? G_LARGE :
		    G_COMMIT;
		t->place = K_WORD;
		break;
	case K_WORD:
		now = load(s, t, L_LOCK, RELAXED);
		if (model_has(D_LOCK_WITHOUT_GENERATION) && now != LOCK_CLOSED)
			word = now & ~1;
		t->value = word;
		t->place = now == word ? K_TAKE : N_GENERATION;
		break;
	case K_TAKE:
		if (!model_cas(s, t->agent, L_LOCK, t->value, t->value | 1))
			t->place = N_GENERATION;
		else
			t->place = t->goal == G_LARGE ? K_LOAD_COUNTER :
			    K_HEAD;
		t->value = 0;
		break;
	case K_HEAD:
		t->head = lane_load(s, t, W_HEAD, RELAXED);
		t->place = model.scenario->policy == RING ? K_SEQUENCE :
		    K_LIMIT;
		break;
	case K_COMMIT:
		lane_store(s, t, W_HEAD, (uint8_t)(t->head + t->size),
		    model_has(D_HEAD_NOT_RELEASED) ? RELAXED : ORDERED);
		count_record(s, t);
		t->place = K_RELEASE;
		break;
	case K_LOAD_COUNTER:
		t->over = lane_load(s, t, t->goal == G_LARGE ? W_LARGE :
		    W_FULL, RELAXED);
		t->place = K_STORE_COUNTER;
		break;
	case K_STORE_COUNTER:
		lane_store(s, t, t->goal == G_LARGE ? W_LARGE : W_FULL,
		    (uint8_t)(t->over + 1), RELAXED);
		count_drop(s, t);
		t->place = K_RELEASE;
		break;
	default:		/* K_RELEASE */
		model_store(s, t->agent, L_LOCK, word,
		    model_has(D_LOCK_NOT_RELEASED) ? RELAXED : ORDERED);
		fire_return(s, t);
		break;
	}
}

/* Takes a step of a drop because all lock lanes are busy. */
static void
nolane_step(struct state *s, struct task *t)
{
	switch (t->place) {
	case N_GENERATION:
		t->value = 0;
		t->place = load(s, t, L_GENERATION, RELAXED) ==
		    t->generation ? N_LOAD : T_AGAIN;
		break;
	case N_LOAD:
		t->value = load(s, t, L_NOLANE, RELAXED);
		t->place = t->value >> 4 == t->generation ||
		    model_has(D_NOLANE_WITHOUT_GENERATION) ? N_COUNT : T_AGAIN;
		break;
	default:		/* N_COUNT */
		if (!model_cas(s, t->agent, L_NOLANE, t->value,
		    (uint8_t)(t->value + 1))) {
			t->place = N_GENERATION;
			break;
		}
		if (t->value >> 4 != t->generation)
			model_fail("a late writer counts another session's "
			    "drop");
		finish_once(s, t);
		s->nolanes++;
		fire_return(s, t);
		break;
	}
}

static bool
within(unsigned place, unsigned first, unsigned last)
{
	return (place >= first && place <= last);
}

void
model_target_step(struct state *s, unsigned task)
{
	struct task *t = &s->tasks[task];
	unsigned place = t->place;

	if (place == T_IDLE)
		fire_begin(s, t, task);
	else if (within(place, T_MEMO, T_AGAIN))
		place_step(s, t);
	else if (within(place, S_MEMO, S_HEAD))
		check_step(s, t);
	else if (within(place, S_LIMIT, S_FULL) ||
	    within(place, K_LIMIT, K_FULL))
		linear_step(s, t);
	else if (within(place, S_BASE, S_SPAN))
		stretch_step(s, t);
	else if (within(place, S_SEQUENCE, S_PUBLISH) &&
	    t->goal == G_RELEASE)
		release_step(s, t);
	else if (within(place, S_SEQUENCE, S_PUBLISH) ||
	    within(place, K_SEQUENCE, K_PUBLISH))
		ring_step(s, t);
	else if (within(place, S_LOAD_LAST, S_DATA) ||
	    within(place, K_LOAD_LAST, K_DATA))
		store_step(s, t);
	else if (within(place, S_COMMIT, S_STORE_COUNTER))
		commit_step(s, t);
	else if (within(place, R_HALF, R_GOOD))
		remember_step(s, t);
	else if (within(place, K_LANE, K_RELEASE))
		lock_step(s, t);
	else
		nolane_step(s, t);
}

bool
model_target_can_run(const struct state *s, unsigned task)
{
	const struct task *t = &s->tasks[task];
	const struct task *p;

	if (s->dead || t->place == T_DONE || t->nested != 0)
		return (false);
	if (t->parent == 0 || t->place != T_IDLE ||
	    t->fires != model.scenario->tasks[task].fires)
		return (true);
	/* A handler starts while its thread runs. */
	p = &s->tasks[t->parent - 1];
	return (p->place != T_DONE && p->nested == 0 &&
	    s->running[t->agent] == t->parent);
}
