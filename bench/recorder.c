/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * What a recorder costs a server under load.  This process is kvd: its own
 * code, with its workers and its sockets.  kvload, as many requests as are
 * served, has the same CPU, so that no CPU sleeps and is woken up: in a virtual
 * machine that takes longer than a request, and never equally long.
 *
 * The recorder is on and off in turns of a few milliseconds, by
 * tbuf_recorder_start() and tbuf_recorder_stop() before each of them.  A group
 * is one with a recorder and two without, in any order: what there is between
 * the latter two, of which one is called recorded, is what cannot be told from
 * nothing.  The rows have medians of what is between turns of a group, in all
 * groups, and the quartiles of that.
 *
 * Time is processor time, of kvd and of kvload: others that want the CPU do not
 * take any of it, and with nobody else it is all the time there is, so that
 * requests by it are throughput.  Of kvd alone it is what a server has that has
 * a CPU of its own, and no less work than it can do.
 *
 *	recorder KVLOAD SOCKET
 */
#define main kvd_main
#include "../examples/kvd.c"
#undef main

#include <sys/wait.h>

#include <fcntl.h>
#include <spawn.h>

#include "bench.h"

#define OPTIONS		"bufpolicy=ring,bufsize=1m,probes=kv:::"
#define GROUPS		1500
#define WORKERS		4	/* as kvd has */
#define TURN_NS		3000000
#define SETTLE_NS	500000	/* the caches are full of what is on or off */
#define WARM_NS		500000000
#define FEWEST		50	/* requests in a turn: it was not ours */
#define HOT_TIMES	1000
#define HOT_TURNS	150

enum turn { ON, OFF, OFF_AGAIN, TURNS };

/* Nanoseconds of processor time for a request. */
struct spent {
	double server[GROUPS];		/* kvd */
	double all[GROUPS];		/* kvd and kvload */
};

static struct spent spent[TURNS];

static void
on(void *cookie)
{
	(void)cookie;
	if (tbuf_recorder_start(OPTIONS) != 0)
		errx(1, "%s", tbuf_recorder_error());
}

static void
off(void *cookie)
{
	(void)cookie;
	if (tbuf_recorder_stop() != 0)
		errx(1, "%s", tbuf_recorder_error());
}

static void
rest(long ns)
{
	const struct timespec t = { ns / 1000000000, ns % 1000000000 };

	nanosleep(&t, NULL);
}

static double
clock_ns(clockid_t clock)
{
	struct timespec t;

	if (clock_gettime(clock, &t) != 0)
		err(1, "kvload has gone");
	return ((double)t.tv_sec * 1e9 + (double)t.tv_nsec);
}

/* False: there were no requests to speak of. */
static bool
turn_measure(clockid_t load, double *server, double *all)
{
	uint64_t n = next_id;
	double client = clock_ns(load);
	double own = clock_ns(CLOCK_PROCESS_CPUTIME_ID);

	rest(TURN_NS);
	own = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - own;
	client = clock_ns(load) - client;
	n = next_id - n;
	*server = own / (double)n;
	*all = (own + client) / (double)n;
	return (n >= FEWEST);
}

/* What is off has been on for a moment, too. */
static void
turn_take(enum turn which, unsigned group, clockid_t load)
{
	struct spent *s = &spent[which];
	bool done;

	do {
		on(NULL);
		if (which != ON)
			off(NULL);
		rest(SETTLE_NS);
		done = turn_measure(load, &s->server[group], &s->all[group]);
		if (which == ON)
			off(NULL);
	} while (!done);
}

static void
groups_take(clockid_t load)
{
	unsigned group, first, i, turn;

	srand(1);
	for (group = 0; group < GROUPS; group++) {
		first = (unsigned)rand() / 8;
		for (i = 0; i < TURNS; i++) {
			turn = first / 2 + (first % 2 != 0 ? i : TURNS - i);
			turn_take(turn % TURNS, group, load);
		}
	}
}

/* ------------------------------------------------------------ rows */

/* Of ns a request, or as requests a second. */
static void
row(const char *what, const double *ns, const double *than, bool rate,
    const char *figure)
{
	static double ratio[GROUPS], a[GROUPS], b[GROUPS];
	unsigned i;
	double median;

	for (i = 0; i < GROUPS; i++) {
		a[i] = rate ? 1e9 / ns[i] : ns[i];
		b[i] = rate ? 1e9 / than[i] : than[i];
		ratio[i] = a[i] / b[i];
	}
	median = bench_median(ratio, GROUPS);
	printf("%-38s %9.0f  %-30s %9.0f  %6.3f  %s(%.3f to %.3f)\n", what,
	    bench_median(a, GROUPS), "not recorded", bench_median(b, GROUPS),
	    median, figure, ratio[GROUPS / 4], ratio[GROUPS * 3 / 4]);
	fflush(stdout);
}

static void
rows(void)
{
	row("kvd and kvload, requests/s", spent[ON].all, spent[OFF].all, true,
	    ">= 0.990  ");
	row("nothing between them", spent[OFF_AGAIN].all, spent[OFF].all,
	    true, "1  ");
	row("kvd, ns/request", spent[ON].server, spent[OFF].server, false,
	    "");
	row("nothing between them", spent[OFF_AGAIN].server,
	    spent[OFF].server, false, "1  ");
}

/* ------------------------------------------------------------ without load */

/* A fifth are set, as kvload's are. */
static void
serve(void *cookie, uint64_t times)
{
	static char answer[ANSWER_SIZE];
	char line[64];
	uint64_t i;

	(void)cookie;
	for (i = 0; i < times; i++) {
		strcpy(line, i % 5 == 0 ? "set key500 value1234567890" :
		    "get key500");
		request_serve(line, answer);
	}
}

/*
 * The same requests in a row, with no sockets: neither caches nor predictions
 * are those of a server.  Each side leaves the recorder as the other has it.
 */
static void
hot(void)
{
	const struct bench_side sides[2] = {
		{ "a request, no sockets, recorded", serve, off, NULL },
		{ "not recorded", serve, on, NULL }
	};
	struct bench_result r;

	on(NULL);
	bench_pair(sides, HOT_TIMES, HOT_TURNS, &r);
	off(NULL);
	bench_row(sides[0].name, r.ns[0], sides[1].name, r.ns[1], "");
}

/* ------------------------------------------------------------ kvd */

static void
serve_begin(const char *path)
{
	static struct worker workers[WORKERS];
	int i;

	for (i = 0; i < LOCKS; i++)
		pthread_mutex_init(&locks[i], NULL);
	end_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	listen_at(path);
	for (i = 0; i < WORKERS; i++)
		worker_start(&workers[i]);
}

static pid_t
load_begin(char *kvload, char *path)
{
	char requests_option[] = "--requests=0";
	char *const argv[] = { kvload, requests_option, path, NULL };
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int error;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null",
	    O_WRONLY, 0);
	error = posix_spawn(&pid, kvload, &actions, NULL, argv, environ);
	if (error != 0) {
		errno = error;
		err(1, "%s", kvload);
	}
	posix_spawn_file_actions_destroy(&actions);
	return (pid);
}

int
main(int argc, char **argv)
{
	int cpus[64], n = bench_cpus(cpus, 64);
	clockid_t load;
	pid_t pid;

	if (argc != 3)
		errx(2, "usage: recorder KVLOAD SOCKET");
	bench_pin(cpus[n - 1]);
	serve_begin(argv[2]);
	hot();
	pid = load_begin(argv[1], argv[2]);
	if (clock_getcpuclockid(pid, &load) != 0)
		errx(1, "no clock of kvload");
	on(NULL);
	rest(WARM_NS);
	off(NULL);
	groups_take(load);
	kill(pid, SIGTERM);
	waitpid(pid, NULL, 0);
	unlink(argv[2]);
	rows();
	return (0);
}
