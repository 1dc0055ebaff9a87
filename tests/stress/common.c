/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Functions of the tester, which is the process that checks (common.h).
 */
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/atomics.h"
#include "common.h"
#include "consumer/run/run.h"
#include "lib/scratch.h"

static char directory[48];
static char context[256];
static uint64_t first_seed;

/* The constants are splitmix64's; any odd increment and mixer would do. */
uint64_t
stress_random(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (z ^ z >> 31);
}

void
stress_context(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(context, sizeof(context), format, ap);
	va_end(ap);
}

void
stress_fail(const char *file, int line, const char *format, ...)
{
	va_list ap;

	fprintf(stderr, "%s:%d: ", file, line);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fprintf(stderr, "\n\tseed %" PRIu64 "; %s\n", first_seed, context);
	stress_directory_remove();
	_exit(1);
}

struct stress_arguments
stress_arguments(int argc, char **argv, uint64_t count)
{
	struct stress_arguments a = { count, 0 };
	const char *sanitizer = getenv("SANITIZER"), *seed = getenv("SEED");
	int option;

	/*
	 * A sanitizer does not survive the children of a raw clone, and its own
	 * vfork replaces the library's.
	 */
	if (sanitizer != NULL && *sanitizer != '\0')
		exit(77);
	if (seed != NULL)
		a.seed = strtoull(seed, NULL, 0);
	while ((option = getopt(argc, argv, "s:")) != -1) {
		if (option != 's')
			errx(2, "usage: %s [-s seed] [count]", argv[0]);
		a.seed = strtoull(optarg, NULL, 0);
	}
	if (optind < argc)
		a.count = strtoull(argv[optind], NULL, 0);
	if (a.seed == 0 && getentropy(&a.seed, sizeof(a.seed)) != 0)
		err(1, "getentropy");
	first_seed = a.seed;
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("seed %" PRIu64 "\n", a.seed);
	return (a);
}

/* ------------------------------------------------------------ surroundings */

void
stress_directory_make(void)
{
	scratch_directory(directory, sizeof(directory));
	if (setenv("TBUF_DIR", directory, 1) != 0)
		err(1, "%s", directory);
}

void
stress_directory_remove(void)
{
	scratch_remove(directory);
	directory[0] = '\0';
}

struct stress_page *
stress_page_new(char path[64])
{
	struct stress_page *page;
	int fd;

	snprintf(path, 64, "%s/page-XXXXXX", directory);
	fd = mkstemp(path);
	if (fd == -1 || ftruncate(fd, sizeof(*page)) != 0)
		err(1, "%s", path);
	page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED,
	    fd, 0);
	if (page == MAP_FAILED)
		err(1, "mmap");
	close(fd);
	return (page);
}

void
stress_page_free(struct stress_page *page, const char *path)
{
	munmap(page, sizeof(*page));
	unlink(path);
}

char **
stress_target_argv(const char *path)
{
	static char self[512], target[] = "target", page[64];
	static char *argv[] = { self, target, page, NULL };
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n <= 0)
		err(1, "/proc/self/exe");
	self[n] = '\0';
	snprintf(page, sizeof(page), "%s", path);
	return (argv);
}

struct stress_sum
stress_page_sum(const struct stress_page *page)
{
	struct stress_sum sum = { 0, 0 };
	unsigned i;

	/* Fires that are not traced do not count. */
	for (i = 0; i < STRESS_WHO; i++) {
		if (i % STRESS_KINDS == STRESS_FORK)
			continue;
		sum.after += tbuf_load_acquire(&page->who[i].after);
		sum.before += tbuf_load_acquire(&page->who[i].before);
	}
	return (sum);
}

static bool
dead(pid_t pid)
{
	siginfo_t info;

	info.si_pid = 0;
	return (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) !=
	    0 || info.si_pid != 0);
}

void
stress_fires_wait(const struct stress_page *page, pid_t pid, uint64_t more)
{
	uint64_t until = stress_page_sum(page).before + more;

	while (stress_page_sum(page).before < until && !dead(pid))
		sched_yield();
}

static void *
killer_main(void *killer)
{
	const struct stress_killer *k = killer;

	stress_fires_wait(k->page, k->pid, k->fires);
	kill(k->pid, SIGKILL);
	return (NULL);
}

void
stress_killer_start(struct stress_killer *k)
{
	STRESS_EXPECT(pthread_create(&k->thread, NULL, killer_main, k) == 0,
	    "pthread_create");
}

void
stress_killer_join(struct stress_killer *k)
{
	pthread_join(k->thread, NULL);
}

uint64_t
stress_late_fires(const struct stress_page *page)
{
	uint64_t late = 0;
	unsigned i;

	for (i = STRESS_VFORK; i < STRESS_WHO; i += STRESS_KINDS)
		late += page->who[i].before != 0;
	return (late);
}

void
stress_park(struct stress_page *page, pid_t pid)
{
	tbuf_store_release(&page->pause, 1);
	while (tbuf_load_acquire(&page->parked) != page->threads) {
		STRESS_EXPECT(!dead(pid), "the target is dead");
		sched_yield();
	}
}

void
stress_resume(struct stress_page *page)
{
	tbuf_store_release(&page->pause, 0);
	while (tbuf_load_acquire(&page->parked) != 0)
		sched_yield();
}

pid_t
stress_target_start(struct stress_page *page, const char *path, bool rseq)
{
	char **argv = stress_target_argv(path);
	pid_t pid = fork();

	if (pid == -1)
		err(1, "fork");
	if (pid == 0) {
		if (!rseq)
			setenv("GLIBC_TUNABLES", "glibc.pthread.rseq=0", 1);
		execv(argv[0], argv);
		err(1, "%s", argv[0]);
	}
	stress_fires_wait(page, pid, page->threads);
	STRESS_EXPECT(!dead(pid), "the target did not start");
	return (pid);
}

/* ------------------------------------------------------------ sessions */

struct stress_session
stress_session_draw(uint64_t *random)
{
	/* A record of numbers is 40 bytes, 48 in a lock lane. */
	static const char *const sizes[] = {
		"40", "48", "100", "300", "1k", "2000", "8k", "64k", "1m", "4m"
	};
	static const char *const policies[] = { "switch", "switch", "ring",
		"fill" };
	static const char *const rates[] = { "1hz", "100hz", "1000hz",
		"5000hz" };
	/* A third of the sessions has nbuf. */
	static const char *const nbufs[] = { "1", "3", "10", NULL };
	struct stress_session session;

	session.bufsize = sizes[stress_random(random) % 10];
	session.policy = policies[stress_random(random) % 4];
	session.switchrate = rates[stress_random(random) % 4];
	session.rseq = stress_random(random) % 2 == 0;
	session.clauses = stress_random(random) % 2 == 0;
	session.enablings = session.clauses ? 1 :
	    1 + (unsigned)(stress_random(random) % STRESS_ENABLINGS);
	session.nbuf = nbufs[stress_random(random) % 3 == 0 ?
	    stress_random(random) % 3 : 3];
	return (session);
}

static void
must(struct tbuf_consumer *c, int result, const char *what)
{
	STRESS_EXPECT(result >= 0, "%s: %s", what, tbuf_consumer_error(c));
}

struct tbuf_consumer *
stress_consumer_new(const struct stress_session *session)
{
	struct tbuf_consumer *c = tbuf_consumer_new();
	unsigned i;

	STRESS_EXPECT(c != NULL, "no consumer: %s", strerror(errno));
	must(c, tbuf_consumer_set(c, "bufpolicy", session->policy), "policy");
	must(c, tbuf_consumer_set(c, "bufsize", session->bufsize), "bufsize");
	must(c, tbuf_consumer_set(c, "switchrate", session->switchrate),
	    "switchrate");
	if (session->nbuf != NULL) {
		must(c, tbuf_consumer_set(c, "bufscope", "thread"), "scope");
		must(c, tbuf_consumer_set(c, "nbuf", session->nbuf), "nbuf");
	}
	if (session->clauses)
		must(c, tbuf_consumer_script(c, &stress_script), "script");
	else
		for (i = 0; i < session->enablings; i++)
			must(c, tbuf_consumer_enable(c, "stress:::"),
			    "enable");
	return (c);
}

/* ------------------------------------------------------------ the tally */

struct stress_tally *
stress_tally_new(void)
{
	struct stress_tally *tally = calloc(1, sizeof(*tally));

	if (tally != NULL)
		tally->last = calloc(STRESS_LANES * STRESS_WHO,
		    sizeof(*tally->last));
	if (tally == NULL || tally->last == NULL)
		err(1, "tally");
	return (tally);
}

void
stress_tally_free(struct stress_tally *tally)
{
	unsigned i;

	for (i = 0; i < STRESS_WHO; i++)
		free(tally->seen[i].bits);
	free(tally->last);
	free(tally);
}

/* Notes a fire that was recorded; each enabling counts as a fire of its own. */
static void
see(struct stress_tally *tally, uint64_t who, uint64_t number)
{
	struct stress_seen *seen = &tally->seen[who];
	uint64_t size = seen->size;

	if (number >= size) {
		size = size * 2 > number ? size * 2 : (number | 0xffff) + 1;
		seen->bits = realloc(seen->bits, size / 8);
		if (seen->bits == NULL)
			err(1, "tally");
		memset((char *)seen->bits + seen->size / 8, 0,
		    (size - seen->size) / 8);
		seen->size = size;
	}
	STRESS_EXPECT((seen->bits[number / 64] >> number % 64 & 1) == 0,
	    "fire %" PRIu64 " of %" PRIu64 " comes twice", number, who);
	seen->bits[number / 64] |= UINT64_C(1) << number % 64;
}

/* [inv.order] Fails unless a writer's fires and times rise within a lane. */
static void
check_order(struct stress_tally *tally, const struct tbuf_consumer *c,
    const struct tbuf_record *record, uint64_t who, uint64_t number)
{
	uint32_t lane = c->drain.order[c->drain.cursor]->index;
	uint64_t *last;

	STRESS_EXPECT(lane < STRESS_LANES, "lane %u", lane);
	last = &tally->last[lane * STRESS_WHO + who];
	STRESS_EXPECT(number > *last, "lane %u: fire %" PRIu64 " of %" PRIu64
	    " comes after %" PRIu64, lane, number, who, *last);
	*last = number;
	STRESS_EXPECT(record->time > tally->time[lane],
	    "lane %u: time does not rise", lane);
	tally->time[lane] = record->time;
}

/* Fails unless a record has the bytes that were fired. */
static void
check_record(struct stress_tally *tally, const struct tbuf_consumer *c,
    const struct tbuf_record *record)
{
	bool clause = record->npieces != 0;
	const struct tbuf_value *v = clause ? record->pieces : record->args;
	unsigned n = clause ? record->npieces : record->nargs, i;
	uint64_t who = v[0].u, number = v[1].u;

	STRESS_EXPECT(who < STRESS_WHO && who % STRESS_KINDS != STRESS_FORK,
	    "a record of %" PRIu64, who);
	STRESS_EXPECT(v[2].u == stress_check(who, number),
	    "torn: fire %" PRIu64 " of %" PRIu64, number, who);
	STRESS_EXPECT(n == (stress_has_text(number) ? 4u : 3u),
	    "fire %" PRIu64 " has %u arguments", number, n);
	for (i = 0; n == 4 && i < v[3].size; i++)
		STRESS_EXPECT(v[3].data[i] == stress_text_byte(number, i),
		    "torn: text of fire %" PRIu64 " of %" PRIu64, number, who);
	STRESS_EXPECT(n == 3 ||
	    v[3].size == stress_text_size(number),
	    "torn: text of fire %" PRIu64 " of %" PRIu64, number, who);
	/* Only one of the script's enablings matches each fire. */
	STRESS_EXPECT(clause || record->enabling < STRESS_ENABLINGS,
	    "enabling %u", record->enabling);
	number = number * STRESS_ENABLINGS + (clause ? 0 : record->enabling);
	check_order(tally, c, record, who, number);
	see(tally, who, number);
}

void
stress_tally_take(struct stress_tally *tally, struct tbuf_consumer *c)
{
	struct tbuf_event event;
	int result;

	while ((result = tbuf_consumer_next(c, &event)) > 0) {
		switch (event.type) {
		case TBUF_EVENT_RECORD:
			tally->records++;
			check_record(tally, c, &event.record);
			break;
		case TBUF_EVENT_DROPS:
			tally->drops += event.count;
			break;
		case TBUF_EVENT_OVERWRITTEN:
			tally->overwritten += event.count;
			break;
		case TBUF_EVENT_DYNAMIC:
			/*
			 * The clauses continue with the old value of the global
			 * variable.
			 */
			break;
		case TBUF_EVENT_EXIT:
			tally->exited = true;
			tally->status = event.status;
			tally->signal = event.signal;
			break;
		case TBUF_EVENT_DAMAGE:
			stress_fail(__FILE__, __LINE__, "%" PRIu64
			    " bytes of CPU %d are damaged", event.count,
			    event.cpu);
			break;
		case TBUF_EVENT_LOST:
		default:
			stress_fail(__FILE__, __LINE__, "%" PRIu64
			    " probes are beyond a limit", event.count);
		}
	}
	must(c, result, "next");
}

void
stress_tally_consume(struct stress_tally *tally, struct tbuf_consumer *c)
{
	int result;

	while ((result = tbuf_consumer_work(c)) > 0)
		stress_tally_take(tally, c);
	must(c, result, "work");
	stress_tally_take(tally, c);
}

void
stress_events_take(struct stress_events *to, struct tbuf_consumer *c)
{
	struct tbuf_event e;
	uint64_t *count;
	int result;

	while ((result = tbuf_consumer_next(c, &e)) > 0) {
		if (e.type == TBUF_EVENT_RECORD && to->take != NULL) {
			to->take(to->argument, &e.record);
			continue;
		}
		if (e.type == TBUF_EVENT_EXIT) {
			to->exited = true;
			continue;
		}
		count = to->counts[e.type];
		STRESS_EXPECT(count != NULL, "event %d", (int)e.type);
		*count += e.count;
	}
	must(c, result, "next");
}

void
stress_events_consume(struct stress_events *to, struct tbuf_consumer *c)
{
	int result;

	while ((result = tbuf_consumer_work(c)) > 0)
		stress_events_take(to, c);
	must(c, result, "work");
	stress_events_take(to, c);
}

pid_t
stress_go(struct tbuf_consumer *c, char **argv, bool rseq)
{
	static const char *const lock_path[] = {
		"GLIBC_TUNABLES=glibc.pthread.rseq=0", NULL
	};
	pid_t pid = tbuf_consumer_spawn(c, argv, rseq ? NULL : lock_path);

	STRESS_EXPECT(pid > 0, "spawn: %s", tbuf_consumer_error(c));
	must(c, tbuf_consumer_go(c), "go");
	return (pid);
}
