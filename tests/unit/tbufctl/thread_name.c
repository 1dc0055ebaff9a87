/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Names of threads for viewers, also of threads in another pid namespace, which
 * have other numbers in their records than for tbufctl.
 */
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/check_main.h"
#include "view/viewer.h"

static int numbers[2];		/* a pipe */

static void *
run(void *unused)
{
	uint32_t tid = (uint32_t)syscall(SYS_gettid);

	(void)unused;
	(void)prctl(PR_SET_NAME, "worker");
	if (write(numbers[1], &tid, sizeof(tid)) == sizeof(tid))
		pause();
	return (NULL);
}

/* Runs a process with a thread "worker"; its own numbers go to the pipe. */
static _Noreturn void
serve(void)
{
	pthread_t thread;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (pthread_create(&thread, NULL, run, NULL) == 0)
		(void)pthread_join(thread, NULL);
	_exit(1);
}

/* Starts it in a new pid namespace, or in ours; -1: there is none. */
static pid_t
start(bool is_inner)
{
	int flags = CLONE_NEWPID | (getuid() == 0 ? 0 : CLONE_NEWUSER);
	pid_t pid;

	ck_assert_int_eq(pipe(numbers), 0);
	/* Later processes of this one, as a sanitizer's, are not in there. */
	pid = !is_inner ? fork() :
	    (pid_t)syscall(SYS_clone, SIGCHLD | flags, NULL, NULL, NULL, 0);
	if (pid == 0)
		serve();
	return (pid);
}

START_TEST(thread_has_its_own_name)
{
	const struct viewer live = { .live = true }, read_later = { 0 };
	pid_t pid = start(_i == 1);
	uint32_t tid;
	char name[16];

	if (pid == -1) {
		printf("no pid namespace can be made here\n");
		return;
	}
	ck_assert_int_eq(read(numbers[0], &tid, sizeof(tid)), sizeof(tid));
	if (_i == 1)
		ck_assert_uint_lt(tid, 10);
	viewer_thread_name(&live, pid, tid, "program", name);
	ck_assert_str_eq(name, "worker");
	viewer_thread_name(&live, pid, 4194304, "program", name);
	ck_assert_str_eq(name, "program");
	viewer_thread_name(&read_later, pid, tid, "program", name);
	ck_assert_str_eq(name, "program");
	(void)kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	viewer_thread_name(&live, pid, tid, "program of 16 bytes", name);
	ck_assert_str_eq(name, "program of 16 b");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("tbufctl");
	TCase *t = tcase_create("names of threads");

	tcase_add_loop_test(t, thread_has_its_own_name, 0, 2);
	suite_add_tcase(s, t);
	return (run_suite(s));
}
