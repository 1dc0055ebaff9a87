/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Cost of reading: the real tbufctl, writing to /dev/null, on one CPU.
 *
 * Throughput: this process fills a ring that holds all its records; then
 * tbufctl is interrupted and prints.  The result is the CPU time of tbufctl
 * from the interrupt to its exit, which includes the release of the buffers,
 * but no other processes.  The number of records is tbufctl's own total.
 */
#include <sys/stat.h>

#include <dirent.h>
#include <err.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tbuf.h>
#include <tbuf_consumer.h>

#include "bench.h"
#include "child.h"

#define TEXT		"--format=text"
#define JSON		"--format=json"
#define RECORDS		2000000u
#define BUFSIZE		"128m"		/* for all records of each kind */
#define RATE_TURNS	4
#define STARTUP_TURNS	20
#define TEXT_FIGURE	50.0		/* ns a record */
#define JSON_FIGURE	65.0

static void
fire_pair(uint64_t n)
{
	uint64_t i;

	for (i = 0; i < n; i++)
		TBUF_PROBE(bench, pair, i, n);
}

static void
fire_string(uint64_t n)
{
	const char *path = "/usr/share/doc/tbuf/READ";
	uint64_t i;

	for (i = 0; i < n; i++)
		TBUF_PROBE(bench, string, i, path);
}

static bool
enabled(void)
{
	return (TBUF_ENABLED(bench, pair) || TBUF_ENABLED(bench, string));
}

static double
least(double a, double b)
{
	return (a < b ? a : b);
}

/* Measures CPU time per record, ns.  JSON output has its total elsewhere. */
static double
read_once(const char *description, const char *format, int cpu,
    void (*fire)(uint64_t))
{
	char pid[16], only[24];
	const char *arguments[] = {
		"-n", description, "-p", pid, "-x", "bufpolicy=ring",
		"-b", BUFSIZE, "-x", "bufresize=manual", "-x", only,
		"-o", "/dev/null", format, NULL
	};
	struct child child;
	uint64_t records = RECORDS;
	double before, all;

	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	snprintf(only, sizeof(only), "cpu=%d", cpu);
	child_tbufctl(&child, arguments);
	while (!enabled()) {
		child_check(&child);
		sched_yield();
	}
	fire(RECORDS);
	before = child_cpu(&child);
	kill(child.pid, SIGINT);
	if (strcmp(format, TEXT) == 0)
		all = child_total(&child, &records);
	else
		all = child_wait(&child);
	if (records != RECORDS)
		errx(1, "%ju records of %u", (uintmax_t)records, RECORDS);
	return ((all - before) / RECORDS);
}

static void
measure_rate(const char *what, const char *description, const char *format,
    void (*fire)(uint64_t), const char *figure)
{
	int cpus[64], n = bench_cpus(cpus, 64), turn;
	double best = 1e300;

	bench_pin(cpus[n - 1]);
	for (turn = 0; turn < RATE_TURNS; turn++)
		best = least(best,
		    read_once(description, format, cpus[n - 1], fire));
	bench_pin(-1);
	if (strcmp(format, TEXT) == 0)
		bench_row(what, best, "50 ns", TEXT_FIGURE, figure);
	else
		bench_row(what, best, "65 ns", JSON_FIGURE, figure);
}

static double
run_once(const char *const *argv, bool traced)
{
	struct child child;
	double begin = bench_now();

	if (traced)
		child_tbufctl(&child, argv);
	else
		child_command(&child, argv);
	child_wait(&child);
	return ((bench_now() - begin) / 1e6);
}

/* Measures tbufctl from start to exit, with a command that does nothing. */
static void
measure_startup(void)
{
	const char *const traced[] = {
		"-n", "libc::malloc:entry", "-o", "/dev/null", "-c", "true",
		NULL
	};
	const char *const plain[] = { "true", NULL };
	double a = 1e300, b = 1e300;
	int turn;

	for (turn = 0; turn < STARTUP_TURNS; turn++) {
		a = least(a, run_once(traced, true));
		b = least(b, run_once(plain, false));
	}
	printf("%-38s %9.2f  %-30s %9.2f  %+6.2f  %s\n",
	    "tbufctl -c true, ms", a, "true, ms", b, a - b, "<= +50 ms");
}

/* Returns the storage of this process's control file, KiB. */
static double
file_size(void)
{
	const char *set = getenv("TBUF_DIR");
	char path[4096], prefix[32];
	struct dirent *entry;
	struct stat st;
	double size = 0;
	DIR *dir;

	if (set != NULL && *set != '\0')
		snprintf(path, sizeof(path), "%s", set);
	else
		snprintf(path, sizeof(path), "/dev/shm/tbuf-%u", geteuid());
	snprintf(prefix, sizeof(prefix), "tbuf.%d.", (int)getpid());
	if ((dir = opendir(path)) == NULL)
		err(1, "%s", path);
	while ((entry = readdir(dir)) != NULL)
		if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0 &&
		    fstatat(dirfd(dir), entry->d_name, &st, 0) == 0)
			size = (double)st.st_blocks * 512 / 1024;
	closedir(dir);
	if (size == 0)
		errx(1, "no control file in %s", path);
	return (size);
}

/* Measures a session's memory, without the buffers that were requested. */
static void
measure_memory(void)
{
	struct tbuf_consumer *c = tbuf_consumer_new();
	int cpus[64], n = bench_cpus(cpus, 64);
	double buffers = 2.0 * 4096 * n, all;

	if (c == NULL || tbuf_consumer_set(c, "bufresize", "manual") != 0 ||
	    tbuf_consumer_enable(c, "bench:::") < 0 ||
	    tbuf_consumer_grab(c, getpid()) != 0 || tbuf_consumer_go(c) != 0)
		errx(1, "no consumer");
	all = file_size();
	tbuf_consumer_close(c);
	printf("%-38s %9.0f  %-30s %9.0f  %+6.0f  %s\n",
	    "control file and a session, KiB", all,
	    "4 MiB x 2 x CPUs, KiB", buffers, all - buffers,
	    "< +1024 KiB");
}

int
main(void)
{
	child_prepare();
	measure_rate("text, two 64-bit arguments", "bench:::pair", TEXT,
	    fire_pair, "<= 1.00");
	measure_rate("text, 64 bits and a string of 24", "bench:::string",
	    TEXT, fire_string, "");
	measure_rate("JSON, two 64-bit arguments", "bench:::pair", JSON,
	    fire_pair, "<= 1.00");
	measure_rate("JSON, 64 bits and a string of 24", "bench:::string",
	    JSON, fire_string, "");
	measure_startup();
	measure_memory();
	return (0);
}
