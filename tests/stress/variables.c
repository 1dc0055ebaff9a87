/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Variables of clauses in targets, while threads begin and end, signals and
 * moves happen, and the target is killed.  A thread finds at `done` the value
 * that it stored at `start`, or the access was a drop; it never finds another
 * thread's value; freed elements stay free; structures are not torn.  Clauses
 * of the consumer share elements with all threads.
 *
 *	variables [-s seed] [targets]
 */
#include <sys/mman.h>
#include <sys/time.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/atomics.h"
#include "common.h"
#include "consumer/files/files.h"
#include "consumer/run/run.h"
#include "consumer/script/script.h"
#include "lib/machine_word.h"
#include "shared/program_file.h"

#define PAIRS_MAX	30000u
#define WORKERS_MAX	8u
#define HANDLERS	WORKERS_MAX	/* first number of a handler */
#define KEYS		32u		/* keys shared by all threads */
#define CHURN		100000u		/* threads, one after the other */
#define SHARED		1000u		/* accesses by the consumer a round */

/* ------------------------------------------------------------ the script */

#define SELF	TBUF_SCOPE_THREAD
#define ARRAY	TBUF_SCOPE_ARRAY

/* Counters: three for each kind of variable, then single errors. */
enum { GOOD, NONE, BAD, OWN = 0, HANDLER = 3, ELEMENT = 6, STALE = 9,
    FOREIGN, TORN, MEMBER, COUNTS = MEMBER + 3 };

/* r1 = writer << 32 | number of the pair */
#define VALUE								\
	W(LDA, 1, 0, 0, 0), W(SHLI, 1, 1, 0, 32), W(LDA, 2, 0, 0, 1),	\
	W(OR, 1, 1, 2, 0)
#define BY_PAIR								\
	W(KEYN, 0, 0, 0, 0), W(LDA, 3, 0, 0, 0), W(KEY, 3, 0, 0, 8),	\
	W(LDA, 3, 0, 0, 1), W(KEY, 3, 0, 0, 8)
#define BY_KEY								\
	W(KEYN, 0, 0, 0, 0), W(LDA, 3, 0, 0, 2), W(KEY, 3, 0, 0, 8)
/* A key that two threads may use at the same time. */
#define BY_TURN								\
	W(KEYN, 0, 0, 0, 0), W(LDA, 3, 0, 0, 4), W(KEY, 3, 0, 0, 8)
#define COUNT(id)							\
	W(LDI, 4, 0, 0, 1), W(LDI, 5, 0, 0, 1), W(LDI, 6, 0, 0, 0),	\
	W(UPD, 4, 5, TBUF_AGG_COUNT, id)
/* Compares r7, the value found, with r1. */
#define JUDGE(what)							\
	W(JEQ, 7, 1, 0, 11), W(JZ, 7, 0, 0, 5),				\
	COUNT((what) + BAD), W(JMP, 0, 0, 0, 9),			\
	COUNT((what) + NONE), W(JMP, 0, 0, 0, 4), COUNT((what) + GOOD)

/*
 * A handler's variable is 0 outside of handlers, or its block was not cleared.
 */
static const uint64_t is_0_at_first[] = {
	W(LDV, 7, 0, SELF, 1), W(JZ, 7, 0, 0, 4), COUNT(STALE)
};
static const uint64_t own_store[] = { VALUE, W(STV, 1, 0, SELF, 0) };
static const uint64_t own_judge[] = {
	VALUE, W(LDV, 7, 0, SELF, 0), JUDGE(OWN)
};
static const uint64_t own_free[] = {
	W(LDI, 1, 0, 0, 0), W(STV, 1, 0, SELF, 0)
};
static const uint64_t handler_store[] = { VALUE, W(STV, 1, 0, SELF, 1) };
static const uint64_t handler_judge[] = {
	VALUE, W(LDV, 7, 0, SELF, 1), JUDGE(HANDLER)
};
static const uint64_t handler_free[] = {
	W(LDI, 1, 0, 0, 0), W(STV, 1, 0, SELF, 1)
};
static const uint64_t element_store[] = {
	VALUE, BY_PAIR, W(STV, 1, 0, ARRAY, 0)
};
static const uint64_t element_judge[] = {
	VALUE, BY_PAIR, W(LDV, 7, 0, ARRAY, 0), JUDGE(ELEMENT)
};
static const uint64_t element_free[] = {
	W(LDI, 1, 0, 0, 0), BY_PAIR, W(STV, 1, 0, ARRAY, 0)
};
/* The low byte of the common elements is their key. */
static const uint64_t common_store[] = {
	VALUE, W(SHLI, 1, 1, 0, 8), W(LDA, 2, 0, 0, 2), W(OR, 1, 1, 2, 0),
	BY_KEY, W(STV, 1, 0, ARRAY, 1)
};
static const uint64_t common_judge[] = {
	BY_KEY, W(LDV, 7, 0, ARRAY, 1), W(JZ, 7, 0, 0, 7),
	W(ANDI, 7, 7, 0, 0xff), W(LDA, 2, 0, 0, 2), W(JEQ, 7, 2, 0, 4),
	COUNT(FOREIGN)
};
static const uint64_t common_free[] = {
	W(LDA, 1, 0, 0, 3), W(JZ, 1, 0, 0, 5), W(LDI, 1, 0, 0, 0), BY_KEY,
	W(STV, 1, 0, ARRAY, 1)
};

/*
 * Structures shared by all threads.  In one, each thread has a member, which
 * must have the value that it stored; the other has two halves of eight equal
 * words each.
 */
static const uint64_t member_store[] = {
	VALUE, BY_TURN, W(LDR, 8, 0, ARRAY, 2), W(JNZ, 8, 0, 0, 10),
	W(TMP, 8, 0, 0, 0), W(LDI, 9, 0, 0, 0), BY_TURN,
	W(STB, 8, 9, ARRAY, 2), BY_TURN, W(LDR, 8, 0, ARRAY, 2),
	W(LDA, 9, 0, 0, 0), W(SHLI, 9, 9, 0, 3), W(ADD, 8, 8, 9, 0),
	W(ST8, 1, 8, 0, 0)
};
static const uint64_t member_judge[] = {
	VALUE, W(LDI, 7, 0, 0, 0), BY_TURN, W(LDR, 8, 0, ARRAY, 2),
	W(JZ, 8, 0, 0, 4), W(LDA, 9, 0, 0, 0), W(SHLI, 9, 9, 0, 3),
	W(ADD, 8, 8, 9, 0), W(LD8, 7, 8, 0, 0), JUDGE(MEMBER)
};
#define WORD(n)	W(ST8, 1, 8, 0, 8 * (n))
static const uint64_t whole_store[] = {
	VALUE, W(TMP, 8, 0, 0, 128), WORD(0), WORD(1), WORD(2), WORD(3),
	WORD(4), WORD(5), WORD(6), WORD(7), WORD(8), WORD(9), WORD(10),
	WORD(11), WORD(12), WORD(13), WORD(14), WORD(15),
	W(LDI, 9, 0, 0, 128), BY_KEY, W(STB, 8, 9, ARRAY, 3)
};
static const uint64_t half_store[] = {
	VALUE, W(TMP, 9, 0, 0, 64), W(ST8, 1, 9, 0, 0), W(ST8, 1, 9, 0, 8),
	W(ST8, 1, 9, 0, 16), W(ST8, 1, 9, 0, 24), W(ST8, 1, 9, 0, 32),
	W(ST8, 1, 9, 0, 40), W(ST8, 1, 9, 0, 48), W(ST8, 1, 9, 0, 56),
	BY_KEY, W(LDR, 8, 0, ARRAY, 3), W(JZ, 8, 0, 0, 4),
	W(ADDI, 10, 8, 0, 64), W(LDI, 11, 0, 0, 64),
	/* bcopy(r9, r10, r11) */
	W(CALL, 12, 9, 3, TBUF_SUB_BCOPY), W(LDI, 12, 0, 0, 0)
};
#define SAME(at)	W(LD8, 2, 8, 0, 8 * (at)), W(OR, 3, 3, 2, 0),	\
	W(AND, 4, 4, 2, 0)
#define HALF(at)							\
	W(LD8, 3, 8, 0, 8 * (at)), W(MOV, 4, 3, 0, 0), SAME((at) + 1),	\
	SAME((at) + 2), SAME((at) + 3), SAME((at) + 4), SAME((at) + 5),	\
	SAME((at) + 6), SAME((at) + 7)
static const uint64_t whole_judge[] = {
	BY_KEY, W(LDR, 8, 0, ARRAY, 3), W(JZ, 8, 0, 0, 56),
	HALF(0), W(JEQ, 3, 4, 0, 4), COUNT(TORN),
	HALF(8), W(JEQ, 3, 4, 0, 4), COUNT(TORN)
};

/*
 * One program for each probe uses the variables above, by a plan.  A program
 * reads its own store back at once.
 */
#define STORE_ALONE(id)							\
	VALUE, W(STV, 1, 0, SELF, id), W(LDV, 7, 0, SELF, id),		\
	W(JEQ, 7, 1, 0, 4), COUNT(STALE)
#define JUDGE_ALONE(id, what)						\
	VALUE, W(LDV, 7, 0, SELF, id), JUDGE(what),			\
	W(LDI, 1, 0, 0, 0), W(STV, 1, 0, SELF, id),			\
	W(LDV, 7, 0, SELF, id), W(JZ, 7, 0, 0, 4), COUNT(STALE)
static const uint64_t own_store_alone[] = { STORE_ALONE(0) };
static const uint64_t own_judge_alone[] = { JUDGE_ALONE(0, OWN) };
static const uint64_t handler_store_alone[] = { STORE_ALONE(1) };
static const uint64_t handler_judge_alone[] = { JUDGE_ALONE(1, HANDLER) };

/*
 * Plans that do not need the machine use the variables above.  The value stored
 * is the common key, which is not 0; the value found is counted under two keys:
 * itself and the expected value.
 */
#define STORE_SHORT(id)							\
	W(LDA, 1, 0, 0, 2), W(STV, 1, 0, SELF, id)
#define JUDGE_SHORT(id, what)						\
	W(LDV, 1, 0, SELF, id), W(JZ, 1, 0, 0, 11),			\
	W(LDV, 7, 0, SELF, id), W(KEYN, 0, 0, 0, 0), W(KEY, 7, 0, 0, 8), \
	W(LDA, 3, 0, 0, 2), W(KEY, 3, 0, 0, 8), COUNT(what),		\
	W(LDI, 1, 0, 0, 0), W(STV, 1, 0, SELF, id)
static const uint64_t own_store_short[] = { STORE_SHORT(0) };
static const uint64_t own_judge_short[] = { JUDGE_SHORT(0, OWN) };
static const uint64_t handler_store_short[] = { STORE_SHORT(1) };
static const uint64_t handler_judge_short[] = { JUDGE_SHORT(1, HANDLER) };
/* These use elements, one for each pair. */
#define JUDGE_PAIR(what)						\
	BY_PAIR, W(LDV, 1, 0, ARRAY, 0), W(JZ, 1, 0, 0, 21),		\
	BY_PAIR, W(LDV, 7, 0, ARRAY, 0), W(KEYN, 0, 0, 0, 0),		\
	W(KEY, 7, 0, 0, 8), W(LDA, 3, 0, 0, 2), W(KEY, 3, 0, 0, 8),	\
	COUNT(what), W(LDI, 1, 0, 0, 0), BY_PAIR, W(STV, 1, 0, ARRAY, 0)
static const uint64_t pair_store_short[] = {
	W(LDA, 1, 0, 0, 2), BY_PAIR, W(STV, 1, 0, ARRAY, 0)
};
static const uint64_t pair_judge_short[] = { JUDGE_PAIR(OWN) };
static const uint64_t pair_judge_short_handler[] = { JUDGE_PAIR(HANDLER) };

static const struct tbuf_d_shape number = {
	.kind = TBUF_KIND_INTEGER, .size = 8, .name = "uint64_t"
};
static const struct tbuf_d_shape structure = {
	.kind = TBUF_KIND_STRUCT, .size = 128, .name = "struct s"
};
static const struct tbuf_d_piece keys[] = {
	{ .kind = TBUF_PIECE_INTEGER, .bytes = 8, .shape = &number },
	{ .kind = TBUF_PIECE_INTEGER, .bytes = 8, .shape = &number }
};
#define VARIABLE(s, n, k)						\
	{ .name = "v", .scope = (s), .id = (n), .shape = &number,	\
	  .keys = keys, .nkeys = (k) }
#define STRUCTURE(n)							\
	{ .name = "s", .scope = ARRAY, .id = (n), .shape = &structure,	\
	  .keys = keys, .nkeys = 1 }
static const struct tbuf_d_variable variables[] = {
	VARIABLE(SELF, 0, 0), VARIABLE(SELF, 1, 0), VARIABLE(ARRAY, 0, 2),
	VARIABLE(ARRAY, 1, 1), STRUCTURE(2), STRUCTURE(3)
};
static struct tbuf_d_aggregation counts[COUNTS];

#define PROGRAM(words)							\
	{ .code = (words), .length = sizeof(words) / sizeof((words)[0]) }
static const struct tbuf_d_program programs[] = {
	PROGRAM(is_0_at_first), PROGRAM(own_store), PROGRAM(own_judge),
	PROGRAM(own_free), PROGRAM(handler_store), PROGRAM(handler_judge),
	PROGRAM(handler_free), PROGRAM(element_store),
	PROGRAM(element_judge), PROGRAM(element_free),
	PROGRAM(common_store), PROGRAM(common_judge), PROGRAM(common_free),
	PROGRAM(own_store_alone), PROGRAM(own_judge_alone),
	PROGRAM(handler_store_alone), PROGRAM(handler_judge_alone),
	PROGRAM(own_store_short), PROGRAM(own_judge_short),
	PROGRAM(handler_store_short), PROGRAM(handler_judge_short),
	PROGRAM(member_store), PROGRAM(member_judge), PROGRAM(whole_store),
	PROGRAM(half_store), PROGRAM(whole_judge),
	PROGRAM(pair_store_short), PROGRAM(pair_judge_short),
	PROGRAM(pair_judge_short_handler)
};
static const char *const last = "stress:::last";
static const char *const start = "stress:::start";
static const char *const done = "stress:::done";
static const char *const handler_start = "stress:::handler-start";
static const char *const handler_done = "stress:::handler-done";
#define CLAUSE(where, n)	{					\
	.descriptions = &(where), .ndescriptions = 1,			\
	.programs = &programs[n], .nprograms = 1			\
}
static const struct tbuf_d_clause clauses[] = {
	CLAUSE(last, 4), CLAUSE(start, 1), CLAUSE(start, 0), CLAUSE(done, 2),
	CLAUSE(done, 3), CLAUSE(handler_start, 4), CLAUSE(handler_done, 5),
	CLAUSE(handler_done, 6),
	CLAUSE(start, 7), CLAUSE(done, 8), CLAUSE(done, 9),
	CLAUSE(handler_start, 7), CLAUSE(handler_done, 8),
	CLAUSE(handler_done, 9),
	CLAUSE(start, 11), CLAUSE(start, 10), CLAUSE(done, 11),
	CLAUSE(done, 12), CLAUSE(handler_start, 11),
	CLAUSE(handler_start, 10), CLAUSE(handler_done, 11),
	CLAUSE(handler_done, 12)
};
static const struct tbuf_d_clause alone[] = {
	CLAUSE(start, 13), CLAUSE(done, 14), CLAUSE(handler_start, 15),
	CLAUSE(handler_done, 16)
};
static const struct tbuf_d_clause shortest[] = {
	CLAUSE(start, 17), CLAUSE(done, 18), CLAUSE(handler_start, 19),
	CLAUSE(handler_done, 20)
};
static const struct tbuf_d_clause paired[] = {
	CLAUSE(start, 26), CLAUSE(done, 27), CLAUSE(handler_start, 26),
	CLAUSE(handler_done, 28)
};
static const struct tbuf_d_clause structures[] = {
	CLAUSE(start, 21), CLAUSE(start, 23), CLAUSE(done, 25),
	CLAUSE(done, 22), CLAUSE(done, 24), CLAUSE(handler_start, 21),
	CLAUSE(handler_start, 23), CLAUSE(handler_start, 25),
	CLAUSE(handler_done, 22), CLAUSE(handler_done, 24)
};
#define SCRIPT(list, n)	{						\
	.clauses = (list), .nclauses = sizeof(list) / sizeof((list)[0]), \
	.variables = variables, .nvariables = (n),			\
	.aggregations = counts, .naggregations = COUNTS			\
}
enum { CHAINS, ALONE, SHORT, PAIRS, STRUCTURES, SCRIPTS };
static const struct tbuf_d_script scripts[SCRIPTS] = {
	[CHAINS] = SCRIPT(clauses, 4), [ALONE] = SCRIPT(alone, 4),
	[SHORT] = SCRIPT(shortest, 4), [PAIRS] = SCRIPT(paired, 4),
	[STRUCTURES] = SCRIPT(structures, 6)
};
static const char *const names[SCRIPTS] = {
	"chains", "alone", "short", "pairs", "structures"
};
static unsigned which;

/* ------------------------------------------------------------ the target */

static struct stress_page *page;
static __thread unsigned whose = UINT32_MAX;
static __thread uint64_t drawn, key_now;
static uint64_t turns;

/* Returns a number below 1024 that two pairs have, which may overlap. */
static uint64_t
turn(void)
{
	return (tbuf_add(&turns, 1) / 2 % 1024);
}

static void
pair_begin(struct stress_counter *c)
{
	tbuf_store_release(&c->before, c->before + 1);
}

static void
pair_end(struct stress_counter *c)
{
	tbuf_store_release(&c->after, c->after + 1);
}

/* Fires in the handler with the key that its thread is using. */
static void
handler_pair(uint64_t key, uint64_t frees)
{
	uint64_t who = HANDLERS + whose, number = turn();
	struct stress_counter *c = &page->who[who];

	pair_begin(c);
	TBUF_PROBE(stress, handler__start, who, c->before, key, frees,
	    number);
	TBUF_PROBE(stress, handler__done, who, c->before, key, frees,
	    number);
	pair_end(c);
}

static void
handler(int signal)
{
	int saved = errno;

	(void)signal;
	if (whose == UINT32_MAX)
		return;
	handler_pair(1 + tbuf_load(&key_now) % KEYS, 1);
	handler_pair(1 + (tbuf_load(&key_now) + 1) % KEYS, 0);
	handler_pair(1 + (tbuf_load(&key_now) + 2) % KEYS, 0);
	errno = saved;
}

static void
move(void)
{
	cpu_set_t all, one;
	unsigned cpu = (unsigned)(stress_random(&drawn) % CPU_SETSIZE);

	if (sched_getaffinity(getpid(), sizeof(all), &all) != 0)
		return;
	while (!CPU_ISSET(cpu, &all))
		cpu = (cpu + 1) % CPU_SETSIZE;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	(void)sched_setaffinity(0, sizeof(one), &one);
}

/* Requests one signal soon; a periodic timer could leave the thread no time. */
static void
alarm_soon(void)
{
	const struct itimerval soon = { .it_value.tv_usec =
	    1 + (suseconds_t)(stress_random(&drawn) % 30) };

	setitimer(ITIMER_REAL, &soon, NULL);
}

/* A thread that fires some pairs, and leaves its last store unfreed. */
static void *
short_main(void *argument)
{
	uint64_t who = (uintptr_t)argument, pairs, key, frees, number;
	struct stress_counter *c = &page->who[who];
	sigset_t timer;

	whose = (unsigned)who;
	drawn = page->seed ^ c->before ^ who << 56;
	sigemptyset(&timer);
	sigaddset(&timer, SIGALRM);
	pthread_sigmask(SIG_UNBLOCK, &timer, NULL);
	for (pairs = 1 + stress_random(&drawn) % 31; pairs > 0; pairs--) {
		if ((page->flags & STRESS_MOVES) != 0 &&
		    stress_random(&drawn) % 8 == 0)
			move();
		if ((page->flags & STRESS_SIGNALS) != 0 &&
		    stress_random(&drawn) % 2 == 0)
			alarm_soon();
		pair_begin(c);
		key = stress_random(&drawn) % KEYS;
		frees = stress_random(&drawn) % 2;
		number = turn();
		tbuf_store(&key_now, key++);
		TBUF_PROBE(stress, start, who, c->before, key, frees, number);
		TBUF_PROBE(stress, done, who, c->before, key, frees, number);
		pair_end(c);
	}
	if (page->pause != 0)
		TBUF_PROBE(stress, last, who, UINT64_C(1));
	pthread_sigmask(SIG_BLOCK, &timer, NULL);
	return (NULL);
}

static void
short_run(uintptr_t who)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, short_main, (void *)who) != 0)
		err(1, "pthread_create");
	pthread_join(thread, NULL);
}

static void *
worker_main(void *argument)
{
	uintptr_t who = (uintptr_t)argument;

	while (page->fires == 0 || page->who[who].after < page->fires)
		short_run(who);
	return (NULL);
}

static void *
churn_main(void *argument)
{
	TBUF_PROBE(stress, start, UINT64_C(1), UINT64_C(1), UINT64_C(1),
	    UINT64_C(0), UINT64_C(0));
	return (argument);
}

static void
churn(void)
{
	pthread_t thread;
	unsigned i;

	for (i = 0; i < CHURN; i++) {
		if (pthread_create(&thread, NULL, churn_main, NULL) != 0)
			err(1, "pthread_create");
		pthread_join(thread, NULL);
		pair_end(&page->who[0]);
	}
}

static void
handle(void)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = handler;
	action.sa_flags = SA_RESTART;
	sigaction(SIGALRM, &action, NULL);
}

static void
target_main(int argc, char **argv)
{
	pthread_t threads[WORKERS_MAX];
	sigset_t timer;
	unsigned i;
	int fd;

	if (argc != 3 || strcmp(argv[1], "target") != 0)
		return;
	fd = open(argv[2], O_RDWR | O_CLOEXEC);
	page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED,
	    fd, 0);
	if (fd == -1 || page == MAP_FAILED)
		err(1, "%s", argv[2]);
	if (page->threads == 0) {
		churn();
		exit(0);
	}
	sigemptyset(&timer);
	sigaddset(&timer, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &timer, NULL);
	handle();
	for (i = 0; i < page->threads; i++)
		if (pthread_create(&threads[i], NULL, worker_main,
		    (void *)(uintptr_t)i) != 0)
			err(1, "pthread_create");
	for (i = 0; i < page->threads; i++)
		pthread_join(threads[i], NULL);
	exit(0);
}

/* ------------------------------------------------------------ the tester */

/* losses by cause: no lane, or no dynamic memory */
struct lost {
	uint64_t lanes, dynamic;
};

static uint64_t
count_of(struct tbuf_consumer *c, unsigned id)
{
	const struct tbuf_tally *t;

	TAILQ_FOREACH(t, &c->script->aggregates.tallies, link)
		if (t->id == id)
			return (t->words[0]);
	return (0);
}

/* Returns true if values found are counted under two keys. */
static bool
is_short(void)
{
	return (which == SHORT || which == PAIRS);
}

/* Sums the counts of tallies with two equal, or two different, key words. */
static uint64_t
count_both(struct tbuf_consumer *c, unsigned id, bool same)
{
	const struct tbuf_tally *t;
	uint64_t key[2], all = 0;

	TAILQ_FOREACH(t, &c->script->aggregates.tallies, link) {
		if (t->id != id)
			continue;
		STRESS_EXPECT(t->key_size == sizeof(key), "a key of %u bytes",
		    t->key_size);
		memcpy(key, t->key, sizeof(key));
		if ((key[0] == key[1]) == same)
			all += t->words[0];
	}
	return (all);
}

/* Fails unless the elements of all pairs are free and none is claimed. */
static void
check_elements(const struct tbuf_consumer *c, bool lost)
{
	const struct tbuf_target *t = TAILQ_FIRST(&c->targets);
	const struct tbuf_codes *codes = (const void *)((const char *)
	    c->programs + c->programs->parts[TBUF_PART_CODES].at);
	uint64_t size = TBUF_ELEMENT_SET * (16 + (uint64_t)codes->element);
	uint64_t *set = malloc(size), at, i;
	const uint64_t *body;

	if (t == NULL || set == NULL || lost) {
		free(set);
		return;
	}
	for (at = 0; at + size <= t->order.dynamic; at += size) {
		STRESS_EXPECT(tbuf_file_read(t->fd, set, size, t->area +
		    t->layout.dynamic + at), "no elements");
		for (i = 0; i < TBUF_ELEMENT_SET; i++) {
			body = set + 2 * TBUF_ELEMENT_SET +
			    i * codes->element / 8;
			STRESS_EXPECT((set[2 * i] & 3) <= TBUF_ELEMENT_LIVE,
			    "an element is claimed: %" PRIx64, set[2 * i]);
			STRESS_EXPECT((set[2 * i] & 3) == TBUF_ELEMENT_FREE ||
			    (body[1] & UINT16_MAX) != 0,
			    "an element of %" PRIu64 " %" PRIu64 " is left",
			    body[3], body[4]);
		}
	}
	free(set);
}

/* Fails unless each pair was good or is counted as lost. */
static void
check_pairs(struct tbuf_consumer *c, unsigned what, uint64_t before,
    uint64_t after, const struct lost *lost)
{
	const bool both = is_short();
	uint64_t good = both ? count_both(c, what, true) :
	    count_of(c, what + GOOD);
	uint64_t bad = both ? count_both(c, what, false) :
	    count_of(c, what + BAD);
	uint64_t none = both ? 0 : count_of(c, what + NONE);

	STRESS_EXPECT(good + none + bad <= before && good + lost->lanes +
	    lost->dynamic >= after, "%u: %" PRIu64 " good, %" PRIu64 " none, %"
	    PRIu64 " bad of %" PRIu64 " to %" PRIu64 ", lost %" PRIu64 " + %"
	    PRIu64, what, good, none, bad, after, before, lost->lanes,
	    lost->dynamic);
	STRESS_EXPECT(bad <= lost->lanes, "%u: %" PRIu64 " bad, %" PRIu64
	    " lost", what, bad, lost->lanes);
}

static uint64_t
sum(unsigned from, bool after)
{
	uint64_t all = 0;
	unsigned i;

	for (i = from; i < from + WORKERS_MAX; i++)
		all += after ? page->who[i].after : page->who[i].before;
	return (all);
}

/* Each store or load that failed must be counted as a drop. */
static void
check_structures(struct tbuf_consumer *c, const struct lost *lost)
{
	uint64_t good = count_of(c, MEMBER + GOOD);
	uint64_t bad = count_of(c, MEMBER + BAD) + count_of(c, MEMBER + NONE);
	uint64_t all = lost->lanes + lost->dynamic;

	STRESS_EXPECT(good + all >= sum(0, true) + sum(HANDLERS, true) &&
	    bad <= all, "members: %" PRIu64 " good, %" PRIu64 " bad of %"
	    PRIu64 ", lost %" PRIu64 " + %" PRIu64, good, bad, sum(0, true) +
	    sum(HANDLERS, true), lost->lanes, lost->dynamic);
	STRESS_EXPECT(count_of(c, TORN) == 0, "%" PRIu64 " structures were "
	    "not whole", count_of(c, TORN));
}

static void
check(struct tbuf_consumer *c, const struct lost *lost, bool killed)
{
	if (which == STRUCTURES) {
		check_structures(c, lost);
		return;
	}
	check_pairs(c, OWN, sum(0, false), sum(0, true), lost);
	check_pairs(c, HANDLER, sum(HANDLERS, false), sum(HANDLERS, true),
	    lost);
	if (which == CHAINS)
		check_pairs(c, ELEMENT, sum(0, false) + sum(HANDLERS, false),
		    sum(0, true) + sum(HANDLERS, true), lost);
	STRESS_EXPECT(count_of(c, STALE) <= lost->lanes, "%" PRIu64
	    " threads have found what was another's", count_of(c, STALE));
	STRESS_EXPECT(count_of(c, FOREIGN) == 0, "%" PRIu64
	    " elements were another key's", count_of(c, FOREIGN));
	if (!killed)
		check_elements(c, lost->lanes + lost->dynamic != 0);
}

static struct tbuf_consumer *
consumer_new(const char *dynvarsize)
{
	struct tbuf_consumer *c = tbuf_consumer_new();

	STRESS_EXPECT(c != NULL &&
	    tbuf_consumer_set(c, "dynvarsize", dynvarsize) == 0 &&
	    tbuf_consumer_set(c, "bufsize", "64k") == 0 &&
	    tbuf_consumer_set(c, "cleanrate", "1000hz") == 0 &&
	    tbuf_consumer_script(c, &scripts[which]) == 0, "%s",
	    tbuf_consumer_error(c));
	return (c);
}

/*
 * Accesses an element as the consumer: a number that contains its key, or a
 * structure with two halves of one value each.
 */
static void
share_one(struct tbuf_consumer *c, bool number, uint64_t random)
{
	const struct tbuf_script_sharing *sharing = c->script->sharing;
	uint64_t key = 1 + random % KEYS, words[16], i;
	struct tbuf_element e = {
		.key = (uint8_t *)&key, .key_size = sizeof(key),
		.id = number ? 1 : 3, .room = number ? 0 : sizeof(words),
		.bytes = (uint8_t *)words, .number = random << 8 | key
	};
	uint32_t half = random >> 32 & 1 ? 64 : 0;

	for (i = 0; i < 16; i++)
		words[i] = random;
	switch (random >> 33 & 3) {
	case 0:
		(void)sharing->push_element(c, &e, true);
		return;
	case 1:
		(void)sharing->push_element(c, &e, false);
		return;
	case 2:
		if (!number)
			(void)sharing->push_element_part(c, &e, half, 64);
		return;
	}
	if (sharing->pull_element(c, &e) != TBUF_ELEMENT_PRESENT)
		return;
	STRESS_EXPECT(!number || (e.number & UINT8_MAX) == key,
	    "an element of %" PRIu64 " is %" PRIx64, key, e.number);
	for (i = 0; i < 16; i++)
		STRESS_EXPECT(words[i] == words[i / 8 * 8],
		    "a structure is not whole here");
}

static struct lost
consume(struct tbuf_consumer *c)
{
	uint64_t random = page->seed, i;
	struct lost lost = { 0, 0 };
	struct stress_events events = { .counts = {
		[TBUF_EVENT_DROPS] = &lost.lanes,
		[TBUF_EVENT_AGGREGATION] = &lost.lanes,
		[TBUF_EVENT_DYNAMIC] = &lost.dynamic
	} };
	int result;

	while ((result = tbuf_consumer_work(c)) > 0) {
		stress_events_take(&events, c);
		for (i = 0; i < SHARED && page->threads != 0 &&
		    (which == CHAINS || which == STRUCTURES); i++)
			share_one(c, which == CHAINS,
			    stress_random(&random));
	}
	STRESS_EXPECT(result == 0, "work: %s", tbuf_consumer_error(c));
	stress_events_take(&events, c);
	STRESS_EXPECT(tbuf_tables_read(c) == 0, "no memory");
	return (lost);
}

static uint64_t
run(uint64_t *random)
{
	static const char *const sizes[] = { "1m", "16k", "4k" };
	const char *dynvarsize = sizes[stress_random(random) % 3];
	bool rseq = stress_random(random) % 4 != 0;
	bool killed = stress_random(random) % 2 != 0;
	struct tbuf_consumer *c;
	struct stress_killer killer;
	char path[64];
	struct lost lost;
	uint64_t pairs;

	which = (unsigned)(stress_random(random) % SCRIPTS);
	counts[OWN].nkeys = counts[HANDLER].nkeys = is_short() ? 2 : 0;
	page = stress_page_new(path);
	page->seed = stress_random(random);
	page->flags = (uint32_t)(stress_random(random) & STRESS_ALL);
	page->threads = (uint32_t)(1 + stress_random(random) % WORKERS_MAX);
	page->pause = stress_random(random) % 2 != 0;
	killer.page = page;
	killer.fires = stress_random(random) % PAIRS_MAX;
	if (!killed)
		page->fires = 1 + killer.fires / page->threads;
	stress_context("%s, dynvarsize %s, %s, %s, %u threads, flags %#x, %"
	    PRIu64 " pairs", names[which], dynvarsize,
	    rseq ? "rseq" : "locks", killed ? "killed" : "to its end",
	    page->threads, page->flags, killer.fires);
	c = consumer_new(dynvarsize);
	killer.pid = stress_go(c, stress_target_argv(path), rseq);
	if (killed)
		stress_killer_start(&killer);
	lost = consume(c);
	if (killed)
		stress_killer_join(&killer);
	check(c, &lost, killed);
	tbuf_consumer_close(c);
	pairs = sum(0, true);
	stress_page_free(page, path);
	return (pairs);
}

/* Many short threads must not need more dynamic memory than 1 MB. */
static void
churn_run(void)
{
	struct tbuf_consumer *c;
	struct lost lost;
	char path[64];

	which = CHAINS;
	page = stress_page_new(path);
	stress_context("%u threads, one after the other", CHURN);
	c = consumer_new("1m");
	(void)stress_go(c, stress_target_argv(path), true);
	lost = consume(c);
	STRESS_EXPECT(page->who[0].after == CHURN && lost.dynamic == 0,
	    "%" PRIu64 " threads, %" PRIu64 " drops", page->who[0].after,
	    lost.dynamic);
	tbuf_consumer_close(c);
	stress_page_free(page, path);
}

int
main(int argc, char **argv)
{
	struct stress_arguments arguments;
	uint64_t i, pairs = 0;
	unsigned n;

	target_main(argc, argv);
	arguments = stress_arguments(argc, argv, 20);
	for (n = 0; n < COUNTS; n++)
		counts[n] = (struct tbuf_d_aggregation){
			.name = "", .id = n, .function = TBUF_AGG_COUNT,
			.keys = keys
		};
	stress_directory_make();
	churn_run();
	for (i = 0; i < arguments.count; i++)
		pairs += run(&arguments.seed);
	stress_directory_remove();
	printf("%" PRIu64 " targets, %" PRIu64 " pairs: none lost, none of "
	    "another's\n", i, pairs);
	return (0);
}
