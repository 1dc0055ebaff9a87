/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A program's fires are read by the consumer API unchanged, and records that do
 * not fit are counted.  The program is its own consumer, and uses the public
 * headers and the shared library alone, as a user's program does.
 */
#include <inttypes.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tbuf.h>
#include <tbuf_consumer.h>

#define FIRES	10000

#define EXPECT(condition) do {						\
	if (!(condition)) {						\
		fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__,	\
		    __LINE__, #condition);				\
		exit(1);						\
	}								\
} while (0)

static struct tbuf_consumer *
begin(const char *description, const char *policy, const char *bufsize)
{
	struct tbuf_consumer *c = tbuf_consumer_new();

	EXPECT(c != NULL);
	if (tbuf_consumer_set(c, "bufpolicy", policy) != 0 ||
	    tbuf_consumer_set(c, "bufsize", bufsize) != 0 ||
	    tbuf_consumer_enable(c, description) != 0 ||
	    tbuf_consumer_grab(c, getpid()) != 0 ||
	    tbuf_consumer_go(c) != 0) {
		fprintf(stderr, "%s\n", tbuf_consumer_error(c));
		exit(1);
	}
	return (c);
}

static void
finish(struct tbuf_consumer *c)
{
	tbuf_consumer_stop(c);
	EXPECT(tbuf_consumer_work(c) == 0);
}

static void
test_types_come_back(void)
{
	struct tbuf_consumer *c = begin("roundtrip:::types", "switch", "64k");
	int8_t small = -128;
	uint64_t large = UINT64_MAX;
	double half = 0.5;
	bool yes = true;
	const char *text = "text", *null = NULL;
	char bytes[3] = { 1, 0, 2 };
	void *pointer = &small;
	struct tbuf_event event;
	const struct tbuf_value *v;

	TBUF_PROBE(roundtrip, types, small, large, half, yes, text, null,
	    TBUF_BYTES(bytes, sizeof(bytes)), pointer);
	finish(c);
	EXPECT(tbuf_consumer_next(c, &event) == 1);
	EXPECT(event.type == TBUF_EVENT_RECORD);
	EXPECT(event.record.pid == getpid());
	EXPECT(event.record.tid == (uint32_t)gettid());
	EXPECT(event.record.nargs == 8);
	EXPECT(strcmp(event.record.probe->provider, "roundtrip") == 0);
	EXPECT(strcmp(event.record.probe->name, "types") == 0);
	EXPECT(strcmp(event.record.probe->argnames[6], "bytes") == 0);
	v = event.record.args;
	EXPECT(v[0].type == TBUF_INT8 && v[0].i == -128);
	EXPECT(v[1].type == TBUF_UINT64 && v[1].u == UINT64_MAX);
	EXPECT(v[2].type == TBUF_DOUBLE && v[2].d == 0.5);
	EXPECT(v[3].type == TBUF_BOOL && v[3].u == 1);
	EXPECT(v[4].type == TBUF_STRING && v[4].size == 4 &&
	    memcmp(v[4].data, "text", 4) == 0);
	EXPECT(v[5].type == TBUF_STRING && v[5].null);
	EXPECT(v[6].type == TBUF_BINARY && v[6].size == 3 &&
	    memcmp(v[6].data, bytes, 3) == 0);
	EXPECT(v[7].type == TBUF_POINTER && v[7].u == (uintptr_t)&small);
	tbuf_consumer_close(c);
}

/* A text needs no NUL, may contain one, and is truncated like a string. */
static void
test_texts_come_back(void)
{
	struct tbuf_consumer *c = begin("roundtrip:::texts", "switch", "64k");
	char long_text[300];
	struct tbuf_event event;
	const struct tbuf_value *v;

	memset(long_text, 'x', sizeof(long_text));
	TBUF_PROBE(roundtrip, texts, TBUF_TEXT("a\0b, and more", 3),
	    TBUF_NAMED(empty, TBUF_TEXT(long_text, 0)),
	    TBUF_NAMED(null, TBUF_TEXT(NULL, 7)),
	    TBUF_TEXT(long_text, sizeof(long_text)));
	finish(c);
	EXPECT(tbuf_consumer_next(c, &event) == 1);
	EXPECT(event.type == TBUF_EVENT_RECORD);
	EXPECT(event.record.nargs == 4);
	EXPECT(strcmp(event.record.probe->argnames[0], "arg0") == 0);
	EXPECT(strcmp(event.record.probe->argnames[1], "empty") == 0);
	EXPECT(strcmp(event.record.probe->argnames[2], "null") == 0);
	EXPECT(strcmp(event.record.probe->argnames[3], "long_text") == 0);
	v = event.record.args;
	EXPECT(v[0].type == TBUF_STRING_SIZED && v[0].size == 3 &&
	    memcmp(v[0].data, "a\0b", 3) == 0 && !v[0].cut && !v[0].null);
	EXPECT(v[1].type == TBUF_STRING_SIZED && v[1].size == 0 &&
	    !v[1].null && !v[1].cut);
	EXPECT(v[2].type == TBUF_STRING_SIZED && v[2].null);
	EXPECT(v[3].type == TBUF_STRING_SIZED && v[3].size == 255 &&
	    v[3].cut && memcmp(v[3].data, long_text, 255) == 0);
	tbuf_consumer_close(c);
}

static bool
zero(const uint64_t *words, size_t size)
{
	size_t i;

	for (i = 0; i < size / sizeof(*words); i++)
		if (words[i] != 0)
			return (false);
	return (true);
}

/* Reads the next event into memory with other contents. */
static bool
next_event(struct tbuf_consumer *c, struct tbuf_event *event)
{
	memset(event, 0xff, sizeof(*event));
	if (tbuf_consumer_next(c, event) != 1)
		return (false);
	EXPECT(zero(event->reserved, sizeof(event->reserved)));
	EXPECT(event->type != TBUF_EVENT_RECORD ||
	    zero(event->record.reserved, sizeof(event->record.reserved)));
	return (true);
}

/* Tests inv.account with one thread. */
static void
test_fires_are_records_or_counted(const char *policy)
{
	struct tbuf_consumer *c = begin("roundtrip:::count", policy, "1k");
	struct tbuf_totals totals;
	struct tbuf_event event;
	uint64_t records = 0, drops = 0, overwritten = 0;
	int64_t number;

	for (number = 0; number < FIRES; number++)
		TBUF_PROBE(roundtrip, count, number);
	finish(c);
	while (next_event(c, &event)) {
		if (event.type == TBUF_EVENT_DROPS)
			drops += event.count;
		else if (event.type == TBUF_EVENT_OVERWRITTEN)
			overwritten += event.count;
		EXPECT(event.type != TBUF_EVENT_DAMAGE);
		if (event.type != TBUF_EVENT_RECORD)
			continue;
		records++;
		EXPECT(event.record.nargs == 1);
		EXPECT(event.record.args[0].i >= 0 &&
		    event.record.args[0].i < FIRES);
	}
	printf("%s: %" PRIu64 " records, %" PRIu64 " overwritten, %" PRIu64
	    " drops\n", policy, records, overwritten, drops);
	memset(&totals, 0xff, sizeof(totals));
	tbuf_consumer_totals(c, &totals);
	EXPECT(zero(totals.reserved, sizeof(totals.reserved)));
	EXPECT(totals.records == records);
	EXPECT(totals.overwritten == overwritten);
	EXPECT(totals.drops == drops);
	EXPECT(records > 0);
	EXPECT(records + overwritten + drops == FIRES);
	if (strcmp(policy, "ring") == 0)
		EXPECT(drops == 0);
	else
		EXPECT(overwritten == 0);
	tbuf_consumer_close(c);
}

/* Fires as read back: the time of each number's record; 0: it was lost. */
static uint64_t times[FIRES];
static int64_t nfired, nreported;

/* Returns the number of the record with this time. */
static int64_t
number_at(uint64_t time)
{
	int64_t i;

	for (i = 0; i < nfired && times[i] != time; i++)
		continue;
	EXPECT(i < nfired);
	return (i);
}

/*
 * Checks that the losses of all numbers from the last report on lie between the
 * times of an event.  Returns true if both are known.
 */
static bool
check_place(const struct tbuf_event *e)
{
	int64_t after = e->after == 0 ? -1 : number_at(e->after);
	int64_t before = e->before == 0 ? nfired : number_at(e->before);
	uint64_t lost = 0;
	int64_t i;

	for (i = nreported; i < nfired; i++) {
		if (times[i] != 0)
			continue;
		lost++;
		EXPECT(after < i && i < before);
	}
	EXPECT(lost == e->count);
	nreported = nfired;
	return (e->after != 0 && e->before != 0);
}

/* Takes a drain's events; returns how many losses have both times. */
static unsigned
take(struct tbuf_consumer *c)
{
	struct tbuf_event e;
	unsigned placed = 0;

	while (next_event(c, &e)) {
		EXPECT(e.type != TBUF_EVENT_DAMAGE);
		if (e.type == TBUF_EVENT_RECORD) {
			times[e.record.args[0].i] = e.record.time;
			EXPECT(e.after == 0 && e.before == 0);
		} else if (e.type == TBUF_EVENT_DROPS ||
		    e.type == TBUF_EVENT_OVERWRITTEN)
			placed += check_place(&e);
	}
	return (placed);
}

/*
 * Of a thread that stays on its CPU, as its lane is one then.  Every third time
 * it fires more than a lane holds, and losses are reported every fourth time.
 */
static void
test_losses_have_places(const char *policy, const char *scope, bool temporal)
{
	struct tbuf_consumer *c = tbuf_consumer_new();
	bool live = strcmp(policy, "switch") == 0;
	unsigned round, placed = 0;
	int n;

	EXPECT(c != NULL);
	EXPECT(tbuf_consumer_set(c, "bufpolicy", policy) == 0);
	EXPECT(tbuf_consumer_set(c, "bufscope", scope) == 0);
	EXPECT(tbuf_consumer_set(c, "bufsize", "1k") == 0);
	EXPECT(tbuf_consumer_set(c, "switchrate", "1h") == 0);
	EXPECT(tbuf_consumer_set(c, "statusrate", "1ns") == 0);
	EXPECT(!temporal || tbuf_consumer_set(c, "temporal", NULL) == 0);
	EXPECT(tbuf_consumer_enable(c, "roundtrip:::place") == 0);
	EXPECT(tbuf_consumer_grab(c, getpid()) == 0);
	EXPECT(tbuf_consumer_go(c) == 0);
	memset(times, 0, sizeof(times));
	nfired = nreported = 0;
	for (round = 1; round < 100; round++) {
		for (n = round % 3 == 0 ? 100 : 20; n > 0; n--) {
			TBUF_PROBE(roundtrip, place, nfired);
			nfired++;
		}
		if (live) {
			EXPECT(tbuf_consumer_switch(c) >= 0);
			placed += take(c);
		}
		if (live && round % 4 == 0) {
			EXPECT(tbuf_consumer_work(c) > 0);
			placed += take(c);
		}
	}
	finish(c);
	placed += take(c);
	EXPECT(placed > 0 || !live);
	EXPECT(nreported > 0);
	tbuf_consumer_close(c);
}

/* Returns false if the thread cannot stay on a CPU. */
static bool
stay(void)
{
	cpu_set_t set;
	int cpu = sched_getcpu();

	CPU_ZERO(&set);
	if (cpu >= 0)
		CPU_SET(cpu, &set);
	return (sched_setaffinity(0, sizeof(set), &set) == 0);
}

int
main(void)
{
	test_types_come_back();
	test_texts_come_back();
	test_fires_are_records_or_counted("switch");
	test_fires_are_records_or_counted("fill");
	test_fires_are_records_or_counted("ring");
	if (!stay())
		return (0);
	test_losses_have_places("switch", "cpu", false);
	test_losses_have_places("switch", "cpu", true);
	test_losses_have_places("switch", "thread", false);
	test_losses_have_places("fill", "cpu", false);
	test_losses_have_places("fill", "thread", false);
	test_losses_have_places("ring", "cpu", false);
	test_losses_have_places("ring", "thread", true);
	return (0);
}
