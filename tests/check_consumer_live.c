/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Consumers and real targets: this program is both, by its first argument.
 */
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check_consumer_fixture.h"
#include "tbuf.h"

static char self[4096];
static char directory[64];

/* ------------------------------------------------------------ the target */

static void
fire(unsigned long from, unsigned long count)
{
	unsigned long number;

	for (number = from; number < from + count; number++)
		TBUF_PROBE(live, numbered, number);
}

/*
 * Each number that comes is so many fires; a byte goes back when done.  Less
 * than a number: begin anew.
 */
static int
serve(void)
{
	unsigned long count, next = 0;
	ssize_t n;

	while ((n = read(0, &count, sizeof(count))) == sizeof(count)) {
		fire(next, count);
		next += count;
		if (write(1, "", 1) != 1)
			return (1);
	}
	if (n > 0)
		execl(self, self, "serve", NULL);
	return (0);
}

/* Some children, each with some fires. */
static int
breed(unsigned long children, unsigned long count)
{
	unsigned long i;
	pid_t pid;

	for (i = 0; i < children; i++) {
		if ((pid = fork()) == 0) {
			fire(0, count);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	return (0);
}

static int
target(int argc, char *argv[])
{
	unsigned long count = argc > 2 ? strtoul(argv[2], NULL, 0) : 0;

	if (strcmp(argv[1], "serve") == 0)
		return (serve());
	if (strcmp(argv[1], "breed") == 0)
		return (breed(count, 10));
	fire(0, count);
	if (strcmp(argv[1], "exec") == 0 && argc > 3)
		execv(self, argv + 2);	/* the count becomes its name */
	if (strcmp(argv[1], "kill") == 0)
		raise(SIGKILL);
	if (strcmp(argv[1], "exit") == 0)
		return (3);
	return (0);
}

/* ------------------------------------------------------------ the fixture */

static void
setup(void)
{
	strlcpy(directory, "/dev/shm/tbuf-check-XXXXXX", sizeof(directory));
	ck_assert_ptr_nonnull(mkdtemp(directory));
	setenv("TBUF_DIR", directory, 1);
	unsetenv("TBUF_MAXSIZE");
}

static void
teardown(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r '%s'", directory);
	ck_assert_int_eq(system(command), 0);
}

/* A target that serves. */
struct server {
	pid_t pid;
	int in, out;
};

static void
server_start(struct server *s, const char *variable)
{
	int in[2], out[2];

	ck_assert_int_eq(pipe2(in, O_CLOEXEC), 0);
	ck_assert_int_eq(pipe2(out, O_CLOEXEC), 0);
	if ((s->pid = fork()) == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		if (variable != NULL)
			putenv((char *)(uintptr_t)variable);
		execl(self, self, "serve", NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	s->in = in[1];
	s->out = out[0];
}

static void
server_fire(const struct server *s, unsigned long count)
{
	char byte;

	ck_assert_int_eq(write(s->in, &count, sizeof(count)), sizeof(count));
	ck_assert_int_eq(read(s->out, &byte, 1), 1);
}

static void
server_stop(struct server *s)
{
	int status;

	close(s->in);
	close(s->out);
	ck_assert_int_eq(waitpid(s->pid, &status, 0), s->pid);
	ck_assert_int_eq(status, 0);
}

static void
go(struct tbuf_consumer *c)
{
	ck_assert_msg(tbuf_consumer_go(c) == 0, "%s", tbuf_consumer_error(c));
}

static void
grab(struct tbuf_consumer *c, pid_t pid)
{
	ck_assert_msg(tbuf_consumer_grab(c, pid) == 0, "%s",
	    tbuf_consumer_error(c));
}

static pid_t
spawn(struct tbuf_consumer *c, const char *mode, const char *count,
    const char *const *add)
{
	char *argv[] = {
		self, (char *)(uintptr_t)mode, (char *)(uintptr_t)count, NULL
	};
	pid_t pid = tbuf_consumer_spawn(c, argv, add);

	ck_assert_msg(pid > 0, "%s", tbuf_consumer_error(c));
	return (pid);
}

/* Work until the end; the sum of everything. */
static int
work(struct tbuf_consumer *c, struct tally *tally)
{
	int r;

	memset(tally, 0, sizeof(*tally));
	tally->many = true;
	do {
		r = tbuf_consumer_work(c);
		fake_tally(c, tally);
	} while (r > 0);
	return (r);
}

static uint64_t
drops(const struct tally *t)
{
	return (t->drops[TBUF_CAUSE_FULL] + t->drops[TBUF_CAUSE_LARGE] +
	    t->drops[TBUF_CAUSE_NOLANE]);
}

/* ------------------------------------------------------------ commands */

static const struct {
	const char *options;
	bool complete;		/* everything fits */
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

	spawn(c, "fire", "20000", add);
	go(c);
	ck_assert_int_eq(work(c, &t), 0);
	/* Under fill it may be over before the target is. */
	if (t.exits == 1)
		ck_assert_uint_eq(t.records + t.overwritten + drops(&t),
		    20000);
	else
		ck_assert_ptr_nonnull(strstr(options, "fill"));
	ck_assert(!complete || t.records == 20000);
	ck_assert_uint_eq(t.damage, 0);
	tbuf_consumer_totals(c, &totals);
	ck_assert_uint_eq(totals.records, t.records);
	ck_assert_uint_eq(totals.drops, drops(&t));
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

	pid = spawn(c, ends[_i].mode, "1000", NULL);
	go(c);
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

	snprintf(path, sizeof(path), "%s/script", directory);
	ck_assert_ptr_nonnull(f = fopen(path, "w"));
	fputs("#!/nonexistent/interpreter\n", f);
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
	snprintf(path, sizeof(path), "%s/it-ran", directory);
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
	go(c);
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
		self, (char *)(uintptr_t)"exec", (char *)(uintptr_t)"10",
		(char *)(uintptr_t)"exec", (char *)(uintptr_t)"20",
		(char *)(uintptr_t)"fire", (char *)(uintptr_t)"30", NULL
	};
	struct tally t;

	ck_assert_int_gt(tbuf_consumer_spawn(c, argv, NULL), 0);
	go(c);
	ck_assert_int_eq(work(c, &t), 0);
	ck_assert_uint_eq(t.records, 60);
	ck_assert_uint_eq(t.exits, 1);
	tbuf_consumer_close(c);
}
END_TEST

START_TEST(children_are_followed)
{
	struct tbuf_consumer *c = fake_consumer(_i == 0 ? "follow" : "");
	struct tally t;

	spawn(c, "breed", "7", NULL);
	go(c);
	ck_assert_int_eq(work(c, &t), 0);
	ck_assert_uint_eq(t.records, _i == 0 ? 70 : 0);
	ck_assert_uint_eq(t.exits, _i == 0 ? 8 : 1);
	tbuf_consumer_close(c);
}
END_TEST

/* ------------------------------------------------------------ processes */

START_TEST(running_target_is_traced)
{
	struct tbuf_consumer *c = fake_consumer("bufsize=64k");
	struct server s;
	struct tally t;

	server_start(&s, NULL);
	server_fire(&s, 5);
	grab(c, s.pid);
	go(c);
	ck_assert_uint_eq(tbuf_consumer_matched(c, 0), 1);
	ck_assert_uint_eq(tbuf_consumer_alive(c), 1);
	server_fire(&s, 100);
	fake_round(c, TBUF_ROUND_SWITCH, &t);
	ck_assert_uint_eq(t.records, 100);
	ck_assert_int_eq(t.first, 5);
	server_fire(&s, 100);
	tbuf_consumer_stop(c);
	ck_assert_int_eq(work(c, &t), 0);
	ck_assert_uint_eq(t.records, 100);
	ck_assert_int_eq(t.last, 204);
	tbuf_consumer_close(c);
	server_fire(&s, 5);
	server_stop(&s);
}
END_TEST

START_TEST(two_consumers_get_the_same)
{
	struct tbuf_consumer *a = fake_consumer("bufsize=64k");
	struct tbuf_consumer *b = fake_consumer("bufsize=1k bufpolicy=ring");
	struct server s;
	struct tally t;

	server_start(&s, NULL);
	server_fire(&s, 0);
	grab(a, s.pid);
	go(a);
	server_fire(&s, 100);
	grab(b, s.pid);
	go(b);
	server_fire(&s, 100);
	fake_round(b, TBUF_ROUND_LAST, &t);
	ck_assert_uint_eq(t.records + t.overwritten, 100);
	tbuf_consumer_close(b);
	server_fire(&s, 100);
	fake_round(a, TBUF_ROUND_LAST, &t);
	ck_assert_uint_eq(t.records, 300);
	tbuf_consumer_close(a);
	server_stop(&s);
}
END_TEST

START_TEST(killed_consumer_makes_room_for_the_next)
{
	struct tbuf_consumer *c;
	struct server s;
	struct tally t;
	pid_t pid;
	int ready[2], i;
	char byte;

	server_start(&s, NULL);
	server_fire(&s, 0);
	/* More of them than there are slots. */
	for (i = 0; i < TBUF_NSESSIONS + 3; i++) {
		ck_assert_int_eq(pipe2(ready, O_CLOEXEC), 0);
		if ((pid = fork()) == 0) {
			c = fake_consumer("bufsize=64k");
			grab(c, s.pid);
			go(c);
			(void)!write(ready[1], "", 1);
			for (;;)
				pause();
		}
		close(ready[1]);
		ck_assert_int_eq(read(ready[0], &byte, 1), 1);
		close(ready[0]);
		server_fire(&s, 10);
		kill(pid, SIGKILL);
		ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	}
	c = fake_consumer("bufsize=64k");
	grab(c, s.pid);
	go(c);
	server_fire(&s, 10);
	fake_round(c, TBUF_ROUND_LAST, &t);
	ck_assert_uint_eq(t.records, 10);
	tbuf_consumer_close(c);
	server_stop(&s);
}
END_TEST

START_TEST(killed_target_is_read_to_its_last_record)
{
	struct tbuf_consumer *c = fake_consumer("bufpolicy=ring bufsize=1m");
	struct server s;
	struct tally t;

	server_start(&s, NULL);
	server_fire(&s, 0);
	grab(c, s.pid);
	go(c);
	server_fire(&s, 1234);
	kill(s.pid, SIGKILL);
	ck_assert_int_eq(work(c, &t), 0);
	ck_assert_uint_eq(t.records, 1234);
	ck_assert_uint_eq(t.exits, 1);
	tbuf_consumer_close(c);
	waitpid(s.pid, NULL, 0);
	close(s.in);
	close(s.out);
}
END_TEST

START_TEST(target_that_execs_is_found_again)
{
	struct tbuf_consumer *c = fake_consumer("statusrate=1ms");
	struct tally t, sum = { .many = true };
	struct server s;
	int r;

	server_start(&s, NULL);
	server_fire(&s, 0);
	grab(c, s.pid);
	go(c);
	server_fire(&s, 3);
	/* No count at all: exec. */
	ck_assert_int_eq(write(s.in, "", 1), 1);
	while (sum.records < 3 || tbuf_consumer_alive(c) != 1 ||
	    TAILQ_LAST(&c->targets, tbuf_target_list)->left) {
		ck_assert_int_eq(tbuf_consumer_work(c), 1);
		fake_tally(c, &sum);
	}
	server_fire(&s, 4);
	server_stop(&s);
	do {
		memset(&t, 0, sizeof(t));
		t.many = true;
		r = tbuf_consumer_work(c);
		fake_tally(c, &t);
		sum.records += t.records;
		sum.exits += t.exits;
	} while (r > 0);
	ck_assert_int_eq(r, 0);
	ck_assert_uint_eq(sum.records, 7);
	ck_assert_uint_eq(sum.exits, 1);
	tbuf_consumer_close(c);
}
END_TEST

static int
one_lane(void *arg, const struct tbuf_lane_status *status)
{
	uint64_t *records = arg;

	ck_assert_int_eq(status->consumer, getpid());
	ck_assert_int_eq(status->policy, TBUF_RING);
	*records += status->records + status->overwritten;
	return (0);
}

START_TEST(status_counts_without_a_session)
{
	struct tbuf_consumer *c = fake_consumer("bufpolicy=ring bufsize=1k");
	uint64_t records = 0;
	struct server s;

	server_start(&s, NULL);
	server_fire(&s, 0);
	grab(c, s.pid);
	go(c);
	server_fire(&s, 500);
	ck_assert_int_eq(tbuf_status(&s.pid, 1, one_lane, &records), 0);
	ck_assert_uint_eq(records, 500);
	records = 0;
	ck_assert_int_eq(tbuf_status(NULL, 0, one_lane, &records), 0);
	ck_assert_uint_eq(records, 500);
	tbuf_consumer_close(c);
	server_stop(&s);
}
END_TEST

static int
find_pid(void *arg, pid_t pid, const char *comm)
{
	(void)comm;
	return (pid == *(pid_t *)arg);
}

START_TEST(targets_are_listed)
{
	struct server s;

	server_start(&s, NULL);
	server_fire(&s, 0);
	ck_assert_int_eq(tbuf_targets(find_pid, &s.pid), 1);
	kill(s.pid, SIGKILL);
	waitpid(s.pid, NULL, 0);
	ck_assert_int_eq(tbuf_targets(find_pid, &s.pid), 0);
	close(s.in);
	close(s.out);
}
END_TEST

START_TEST(all_targets_and_later_ones)
{
	struct tbuf_consumer *c = fake_consumer("");
	struct server before, after;
	struct tally sum;

	server_start(&before, NULL);
	server_fire(&before, 0);
	ck_assert_int_eq(tbuf_consumer_grab_all(c), 0);
	go(c);
	server_fire(&before, 10);
	server_start(&after, NULL);
	server_fire(&after, 20);
	server_stop(&after);
	tbuf_consumer_stop(c);
	ck_assert_int_eq(work(c, &sum), 0);
	ck_assert_uint_eq(sum.records, 30);
	tbuf_consumer_close(c);
	server_stop(&before);
}
END_TEST

/* ------------------------------------------------------------ refusals */

static void
refused(pid_t pid, int error, const char *why)
{
	struct tbuf_consumer *c = fake_consumer("");
	char expected[256];

	ck_assert_int_eq(tbuf_consumer_grab(c, pid), error);
	snprintf(expected, sizeof(expected), "failed to grab pid %d: %s",
	    (int)pid, why);
	ck_assert_str_eq(tbuf_consumer_error(c), expected);
	tbuf_consumer_close(c);
}

static void
end_process(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

START_TEST(process_without_libtbuf)
{
	int in[2], out[2];
	char byte;
	pid_t pid;

	ck_assert_int_eq(pipe2(in, O_CLOEXEC), 0);
	ck_assert_int_eq(pipe2(out, O_CLOEXEC), 0);
	if ((pid = fork()) == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		execl("/bin/cat", "cat", "-u", NULL);
		_exit(127);
	}
	/* It is cat(1) when it answers. */
	ck_assert_int_eq(write(in[1], "", 1), 1);
	ck_assert_int_eq(read(out[0], &byte, 1), 1);
	refused(pid, -ENOEXEC, "no libtbuf in it");
	end_process(pid);
	refused(pid, -ESRCH, "No such process");
}
END_TEST

START_TEST(target_whose_tracing_is_off)
{
	struct server s;

	server_start(&s, "TBUF_DISABLE=1");
	server_fire(&s, 0);
	refused(s.pid, -ECANCELED, "tracing is off: TBUF_DISABLE is set");
	server_stop(&s);
}
END_TEST

START_TEST(target_of_another_version)
{
	struct tbuf_control *control;
	struct server s;
	struct tbuf_found found;
	struct tbuf_view view;

	server_start(&s, NULL);
	server_fire(&s, 0);
	ck_assert_int_eq(tbuf_find_pid(s.pid, &found), 0);
	ck_assert_int_eq(tbuf_view_map(found.fd, TBUF_AREAS, &view), 0);
	control = tbuf_view_control(&view);
	control->major = 99;
	refused(s.pid, -EPROTO, "libtbuf 99.0, tbufctl 1.0");
	tbuf_view_unmap(&view);
	close(found.fd);
	close(found.pidfd);
	server_stop(&s);
}
END_TEST

START_TEST(process_in_strict_seccomp)
{
	int ready[2], wait[2];
	char byte;
	pid_t pid;

	ck_assert_int_eq(pipe(ready), 0);
	ck_assert_int_eq(pipe(wait), 0);
	if ((pid = fork()) == 0) {
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
		(void)!write(ready[1], "", 1);
		for (;;)
			(void)!read(wait[0], &byte, 1);
	}
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	refused(pid, -EOPNOTSUPP, "strict seccomp mode");
	end_process(pid);
}
END_TEST

START_TEST(process_of_another_user)
{
	int status;
	pid_t pid;

	if (geteuid() != 0)
		return;
	if ((pid = fork()) == 0) {
		if (setresuid(65534, 65534, 65534) != 0)
			_exit(1);
		refused(getppid(), -EPERM, "Operation not permitted");
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}
END_TEST

static TCase *
commands(void)
{
	TCase *t = tcase_create("commands");
	int n = sizeof(runs) / sizeof(runs[0]);

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, command_is_recorded_from_its_first_fire, 0, n);
	tcase_add_loop_test(t, and_so_without_rseq, 0, n);
	tcase_add_loop_test(t, status_of_the_command_is_told, 0, 3);
	tcase_add_test(t, command_that_is_not_there);
	tcase_add_test(t, exec_that_fails_is_told_by_go);
	tcase_add_test(t, refused_tracing_never_runs_the_command);
	tcase_add_test(t, environment_is_added_to);
	tcase_add_test(t, session_goes_on_after_exec);
	tcase_add_loop_test(t, children_are_followed, 0, 2);
	return (t);
}

static TCase *
processes(void)
{
	TCase *t = tcase_create("processes");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, running_target_is_traced);
	tcase_add_test(t, two_consumers_get_the_same);
	tcase_add_test(t, killed_consumer_makes_room_for_the_next);
	tcase_add_test(t, killed_target_is_read_to_its_last_record);
	tcase_add_test(t, target_that_execs_is_found_again);
	tcase_add_test(t, status_counts_without_a_session);
	tcase_add_test(t, targets_are_listed);
	tcase_add_test(t, all_targets_and_later_ones);
	tcase_add_test(t, process_without_libtbuf);
	tcase_add_test(t, target_whose_tracing_is_off);
	tcase_add_test(t, target_of_another_version);
	tcase_add_test(t, process_in_strict_seccomp);
	tcase_add_test(t, process_of_another_user);
	return (t);
}

int
main(int argc, char *argv[])
{
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	SRunner *runner;
	Suite *s;
	int failed;

	self[n < 0 ? 0 : n] = '\0';
	if (argc > 1)
		return (target(argc, argv));
	s = suite_create("live");
	suite_add_tcase(s, commands());
	suite_add_tcase(s, processes());
	runner = srunner_create(s);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return (failed != 0);
}
