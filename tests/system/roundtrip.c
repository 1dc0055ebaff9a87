/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A program's fires are read by the consumer API unchanged, and records that do
 * not fit are counted.  The program is its own consumer, and uses the public
 * headers and the shared library alone, as a user's program does.
 */
#include <inttypes.h>
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

int
main(void)
{
	test_types_come_back();
	test_texts_come_back();
	test_fires_are_records_or_counted("switch");
	test_fires_are_records_or_counted("fill");
	test_fires_are_records_or_counted("ring");
	return (0);
}
