/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Properties that are visible from outside, to the byte: how many records a
 * buffer of any size holds, where strings and records are truncated, the times
 * of records, how many sessions a target can have, and that their space is
 * reused.  The program uses the public headers and the shared library alone,
 * like roundtrip.c, and runs itself on either path.
 */
#include <sys/stat.h>
#include <sys/wait.h>

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <tbuf.h>
#include <tbuf_consumer.h>

#include "lib/scratch.h"

#define EXPECT(condition, ...) do {					\
	if (!(condition)) {						\
		fprintf(stderr, "%s:%d: check failed: %s: ", __FILE__,	\
		    __LINE__, #condition);				\
		fprintf(stderr, __VA_ARGS__);				\
		fprintf(stderr, "\n");					\
		exit(1);						\
	}								\
} while (0)

#define SESSIONS	32
#define ROUNDS		240
#define RECORD_MAX	32768u

static const char *const policies[] = { "switch", "fill", "ring" };

/* glibc 2.35 and later have it; it is 0 if glibc has not registered rseq. */
extern const unsigned int __rseq_size __attribute__((weak));

/* Returns a record's bytes before its arguments; a lock lane's has its CPU. */
static uint64_t
header_size(void)
{
	return (&__rseq_size != NULL && __rseq_size != 0 ? 16 : 24);
}

static struct tbuf_consumer *
prepare(const char *policy, const char *bufsize)
{
	struct tbuf_consumer *c = tbuf_consumer_new();

	EXPECT(c != NULL, "errno %d", errno);
	EXPECT(tbuf_consumer_set(c, "bufpolicy", policy) == 0 &&
	    tbuf_consumer_set(c, "bufsize", bufsize) == 0 &&
	    tbuf_consumer_set(c, "switchrate", "1h") == 0 &&
	    tbuf_consumer_set(c, "strsize", "64k") == 0 &&
	    tbuf_consumer_enable(c, "blackbox:::") == 0 &&
	    tbuf_consumer_grab(c, getpid()) == 0, "%s",
	    tbuf_consumer_error(c));
	return (c);
}

static struct tbuf_consumer *
begin(const char *policy, const char *bufsize)
{
	struct tbuf_consumer *c = prepare(policy, bufsize);

	EXPECT(tbuf_consumer_go(c) == 0, "%s", tbuf_consumer_error(c));
	return (c);
}

static void
stop(struct tbuf_consumer *c)
{
	tbuf_consumer_stop(c);
	EXPECT(tbuf_consumer_work(c) == 0, "%s", tbuf_consumer_error(c));
}

/* sums of a run's events; records have successive numbers */
struct tally {
	uint64_t records;
	uint64_t first, last;		/* numbers of records */
	uint64_t overwritten;
	uint64_t drops[3];
};

static void
add(struct tally *tally, const struct tbuf_event *event)
{
	uint64_t number;

	switch (event->type) {
	case TBUF_EVENT_RECORD:
		number = event->record.args[0].u;
		if (tally->records++ == 0)
			tally->first = number;
		else
			EXPECT(number == tally->last + 1, "%" PRIu64
			    " after %" PRIu64, number, tally->last);
		tally->last = number;
		break;
	case TBUF_EVENT_OVERWRITTEN:
		tally->overwritten += event->count;
		break;
	case TBUF_EVENT_DROPS:
		tally->drops[event->cause] += event->count;
		break;
	default:
		EXPECT(false, "event %d", event->type);
	}
}

static struct tally
end(struct tbuf_consumer *c)
{
	struct tally tally = { 0 };
	struct tbuf_event event;

	stop(c);
	while (tbuf_consumer_next(c, &event) > 0)
		add(&tally, &event);
	tbuf_consumer_close(c);
	return (tally);
}

/* ------------------------------------------------------------ capacity */

/*
 * Returns how many records less a full ring may hold, because its oldest ones
 * leave it several at once.  Small rings hold all that fits.
 */
static uint64_t
ring_less(uint64_t bytes, uint64_t size)
{
	uint64_t part = bytes / 128 < 8192 ? bytes / 128 : 8192;

	return (bytes < 65536 ? 0 : part / size + 1);
}

static void
holds(const char *policy, const char *bufsize, uint64_t bytes)
{
	uint64_t size = header_size() + 8, room = bytes / size, number;
	uint64_t fires = room + 1000, lost;
	struct tbuf_consumer *c = begin(policy, bufsize);
	bool ring = strcmp(policy, "ring") == 0;
	struct tally t;

	for (number = 1; number <= fires; number++)
		TBUF_PROBE(blackbox, count, number);
	t = end(c);
	EXPECT(t.records <= room &&
	    room - t.records <= (ring ? ring_less(bytes, size) : 0),
	    "%s %s: %" PRIu64 " records, not %" PRIu64, policy, bufsize,
	    t.records, room);
	lost = fires - t.records;
	EXPECT(t.overwritten == (ring && room > 0 ? lost : 0),
	    "%s %s: %" PRIu64, policy, bufsize, t.overwritten);
	EXPECT(t.drops[TBUF_CAUSE_FULL] == (!ring && room > 0 ? 1000 : 0),
	    "%s %s: %" PRIu64, policy, bufsize, t.drops[TBUF_CAUSE_FULL]);
	EXPECT(t.drops[TBUF_CAUSE_LARGE] == (room == 0 ? 1000 : 0),
	    "%s %s: %" PRIu64, policy, bufsize, t.drops[TBUF_CAUSE_LARGE]);
	EXPECT(t.drops[TBUF_CAUSE_NOLANE] == 0, "%s %s", policy, bufsize);
	EXPECT(room == 0 || t.first == (ring ? lost + 1 : 1),
	    "%s %s: %" PRIu64, policy, bufsize, t.first);
}

static void
test_buffers_hold_what_fits(void)
{
	static const struct {
		const char *bufsize;
		uint64_t bytes;		/* rounded down to a multiple of 8 */
	} sizes[] = {
		{ "16", 16 }, { "17", 16 }, { "23", 16 }, { "24", 24 },
		{ "31", 24 }, { "32", 32 }, { "40", 40 }, { "48", 48 },
		{ "63", 56 }, { "64", 64 }, { "100", 96 }, { "2k", 2048 },
		{ "3000", 3000 }, { "4096", 4096 }, { "16k", 16384 },
		{ "64k", 65536 }, { "100k", 102400 },
		{ "3m", 3145728 }
	};
	unsigned i, j;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (j = 0; j < 3; j++)
			holds(policies[j], sizes[i].bufsize, sizes[i].bytes);
}

static void
test_records_end_at_32_kib(void)
{
	static char bytes[RECORD_MAX];
	/* The length is stored before the bytes. */
	uint64_t fits = RECORD_MAX - header_size() - 8 - 2, number;
	struct tbuf_consumer *c;
	struct tally t;
	unsigned i;

	for (i = 0; i < 3; i++) {
		c = begin(policies[i], "1m");
		/* Bytes are cut as the record needs it. */
		for (number = 1; number < 4; number++)
			TBUF_PROBE(blackbox, blob, number, TBUF_BYTES(bytes,
			    fits + number - 2));
		t = end(c);
		EXPECT(t.records == 3 && t.drops[TBUF_CAUSE_LARGE] == 0,
		    "%s: %" PRIu64 " records, %" PRIu64 " large", policies[i],
		    t.records, t.drops[TBUF_CAUSE_LARGE]);
	}
}

/* ------------------------------------------------------------ values */

static void
cut(const char *strsize, uint32_t kept)
{
	struct tbuf_consumer *c = prepare("switch", "64k");
	const struct tbuf_value *v;
	struct tbuf_event event;
	char text[300];
	uint32_t size;

	EXPECT(tbuf_consumer_set(c, "strsize", strsize) == 0 &&
	    tbuf_consumer_go(c) == 0, "%s", tbuf_consumer_error(c));
	for (size = kept - 1; size <= kept + 1; size++) {
		memset(text, 'x', size);
		text[size] = '\0';
		TBUF_PROBE(blackbox, text, text);
	}
	stop(c);
	for (size = kept - 1; size <= kept + 1; size++) {
		EXPECT(tbuf_consumer_next(c, &event) == 1 &&
		    event.type == TBUF_EVENT_RECORD, "strsize %s", strsize);
		v = event.record.args;
		EXPECT(v->size == (size < kept ? size : kept) &&
		    v->cut == (size > kept), "strsize %s: %u of %u", strsize,
		    v->size, size);
	}
	tbuf_consumer_close(c);
}

static void
test_strings_are_cut_at_strsize(void)
{
	cut("2", 1);
	cut("3", 2);
	cut("8", 7);
	cut("15", 14);
	cut("100", 99);
	cut("256", 255);
}

static uint64_t
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return ((uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec);
}

/*
 * The time of a record may be off by a preemption between the readings of two
 * clocks in a calibration, but not by a wrong unit or slope.
 */
static void
test_time_is_that_of_the_fire(void)
{
	const uint64_t off = 10000000;
	struct tbuf_consumer *c = begin("switch", "1m");
	uint64_t before, after, last = 0;
	struct tbuf_event event;
	int i;

	for (i = 0; i < 1000; i++) {
		before = now();
		TBUF_PROBE(blackbox, time, before);
	}
	after = now();
	stop(c);
	for (i = 0; i < 1000; i++) {
		EXPECT(tbuf_consumer_next(c, &event) == 1 &&
		    event.type == TBUF_EVENT_RECORD, "%d", i);
		before = event.record.args[0].u;
		EXPECT(event.record.time > last, "%d", i);
		last = event.record.time;
		EXPECT(last + off >= before && last <= after + off, "%" PRIu64
		    " after %" PRIu64 " before %" PRIu64, last, before, after);
	}
	tbuf_consumer_close(c);
}

/* ------------------------------------------------------------ sessions */

static void
test_a_target_has_32_sessions(void)
{
	struct tbuf_consumer *c[SESSIONS], *more;
	uint64_t number;
	struct tally t;
	char text[80];
	int i;

	for (i = 0; i < SESSIONS; i++)
		c[i] = begin(policies[i % 3], "4k");
	more = prepare("switch", "4k");
	snprintf(text, sizeof(text), "could not enable tracing: "
	    "too many sessions on pid %d", (int)getpid());
	EXPECT(tbuf_consumer_go(more) == -EUSERS &&
	    strcmp(tbuf_consumer_error(more), text) == 0, "%s",
	    tbuf_consumer_error(more));
	for (number = 1; number <= 10; number++)
		TBUF_PROBE(blackbox, count, number);
	for (i = 0; i < SESSIONS; i++) {
		t = end(c[i]);
		EXPECT(t.records == 10 && t.first == 1, "session %d: %" PRIu64
		    " records", i, t.records);
	}
	tbuf_consumer_close(more);
	end(begin("switch", "4k"));
}

/* The child is not followed, so it remains a forked child. */
static void
test_a_forked_child_says_what_it_is(void)
{
	struct tbuf_consumer *c = tbuf_consumer_new();
	char text[80], byte;
	int forked[2];
	pid_t pid;

	EXPECT(c != NULL && pipe(forked) == 0, "errno %d", errno);
	if ((pid = fork()) == 0) {
		EXPECT(write(forked[1], "", 1) == 1, "errno %d", errno);
		pause();
		_exit(0);
	}
	EXPECT(pid > 0 && read(forked[0], &byte, 1) == 1, "errno %d", errno);
	snprintf(text, sizeof(text), "failed to grab pid %d: "
	    "tracing is off: it is a forked child", (int)pid);
	EXPECT(tbuf_consumer_grab(c, pid) == -ECANCELED &&
	    strcmp(tbuf_consumer_error(c), text) == 0, "%s",
	    tbuf_consumer_error(c));
	kill(pid, SIGKILL);
	EXPECT(waitpid(pid, NULL, 0) == pid, "errno %d", errno);
	close(forked[0]);
	close(forked[1]);
	tbuf_consumer_close(c);
}

static off_t
file_size(void)
{
	char name[300], start[32];
	const char *path = getenv("TBUF_DIR");
	struct dirent *entry;
	struct stat st;
	DIR *dir;

	snprintf(start, sizeof(start), "tbuf.%d.", (int)getpid());
	EXPECT(path != NULL && (dir = opendir(path)) != NULL, "%s", path);
	st.st_size = 0;
	while ((entry = readdir(dir)) != NULL) {
		if (strncmp(entry->d_name, start, strlen(start)) != 0)
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		EXPECT(stat(name, &st) == 0, "%s", name);
	}
	closedir(dir);
	EXPECT(st.st_size != 0, "no control file in %s", path);
	return (st.st_size);
}

static void
test_space_is_used_again(void)
{
	static const char *const sizes[] = { "64k", "16", "3000", "20k" };
	off_t before = 0;
	uint64_t number;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		struct tbuf_consumer *c = begin(policies[i % 3],
		    sizes[i % 4]);

		for (number = 1; number <= 10; number++)
			TBUF_PROBE(blackbox, count, number);
		end(c);
		if (i == 11)
			before = file_size();
	}
	EXPECT(file_size() == before, "%jd bytes, then %jd", (intmax_t)before,
	    (intmax_t)file_size());
}

/* ------------------------------------------------------------ both paths */

/* Confines the process to one CPU, so that all records are in one lane. */
static void
stay(void)
{
	cpu_set_t set, one;
	int cpu = 0;

	EXPECT(sched_getaffinity(0, sizeof(set), &set) == 0, "%d", errno);
	while (!CPU_ISSET(cpu, &set))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	EXPECT(sched_setaffinity(0, sizeof(one), &one) == 0, "%d", errno);
}

static int
run_all(void)
{
	stay();
	test_buffers_hold_what_fits();
	test_records_end_at_32_kib();
	test_strings_are_cut_at_strsize();
	test_time_is_that_of_the_fire();
	test_a_target_has_32_sessions();
	test_a_forked_child_says_what_it_is();
	test_space_is_used_again();
	return (0);
}

static bool
run_self(const char *program, const char *tunables)
{
	int status;
	pid_t pid;

	if ((pid = fork()) == 0) {
		if (tunables != NULL)
			setenv("GLIBC_TUNABLES", tunables, 1);
		execl(program, program, "run", (char *)NULL);
		_exit(127);
	}
	EXPECT(pid > 0 && waitpid(pid, &status, 0) == pid, "%d", errno);
	return (status == 0);
}

int
main(int argc, char *argv[])
{
	char directory[64];
	bool good;

	if (argc > 1)
		return (run_all());
	scratch_directory(directory, sizeof(directory));
	setenv("TBUF_DIR", directory, 1);
	good = run_self(argv[0], NULL) &&
	    run_self(argv[0], "glibc.pthread.rseq=0");
	scratch_remove(directory);
	return (good ? 0 : 1);
}
