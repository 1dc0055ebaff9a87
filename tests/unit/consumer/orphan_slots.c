/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Slots of dead consumers: how long a new consumer waits for locks that writers
 * may still hold.  Processes that may yet become targets are waited for.
 */
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "consumer/attach/attach.h"
#include "consumer/run/run.h"
#include "consumer/script/script.h"
#include "fixture.h"
#include "lib/check_main.h"
#include "lib/interposed_call.h"
#include "shared/control_file.h"
#include "shared/memory_limit.h"

/* The bound is far above the wait for one lock, far below that for all. */
#define PAUSES_MAX	1000
#define FILES	8

static unsigned pauses;
static bool impatient;

/* Replaces the C library's nanosleep(), and counts the pauses. */
int
nanosleep(const struct timespec *time, struct timespec *rest)
{
	pauses++;
	if (impatient)
		return (0);
	return (clock_nanosleep(CLOCK_MONOTONIC, 0, time, rest));
}
INTERPOSED(nanosleep);

/* A process without an environment, and with the state it has in execve(2). */
static pid_t watched;
static bool executing;

static bool
is_watched(const char *path, const char *file)
{
	char own[64];

	snprintf(own, sizeof(own), "/proc/%d/%s", (int)watched, file);
	return (strcmp(path, own) == 0);
}

int
open(const char *path, int flags, ...)
{
	static const char stat[] = "1 (a b) c) R 1 1 1 0 -1 4194304 1 0 0 0 1 "
	    "1 0 0 20 0 1 0 9999999999 4096 1 18446744073709551615 0 0 0 0 0 0 "
	    "0 0 0 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n";
	int fds[2], mode;
	va_list ap;

	if (executing && is_watched(path, "stat")) {
		ck_assert_int_eq(pipe2(fds, O_CLOEXEC), 0);
		ck_assert_int_eq(write(fds[1], stat, sizeof(stat) - 1),
		    (ssize_t)sizeof(stat) - 1);
		close(fds[1]);
		return (fds[0]);
	}
	if (is_watched(path, "environ"))
		path = "/dev/null";
	va_start(ap, flags);
	mode = va_arg(ap, int);
	va_end(ap);
	return ((int)syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}
INTERPOSED(open);

/* Makes a session without a consumer, with one lane and all locks held. */
static void
leave(struct fake *f, unsigned number, uint64_t generation)
{
	struct tbuf_slot *slot = (struct tbuf_slot *)(void *)(f->file +
	    TBUF_SLOTS + number * TBUF_SLOT_SIZE);
	struct tbuf_session *session = (struct tbuf_session *)(void *)
	    (f->file + f->tables.areas);
	struct tbuf_lane *lane = (struct tbuf_lane *)(void *)(session + 1);
	unsigned i;

	session->generation = generation;
	lane->kind = TBUF_KIND_LOCK;
	lane->place = tbuf_place(f->tables.areas + TBUF_PAGE, 64);
	slot->area = f->tables.areas;
	slot->area_size = 2 * TBUF_PAGE;
	slot->lanes = f->tables.areas + sizeof(*session);
	slot->nlanes = 1;
	slot->nlocks_max = TBUF_NLOCKS;
	for (i = 0; i < TBUF_NLOCKS; i++)
		slot->locks[i].word = 2 * generation + 1;
	f->control->state[number] = TBUF_ACTIVE;
}

START_TEST(held_locks_of_all_slots_have_one_time)
{
	struct tbuf_consumer *c = fake_consumer("bufsize=64k");
	struct fake f;
	unsigned i;

	fake_begin(&f);
	ck_assert_int_eq(tbuf_back(f.fd, f.tables.areas, 2 * TBUF_PAGE), 0);
	fake_map(&f);
	f.control->registering = 1;
	for (i = 0; i < TBUF_NSESSIONS; i++)
		leave(&f, i, 7);
	fake_grab(&f, c);
	ck_assert_int_eq(tbuf_consumer_go(c), -EUSERS);
	for (i = 0; i < TBUF_NSESSIONS; i++)
		ck_assert_uint_eq(f.control->state[i], TBUF_RETIRED);
	ck_assert_uint_gt(pauses, 0);
	ck_assert_uint_le(pauses, PAUSES_MAX);
	tbuf_consumer_close(c);
	fake_end(&f);
}
END_TEST

START_TEST(slots_that_nobody_is_in_are_free)
{
	struct tbuf_consumer *c = fake_consumer("bufsize=64k");
	struct tbuf_slot *slot;
	struct fake f;
	unsigned i, j;

	fake_begin(&f);
	ck_assert_int_eq(tbuf_back(f.fd, f.tables.areas, 2 * TBUF_PAGE), 0);
	fake_map(&f);
	for (i = 0; i < TBUF_NSESSIONS; i++) {
		leave(&f, i, 7);
		slot = (struct tbuf_slot *)(void *)(f.file + TBUF_SLOTS +
		    i * TBUF_SLOT_SIZE);
		/* The last session's locks stay held. */
		for (j = 0; j < TBUF_NLOCKS && i < TBUF_NSESSIONS - 1; j++)
			slot->locks[j].word--;
	}
	fake_grab(&f, c);
	ck_assert_int_eq(tbuf_consumer_go(c), 0);
	for (i = 1; i < TBUF_NSESSIONS - 1; i++)
		ck_assert_uint_eq(f.control->state[i], TBUF_FREE);
	ck_assert_uint_eq(f.control->state[i], TBUF_RETIRED);
	tbuf_consumer_close(c);
	fake_end(&f);
}
END_TEST

/* Targets that never release the locks of their files: at attach, and later. */
START_TEST(held_files_of_all_targets_have_one_time)
{
	struct tbuf_consumer *c = fake_consumer("bufsize=64k");
	int locks[FILES];
	struct fake f[FILES];
	char path[32];
	unsigned i;

	impatient = true;
	for (i = 0; i < FILES; i++) {
		fake_begin(&f[i]);
		fake_grab(&f[i], c)->named_by_user = false;
		snprintf(path, sizeof(path), "/proc/self/fd/%d", f[i].fd);
		locks[i] = open(path, O_RDWR | O_CLOEXEC);
		if (i > 0)
			ck_assert(tbuf_file_lock(locks[i], 0));
	}
	ck_assert_int_eq(tbuf_consumer_go(c), 0);
	ck_assert_int_eq(tbuf_consumer_skipped(c), -EBUSY);
	ck_assert_uint_ge(pauses, TBUF_LOCK_PAUSES);
	ck_assert_uint_lt(pauses, TBUF_LOCK_PAUSES + PAUSES_MAX);
	tbuf_file_lock(locks[0], 0);
	tbuf_consumer_close(c);
	ck_assert_uint_lt(pauses, TBUF_LOCK_PAUSES + PAUSES_MAX);
	for (i = 0; i < FILES; i++) {
		close(locks[i]);
		fake_end(&f[i]);
	}
}
END_TEST

/* Other processes may really be in execve(2). */
START_TEST(one_amid_exec_may_become_a_target)
{
	struct tbuf_consumer *c = fake_consumer("follow");

	if ((watched = fork()) == 0)
		for (;;)
			pause();
	c->spawned.pid = getpid();
	c->orphan = watched;
	(void)tbuf_find_orphan(c);
	ck_assert_int_ne(c->orphan, watched);
	executing = true;
	c->orphan = watched;
	ck_assert(tbuf_find_orphan(c));
	ck_assert_int_eq(c->orphan, watched);
	ck_assert_int_eq(kill(watched, SIGKILL), 0);
	ck_assert_int_eq(waitpid(watched, NULL, 0), watched);
	c->spawned.pid = 0;
	tbuf_consumer_close(c);
}
END_TEST

#define HUGE	((uint64_t)4 << 40)

/*
 * Says that the arguments and the environment of this process are terabytes,
 * which are there.  Returns false if the kernel does not allow that.
 */
static bool
become_huge(void)
{
	static const int numbers[] = { 26, 27, 28, 45, 46, 47 };
	uint64_t f[sizeof(numbers) / sizeof(numbers[0])];
	unsigned char *p = mmap(NULL, HUGE, PROT_READ,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct prctl_mm_map map = { .exe_fd = (uint32_t)-1 };

	if (p == MAP_FAILED)
		return (false);
	tbuf_stat_fields(0, numbers, f, sizeof(f) / sizeof(f[0]));
	map.start_code = f[0];
	map.end_code = f[1];
	map.start_stack = f[2];
	map.start_data = f[3];
	map.end_data = f[4];
	map.start_brk = f[5];
	map.brk = (uintptr_t)sbrk(0);
	map.arg_start = map.env_start = (uintptr_t)p;
	map.arg_end = map.env_end = (uintptr_t)p + HUGE;
	return (prctl(PR_SET_MM, PR_SET_MM_MAP, &map, sizeof(map), 0) == 0);
}

/* Starts such a process.  Returns 0 if there can be none. */
static pid_t
huge_start(void)
{
	int ready[2];
	char byte;
	pid_t pid;

	ck_assert_int_eq(pipe2(ready, O_CLOEXEC), 0);
	if ((pid = fork()) == 0) {
		if (!become_huge() || write(ready[1], "", 1) != 1)
			_exit(0);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1) {
		ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
		pid = 0;
	}
	close(ready[0]);
	return (pid);
}

START_TEST(huge_environment_and_arguments_are_not_all_read)
{
	struct tbuf_consumer *c = fake_consumer("follow");
	static struct tbuf_script script;
	struct tbuf_script_sample sample = { .pid = huge_start() };
	const struct tbuf_script_record record = { .probe = NULL };
	struct tbuf_span span;

	if (sample.pid == 0)
		fprintf(stderr, "no PR_SET_MM_MAP: nothing is tested\n");
	else {
		c->spawned.pid = getpid();
		c->orphan = sample.pid;
		(void)tbuf_find_orphan(c);
		ck_assert_int_ne(c->orphan, sample.pid);
		c->spawned.pid = 0;
		script.sample = &sample;
		script.record = &record;
		ck_assert(tbuf_script_builtin_text(&script,
		    TBUF_BUILTIN_EXECARGS, &span));
		ck_assert_uint_lt(span.size, HUGE);
		ck_assert_int_eq(kill(sample.pid, SIGKILL), 0);
		ck_assert_int_eq(waitpid(sample.pid, NULL, 0), sample.pid);
	}
	tbuf_consumer_close(c);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("orphan");
	TCase *t = tcase_create("orphan");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, held_locks_of_all_slots_have_one_time);
	tcase_add_test(t, slots_that_nobody_is_in_are_free);
	tcase_add_test(t, held_files_of_all_targets_have_one_time);
	tcase_add_test(t, one_amid_exec_may_become_a_target);
	tcase_add_test(t, huge_environment_and_arguments_are_not_all_read);
	suite_add_tcase(s, t);
	return (run_suite(s));
}
