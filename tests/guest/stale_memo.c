/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A thread has the memo of a session that has ended, and another session has
 * its slot.  If that session's predicates are false, a flat section is not
 * tried at each fire.  If it records, it is remembered soon, even where the
 * CPU's memo is valid.  Of two sessions, the one that traces the fired probe is
 * remembered.  A unit looks for tables only in sessions that have them.  This
 * program contains the library's objects, to use hidden names.
 */
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "arch/rseq_unit.h"
#include "guest/support/guest.h"
#include "lib/machine_word.h"
#include "machine/program.h"
#include "target/clause/plan.h"
#include "target/fire/fire.h"
#include "target/lane/pack_fixed.h"
#include "target/lane/pack_string.h"
#include "target/unit/unit.h"

static unsigned flats;		/* flat sections that were tried */

/*
 * Moments of a fire: before the thread's memo is checked, and before the
 * compare-and-swap that marks it.
 */
#define MOMENTS	2
static void (*moment_action)(void);
static unsigned moments;

static void
moment(void)
{
	if (moment_action != NULL)
		moment_action();
}

/* Counts a fire outside of the memo's stretch once: EXTEND follows. */
static enum tbuf_outcome
count_flat(enum tbuf_outcome outcome)
{
	flats += outcome != TBUF_NO_ROOM;
	return (outcome);
}

#define tbuf_rseq_flat_2(site, values) \
	count_flat((tbuf_rseq_flat_2)(site, values))
#define tbuf_rseq_extend(site, values, size, slot, generation) \
	(flats++, (tbuf_rseq_extend)(site, values, size, slot, generation))
#define tbuf_memo_valid(m) (moment(), (tbuf_memo_valid)(m))
#undef tbuf_cas
#define tbuf_cas(word, old, new) (moment(), __atomic_compare_exchange_n(word, \
	&(uint64_t){ old }, new, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
#include "target/fire/fire.c"

#define FIRES	1000u		/* a few may be preempted */

static struct guest_page page;

static void
begin(void)
{
	cpu_set_t one;

	if (!tbuf_self.rseq || tbuf_local->cpus == 0)
		guest_skip("there are no memos of CPUs");
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	GUEST_EXPECT(sched_setaffinity(0, sizeof(one), &one) == 0, "no CPU");
	memset(&page, 0, sizeof(page));
}

static void
fire_numbers(void)
{
	TBUF_PROBE(guest, numbers, page.before, page.after);
	page.after++;
}

static void
fire_a_text(void)
{
	const char *text = "a text";

	TBUF_PROBE(guest, text, page.before, text);
	page.after++;
}

static void (*fire_one)(void) = fire_numbers;

/* Ends a session and accounts for its fires. */
static void
end(struct tbuf_consumer *c, uint64_t fires)
{
	struct guest_tally tally = { 0 };

	guest_finish(c, &tally);
	guest_account(&tally, fires);
	page.after = 0;
}

/*
 * Begins a session with a clause that records if the first argument is WANTED.
 */
#define WANTED	UINT64_MAX
static struct tbuf_consumer *
begin_clause(void)
{
	static const uint64_t code[] = {
		W(JALEI, 0, 1, 0, -1), W(END, 0, 0, 0, 0),
		W(PUTA, 0, 0, 0, 0), W(EMIT, 0, 0, 0, 0)
	};
	static const struct tbuf_d_piece piece = {
		.kind = TBUF_PIECE_INTEGER, .bytes = 8
	};
	static const struct tbuf_d_record record = {
		.pieces = &piece, .npieces = 1, .bytes = 8, .charge = 8
	};
	static const struct tbuf_d_program program = {
		.code = code, .length = sizeof(code) / sizeof(code[0])
	};
	static const char *const description = "guest:::";
	static const struct tbuf_d_clause clause = {
		.descriptions = &description, .ndescriptions = 1,
		.programs = &program, .nprograms = 1, .records = &record,
		.nrecords = 1
	};
	static const struct tbuf_d_script script = {
		.clauses = &clause, .nclauses = 1
	};
	struct tbuf_consumer *c = tbuf_consumer_new();

	GUEST_EXPECT(c != NULL && tbuf_consumer_script(c, &script) == 0 &&
	    tbuf_consumer_grab(c, getpid()) == 0, "no session");
	guest_go(c);
	return (c);
}

static bool
remembers(const struct tbuf_memo *m, uint64_t kind)
{
	return (m->bits != TBUF_MEMO_NONE && m->bits >> 32 == kind >> 32 &&
	    tbuf_memo_valid(m));
}

/* Fires until the thread has a memo of this kind: 0 or TBUF_MEMO_CLAUSES. */
static void
fire_until_remembered(uint64_t kind)
{
	unsigned i;

	for (i = 0; i < FIRES && !remembers(&tbuf_thread.memo, kind); i++)
		fire_one();
	GUEST_EXPECT(remembers(&tbuf_thread.memo, kind),
	    "not remembered: bits %#" PRIx64, tbuf_thread.memo.bits);
}

/* Makes the thread remember a session, and ends that session. */
static void
remember_plain(void)
{
	struct tbuf_consumer *c = guest_begin("ring", "64k");

	fire_until_remembered(0);
	end(c, page.after);
}

static void
remember_clause(void)
{
	struct tbuf_consumer *c = begin_clause();

	page.before = WANTED;
	fire_until_remembered(TBUF_MEMO_CLAUSES);
	page.before = 0;
	end(c, page.after);
}

static void
test_false_predicate_tries_no_flat_section_after_another_session(void)
{
	struct tbuf_consumer *c;
	unsigned i;

	begin();
	remember_plain();
	c = begin_clause();
	flats = 0;
	for (i = 0; i < FIRES; i++)
		fire_numbers();
	GUEST_EXPECT(flats == 1, "%u flat sections tried", flats);
	/* The session is remembered as soon as it records. */
	page.after = 0;
	page.before = WANTED;
	fire_until_remembered(TBUF_MEMO_CLAUSES);
	page.before = 0;
	end(c, page.after);
}

static bool
cpu_remembers(void)
{
	const struct tbuf_memo *m = tbuf_memo_of(tbuf_local, tbuf_rseq_cpu(),
	    0);
	unsigned i;

	for (i = 0; i < TBUF_NSESSIONS; i++)
		if (tbuf_memo_among(m, i)->slot != NULL &&
		    remembers(tbuf_memo_among(m, i), 0))
			return (true);
	return (false);
}

static void *
fire_there(void *cookie)
{
	unsigned i;

	(void)cookie;
	for (i = 0; i < FIRES && !cpu_remembers(); i++)
		fire_one();
	return (NULL);
}

/* Another thread has put the session into the CPU's memo before. */
static void
expect_remembered(void)
{
	struct tbuf_consumer *c = guest_begin("ring", "64k");
	pthread_t thread;

	GUEST_EXPECT(pthread_create(&thread, NULL, fire_there, NULL) == 0,
	    "no thread");
	pthread_join(thread, NULL);
	fire_until_remembered(0);
	end(c, page.after);
}

/* One of two sessions ends, the one that the thread remembers. */
static void
expect_other_remembered(void)
{
	struct tbuf_consumer *first = guest_begin("ring", "64k"), *second;
	unsigned i;

	fire_until_remembered(0);
	second = guest_begin("ring", "64k");
	for (i = 0; i < FIRES; i++)
		fire_one();
	end(first, page.after);
	page.after = FIRES;
	fire_until_remembered(0);
	end(second, page.after);
}

static void
test_session_is_remembered_where_the_cpu_has_its_memo(void)
{
	static void (*const fires[])(void) = { fire_numbers, fire_a_text };
	unsigned i;

	begin();
	for (i = 0; i < 2; i++) {
		fire_one = fires[i];
		remember_plain();
		expect_remembered();
		remember_clause();
		expect_remembered();
		expect_other_remembered();
	}
}

static struct tbuf_consumer *
begin_at(const char *description)
{
	struct tbuf_consumer *c = tbuf_consumer_new();

	GUEST_EXPECT(c != NULL && tbuf_consumer_set(c, "bufpolicy", "ring") ==
	    0 && tbuf_consumer_enable(c, description) >= 0 &&
	    tbuf_consumer_grab(c, getpid()) == 0, "no session");
	guest_go(c);
	return (c);
}

/*
 * Fires until the thread remembers another session.  Few fires use the CPU's
 * memo until then, and none is lost.
 */
static void
expect_own(void (*fire)(void), uint64_t generation, uint64_t *fired)
{
	unsigned i;

	fire_one = fire;
	page.after = 0;
	for (i = 0; i < FIRES && (tbuf_thread.memo.generation == generation ||
	    !remembers(&tbuf_thread.memo, 0)); i++)
		fire_one();
	GUEST_EXPECT(i > 1 && i <= 2 * TBUF_ELSEWHERE,
	    "remembered after %u fires", i);
	*fired += page.after;
}

static void
test_thread_remembers_the_session_that_it_fires_for(void)
{
	struct tbuf_consumer *numbers, *text;
	uint64_t fired[2] = { 0 }, first;
	unsigned i;

	begin();
	numbers = begin_at("guest:::numbers");
	text = begin_at("guest:::text");
	fire_one = fire_numbers;
	fire_until_remembered(0);
	first = tbuf_thread.memo.generation;
	fired[0] = page.after;
	expect_own(fire_a_text, first, &fired[1]);
	first = tbuf_thread.memo.generation;
	expect_own(fire_numbers, first, &fired[0]);
	flats = 0;
	for (i = 0; i < FIRES; i++)
		fire_numbers();
	GUEST_EXPECT(flats == FIRES, "%u flat sections", flats);
	end(numbers, fired[0] + FIRES);
	end(text, fired[1]);
}

/* ------------------------------------------------------------ units */

static uint32_t
units_told(void)
{
	const struct tbuf_control *control =
	    (const struct tbuf_control *)(uintptr_t)tbuf_local->base;

	return (tbuf_load(&control->units));
}

/* The sessions use the same slot; only the second one has tables. */
static void
test_units_know_where_no_session_has_tables(void)
{
	struct tbuf_consumer *c;
	uint64_t unit;
	unsigned i;

	memset(&page, 0, sizeof(page));
	for (i = 0; i < 3; i++) {
		c = tbuf_consumer_new();
		GUEST_EXPECT(c != NULL && (i != 1 || tbuf_consumer_set(c,
		    "nunits", "4") == 0) && tbuf_consumer_enable(c,
		    "guest:::numbers") >= 0 &&
		    tbuf_consumer_grab(c, getpid()) == 0, "no session");
		guest_go(c);
		GUEST_EXPECT((units_told() != 0) == (i == 1), "slots: %x",
		    units_told());
		unit = tbuf_unit_begin("unit", i);
		GUEST_EXPECT((unit != 0) == (i == 1), "a unit");
		GUEST_EXPECT(tbuf_unit_end(unit, 0) == 0, "its end");
		end(c, 0);
	}
}

/* ------------------------------------------------------------ handlers */

static struct tbuf_consumer *plain, *clause;
static unsigned moment_of;

/*
 * Ends the session with the clause; a new session that records takes its slot
 * and the thread's memo.
 */
static void
replace(void)
{
	uint64_t fires = page.after;

	if (moments++ != moment_of)
		return;
	moment_action = NULL;
	end(clause, 0);
	page.after = fires;
	plain = guest_begin("ring", "64k");
	fire_until_remembered(0);
}

/* The interrupted fire may be recorded by the new session or not. */
static void
end_plain(void)
{
	struct guest_tally tally = { 0 };

	fire_until_remembered(0);
	guest_finish(plain, &tally);
	GUEST_EXPECT(tally.drops + tally.overwritten == 0 &&
	    (tally.records == page.after || tally.records + 1 == page.after),
	    "moment %u: fired %" PRIu64 ", %" PRIu64 " records", moment_of,
	    page.after, tally.records);
	page.after = 0;
}

static void
test_session_that_begins_amid_the_mark_loses_no_record(void)
{
	begin();
	for (moment_of = 0; moment_of < MOMENTS; moment_of++) {
		remember_plain();
		clause = begin_clause();
		moments = 0;
		moment_action = replace;
		fire_numbers();
		GUEST_EXPECT(moments == moment_of + 1, "%u moments", moments);
		end_plain();
	}
}

static const struct guest_case cases[] = {
	{ "false_predicate_tries_no_flat_section_after_another_session",
	    test_false_predicate_tries_no_flat_section_after_another_session,
	    NULL, GUEST_PLAIN },
	{ "session_is_remembered_where_the_cpu_has_its_memo",
	    test_session_is_remembered_where_the_cpu_has_its_memo, NULL,
	    GUEST_PLAIN },
	{ "thread_remembers_the_session_that_it_fires_for",
	    test_thread_remembers_the_session_that_it_fires_for, NULL,
	    GUEST_PLAIN },
	{ "units_know_where_no_session_has_tables",
	    test_units_know_where_no_session_has_tables, NULL,
	    GUEST_PLAIN },
	{ "session_that_begins_amid_the_mark_loses_no_record",
	    test_session_that_begins_amid_the_mark_loses_no_record, NULL,
	    GUEST_PLAIN },
	{ NULL, NULL, NULL, 0 }
};

int
main(int argc, char **argv)
{
	guest_main(argc, argv, cases);
}
