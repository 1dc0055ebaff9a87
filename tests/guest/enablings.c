/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Several enablings that match one probe.  Each fire writes a record for each,
 * in the order of the enablings, or counts a drop, over many fires and under
 * every policy.  A fire finds the second one by TBUF_HEAD_MORE alone.
 */
#include <inttypes.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "guest/support/guest.h"

#define FIRES		2000u
#define ENABLINGS_MAX	3u
#define KINDS		2u	/* kinds of probes: numbers, and with a text */

static const char *const policies[] = { "switch", "fill", "ring" };
static uint64_t number;		/* number of the next fire */

/*
 * Confines the process to one CPU, so that its lane has all records in order.
 */
static void
stay_here(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	GUEST_EXPECT(sched_setaffinity(0, sizeof(cpus), &cpus) == 0,
	    "no affinity");
}

static void
fire(unsigned kind)
{
	const char *text = "a text of some bytes";

	if (kind == 0)
		TBUF_PROBE(guest, numbers, number, number);
	else
		TBUF_PROBE(guest, text, number, text);
	number++;
}

static struct tbuf_consumer *
begin(const char *policy, const char *bufsize, unsigned enablings)
{
	static const char *const descriptions[] = {
		"guest:::numbers,guest:::text,guest:::later", "guest::*:"
	};
	struct tbuf_consumer *c = guest_consumer(policy, bufsize);
	unsigned i;

	for (i = 1; i < enablings; i++)
		GUEST_EXPECT(tbuf_consumer_enable(c, descriptions[i - 1]) ==
		    (int)i, "%s", tbuf_consumer_error(c));
	GUEST_EXPECT(tbuf_consumer_grab(c, getpid()) == 0, "%s",
	    tbuf_consumer_error(c));
	guest_go(c);
	return (c);
}

/* Events of a session, and the place that the next record must exceed. */
struct given {
	uint64_t finished;
	uint64_t records[ENABLINGS_MAX];
	uint64_t place;		/* fire * enablings + enabling, last record */
};

static void
take_record(const struct tbuf_record *r, unsigned enablings, struct given *g)
{
	uint64_t place = r->args[0].u * enablings + r->enabling;

	GUEST_EXPECT(r->enabling < enablings, "enabling %u", r->enabling);
	GUEST_EXPECT(g->finished == 0 || place > g->place,
	    "fire %" PRIu64 ", enabling %u after place %" PRIu64,
	    r->args[0].u, r->enabling, g->place);
	g->place = place;
	g->records[r->enabling]++;
	g->finished++;
}

static void
end(struct tbuf_consumer *c, unsigned enablings, struct given *g)
{
	struct tbuf_event event;

	memset(g, 0, sizeof(*g));
	tbuf_consumer_stop(c);
	while (tbuf_consumer_work(c) > 0)
		continue;
	while (tbuf_consumer_next(c, &event) > 0) {
		GUEST_EXPECT(event.type != TBUF_EVENT_DAMAGE, "damage");
		if (event.type == TBUF_EVENT_RECORD)
			take_record(&event.record, enablings, g);
		else if (event.type != TBUF_EVENT_EXIT)
			g->finished += event.count;
	}
	tbuf_consumer_close(c);
}

static void
run(const char *policy, const char *bufsize, unsigned enablings)
{
	struct tbuf_consumer *c = begin(policy, bufsize, enablings);
	bool all = strcmp(bufsize, "1m") == 0;
	struct given given;
	unsigned i;

	number = 0;
	while (number < FIRES)
		fire((unsigned)(number % KINDS));
	end(c, enablings, &given);
	GUEST_EXPECT(given.finished == (uint64_t)FIRES * enablings,
	    "%s, %s: %u fires of %u enablings, but %" PRIu64, policy, bufsize,
	    FIRES, enablings, given.finished);
	for (i = 0; all && i < enablings; i++)
		GUEST_EXPECT(given.records[i] == FIRES, "%s: %" PRIu64
		    " records of enabling %u", policy, given.records[i], i);
	GUEST_EXPECT(given.place / enablings > (all ? FIRES - 2 : 0),
	    "%s, %s: nothing but fire %" PRIu64, policy, bufsize,
	    given.place / enablings);
}

static void
test_each_enabling_of_a_probe_is_a_record(void)
{
	unsigned i, enablings;

	stay_here();
	for (i = 0; i < 3; i++)
		for (enablings = 2; enablings <= ENABLINGS_MAX; enablings++) {
			run(policies[i], "1m", enablings);
			/*
			 * Lanes are too small, lock lanes too: records are
			 * dropped or overwritten.
			 */
			run(policies[i], "1k", enablings);
		}
}

/*
 * A probe that is registered later: the target inserts its ECBs, one after the
 * other.
 */
static void
test_a_later_probe_meets_each_enabling(void)
{
	static const enum tbuf_type types[] = { TBUF_UINT64 };
	struct tbuf_consumer *c;
	struct tbuf_site site;
	struct given given;
	unsigned i;

	stay_here();
	for (i = 0; i < 3; i++) {
		c = begin(policies[i], "1m", ENABLINGS_MAX);
		GUEST_EXPECT(tbuf_probe_register(&site, "guest", "m", "f",
		    "later", 1, types, NULL) == 0, "not registered");
		for (number = 0; number < FIRES; number++)
			tbuf_probe_fire(&site, &number);
		tbuf_probe_unregister(&site);
		end(c, ENABLINGS_MAX, &given);
		GUEST_EXPECT(given.finished == FIRES * ENABLINGS_MAX &&
		    given.records[0] == FIRES && given.records[1] == FIRES,
		    "%s: %u fires, but %" PRIu64, policies[i], FIRES,
		    given.finished);
	}
}

/*
 * A session with one enabling runs beside one with two, and goes on after it.
 */
static void
test_sessions_have_enablings_of_their_own(void)
{
	struct tbuf_consumer *one, *two;
	struct given given;

	stay_here();
	one = begin("ring", "1k", 1);
	two = begin("switch", "1m", 2);
	for (number = 0; number < FIRES;)
		fire((unsigned)(number % KINDS));
	end(two, 2, &given);
	GUEST_EXPECT(given.finished == 2 * FIRES &&
	    given.records[0] == FIRES && given.records[1] == FIRES,
	    "two enablings: %" PRIu64, given.finished);
	while (number < 2 * FIRES)
		fire((unsigned)(number % KINDS));
	end(one, 1, &given);
	GUEST_EXPECT(given.finished == 2 * FIRES, "one enabling: %" PRIu64,
	    given.finished);
}

static const struct guest_case cases[] = {
	{ "each_enabling_of_a_probe_is_a_record",
	    test_each_enabling_of_a_probe_is_a_record, NULL, 0 },
	{ "a_later_probe_meets_each_enabling",
	    test_a_later_probe_meets_each_enabling, NULL, 0 },
	{ "sessions_have_enablings_of_their_own",
	    test_sessions_have_enablings_of_their_own, NULL, 0 },
	{ NULL, NULL, NULL, 0 }
};

int
main(int argc, char **argv)
{
	guest_main(argc, argv, cases);
}
