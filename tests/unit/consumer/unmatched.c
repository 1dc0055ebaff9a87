/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Limits: probes without an EPID in a session, and probes without room in their
 * target's table, are refused, or reported with their number.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/atomics.h"
#include "fixture.h"
#include "lib/check_main.h"
#include "shared/ecb_chain.h"
#include "shared/memory_limit.h"

#define PROBES		1000u

/* A target with probes, and a consumer with as many enablings. */
struct run {
	struct fake f;
	struct tbuf_consumer *c;
	unsigned enablings;
	struct tbuf_view view;		/* the target's own */
	struct tbuf_backing backing;
};

static void
add_probes(struct run *r, unsigned count)
{
	char name[16];

	while (count-- > 0) {
		snprintf(name, sizeof(name), "p%u", r->f.control->nprobes);
		fake_probe(&r->f, name, 0, NULL);
	}
}

static void
begin(struct run *r, unsigned probes, unsigned enablings)
{
	memset(r, 0, sizeof(*r));
	fake_begin(&r->f);
	add_probes(r, probes);
	r->c = fake_consumer("bufsize=64k");
	for (r->enablings = 1; r->enablings < enablings; r->enablings++)
		ck_assert_int_gt(tbuf_consumer_enable(r->c, "fake:::"), 0);
	fake_grab(&r->f, r->c);
}

static int
back(void *argument, uint64_t offset, uint64_t length)
{
	return (tbuf_back(*(const int *)argument, offset, length));
}

static void
go(struct run *r)
{
	ck_assert_msg(tbuf_consumer_go(r->c) == 0, "%s",
	    tbuf_consumer_error(r->c));
	fake_map(&r->f);
	r->view = (struct tbuf_view){ r->f.file, r->f.size, r->f.tables };
	r->backing = (struct tbuf_backing){ .back = back,
	    .argument = &r->f.fd };
}

static void
end(struct run *r)
{
	tbuf_consumer_close(r->c);
	fake_end(&r->f);
}

/* Matches a probe as its target does at registration. */
static unsigned
meet(struct run *r, uint32_t probe)
{
	struct tbuf_names_copy copy = { .offsets = { 0 } };

	ck_assert(tbuf_view_names(&r->view, probe, &copy));
	return (tbuf_match(&r->view, 0, probe, &copy.names, r->c->patterns,
	    r->c->patterns_size, r->c->npatterns, &r->backing));
}

/* Returns one enabling more than there are EPIDs for. */
static unsigned
too_many(void)
{
	return (TBUF_ECBS_MAX / PROBES + 1);
}

START_TEST(more_than_a_session_holds_is_refused)
{
	char expected[160];
	struct run r;

	begin(&r, PROBES, too_many());
	ck_assert_int_eq(tbuf_consumer_go(r.c), -E2BIG);
	snprintf(expected, sizeof(expected), "could not enable tracing: pid "
	    "%d has %u probes to enable, a session holds %u", (int)r.f.pid,
	    PROBES * too_many(), TBUF_ECBS_MAX - 1);
	ck_assert_str_eq(tbuf_consumer_error(r.c), expected);
	ck_assert_uint_eq(r.f.control->state[0], TBUF_FREE);
	ck_assert_uint_eq(r.f.control->end, r.f.tables.areas);
	end(&r);
}
END_TEST

/* A target that was not named is skipped and reported; others go on. */
START_TEST(more_than_a_session_holds_is_left_out)
{
	struct tbuf_target *t;
	struct run r;

	begin(&r, PROBES, too_many());
	t = TAILQ_FIRST(&r.c->targets);
	t->named_by_user = false;
	ck_assert_int_eq(tbuf_consumer_go(r.c), 0);
	ck_assert_int_eq(tbuf_consumer_skipped(r.c), -E2BIG);
	ck_assert(TAILQ_EMPTY(&r.c->targets));
	end(&r);
}
END_TEST

/* A target that lacks a feature is refused, or skipped. */
START_TEST(target_that_lacks_what_is_needed)
{
	char expected[128];
	struct run r;

	begin(&r, 1, 1);
	r.f.control->flags = TBUF_F_RSEQ;
	r.c->needs = TBUF_F_RSEQ | (_i < 2 ? TBUF_F_THREAD_LANE : 0);
	TAILQ_FIRST(&r.c->targets)->named_by_user = _i != 1;
	ck_assert_int_eq(tbuf_consumer_go(r.c), _i == 0 ? -EPROTO : 0);
	ck_assert_int_eq(tbuf_consumer_skipped(r.c), _i == 1 ? -EPROTO : 0);
	ck_assert_uint_eq(r.f.control->state[0],
	    _i == 2 ? TBUF_ACTIVE : TBUF_FREE);
	snprintf(expected, sizeof(expected), "failed to grab pid %d: "
	    "libtbuf %u.%u without thread lanes, tbufctl %u.%u", (int)r.f.pid,
	    TBUF_MAJOR, TBUF_MINOR, TBUF_MAJOR, TBUF_MINOR);
	ck_assert_str_eq(tbuf_consumer_error(r.c), _i == 0 ? expected : "");
	end(&r);
}
END_TEST

/* Each feature is tested with a target that has all others. */
START_TEST(what_a_target_lacks_is_told)
{
	static const struct {
		uint32_t flags, needs;
		const char *lacks;
	} cases[] = {
		{ ~TBUF_F_THREAD_LANE, TBUF_F_THREAD_LANE, "thread lanes" },
		{ ~TBUF_F_SELECTION, TBUF_F_SELECTION, "selection" },
		{ ~TBUF_F_COPYIN, TBUF_F_COPYIN, "copyin" },
		{ ~TBUF_F_VARIABLES, TBUF_F_VARIABLES,
		    "variables of threads and arrays" },
		{ ~TBUF_F_RSEQ, TBUF_F_RSEQ, "restartable sequences" },
		{ ~UINT32_C(0x20), 0x20, "a required feature" },
		{ 0, UINT32_MAX, "the machine's instructions" },
		{ UINT32_MAX >> 8, TBUF_F_MACHINE(1),
		    "the machine's instructions" },
		/* The machine's version is a number, not bits. */
		{ TBUF_F_MACHINE(4), TBUF_F_MACHINE(4), NULL },
		{ TBUF_F_MACHINE(4), TBUF_F_MACHINE(3), NULL },
		{ TBUF_F_MACHINE(3), TBUF_F_MACHINE(4),
		    "the machine's instructions" },
		{ TBUF_F_MACHINE(3) | TBUF_F_THREAD_LANE,
		    TBUF_F_MACHINE(2) | TBUF_F_THREAD_LANE | TBUF_F_COPYIN,
		    "copyin" }
	};
	const char *lacks = cases[_i].lacks == NULL ? "" : cases[_i].lacks;
	char expected[128];
	struct run r;

	begin(&r, 1, 1);
	r.f.control->flags = cases[_i].flags;
	r.c->needs = cases[_i].needs;
	ck_assert_int_eq(tbuf_consumer_go(r.c),
	    *lacks != '\0' ? -EPROTO : 0);
	snprintf(expected, sizeof(expected), "failed to grab pid %d: "
	    "libtbuf %u.%u without %s, tbufctl %u.%u", (int)r.f.pid,
	    TBUF_MAJOR, TBUF_MINOR, lacks, TBUF_MAJOR, TBUF_MINOR);
	ck_assert_str_eq(tbuf_consumer_error(r.c),
	    *lacks != '\0' ? expected : "");
	end(&r);
}
END_TEST

START_TEST(all_that_a_session_holds_is_enabled)
{
	struct tally t;
	struct run r;

	begin(&r, PROBES, too_many() - 1);
	go(&r);
	ck_assert_uint_eq(fake_slot(&r.f)->necbs,
	    PROBES * (too_many() - 1) + 1);
	fake_drain(r.c, TBUF_DRAIN_STATUS, &t);
	ck_assert_uint_eq(t.unmet, 0);
	end(&r);
}
END_TEST

/* The last probes register after some enablings have run out of EPIDs. */
START_TEST(probes_that_come_too_late_are_counted)
{
	unsigned enablings = too_many() - 1, i;
	unsigned unmet, met = 0, late = PROBES / enablings + 1;
	struct tally t;
	struct run r;

	begin(&r, PROBES, enablings);
	go(&r);
	add_probes(&r, late);
	for (i = PROBES; i < PROBES + late; i++)
		met += meet(&r, i);
	ck_assert_uint_eq(PROBES * enablings + met, TBUF_ECBS_MAX - 1);
	unmet = late * enablings - met;
	/* Both sides match the probe, but it counts once. */
	meet(&r, PROBES + late - 1);
	/* A registration is under way, so the count is not final. */
	r.f.control->registering = 1;
	fake_drain(r.c, TBUF_DRAIN_STATUS, &t);
	ck_assert_uint_eq(t.unmet, 0);
	r.f.control->registering = 0;
	fake_drain(r.c, TBUF_DRAIN_SWITCH, &t);
	ck_assert_uint_eq(t.unmet, 0);
	fake_drain(r.c, TBUF_DRAIN_STATUS, &t);
	ck_assert_uint_eq(t.unmet, unmet);
	fake_drain(r.c, TBUF_DRAIN_STATUS, &t);
	ck_assert_uint_eq(t.unmet, 0);
	add_probes(&r, 1);
	ck_assert_uint_eq(meet(&r, PROBES + late), 0);
	fake_drain(r.c, TBUF_DRAIN_LAST, &t);
	ck_assert_uint_eq(t.unmet, enablings);
	end(&r);
}
END_TEST

/*
 * A target with the probes of the last one has the choice of descriptions that
 * was made then: hundreds of children have ten thousands of probes each.
 */
START_TEST(descriptions_choose_equal_probes_once)
{
	struct tally t;
	struct run r;

	begin(&r, 3, 2);
	go(&r);
	add_probes(&r, 2);
	fake_slot(&r.f)->unmet = 1;
	fake_drain(r.c, TBUF_DRAIN_STATUS, &t);
	ck_assert_uint_eq(t.unmet, 2 * 2);
	ck_assert_uint_eq(r.c->choice.bits[0], 0x1f);
	/* The bits that were kept are those that count. */
	TAILQ_FIRST(&r.c->targets)->unmet = 0;
	r.c->choice.bits[0] = 0xf;
	fake_slot(&r.f)->unmet = 2;
	fake_drain(r.c, TBUF_DRAIN_STATUS, &t);
	ck_assert_uint_eq(t.unmet, 2 * 2 - 1);
	/* One more probe makes another choice. */
	TAILQ_FIRST(&r.c->targets)->unmet = 0;
	add_probes(&r, 1);
	fake_slot(&r.f)->unmet = 3;
	fake_drain(r.c, TBUF_DRAIN_STATUS, &t);
	ck_assert_uint_eq(t.unmet, 2 * 3);
	end(&r);
}
END_TEST

static unsigned pages_left;	/* pages with storage */

static int
back_some(void *argument, uint64_t offset, uint64_t length)
{
	return (pages_left-- == 0 ? -ENOSPC : back(argument, offset, length));
}

/*
 * A probe without storage for its head's or its ECB's page stays disabled, as a
 * fire would touch a hole; and it is counted.
 */
START_TEST(probe_without_storage_is_not_enabled)
{
	struct run r;
	uint32_t probe;

	begin(&r, 1, 1);
	go(&r);
	add_probes(&r, 1);
	probe = r.f.control->nprobes - 1;
	pages_left = (unsigned)_i;
	r.backing.back = back_some;
	ck_assert_uint_eq(meet(&r, probe), 0);
	ck_assert_uint_eq(*tbuf_view_enable(&r.view, probe), 0);
	ck_assert_uint_eq(fake_slot(&r.f)->unmet, 1);
	pages_left = 2;
	ck_assert_uint_eq(meet(&r, probe), 1);
	ck_assert_uint_eq(*tbuf_view_enable(&r.view, probe), 1);
	end(&r);
}
END_TEST

/*
 * inv.alias: an alias has no ECB if its elder has one, and is not missed.  One
 * with an elder that cannot be is a probe like others.
 */
START_TEST(an_alias_of_an_enabled_probe_is_not_missed)
{
	static const uint32_t aliases[] = { 0, 1, 2, 0, 5, 6, UINT32_MAX };
	unsigned n = sizeof(aliases) / sizeof(aliases[0]), i;
	struct tbuf_view v;
	struct tally t;
	struct run r;

	begin(&r, n, 1);
	v = (struct tbuf_view){ (unsigned char *)r.f.control,
	    r.f.tables.areas, r.f.tables };
	for (i = 0; i < n; i++)
		tbuf_view_probe(&v, i)->alias = aliases[i];
	go(&r);
	ck_assert_uint_eq(fake_slot(&r.f)->necbs, 1 + 5);
	ck_assert_int_eq(tbuf_consumer_matched(r.c, 0), 5);
	for (i = 0; i < n; i++)
		ck_assert_uint_eq(meet(&r, i), i != 1 && i != 2);
	fake_slot(&r.f)->unmet = 1;
	fake_drain(r.c, TBUF_DRAIN_STATUS, &t);
	ck_assert_uint_eq(t.unmet, 0);
	end(&r);
}
END_TEST

/* One chain is a circle, another leads out of the table. */
START_TEST(garbage_in_chains_is_survived)
{
	struct tbuf_ecb *ecbs;
	struct tally t;
	uint32_t *heads;
	struct run r;

	begin(&r, 2, 3);
	go(&r);
	ecbs = (struct tbuf_ecb *)(void *)(r.f.file + fake_slot(&r.f)->ecbs);
	ecbs[1].enabling = ecbs[2].enabling = 0;
	ecbs[1].next = 2;
	ecbs[2].next = 1;
	heads = (uint32_t *)(void *)(r.f.file + fake_slot(&r.f)->heads);
	heads[0] = 1;
	heads[1] = TBUF_HEAD_EPID;
	fake_slot(&r.f)->unmet = 1;
	fake_drain(r.c, TBUF_DRAIN_STATUS, &t);
	ck_assert_uint_eq(t.unmet, 2 + 3);
	end(&r);
}
END_TEST

/*
 * A chain has no enabling twice, which bounds the walk.  A chain as long as the
 * table, at each of 65,536 probes, would take minutes.
 */
START_TEST(no_more_of_a_chain_is_walked_than_there_are_enablings)
{
	struct tbuf_ecb *ecbs;
	uint32_t *heads, i;
	struct run r;

	begin(&r, 1, 2);
	go(&r);
	ecbs = (struct tbuf_ecb *)(void *)(r.f.file + fake_slot(&r.f)->ecbs);
	heads = (uint32_t *)(void *)(r.f.file + fake_slot(&r.f)->heads);
	for (i = 1; i <= 4; i++) {
		ecbs[i].enabling = 0;
		ecbs[i].next = (uint16_t)(i < 4 ? i + 1 : 0);
	}
	heads[0] = 1 | TBUF_HEAD_MORE;
	fake_slot(&r.f)->necbs = 5;
	ck_assert_uint_eq(meet(&r, 0), 1);
	ck_assert_uint_eq(fake_slot(&r.f)->necbs, 5);
	end(&r);
}
END_TEST

START_TEST(lost_probes_are_told_once)
{
	uint64_t count;
	struct tally t;
	struct run r;
	pid_t pid;

	begin(&r, 1, 1);
	ck_assert(!tbuf_consumer_lost(r.c, &pid, &count));
	r.f.control->lost_probes = 7;
	ck_assert(tbuf_consumer_lost(r.c, &pid, &count));
	ck_assert_int_eq(pid, r.f.pid);
	ck_assert_uint_eq(count, 7);
	ck_assert(!tbuf_consumer_lost(r.c, &pid, &count));
	go(&r);
	fake_drain(r.c, TBUF_DRAIN_STATUS, &t);
	ck_assert_uint_eq(t.lost, 0);
	r.f.control->lost_probes = 10;
	fake_drain(r.c, TBUF_DRAIN_STATUS, &t);
	ck_assert_uint_eq(t.lost, 3);
	r.f.control->lost_probes = 11;
	fake_drain(r.c, TBUF_DRAIN_LAST, &t);
	ck_assert_uint_eq(t.lost, 1);
	end(&r);
}
END_TEST

/* A target that registers probes does not hold up other events. */
START_TEST(lost_probes_are_told_once_a_drain)
{
	struct tbuf_event event;
	unsigned events = 0;
	struct tally t;
	struct run r;

	begin(&r, 1, 1);
	go(&r);
	r.f.control->lost_probes = 1;
	ck_assert_int_eq(tbuf_drain_begin(r.c, TBUF_DRAIN_STATUS), 0);
	while (tbuf_consumer_next(r.c, &event) == 1) {
		ck_assert_int_eq(event.type, TBUF_EVENT_LOST);
		ck_assert_uint_eq(event.count, 1);
		r.f.control->lost_probes++;
		ck_assert_uint_lt(events++, 1);
	}
	ck_assert_uint_eq(events, 1);
	fake_drain(r.c, TBUF_DRAIN_STATUS, &t);
	ck_assert_uint_eq(t.lost, 1);
	end(&r);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("limits");
	TCase *t = tcase_create("limits");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, more_than_a_session_holds_is_refused);
	tcase_add_test(t, more_than_a_session_holds_is_left_out);
	tcase_add_loop_test(t, what_a_target_lacks_is_told, 0, 12);
	tcase_add_loop_test(t, target_that_lacks_what_is_needed, 0, 3);
	tcase_add_test(t, all_that_a_session_holds_is_enabled);
	tcase_add_test(t, descriptions_choose_equal_probes_once);
	tcase_add_test(t, probes_that_come_too_late_are_counted);
	tcase_add_loop_test(t, probe_without_storage_is_not_enabled, 0, 2);
	tcase_add_test(t, an_alias_of_an_enabled_probe_is_not_missed);
	tcase_add_test(t, garbage_in_chains_is_survived);
	tcase_add_test(t,
	    no_more_of_a_chain_is_walked_than_there_are_enablings);
	tcase_add_test(t, lost_probes_are_told_once);
	tcase_add_test(t, lost_probes_are_told_once_a_drain);
	suite_add_tcase(s, t);
	return (run_suite(s));
}
