/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Options, and the arithmetic of a session's layout.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"
#include "lib/check_main.h"

#define COUNT(table)	((int)(sizeof(table) / sizeof((table)[0])))

#define BAD	UINT64_MAX

static const struct {
	const char *text;
	uint64_t value;			/* or BAD */
} sizes[] = {
	{ "0", 0 }, { "1", 1 }, { "16", 16 }, { "0x10", 16 }, { "010", 8 },
	{ "2k", 2048 }, { "2K", 2048 }, { "3m", 3 << 20 }, { "4M", 4 << 20 },
	{ "1g", UINT64_C(1) << 30 }, { "2T", UINT64_C(2) << 40 },
	{ "18446744073709551614", UINT64_MAX - 1 },
	{ "", BAD }, { "k", BAD }, { "-1", BAD }, { "+1", BAD }, { " 1", BAD },
	{ "1 ", BAD }, { "1kb", BAD }, { "1kk", BAD }, { "1.5m", BAD },
	{ "4p", BAD }, { "08", BAD }, { "18446744073709551616", BAD },
	{ "16777216t", BAD }, { "0x", BAD },
}, rates[] = {
	{ "1", 1000000000 }, { "4", 250000000 }, { "4hz", 250000000 },
	{ "1000HZ", 1000000 }, { "3hz", 333333333 }, { "2000000000hz", 1 },
	{ "5ns", 5 }, { "5nsec", 5 }, { "7us", 7000 }, { "7USEC", 7000 },
	{ "10ms", 10000000 }, { "10msec", 10000000 },
	{ "2s", UINT64_C(2000000000) }, { "2sec", UINT64_C(2000000000) },
	{ "1m", UINT64_C(60000000000) }, { "1min", UINT64_C(60000000000) },
	{ "1h", UINT64_C(3600000000000) },
	{ "1hour", UINT64_C(3600000000000) },
	{ "1d", UINT64_C(86400000000000) },
	{ "1day", UINT64_C(86400000000000) },
	{ "0", BAD }, { "0hz", BAD }, { "0ms", BAD }, { "-1hz", BAD },
	{ "1 hz", BAD }, { "hz", BAD }, { "", BAD }, { "1days", BAD },
	{ "1x", BAD }, { "999999999999d", BAD },
};

START_TEST(size_is_parsed)
{
	uint64_t value = BAD;
	int r = tbuf_parse_size(sizes[_i].text, &value);

	ck_assert_msg(r == (sizes[_i].value == BAD ? -EINVAL : 0),
	    "'%s': %d", sizes[_i].text, r);
	ck_assert_msg(r != 0 || value == sizes[_i].value, "'%s': %lu",
	    sizes[_i].text, (unsigned long)value);
}
END_TEST

START_TEST(rate_is_parsed)
{
	uint64_t value = BAD;
	int r = tbuf_parse_rate(rates[_i].text, &value);

	ck_assert_msg(r == (rates[_i].value == BAD ? -EINVAL : 0),
	    "'%s': %d", rates[_i].text, r);
	ck_assert_msg(r != 0 || value == rates[_i].value, "'%s': %lu",
	    rates[_i].text, (unsigned long)value);
}
END_TEST

/* The results of setting options: an error, or the effective value. */
static const struct {
	const char *name, *value;
	int error;
	int64_t result;
} settings[] = {
	{ "bufsize", "2k", 0, 2048 }, { "bufsize", "20", 0, 16 },
	{ "bufsize", NULL, 0, 0 }, { "bufsize", "", -EINVAL, 0 },
	{ "bufsize", "0", -EINVAL, 0 }, { "bufsize", "0k", -EINVAL, 0 },
	{ "bufsize", "7", 0, 0 },
	{ "bufsize", "-4k", -EINVAL, 0 }, { "bufsize", "4x", -EINVAL, 0 },
	{ "bufsize", "256g", 0, INT64_C(256) << 30 },
	{ "bufpolicy", "switch", 0, 0 }, { "bufpolicy", "fill", 0, 1 },
	{ "bufpolicy", "ring", 0, 2 }, { "bufpolicy", "Ring", -EINVAL, 0 },
	{ "bufpolicy", "circular", -EINVAL, 0 },
	{ "bufpolicy", NULL, -EINVAL, 0 },
	{ "bufresize", "auto", 0, 0 }, { "bufresize", "manual", 0, 1 },
	{ "bufresize", "off", -EINVAL, 0 },
	{ "switchrate", "1000hz", 0, 1000000 },
	{ "switchrate", "10sec", 0, INT64_C(10000000000) },
	{ "switchrate", NULL, -EINVAL, 0 }, { "switchrate", "x", -EINVAL, 0 },
	{ "statusrate", "100ms", 0, 100000000 },
	{ "statusrate", "1min", 0, INT64_C(10000000000) },
	{ "strsize", "64", 0, 64 }, { "strsize", "70", 0, 70 },
	{ "strsize", "1m", 0, 1048576 }, { "strsize", "4", 0, 4 },
	{ "strsize", "2", 0, 2 }, { "strsize", "1", -EINVAL, 0 },
	{ "strsize", "0", -EINVAL, 0 }, { "strsize", NULL, -EINVAL, 0 },
	{ "strsize", "32767", 0, 32767 },
	{ "cpu", "0", 0, 0 }, { "cpu", "1000000", -EINVAL, 0 },
	{ "cpu", "-1", -EINVAL, 0 }, { "cpu", "x", -EINVAL, 0 },
	{ "cpu", "0x", -EINVAL, 0 }, { "cpu", "1023", -EINVAL, 0 },
	{ "temporal", NULL, 0, 1 }, { "temporal", "yes", 0, 1 },
	{ "temporal", "set", 0, 1 }, { "temporal", "enabled", 0, 1 },
	{ "temporal", "off", 0, 0 }, { "temporal", "unset", 0, 0 },
	{ "temporal", "false", 0, 0 }, { "temporal", "maybe", -EINVAL, 0 },
	{ "follow", "true", 0, 1 }, { "follow", "no", 0, 0 },
	{ "aggsize", "1m", 0, 1 << 20 }, { "aggsize", "x", -EINVAL, 0 },
	{ "aggrate", "10hz", 0, 100000000 }, { "aggrate", "x", -EINVAL, 0 },
	{ "aggrate", "0", 0, 0 }, { "aggrate", NULL, -EINVAL, 0 },
	{ "aggsortkey", NULL, 0, 1 }, { "aggsortkey", "off", 0, 0 },
	{ "aggsortrev", "0", 0, 1 }, { "aggsortrev", "7", 0, 1 },
	{ "aggsortrev", "x", -EINVAL, 0 },
	{ "aggsortpos", NULL, 0, 0 }, { "aggsortpos", "2", 0, 2 },
	{ "aggsortkeypos", "0x10", 0, 16 },
	{ "aggsortkeypos", "-1", -EINVAL, 0 },
	{ "aggsortkeypos", "1x", -EINVAL, 0 },
	{ "agghist", "set", 0, 1 }, { "aggpack", "true", 0, 1 },
	{ "aggzoom", "no", 0, 0 }, { "aggpercpu", NULL, 0, 1 },
	{ "encoding", "utf8", 0, 2 }, { "encoding", "x", -EINVAL, 0 },
	{ "specsize", "x", -EINVAL, 0 }, { "specsize", "64", 0, 64 },
	{ "nspec", "4", 0, 4 }, { "nspec", "x", -EINVAL, 0 },
	{ "cleanrate", "10hz", 0, 100000000 }, { "cleanrate", "x", -EINVAL, 0 },
	{ "snaprate", "10hz", 0, 100000000 }, { "snaprate", "x", -EINVAL, 0 },
	{ "dynvarsize", "1m", 0, 1 << 20 }, { "dynvarsize", "x", -EINVAL, 0 },
	{ "scratchsize", "512", 0, 512 },
	{ "destructive", NULL, -ENOTSUP, 0 },
	{ "flowindent", NULL, -ENOTSUP, 0 },
	{ "ustackframes", "20", -ENOTSUP, 0 },
	{ "linkmode", "kernel", -ENOTSUP, 0 },
	{ "grabanon", NULL, -ENOTSUP, 0 },
	{ "bufzize", "4m", -ENOENT, 0 }, { "", NULL, -ENOENT, 0 },
	{ "BUFSIZE", "4m", -ENOENT, 0 },
};

START_TEST(option_is_set)
{
	struct tbuf_consumer *c = tbuf_consumer_new();
	int64_t value = -2;
	int r;

	r = tbuf_consumer_set(c, settings[_i].name, settings[_i].value);
	ck_assert_msg(r == settings[_i].error, "%s=%s: %d",
	    settings[_i].name, settings[_i].value, r);
	if (r == 0) {
		ck_assert_int_eq(tbuf_consumer_get(c, settings[_i].name,
		    &value), 0);
		ck_assert_int_eq(value, settings[_i].result);
	}
	tbuf_consumer_close(c);
}
END_TEST

/* The message has the wrong value, and the right ones. */
START_TEST(wrong_value_is_told)
{
	static const struct {
		const char *name, *value, *words;
	} cases[] = {
		{ "bufpolicy", "rings",
		    "'rings' is not one of switch, fill, ring" },
		{ "bufpolicy", NULL, "'' is not one of switch, fill, ring" },
		{ "bufresize", "no", "'no' is not one of auto, manual" },
		{ "bufsize", "-4k", "'-4k' is not a size (examples: 64k, 4m)" },
		{ "bufsize", "0", "'0' is not a size (examples: 64k, 4m)" },
		{ "strsize", "1",
		    "'1' is not a size of 2 or more (examples: 256, 1k)" },
		{ "switchrate", "1x",
		    "'1x' is not a rate (examples: 10hz, 100ms)" },
		{ "statusrate", "",
		    "'' is not a rate (examples: 10hz, 100ms)" },
		{ "temporal", "maybe",
		    "'maybe' is not a flag (examples: on, off)" },
		{ "cpu", "1023", "'1023' is not an online CPU" },
	};
	struct tbuf_consumer *c = tbuf_consumer_new();
	char expected[256];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_int_eq(tbuf_consumer_set(c, cases[i].name,
		    cases[i].value), -EINVAL);
		snprintf(expected, sizeof(expected), "failed to set -x %s: "
		    "Invalid value for specified option: %s", cases[i].name,
		    cases[i].words);
		ck_assert_str_eq(tbuf_consumer_error(c), expected);
	}
	tbuf_consumer_close(c);
}
END_TEST

START_TEST(defaults_are_dtraces)
{
	static const struct {
		const char *name;
		int64_t value;
	} defaults[] = {
		{ "bufsize", 4 << 20 }, { "bufpolicy", 0 },
		{ "bufresize", 0 }, { "switchrate", 1000000000 },
		{ "statusrate", 1000000000 }, { "strsize", 256 },
		{ "cpu", -1 }, { "temporal", 0 }, { "dropsoon", 0 },
		{ "packetsize", 0 }, { "follow", 0 },
		{ "nspec", 1 }, { "specsize", 32 << 10 },
		{ "aggsize", 4 << 20 }, { "aggrate", 1000000000 },
		{ "aggsortkey", 0 }, { "aggsortrev", 0 },
		{ "aggsortpos", 0 }, { "aggsortkeypos", 0 },
		{ "agghist", 0 }, { "aggpack", 0 }, { "aggzoom", 0 },
	};
	struct tbuf_consumer *c = tbuf_consumer_new();
	int64_t value;
	int i;

	for (i = 0; i < COUNT(defaults); i++) {
		ck_assert_int_eq(tbuf_consumer_get(c, defaults[i].name,
		    &value), 0);
		ck_assert_int_eq(value, defaults[i].value);
	}
	ck_assert_int_eq(tbuf_consumer_get(c, "verbose", &value), -ENOENT);
	ck_assert_int_eq(tbuf_consumer_get(c, "nonsense", &value), -ENOENT);
	tbuf_consumer_close(c);
}
END_TEST

START_TEST(refusals_say_why)
{
	struct tbuf_consumer *c = tbuf_consumer_new();
	static char many[128 * 1024 + 1];

	tbuf_consumer_set(c, "nonsense", "1");
	ck_assert_str_eq(tbuf_consumer_error(c),
	    "failed to set -x nonsense: Invalid option name");
	tbuf_consumer_set(c, "verbose", "x");
	ck_assert_str_eq(tbuf_consumer_error(c),
	    "failed to set -x verbose: handled by tbufctl, not by the library");
	tbuf_consumer_set(c, "linkmode", "x");
	ck_assert_str_eq(tbuf_consumer_error(c),
	    "failed to set -x linkmode: No meaning in user space");
	ck_assert_int_eq(tbuf_consumer_enable(c, "a:b:c:d:e"), -EINVAL);
	ck_assert_str_eq(tbuf_consumer_error(c),
	    "invalid probe specifier a:b:c:d:e: not "
	    "[[[provider:]module:]function:]name");
	memset(many, 'x', sizeof(many) - 1);
	many[sizeof(many) - 1] = '\0';
	ck_assert_int_eq(tbuf_consumer_enable(c, many), -E2BIG);
	ck_assert_int_eq(tbuf_consumer_grab(c, 0x7fffffff), -ESRCH);
	ck_assert_str_eq(tbuf_consumer_error(c),
	    "failed to grab pid 2147483647: No such process");
	tbuf_consumer_close(c);
}
END_TEST

/* Rates above 1000hz are exact to the nanosecond. */
START_TEST(wait_is_as_long_as_the_rate)
{
	static const struct {
		const char *options;
		uint64_t wait;
	} waits[] = {
		{ "switchrate=5000hz", 200000 },
		{ "switchrate=1ns", 1 },
		/* A target may ask for a switch before. */
		{ "switchrate=100000d", TBUF_SECOND / 10 },
		{ "bufpolicy=ring switchrate=1ns", TBUF_SECOND },
		{ "bufpolicy=ring statusrate=20us", 20000 },
		{ "bufpolicy=fill", TBUF_SECOND / 100 },
	};
	struct tbuf_consumer *c = fake_consumer(waits[_i].options);
	uint64_t now = tbuf_now();

	c->next_switch = now + c->options.switchrate;
	c->next_status = now + c->options.statusrate;
	ck_assert_uint_eq(tbuf_consumer_due(c, now) - now, waits[_i].wait);
	/* Work that was due before is due now. */
	c->next_status = 0;
	ck_assert_uint_eq(tbuf_consumer_due(c, now), now);
	tbuf_consumer_close(c);
}
END_TEST

START_TEST(buffer_under_16_bytes_is_refused)
{
	struct tbuf_consumer *c = fake_consumer("bufsize=15");
	struct fake f;

	fake_begin(&f);
	fake_grab(&f, c);
	ck_assert_int_eq(tbuf_consumer_go(c), -EINVAL);
	ck_assert_str_eq(tbuf_consumer_error(c), "could not enable tracing: "
	    "Enabling exceeds size of buffer");
	tbuf_consumer_close(c);
	fake_end(&f);
}
END_TEST

static struct tbuf_order
order(uint64_t bufsize, enum tbuf_policy policy, bool rseq, unsigned ncpus)
{
	static const char patterns[] = "kv:::\0libc::malloc:";
	struct tbuf_order o = {
		.terms = { .bufsize = bufsize, .policy = policy,
		    .strsize = 256, .only_cpu = -1, .owner = "check" },
		.rseq = rseq, .patterns = patterns,
		.patterns_size = sizeof(patterns), .npatterns = 2,
		.entries = TBUF_NPROBES_MIN
	};
	unsigned i;

	/* The CPUs' numbers have gaps. */
	for (i = 0; i < ncpus; i++)
		tbuf_cpus_add(&o.cpus, 3 * i);
	return (o);
}

START_TEST(storage_is_the_next_power_of_two)
{
	ck_assert_uint_eq(tbuf_lane_storage(16, TBUF_SWITCH), 64);
	ck_assert_uint_eq(tbuf_lane_storage(32, TBUF_SWITCH), 64);
	ck_assert_uint_eq(tbuf_lane_storage(40, TBUF_SWITCH), 128);
	ck_assert_uint_eq(tbuf_lane_storage(16, TBUF_RING), 64);
	ck_assert_uint_eq(tbuf_lane_storage(64, TBUF_FILL), 64);
	ck_assert_uint_eq(tbuf_lane_storage(3 << 20, TBUF_RING), 4 << 20);
	ck_assert_uint_eq(tbuf_lane_storage(3 << 20, TBUF_SWITCH), 8 << 20);
}
END_TEST

START_TEST(plan_with_rseq_has_four_small_lock_lanes)
{
	struct tbuf_order o = order(4 << 20, TBUF_SWITCH, true, 5);
	struct tbuf_area p;

	ck_assert_int_eq(tbuf_area_make(&o, &p), 0);
	ck_assert_uint_eq(p.ncpu_lanes, 5);
	ck_assert_uint_eq(p.nlocks, 2);
	ck_assert_uint_eq(p.nlocks_max, 4);
	ck_assert_uint_eq(p.nlanes, 9);
	ck_assert_uint_eq(p.ecb_max, 2 * TBUF_NPROBES_MIN + 1);
	ck_assert_uint_eq(p.storage, 5 * (8 << 20) + 4 * 65536);
	ck_assert_uint_lt(p.size - 5 * (8 << 20), 1 << 20);
	ck_assert_uint_eq(p.data % TBUF_PAGE, 0);
}
END_TEST

START_TEST(plan_without_rseq_has_a_lock_lane_a_cpu)
{
	struct tbuf_order o = order(1 << 20, TBUF_FILL, false, 5);
	struct tbuf_area p;

	ck_assert_int_eq(tbuf_area_make(&o, &p), 0);
	ck_assert_uint_eq(p.ncpu_lanes, 0);
	ck_assert_uint_eq(p.nlocks, 5);
	ck_assert_uint_eq(p.nlocks_max, 7);
	ck_assert_uint_eq(p.storage, 5 * (1 << 20) + 2 * 32768);
	o = order(1 << 20, TBUF_FILL, false, 300);
	ck_assert_int_eq(tbuf_area_make(&o, &p), 0);
	ck_assert_uint_eq(p.nlocks_max, TBUF_NLOCKS);
}
END_TEST

START_TEST(plan_refuses_what_cannot_be)
{
	struct tbuf_order o = order(15, TBUF_RING, true, 1);
	struct tbuf_area p;

	ck_assert_int_eq(tbuf_area_make(&o, &p), -EINVAL);
	o.terms.bufsize = UINT64_MAX;
	ck_assert_int_eq(tbuf_area_make(&o, &p), -ENOSPC);
	o.terms.bufsize = 16;
	ck_assert_int_eq(tbuf_area_make(&o, &p), 0);
	o.patterns_size = TBUF_META_MAX;
	ck_assert_int_eq(tbuf_area_make(&o, &p), -E2BIG);
	o.patterns_size = 1;
	o.npatterns = 0;
	ck_assert_int_eq(tbuf_area_make(&o, &p), -EINVAL);
}
END_TEST

START_TEST(ecbs_are_no_more_than_a_record_can_name)
{
	struct tbuf_order o = order(4096, TBUF_SWITCH, true, 1);
	struct tbuf_area p;

	o.npatterns = 65535;
	ck_assert_int_eq(tbuf_area_make(&o, &p), 0);
	ck_assert_uint_eq(p.ecb_max, TBUF_ECBS_MAX);
	o.npatterns = 1;
	o.entries = TBUF_NPROBES_MAX;
	ck_assert_int_eq(tbuf_area_make(&o, &p), 0);
	ck_assert_uint_eq(p.ecb_max, TBUF_ECBS_MAX);
	ck_assert_uint_le(p.data, TBUF_META_MAX);
}
END_TEST

/* Every lane is in the area and overlaps no other, for sizes of all kinds. */
static const uint64_t bufsizes[] = {
	16, 24, 40, 64, 2048, 3000, 4096, 12345, 1 << 16, 3 << 20
};

static void
check_lanes(const struct tbuf_order *o)
{
	uint64_t at = tbuf_tables_least() + 4096, end = 0, offset;
	struct tbuf_area p;
	struct tbuf_view view;
	const struct tbuf_slot *slot;
	const struct tbuf_lane *lane;
	uint32_t i, ncpus = 0;

	ck_assert_int_eq(tbuf_area_make(o, &p), 0);
	view.size = at + p.data;
	view.base = calloc(1, view.size);
	ck_assert_int_eq(tbuf_session_build(&view, 3, at, 77, o, &p), 0);
	slot = tbuf_view_slot(&view, 3);
	ck_assert_uint_eq(slot->generation, 77);
	ck_assert_uint_eq(slot->locks[0].word, 154);
	for (i = 0; i < p.nlanes; i++) {
		lane = (struct tbuf_lane *)(void *)(view.base + slot->lanes) +
		    i;
		offset = tbuf_place_offset(lane->place);
		ck_assert_uint_ge(offset, i == 0 ? at + p.data : end);
		end = offset + tbuf_place_storage(lane->place);
		ck_assert_uint_le(end, at + p.size);
		ck_assert_uint_eq(lane->limit, lane->size);
		ck_assert_uint_eq(lane->kind, i >= p.ncpu_lanes);
		ck_assert(tbuf_cpus_has(&o->cpus, lane->cpu));
	}
	for (i = 0; i < TBUF_NCPUS; i++) {
		if (slot->lane_of_cpu[i] == 0)
			continue;
		ncpus++;
		lane = (struct tbuf_lane *)(void *)(view.base +
		    64 * (uint64_t)slot->lane_of_cpu[i]);
		ck_assert_uint_eq(lane->cpu, i);
	}
	ck_assert_uint_eq(ncpus, p.ncpu_lanes);
	free(view.base);
}

START_TEST(lanes_do_not_overlap)
{
	struct tbuf_order o;
	int policy, rseq;

	for (policy = TBUF_SWITCH; policy <= TBUF_RING; policy++)
		for (rseq = 0; rseq < 2; rseq++) {
			o = order(bufsizes[_i], (enum tbuf_policy)policy,
			    rseq != 0, 4);
			check_lanes(&o);
		}
}
END_TEST

/* The slot has the terms that other processes read. */
START_TEST(terms_of_a_run_are_its_options)
{
	struct tbuf_consumer *c = fake_consumer(
	    "bufsize=8k bufpolicy=ring strsize=77 follow");
	const struct tbuf_terms *terms;
	struct fake f;

	fake_begin(&f);
	fake_grab(&f, c);
	ck_assert_int_eq(tbuf_consumer_go(c), 0);
	fake_map(&f);
	terms = &fake_slot(&f)->terms;
	ck_assert_uint_eq(terms->bufsize, 8192);
	/* Lanes grow under switch alone. */
	ck_assert_uint_eq(terms->flags, TBUF_S_FOLLOW | TBUF_S_KEEP);
	ck_assert_uint_eq(terms->run, c->run);
	ck_assert_uint_eq(terms->policy, TBUF_RING);
	ck_assert_uint_eq(terms->strsize, 77);
	ck_assert_int_eq(terms->only_cpu, -1);
	ck_assert_uint_eq(terms->owner_pid, (uint32_t)getpid());
	ck_assert_uint_eq(terms->owner_uid, geteuid());
	ck_assert_uint_eq(terms->needs, 0);
	/* The name may be cut. */
	ck_assert_int_eq(strncmp(program_invocation_short_name, terms->owner,
	    sizeof(terms->owner) - 1), 0);
	tbuf_consumer_close(c);
	fake_end(&f);
}
END_TEST

START_TEST(only_cpu_gets_the_only_lane)
{
	struct tbuf_order o = order(4096, TBUF_SWITCH, true, 4);
	struct tbuf_area p;

	o.terms.only_cpu = 6;
	ck_assert_int_eq(tbuf_area_make(&o, &p), 0);
	ck_assert_uint_eq(p.ncpu_lanes, 1);
	o.rseq = false;
	ck_assert_int_eq(tbuf_area_make(&o, &p), 0);
	ck_assert_uint_eq(p.nlocks, 1);
}
END_TEST

/* Another consumer may have set the limit that is not changed here. */
START_TEST(one_limit_of_units_is_stored)
{
	struct fake f;
	struct tbuf_consumer *c;
	struct tbuf_units *head;

	fake_begin(&f);
	f.control->flags |= TBUF_F_SELECTION;
	c = fake_session(&f, "nunits=1");
	head = tbuf_units_map(TAILQ_FIRST(&c->targets));
	ck_assert_ptr_nonnull(head);
	head->slow = 7;
	ck_assert_int_eq(tbuf_consumer_set(c, "unithung", "1us"), 0);
	ck_assert_uint_eq(head->hung, 1000);
	ck_assert_uint_eq(head->slow, 7);
	head->hung = 8;
	ck_assert_int_eq(tbuf_consumer_set(c, "unitslow", "1us"), 0);
	ck_assert_uint_ne(head->slow, 7);
	ck_assert_uint_eq(head->hung, 8);
	tbuf_consumer_close(c);
	fake_end(&f);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("consumer");
	TCase *t = tcase_create("options and plans");

	tcase_add_loop_test(t, size_is_parsed, 0, COUNT(sizes));
	tcase_add_loop_test(t, rate_is_parsed, 0, COUNT(rates));
	tcase_add_loop_test(t, option_is_set, 0, COUNT(settings));
	tcase_add_test(t, wrong_value_is_told);
	tcase_add_test(t, defaults_are_dtraces);
	tcase_add_test(t, refusals_say_why);
	tcase_add_loop_test(t, wait_is_as_long_as_the_rate, 0, 6);
	tcase_add_test(t, buffer_under_16_bytes_is_refused);
	tcase_add_test(t, storage_is_the_next_power_of_two);
	tcase_add_test(t, plan_with_rseq_has_four_small_lock_lanes);
	tcase_add_test(t, plan_without_rseq_has_a_lock_lane_a_cpu);
	tcase_add_test(t, plan_refuses_what_cannot_be);
	tcase_add_test(t, ecbs_are_no_more_than_a_record_can_name);
	tcase_add_loop_test(t, lanes_do_not_overlap, 0, COUNT(bufsizes));
	tcase_add_test(t, terms_of_a_run_are_its_options);
	tcase_add_test(t, only_cpu_gets_the_only_lane);
	tcase_add_test(t, one_limit_of_units_is_stored);
	suite_add_tcase(s, t);
	return (run_suite(s));
}
