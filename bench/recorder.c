/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Cost of a recorder for a server under load.  This process is kvd: its code,
 * workers and sockets.  kvload, with as many requests as are served, runs on
 * the same CPU, so that no CPU sleeps and is woken up: in a virtual machine
 * that takes longer than a request, and its time varies.
 *
 * tbuf_recorder_start() and tbuf_recorder_stop() turn the recorder on and off
 * before turns of a few milliseconds.  A group has one turn with a recorder and
 * two without, in any order.  The difference of the two without, of which one
 * is printed like a recorded one, shows the noise.  Rows have the medians, over
 * all groups, of the ratio of two turns, and its quartiles.
 *
 * Times are CPU time of kvd and kvload, so other processes do not count.
 * Without others that is all of the time, and requests per CPU time are the
 * throughput.  The CPU time of kvd alone is that of a server that has a CPU of
 * its own and as much work as it can do.
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
#define WORKERS		4	/* as in kvd */
#define TURN_NS		3000000
#define SETTLE_NS	500000	/* until caches fit the new state */
#define WARM_NS		500000000
#define FEWEST		50	/* requests in a turn, or it is repeated */
#define HOT_TIMES	1000
#define HOT_TURNS	150

enum turn { ON, OFF, OFF_AGAIN, TURNS };

/* CPU time per request, ns. */
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

/* Measures a turn.  Returns false if it had too few requests. */
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

/* Takes a turn; before one without the recorder it is on for a moment, too. */
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

/* Prints a row of ns per request, or of requests per second. */
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

/* Serves requests; a fifth are sets, as from kvload. */
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
 * Measures requests in a row, without sockets: caches and branch predictions
 * differ from those of a server.  Each side sets the recorder for the other.
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
