/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The restartable sections of arch/rseq.h: an aborted section has stored
 * nothing, a committed one everything, and a signal handler that interrupts a
 * section may run the same section, and unwind the stack.  With
 * --enable-inject, the aborts come at each step in turn.
 */
#include <check.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unwind.h>

#include "arch/atomics.h"
#include "arch/rseq_unit.h"
#include "lib/check_main.h"
#include "target/self/thread.h"

#define ABORTS		50	/* at each step */
#define SIZE		48u	/* of a record; it may wrap anywhere */
#define STORAGE		1024u
#define RING		(10 * SIZE)
#define GENERATION	7
#define TURN		(GENERATION << TBUF_TURN_SHIFT | 1)
#define EPID		9
#define DELAY		3000u	/* turns */
#define TABLE		1024u	/* bytes of the lane's table */
#define WHICH		5	/* index of the value that is counted in */
#define WORDS		8	/* words of an entry's values */

enum kind {
	LINEAR_FLAT,
	RING_FLAT,
	RING_RELEASE,
	LINEAR_FLAT_WORDS,
	RING_FLAT_WORDS,
	LINEAR_WORDS,
	LINEAR_SEGMENTS,
	RING_WORDS,
	RING_SEGMENTS,
	LINEAR_ROWS,
	RING_ROWS,
	LINEAR_SEVERAL,
	RING_SEVERAL,
	COUNT,
	SHARED,
	FINISH,
	BIND,
	UPDATE,
	SUM,
	PEAK,
	TOTAL,
	CACHED,
	REFUSE,
	REFUSE_SEVERAL,
	KINDS
};

static const char *const kinds[] = {
	"linear, flat", "ring, flat", "ring, release",
	"linear, flat words", "ring, flat words",
	"linear, words", "linear, segments", "ring, words", "ring, segments",
	"linear, rows", "ring, rows", "linear, several", "ring, several", "count",
	"shared", "finish", "bind", "update", "sum", "peak", "total",
	"again",
	"refuse", "refuse, several"
};

static struct tbuf_slot slot = {
	.generation = GENERATION, .turn = TURN
};
static struct tbuf_lane lane;
static _Alignas(64) unsigned char storage[STORAGE];
static struct tbuf_memo memo;
static uint32_t enabled = 1;
static struct tbuf_site site = { .enabled = &enabled, .index = 1 };
static uint32_t heads[] = { 0, EPID };
static enum kind kind;
static _Alignas(64) uint64_t table[TABLE / 8];
static const uint64_t key[2] = { 17, 4 };

/* The second session's lane, and the CPU's memos of both sessions. */
static struct tbuf_lane other;
static _Alignas(64) unsigned char other_storage[STORAGE];
static struct {
	_Alignas(TBUF_MEMO_SIZE) struct tbuf_memo memo;
} memos[2];

/* The probe's chain for the kinds with two ECBs. */
static const struct tbuf_ecb ecbs[EPID + 2] = {
	[EPID] = { .next = EPID + 1 }
};

/* Fires committed by the test itself ([0]) and by its signal handler ([1]). */
static uint64_t fired[2];
static uint64_t turns;
static bool done;
static pthread_t interrupter;

static bool
is_ring(void)
{
	return (kind == RING_FLAT || kind == RING_RELEASE ||
	    kind == RING_FLAT_WORDS || kind == RING_WORDS ||
	    kind == RING_SEGMENTS ||
	    kind == RING_ROWS || kind == RING_SEVERAL);
}

static bool
is_rows(void)
{
	return (kind == LINEAR_ROWS || kind == RING_ROWS);
}

static bool
is_several(void)
{
	return (kind == LINEAR_SEVERAL || kind == RING_SEVERAL ||
	    kind == REFUSE_SEVERAL);
}

/* Records of two words are 32 bytes: a pair of them never wraps. */
static uint64_t
record_size(void)
{
	return (is_rows() || is_several() ? 32 : SIZE);
}

static uint32_t
several(uint32_t bits, const uint64_t *words)
{
	return (tbuf_rseq_several(&memos[0].memo, bits, record_size(),
	    record_size() << 16, &site, words));
}

/* Writes to both sessions.  An abort affects one that is not yet written to. */
static enum tbuf_outcome
several_write(const uint64_t *words)
{
	uint32_t left = several(3, words);

	if (left == 3)
		return (TBUF_CHANGED);
	while (left != 0) {
		ck_assert_uint_eq(left, 2);
		left = several(left, words);
	}
	return (TBUF_COMMITTED);
}

/* Writes one record for each of the two ECBs of the chain, in one section. */
static enum tbuf_outcome
rows_write(struct tbuf_write *w, const uint64_t *words)
{
	enum tbuf_outcome outcome;

	w->size = record_size();
	w->size16 = (uint32_t)w->size << 16;
	outcome = tbuf_rseq_rows_among(&memo, w, &site, words);
	tbuf_rseq_clear();
	return (outcome);
}

#define ENTRY_SIZE	(sizeof(struct tbuf_table_entry) + sizeof(key))

/* Makes the n-th entry of a key; its values follow those of earlier ones. */
static void
entry_make(unsigned n, uint64_t hash, uint64_t second, uint32_t nwords)
{
	uint32_t at = (uint32_t)(tbuf_table_heap(TABLE) + n * ENTRY_SIZE);
	struct tbuf_table_entry *e = (struct tbuf_table_entry *)(void *)
	    ((char *)table + at);
	uint32_t *slots = (uint32_t *)(void *)
	    ((char *)table + sizeof(struct tbuf_table));

	*e = (struct tbuf_table_entry){
		.size = ENTRY_SIZE, .aggregation = 2, .key = sizeof(key),
		.values = TABLE - (n + 1) * 8 * WORDS, .nwords = nwords,
		.hash = hash
	};
	memcpy(e + 1, (uint64_t []){ key[0], second }, sizeof(key));
	slots[(3 + n) % tbuf_table_slots(TABLE)] = at;
	table[0] = (n + 1) * ENTRY_SIZE;
}

/* The key's entry is the third; the first two share its hash and slot. */
static void
table_make(void)
{
	memset(table, 0, sizeof(table));
	entry_make(0, 3, key[1] + 1, WORDS);
	entry_make(1, 3 + UINT64_C(1) * TABLE, key[1], WORDS);
	entry_make(2, 3, key[1], WHICH + 1);
}

static uint64_t *
counted(void)
{
	return (table + (TABLE - 3 * 8 * WORDS) / 8 + WHICH);
}

static struct tbuf_search
search_make(void)
{
	return ((struct tbuf_search){
		.bits = enabled, .generation = GENERATION,
		.turn = slot.turn, .lane = &lane, .table = (unsigned char *)table,
		.heap = tbuf_table_heap(TABLE), .last = TABLE - ENTRY_SIZE,
		.end = TABLE - 8, .mask = tbuf_table_slots(TABLE) - 1,
		.entry = ENTRY_SIZE | (uint64_t)(2 | sizeof(key) << 16) << 32,
		.hash = 3, .key = key, .size = sizeof(key), .word = WHICH,
		.delta = 3
	});
}

static enum tbuf_outcome
update(void)
{
	struct tbuf_search s = search_make();

	return (tbuf_rseq_update(&memo, &s));
}

/* Returns the version before the copies; WHICH is the copies' last word. */
static uint64_t *
summed(void)
{
	return (counted() - 4);
}

static enum tbuf_outcome
sum_update(void)
{
	struct tbuf_search s = search_make();

	return (tbuf_rseq_sum(&memo, &s));
}

#define CLEARED		7

static uint64_t attempts;
static uint64_t peaks[2];	/* by writer: last value committed */

/* Values rise.  An update that a handler's has overtaken changes nothing. */
static enum tbuf_outcome
peak_update(uint64_t who)
{
	struct tbuf_search s = search_make();
	enum tbuf_outcome outcome;
	uint64_t value = attempts + 1;

	tbuf_store(&attempts, value);
	s.flip = UINT64_MAX;
	s.delta = ~value;
	outcome = tbuf_rseq_peak(&memo, &s);
	if (outcome == TBUF_COMMITTED)
		tbuf_store(&peaks[who], value);
	return (outcome);
}

/* Prepares the state after a clear() and one update by the greatest value. */
static void
peak_make(void)
{
	uint64_t *values = summed();

	slot.cleared = CLEARED;
	values[0] = 1;
	values[3] = UINT64_MAX;
	values[4] = CLEARED;
}

#define TOTAL_BITS	77

/* Returns a memo with the address of the values that UPDATE searches for. */
static struct tbuf_memo
total_make(void)
{
	struct tbuf_memo total = memo;

	total.bits = TOTAL_BITS;
	total.data = (unsigned char *)(counted() - WHICH);
	total.ecb_max = WHICH + 1;
	tbuf_memo_turn(&total, TURN);
	return (total);
}

static enum tbuf_outcome
total(void)
{
	const struct tbuf_memo m = total_make();

	return (tbuf_rseq_total(&m, TOTAL_BITS, WHICH, 3));
}

/* Returns a memo that has the address of the table. */
static struct tbuf_memo
cached_make(void)
{
	struct tbuf_memo again = memo;

	again.bits = TOTAL_BITS;
	again.lane = NULL;
	again.tbuf_memo_table = (unsigned char *)table;
	again.tbuf_memo_mask = tbuf_table_slots(TABLE) - 1;
	again.tbuf_memo_heap = tbuf_table_heap(TABLE);
	again.tbuf_memo_storage = TABLE;
	again.tbuf_memo_end = TABLE - 8;
	tbuf_memo_turn(&again, TURN);
	return (again);
}

/* The search lacks all fields that tbuf_rseq_cached() takes from the memo. */
static struct tbuf_search
cached_search(void)
{
	struct tbuf_search s = search_make();

	s.bits = TOTAL_BITS;
	s.generation = s.turn = s.heap = s.last = s.end = 0;
	s.lane = NULL;
	s.table = NULL;
	s.mask = 0;
	return (s);
}

static enum tbuf_outcome
again(void)
{
	const struct tbuf_memo m = cached_make();
	const struct tbuf_search s = cached_search();

	return (tbuf_rseq_cached(&m, &s));
}

#define RULE	UINT64_C(5)

static struct tbuf_units units = { .rules = { RULE } };
static struct tbuf_unit_entry unit;	/* its word and the other fields */
static uint64_t sum, ticks;

#define RECORDS	3u		/* of the unit */

static struct tbuf_finish
finish_make(void)
{
	uint64_t n = tbuf_load(&unit.word);

	tbuf_store(&unit.head, tbuf_unit_head(0, RECORDS, 96));
	return ((struct tbuf_finish){
		.units = &units, .guess = RULE, .entry = &unit, .old = n,
		.ticks_at = &ticks, .ticks_sum = n + 1,
		.new = n + 1, .to = unit.total, .sum = &sum,
		.was = { .committed = n + 1, .discarded = ~n - RECORDS }
	});
}

static enum tbuf_outcome
finish(void)
{
	struct tbuf_finish f = finish_make();

	return (tbuf_rseq_finish(&memo, &f));
}

static struct tbuf_beginning
bind_make(void)
{
	uint64_t n = tbuf_load(&unit.word);

	return ((struct tbuf_beginning){
		.entry = &unit, .old = n, .new = n + 1, .began = n + 2,
		.id = n + 3, .kind = n + 4, .thread = n + 5
	});
}

static enum tbuf_outcome
bind_unit(void)
{
	struct tbuf_beginning n = bind_make();

	return (tbuf_rseq_bind(&memo, &n));
}

/* Records that a release is asked for: most others count one in each step. */
static uint64_t
released(void)
{
	return (kind == RING_RELEASE ? 4 : 1);
}

/*
 * Writes as a fire does: in the stretch, or after it.  A ring's new stretch is
 * used at once, as it may have room for one record only.
 */
static bool
flat_write(const uint64_t *words)
{
	enum tbuf_outcome outcome;

	if (kind > RING_RELEASE)
		return (tbuf_rseq_flat_words(&site, words, SIZE, &slot,
		    GENERATION));
	outcome = tbuf_rseq_flat_4(&site, words);
	if (outcome == TBUF_NO_ROOM && is_ring() &&
	    tbuf_rseq_release(&site, released() * SIZE) == TBUF_COMMITTED)
		outcome = tbuf_rseq_flat_4(&site, words);
	if (outcome == TBUF_NO_ROOM)
		return (tbuf_rseq_extend(&site, words, SIZE, &slot,
		    GENERATION));
	return (outcome == TBUF_COMMITTED);
}

/* Runs the section, or on some machines its sibling for records that wrap. */
static enum tbuf_outcome
record_write(const uint64_t *words)
{
	const struct tbuf_segment segments[] = {
		{ words, 13 }, { (const char *)words + 13, SIZE - 16 - 13 }
	};
	struct tbuf_write w = {
		.bits = enabled, .generation = GENERATION, .size = SIZE,
		.less = SIZE - 8, .size16 = SIZE << 16, .from = words,
		.index = site.index
	};
	enum tbuf_outcome outcome = TBUF_WRAPPED;

	if (kind == COUNT)
		return (tbuf_rseq_count(&memo, &lane.large));
	if (kind == SHARED)
		return (tbuf_rseq_count_shared(&memo, &lane.large));
	if (kind == FINISH)
		return (finish());
	if (kind == BIND)
		return (bind_unit());
	if (kind == UPDATE)
		return (update());
	if (kind == SUM)
		return (sum_update());
	if (kind == PEAK)
		return (peak_update(words[0]));
	if (kind == TOTAL)
		return (total());
	if (kind == CACHED)
		return (again());
	if (is_rows())
		return (rows_write(&w, words));
	if (is_several())
		return (several_write(words));
	if (kind <= RING_FLAT_WORDS) {
		if (flat_write(words))
			return (TBUF_COMMITTED);
		/* The flat sections do not report the cause. */
		if ((lane.head + SIZE - 8) % STORAGE >= SIZE - 8)
			return (TBUF_CHANGED);
	} else if (kind != LINEAR_SEGMENTS && kind != RING_SEGMENTS)
		outcome = tbuf_rseq_words(&memo, &w);
	if (outcome != TBUF_WRAPPED)
		return (outcome);
	w.from = segments;
	w.from_end = segments + 2;
	return (tbuf_rseq_segments(&memo, &w));
}

static enum tbuf_outcome
fire(unsigned who)
{
	const uint64_t n = fired[who] + 1;
	const uint64_t words[4] = { who, n, ~n, n * (who + 3) };
	enum tbuf_outcome outcome = record_write(words);

	if (outcome == TBUF_COMMITTED)
		fired[who] = n;
	return (outcome);
}

/* The jumps of this program's sections. */
extern const char __start___rseq_failure[], __stop___rseq_failure[];
/* Stacks of handlers that have a jump, and those that end there. */
static unsigned jumps, ended;
static uint64_t	run(void);

struct stack {
	bool jump;	/* it has one of these jumps */
	bool reached;	/* it has a frame of run() */
};

static _Unwind_Reason_Code
look(struct _Unwind_Context *context, void *stack_)
{
	struct stack *stack = stack_;
	uintptr_t at = _Unwind_GetIP(context);

	stack->jump |= at - (uintptr_t)__start___rseq_failure <
	    (uintptr_t)__stop___rseq_failure -
	    (uintptr_t)__start___rseq_failure;
	stack->reached |= _Unwind_GetRegionStart(context) == (uintptr_t)run;
	return (_URC_NO_REASON);
}

static void
on_signal(int signal)
{
	struct stack stack = { 0 };

	(void)signal;
	(void)_Unwind_Backtrace(look, &stack);
	jumps += stack.jump;
	ended += stack.jump && !stack.reached;
	while (fire(1) != TBUF_COMMITTED)
		continue;
}

/* Sends one signal a turn, so that the test makes progress between signals. */
static void *
interrupt(void *thread)
{
	uint64_t seen;

	while (!tbuf_load_acquire(&done)) {
		seen = tbuf_load(&turns);
		pthread_kill(*(pthread_t *)thread, SIGUSR1);
		while (tbuf_load(&turns) == seen && !tbuf_load_acquire(&done))
			sched_yield();
	}
	return (NULL);
}

static void
several_make(void)
{
	unsigned i;

	enabled = 3;
	other.limit = lane.limit;
	for (i = 0; i < 2; i++) {
		memos[i].memo = memo;
		memos[i].memo.bits = 1u << i;
	}
	memos[1].memo.lane = &other;
	memos[1].memo.data = other_storage;
}

/* The test runs on one CPU, so that a section fails only by an abort. */
static void
begin(void)
{
	static pthread_t self;
	cpu_set_t one;
	int cpu = sched_getcpu();

	ck_assert_int_eq(tbuf_process_register(), 0);
	lane.limit = kind >= REFUSE ? 0 : UINT64_MAX / 2;
	memo = (struct tbuf_memo){
		.bits = enabled, .generation = GENERATION, .slot = &slot,
		.lane = &lane, .data = storage, .mask8 = STORAGE - 8,
		.bufsize = RING, .heads = heads, .cpu = (uint32_t)cpu,
		.ring = is_ring(), .ecbs = ecbs, .ecb_max = EPID + 2
	};
	if (is_rows())
		heads[1] |= TBUF_HEAD_MORE;
	table_make();
	if (kind == PEAK)
		peak_make();
	tbuf_thread.memo = memo;
	if (is_several())
		several_make();
	self = pthread_self();
	signal(SIGUSR1, on_signal);
	ck_assert_int_eq(pthread_create(&interrupter, NULL, interrupt, &self),
	    0);
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(one), &one), 0);
}

static void
end(void)
{
	tbuf_store_release(&done, true);
	pthread_join(interrupter, NULL);
}

static uint64_t
word_at(uint64_t position)
{
	uint64_t word;

	memcpy(&word, storage + position % STORAGE, sizeof(word));
	return (word);
}

/* Every stored record is complete, and their times rise. */
static void
check_records(uint64_t from)
{
	uint64_t time = 0, size = record_size(), epid = EPID, who, n;

	for (; from < lane.head; from += size) {
		ck_assert_uint_gt(word_at(from), time);
		time = word_at(from);
		if (is_rows())
			epid = EPID + from / size % 2;
		ck_assert_uint_eq(word_at(from + 8), size << 16 | epid);
		who = word_at(from + 16);
		n = word_at(from + 24);
		ck_assert_uint_le(who, 1);
		ck_assert_uint_le(n, fired[who]);
		if (size == 32)
			continue;
		ck_assert_uint_eq(word_at(from + 32), ~n);
		ck_assert_uint_eq(word_at(from + 40), n * (who + 3));
	}
}

/* Records overwritten by a fire that was then aborted stay overwritten. */
static void
check_tail(const struct tbuf_lane *l)
{
	const struct tbuf_pair *pair = &l->pair[l->sequence & 1];

	ck_assert_uint_eq(pair->tail, pair->overwritten * record_size());
	ck_assert_uint_le(l->sequence, pair->overwritten);
	ck_assert_uint_ge(l->sequence * released(), pair->overwritten);
	ck_assert_uint_le(l->head - pair->tail, RING);
}

static void
check_ring(void)
{
	check_tail(&lane);
	check_records(lane.pair[lane.sequence & 1].tail);
}

/* The other lane's records have another order if a handler came between. */
static void
check_other(void)
{
	ck_assert_uint_eq(other.head, lane.head);
	ck_assert_uint_eq(other.full, lane.full);
	if (is_ring())
		check_tail(&other);
}

/* The version counts the updates, and selects the copy that is complete. */
static void
check_sum(uint64_t all)
{
	const uint64_t *values = summed();
	const uint64_t *copy = values + 1 + (values[0] & 1) * 2;

	ck_assert_uint_eq(values[0], all);
	ck_assert_uint_eq(copy[0], all);
	ck_assert_uint_eq(copy[1], 3 * all);
}

/* The minimum is of ~1, ~2 and so on; the version counts no failed update. */
static void
check_peak(uint64_t all)
{
	const uint64_t *values = summed();
	const uint64_t *copy = values + 1 + (values[0] & 1) * 2;

	ck_assert_uint_le(values[0], 1 + all);
	ck_assert_uint_eq(~copy[0], peaks[0] > peaks[1] ? peaks[0] : peaks[1]);
	ck_assert_uint_eq(copy[1], CLEARED);
}

/* Checks the state while no section runs: the signal is blocked. */
static void
check(void)
{
	sigset_t set, old;
	uint64_t all;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	all = fired[0] + fired[1];
	ck_assert_uint_eq(lane.full, kind >= REFUSE ? all : 0);
	if (is_several())
		check_other();
	ck_assert_uint_eq(lane.large, kind == COUNT ||
	    kind == SHARED ? all : 0);
	ck_assert_uint_eq(unit.word, kind == FINISH || kind == BIND ? all : 0);
	/* The last section that was aborted may have stored the next sum. */
	ck_assert_uint_le(ticks - (kind == FINISH ? all : 0), kind == FINISH);
	if (kind == SUM)
		check_sum(all);
	else if (kind == PEAK)
		check_peak(all);
	else
		ck_assert_uint_eq(*counted(), kind == UPDATE ||
		    kind == TOTAL || kind == CACHED ? 3 * all : 0);
	ck_assert_uint_eq(lane.head, kind >= COUNT ? 0 :
	    all * (is_rows() ? 2 : 1) * record_size());
	if (is_ring())
		check_ring();
	else
		check_records(lane.head < RING ? 0 :
		    lane.head - RING / record_size() * record_size());
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/*
 * Fires until ABORTS sections were aborted, and a handler has found one at its
 * jump.  Returns how many committed.
 */
static __attribute__((noinline)) uint64_t
run(void)
{
	uint64_t before = fired[0];
	unsigned aborts = 0;
	enum tbuf_outcome outcome;

	jumps = 0;
	while (aborts < ABORTS || tbuf_load(&jumps) == 0) {
		outcome = fire(0);
		tbuf_store(&turns, turns + 1);
		if (outcome == TBUF_COMMITTED)
			continue;
		ck_assert_int_eq(outcome, TBUF_CHANGED);
		aborts++;
		check();
	}
	/* A thread that is cancelled at the jump runs its destructors. */
	ck_assert_uint_eq(tbuf_load(&ended), 0);
	return (fired[0] - before);
}

START_TEST(an_aborted_section_has_done_nothing)
{
	uint64_t committed = 0;
	unsigned steps = 1, step;

	kind = (enum kind)_i;
	begin();
#ifdef TBUF_INJECT
	steps = TBUF_INJECT_STEPS;
#endif
	for (step = 0; step < steps; step++) {
#ifdef TBUF_INJECT
		tbuf_store(&tbuf_inject[step], DELAY);
#endif
		committed += run();
#ifdef TBUF_INJECT
		tbuf_store(&tbuf_inject[step], 0);
#endif
	}
	end();
	check();
	printf("%s: %u aborted, %ju committed, %ju in the handler\n",
	    kinds[kind], steps * ABORTS, (uintmax_t)committed,
	    (uintmax_t)fired[1]);
}
END_TEST

static void
flat_words_leave(const struct tbuf_slot *of, uint64_t generation)
{
	const uint64_t words[4] = { 0 };
	uint64_t head = lane.head, full = lane.full;

	ck_assert(!tbuf_rseq_flat_words(&site, words, SIZE, of, generation));
	ck_assert_uint_eq(lane.head, head);
	ck_assert_uint_eq(lane.full, full);
}

START_TEST(words_are_written_for_the_session_that_they_were_made_for)
{
	static struct tbuf_slot another;
	const uint64_t words[4] = { 0 };
	uint64_t head;

	kind = LINEAR_FLAT_WORDS;
	begin();
	end();
	/* A signal may abort an attempt, so the write is repeated. */
	head = lane.head;
	while (!flat_write(words))
		continue;
	ck_assert_uint_eq(lane.head, head + SIZE);
	another = slot;
	flat_words_leave(&another, GENERATION);
	flat_words_leave(&slot, GENERATION + 1);
	/* That session ends, and another one begins in its slot. */
	slot.generation = GENERATION + 1;
	flat_words_leave(&slot, GENERATION);
	flat_words_leave(&slot, GENERATION + 1);
	slot.generation = GENERATION;
}
END_TEST

static uint64_t came;		/* when the handler came between two sessions */

static void
on_signal_between(int signal)
{
	(void)signal;
	if (lane.head > other.head)
		tbuf_store(&came, tbuf_clock_read(tbuf_self.clock));
}

START_TEST(what_comes_between_two_sessions_makes_the_time_old)
{
	const uint64_t words[2] = { 0, 1 };
	unsigned i, between = 0, least = 0;

	kind = LINEAR_SEVERAL;
	begin();
	signal(SIGUSR1, on_signal_between);
#ifdef TBUF_INJECT
	tbuf_store(&tbuf_inject[7], DELAY);
	least = 20;
#endif
	for (i = 0; i < 2000 || between < least; i++) {
		tbuf_store(&came, 0);
		while (several_write(words) != TBUF_COMMITTED)
			continue;
		tbuf_store(&turns, turns + 1);
		if (tbuf_load(&came) == 0)
			continue;
		between++;
		ck_assert_uint_lt(lane.last, came);
		ck_assert_uint_gt(other.last, came);
	}
#ifdef TBUF_INJECT
	tbuf_store(&tbuf_inject[7], 0);
#endif
	end();
	printf("%u times between\n", between);
}
END_TEST

/* Expects that the update is refused and changes nothing, or that it counts. */
static void
update_expect(struct tbuf_search s, bool counts)
{
	uint64_t before[TABLE / 8];

	memcpy(before, table, sizeof(table));
	if (counts)
		before[counted() - table] += s.delta;
	while (tbuf_rseq_update(&memo, &s) == TBUF_CHANGED && counts)
		continue;
	ck_assert_mem_eq(before, table, sizeof(table));
}

#define LEAVES(change) do {						\
	struct tbuf_search s = search_make();				\
									\
	change;								\
	update_expect(s, false);					\
} while (0)

/* Expects that an update is refused after a change of the key's entry. */
#define LEAVES_ENTRY(field, value) do {					\
	uint32_t old_ = entry->field;					\
									\
	entry->field = (value);						\
	update_expect(search_make(), false);				\
	entry->field = old_;						\
} while (0)

START_TEST(an_update_finds_its_key_and_no_other)
{
	struct tbuf_table_entry *entry = (struct tbuf_table_entry *)(void *)
	    ((char *)table + tbuf_table_heap(TABLE) + 2 * ENTRY_SIZE);
	static const uint64_t other[2] = { 17, 6 };
	static const uint64_t another[2] = { 16, 4 };

	begin();
	end();
	update_expect(search_make(), true);
	LEAVES(s.key = other);
	LEAVES(s.key = another);
	LEAVES(s.hash = 4);
	LEAVES(s.entry += UINT64_C(1) << 32);
	LEAVES(s.bits = 2);
	LEAVES(s.generation++);
	LEAVES(s.turn++);
	LEAVES(s.lane++);
	LEAVES(s.word++);
	LEAVES(s.last = tbuf_table_heap(TABLE));
	LEAVES_ENTRY(values, TABLE);
	LEAVES_ENTRY(values, TABLE - 8 * WHICH);
	LEAVES_ENTRY(values, (uint32_t)tbuf_table_heap(TABLE) - 8);
	LEAVES_ENTRY(values, TABLE - 3 * 8 * WORDS + 4);
	/* An entry that is not committed yet is not found. */
	table[0] -= ENTRY_SIZE;
	update_expect(search_make(), false);
	table[0] += ENTRY_SIZE;
	update_expect(search_make(), true);
}
END_TEST

static void
cached_expect(struct tbuf_memo m, struct tbuf_search s, bool counts)
{
	uint64_t before[TABLE / 8];

	memcpy(before, table, sizeof(table));
	if (counts)
		before[counted() - table] += s.delta;
	while (tbuf_rseq_cached(&m, &s) == TBUF_CHANGED && counts)
		m.cpu = tbuf_rseq_cpu();
	ck_assert_mem_eq(before, table, sizeof(table));
}

#define LEAVES_CACHED(change) do {					\
	struct tbuf_search s = cached_search();				\
	struct tbuf_memo m = cached_make();				\
									\
	m.cpu = tbuf_rseq_cpu();					\
	change;								\
	cached_expect(m, s, false);					\
} while (0)

#define LEAVES_CACHED_ENTRY(field, value) do {				\
	uint32_t old_ = entry->field;					\
									\
	LEAVES_CACHED(entry->field = (value));				\
	entry->field = old_;						\
} while (0)

START_TEST(an_update_by_a_tables_memo_finds_its_key_and_no_other)
{
	struct tbuf_table_entry *entry = (struct tbuf_table_entry *)(void *)
	    ((char *)table + tbuf_table_heap(TABLE) + 2 * ENTRY_SIZE);
	static const uint64_t other[2] = { 17, 6 };
	uint32_t *slots = (uint32_t *)(void *)
	    ((char *)table + sizeof(struct tbuf_table));
	uint32_t was;

	begin();
	end();
	cached_expect(cached_make(), cached_search(), true);
	LEAVES_CACHED(s.key = other);
	LEAVES_CACHED(s.hash = 4);
	LEAVES_CACHED(s.entry += UINT64_C(1) << 32);
	LEAVES_CACHED(s.bits += 2);
	LEAVES_CACHED(s.word++);
	LEAVES_CACHED(m.generation++);
	LEAVES_CACHED(m.cpu += 4096);
	/* The storage has no room for that entry, or for any entry. */
	LEAVES_CACHED(m.tbuf_memo_storage = tbuf_table_heap(TABLE) +
	    3 * ENTRY_SIZE - 8);
	LEAVES_CACHED(m.tbuf_memo_storage = ENTRY_SIZE - 8);
	LEAVES_CACHED_ENTRY(values, TABLE);
	LEAVES_CACHED_ENTRY(values, TABLE - 8 * WHICH);
	LEAVES_CACHED_ENTRY(values, (uint32_t)tbuf_table_heap(TABLE) - 8);
	LEAVES_CACHED_ENTRY(values, TABLE - 3 * 8 * WORDS + 4);
	/* An entry is neither before the heap nor past the committed ones. */
	was = slots[5];
	slots[5] = 8;
	LEAVES_CACHED((void)0);
	slots[5] = was;
	table[0] -= ENTRY_SIZE;
	LEAVES_CACHED((void)0);
	table[0] += ENTRY_SIZE;
	slot.turn++;
	LEAVES_CACHED((void)0);
	slot.turn = TURN;
	cached_expect(cached_make(), cached_search(), true);
}
END_TEST

START_TEST(a_sum_goes_to_the_copy_that_is_not_selected)
{
	uint64_t *values, selected, n;

	begin();
	end();
	values = summed();
	values[0] = 7;
	values[3] = 40;
	values[4] = 50;
	while (sum_update() != TBUF_COMMITTED)
		continue;
	ck_assert_uint_eq(values[0], 8);
	ck_assert_uint_eq(values[1], 41);
	ck_assert_uint_eq(values[2], 53);
	ck_assert_uint_eq(values[3], 40);
	ck_assert_uint_eq(values[4], 50);
	for (n = 1; n <= 10; n++) {
		while (sum_update() != TBUF_COMMITTED)
			continue;
		selected = 1 + (values[0] & 1) * 2;
		ck_assert_uint_eq(values[selected], 41 + n);
		ck_assert_uint_eq(values[selected + 1], 53 + 3 * n);
	}
}
END_TEST

static void
peak_expect(uint64_t value, uint64_t flip, enum tbuf_outcome expected)
{
	struct tbuf_search s = search_make();
	enum tbuf_outcome outcome;
	unsigned tries = 0;

	s.delta = value;
	s.flip = flip;
	/* An attempt may be aborted, so it is repeated. */
	do
		outcome = tbuf_rseq_peak(&memo, &s);
	while (outcome != expected && ++tries < 1000);
	ck_assert_int_eq(outcome, expected);
}

static void
words_expect(const uint64_t *expected)
{
	ck_assert_mem_eq(summed(), expected, 5 * sizeof(*expected));
}

START_TEST(a_peak_is_stored_where_a_value_is_beyond_it)
{
	begin();
	end();
	peak_make();
	words_expect((uint64_t []){ 1, 0, 0, -1, CLEARED });
	peak_expect(-1, 0, TBUF_COMMITTED);
	peak_expect(INT64_MIN, 0, TBUF_COMMITTED);
	words_expect((uint64_t []){ 1, 0, 0, -1, CLEARED });
	peak_expect(3, 0, TBUF_COMMITTED);
	words_expect((uint64_t []){ 2, 3, CLEARED, -1, CLEARED });
	peak_expect(INT64_MAX, 0, TBUF_COMMITTED);
	words_expect((uint64_t []){ 3, 3, CLEARED, INT64_MAX, CLEARED });
	peak_expect(INT64_MAX, UINT64_MAX, TBUF_COMMITTED);
	words_expect((uint64_t []){ 3, 3, CLEARED, INT64_MAX, CLEARED });
	peak_expect(-5, UINT64_MAX, TBUF_COMMITTED);
	words_expect((uint64_t []){ 4, -5, CLEARED, INT64_MAX, CLEARED });
	/* The first value, and that after a clear(), need the machine. */
	slot.cleared++;
	peak_expect(-6, UINT64_MAX, TBUF_CHANGED);
	slot.cleared--;
	summed()[0] = 0;
	peak_expect(-6, UINT64_MAX, TBUF_CHANGED);
	words_expect((uint64_t []){ 0, -5, CLEARED, INT64_MAX, CLEARED });
}
END_TEST

/* Expects that the finish returns TBUF_CHANGED and stores nothing. */
static void
finish_leaves(struct tbuf_finish f)
{
	const uint64_t was = unit.word;

	ck_assert_int_eq(tbuf_rseq_finish(&memo, &f), TBUF_CHANGED);
	ck_assert_uint_eq(unit.word, was);
	ck_assert_uint_eq(ticks, was);
	ck_assert_uint_eq(unit.total[0].committed, was);
	ck_assert_uint_eq(unit.total[0].discarded, ~(was - 1));
}

START_TEST(a_finish_is_by_one_rule_of_one_unit)
{
	struct tbuf_finish f;

	kind = FINISH;
	begin();
	end();
	while (finish() != TBUF_COMMITTED)
		continue;
	f = finish_make();
	f.guess++;
	finish_leaves(f);
	f = finish_make();
	f.old--;
	finish_leaves(f);
	units.slow = 9;
	f = finish_make();
	f.ticks = 9;
	finish_leaves(f);
	f.ticks--;
	ck_assert(tbuf_unit_is_slow(9, units.slow) &&
	    !tbuf_unit_is_slow(f.ticks, units.slow) &&
	    !tbuf_unit_is_slow(UINT64_MAX, 0));
	units.slow = 0;
	f = finish_make();
	unit.head = tbuf_unit_head(1, RECORDS, 96);
	finish_leaves(f);
	f = finish_make();
	memo.generation++;
	finish_leaves(f);
	ck_assert_uint_eq(sum, unit.total[0].discarded);
}
END_TEST

static void
bind_leaves(struct tbuf_beginning n)
{
	const struct tbuf_unit_entry was = unit;

	ck_assert_int_eq(tbuf_rseq_bind(&memo, &n), TBUF_CHANGED);
	ck_assert_mem_eq(&unit, &was, sizeof(was));
}

START_TEST(a_table_is_bound_to_one_unit)
{
	struct tbuf_beginning n;
	uint64_t was;

	kind = BIND;
	begin();
	end();
	unit.head = 1;
	while (bind_unit() != TBUF_COMMITTED)
		continue;
	was = unit.word - 1;
	ck_assert_uint_eq(unit.head, 0);
	ck_assert_uint_eq(unit.began, was + 2);
	ck_assert_uint_eq(unit.id, was + 3);
	ck_assert_uint_eq(unit.kind, was + 4);
	ck_assert_uint_eq(unit.thread, was + 5);
	ck_assert_uint_eq(unit.inside, 1);
	n = bind_make();
	n.old--;
	bind_leaves(n);
	n = bind_make();
	memo.generation++;
	bind_leaves(n);
}
END_TEST

/* A memo that does not match leaves the total unchanged. */
static void
total_leaves(struct tbuf_memo m, uint64_t bits, uint64_t word)
{
	uint64_t before[TABLE / 8];

	memcpy(before, table, sizeof(table));
	ck_assert_int_eq(tbuf_rseq_total(&m, bits, word, 3), TBUF_CHANGED);
	ck_assert_mem_eq(before, table, sizeof(table));
}

START_TEST(a_total_is_of_one_version_turn_and_cpu)
{
	struct tbuf_memo m;
	uint64_t before;

	begin();
	end();
	before = *counted();
	while (total() != TBUF_COMMITTED)
		memo.cpu = tbuf_rseq_cpu();
	ck_assert_uint_eq(*counted(), before + 3);
	m = total_make();
	total_leaves(m, TOTAL_BITS + 2, WHICH);
	total_leaves(m, TOTAL_BITS, WHICH + 1);
	m.generation++;
	total_leaves(m, TOTAL_BITS, WHICH);
	m = total_make();
	m.cpu += 4096;
	total_leaves(m, TOTAL_BITS, WHICH);
	m = total_make();
	slot.turn++;
	total_leaves(m, TOTAL_BITS, WHICH);
	slot.turn = TURN;
}
END_TEST

/*
 * on_signal() may interrupt any call.  On aarch64 the C library's rules for
 * unwinding its lazy binder lack the two words that a PLT pushes: the
 * caller's frame is read 16 bytes too low, and any word is taken for a return
 * address.  So this program's functions are bound before main() begins.
 */
START_TEST(the_handler_unwinds_no_lazy_binder)
{
	const ElfW(Dyn) *d;
	bool now = false;

	for (d = _DYNAMIC; d->d_tag != DT_NULL; d++)
		now |= d->d_tag == DT_BIND_NOW || (d->d_tag == DT_FLAGS &&
		    (d->d_un.d_val & DF_BIND_NOW) != 0);
	ck_assert(now);
}
END_TEST

int
main(void)
{
	Suite *suite = suite_create("sections");
	TCase *sections = tcase_create("sections");

	if (!tbuf_rseq_ready())
		return (77);
	setvbuf(stdout, NULL, _IOLBF, 0);
	tcase_set_timeout(sections, 120);
	tcase_add_test(sections, the_handler_unwinds_no_lazy_binder);
	tcase_add_loop_test(sections, an_aborted_section_has_done_nothing, 0,
	    KINDS);
	tcase_add_test(sections,
	    what_comes_between_two_sessions_makes_the_time_old);
	tcase_add_test(sections,
	    words_are_written_for_the_session_that_they_were_made_for);
	tcase_add_test(sections, an_update_finds_its_key_and_no_other);
	tcase_add_test(sections,
	    an_update_by_a_tables_memo_finds_its_key_and_no_other);
	tcase_add_test(sections, a_sum_goes_to_the_copy_that_is_not_selected);
	tcase_add_test(sections, a_peak_is_stored_where_a_value_is_beyond_it);
	tcase_add_test(sections, a_finish_is_by_one_rule_of_one_unit);
	tcase_add_test(sections, a_table_is_bound_to_one_unit);
	tcase_add_test(sections, a_total_is_of_one_version_turn_and_cpu);
	suite_add_tcase(suite, sections);
	return (run_suite(suite));
}
