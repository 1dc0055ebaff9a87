/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Processes that run already (-p), and all targets.
 */
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"
#include "lib/scratch.h"
#include "shared/board.h"

START_TEST(running_target_is_traced)
{
	struct tbuf_consumer *c = fake_consumer("bufsize=64k");
	struct live_server s;
	struct tally t;

	live_server_start(&s, NULL);
	live_server_fire(&s, 5);
	live_grab(c, s.pid);
	live_go(c);
	ck_assert_uint_eq(tbuf_consumer_matched(c, 0), 1);
	ck_assert_uint_eq(tbuf_consumer_alive(c), 1);
	live_server_fire(&s, 100);
	fake_drain(c, TBUF_DRAIN_SWITCH, &t);
	ck_assert_uint_eq(t.records, 100);
	ck_assert_int_eq(t.first, 5);
	live_server_fire(&s, 100);
	tbuf_consumer_stop(c);
	ck_assert_int_eq(live_work(c, &t), 0);
	ck_assert_uint_eq(t.records, 100);
	ck_assert_int_eq(t.last, 204);
	tbuf_consumer_close(c);
	live_server_fire(&s, 5);
	live_server_stop(&s);
}
END_TEST

START_TEST(two_consumers_get_the_same)
{
	struct tbuf_consumer *a = fake_consumer("bufsize=64k");
	struct tbuf_consumer *b = fake_consumer("bufsize=1k bufpolicy=ring");
	struct live_server s;
	struct tally t;

	live_server_start(&s, NULL);
	live_server_fire(&s, 0);
	live_grab(a, s.pid);
	live_go(a);
	live_server_fire(&s, 100);
	live_grab(b, s.pid);
	live_go(b);
	live_server_fire(&s, 100);
	fake_drain(b, TBUF_DRAIN_LAST, &t);
	ck_assert_uint_eq(t.records + t.overwritten, 100);
	tbuf_consumer_close(b);
	live_server_fire(&s, 100);
	fake_drain(a, TBUF_DRAIN_LAST, &t);
	ck_assert_uint_eq(t.records, 300);
	tbuf_consumer_close(a);
	live_server_stop(&s);
}
END_TEST

START_TEST(killed_consumer_makes_room_for_the_next)
{
	struct tbuf_consumer *c;
	struct live_server s;
	struct tally t;
	pid_t pid;
	int ready[2], i;
	char byte;

	live_server_start(&s, NULL);
	live_server_fire(&s, 0);
	/* More consumers are killed than there are slots. */
	for (i = 0; i < TBUF_NSESSIONS + 3; i++) {
		ck_assert_int_eq(pipe2(ready, O_CLOEXEC), 0);
		if ((pid = fork()) == 0) {
			c = fake_consumer("bufsize=64k");
			live_grab(c, s.pid);
			live_go(c);
			(void)!write(ready[1], "", 1);
			for (;;)
				pause();
		}
		close(ready[1]);
		ck_assert_int_eq(read(ready[0], &byte, 1), 1);
		close(ready[0]);
		live_server_fire(&s, 10);
		kill(pid, SIGKILL);
		ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	}
	c = fake_consumer("bufsize=64k");
	live_grab(c, s.pid);
	live_go(c);
	live_server_fire(&s, 10);
	fake_drain(c, TBUF_DRAIN_LAST, &t);
	ck_assert_uint_eq(t.records, 10);
	tbuf_consumer_close(c);
	live_server_stop(&s);
}
END_TEST

START_TEST(killed_target_is_read_to_its_last_record)
{
	struct tbuf_consumer *c = fake_consumer("bufpolicy=ring bufsize=1m");
	struct live_server s;
	struct tally t;

	live_server_start(&s, NULL);
	live_server_fire(&s, 0);
	live_grab(c, s.pid);
	live_go(c);
	live_server_fire(&s, 1234);
	kill(s.pid, SIGKILL);
	ck_assert_int_eq(live_work(c, &t), 0);
	ck_assert_uint_eq(t.records, 1234);
	ck_assert_uint_eq(t.exits, 1);
	tbuf_consumer_close(c);
	waitpid(s.pid, NULL, 0);
	close(s.in);
	close(s.out);
}
END_TEST

/* Returns true if the kernel keeps the status of a reaped process. */
static bool
status_is_kept(void)
{
	unsigned major = 0, minor = 0;
	struct utsname name;

	ck_assert_int_eq(uname(&name), 0);
	ck_assert_int_eq(sscanf(name.release, "%u.%u", &major, &minor), 2);
	return (major > 6 || (major == 6 && minor >= 15));
}

static void
wait_for_end(pid_t pid)
{
	struct pollfd p = { .fd = (int)syscall(SYS_pidfd_open, pid, 0),
	    .events = POLLIN };

	ck_assert_int_ge(p.fd, 0);
	ck_assert_int_eq(poll(&p, 1, -1), 1);
	close(p.fd);
}

/* A sanitizer handles none of these signals. */
static const struct {
	int signal;		/* or 0: by exit */
	int status;
} ends[] = { { 0, 0 }, { 0, 3 }, { SIGKILL, -1 }, { SIGABRT, -1 } };

static void
end_server(const struct live_server *s, int i)
{
	if (ends[i].signal == 0)
		live_server_exit(s, (unsigned char)ends[i].status);
	else
		kill(s->pid, ends[i].signal);
}

static void
check_end(struct tbuf_consumer *c, pid_t pid, int i, bool known)
{
	struct tbuf_event event;
	unsigned told = 0;

	while (tbuf_consumer_work(c) > 0)
		ck_assert_int_eq(tbuf_consumer_next(c, &event), 0);
	while (tbuf_consumer_next(c, &event) == 1) {
		if (event.type != TBUF_EVENT_EXIT)
			continue;
		told++;
		ck_assert_int_eq(event.pid, pid);
		ck_assert(!event.child);
		ck_assert_int_eq(event.status, known ? ends[i].status : -1);
		ck_assert_int_eq(event.signal, known ? ends[i].signal : 0);
	}
	ck_assert_uint_eq(told, 1);
}

/* Only the process's own program waits for it. */
START_TEST(end_of_a_child_is_told)
{
	struct tbuf_consumer *c = fake_consumer("statusrate=10s");
	struct live_server s;

	live_server_start(&s, NULL);
	live_server_fire(&s, 0);
	live_grab(c, s.pid);
	live_go(c);
	end_server(&s, _i);
	check_end(c, s.pid, _i, true);
	tbuf_consumer_close(c);
	ck_assert_int_eq(waitpid(s.pid, NULL, 0), s.pid);
}
END_TEST

START_TEST(end_of_a_zombie_is_told)
{
	struct tbuf_consumer *c = fake_consumer("statusrate=10s");
	struct live_server s;
	pid_t parent;

	parent = live_server_start_ward(&s);
	live_server_fire(&s, 0);
	live_grab(c, s.pid);
	live_go(c);
	end_server(&s, _i);
	check_end(c, s.pid, _i, true);
	tbuf_consumer_close(c);
	live_ward_end(parent);
}
END_TEST

/* The process was reaped before. */
START_TEST(end_of_a_process_that_is_gone_is_told)
{
	struct tbuf_consumer *c = fake_consumer("statusrate=10s");
	struct live_server s;
	pid_t parent;

	parent = live_server_start_ward(&s);
	live_server_fire(&s, 0);
	live_grab(c, s.pid);
	live_go(c);
	end_server(&s, _i);
	wait_for_end(s.pid);
	live_ward_end(parent);
	ck_assert_int_eq(kill(s.pid, 0), -1);
	check_end(c, s.pid, _i, status_is_kept());
	tbuf_consumer_close(c);
}
END_TEST

/*
 * A target gives its session up as after a timeout of its consumer.  The other
 * target and the run go on.
 */
START_TEST(one_that_gives_its_consumer_up_is_left_alone)
{
	struct tbuf_consumer *c = fake_consumer(_i == 0 ?
	    "switchrate=1h statusrate=1ms" :
	    "switchrate=1h statusrate=1ms temporal");
	struct live_server s[2];
	struct tbuf_target *t;
	struct tally sum = { .many = true };
	uint64_t count;
	int i, r;

	for (i = 0; i < 2; i++) {
		live_server_start(&s[i], NULL);
		live_server_fire(&s[i], 0);
		live_grab(c, s[i].pid);
	}
	live_go(c);
	live_server_fire(&s[0], 3);
	t = TAILQ_FIRST(&c->targets);
	tbuf_view_control(&t->view)->state[t->slot] = TBUF_GIVENUP;
	while (sum.records < 3) {
		ck_assert_int_eq(tbuf_consumer_work(c), 1);
		fake_tally(c, &sum);
	}
	ck_assert_int_eq(t->slot, -1);
	ck_assert_uint_eq(sum.exits, 0);
	ck_assert_str_eq(tbuf_consumer_missed(c, &count),
	    "their consumer gave no sign of life for 30 s");
	ck_assert_uint_eq(count, 1);
	ck_assert_ptr_null(tbuf_consumer_missed(c, &count));
	live_server_fire(&s[0], 5);
	live_server_fire(&s[1], 4);
	live_server_stop(&s[0]);
	while (sum.exits < 1) {
		ck_assert_int_eq(tbuf_consumer_work(c), 1);
		fake_tally(c, &sum);
	}
	live_server_stop(&s[1]);
	do {
		r = tbuf_consumer_work(c);
		fake_tally(c, &sum);
	} while (r > 0);
	ck_assert_int_eq(r, 0);
	ck_assert_uint_eq(sum.records, 7);
	ck_assert_uint_eq(sum.exits, 2);
	tbuf_consumer_close(c);
}
END_TEST

static const struct tbuf_consumer *watched;

/* Replaces the C library's: ended targets have no space during a wait. */
int
ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
    const sigset_t *mask)
{
	const struct tbuf_target *t;

	if (watched != NULL)
		TAILQ_FOREACH(t, &watched->targets, link)
			ck_assert_int_ne(t->state, TBUF_REPORTED);
	return ((int)syscall(SYS_ppoll, fds, n, timeout, mask, _NSIG / 8));
}

START_TEST(space_is_given_back_before_the_next_wait)
{
	struct tbuf_consumer *c = fake_consumer("statusrate=10s");
	struct live_server s[2];
	struct tally t;
	unsigned i;

	for (i = 0; i < 2; i++) {
		live_server_start(&s[i], NULL);
		live_server_fire(&s[i], 0);
		live_grab(c, s[i].pid);
	}
	live_go(c);
	live_server_stop(&s[0]);
	ck_assert_int_eq(tbuf_consumer_work(c), 1);
	memset(&t, 0, sizeof(t));
	fake_tally(c, &t);
	ck_assert_uint_eq(t.exits, 1);
	watched = c;
	tbuf_consumer_stop(c);
	ck_assert_int_eq(live_work(c, &t), 0);
	watched = NULL;
	tbuf_consumer_close(c);
	live_server_stop(&s[1]);
}
END_TEST

START_TEST(target_that_execs_is_found_again)
{
	struct tbuf_consumer *c = fake_consumer("statusrate=1ms");
	struct tally t, sum = { .many = true };
	struct live_server s;
	uint64_t count;
	int r;

	live_server_start(&s, NULL);
	live_server_fire(&s, 0);
	live_grab(c, s.pid);
	live_go(c);
	live_server_fire(&s, 3);
	/* The image looks as if it was examined while it was loaded. */
	TAILQ_FIRST(&c->targets)->without_libtbuf = true;
	live_server_exec(&s);
	while (sum.records < 3 || tbuf_consumer_alive(c) != 1 ||
	    TAILQ_LAST(&c->targets, tbuf_target_list)->state != TBUF_ALIVE) {
		ck_assert_int_eq(tbuf_consumer_work(c), 1);
		fake_tally(c, &sum);
	}
	live_server_fire(&s, 4);
	live_server_stop(&s);
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
	ck_assert_ptr_null(tbuf_consumer_missed(c, &count));
	tbuf_consumer_close(c);
}
END_TEST

START_TEST(first_fires_after_exec_are_recorded)
{
	struct tbuf_consumer *c = fake_consumer("statusrate=10s");
	struct live_server s;
	struct tally t;

	live_server_start(&s, NULL);
	live_server_fire(&s, 0);
	live_grab(c, s.pid);
	live_go(c);
	live_server_fire(&s, 3);
	/* Images begin and end before the consumer looks. */
	live_server_exec(&s);
	live_server_fire(&s, 4);
	live_server_exec(&s);
	live_server_fire(&s, 5);
	live_server_stop(&s);
	ck_assert_int_eq(live_work(c, &t), 0);
	ck_assert_uint_eq(t.records, 12);
	ck_assert_uint_eq(t.exits, 1);
	tbuf_consumer_close(c);
}
END_TEST

static unsigned
descriptors(pid_t pid)
{
	char path[64];
	unsigned n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	ck_assert_ptr_nonnull(dir = opendir(path));
	while (readdir(dir) != NULL)
		n++;
	closedir(dir);
	return (n - 2);
}

/* The limit is four more than the consumer has. */
START_TEST(few_descriptors_are_enough_after_exec)
{
	struct tbuf_consumer *c = fake_consumer("statusrate=10s");
	struct rlimit few = { 4, 4 };
	struct live_server s;
	struct tally t;

	live_server_start(&s, NULL);
	live_server_fire(&s, 0);
	live_grab(c, s.pid);
	live_go(c);
	live_server_fire(&s, 3);
	few.rlim_cur = few.rlim_max = few.rlim_cur + descriptors(s.pid);
	ck_assert_int_eq(prlimit(s.pid, RLIMIT_NOFILE, &few, NULL), 0);
	live_server_exec(&s);
	live_server_fire(&s, 4);
	live_server_stop(&s);
	ck_assert_int_eq(live_work(c, &t), 0);
	ck_assert_uint_eq(t.records, 7);
	ck_assert_uint_eq(t.exits, 1);
	tbuf_consumer_close(c);
}
END_TEST

/* All files are found at once, in any order. */
START_TEST(images_are_met_in_any_order)
{
	struct tbuf_consumer *c = fake_consumer("switchrate=100hz");
	struct tally t, sum = { .many = true };
	struct live_server s;

	ck_assert_int_eq(tbuf_consumer_grab_all(c), 0);
	live_go(c);
	live_server_start(&s, NULL);
	live_server_fire(&s, 1);
	live_server_exec(&s);
	live_server_fire(&s, 2);
	live_server_exec(&s);
	live_server_fire(&s, 4);
	while (sum.records < 7) {
		ck_assert_int_eq(tbuf_consumer_work(c), 1);
		fake_tally(c, &sum);
	}
	live_server_fire(&s, 8);
	live_server_stop(&s);
	while (sum.exits == 0) {
		ck_assert_int_eq(tbuf_consumer_work(c), 1);
		fake_tally(c, &sum);
	}
	tbuf_consumer_stop(c);
	ck_assert_int_eq(live_work(c, &t), 0);
	ck_assert_uint_eq(sum.records + t.records, 15);
	ck_assert_uint_eq(sum.exits + t.exits, 1);
	tbuf_consumer_close(c);
}
END_TEST

/* Some images are found alive, others after their end. */
START_TEST(every_image_is_accounted_for)
{
	struct tbuf_consumer *c =
	    fake_consumer("switchrate=1ms statusrate=1ms bufsize=4k");
	struct tally t, sum = { .many = true };
	struct live_server s;
	unsigned i;

	live_server_start(&s, NULL);
	live_server_fire(&s, 0);
	live_grab(c, s.pid);
	live_go(c);
	for (i = 0; i < 60; i++) {
		live_server_fire(&s, 3);
		if (i % 3 != 0) {
			ck_assert_int_eq(tbuf_consumer_work(c), 1);
			fake_tally(c, &sum);
		}
		live_server_exec(&s);
		if (i % 4 == 0) {
			ck_assert_int_eq(tbuf_consumer_work(c), 1);
			fake_tally(c, &sum);
		}
	}
	live_server_fire(&s, 3);
	live_server_stop(&s);
	ck_assert_int_eq(live_work(c, &t), 0);
	ck_assert_uint_eq(sum.records + t.records, 183);
	ck_assert_uint_eq(live_drops(&sum) + live_drops(&t), 0);
	ck_assert_uint_eq(sum.exits + t.exits, 1);
	tbuf_consumer_close(c);
}
END_TEST

/* Without a board, a new image is found when its file appears. */
START_TEST(exec_needs_no_board)
{
	struct tbuf_consumer *c = fake_consumer("statusrate=10s");
	struct tally t, sum = { .many = true };
	struct live_server s;
	char path[128];

	snprintf(path, sizeof(path), "%s/" TBUF_BOARD_NAME, live_directory);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	live_server_start(&s, NULL);
	live_server_fire(&s, 0);
	live_grab(c, s.pid);
	live_go(c);
	live_server_fire(&s, 3);
	live_server_exec(&s);
	while (sum.records < 3 ||
	    TAILQ_LAST(&c->targets, tbuf_target_list)->state != TBUF_ALIVE) {
		ck_assert_int_eq(tbuf_consumer_work(c), 1);
		fake_tally(c, &sum);
	}
	live_server_fire(&s, 4);
	live_server_stop(&s);
	ck_assert_int_eq(live_work(c, &t), 0);
	ck_assert_uint_eq(sum.records + t.records, 7);
	ck_assert_uint_eq(sum.exits + t.exits, 1);
	tbuf_consumer_close(c);
}
END_TEST

/* The new image does not find the run, but is found soon. */
START_TEST(exec_in_another_directory_is_told)
{
	struct tbuf_consumer *c = fake_consumer("switchrate=1ms");
	struct tally t, sum = { .many = true };
	char directory[64], variable[80];
	const struct tbuf_target *first;
	struct live_server s;

	scratch_directory(directory, sizeof(directory));
	snprintf(variable, sizeof(variable), "TBUF_DIR=%s", directory);
	live_server_start(&s, variable);
	live_server_fire(&s, 0);
	live_grab(c, s.pid);
	live_go(c);
	first = TAILQ_FIRST(&c->targets);
	/* Nothing else causes a look. */
	(void)tbuf_consumer_notified(c);
	c->next_status = UINT64_MAX;
	live_server_fire(&s, 3);
	live_server_exec(&s);
	while (TAILQ_LAST(&c->targets, tbuf_target_list) == first ||
	    TAILQ_LAST(&c->targets, tbuf_target_list)->state != TBUF_ALIVE) {
		ck_assert_int_eq(tbuf_consumer_work(c), 1);
		fake_tally(c, &sum);
		/* The mapping of its file may take any time. */
		if (c->unsettled)
			c->searches = 0;
	}
	live_server_fire(&s, 4);
	live_server_stop(&s);
	ck_assert_int_eq(live_work(c, &t), 0);
	ck_assert_uint_eq(sum.records + t.records, 7);
	ck_assert_uint_eq(sum.exits + t.exits, 1);
	tbuf_consumer_close(c);
	scratch_remove(directory);
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

#define SOMEBODY	12345

/* Copies this program as root's.  Returns false if setuid has no effect. */
static bool
copy_self(const char *path, mode_t mode)
{
	char command[8300];
	struct statvfs st;

	snprintf(command, sizeof(command), "cp '%s' '%s'", live_self, path);
	ck_assert_int_eq(system(command), 0);
	ck_assert_int_eq(chmod(path, mode), 0);
	return (geteuid() == 0 && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0 &&
	    statvfs(path, &st) == 0 && (st.f_flag & ST_NOSUID) == 0);
}

static void
become_somebody(void)
{
	ck_assert_int_eq(chown(live_directory, SOMEBODY, SOMEBODY), 0);
	ck_assert_int_eq(setresgid(SOMEBODY, SOMEBODY, SOMEBODY), 0);
	ck_assert_int_eq(setresuid(SOMEBODY, SOMEBODY, SOMEBODY), 0);
	ck_assert_int_eq(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0), 0);
}

/* Runs a target into an image that cannot report a reason itself. */
static void
trace_to_setuid(const char *image)
{
	struct tally t = { .many = true };
	struct tbuf_consumer *c;
	struct live_server s;
	const char *why;
	uint64_t count;

	become_somebody();
	c = fake_consumer("statusrate=1ms");
	live_server_start(&s, image);
	live_server_fire(&s, 0);
	live_grab(c, s.pid);
	live_go(c);
	live_server_fire(&s, 3);
	live_server_exec(&s);
	do {
		ck_assert_int_eq(tbuf_consumer_work(c), 1);
		fake_tally(c, &t);
	} while ((why = tbuf_consumer_missed(c, &count)) == NULL);
	ck_assert_str_eq(why, "setuid program");
	ck_assert_uint_eq(count, 1);
	ck_assert_uint_eq(t.records, 3);
	live_server_stop(&s);
	ck_assert_int_eq(live_work(c, &t), 0);
	ck_assert_ptr_null(tbuf_consumer_missed(c, &count));
	tbuf_consumer_close(c);
}

START_TEST(setuid_image_is_told)
{
	char image[4096], plain[4096], *other = strchr(
	    strcpy(image, "NEXT_IMAGE="), '\0');
	int status = 0;
	bool able;
	pid_t pid;

	snprintf(other, sizeof(image) - 16, "%s/setuid", getenv(SCRATCH));
	snprintf(plain, sizeof(plain), "%s/plain", getenv(SCRATCH));
	able = copy_self(plain, 0755) && copy_self(other, 04755);
	if (able && (pid = fork()) == 0) {
		strcpy(live_self, plain);
		trace_to_setuid(image);
		_exit(0);
	}
	if (able)
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	unlink(plain);
	unlink(other);
	ck_assert_int_eq(status, 0);
}
END_TEST

START_TEST(status_counts_without_a_session)
{
	struct tbuf_consumer *c = fake_consumer("bufpolicy=ring bufsize=1k");
	uint64_t records = 0;
	struct live_server s;

	live_server_start(&s, NULL);
	live_server_fire(&s, 0);
	live_grab(c, s.pid);
	live_go(c);
	live_server_fire(&s, 500);
	ck_assert_int_eq(tbuf_status(&s.pid, 1, one_lane, &records), 0);
	ck_assert_uint_eq(records, 500);
	records = 0;
	ck_assert_int_eq(tbuf_status(NULL, 0, one_lane, &records), 0);
	ck_assert_uint_eq(records, 500);
	tbuf_consumer_close(c);
	live_server_stop(&s);
}
END_TEST

/* Calls of inotify_init1(), which this replaces, and directories watched. */
static unsigned watches, watches_added;
static const char *swapped;	/* a directory that becomes a link, or NULL */

int
inotify_init1(int flags)
{
	char aside[128];

	watches++;
	if (swapped != NULL) {
		snprintf(aside, sizeof(aside), "%s.aside", swapped);
		ck_assert_int_eq(rename(swapped, aside), 0);
		ck_assert_int_eq(symlink("/tmp", swapped), 0);
		swapped = NULL;
	}
	return ((int)syscall(SYS_inotify_init1, flags));
}

int
inotify_add_watch(int fd, const char *path, uint32_t mask)
{
	int watch = (int)syscall(SYS_inotify_add_watch, fd, path, mask);

	watches_added += watch != -1;
	return (watch);
}

static int
count_probe(void *arg, pid_t pid, const struct tbuf_probe_info *probe)
{
	unsigned *n = arg;

	(void)pid;
	(void)probe;
	++*n;
	return (0);
}

/*
 * Closing a descriptor of inotify waits in the kernel: --stat and -l have none,
 * also of a target in another directory (_i is 1).
 */
START_TEST(a_list_watches_no_directory)
{
	struct tbuf_consumer *c = fake_consumer("");
	char directory[64], variable[80];
	struct live_server s;
	unsigned n = 0;

	scratch_directory(directory, sizeof(directory));
	snprintf(variable, sizeof(variable), "TBUF_DIR=%s", directory);
	live_server_start(&s, _i == 1 ? variable : NULL);
	live_server_fire(&s, 0);
	live_grab(c, s.pid);
	if (_i == 0)
		ck_assert_int_eq(tbuf_consumer_grab_all(c), 0);
	ck_assert_int_eq(tbuf_consumer_list(c, count_probe, &n), 0);
	ck_assert_uint_gt(n, 0);
	ck_assert_uint_eq(watches, 0);
	live_go(c);
	ck_assert_uint_eq(watches, _i == 1 ? 2 : 1);
	tbuf_consumer_close(c);
	live_server_stop(&s);
	scratch_remove(directory);
}
END_TEST

/*
 * The owner of a target's directory exchanges it for a link after it was looked
 * at.
 */
START_TEST(a_link_is_not_watched)
{
	struct tbuf_consumer *c = fake_consumer("");
	char directory[64], aside[128], variable[80];
	struct live_server s;

	scratch_directory(directory, sizeof(directory));
	snprintf(aside, sizeof(aside), "%s.aside", directory);
	snprintf(variable, sizeof(variable), "TBUF_DIR=%s", directory);
	live_server_start(&s, variable);
	live_server_fire(&s, 0);
	live_grab(c, s.pid);
	swapped = directory;
	live_go(c);
	ck_assert_ptr_null(swapped);
	ck_assert_uint_eq(watches, 2);
	/* The own directory. */
	ck_assert_uint_eq(watches_added, 1);
	ck_assert_int_eq(unlink(directory), 0);
	ck_assert_int_eq(rename(aside, directory), 0);
	tbuf_consumer_close(c);
	live_server_stop(&s);
	scratch_remove(directory);
}
END_TEST

static int
find_pid(void *arg, pid_t pid, const char *comm)
{
	(void)comm;
	return (pid == *(pid_t *)arg);
}

/* inv.alive */
START_TEST(targets_are_listed)
{
	struct live_server s;

	live_server_start(&s, NULL);
	live_server_fire(&s, 0);
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
	struct live_server before, after;
	struct tally sum;

	live_server_start(&before, NULL);
	live_server_fire(&before, 0);
	ck_assert_int_eq(tbuf_consumer_grab_all(c), 0);
	live_go(c);
	live_server_fire(&before, 10);
	live_server_start(&after, NULL);
	live_server_fire(&after, 20);
	live_server_stop(&after);
	tbuf_consumer_stop(c);
	ck_assert_int_eq(live_work(c, &sum), 0);
	ck_assert_uint_eq(sum.records, 30);
	tbuf_consumer_close(c);
	live_server_stop(&before);
}
END_TEST

#define MANY	12

/* Some targets get descriptors, the others are traced later. */
START_TEST(descriptors_run_out)
{
	struct tbuf_consumer *c = fake_consumer("bufsize=4k");
	struct live_server s[MANY];
	struct rlimit before, low;
	unsigned alive, i;
	struct tally t;

	for (i = 0; i < MANY; i++) {
		live_server_start(&s[i], NULL);
		live_server_fire(&s[i], 0);
	}
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	/* The limit leaves the last 16 unused, and about five targets fit. */
	low = before;
	low.rlim_cur = (rlim_t)s[MANY - 1].out + 1 + 16 + 10;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &low), 0);
	ck_assert_int_eq(tbuf_consumer_grab_all(c), 0);
	ck_assert_int_eq(tbuf_consumer_skipped(c), -EMFILE);
	live_go(c);
	alive = tbuf_consumer_alive(c);
	ck_assert_uint_gt(alive, 0);
	ck_assert_uint_lt(alive, MANY);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
	for (i = 0; i < MANY; i++)
		live_server_fire(&s[i], 5);
	tbuf_consumer_find_new(c);
	ck_assert_uint_eq(tbuf_consumer_alive(c), MANY);
	for (i = 0; i < MANY; i++)
		live_server_fire(&s[i], 5);
	tbuf_consumer_stop(c);
	ck_assert_int_eq(live_work(c, &t), 0);
	ck_assert_uint_eq(t.records, 5 * (alive + MANY));
	ck_assert_int_eq(tbuf_consumer_skipped(c), -EMFILE);
	tbuf_consumer_close(c);
	for (i = 0; i < MANY; i++)
		live_server_stop(&s[i]);
}
END_TEST

START_TEST(descriptors_are_enough)
{
	struct tbuf_consumer *c = fake_consumer("");
	struct live_server s;
	bool before[64];
	int fd;

	live_server_start(&s, NULL);
	live_server_fire(&s, 0);
	for (fd = 0; fd < 64; fd++)
		before[fd] = fcntl(fd, F_GETFD) != -1;
	ck_assert_int_eq(tbuf_consumer_grab_all(c), 0);
	ck_assert_int_eq(tbuf_consumer_grab_all(c), 0);
	live_go(c);
	ck_assert_int_eq(tbuf_consumer_skipped(c), 0);
	tbuf_consumer_close(c);
	/* All descriptors are closed. */
	for (fd = 0; fd < 64; fd++)
		ck_assert(before[fd] || fcntl(fd, F_GETFD) == -1);
	live_server_stop(&s);
}
END_TEST

/* The ended target was not named, so the others are traced. */
START_TEST(one_of_all_ends_before_the_run)
{
	struct tbuf_consumer *c = fake_consumer("");
	struct live_server s[2];
	struct tally t;

	live_server_start(&s[0], NULL);
	live_server_start(&s[1], NULL);
	live_server_fire(&s[0], 0);
	live_server_fire(&s[1], 0);
	ck_assert_int_eq(tbuf_consumer_grab_all(c), 0);
	live_server_stop(&s[0]);
	live_go(c);
	ck_assert_int_eq(tbuf_consumer_skipped(c), 0);
	live_server_fire(&s[1], 5);
	tbuf_consumer_stop(c);
	ck_assert_int_eq(live_work(c, &t), 0);
	ck_assert_uint_eq(t.records, 5);
	ck_assert_uint_eq(t.exits, 0);
	tbuf_consumer_close(c);
	live_server_stop(&s[1]);
}
END_TEST

/* Starts a process without libtbuf that runs until it is killed. */
static pid_t
start_without_libtbuf(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		execlp("sleep", "sleep", "1000", NULL);
		_exit(127);
	}
	ck_assert_int_gt(pid, 0);
	return (pid);
}

START_TEST(end_of_a_sampled_process_is_told)
{
	struct tbuf_consumer *c = fake_consumer("");
	pid_t pid = start_without_libtbuf();
	struct tally t;

	ck_assert_int_eq(tbuf_consumer_sample(c, pid), 0);
	ck_assert_int_eq(tbuf_consumer_sample(c, pid), 0);
	live_go(c);
	ck_assert_int_eq(tbuf_consumer_sample(c, pid), -EBUSY);
	ck_assert_uint_eq(tbuf_consumer_alive(c), 1);
	kill(pid, SIGKILL);
	ck_assert_int_eq(live_work(c, &t), 0);
	ck_assert_uint_eq(t.records, 0);
	ck_assert_uint_eq(t.exits, 1);
	tbuf_consumer_close(c);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}
END_TEST

START_TEST(process_that_is_gone_is_not_sampled)
{
	struct tbuf_consumer *c = fake_consumer("");
	pid_t pid = start_without_libtbuf();

	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	ck_assert_int_eq(tbuf_consumer_sample(c, pid), -ESRCH);
	ck_assert_int_eq(tbuf_consumer_sample(c, 0), -ESRCH);
	ck_assert_int_eq(tbuf_consumer_sample(c, -1), -ESRCH);
	tbuf_consumer_close(c);
}
END_TEST

static Suite *
make(void)
{
	Suite *s = suite_create("process");
	TCase *t = live_case("process");
	int n = sizeof(ends) / sizeof(ends[0]);

	tcase_add_test(t, running_target_is_traced);
	tcase_add_test(t, two_consumers_get_the_same);
	tcase_add_test(t, killed_consumer_makes_room_for_the_next);
	tcase_add_test(t, killed_target_is_read_to_its_last_record);
	tcase_add_loop_test(t, end_of_a_child_is_told, 0, n);
	tcase_add_loop_test(t, end_of_a_zombie_is_told, 0, n);
	tcase_add_loop_test(t, end_of_a_process_that_is_gone_is_told, 0, n);
	tcase_add_loop_test(t, one_that_gives_its_consumer_up_is_left_alone,
	    0, 2);
	tcase_add_test(t, space_is_given_back_before_the_next_wait);
	tcase_add_test(t, target_that_execs_is_found_again);
	tcase_add_test(t, first_fires_after_exec_are_recorded);
	tcase_add_test(t, few_descriptors_are_enough_after_exec);
	tcase_add_test(t, images_are_met_in_any_order);
	tcase_add_test(t, every_image_is_accounted_for);
	tcase_add_test(t, exec_needs_no_board);
	tcase_add_test(t, exec_in_another_directory_is_told);
	tcase_add_test(t, setuid_image_is_told);
	tcase_add_test(t, status_counts_without_a_session);
	tcase_add_loop_test(t, a_list_watches_no_directory, 0, 2);
	tcase_add_test(t, a_link_is_not_watched);
	tcase_add_test(t, targets_are_listed);
	tcase_add_test(t, all_targets_and_later_ones);
	tcase_add_test(t, descriptors_run_out);
	tcase_add_test(t, descriptors_are_enough);
	tcase_add_test(t, one_of_all_ends_before_the_run);
	tcase_add_test(t, end_of_a_sampled_process_is_told);
	tcase_add_test(t, process_that_is_gone_is_not_sampled);
	suite_add_tcase(s, t);
	return (s);
}

int
main(int argc, char *argv[])
{
	return (live_main(argc, argv, make));
}
