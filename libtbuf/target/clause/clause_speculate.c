/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Speculations at a fire (layout/speculation.h).
 *
 * The words of the ids are changed by compare-and-swap alone, and name their
 * session: they take no lane, and no busy one can keep an id from being ended.
 * Buffers are written as lanes are, by sections of the CPU or under a lane's
 * lock.
 *
 * inv.order: the records in a buffer are of one instance, in the order in which
 * they were written there.
 */
#include "arch/counter.h"
#include "arch/rseq.h"
#include "target/clause/clause.h"
#include "target/lane/lane.h"
#include "target/self/self.h"
#include "target/self/thread.h"

/* A record on its way into a buffer. */
struct speculated {
	struct tbuf_run *run;
	uint64_t *record;	/* room for a header, then data */
	uint64_t size;		/* of both */
	uint64_t second;	/* second header word, less the size */
	uint64_t instance;
};

/* ------------------------------------------------------------ words */

static uint64_t *
word_of(const struct tbuf_run *run, uint64_t id)
{
	return (&run->fire->slot->speculation[id]);
}

static uint32_t
count(const struct tbuf_run *run)
{
	uint32_t n = tbuf_load(&run->fire->slot->nspec);

	return (n < TBUF_NSPEC ? n : TBUF_NSPEC);
}

/* Returns true if a word is this session's, and its id in this state. */
static bool
is(const struct tbuf_run *run, uint64_t word,
    enum tbuf_speculation_state state)
{
	return (word == tbuf_speculation_word(run->fire->generation,
	    tbuf_speculation_instance(word), state));
}

/*
 * Changes an id's state, but not in a child forked meanwhile: it is its
 * parent's.
 */
static bool
change(const struct tbuf_run *run, uint64_t id, uint64_t old,
    uint64_t instance, enum tbuf_speculation_state state)
{
	return (tbuf_load(&tbuf_local->base) == run->fire->base &&
	    tbuf_cas(word_of(run, id), old, tbuf_speculation_word(
	    run->fire->generation, instance, state)));
}

/* ------------------------------------------------------------ buffers */

/* Returns the buffer of the id that is speculated into, or NULL. */
static struct tbuf_speculated *
buffer_find(const struct tbuf_run *run, const struct tbuf_lane *lane,
    uint64_t *room)
{
	const struct tbuf_slot *slot = run->fire->slot;
	uint64_t lanes = run->fire->base + tbuf_load(&slot->lanes);
	uint64_t n = ((uintptr_t)lane - lanes) / sizeof(*lane);
	uint64_t size = tbuf_load(&slot->speculated);

	if (size < sizeof(struct tbuf_speculated) || n >= TBUF_NLANES)
		return (NULL);
	*room = size - sizeof(struct tbuf_speculated);
	return ((struct tbuf_speculated *)(uintptr_t)tbuf_run_part(run,
	    &slot->speculations, (n * count(run) + run->speculating) * size,
	    size));
}

/*
 * Returns true if the id is no longer active.  It is the last check before the
 * section or the store that commits: if the id is active now, the head that was
 * read before is of no later instance.
 */
static bool
ended(const struct speculated *s)
{
	tbuf_fence_loads();
	return (tbuf_load(word_of(s->run, s->run->speculating)) !=
	    s->run->speculation);
}

static uint64_t
bytes_used(const struct speculated *s, uint64_t head)
{
	return (8 * tbuf_speculated_count(head, s->instance));
}

static uint64_t
counted(const struct speculated *s, uint64_t n)
{
	return (s->instance << 24 | (n & 0xffffff));
}

/* Out of line: a section is some hundred bytes of code. */
static __attribute__((noinline)) enum tbuf_outcome
publish(const struct tbuf_memo *memo, uint64_t *word, uint64_t old,
    uint64_t new, uint64_t *to, const uint64_t *from, uint64_t size)
{
	uint32_t slot;

	return (tbuf_rseq_publish(memo, &(struct tbuf_publish){
		.word = word, .old = old, .new = new, .to = to, .from = from,
		.size = size, .slot = &slot
	}));
}

/* Counts one more drop, which is reported if the id is committed. */
static uint64_t
one_more(const struct speculated *s, uint64_t drops)
{
	uint64_t n = tbuf_speculated_count(drops, s->instance);

	return (counted(s, n < 0xffffff ? n + 1 : n));
}

static enum tbuf_outcome
write_here(void *argument, const struct tbuf_memo *memo)
{
	struct speculated *s = argument;
	struct tbuf_speculated *buffer;
	uint64_t words[2], room, used, dummy = 0;

	if ((buffer = buffer_find(s->run, memo->lane, &room)) == NULL)
		return (TBUF_COMMITTED);
	if (tbuf_rseq_load(memo, words, &buffer->head, sizeof(words)) !=
	    TBUF_COMMITTED)
		return (TBUF_CHANGED);
	if (ended(s))
		return (TBUF_COMMITTED);
	used = bytes_used(s, words[0]);
	if (used > room || s->size > room - used)
		return (publish(memo, &buffer->drops, words[1],
		    one_more(s, words[1]), &dummy, &dummy, sizeof(dummy)));
	/* The stamp is read after the head: stamps rise as it does. */
	s->record[0] = tbuf_clock_read(tbuf_self.clock);
	s->record[1] = s->second | s->size << 16;
	return (publish(memo, &buffer->head, words[0],
	    counted(s, (used + s->size) / 8),
	    (uint64_t *)(void *)((unsigned char *)(buffer + 1) + used),
	    s->record, s->size));
}

static void
store_locked(const struct speculated *s, uint64_t *to, uint64_t size)
{
	uint64_t i;

	/* The stores come after the last commit. */
	tbuf_fence_stores();
	tbuf_store(&to[0], tbuf_clock_read(tbuf_self.clock));
	tbuf_store(&to[1], s->second | size << 16);
	tbuf_store(&to[2], (uint64_t)tbuf_current_cpu());
	for (i = 2; i < s->size / 8; i++)
		tbuf_store(&to[i + 1], s->record[i]);
}

static void
write_locked(void *argument, const struct tbuf_place *place)
{
	const struct speculated *s = argument;
	struct tbuf_speculated *buffer;
	uint64_t head, room, used, size = s->size + sizeof(uint64_t);

	if ((buffer = buffer_find(s->run, place->lane, &room)) == NULL)
		return;
	head = tbuf_load(&buffer->head);
	if (ended(s))
		return;
	used = bytes_used(s, head);
	if (used > room || size > room - used) {
		tbuf_store(&buffer->drops,
		    one_more(s, tbuf_load(&buffer->drops)));
		return;
	}
	store_locked(s, (uint64_t *)(void *)
	    ((unsigned char *)(buffer + 1) + used), size);
	tbuf_store_release(&buffer->head, counted(s, (used + size) / 8));
}

int
tbuf_run_speculated(struct tbuf_run *run, uint32_t epid)
{
	const struct tbuf_buffer *record = &run->machine.record;
	struct speculated s = {
		.run = run, .size = TBUF_RUN_HEADER + record->used,
		.record = (uint64_t *)(void *)
		    (record->bytes - TBUF_RUN_HEADER),
		.instance = tbuf_speculation_instance(run->speculation)
	};

	if (tbuf_thread.tid == 0)
		tbuf_thread.tid = tbuf_thread_id();
	s.second = epid | (uint64_t)tbuf_thread.tid << 32;
	if (s.size + sizeof(uint64_t) > TBUF_RECORD_MAX)
		return (TBUF_FAULT_ILLEGAL);
	if (tbuf_lane_do(run->fire, write_here, write_locked, &s,
	    TBUF_LOST_RECORD) == TBUF_EMIT_RETRY) {
		run->gone = true;
		return (TBUF_STOP);
	}
	/*
	 * The code after an if is a clause of its own, which does not
	 * speculate.
	 */
	run->speculation = 0;
	return (0);
}

/* ------------------------------------------------------------ counters */

struct counting {
	const struct tbuf_run *run;
	bool busy;
};

static uint64_t *
counter_of(const struct counting *c, const struct tbuf_lane *lane)
{
	struct tbuf_lane_counters *counters = tbuf_run_counters(c->run, lane);

	return (counters == NULL ? NULL :
	    c->busy ? &counters->busy : &counters->unavailable);
}

static enum tbuf_outcome
count_here(void *argument, const struct tbuf_memo *memo)
{
	uint64_t *counter = counter_of(argument, memo->lane);

	return (counter == NULL ? TBUF_COMMITTED :
	    tbuf_rseq_count(memo, counter));
}

static void
count_locked(void *argument, const struct tbuf_place *place)
{
	uint64_t *counter = counter_of(argument, place->lane);

	if (counter != NULL)
		tbuf_store(counter, tbuf_load(counter) + 1);
}

/* ------------------------------------------------------------ the machine */

/* Returns 0 for an id up to nspec, in any state, else a fault. */
static int
check(const struct tbuf_run *run, uint64_t id)
{
	return (id > count(run) ? TBUF_FAULT_ILLEGAL : 0);
}

int
tbuf_run_speculation(struct tbuf_machine *m, uint64_t *id)
{
	struct tbuf_run *run = tbuf_run_of(m);
	struct counting counting = { .run = run };
	uint32_t n = count(run), i;
	uint64_t word;

	for (i = 0; i < n; i++) {
		word = tbuf_load(word_of(run, i));
		counting.busy |= is(run, word, TBUF_COMMITTING) ||
		    is(run, word, TBUF_COMMITTED_BATCH);
		if (is(run, word, TBUF_INACTIVE) && change(run, i, word,
		    tbuf_speculation_instance(word) + 1, TBUF_SPECULATING)) {
			*id = i + UINT64_C(1);
			return (0);
		}
	}
	*id = 0;
	if (tbuf_lane_do(run->fire, count_here, count_locked, &counting,
	    TBUF_LOST_RECORD) == TBUF_EMIT_DONE)
		return (0);
	run->gone = true;
	return (TBUF_STOP);
}

/* Selects an id.  If it is not active the clause ends silently. */
int
tbuf_run_speculate(struct tbuf_machine *m, uint64_t id)
{
	struct tbuf_run *run = tbuf_run_of(m);
	uint64_t word;

	if (id == 0 || check(run, id) != 0)
		return (TBUF_STOP);
	word = tbuf_load(word_of(run, id - 1));
	if (!is(run, word, TBUF_SPECULATING))
		return (TBUF_STOP);
	run->speculation = word;
	run->speculating = (uint32_t)id - 1;
	return (0);
}

/*
 * Returns false if the session has ended: no part runs then.  A part does not
 * inherit the speculation of the one before it.
 */
bool
tbuf_run_resume(struct tbuf_machine *m)
{
	struct tbuf_run *run = tbuf_run_of(m);

	run->speculation = 0;
	return (!run->gone);
}

/* Ends an instance.  Returns true if done: then no other thread ends it. */
static bool
leave(struct tbuf_run *run, uint64_t id, enum tbuf_speculation_state state,
    uint64_t *instance)
{
	uint64_t word;

	if (id == 0)
		return (false);
	word = tbuf_load(word_of(run, id - 1));
	*instance = tbuf_speculation_instance(word);
	return (is(run, word, TBUF_SPECULATING) &&
	    change(run, id - 1, word, *instance, state));
}

int
tbuf_run_commit(struct tbuf_machine *m, uint64_t id)
{
	struct tbuf_run *run = tbuf_run_of(m);
	struct tbuf_commit_record record = { .id = (uint32_t)id };
	int answer = check(run, id);

	if (answer != 0 || !leave(run, id, TBUF_COMMITTING, &record.instance))
		return (answer);
	answer = tbuf_run_record(run, TBUF_EPID_COMMIT, &record,
	    sizeof(record));
	/* The record is in a lane, or was refused. */
	if (answer == 0)
		(void)change(run, id - 1, tbuf_speculation_word(
		    run->fire->generation, record.instance, TBUF_COMMITTING),
		    record.instance, TBUF_COMMITTED_BATCH);
	return (answer);
}

int
tbuf_run_discard(struct tbuf_machine *m, uint64_t id)
{
	struct tbuf_run *run = tbuf_run_of(m);
	int answer = check(run, id);
	uint64_t instance;

	if (answer == 0)
		(void)leave(run, id, TBUF_INACTIVE, &instance);
	return (answer);
}
