/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Commands (-c) are traced from the first fire on, for all that they may do.
 */
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/counter.h"
#include "arch/rseq_area.h"
#include "fixture.h"

static const struct {
	const char *options;
	bool complete;		/* all records fit */
} runs[] = {
	{ "bufpolicy=switch", true },
	{ "bufpolicy=fill", true },
	{ "bufpolicy=ring", true },
	{ "bufpolicy=switch bufsize=2k switchrate=1000hz", false },
	{ "bufpolicy=fill bufsize=2k", false },
	{ "bufpolicy=ring bufsize=2k", false },
	{ "bufpolicy=switch bufsize=24 switchrate=1000hz", false },
	{ "bufpolicy=ring bufsize=24", false },
	{ "temporal", true },
	{ "bufsize=2k switchrate=1ns statusrate=1ns", false },
	{ "switchrate=100000d", true },
};

static const char *const rseq_on[] = { NULL };
static const char *const rseq_off[] = {
	"GLIBC_TUNABLES=glibc.pthread.rseq=0", NULL
};

static void
account(const char *options, bool complete, const char *const *add)
{
	struct tbuf_consumer *c = fake_consumer(options);
	struct tbuf_totals totals;
	struct tally t;

	live_spawn(c, "fire", "20000", add);
	live_go(c);
	ck_assert_int_eq(live_work(c, &t), 0);
	/* Under fill, tracing may end before the target, which is told or not. */
	if (strstr(options, "fill") == NULL) {
		ck_assert_uint_eq(t.exits, 1);
		ck_assert_uint_eq(t.records + t.overwritten + live_drops(&t),
		    20000);
	}
	ck_assert(!complete || t.records == 20000);
	ck_assert_uint_eq(t.damage, 0);
	tbuf_consumer_totals(c, &totals);
	ck_assert_uint_eq(totals.records, t.records);
	ck_assert_uint_eq(totals.drops, live_drops(&t));
	ck_assert_uint_eq(totals.overwritten, t.overwritten);
	tbuf_consumer_close(c);
}

START_TEST(command_is_recorded_from_its_first_fire)
{
	account(runs[_i].options, runs[_i].complete, rseq_on);
}
END_TEST

START_TEST(and_so_without_rseq)
{
	account(runs[_i].options, runs[_i].complete, rseq_off);
}
END_TEST

START_TEST(status_of_the_command_is_told)
{
	static const struct {
		const char *mode;
		int status, signal;
	} ends[] = {
		{ "fire", 0, 0 }, { "exit", 3, 0 }, { "kill", -1, SIGKILL }
	};
	struct tbuf_consumer *c = fake_consumer("");
	struct tbuf_event event;
	unsigned long records = 0;
	bool told = false;
	pid_t pid;
	int r;

	pid = live_spawn(c, ends[_i].mode, "1000", NULL);
	live_go(c);
	do {
		r = tbuf_consumer_work(c);
		while (tbuf_consumer_next(c, &event) == 1) {
			ck_assert(!told);
			records += event.type == TBUF_EVENT_RECORD;
			if (event.type != TBUF_EVENT_EXIT)
				continue;
			told = true;
			ck_assert_int_eq(event.pid, pid);
			ck_assert(event.child);
			ck_assert_int_eq(event.status, ends[_i].status);
			ck_assert_int_eq(event.signal, ends[_i].signal);
		}
	} while (r > 0);
	ck_assert_int_eq(r, 0);
	ck_assert(told);
	ck_assert_uint_eq(records, 1000);
	tbuf_consumer_close(c);
}
END_TEST

/*
 * The command's end is returned if it comes as late as in the last drain, and
 * the target knows nothing of it: it is alive, has given the consumer up, or is
 * gone as its file was truncated.
 */
START_TEST(end_in_the_last_drain_is_told)
{
	struct tbuf_consumer *c = fake_consumer("");
	struct tbuf_event event;
	unsigned ends = 0;
	struct tbuf_target *t;
	siginfo_t info;
	pid_t pid;

	pid = live_spawn(c, "idle", NULL, NULL);
	live_go(c);
	t = TAILQ_FIRST(&c->targets);
	if (_i == 1)
		tbuf_target_resign(t);
	t->truncated = _i == 2;
	tbuf_consumer_stop(c);
	ck_assert_int_eq(tbuf_consumer_work(c), 0);
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT),
	    0);
	while (tbuf_consumer_next(c, &event) == 1)
		if (event.type == TBUF_EVENT_EXIT) {
			ends++;
			ck_assert_int_eq(event.pid, pid);
			ck_assert(event.child);
			ck_assert_int_eq(event.status, -1);
			ck_assert_int_eq(event.signal, SIGKILL);
		}
	ck_assert_uint_eq(ends, 1);
	/* The command has been reaped. */
	ck_assert_int_eq(kill(pid, 0), -1);
	tbuf_consumer_close(c);
}
END_TEST

START_TEST(command_that_is_not_there)
{
	char *argv[] = { (char *)(uintptr_t)"no-such-command", NULL };
	char *passwd[] = { (char *)(uintptr_t)"/etc/passwd", NULL };
	struct tbuf_consumer *c = fake_consumer("");

	ck_assert_int_eq(tbuf_consumer_spawn(c, argv, NULL), -ENOENT);
	ck_assert_str_eq(tbuf_consumer_error(c), "failed to execute "
	    "no-such-command: No such file or directory");
	ck_assert_int_eq(tbuf_consumer_spawn(c, passwd, NULL), -EACCES);
	ck_assert_str_eq(tbuf_consumer_error(c), "failed to execute "
	    "/etc/passwd: Permission denied");
	tbuf_consumer_close(c);
}
END_TEST

START_TEST(exec_that_fails_is_told_by_go)
{
	struct tbuf_consumer *c = fake_consumer("");
	char path[128], expected[256];
	char *argv[] = { path, NULL };
	FILE *f;

	snprintf(path, sizeof(path), "%s/script", live_directory);
	ck_assert_ptr_nonnull(f = fopen(path, "w"));
	fprintf(f, "#!%s/interpreter\n", live_directory);
	fclose(f);
	chmod(path, 0700);
	ck_assert_int_gt(tbuf_consumer_spawn(c, argv, NULL), 0);
	ck_assert_int_eq(tbuf_consumer_go(c), -ENOENT);
	snprintf(expected, sizeof(expected), "failed to execute %s: No such "
	    "file or directory", path);
	ck_assert_str_eq(tbuf_consumer_error(c), expected);
	tbuf_consumer_close(c);
}
END_TEST

START_TEST(refused_tracing_never_runs_the_command)
{
	char path[128], script[256];
	char *argv[] = {
		(char *)(uintptr_t)"sh", (char *)(uintptr_t)"-c", script, NULL
	};
	struct tbuf_consumer *c =
	    fake_consumer("bufsize=1g bufresize=manual");

	setenv("TBUF_MAXSIZE", "1m", 1);
	snprintf(path, sizeof(path), "%s/it-ran", live_directory);
	snprintf(script, sizeof(script), "touch '%s'", path);
	ck_assert_int_gt(tbuf_consumer_spawn(c, argv, NULL), 0);
	ck_assert_int_eq(tbuf_consumer_go(c), -ENOSPC);
	tbuf_consumer_close(c);
	ck_assert_int_eq(access(path, F_OK), -1);
}
END_TEST

START_TEST(environment_is_added_to)
{
	static const char *const add[] = { "TBUF_CHECK=7", "PATH=/bin", NULL };
	char *argv[] = {
		(char *)(uintptr_t)"sh", (char *)(uintptr_t)"-c",
		(char *)(uintptr_t)"test $TBUF_CHECK = 7 && "
		    "test $PATH = /bin && test -n $TBUF_CONTROL && exit 5",
		NULL
	};
	struct tbuf_consumer *c = fake_consumer("");
	struct tbuf_event event;
	int status = -1;

	ck_assert_int_gt(tbuf_consumer_spawn(c, argv, add), 0);
	live_go(c);
	while (tbuf_consumer_work(c) > 0)
		continue;
	while (tbuf_consumer_next(c, &event) == 1)
		if (event.type == TBUF_EVENT_EXIT)
			status = event.status;
	ck_assert_int_eq(status, 5);
	tbuf_consumer_close(c);
}
END_TEST

START_TEST(session_goes_on_after_exec)
{
	struct tbuf_consumer *c = fake_consumer("");
	char *argv[] = {
		live_self, (char *)(uintptr_t)"exec", (char *)(uintptr_t)"10",
		(char *)(uintptr_t)"exec", (char *)(uintptr_t)"20",
		(char *)(uintptr_t)"fire", (char *)(uintptr_t)"30", NULL
	};
	struct tally t;

	ck_assert_int_gt(tbuf_consumer_spawn(c, argv, NULL), 0);
	live_go(c);
	ck_assert_int_eq(live_work(c, &t), 0);
	ck_assert_uint_eq(t.records, 60);
	ck_assert_uint_eq(t.exits, 1);
	tbuf_consumer_close(c);
}
END_TEST

/* An image that maps the file of the first image has not become it. */
START_TEST(image_that_looks_at_the_first_file)
{
	struct tbuf_consumer *c = fake_consumer("");
	char *argv[] = {
		live_self, (char *)(uintptr_t)"exec", (char *)(uintptr_t)"10",
		(char *)(uintptr_t)"out", (char *)(uintptr_t)"20",
		(char *)(uintptr_t)"look", (char *)(uintptr_t)"0",
		(char *)(uintptr_t)"fire", (char *)(uintptr_t)"30", NULL
	};
	struct tally t;
	int in[2], out[2];
	char byte;

	ck_assert_int_eq(pipe2(in, O_CLOEXEC), 0);
	ck_assert_int_eq(pipe2(out, O_CLOEXEC), 0);
	ck_assert_int_eq(dup2(in[0], STDIN_FILENO), STDIN_FILENO);
	ck_assert_int_eq(dup2(out[1], STDOUT_FILENO), STDOUT_FILENO);
	ck_assert_int_gt(tbuf_consumer_spawn(c, argv, NULL), 0);
	live_go(c);
	ck_assert_int_eq(read(out[0], &byte, 1), 1);
	tbuf_consumer_find_new(c);
	ck_assert_int_eq(write(in[1], "", 1), 1);
	ck_assert_int_eq(live_work(c, &t), 0);
	ck_assert_uint_eq(t.records, 60);
	ck_assert_uint_eq(t.exits, 1);
	tbuf_consumer_close(c);
}
END_TEST

START_TEST(children_are_followed)
{
	struct tbuf_consumer *c = fake_consumer(_i == 0 ? "follow" : "");
	struct tally t;

	live_spawn(c, "breed", "7", NULL);
	live_go(c);
	ck_assert_int_eq(live_work(c, &t), 0);
	ck_assert_uint_eq(t.records, _i == 0 ? 70 : 0);
	ck_assert_uint_eq(t.exits, _i == 0 ? 8 : 1);
	tbuf_consumer_close(c);
}
END_TEST

/* Counts children with a clock based on the consumer's first moment. */
static unsigned
count_posted(const struct tbuf_consumer *c)
{
	const struct tbuf_target *t;
	unsigned n = 0;

	TAILQ_FOREACH(t, &c->targets, link)
		if (!t->child && t->time.clock == TBUF_CLOCK_COUNTER) {
			ck_assert_uint_eq(t->time.base.ticks,
			    c->posted.ticks);
			n++;
		}
	return (n);
}

/* The consumer does not spin until a new child is old enough to calibrate. */
START_TEST(time_of_children_is_known_at_once)
{
	struct tbuf_consumer *c = fake_consumer("follow");
	struct tally t = { .many = true };
	unsigned n = 0;
	int r;

	live_spawn(c, "breed", "7", NULL);
	live_go(c);
	do {
		r = tbuf_consumer_work(c);
		n += count_posted(c);
		fake_tally(c, &t);
	} while (r > 0);
	ck_assert_int_eq(r, 0);
	ck_assert_uint_eq(t.records, 70);
	if (c->clock == TBUF_CLOCK_COUNTER)
		ck_assert_uint_ge(n, 7);
	tbuf_consumer_close(c);
}
END_TEST

/* Expects this number of untraced processes, all for one reason. */
static void
check_missed(struct tbuf_consumer *c, uint64_t expected, const char *reason)
{
	const char *why;
	uint64_t count, sum = 0;

	while ((why = tbuf_consumer_missed(c, &count)) != NULL) {
		ck_assert_str_eq(why, reason);
		ck_assert_uint_gt(count, 0);
		sum += count;
	}
	ck_assert_uint_eq(sum, expected);
}

static void
run_script(struct tbuf_consumer *c, const char *format, const char *const *add)
{
	char script[8300];
	char *argv[] = {
		(char *)(uintptr_t)"sh", (char *)(uintptr_t)"-c", script, NULL
	};

	snprintf(script, sizeof(script), format, live_self, live_self);
	ck_assert_msg(tbuf_consumer_spawn(c, argv, add) > 0, "%s",
	    tbuf_consumer_error(c));
	live_go(c);
}

/* A file needs more than these blocks of 512 bytes. */
#define LOW_LIMIT	"ulimit -f 8; "

START_TEST(command_that_cannot_be_traced_is_told)
{
	struct tbuf_consumer *c = fake_consumer(_i == 0 ? "follow" : "");
	struct tally t;

	run_script(c, LOW_LIMIT "exec '%s' fire 5", NULL);
	ck_assert_int_eq(live_work(c, &t), 0);
	ck_assert_uint_eq(t.records, 0);
	check_missed(c, 1, "file size limit is too low");
	tbuf_consumer_close(c);
}
END_TEST

/* The command's own library does not adopt the file made for it. */
START_TEST(command_whose_library_lacks_something_is_told)
{
	struct tbuf_consumer *c = fake_consumer(_i == 0 ? "follow" : "");
	struct tally t;

	c->needs = 1u << 23;
	live_spawn(c, "fire", "5", NULL);
	live_go(c);
	ck_assert_int_eq(live_work(c, &t), 0);
	ck_assert_uint_eq(t.records, 0);
	check_missed(c, 1, "its libtbuf lacks a feature this session needs");
	tbuf_consumer_close(c);
}
END_TEST

START_TEST(children_that_cannot_be_traced_are_told)
{
	struct tbuf_consumer *c = fake_consumer(_i == 0 ? "follow" : "");
	struct tally t;

	run_script(c, "'%s' fire 7; " LOW_LIMIT "'%s' fire 5; '%1$s' fire 5",
	    NULL);
	ck_assert_int_eq(live_work(c, &t), 0);
	ck_assert_uint_eq(t.records, _i == 0 ? 7 : 0);
	check_missed(c, _i == 0 ? 2 : 0, "file size limit is too low");
	tbuf_consumer_close(c);
}
END_TEST

START_TEST(command_that_has_opted_out_is_told)
{
	static const char *const out[] = { "TBUF_DISABLE=1", NULL };
	struct tbuf_consumer *c = fake_consumer("");
	struct tally t;

	live_spawn(c, "fire", "5", out);
	live_go(c);
	ck_assert_int_eq(live_work(c, &t), 0);
	ck_assert_uint_eq(t.records, 0);
	check_missed(c, 1, "TBUF_DISABLE is set");
	tbuf_consumer_close(c);
}
END_TEST

/* Returns the probe table's size under this process's limits. */
static unsigned
table_entries(void)
{
	struct tbuf_consumer *c = fake_consumer("");
	unsigned entries;

	live_spawn(c, "fire", "0", NULL);
	entries = TAILQ_FIRST(&c->targets)->view.tables.entries;
	tbuf_consumer_close(c);
	return (entries);
}

static void
spawn_many(struct tbuf_consumer *c, unsigned count)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", count);
	live_spawn(c, "many", text, NULL);
}

START_TEST(probes_beyond_the_table_are_told)
{
	struct tbuf_consumer *c = fake_consumer("");
	unsigned entries = table_entries();
	struct tally t;

	spawn_many(c, entries + 10);
	live_go(c);
	ck_assert_int_eq(live_work(c, &t), 0);
	ck_assert_uint_eq(t.lost, 11);
	ck_assert_uint_eq(t.unmet, entries < TBUF_ECBS_MAX ? 0 :
	    entries - (TBUF_ECBS_MAX - 1));
	ck_assert_uint_eq(tbuf_consumer_matched(c, 0), entries);
	tbuf_consumer_close(c);
}
END_TEST

/* The probes register during the run; the last enablings find no EPID. */
START_TEST(probes_beyond_the_session_are_told)
{
	const unsigned probes = 1000, enablings = TBUF_ECBS_MAX / 1000 + 3;
	struct tbuf_consumer *c = fake_consumer("");
	struct tally t;
	unsigned i;

	for (i = 1; i < enablings; i++)
		ck_assert_int_gt(tbuf_consumer_enable(c, "many:::"), 0);
	spawn_many(c, probes);
	live_go(c);
	ck_assert_int_eq(live_work(c, &t), 0);
	ck_assert_uint_eq(t.lost, 0);
	ck_assert_uint_eq(t.unmet,
	    probes * enablings + 1 - (TBUF_ECBS_MAX - 1));
	tbuf_consumer_close(c);
}
END_TEST

#define CHILDREN	12

/* The arithmetic of space assumes one CPU. */
static void
stay_on_one_cpu(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(set), &set), 0);
}

static void
wait_for_end(const struct tbuf_consumer *c)
{
	struct pollfd p = { .fd = TAILQ_FIRST(&c->targets)->pidfd,
	    .events = POLLIN };

	ck_assert_int_eq(poll(&p, 1, -1), 1);
}

/* No space is released before the last child has ended. */
START_TEST(children_share_what_space_there_is)
{
	struct tbuf_consumer *c = fake_consumer("follow bufsize=1m");
	struct tally t;

	stay_on_one_cpu();
	setenv("TBUF_MAXSIZE", "16m", 1);
	live_spawn(c, "breed", "12", NULL);
	live_go(c);
	wait_for_end(c);
	ck_assert_int_eq(live_work(c, &t), 0);
	check_missed(c, 0, "");
	ck_assert_uint_eq(t.records + live_drops(&t), 10 * CHILDREN);
	ck_assert_uint_eq(t.exits, CHILDREN + 1);
	tbuf_consumer_close(c);
}
END_TEST

/*
 * Buffers and tables are released: the budget of a run is whole again after its
 * programs have ended.
 */
START_TEST(what_children_have_taken_is_given_back)
{
	struct tbuf_consumer *c = fake_consumer(_i == 0 ?
	    "follow bufsize=64k" : "follow bufsize=64k nunits=4");
	uint64_t sum = 0;
	struct tbuf_target *t;
	struct tally tally;

	setenv("TBUF_MAXSIZE", "64m", 1);
	live_spawn(c, "breed", "7", NULL);
	live_go(c);
	ck_assert_int_eq(live_work(c, &tally), 0);
	ck_assert_uint_eq(tally.exits, 8);
	TAILQ_FOREACH(t, &c->targets, link)
		sum += t->charged;
	sum += c->entry != NULL ? c->entry->budget : c->budget;
	ck_assert_uint_eq(sum, 64 << 20);
	tbuf_consumer_close(c);
}
END_TEST

/* Each child is traced, or reported as missed. */
START_TEST(children_without_space_are_told)
{
	struct tbuf_consumer *c =
	    fake_consumer("follow bufsize=64k bufresize=manual");
	const char *why;
	uint64_t missed;
	struct tally t;

	stay_on_one_cpu();
	setenv("TBUF_MAXSIZE", "16m", 1);
	live_spawn(c, "breed", "200", NULL);
	live_go(c);
	wait_for_end(c);
	ck_assert_int_eq(live_work(c, &t), 0);
	why = tbuf_consumer_missed(c, &missed);
	ck_assert_str_eq(why, "not enough space");
	ck_assert_ptr_null(tbuf_consumer_missed(c, &missed));
	ck_assert_uint_gt(missed, 0);
	ck_assert_uint_lt(missed, 200);
	ck_assert_uint_eq(live_drops(&t), 0);
	ck_assert_uint_eq(t.records + 10 * missed, 2000);
	ck_assert_uint_eq(t.exits + missed, 201);
	tbuf_consumer_close(c);
}
END_TEST

/* The child fails after fork(2), and again after its exec. */
START_TEST(child_without_space_is_told_once)
{
	struct tbuf_consumer *c;
	char options[96];
	const char *reason = "not enough space";
	struct tally t;
	int fds[2];

	/* Lock lanes may lack the CPU's number, which -x cpu needs. */
	if (!tbuf_rseq_ready() && !tbuf_cpu_readable())
		reason = "it cannot determine its CPU (-x cpu)";
	stay_on_one_cpu();
	setenv("TBUF_MAXSIZE", "1152k", 1);
	snprintf(options, sizeof(options), "follow bufpolicy=ring bufsize=1m "
	    "bufresize=manual cpu=%d", sched_getcpu());
	c = fake_consumer(options);
	ck_assert_int_eq(pipe2(fds, O_CLOEXEC), 0);
	ck_assert_int_eq(dup2(fds[0], STDIN_FILENO), STDIN_FILENO);
	ck_assert_int_eq(write(fds[1], "", 1), 1);
	live_spawn(c, "relay", "10", NULL);
	live_go(c);
	ck_assert_int_eq(live_work(c, &t), 0);
	check_missed(c, 1, reason);
	ck_assert_uint_eq(t.records, 0);
	ck_assert_uint_eq(t.exits, 1);
	tbuf_consumer_close(c);
}
END_TEST

/* Pipe to a child, which is written to when its file is found; its parent. */
static int relayed = -1;
static const struct tbuf_target *parent;

/*
 * Replaces the C library's: after the directory is read, and before the file is
 * opened, its process runs to its end.
 */
struct dirent *
readdir(DIR *dir)
{
	static struct dirent *(*next)(DIR *);
	struct pollfd p = { .events = POLLIN };
	struct dirent *entry;
	uint64_t random;
	pid_t pid;

	if (next == NULL)
		*(void **)(void *)&next = dlsym(RTLD_NEXT, "readdir");
	entry = next(dir);
	if (relayed == -1 || entry == NULL ||
	    !tbuf_control_name_parse(entry->d_name, &pid, &random) ||
	    pid == parent->pid)
		return (entry);
	ck_assert_int_eq(write(relayed, "", 1), 1);
	relayed = -1;
	p.fd = parent->pidfd;
	ck_assert_int_eq(poll(&p, 1, -1), 1);
	return (entry);
}

/* A process's end is reported after all its images were found. */
START_TEST(images_that_come_while_files_are_met)
{
	struct tbuf_consumer *c = fake_consumer("follow");
	struct tally t;
	int fds[2];

	ck_assert_int_eq(pipe2(fds, O_CLOEXEC), 0);
	ck_assert_int_eq(dup2(fds[0], STDIN_FILENO), STDIN_FILENO);
	live_spawn(c, "relay", "10", NULL);
	parent = TAILQ_FIRST(&c->targets);
	relayed = fds[1];
	live_go(c);
	ck_assert_int_eq(live_work(c, &t), 0);
	ck_assert_int_eq(relayed, -1);
	ck_assert_uint_eq(t.records, 30);
	ck_assert_uint_eq(t.exits, 2);
	tbuf_consumer_close(c);
}
END_TEST

/*
 * The process has pid 1 in its namespace, which is a process here that never
 * ends.  Its images are those of the fork and of the exec.
 */
START_TEST(children_in_another_pid_namespace)
{
	struct tbuf_consumer *c = fake_consumer("follow");
	char *argv[] = {
		live_self, (char *)(uintptr_t)"nest",
		(char *)(uintptr_t)"exec", (char *)(uintptr_t)"10",
		(char *)(uintptr_t)"fire", (char *)(uintptr_t)"20", NULL
	};
	struct tally t;

	ck_assert_int_gt(tbuf_consumer_spawn(c, argv, NULL), 0);
	live_go(c);
	ck_assert_int_eq(live_work(c, &t), 0);
	ck_assert_uint_eq(t.records, live_nests() ? 40 : 0);
	ck_assert_uint_eq(t.exits, live_nests() ? 4 : 2);
	tbuf_consumer_close(c);
}
END_TEST

/* A command that could not be started leaves no file or descriptor. */
START_TEST(failed_spawn_leaves_nothing)
{
	struct tbuf_consumer *c = fake_consumer("");
	char *argv[] = { live_self, (char *)(uintptr_t)"fire",
	    (char *)(uintptr_t)"5", NULL };
	struct rlimit before, low;
	struct tally t;
	int fd;

	ck_assert_int_ge(tbuf_consumer_directory(c, true), 0);
	/* The pipes and the file fit, but not the process. */
	ck_assert_int_ge(fd = dup(c->directory), 0);
	close(fd);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	low = before;
	low.rlim_cur = (rlim_t)fd + 4;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &low), 0);
	while (tbuf_consumer_spawn(c, argv, NULL) < 0) {
		ck_assert(TAILQ_EMPTY(&c->targets));
		ck_assert_int_eq(fcntl(fd, F_GETFD), -1);
		low.rlim_cur++;
		ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &low), 0);
	}
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
	live_go(c);
	ck_assert_int_eq(live_work(c, &t), 0);
	ck_assert_uint_eq(t.records, 5);
	tbuf_consumer_close(c);
	ck_assert_int_eq(fcntl(fd, F_GETFD), -1);
}
END_TEST

static int
one_probe(void *arg, pid_t pid, const struct tbuf_probe_info *probe)
{
	ck_assert_int_eq(pid, *(pid_t *)arg);
	ck_assert_str_eq(probe->provider, "live");
	ck_assert_str_eq(probe->name, "numbered");
	return (7);
}

START_TEST(command_is_run_for_its_list)
{
	struct tbuf_consumer *c = fake_consumer("");
	pid_t pid = live_spawn(c, "fire", "5", NULL);

	ck_assert_int_eq(tbuf_consumer_list(c, one_probe, &pid), 0);
	ck_assert_int_eq(tbuf_consumer_run(c), 0);
	ck_assert_int_eq(tbuf_consumer_list(c, one_probe, &pid), 7);
	ck_assert_int_eq(tbuf_consumer_list(c, one_probe, &pid), 7);
	ck_assert_int_eq(tbuf_consumer_run(c), -EINVAL);
	live_go(c);
	ck_assert_int_eq(tbuf_consumer_work(c), 0);
	tbuf_consumer_close(c);
}
END_TEST

START_TEST(waiting_for_a_command_can_be_stopped)
{
	struct tbuf_consumer *c = fake_consumer("");
	char *argv[] = { (char *)(uintptr_t)"cat", NULL };
	int fds[2], input = dup(0);

	ck_assert_int_eq(pipe2(fds, O_CLOEXEC), 0);
	ck_assert_int_eq(dup2(fds[0], 0), 0);
	ck_assert_int_gt(tbuf_consumer_spawn(c, argv, NULL), 0);
	tbuf_consumer_stop(c);
	ck_assert_int_eq(tbuf_consumer_run(c), -EINTR);
	tbuf_consumer_close(c);
	close(fds[1]);
	dup2(input, 0);
}
END_TEST

static Suite *
make(void)
{
	Suite *s = suite_create("command");
	TCase *t = live_case("command");
	int n = sizeof(runs) / sizeof(runs[0]);

	tcase_add_loop_test(t, command_is_recorded_from_its_first_fire, 0, n);
	tcase_add_loop_test(t, and_so_without_rseq, 0, n);
	tcase_add_loop_test(t, status_of_the_command_is_told, 0, 3);
	tcase_add_loop_test(t, end_in_the_last_drain_is_told, 0, 3);
	tcase_add_test(t, command_that_is_not_there);
	tcase_add_test(t, exec_that_fails_is_told_by_go);
	tcase_add_test(t, refused_tracing_never_runs_the_command);
	tcase_add_test(t, environment_is_added_to);
	tcase_add_test(t, session_goes_on_after_exec);
	tcase_add_test(t, image_that_looks_at_the_first_file);
	tcase_add_loop_test(t, children_are_followed, 0, 2);
	tcase_add_test(t, time_of_children_is_known_at_once);
	tcase_add_loop_test(t, command_that_cannot_be_traced_is_told, 0, 2);
	tcase_add_loop_test(t, command_whose_library_lacks_something_is_told,
	    0, 2);
	tcase_add_loop_test(t, children_that_cannot_be_traced_are_told, 0, 2);
	tcase_add_test(t, command_that_has_opted_out_is_told);
	tcase_add_test(t, probes_beyond_the_table_are_told);
	tcase_add_test(t, probes_beyond_the_session_are_told);
	tcase_add_test(t, children_share_what_space_there_is);
	tcase_add_loop_test(t, what_children_have_taken_is_given_back, 0, 2);
	tcase_add_test(t, children_without_space_are_told);
	tcase_add_test(t, child_without_space_is_told_once);
	tcase_add_test(t, images_that_come_while_files_are_met);
	tcase_add_test(t, children_in_another_pid_namespace);
	tcase_add_test(t, failed_spawn_leaves_nothing);
	tcase_add_test(t, command_is_run_for_its_list);
	tcase_add_test(t, waiting_for_a_command_can_be_stopped);
	suite_add_tcase(s, t);
	return (s);
}

int
main(int argc, char *argv[])
{
	return (live_main(argc, argv, make));
}
