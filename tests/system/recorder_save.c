/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A program saves its recorder while its threads fire.  Each file has whole
 * records only, each thread's in the order of its fires, and accounts for all
 * fires of each thread up to its last record [inv.account].
 */
#include <sys/resource.h>

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/scratch.h"
#include "tbuf.h"
#include "tbuf_consumer.h"

#define THREADS		3u
#define TEXT		64u

#define EXPECT(condition) do {						\
	if (!(condition)) {						\
		fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__,	\
		    __LINE__, #condition);				\
		exit(1);						\
	}								\
} while (0)

static unsigned saves = 10000;
static bool stop;
static bool numbered;		/* a thread's fires go on counting */
static uint64_t fired[THREADS];
static char directory[256], path[300];

/* What a file has. */
struct contents {
	uint64_t records, lost, damage;
	bool dropped, gap;		/* gap: in a unit */
	uint64_t of[THREADS];		/* records of each thread */
	uint64_t last[THREADS];		/* number of the last one, plus 1 */
	uint64_t unit[THREADS], step[THREADS];
};

static void
pattern(uint64_t n, char text[TEXT])
{
	size_t size = n % (TEXT - 1);

	memset(text, (int)('a' + n % 26), size);
	text[size] = '\0';
}

static void *
fire(void *arg)
{
	uint64_t self = (uintptr_t)arg, n = 0;
	char text[TEXT];

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		pattern(n, text);
		TBUF_PROBE(save, step, self, n, ~n, text);
		__atomic_store_n(&fired[self], ++n, __ATOMIC_RELEASE);
	}
	return (NULL);
}

/* Fires in units of up to ten records; two of three fail. */
static void *
fire_units(void *arg)
{
	uint64_t self = (uintptr_t)arg, id, n, unit;
	char text[TEXT];

	for (id = 1; !__atomic_load_n(&stop, __ATOMIC_RELAXED); id++) {
		unit = tbuf_unit_begin("save", id);
		for (n = 0; n < id % 10; n++) {
			pattern(n, text);
			TBUF_PROBE(save, step, self, n, ~n, text);
			fired[self]++;
		}
		tbuf_unit_end(unit, (int)(id % 3));
	}
	return (NULL);
}

static void
look_record(struct contents *f, const struct tbuf_record *r)
{
	uint64_t self = r->args[0].u, n = r->args[1].u;
	char text[TEXT];

	EXPECT(r->nargs == 4 && self < THREADS && r->args[2].u == ~n);
	pattern(n, text);
	EXPECT(r->args[3].size == strlen(text) &&
	    memcmp(r->args[3].data, text, strlen(text)) == 0);
	f->records++;
	f->of[self]++;
	if (r->unit == NULL) {
		EXPECT(!numbered || f->last[self] == 0 || n >= f->last[self]);
		f->last[self] = n + 1;
		return;
	}
	if (r->unit->id != f->unit[self])
		f->step[self] = 0;
	EXPECT(n >= f->step[self]);
	f->gap |= n > f->step[self];
	f->step[self] = n + 1;
	f->unit[self] = r->unit->id;
}

static void
look_event(struct contents *f, const struct tbuf_event *e)
{
	switch (e->type) {
	case TBUF_EVENT_RECORD:
		look_record(f, &e->record);
		break;
	case TBUF_EVENT_DROPS:
	case TBUF_EVENT_UNIT_DROPS:
		f->dropped = true;
		f->lost += e->count;
		break;
	case TBUF_EVENT_OVERWRITTEN:
	case TBUF_EVENT_UNIT_OVERWRITTEN:
	case TBUF_EVENT_DISCARDED:
		f->lost += e->count;
		break;
	case TBUF_EVENT_DAMAGE:
		f->damage += e->count;
		break;
	default:
		break;
	}
}

static struct contents
look(const char *name, bool temporal)
{
	struct tbuf_consumer *c = tbuf_consumer_new();
	struct contents f = { 0 };
	struct tbuf_event event;
	int more;

	EXPECT(c != NULL);
	if (temporal)
		EXPECT(tbuf_consumer_set(c, "temporal", NULL) == 0);
	if (tbuf_consumer_open_file(c, name) != 0 ||
	    tbuf_consumer_go(c) != 0) {
		fprintf(stderr, "%s\n", tbuf_consumer_error(c));
		exit(1);
	}
	do {
		more = tbuf_consumer_work(c);
		EXPECT(more >= 0);
		while (tbuf_consumer_next(c, &event) == 1)
			look_event(&f, &event);
	} while (more > 0);
	tbuf_consumer_close(c);
	EXPECT(f.damage == 0 && (f.dropped || !f.gap));
	return (f);
}

static struct contents
save_and_look(bool temporal)
{
	struct contents f;
	int error = tbuf_recorder_save(path);

	if (error != 0)
		fprintf(stderr, "%s\n", tbuf_recorder_error());
	EXPECT(error == 0);
	f = look(path, temporal);
	EXPECT(unlink(path) == 0);
	return (f);
}

/*
 * A thread's own lane is copied as of one moment: its fires are those up to its
 * last record, if none was dropped after that.  A lane that was overtaken is
 * empty.
 */
static void
check_account(const struct contents *f, bool exact)
{
	uint64_t sum = 0;
	unsigned i;

	for (i = 0; i < THREADS; i++) {
		sum += f->last[i];
		exact = exact && f->of[i] != 0;
	}
	EXPECT(!exact || f->dropped || sum == f->records + f->lost);
}

static void
run(const char *options, void *(*body)(void *), unsigned n, bool exact)
{
	pthread_t threads[THREADS];
	struct contents f;
	bool temporal = body == fire;
	uint64_t sum = 0;
	unsigned i;

	printf("%s\n", options);
	stop = false;
	numbered = body == fire;
	memset(fired, 0, sizeof(fired));
	EXPECT(tbuf_recorder_start(options) == 0);
	for (i = 0; i < THREADS; i++)
		EXPECT(pthread_create(&threads[i], NULL, body,
		    (void *)(uintptr_t)i) == 0);
	for (i = 0; i < n; i++) {
		f = save_and_look(temporal);
		check_account(&f, exact);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < THREADS; i++) {
		EXPECT(pthread_join(threads[i], NULL) == 0);
		sum += fired[i];
	}
	f = save_and_look(temporal);
	EXPECT(f.records + f.lost == sum);
	EXPECT(tbuf_recorder_stop() == 0);
	/* The records of a recorder that has stopped are there still. */
	EXPECT(save_and_look(temporal).records == f.records);
}

static unsigned
files(const char *at)
{
	char command[600];
	unsigned n = 0;
	FILE *p;

	snprintf(command, sizeof(command), "ls -A '%s' | wc -l", at);
	EXPECT((p = popen(command, "r")) != NULL);
	EXPECT(fscanf(p, "%u", &n) == 1);
	pclose(p);
	return (n);
}

/* Each failure leaves the directory as it was. */
static void
test_errors(void)
{
	struct rlimit limit, small;
	char link[320], text[1000];
	unsigned n;
	FILE *file;

	EXPECT(tbuf_recorder_save(path) == -ENODATA);
	EXPECT(strcmp(tbuf_recorder_error(), strerror(ENODATA)) == 0);
	EXPECT(tbuf_recorder_start(NULL) == -EINVAL);
	EXPECT(tbuf_recorder_start("bufsize=16k,probes=save:::") == 0);
	TBUF_PROBE(save, step, UINT64_C(0), UINT64_C(0), ~UINT64_C(0), "");
	EXPECT((file = fopen(path, "w")) != NULL);
	EXPECT(fputs("mine", file) >= 0 && fclose(file) == 0);
	snprintf(link, sizeof(link), "%s.link", path);
	EXPECT(symlink("nowhere", link) == 0);
	n = files(directory);
	EXPECT(tbuf_recorder_save(path) == -EEXIST);
	EXPECT(strcmp(tbuf_recorder_error(), strerror(EEXIST)) == 0);
	EXPECT(tbuf_recorder_save(link) == -EEXIST);
	EXPECT(tbuf_recorder_save(directory) == -EEXIST);
	EXPECT(tbuf_recorder_save("") == -ENOENT);
	snprintf(text, sizeof(text), "%s/", directory);
	EXPECT(tbuf_recorder_save(text) == -EISDIR);
	snprintf(text, sizeof(text), "%s/none/file", directory);
	EXPECT(tbuf_recorder_save(text) == -ENOENT);
	snprintf(text, sizeof(text), "%s/file", path);
	EXPECT(tbuf_recorder_save(text) == -ENOTDIR);
	EXPECT(getrlimit(RLIMIT_FSIZE, &limit) == 0);
	small = limit;
	small.rlim_cur = 8192;
	EXPECT(setrlimit(RLIMIT_FSIZE, &small) == 0);
	snprintf(text, sizeof(text), "%s.new", path);
	EXPECT(tbuf_recorder_save(text) == -EFBIG);
	EXPECT(setrlimit(RLIMIT_FSIZE, &limit) == 0);
	EXPECT(files(directory) == n);
	EXPECT((file = fopen(path, "r")) != NULL);
	EXPECT(fgets(text, sizeof(text), file) != NULL && fclose(file) == 0);
	EXPECT(strcmp(text, "mine") == 0);
	EXPECT(unlink(path) == 0 && unlink(link) == 0);
}

static int
count_left(void *arg, const struct tbuf_left *left)
{
	unsigned *n = arg;

	if (left->end == TBUF_LEFT_SAVED) {
		EXPECT(left->pid == getpid());
		(*n)++;
	}
	return (0);
}

/* Copies in the runtime directory are listed, and limited; the last remain. */
static void
test_runtime_directory(void)
{
	struct tbuf_consumer *c;
	struct tbuf_event event;
	unsigned i, n;
	int more;

	for (i = 1; i <= 5; i++) {
		TBUF_PROBE(save, step, UINT64_C(0), (uint64_t)i,
		    ~(uint64_t)i, "");
		EXPECT(tbuf_recorder_save(NULL) == 0);
		n = 0;
		EXPECT(tbuf_left(count_left, &n) == 0);
		EXPECT(n == (i < 3 ? i : 3));
	}
	/* The process is read once: not its copies, too. */
	EXPECT((c = tbuf_consumer_new()) != NULL);
	EXPECT(tbuf_consumer_open_pid(c, getpid()) == 0);
	EXPECT(tbuf_consumer_go(c) == 0);
	n = 0;
	do {
		more = tbuf_consumer_work(c);
		while (tbuf_consumer_next(c, &event) == 1)
			n += event.type == TBUF_EVENT_RECORD;
	} while (more > 0);
	tbuf_consumer_close(c);
	EXPECT(n == 6);
	EXPECT(tbuf_recorder_stop() == 0);
}

int
main(void)
{
	const char *sanitizer = getenv("SANITIZER");

	if (sanitizer != NULL && *sanitizer != '\0')
		saves = 300;
	scratch_directory(directory, sizeof(directory));
	snprintf(path, sizeof(path), "%s/saved", directory);
	setenv("TBUF_KEEP", "3", 1);
	test_errors();
	test_runtime_directory();
	run("bufsize=4k,probes=save:::", fire, saves / 4, false);
	run("bufsize=8k,bufscope=thread,probes=save:::", fire, saves / 4,
	    true);
	run("bufsize=32k,bufpolicy=fill,probes=save:::", fire, saves / 10,
	    false);
	run("bufsize=8k,nunits=8,unitsize=4k,probes=save:::", fire_units,
	    saves / 4, false);
	run("bufsize=8k,nunits=8,unitsize=2k,unitpolicy=ring,"
	    "bufscope=thread,probes=save:::", fire_units,
	    saves - 3 * (saves / 4) - saves / 10, false);
	scratch_remove(directory);
	return (0);
}
