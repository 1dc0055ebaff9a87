/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Processes that have just begun are grabbed before they are targets.
 */
#include <sys/syscall.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fixture.h"
#include "lib/interposed_call.h"

/* A server that waits for a line before it calls exec. */
static struct live_server late;

/* The process before that: a shell, or a child of this program. */
enum first { SHELL, CHILD, NFIRST };

static void (*on_pause)(unsigned);	/* called with 1, 2, ... */
static unsigned pauses;
static uint64_t now;			/* of all clocks, in ns, if not 0 */

/*
 * Replaces the C library's: counts the waits of the consumer between its looks,
 * and stops the time unless a test changes it.
 */
int
clock_gettime(clockid_t clock, struct timespec *ts)
{
	if (now == 0)
		return ((int)syscall(SYS_clock_gettime, clock, ts));
	ts->tv_sec = (time_t)(now / TBUF_SECOND);
	ts->tv_nsec = (long)(now % TBUF_SECOND);
	return (0);
}
INTERPOSED(clock_gettime);

int
poll(struct pollfd *fds, nfds_t n, int timeout)
{
	struct timespec ts = { 0, 0 };

	if (timeout > 0 && on_pause != NULL) {
		on_pause(++pauses);
		timeout = 0;
	}
	ts.tv_sec = timeout / 1000;
	ts.tv_nsec = timeout % 1000 * 1000000L;
	return ((int)syscall(SYS_ppoll, fds, n, timeout < 0 ? NULL : &ts,
	    NULL, 0));
}

static void
be_late(enum first first)
{
	char byte;

	if (first == SHELL)
		execl("/bin/sh", "sh", "-c",
		    "printf 1; read line && exec \"$0\" serve", live_self, NULL);
	else if (write(1, "", 1) == 1 && read(0, &byte, 1) == 1)
		execl(live_self, live_self, "serve", NULL);
	_exit(127);
}

static void
start(enum first first)
{
	int in[2], out[2];
	char byte;

	ck_assert_int_eq(pipe2(in, O_CLOEXEC), 0);
	ck_assert_int_eq(pipe2(out, O_CLOEXEC), 0);
	if ((late.pid = fork()) == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		be_late(first);
	}
	close(in[0]);
	close(out[1]);
	late.in = in[1];
	late.out = out[0];
	ck_assert_int_eq(read(late.out, &byte, 1), 1);
	on_pause = NULL;
	pauses = 0;
	/* The time is just after the process's start, in ticks. */
	now = (tbuf_start_time(late.pid) * TBUF_SECOND /
	    (uint64_t)sysconf(_SC_CLK_TCK)) + 1;
}

static void
end(void)
{
	now = 0;
	on_pause = NULL;
	kill(late.pid, SIGKILL);
	waitpid(late.pid, NULL, 0);
	close(late.in);
	close(late.out);
}

static void
refused(struct tbuf_consumer *c, int error, const char *why)
{
	char expected[256];

	ck_assert_int_eq(tbuf_consumer_grab(c, late.pid), error);
	snprintf(expected, sizeof(expected), "failed to grab pid %d: %s",
	    (int)late.pid, why);
	ck_assert_str_eq(tbuf_consumer_error(c), expected);
	tbuf_consumer_close(c);
}

/* The process becomes a target between the first two looks. */
static void
let_go(unsigned pause)
{
	if (pause > 1)
		return;
	ck_assert_int_eq(write(late.in, "\n", 1), 1);
	live_server_fire(&late, 0);
}

START_TEST(one_that_has_not_called_exec_is_waited_for)
{
	struct tbuf_consumer *c = fake_consumer("");
	struct tally t;

	start((enum first)_i);
	on_pause = let_go;
	live_grab(c, late.pid);
	ck_assert_uint_gt(pauses, 0);
	now = 0;
	live_go(c);
	ck_assert_uint_eq(tbuf_consumer_matched(c, 0), 1);
	live_server_fire(&late, 5);
	fake_drain(c, TBUF_DRAIN_LAST, &t);
	ck_assert_uint_eq(t.records, 5);
	tbuf_consumer_close(c);
	end();
}
END_TEST

static struct tbuf_view view;
static uint32_t nprobes;

/* The file has no probes at first; they come some looks later. */
static void
register_later(unsigned pause)
{
	struct tbuf_found found;
	struct tbuf_control *control;

	if (pause == 1) {
		let_go(pause);
		ck_assert_int_eq(tbuf_find_pid(late.pid, &found), 0);
		ck_assert_int_eq(tbuf_view_map(found.fd, 0, &view), 0);
		close(found.fd);
		close(found.pidfd);
		control = tbuf_view_control(&view);
		nprobes = control->nprobes;
		ck_assert_uint_gt(nprobes, 0);
		control->nprobes = 0;
	} else if (pause == 5) {
		tbuf_view_control(&view)->nprobes = nprobes;
	}
}

START_TEST(its_probes_are_waited_for)
{
	struct tbuf_consumer *c = fake_consumer("");

	start(SHELL);
	on_pause = register_later;
	live_grab(c, late.pid);
	/* Two equal tables in succession end the wait. */
	ck_assert_uint_eq(pauses, 6);
	tbuf_view_unmap(&view);
	tbuf_consumer_close(c);
	end();
}
END_TEST

/* The time is over at the tenth pause. */
static void
pass_time(unsigned pause)
{
	ck_assert_uint_le(pause, 10);
	now += TBUF_SECOND / 10;
}

START_TEST(one_that_is_none_is_waited_for_a_second)
{
	start(SHELL);
	on_pause = pass_time;
	refused(fake_consumer(""), -ENOEXEC, "it has no libtbuf");
	ck_assert_uint_eq(pauses, 10);
	end();
}
END_TEST

/* A second for all, not a second for each. */
START_TEST(several_are_waited_for_a_second_together)
{
	struct tbuf_consumer *c = fake_consumer("");
	unsigned i;

	for (i = 0; i < 3; i++) {
		start(SHELL);
		on_pause = pass_time;
		ck_assert_int_eq(tbuf_consumer_grab(c, late.pid), -ENOEXEC);
		ck_assert_uint_eq(pauses, i == 0 ? 10 : 0);
		end();
	}
	tbuf_consumer_close(c);
}
END_TEST

START_TEST(one_that_is_old_is_not_waited_for)
{
	start(SHELL);
	now += TBUF_SECOND;
	on_pause = let_go;
	refused(fake_consumer(""), -ENOEXEC, "it has no libtbuf");
	ck_assert_uint_eq(pauses, 0);
	end();
}
END_TEST

static void
die(unsigned pause)
{
	if (pause == 1)
		kill(late.pid, SIGKILL);
}

START_TEST(one_that_ends_meanwhile_is_gone)
{
	start(SHELL);
	on_pause = die;
	refused(fake_consumer(""), -ESRCH, "No such process");
	end();
}
END_TEST

static struct tbuf_consumer *stopped;

static void
stop(unsigned pause)
{
	ck_assert_uint_eq(pause, 1);
	tbuf_consumer_stop(stopped);
}

START_TEST(run_that_is_to_end_waits_for_nobody)
{
	start(SHELL);
	stopped = fake_consumer("");
	on_pause = stop;
	refused(stopped, -ENOEXEC, "it has no libtbuf");
	ck_assert_uint_eq(pauses, 1);
	end();
}
END_TEST

static Suite *
make(void)
{
	Suite *s = suite_create("young");
	TCase *t = live_case("young");

	tcase_add_loop_test(t, one_that_has_not_called_exec_is_waited_for, 0,
	    NFIRST);
	tcase_add_test(t, its_probes_are_waited_for);
	tcase_add_test(t, one_that_is_none_is_waited_for_a_second);
	tcase_add_test(t, several_are_waited_for_a_second_together);
	tcase_add_test(t, one_that_is_old_is_not_waited_for);
	tcase_add_test(t, one_that_ends_meanwhile_is_gone);
	tcase_add_test(t, run_that_is_to_end_waits_for_nobody);
	suite_add_tcase(s, t);
	return (s);
}

int
main(int argc, char *argv[])
{
	return (live_main(argc, argv, make));
}
