/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Variables of clauses in targets: those of threads, and arrays.
 */
#include <sys/stat.h>
#include <sys/wait.h>

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/atomics.h"
#include "consumer/run/run.h"
#include "consumer/target/target.h"
#include "consumer/util/util.h"
#include "fixture.h"
#include "plan_thread_local_abort.h"
#include "shared/array_element.h"
#include "tbuf.h"

static void
by_time(void)
{
	ck_assert_int_eq(tbuf_consumer_set(consumer, "temporal", NULL), 0);
}

/* ------------------------------------------------------------ targets */

static pthread_barrier_t all_have;

static void *
pair(void *argument)
{
	unsigned long n = (uintptr_t)argument;

	TBUF_PROBE(test, start, n);
	TBUF_PROBE(test, done, n);
	return (NULL);
}

static void *
at_once(void *argument)
{
	unsigned long n = (uintptr_t)argument;

	TBUF_PROBE(test, start, n);
	pthread_barrier_wait(&all_have);
	return (NULL);
}

static pthread_t
thread_begin(void *(*function)(void *), unsigned long n)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, function, (void *)(uintptr_t)n) != 0)
		abort();
	return (thread);
}

/* Runs one thread after another. */
static void
threads(unsigned long count)
{
	unsigned long n;

	for (n = 1; n <= count; n++)
		pthread_join(thread_begin(pair, n), NULL);
}

/* Runs `count` threads at the same time. */
static void
crowd(unsigned long count)
{
	pthread_t thread[16];
	unsigned long n;

	pthread_barrier_init(&all_have, NULL, (unsigned)count);
	for (n = 0; n < count; n++)
		thread[n] = thread_begin(at_once, n + 1);
	for (n = 0; n < count; n++)
		pthread_join(thread[n], NULL);
}

static __attribute__((noinline)) void
start(long n)
{
	TBUF_PROBE(test, start, n);
}

static __attribute__((noinline)) void
done(long n)
{
	TBUF_PROBE(test, done, n);
}

static void
clock_wait(uint64_t ns)
{
	uint64_t begin = tbuf_now();

	while (tbuf_now() - begin < ns)
		continue;
}

/* Fires pairs from 0 on in one thread, then two ends without a start. */
static void
pairs(unsigned long count)
{
	unsigned long n;

	for (n = 0; n < count; n++) {
		start((long)n);
		clock_wait(TBUF_SECOND / 1000);
		done((long)n);
	}
	done(0);
	done(0);
}

/* Fires pairs with an aborted end; a second end reads the same value. */
static void
aborted(unsigned long count)
{
	unsigned long n;

	for (n = 0; n < count; n++) {
		start((long)n);
		clock_wait(TBUF_SECOND / 1000);
		self_aborts = true;
		done((long)n);
		self_aborts = false;
		done((long)n);
	}
}

/*
 * Children neither see nor change their parent's variables, also if plans of
 * the clauses exist already.
 */
static void
children(void)
{
	start(6);
	done(6);
	start(7);
	if (vfork() == 0) {
		done(100);
		start(8);
		_exit(0);
	}
	if (fork() == 0) {
		done(200);
		_exit(0);
	}
	(void)wait(NULL);
	(void)wait(NULL);
	done(300);
}

/*
 * Waits until the process has one task: a thread that was joined is one for
 * some time.  The directory has a link for each, beside two others.
 */
static void
wait_alone(void)
{
	struct stat st;

	while (stat("/proc/self/task", &st) == 0 && st.st_nlink > 2 + 1)
		sched_yield();
}

static bool
target(char *argv[])
{
	unsigned long count = argv[2] != NULL ? strtoul(argv[2], NULL, 0) : 0;

	if (strcmp(argv[1], "threads") == 0)
		threads(count);
	else if (strcmp(argv[1], "crowd") == 0)
		crowd(count);
	else if (strcmp(argv[1], "pairs") == 0)
		pairs(count);
	else if (strcmp(argv[1], "aborted") == 0)
		aborted(count);
	else if (strcmp(argv[1], "children") == 0)
		children();
	else if (strcmp(argv[1], "twice") == 0) {
		threads(count);
		wait_alone();
		raise(SIGSTOP);
		threads(count);
	} else
		return (false);
	return (true);
}

/* ------------------------------------------------------------ self-> */

#define SELF		TBUF_SCOPE_THREAD

static const struct tbuf_d_variable of_threads[] = {
	{ .name = "n", .scope = SELF, .id = 0, .shape = &made_integer },
	{ .name = "s", .scope = SELF, .id = 1, .shape = &made_string }
};

static void
variables_use(uint32_t n)
{
	made.script.variables = of_threads;
	made.script.nvariables = n;
}

/* self->n = n at the start; at the end, a nonzero one is recorded, then 0. */
static void
numbers_use(void)
{
	variables_use(1);
	CLAUSE(&made, "test:::start", NULL, W(LDA, 1, 0, 0, 0),
	    W(STV, 1, 0, SELF, 0));
	CLAUSE(&made, "test:::done", &made_number, W(LDV, 1, 0, SELF, 0),
	    W(JZ, 1, 0, 0, 5), W(ROOM, 0, 0, 0, 0), W(PUT, 1, 0, 0, 8),
	    W(EMIT, 0, 0, 0, 0), W(LDI, 1, 0, 0, 0), W(STV, 1, 0, SELF, 0));
}

START_TEST(each_thread_has_its_own)
{
	numbers_use();
	clause_spawn(consumer, "threads", "4");
	clause_run(consumer, &made);
	expect("done 1\ndone 2\ndone 3\ndone 4\n");
}
END_TEST

/* Later fires load and store by a plan. */
START_TEST(later_fires_load_and_store)
{
	variables_use(1);
	CLAUSE(&made, "test:::start", NULL, W(LDA, 1, 0, 0, 0),
	    W(STV, 1, 0, SELF, 0));
	CLAUSE(&made, "test:::done", &made_number, W(LDV, 1, 0, SELF, 0),
	    W(JZ, 1, 0, 0, 2), W(PUT, 1, 0, 0, 8), W(EMIT, 0, 0, 0, 0));
	clause_spawn(consumer, "pairs", "5");
	clause_run(consumer, &made);
	/* Ends without a start find the value that was stored last. */
	expect("done 1\ndone 2\ndone 3\ndone 4\ndone 4\ndone 4\n");
}
END_TEST

/* Stored times are the clock's, and rise. */
START_TEST(later_times_are_stored)
{
	int64_t last = (int64_t)tbuf_now() - 1000000;
	struct tbuf_event e;
	unsigned records = 0;

	variables_use(1);
	CLAUSE(&made, "test:::start", NULL,
	    W(LDB, 1, 0, 0, TBUF_BUILTIN_TIMESTAMP), W(STV, 1, 0, SELF, 0));
	CLAUSE(&made, "test:::done", &made_number, W(LDV, 1, 0, SELF, 0),
	    W(PUT, 1, 0, 0, 8), W(EMIT, 0, 0, 0, 0));
	clause_spawn(consumer, "pairs", "5");
	clause_begin(consumer, &made);
	while (tbuf_consumer_work(consumer) > 0 || records == 0)
		while (tbuf_consumer_next(consumer, &e) > 0)
			if (e.type == TBUF_EVENT_RECORD) {
				ck_assert_int_ge(e.record.pieces[0].i, last);
				last = e.record.pieces[0].i;
				records++;
			}
	ck_assert_uint_eq(records, 7);
	ck_assert_int_lt(last, (int64_t)tbuf_now() + 1000000);
}
END_TEST

static const struct tbuf_d_aggregation passed = {
	.name = "t", .function = TBUF_AGG_QUANTIZE, .is_signed = 1
};

/* Each pair took at least a millisecond, more than 2^19 ns. */
static int
passed_look(void *argument, const struct tbuf_tuple *tuple)
{
	const struct tbuf_gathered *v = &tuple->values[0];
	int64_t *times = argument;
	unsigned i;

	for (i = 0; i < v->nbuckets; i++)
		if (v->buckets[i].count != 0) {
			ck_assert_int_ge(v->buckets[i].low, 1 << 19);
			ck_assert_int_lt(v->buckets[i].low, INT64_C(1) << 40);
			*times += v->buckets[i].count;
		}
	return (0);
}

/* self->n = timestamp; the end aggregates the time since, then stores 0. */
static void
passed_run(const struct tbuf_d_aggregation *aggregation, uint64_t update,
    const char *kind)
{
	static uint64_t code[] = {
		W(LDV, 1, 0, SELF, 0), W(JZ, 1, 0, 0, 7),
		W(LDB, 1, 0, 0, TBUF_BUILTIN_TIMESTAMP), W(LDV, 2, 0, SELF, 0),
		W(SUB, 1, 1, 2, 0), W(LDI, 2, 0, 0, 1), 0,
		W(LDI, 1, 0, 0, 0), W(STV, 1, 0, SELF, 0)
	};

	code[6] = update;
	variables_use(1);
	made.script.aggregations = aggregation;
	made.script.naggregations = 1;
	CLAUSE(&made, "test:::start", NULL,
	    W(LDB, 1, 0, 0, TBUF_BUILTIN_TIMESTAMP), W(STV, 1, 0, SELF, 0));
	made_clause(&made, "test:::done", code, sizeof(code) / sizeof(code[0]),
	    NULL, 0);
	clause_spawn(consumer, kind, "5");
	clause_run(consumer, &made);
	expect("");
}

START_TEST(time_that_has_passed_is_counted)
{
	static const char *const kinds[] = { "pairs", "aborted" };
	static const uint32_t id = 0;
	int64_t times = 0;

	passed_run(&passed, W(UPD, 1, 2, TBUF_AGG_QUANTIZE, 0), kinds[_i]);
	ck_assert_int_eq(tbuf_consumer_aggregates(consumer, &id, 1,
	    passed_look, &times), 0);
	ck_assert_int_eq(times, 5);
}
END_TEST

static int
sum_look(void *argument, const struct tbuf_tuple *tuple)
{
	*(int64_t *)argument = tuple->values[0].value;
	return (0);
}

/* The sum has at least five milliseconds; sum() has a step of its own. */
START_TEST(time_that_has_passed_is_summed)
{
	static const struct tbuf_d_aggregation total = {
		.name = "t", .function = TBUF_AGG_SUM, .is_signed = 1
	};
	static const uint32_t id = 0;
	int64_t sum = 0;

	passed_run(&total, W(UPD, 1, 2, TBUF_AGG_SUM, 0), "pairs");
	ck_assert_int_eq(tbuf_consumer_aggregates(consumer, &id, 1, sum_look,
	    &sum), 0);
	ck_assert_int_ge(sum, 5 << 19);
	ck_assert_int_lt(sum, INT64_C(1) << 40);
}
END_TEST

/* The variable is NULL, then a string, then NULL again. */
START_TEST(texts_are_kept)
{
	variables_use(2);
	CLAUSE(&made, "test:::start", &made_number, W(LDR, 1, 0, SELF, 1),
	    W(ROOM, 0, 0, 0, 0), W(PUT, 1, 0, 0, 8), W(EMIT, 0, 0, 0, 0),
	    W(LDC, 1, 0, 0, 0), W(STT, 1, 0, SELF, 1));
	CLAUSE(&made, "test:::done", &made_text, W(LDR, 1, 0, SELF, 1),
	    W(ROOM, 0, 0, 0, 0), W(PUTT, 1, 0, 0, 0), W(EMIT, 0, 0, 0, 0),
	    W(LDI, 1, 0, 0, 0), W(STT, 1, 0, SELF, 1));
	CLAUSE(&made, "test:::done", &made_number, W(LDR, 1, 0, SELF, 1),
	    W(ROOM, 0, 0, 0, 0), W(PUT, 1, 0, 0, 8), W(EMIT, 0, 0, 0, 0));
	clause_spawn(consumer, "threads", "2");
	clause_run(consumer, &made);
	expect("start 0\ndone 'hello'\ndone 0\n"
	    "start 0\ndone 'hello'\ndone 0\n");
}
END_TEST

/* With a crowd every lock lane may be held: that, too, ends the clause. */
static uint64_t
dropped(const struct tbuf_event *e)
{
	return (e->type == TBUF_EVENT_DYNAMIC || e->type == TBUF_EVENT_DROPS ?
	    e->count : 0);
}

/* A store without a free block is a drop, and ends its clause. */
START_TEST(stores_without_room_are_drops)
{
	uint64_t records = 0, drops = 0;
	struct tbuf_event e;

	ck_assert_int_eq(tbuf_consumer_set(consumer, "dynvarsize", "64"), 0);
	numbers_use();
	CLAUSE(&made, "test:::start", &made_number, W(LDA, 1, 0, 0, 0),
	    W(STV, 1, 0, SELF, 0), W(ROOM, 0, 0, 0, 0), W(LDI, 1, 0, 0, 0),
	    W(PUT, 1, 0, 0, 8), W(EMIT, 0, 0, 0, 0));
	clause_spawn(consumer, "crowd", "5");
	clause_begin(consumer, &made);
	while (tbuf_consumer_work(consumer) > 0)
		while (tbuf_consumer_next(consumer, &e) > 0) {
			records += e.type == TBUF_EVENT_RECORD;
			drops += dropped(&e);
		}
	while (tbuf_consumer_next(consumer, &e) > 0) {
		records += e.type == TBUF_EVENT_RECORD;
		drops += dropped(&e);
	}
	/* Two blocks of 32 exist; three threads drop in each of two clauses. */
	ck_assert_uint_eq(records, 2);
	ck_assert_uint_eq(drops, 6);
}
END_TEST

START_TEST(children_have_none)
{
	numbers_use();
	ck_assert_int_eq(tbuf_consumer_set(consumer, "follow", NULL), 0);
	clause_spawn(consumer, "children", "0");
	clause_run(consumer, &made);
	expect("done 6\ndone 7\n1 dynamic\n");
}
END_TEST

/* ------------------------------------------------------------ dead threads */

/* Their blocks are free for later threads. */
START_TEST(dead_threads_leave_room)
{
	int status;
	pid_t pid;

	ck_assert_int_eq(tbuf_consumer_set(consumer, "dynvarsize", "128"), 0);
	ck_assert_int_eq(tbuf_consumer_set(consumer, "cleanrate", "1hz"), 0);
	variables_use(1);
	CLAUSE(&made, "test:::start", NULL, W(LDA, 1, 0, 0, 0),
	    W(STV, 1, 0, SELF, 0));
	CLAUSE(&made, "test:::done", &made_number, W(LDV, 1, 0, SELF, 0),
	    W(ROOM, 0, 0, 0, 0), W(PUT, 1, 0, 0, 8), W(EMIT, 0, 0, 0, 0));
	pid = clause_spawn(consumer, "twice", "4");
	clause_begin(consumer, &made);
	ck_assert_int_eq(waitpid(pid, &status, WUNTRACED), pid);
	ck_assert(WIFSTOPPED(status));
	tbuf_variables_clean(consumer, tbuf_now() + TBUF_SECOND);
	kill(pid, SIGCONT);
	while (script_work(consumer) > 0)
		continue;
	expect("done 1\ndone 2\ndone 3\ndone 4\n"
	    "done 1\ndone 2\ndone 3\ndone 4\n");
}
END_TEST

/* ------------------------------------------------------------ in place */

static const struct tbuf_d_shape made_structure = {
	.kind = TBUF_KIND_STRUCT, .size = 16, .name = "struct s"
};
static const struct tbuf_d_variable structures[] = {
	{ .name = "g", .scope = TBUF_SCOPE_GLOBAL, .id = 0,
	  .shape = &made_structure },
	{ .name = "t", .scope = SELF, .id = 0, .shape = &made_structure }
};

/* Members of one and four bytes, at odd and even places, and their gaps. */
#define MEMBERS								\
	W(LDA, 2, 0, 0, 0), W(ST1, 2, 1, 0, 3), W(LDI, 3, 0, 0, -2),	\
	W(ST4, 3, 1, 0, 12), W(ST1, 3, 1, 0, 4)
#define MEMBERS_SHOWN							\
	W(ROOM, 0, 0, 0, 0), W(LD8, 2, 1, 0, 0), W(PUT, 2, 0, 0, 8),	\
	W(EMIT, 0, 0, 0, 0), W(LD4S, 2, 1, 0, 12), W(PUT, 2, 0, 0, 8),	\
	W(EMIT, 0, 0, 0, 0)

START_TEST(members_of_globals_are_stored)
{
	made.script.variables = structures;
	made.script.nvariables = 1;
	CLAUSE(&made, "test:::start", NULL, W(LDR, 1, 0, 0, 0), MEMBERS);
	CLAUSE(&made, "test:::done", &made_number, W(LDR, 1, 0, 0, 0),
	    MEMBERS_SHOWN);
	clause_spawn(consumer, "threads", "2");
	clause_run(consumer, &made);
	/* 0xfe01000000 */
	expect("done 1090938470400\ndone -2\n"
	    "done 1090955247616\ndone -2\n");
}
END_TEST

/* The structure is made by the first store to it. */
START_TEST(members_of_threads_are_stored)
{
	made.script.variables = structures;
	made.script.nvariables = 2;
	CLAUSE(&made, "test:::start", NULL, W(LDR, 1, 0, SELF, 0),
	    W(JNZ, 1, 0, 0, 4), W(TMP, 1, 0, 0, 16), W(LDI, 2, 0, 0, 16),
	    W(STB, 1, 2, SELF, 0), W(LDR, 1, 0, SELF, 0), MEMBERS);
	CLAUSE(&made, "test:::done", &made_number, W(LDR, 1, 0, SELF, 0),
	    MEMBERS_SHOWN);
	clause_spawn(consumer, "threads", "2");
	clause_run(consumer, &made);
	expect("done 1090938470400\ndone -2\n"
	    "done 1090955247616\ndone -2\n");
}
END_TEST

/* ------------------------------------------------------------ arrays */

#define ARRAY		TBUF_SCOPE_ARRAY
#define OWN_ARRAY	TBUF_SCOPE_THREAD_ARRAY

static const struct tbuf_d_piece number_key = {
	.kind = TBUF_PIECE_INTEGER, .bytes = 8, .shape = &made_integer
};
static const struct tbuf_d_piece both_keys[] = {
	{ .kind = TBUF_PIECE_TEXT, .shape = &made_string },
	{ .kind = TBUF_PIECE_INTEGER, .bytes = 8, .shape = &made_integer }
};
static const struct tbuf_d_variable arrays[] = {
	{ .name = "x", .scope = ARRAY, .id = 0, .shape = &made_integer,
	  .keys = &number_key, .nkeys = 1 },
	{ .name = "y", .scope = OWN_ARRAY, .id = 0, .shape = &made_integer,
	  .keys = &number_key, .nkeys = 1 },
	{ .name = "z", .scope = ARRAY, .id = 1, .shape = &made_string,
	  .keys = both_keys, .nkeys = 2 }
};

static void
arrays_use(uint32_t n)
{
	made.script.variables = arrays;
	made.script.nvariables = n;
}

#define BY_ARGUMENT							\
	W(KEYN, 0, 0, 0, 0), W(LDA, 1, 0, 0, 0), W(KEY, 1, 0, 0, 8)
#define SHOWN								\
	W(ROOM, 0, 0, 0, 0), W(PUT, 1, 0, 0, 8), W(EMIT, 0, 0, 0, 0)

/* A set has eight elements; an element that becomes 0 is freed. */
START_TEST(elements_are_freed_by_0)
{
	char expected[512];

	ck_assert_int_eq(tbuf_consumer_set(consumer, "dynvarsize", "384"), 0);
	arrays_use(1);
	CLAUSE(&made, "test:::number", NULL, BY_ARGUMENT,
	    W(ADDI, 1, 1, 0, 100), W(STV, 1, 0, ARRAY, 0));
	CLAUSE(&made, "test:::number", &made_number, BY_ARGUMENT,
	    W(LDV, 1, 0, ARRAY, 0), SHOWN);
	/* The fourth fire and later ones free that of three before. */
	CLAUSE(&made, "test:::number", NULL, W(JALTI, 0, 6, 0, 3),
	    W(KEYN, 0, 0, 0, 0), W(LDA, 1, 0, 0, 0), W(SUBI, 1, 1, 0, 3),
	    W(KEY, 1, 0, 0, 8), W(LDI, 1, 0, 0, 0), W(STV, 1, 0, ARRAY, 0));
	clause_spawn(consumer, "numbers", "12");
	clause_run(consumer, &made);
	*expected = '\0';
	for (int n = 0; n < 12; n++)
		sprintf(strchr(expected, '\0'), "number %d\n", 100 + n);
	expect(expected);
}
END_TEST

START_TEST(elements_without_room_are_drops)
{
	char expected[512];

	ck_assert_int_eq(tbuf_consumer_set(consumer, "dynvarsize", "384"), 0);
	arrays_use(1);
	CLAUSE(&made, "test:::number", &made_number, BY_ARGUMENT,
	    W(ADDI, 1, 1, 0, 100), W(STV, 1, 0, ARRAY, 0), SHOWN);
	clause_spawn(consumer, "numbers", "11");
	clause_run(consumer, &made);
	*expected = '\0';
	for (int n = 0; n < 8; n++)
		sprintf(strchr(expected, '\0'), "number %d\n", 100 + n);
	strcat(expected, "3 dynamic\n");
	expect(expected);
}
END_TEST

/* A thread sees nothing of an earlier one's array. */
START_TEST(threads_have_arrays)
{
	arrays_use(2);
	CLAUSE(&made, "test:::start", &made_number, W(KEYN, 0, 0, 0, 0),
	    W(LDI, 2, 0, 0, 5), W(KEY, 2, 0, 0, 8),
	    W(LDV, 1, 0, OWN_ARRAY, 0), SHOWN);
	CLAUSE(&made, "test:::start", NULL, W(KEYN, 0, 0, 0, 0),
	    W(LDI, 2, 0, 0, 5), W(KEY, 2, 0, 0, 8), W(LDA, 1, 0, 0, 0),
	    W(STV, 1, 0, OWN_ARRAY, 0));
	CLAUSE(&made, "test:::done", &made_number, W(KEYN, 0, 0, 0, 0),
	    W(LDI, 2, 0, 0, 5), W(KEY, 2, 0, 0, 8),
	    W(LDV, 1, 0, OWN_ARRAY, 0), SHOWN);
	clause_spawn(consumer, "threads", "3");
	clause_run(consumer, &made);
	expect("start 0\ndone 1\nstart 0\ndone 2\nstart 0\ndone 3\n");
}
END_TEST

#define BY_TEXT								\
	W(KEYN, 0, 0, 0, 0), W(LDAT, 1, 0, 0, 0), W(KEYT, 1, 0, 0, 0),	\
	W(LDI, 1, 0, 0, 7), W(KEY, 1, 0, 0, 8)

START_TEST(texts_are_keys_and_elements)
{
	arrays_use(3);
	CLAUSE(&made, "test:::text", &made_number, BY_TEXT,
	    W(LDR, 1, 0, ARRAY, 1), SHOWN);
	CLAUSE(&made, "test:::text", NULL, W(LDC, 2, 0, 0, 0), BY_TEXT,
	    W(STT, 2, 0, ARRAY, 1));
	/* The second store replaces the value. */
	CLAUSE(&made, "test:::text", NULL, W(LDC, 2, 0, 0, 6), BY_TEXT,
	    W(STT, 2, 0, ARRAY, 1));
	CLAUSE(&made, "test:::text", &made_text, BY_TEXT,
	    W(LDR, 1, 0, ARRAY, 1), W(ROOM, 0, 0, 0, 0),
	    W(PUTT, 1, 0, 0, 0), W(EMIT, 0, 0, 0, 0));
	CLAUSE(&made, "test:::text", &made_number, W(LDI, 2, 0, 0, 0),
	    BY_TEXT, W(STT, 2, 0, ARRAY, 1), BY_TEXT,
	    W(LDR, 1, 0, ARRAY, 1), SHOWN);
	clause_spawn(consumer, "texts", "2");
	clause_run(consumer, &made);
	expect("text 0\ntext 'kvd'\ntext 0\n"
	    "text 0\ntext 'kvd'\ntext 0\n");
}
END_TEST

#define BODY	(4 * sizeof(uint64_t))	/* head, and one word of a key */

struct listed {
	struct tbuf_code_element head;
	uint64_t body[4];
};

static uint64_t
begin_with(struct listed *list, uint64_t size, uint64_t *pair)
{
	static _Alignas(16) unsigned char memory[TBUF_ELEMENT_SET *
	    (16 + BODY)];
	struct tbuf_sets sets;
	uint64_t drops;

	memset(memory, 0, sizeof(memory));
	ck_assert(tbuf_sets_make(&sets, memory, sizeof(memory), BODY));
	drops = tbuf_elements_begin(&sets, (unsigned char *)list, size);
	memcpy(pair, memory, 2 * sizeof(*pair));
	return (drops);
}

/* A session's first elements come from a file, which may be wrong. */
START_TEST(lists_of_elements_are_checked)
{
	const struct tbuf_code_element lies[] = {
		{ .size = BODY - 4 }, { .size = BODY + 8 }, { .size = 16 },
		{ .size = UINT32_MAX - 7 }, { .size = BODY, .bytes = 16 },
		{ .size = BODY, .bytes = UINT32_MAX }, { .size = 0 }
	};
	struct listed list[TBUF_ELEMENT_SET + 1];
	uint64_t pair[2], i;

	memset(list, 0, sizeof(list));
	for (i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		list[0].head = lies[i];
		list[0].head.value = 7;
		ck_assert_uint_eq(begin_with(list, sizeof(list), pair), 0);
		ck_assert_uint_eq(pair[0] | pair[1], 0);
	}
	for (i = 0; i <= TBUF_ELEMENT_SET; i++) {
		list[i].head = (struct tbuf_code_element){
			.value = 7, .size = BODY };
		list[i].body[3] = i;
	}
	for (i = 1; i < sizeof(list[0]); i++) {
		ck_assert_uint_eq(begin_with(list, i, pair), 0);
		ck_assert_uint_eq(pair[0] | pair[1], 0);
	}
	ck_assert_uint_eq(begin_with(list, sizeof(list), pair), 1);
	ck_assert_uint_eq(pair[0] & 3, TBUF_ELEMENT_LIVE);
	ck_assert_uint_eq(pair[1], 7);
}
END_TEST

static TCase *
cases(const char *name)
{
	const char *sanitizer = getenv("SANITIZER");
	TCase *t = clause_case(name);

	tcase_add_checked_fixture(t, by_time, NULL);
	tcase_add_test(t, each_thread_has_its_own);
	tcase_add_test(t, later_fires_load_and_store);
	tcase_add_test(t, later_times_are_stored);
	tcase_add_loop_test(t, time_that_has_passed_is_counted, 0, 2);
	tcase_add_test(t, time_that_has_passed_is_summed);
	tcase_add_test(t, texts_are_kept);
	tcase_add_test(t, stores_without_room_are_drops);
	/* A sanitizer's own vfork(2) does not announce children. */
	if (sanitizer == NULL || *sanitizer == '\0')
		tcase_add_test(t, children_have_none);
	tcase_add_test(t, dead_threads_leave_room);
	tcase_add_test(t, members_of_globals_are_stored);
	tcase_add_test(t, members_of_threads_are_stored);
	tcase_add_test(t, elements_are_freed_by_0);
	tcase_add_test(t, elements_without_room_are_drops);
	tcase_add_test(t, threads_have_arrays);
	tcase_add_test(t, texts_are_keys_and_elements);
	tcase_add_test(t, lists_of_elements_are_checked);
	return (t);
}

static Suite *
make(void)
{
	return (clause_suite("variables", cases));
}

int
main(int argc, char *argv[])
{
	if (argc > 1 && target(argv))
		return (0);
	return (clause_main(argc, argv, make));
}
