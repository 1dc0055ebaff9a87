/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Handlers fire between two steps of a fire in a work unit; some never return.
 * The records that are kept are those that the selections require.  Handlers
 * are simulated by calls before each load or store.  This program contains the
 * library's objects, to use hidden names.
 */
#include <inttypes.h>
#include <limits.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "arch/rseq_unit.h"
#include "guest/support/guest.h"
#include "target/unit/unit.h"

static void	moment(void);

#undef tbuf_load
#define tbuf_load(p)							\
	(moment(), __atomic_load_n((p), __ATOMIC_RELAXED))
#undef tbuf_store
#define tbuf_store(p, v)						\
	(moment(), __atomic_store_n((p), (v), __ATOMIC_RELAXED))
#define tbuf_rseq_publish(...)						\
	(moment(), (tbuf_rseq_publish)(__VA_ARGS__))

/* keep_in_steps() is tbuf_rseq_keep() for processors without that section. */
#define tbuf_rseq_keep	keep_in_steps
#include "arch/generic/rseq_unit.h"
#undef tbuf_rseq_keep

static bool in_steps;		/* use it in spite of a section */

#ifdef __x86_64__
#define tbuf_rseq_keep(...)						\
	(moment(), in_steps ? keep_in_steps(__VA_ARGS__) :		\
	(tbuf_rseq_keep)(__VA_ARGS__))
#endif

#include "target/unit/unit_cached_write.c"

/* A unit remembers this many sites; the other half collides with them. */
#define SITES		8u
#define SELECTED	0x2u	/* selection on success */
#define MOMENTS		40u	/* upper bound of those of a fire */

static struct tbuf_site sites[2 * SITES];	/* second half: selected */
static unsigned other;		/* site that a handler fires */
static uint64_t due;		/* records that must be selected */

static void
fire_site(unsigned i)
{
	const uint64_t value = i;

	tbuf_probe_fire(&sites[i], &value);
	if (i >= SITES)
		due++;
}

/* Begins a session with unit tables of this size and this unitpolicy. */
static struct tbuf_consumer *
begin_with(const char *size, const char *policy)
{
	const enum tbuf_type type = TBUF_UINT64;
	struct tbuf_consumer *c;
	char name[8];
	unsigned i;

	if (!tbuf_self.rseq)
		guest_skip("there are no sections");
	for (i = 0; i < 2 * SITES; i++) {
		if (sites[i].enabled != NULL)
			continue;
		snprintf(name, sizeof(name), "m%u", i);
		if (i >= SITES)
			tbuf_probe_select(&sites[i], SELECTED);
		GUEST_EXPECT(tbuf_probe_register(&sites[i], "guest", "m", "f",
		    name, 1, &type, NULL) == 0, "no probe");
	}
	c = guest_consumer("switch", "1m");
	GUEST_EXPECT(tbuf_consumer_set(c, "nunits", "4") == 0 &&
	    tbuf_consumer_set(c, "unitsize", size) == 0 &&
	    tbuf_consumer_set(c, "unitpolicy", policy) == 0 &&
	    tbuf_consumer_grab(c, getpid()) == 0, "%s",
	    tbuf_consumer_error(c));
	guest_go(c);
	due = 0;
	return (c);
}

static struct tbuf_consumer *
begin(void)
{
	return (begin_with("64k", "fill"));
}

static void
finish_with(struct tbuf_consumer *c, uint64_t drops, uint64_t overwritten)
{
	struct guest_tally tally = { 0 };

	guest_finish(c, &tally);
	GUEST_EXPECT(tally.records == due && tally.drops == drops &&
	    tally.overwritten == overwritten, "%" PRIu64 " records, %" PRIu64
	    " drops, %" PRIu64 " overwritten, but %" PRIu64 ", %" PRIu64
	    " and %" PRIu64 " are due", tally.records, tally.drops,
	    tally.overwritten, due, drops, overwritten);
}

static void
finish(struct tbuf_consumer *c)
{
	finish_with(c, 0, 0);
}

static jmp_buf out;
static unsigned moments, fire_at, jump_at;	/* UINT_MAX: never */
static bool watching;

static void
moment(void)
{
	unsigned now = moments++;

	if (!watching)
		return;
	watching = false;
	if (now == fire_at)
		fire_site(other);
	if (now == jump_at)
		longjmp(out, 1);
	watching = true;
}

/*
 * Fires `first` in a unit.  At one moment a handler fires `second`; at another
 * it jumps out of the fire.
 */
static void
fire_watched(unsigned first, unsigned second, unsigned at, unsigned over)
{
	uint64_t unit = tbuf_unit_begin("unit", 1);

	other = second;
	fire_at = at;
	jump_at = over;
	moments = 0;
	if (setjmp(out) == 0) {
		watching = true;
		fire_site(first);
	}
	watching = false;
	tbuf_unit_end(unit, 0);
}

/*
 * Each probe's first fire in a session is interrupted by a fire of the same
 * probe.
 */
static void
test_probe_is_met_by_a_handler_first(void)
{
	struct tbuf_consumer *c;
	unsigned at = 0, i;

	while (at < MOMENTS) {
		c = begin();
		for (i = 0; i < SITES; i++)
			fire_watched(i, i, at++, UINT_MAX);
		finish(c);
	}
}

/* A handler's fire changes nothing that is remembered of another probe. */
static void
test_handlers_fire_and_never_return(void)
{
	struct tbuf_consumer *c = begin();
	unsigned at, over, first;

	for (at = 0; at < MOMENTS; at++)
		for (over = at; over < MOMENTS; over++) {
			first = over % SITES;
			fire_watched(first, first + SITES, at, over);
			fire_watched(first + SITES, 0, UINT_MAX, UINT_MAX);
		}
	finish(c);
	GUEST_EXPECT(due > 0 && moments < MOMENTS, "%u moments", moments);
}

/* Sets the rule of successes, which the thread's next unit uses. */
static void
rule_set(uint32_t mask)
{
	const struct tbuf_bound *b = tbuf_units_all[
	    tbuf_thread.unit_last].bound;

	__atomic_store_n(&b->units->rules[0], tbuf_unit_rule(0, mask) ^
	    tbuf_unit_default(0), __ATOMIC_RELAXED);
}

/* A unit reads the rule again rather than use a remembered one. */
static void
test_rule_changes_between_units(void)
{
	struct tbuf_consumer *c = begin();
	unsigned i;

	for (i = 0; i < 3 * SITES; i++) {
		fire_watched(0, 0, UINT_MAX, UINT_MAX);
		if (i % 6 > 2)
			due++;
		rule_set(i % 6 > 1 && i % 6 < 5 ? SELECTED | TBUF_SELECTED :
		    SELECTED);
	}
	finish(c);
}

#define RECORD	32u		/* bytes of a record in a table */
#define FIRES	100u

/* Fires more records in a unit than its table holds. */
static void
fill(void)
{
	uint64_t unit = tbuf_unit_begin("unit", 1);
	unsigned i;

	for (i = 0; i < FIRES; i++)
		fire_site(SITES);
	tbuf_unit_end(unit, 0);
}

static void
test_full_table_refuses(void)
{
	struct tbuf_consumer *c = begin_with("1k", "fill");

	fill();
	due = 1024 / RECORD;
	finish_with(c, FIRES - due, 0);
}

/* A table that wraps overwrites its older half as a whole. */
static void
test_full_table_wraps(void)
{
	struct tbuf_consumer *c = begin_with("1k", "ring");
	unsigned half = 512 / RECORD;

	fill();
	due = half + FIRES % half;
	finish_with(c, 0, FIRES - due);
}

/* A probe's selection is the union of its sites'; one site registers later. */
static void
test_probe_is_selected_between_units(void)
{
	static struct tbuf_site late[2];
	const enum tbuf_type type = TBUF_UINT64;
	const char *name = in_steps ? "steps" : "section";
	struct tbuf_consumer *c;
	uint64_t value = 1, unit;
	unsigned i, k;

	tbuf_probe_select(&late[1], SELECTED);
	GUEST_EXPECT(tbuf_probe_register(&late[0], "guest", "m", "f", name, 1,
	    &type, NULL) == 0, "no probe");
	c = begin();
	for (i = 0; i < 2; i++) {
		for (k = 0; k < 3; k++) {
			unit = tbuf_unit_begin("unit", 1);
			tbuf_probe_fire(&late[0], &value);
			tbuf_unit_end(unit, 0);
			due += i;
		}
		GUEST_EXPECT(i == 1 || tbuf_probe_register(&late[1], "guest",
		    "m", "f", name, 1, &type, NULL) == 0, "no site");
	}
	finish(c);
}

/* Returns the records discarded for the thread's last unit. */
static uint64_t
discarded(void)
{
	const struct tbuf_unit_entry *e = tbuf_units_all[
	    tbuf_thread.unit_last].bound[0].entry;

	return (e->total[tbuf_unit_totals(e->word)].discarded);
}

/*
 * `known` may be larger than head if a handler left the last step of a record
 * forever; the number of records is read from head.
 */
static void
test_end_counts_what_the_table_has(void)
{
	struct tbuf_consumer *c = begin();
	uint64_t unit, i;

	for (i = 0; i < 4; i++) {
		unit = tbuf_unit_begin("unit", 1);
		fire_site(0);
		tbuf_thread.unit->bound[0].way.known[0] += 1u << 24;
		tbuf_unit_end(unit, 0);
		GUEST_EXPECT(discarded() == i + 1, "%" PRIu64 " for %" PRIu64,
		    discarded(), i + 1);
	}
	finish(c);
}

static const struct tbuf_bound *
begin_expect(const char *kind)
{
	const struct tbuf_bound *b;

	tbuf_unit_begin(kind, 1);
	b = &tbuf_thread.unit->bound[0];
	GUEST_EXPECT(strcmp(b->units->kinds[b->kind].name, kind) == 0,
	    "%s is none", kind);
	GUEST_EXPECT(b->entry->thread == tbuf_thread.tid &&
	    b->way.memo.tid == tbuf_thread.tid, "not this thread's");
	GUEST_EXPECT(b->way.selected == 0 && !b->others, "not a new one");
	return (b);
}

static uint64_t
number(void)
{
	return (tbuf_unit_number(tbuf_thread.unit, tbuf_thread.unit->word));
}

/*
 * A unit that differs from the thread's last one in kind, number or sessions
 * begins correctly all the same.
 */
static void
test_unit_that_is_not_as_the_one_before(void)
{
	struct tbuf_consumer *c = begin(), *second = NULL;
	const char *const kinds[] = { "one", "one", "two", "two", "one" };
	uint64_t left;
	unsigned i;

	for (i = 0; i < 5; i++) {
		(void)begin_expect(kinds[i]);
		tbuf_unit_end(number(), 0);
	}
	for (i = 0; i < 3; i++) {
		(void)begin_expect("one");
		left = number();
		tbuf_unit_leave(left);
		(void)begin_expect("one");
		GUEST_EXPECT(number() != left, "begun twice");
		tbuf_unit_end(number(), 0);
		GUEST_EXPECT(tbuf_unit_end(left, 0) == 0, "it is gone");
	}
	for (i = 0; i < 4; i++) {
		if (i == 2)
			second = begin();
		(void)begin_expect("one");
		GUEST_EXPECT(tbuf_thread.unit->nbound == 1 + i / 2,
		    "%" PRIu32 " sessions", tbuf_thread.unit->nbound);
		tbuf_unit_end(number(), 0);
	}
	finish(second);
	finish(c);
}

/* The selections of the last unit's records do not apply to the next unit. */
static void
test_unit_begins_with_no_selection(void)
{
	struct tbuf_consumer *c = begin();
	const char *const kinds[] = { "one", "one", "one", "two", "one" };
	const struct tbuf_bound *b = NULL;
	unsigned i, selected = 0;

	for (i = 0; i < 5; i++) {
		b = begin_expect(kinds[i]);
		fire_site(SITES);
		selected += b->way.selected != 0;
		tbuf_thread.unit->bound[0].others = true;
		tbuf_unit_end(number(), 0);
	}
	GUEST_EXPECT(selected >= 2, "%u of 5", selected);
	finish(c);
}

/* A unit does not begin in a cached table that another unit has taken. */
static void
test_table_that_was_handed_over_is_not_bound_again(void)
{
	struct tbuf_consumer *c = begin();
	struct tbuf_bound to;
	const struct tbuf_bound *b = begin_expect("one");

	to = *b;
	to.cached = false;
	tbuf_unit_end(number(), 0);
	GUEST_EXPECT(b->cached && tbuf_unit_spare(&to) && to.cached,
	    "none kept");
	GUEST_EXPECT(begin_expect("one")->index != to.index, "it is two units'");
	tbuf_unit_end(number(), 0);
	finish(c);
}

/* A unit does not begin in a table that was cached before a fork. */
static void
test_table_of_a_parent_is_not_bound_again(void)
{
	struct tbuf_consumer *c = begin();
	const struct tbuf_bound *b = begin_expect("one");
	uint32_t index = b->index;

	tbuf_unit_end(number(), 0);
	GUEST_EXPECT(b->cached, "it is not kept");
	tbuf_units_forget();
	GUEST_EXPECT(begin_expect("one") == b && b->index != index,
	    "it is the parent's");
	tbuf_unit_end(number(), 0);
	finish(c);
}

static void
test_all_that_without_the_section(void)
{
	in_steps = true;
	test_probe_is_met_by_a_handler_first();
	test_handlers_fire_and_never_return();
	test_full_table_refuses();
	test_full_table_wraps();
	test_probe_is_selected_between_units();
	test_end_counts_what_the_table_has();
}

static const struct guest_case cases[] = {
	{ "probe_is_met_by_a_handler_first",
	    test_probe_is_met_by_a_handler_first, NULL,
	    GUEST_ONCE },
	{ "handlers_fire_and_never_return",
	    test_handlers_fire_and_never_return, NULL,
	    GUEST_ONCE },
	{ "full_table_refuses", test_full_table_refuses, NULL, GUEST_ONCE },
	{ "full_table_wraps", test_full_table_wraps, NULL, GUEST_ONCE },
	{ "probe_is_selected_between_units",
	    test_probe_is_selected_between_units, NULL, GUEST_ONCE },
	{ "end_counts_what_the_table_has", test_end_counts_what_the_table_has,
	    NULL, GUEST_ONCE },
	{ "unit_that_is_not_as_the_one_before",
	    test_unit_that_is_not_as_the_one_before, NULL, GUEST_ONCE },
	{ "unit_begins_with_no_selection", test_unit_begins_with_no_selection,
	    NULL, GUEST_ONCE },
	{ "table_that_was_handed_over_is_not_bound_again",
	    test_table_that_was_handed_over_is_not_bound_again, NULL,
	    GUEST_ONCE },
	{ "table_of_a_parent_is_not_bound_again",
	    test_table_of_a_parent_is_not_bound_again, NULL, GUEST_ONCE },
	{ "all_that_without_the_section", test_all_that_without_the_section,
	    NULL, GUEST_ONCE },
	{ "rule_changes_between_units", test_rule_changes_between_units,
	    NULL, GUEST_ONCE },
	{ NULL, NULL, NULL, 0 }
};

int
main(int argc, char **argv)
{
	guest_main(argc, argv, cases);
}
