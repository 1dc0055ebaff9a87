/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A consumer traces a live target that writes arbitrary data into its own file:
 * between two reads, or during one, by a thread that applies patches and
 * reverts them.  The file is this process's, so no target has to be started.
 * The first byte of the input is options, the rest is patches and actions.
 */
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <fcntl.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "consumer/attach/attach.h"
#include "consumer/files/files.h"
#include "consumer/read/events.h"
#include "consumer/run/run.h"
#include "consumer/target/target.h"
#include "lib/interposed_call.h"
#include "support/drain.h"
#include "support/image.h"

enum {
	ACTION_GO = PATCH_ACTION,
	ACTION_ROUND,
	ACTION_SNAPSHOT,
	ACTION_LIST,
	ACTION_STATUS,
	ACTION_END
};

#define OPTION_AMID	32	/* a thread applies and reverts patches */
#define OPTION_PACKETS	64	/* take packets */
#define OPTION_UNITS	128	/* the session has work units */
#define CHANGES_MAX	16

static struct image image;
static unsigned char *good;
static uint64_t good_size;
static struct change changes[CHANGES_MAX];
static unsigned nchanges;	/* stored with release */
static bool over;
static int fd, directory;
static char name[TBUF_NAME_MAX];

/* Replaces nanosleep(3), so that the library never waits. */
int
nanosleep(const struct timespec *wanted, struct timespec *left)
{
	(void)wanted;
	(void)left;
	return (0);
}
INTERPOSED(nanosleep);

int
sched_yield(void)
{
	return (0);
}
INTERPOSED(sched_yield);

static void
leave(void)
{
	unlinkat(directory, name, 0);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	uint64_t start = tbuf_start_time(getpid());

	(void)argc;
	(void)argv;
	FUZZ_CHECK(setenv("TBUF_MAXSIZE", "1m", 1) == 0);
	fuzz_directory();
	directory = tbuf_directory_open(false);
	FUZZ_CHECK(directory >= 0);
	tbuf_control_name(name, getpid(), 1);
	fd = openat(directory, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	FUZZ_CHECK(fd != -1);
	atexit(leave);
	/* This lock shows that the target lives. */
	FUZZ_CHECK(flock(fd, LOCK_EX | LOCK_NB) == 0);
	FUZZ_CHECK(ftruncate(fd, IMAGE_SIZE) == 0);
	image.view.size = IMAGE_SIZE;
	image.view.base = mmap(NULL, IMAGE_SIZE, PROT_READ | PROT_WRITE,
	    MAP_SHARED, fd, 0);
	FUZZ_CHECK(image.view.base != MAP_FAILED);
	image_target(&image, getpid(), start);
	image_sessions(&image);
	image_records(&image);
	good_size = image.size;
	good = malloc(good_size);
	FUZZ_CHECK(good != NULL);
	memcpy(good, image.view.base, good_size);
	return (0);
}

static struct tbuf_consumer *
consumer(unsigned options)
{
	static const char *const policies[] = {
		"switch", "fill", "ring", "ring"
	};
	struct tbuf_consumer *c = tbuf_consumer_new();
	struct tbuf_found found = { .pid = getpid(), .fd = openat(directory, name,
	    O_RDWR | O_CLOEXEC) };

	FUZZ_CHECK(c != NULL && found.fd != -1);
	tbuf_consumer_set(c, "bufpolicy", policies[options & 3]);
	tbuf_consumer_set(c, "bufsize", (options & 4) != 0 ? "4k" : "512");
	tbuf_consumer_set(c, "bufresize",
	    (options & 8) != 0 ? "manual" : "auto");
	if ((options & 16) != 0) {
		tbuf_consumer_set(c, "temporal", NULL);
		tbuf_consumer_set(c, "dropsoon", NULL);
	}
	if ((options & OPTION_UNITS) != 0) {
		tbuf_view_control(&image.view)->flags |= TBUF_F_SELECTION;
		tbuf_consumer_set(c, "nunits", "4");
		tbuf_consumer_set(c, "unitsize", "1k");
		tbuf_consumer_set(c, "unitpolicy",
		    (options & 8) != 0 ? "ring" : "fill");
	}
	FUZZ_CHECK(tbuf_consumer_enable(c, "fuzz:::") == 0);
	FUZZ_CHECK(tbuf_consumer_enable(c, "p[1-3]") == 1);
	strcpy(found.name, name);
	found.pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);
	FUZZ_CHECK(found.pidfd != -1);
	tbuf_target_add(c, &found);
	return (c);
}

static int
visit_lane(void *arg, const struct tbuf_lane_status *status)
{
	(void)arg;
	FUZZ_CHECK(strlen(status->consumer_name) < 16);
	return (0);
}

static int
visit_target(void *arg, pid_t pid, const char *comm)
{
	(void)arg;
	FUZZ_CHECK(pid > 0 && strlen(comm) < 64);
	return (0);
}

static void
take(struct tbuf_consumer *c, unsigned options)
{
	if ((options & OPTION_PACKETS) != 0)
		drain_packets(c);
	else
		drain(c);
}

/*
 * Fills the unit tables that the consumer made, at places that it chose.
 * Patches reach them from now on.
 */
static void
fill_units(const struct tbuf_consumer *c)
{
	const struct tbuf_target *t = TAILQ_FIRST(&c->targets);
	struct tbuf_lane lane;
	uint64_t end;

	if (t == NULL || t->units.count != IMAGE_UNITS || t->nreaders == 0 ||
	    image.units != 0)
		return;
	end = t->units.at + tbuf_units_tables(IMAGE_UNITS) +
	    IMAGE_UNITS * IMAGE_UNITSIZE;
	if (end > IMAGE_SIZE)
		return;
	image.units = t->units.at;
	image.size = end;
	lane = (struct tbuf_lane){
		.place = tbuf_place(t->readers[0].data, t->readers[0].storage),
		.size = t->readers[0].storage, .limit = t->readers[0].storage
	};
	image_units_fill(&image, t->generation, &lane);
	__atomic_store_n(&t->readers[0].lane->head, lane.head,
	    __ATOMIC_RELEASE);
}

static int
visit_unit(void *arg, const struct tbuf_unit_status *unit)
{
	(void)arg;
	FUZZ_CHECK(strlen(unit->kind) < TBUF_UNIT_NAME &&
	    strlen(unit->program) < 64);
	return (0);
}

static int
visit_figures(void *arg, const struct tbuf_unit_figures *figures)
{
	(void)arg;
	FUZZ_CHECK(strlen(figures->kind) < TBUF_UNIT_NAME);
	return (0);
}

static void
act(struct tbuf_consumer *c, unsigned options, unsigned action)
{
	switch (action) {
	case ACTION_GO:
		if (tbuf_consumer_go(c) == 0)
			fill_units(c);
		break;
	case ACTION_ROUND:
		if (tbuf_drain_begin(c, TBUF_DRAIN_SWITCH |
		    TBUF_DRAIN_STATUS) == 0)
			take(c, options);
		break;
	case ACTION_SNAPSHOT:
		if (tbuf_consumer_snapshot(c) == 0)
			take(c, options);
		break;
	case ACTION_LIST:
		drain_list(c);
		tbuf_consumer_matched(c, 0);
		break;
	case ACTION_STATUS:
		tbuf_targets(visit_target, NULL);
		tbuf_status(NULL, 0, visit_lane, NULL);
		tbuf_unit_list(visit_unit, NULL);
		tbuf_unit_figures(visit_figures, NULL);
		break;
	case ACTION_END:
		tbuf_consumer_quiesce(c, NULL);
		if (tbuf_drain_begin(c, TBUF_DRAIN_LAST) == 0)
			take(c, options);
		break;
	}
}

/* Stores byte by byte, without regard to readers: a deliberate race. */
__attribute__((no_sanitize("thread")))
static void
store(uint64_t at, uint64_t value, unsigned bytes)
{
	volatile unsigned char *to = image.view.base + at;

	for (; bytes > 0; bytes--, value >>= 8)
		*to++ = (unsigned char)value;
}

/* Runs the target's thread. */
static void *
flip(void *arg)
{
	const struct change *c;
	unsigned n, i;

	while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
		n = __atomic_load_n(&nchanges, __ATOMIC_ACQUIRE);
		for (i = 0, c = changes; i < n; i++, c++)
			store(c->at, c->value, c->bytes);
		for (i = 0, c = changes; i < n; i++, c++)
			store(c->at, c->old, c->bytes);
	}
	return (arg);
}

static void
patch(unsigned options, const struct patch *p)
{
	if ((options & OPTION_AMID) == 0)
		image_patch(&image, p);
	else if (nchanges < CHANGES_MAX) {
		changes[nchanges] = image_change(&image, p);
		__atomic_store_n(&nchanges, nchanges + 1, __ATOMIC_RELEASE);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	unsigned options = (unsigned)input_take(&in, 1);
	struct tbuf_consumer *c;
	struct patch p;
	pthread_t thread;

	image.size = good_size;
	image.units = 0;
	FUZZ_CHECK(ftruncate(fd, (off_t)good_size) == 0);
	memcpy(image.view.base, good, good_size);
	nchanges = 0;
	over = false;
	c = consumer(options);
	if ((options & OPTION_AMID) != 0)
		FUZZ_CHECK(pthread_create(&thread, NULL, flip, NULL) == 0);
	while (in.size > 0) {
		p = image_next(&in);
		if (p.part >= PATCH_ACTION)
			act(c, options, PATCH_ACTION + p.value % 6);
		else
			patch(options, &p);
	}
	act(c, options, ACTION_END);
	__atomic_store_n(&over, true, __ATOMIC_RELAXED);
	if ((options & OPTION_AMID) != 0)
		FUZZ_CHECK(pthread_join(thread, NULL) == 0);
	tbuf_consumer_close(c);
	return (0);
}
