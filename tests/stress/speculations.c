/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Speculations under threads, signals, moves and kills.  Each committed batch
 * is complete, in order and of one instance; no discarded batch is read; and
 * each commit is read or counted as lost.
 *
 *	speculations [-s seed] [targets]
 *
 * A record has a kind, its writer's number and a number of its own.  Eight
 * successive numbers, from a multiple of eight on, are a batch; every second
 * batch is committed.  Either one fire makes a whole batch, or eight fires on
 * any CPUs do.  The latter also speculate into a batch of another writer, which
 * may have ended by then.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common.h"
#include "consumer/run/run.h"
#include "consumer/script/script.h"
#include "machine/machine.h"

#define FIRES_MAX	200000u
#define BATCH		8u

enum kind { OWN, FAILED, OTHERS };

/* ------------------------------------------------------------ the script */

static uint64_t code[TBUF_TARGET_WORDS];
static uint32_t length;

static void
word(enum tbuf_operation op, unsigned a, unsigned b, unsigned c, uint32_t i)
{
	code[length++] = (uint64_t)op | (uint64_t)a << 8 | (uint64_t)b << 16 |
	    (uint64_t)c << 24 | (uint64_t)i << 32;
}

#define W(op, a, b, c, i)	word(TBUF_OP_##op, a, b, c, (uint32_t)(i))

/* Emits a jump; land() sets its length. */
static uint32_t
jump(enum tbuf_operation op, unsigned a, uint32_t i)
{
	word(op, a, 0, 0, i);
	return (length - 1);
}

static void
land(uint32_t at)
{
	uint64_t by = length - at - 1;

	if ((code[at] & 0xff) == TBUF_OP_JMP)
		code[at] |= by << 32;
	else
		code[at] |= (by & 0xffff) << 16;
}

/* Emits a record of the writer (register 10) and the number (register 11). */
static void
record(enum kind kind)
{
	W(LDI, 5, 0, 0, kind);
	W(PUT, 5, 0, 0, 8);
	W(PUT, 10, 0, 0, 8);
	W(PUT, 11, 0, 0, 8);
	W(EMIT, 0, 0, 0, kind);
}

static void
speculation(void)
{
	uint32_t good;

	W(SPECN, 1, 0, 0, 0);
	good = jump(TBUF_OP_JNEI, 1, 0);
	record(FAILED);
	W(END, 0, 0, 0, 0);
	land(good);
}

static void
finish(void)
{
	uint32_t odd;

	W(ANDI, 2, 11, 0, BATCH);
	odd = jump(TBUF_OP_JNEI, 2, 0);
	W(DISCARD, 1, 0, 0, 0);
	W(END, 0, 0, 0, 0);
	land(odd);
	W(COMMIT, 1, 0, 0, 0);
}

static void
begin(void)
{
	length = 0;
	W(LDA, 10, 0, 0, 0);
	W(LDA, 11, 0, 0, 1);
}

static void
make_within(void)
{
	unsigned i;

	begin();
	W(SHLI, 11, 11, 0, 3);
	speculation();
	for (i = 0; i < BATCH; i++) {
		W(SPEC, 1, 0, 0, 0);
		record(OWN);
		W(ADDI, 11, 11, 0, 1);
	}
	W(SUBI, 11, 11, 0, 1);
	finish();
}

/* Each writer has a variable: the batch's first number << 8 | the id. */
static uint32_t
make_who(unsigned who)
{
	uint32_t other, later, done;

	other = jump(TBUF_OP_JNEI, 10, who);
	later = jump(TBUF_OP_JNEI, 12, 0);
	speculation();
	W(SHLI, 2, 13, 0, 8);
	W(OR, 2, 2, 1, 0);
	W(STV, 2, 0, TBUF_SCOPE_GLOBAL, who);
	land(later);
	W(LDV, 2, 0, TBUF_SCOPE_GLOBAL, who);
	W(LDV, 4, 0, TBUF_SCOPE_GLOBAL, (who + STRESS_KINDS) % STRESS_WHO);
	done = jump(TBUF_OP_JMP, 0, 0);
	land(other);
	return (done);
}

static void
make_across(void)
{
	uint32_t done[STRESS_WHO], stale, more;
	unsigned who;

	begin();
	W(ANDI, 12, 11, 0, BATCH - 1);
	W(SUB, 13, 11, 12, 0);
	W(LDI, 2, 0, 0, 0);
	W(LDI, 4, 0, 0, 0);
	for (who = 0; who < STRESS_WHO; who++)
		done[who] = make_who(who);
	for (who = 0; who < STRESS_WHO; who++)
		land(done[who]);
	/*
	 * A variable that was not stored for want of a lane has an older
	 * batch's id.
	 */
	W(SHRUI, 3, 2, 0, 8);
	stale = length;
	W(JEQ, 3, 13, 0, 1);
	W(END, 0, 0, 0, 0);
	STRESS_EXPECT(length == stale + 2, "a jump over one word");
	W(ANDI, 1, 2, 0, 0xff);
	W(SPEC, 1, 0, 0, 0);
	record(OWN);
	more = jump(TBUF_OP_JNEI, 12, BATCH - 1);
	finish();
	W(END, 0, 0, 0, 0);
	land(more);
	W(ANDI, 1, 4, 0, 0xff);
	W(SPEC, 1, 0, 0, 0);
	record(OTHERS);
}

static const struct tbuf_d_shape number = {
	.kind = TBUF_KIND_INTEGER, .size = 8, .name = "uint64_t"
};
#define PIECE	{ .kind = TBUF_PIECE_INTEGER, .bytes = 8, .shape = &number }
static const struct tbuf_d_piece pieces[] = { PIECE, PIECE, PIECE };
static const struct tbuf_d_action traces[] = {
	{ .kind = TBUF_ACTION_TRACE, .first = 0, .count = 1 },
	{ .kind = TBUF_ACTION_TRACE, .first = 1, .count = 1 },
	{ .kind = TBUF_ACTION_TRACE, .first = 2, .count = 1 }
};
#define RECORD	{							\
	.actions = traces, .nactions = 3, .pieces = pieces, .npieces = 3, \
	.bytes = 24, .charge = 24					\
}
static const struct tbuf_d_record records[] = { RECORD, RECORD, RECORD };
static struct tbuf_d_program program = { .code = code };
static const char *const description = "stress:::";
static const struct tbuf_d_clause clause = {
	.descriptions = &description, .ndescriptions = 1,
	.programs = &program, .nprograms = 1, .records = records,
	.nrecords = 3
};
static struct tbuf_d_variable variables[STRESS_WHO];
static const struct tbuf_d_script script = {
	.clauses = &clause, .nclauses = 1, .variables = variables,
	.nvariables = STRESS_WHO
};

static void
script_make(bool across)
{
	unsigned i;

	if (across)
		make_across();
	else
		make_within();
	program.length = length;
	for (i = 0; i < STRESS_WHO; i++)
		variables[i] = (struct tbuf_d_variable){
			.name = "id", .scope = TBUF_SCOPE_GLOBAL, .id = i,
			.shape = &number
		};
}

/* ------------------------------------------------------------ batches */

struct tally {
	uint64_t who, group;		/* of the current batch */
	uint64_t last;			/* its last number */
	unsigned count;			/* its records so far */
	uint64_t whole, broken;		/* batches */
	uint64_t failed;		/* without an id, to be committed */
	uint64_t failed_all;
	uint64_t told;			/* events for fires without an id */
	uint64_t drops, speculative, overwritten;
};

static void
batch_end(struct tally *t)
{
	t->whole += t->count == BATCH;
	t->broken += t->count != 0 && t->count != BATCH;
	t->count = 0;
}

static void
own_take(struct tally *t, uint64_t who, uint64_t n)
{
	STRESS_EXPECT(n / BATCH % 2 == 1, "%" PRIu64 " of %" PRIu64
	    " was discarded", n, who);
	if (t->count == 0 || who != t->who || n / BATCH != t->group) {
		batch_end(t);
		t->who = who;
		t->group = n / BATCH;
	} else
		STRESS_EXPECT(n > t->last, "%" PRIu64 " of %" PRIu64
		    " comes after %" PRIu64, n, who, t->last);
	t->last = n;
	t->count++;
}

static void
record_take(void *tally, const struct tbuf_record *r)
{
	struct tally *t = tally;

	STRESS_EXPECT(r->npieces == 3 && r->pieces[1].u < STRESS_WHO,
	    "a record that nobody has made");
	switch (r->pieces[0].u) {
	case OWN:
		own_take(t, r->pieces[1].u, r->pieces[2].u);
		break;
	case FAILED:
		t->failed_all++;
		t->failed += r->pieces[2].u / BATCH % 2;
		break;
	default:
		STRESS_EXPECT(r->pieces[0].u == OTHERS, "kind %" PRIu64,
		    r->pieces[0].u);
	}
}

/* ------------------------------------------------------------ targets */

/*
 * Returns the number of batches that are committed by this many fires, counted
 * from 1; commits_begun() includes batches that have only begun.
 */
static uint64_t
commits(uint64_t fires, bool across)
{
	return (across ? ((fires + 1) / BATCH) / 2 : (fires + 1) / 2);
}

static uint64_t
commits_begun(uint64_t fires, bool across)
{
	return (across ? (fires / BATCH + 1) / 2 : (fires + 1) / 2);
}

static void
commits_sum(const struct stress_page *page, bool across, uint64_t *least,
    uint64_t *most)
{
	unsigned i;

	*least = *most = 0;
	for (i = 0; i < STRESS_WHO; i++) {
		if (i % STRESS_KINDS == STRESS_FORK)
			continue;
		*most += commits_begun(page->who[i].before, across);
		/* A child of vfork outlives a target that is killed. */
		*least += commits(i % STRESS_KINDS != STRESS_VFORK ||
		    page->who[i].after == 0 ? page->who[i].after :
		    page->who[i].after - 1, across);
	}
}

static void
check_account(const struct stress_page *page, const struct tally *t,
    bool across, bool killed)
{
	uint64_t lost = t->drops + t->speculative + t->overwritten;
	uint64_t least, most, have = t->whole + t->broken + t->failed;

	commits_sum(page, across, &least, &most);
	STRESS_EXPECT(t->broken <= lost, "%" PRIu64 " of %" PRIu64
	    " batches are not whole, %" PRIu64 " records were lost",
	    t->broken, t->whole + t->broken, lost);
	STRESS_EXPECT(have <= most && have + lost >= least, "%" PRIu64
	    " <= batches %" PRIu64 " + %" PRIu64 " + failed %" PRIu64
	    " + lost %" PRIu64 " <= %" PRIu64 " is not so", least, t->whole,
	    t->broken, t->failed, lost, most);
	STRESS_EXPECT(killed || (t->failed_all <= t->told + lost &&
	    t->told <= t->failed_all + lost), "%" PRIu64 " failed, %" PRIu64
	    " were told, %" PRIu64 " lost", t->failed_all, t->told, lost);
}

static struct tbuf_consumer *
consumer_new(const char *policy, const char *nspec, const char *specsize,
    const char *bufsize, const char *cleanrate)
{
	struct tbuf_consumer *c = tbuf_consumer_new();

	STRESS_EXPECT(c != NULL &&
	    tbuf_consumer_set(c, "bufpolicy", policy) == 0 &&
	    tbuf_consumer_set(c, "nspec", nspec) == 0 &&
	    tbuf_consumer_set(c, "specsize", specsize) == 0 &&
	    tbuf_consumer_set(c, "bufsize", bufsize) == 0 &&
	    tbuf_consumer_set(c, "switchrate", "1ms") == 0 &&
	    tbuf_consumer_set(c, "cleanrate", cleanrate) == 0 &&
	    tbuf_consumer_script(c, &script) == 0, "options: %s",
	    tbuf_consumer_error(c));
	return (c);
}

static uint64_t
run(uint64_t *random)
{
	static const char *const ids[] = { "1", "8", "32", "240" };
	static const char *const rooms[] = { "400", "4k", "32k" };
	static const char *const sizes[] = { "4k", "256k", "4m" };
	static const char *const rates[] = { "10hz", "1000hz", "5000hz" };
	bool rseq = stress_random(random) % 4 != 0;
	bool across = rseq && stress_random(random) % 3 != 0;
	bool killed = stress_random(random) % 2 != 0;
	const char *policy = stress_random(random) % 4 != 0 ? "switch" : "ring";
	const char *nspec = ids[across + stress_random(random) %
	    (across ? 3 : 4)];
	const char *specsize = rooms[stress_random(random) % 3];
	const char *bufsize = sizes[stress_random(random) % 3];
	const char *cleanrate = rates[stress_random(random) % 3];
	struct tally tally = { .count = 0 };
	struct stress_events events = {
		.take = record_take, .argument = &tally, .counts = {
			[TBUF_EVENT_DROPS] = &tally.drops,
			[TBUF_EVENT_DYNAMIC] = &tally.drops,
			[TBUF_EVENT_OVERWRITTEN] = &tally.overwritten,
			[TBUF_EVENT_SPECULATIVE] = &tally.speculative,
			[TBUF_EVENT_BUSY] = &tally.told,
			[TBUF_EVENT_UNAVAILABLE] = &tally.told
		}
	};
	struct tbuf_consumer *c;
	struct stress_killer killer;
	char path[64];
	struct stress_page *page = stress_page_new(path);

	script_make(across);
	page->seed = stress_random(random);
	page->flags = (uint32_t)(stress_random(random) & STRESS_ALL);
	page->threads = (uint32_t)(1 + stress_random(random) % 8);
	killer.page = page;
	killer.fires = stress_random(random) % FIRES_MAX;
	if (!killed)
		page->fires = 1 + killer.fires / page->threads;
	stress_context("%s, %s, %s, nspec %s, specsize %s, bufsize %s, "
	    "cleanrate %s, %s, %u threads, flags %#x, %" PRIu64 " fires",
	    across ? "across" : "within", policy, rseq ? "rseq" : "locks",
	    nspec, specsize, bufsize, cleanrate,
	    killed ? "killed" : "to its end", page->threads, page->flags,
	    killer.fires);
	c = consumer_new(policy, nspec, specsize, bufsize, cleanrate);
	killer.pid = stress_go(c, stress_target_argv(path), rseq);
	if (killed)
		stress_killer_start(&killer);
	stress_events_consume(&events, c);
	batch_end(&tally);
	if (killed)
		stress_killer_join(&killer);
	tbuf_consumer_close(c);
	check_account(page, &tally, across, killed);
	stress_page_free(page, path);
	return (tally.whole);
}

int
main(int argc, char **argv)
{
	struct stress_arguments arguments;
	uint64_t i, batches = 0;

	stress_target_main(argc, argv);
	arguments = stress_arguments(argc, argv, 40);
	stress_directory_make();
	for (i = 0; i < arguments.count; i++)
		batches += run(&arguments.seed);
	stress_directory_remove();
	printf("%" PRIu64 " targets, %" PRIu64
	    " batches: all whole, in order, of one instance\n", i, batches);
	return (0);
}
