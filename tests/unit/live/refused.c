/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Processes that cannot be grabbed, and the messages about them.
 */
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"

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

/* Maps files that have names of this process's control files. */
static void
map_many(unsigned count)
{
	char name[128];
	unsigned i;
	int fd;

	for (i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "%s/tbuf.%d.%016x",
		    getenv("TBUF_DIR"), (int)getpid(), i + 1);
		fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		if (fd == -1 || ftruncate(fd, 4096) != 0 || mmap(NULL, 4096,
		    PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED)
			_exit(1);
		close(fd);
	}
}

/*
 * Each mapping that may be a control file is opened, and there may be tens of
 * thousands.
 */
START_TEST(process_with_many_control_files)
{
	int ready[2];
	char byte;
	pid_t pid;

	ck_assert_int_eq(pipe(ready), 0);
	if ((pid = fork()) == 0) {
		map_many(200);
		(void)!write(ready[1], "", 1);
		for (;;)
			pause();
	}
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	refused(pid, -ENOEXEC, "it has mapped more than 64 control files");
	end_process(pid);
}
END_TEST

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
	/* The process is cat(1) when it answers. */
	ck_assert_int_eq(write(in[1], "", 1), 1);
	ck_assert_int_eq(read(out[0], &byte, 1), 1);
	refused(pid, -ENOEXEC, "it has no libtbuf");
	end_process(pid);
	refused(pid, -ESRCH, "No such process");
}
END_TEST

START_TEST(target_whose_tracing_is_off)
{
	struct live_server s;

	live_server_start(&s, "TBUF_DISABLE=1");
	live_server_fire(&s, 0);
	refused(s.pid, -ECANCELED, "tracing is off: TBUF_DISABLE is set");
	live_server_stop(&s);
}
END_TEST

START_TEST(target_of_another_version)
{
	struct tbuf_control *control;
	struct live_server s;
	struct tbuf_found found;
	struct tbuf_view view;

	live_server_start(&s, NULL);
	live_server_fire(&s, 0);
	ck_assert_int_eq(tbuf_find_pid(s.pid, &found), 0);
	ck_assert_int_eq(tbuf_view_map(found.fd, 0, &view), 0);
	control = tbuf_view_control(&view);
	control->major = 99;
	refused(s.pid, -EPROTO, "libtbuf 99.2, tbufctl 2.2");
	tbuf_view_unmap(&view);
	close(found.fd);
	close(found.pidfd);
	live_server_stop(&s);
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

/*
 * Starts the first process of a pid namespace and kills it.  It ends only when
 * all others there were reaped; until then it has no memory, root owns its
 * files, and it is no zombie.  Returns its pid, 0 without namespaces.
 */
static pid_t
start_dying(pid_t *parent)
{
	char path[64], line[128];
	pid_t pid = 0;
	bool memory;
	int out[2];
	FILE *f;

	ck_assert_int_eq(pipe(out), 0);
	if ((*parent = fork()) == 0) {
		if (unshare(CLONE_NEWUSER | CLONE_NEWPID) == 0 &&
		    (pid = fork()) == 0)
			for (;;)
				pause();
		/* This one dies with the first process, and is not reaped. */
		if (pid != 0 && fork() == 0)
			for (;;)
				pause();
		(void)!write(out[1], &pid, sizeof(pid));
		for (;;)
			pause();
	}
	ck_assert_int_eq(read(out[0], &pid, sizeof(pid)), sizeof(pid));
	if (pid == 0)
		return (0);
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	do {
		ck_assert_ptr_nonnull(f = fopen(path, "r"));
		memory = false;
		while (fgets(line, sizeof(line), f) != NULL)
			memory |= strncmp(line, "VmSize:", 7) == 0;
		fclose(f);
	} while (memory);
	return (pid);
}

START_TEST(process_that_is_about_to_have_ended)
{
	struct tbuf_found found;
	int status;
	pid_t pid, parent;

	if ((pid = fork()) == 0) {
		if (geteuid() == 0 && (setresgid(65534, 65534, 65534) != 0 ||
		    setresuid(65534, 65534, 65534) != 0))
			_exit(1);
		if ((pid = start_dying(&parent)) != 0)
			ck_assert_int_eq(tbuf_find_pid(pid, &found), -ESRCH);
		end_process(parent);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
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

static Suite *
make(void)
{
	Suite *s = suite_create("refused");
	TCase *t = live_case("refused");

	tcase_add_test(t, process_without_libtbuf);
	tcase_add_test(t, process_with_many_control_files);
	tcase_add_test(t, target_whose_tracing_is_off);
	tcase_add_test(t, target_of_another_version);
	/* Strict mode cannot be entered from a filter. */
	if (!live_filtered())
		tcase_add_test(t, process_in_strict_seccomp);
	tcase_add_test(t, process_that_is_about_to_have_ended);
	tcase_add_test(t, process_of_another_user);
	suite_add_tcase(s, t);
	return (s);
}

int
main(int argc, char *argv[])
{
	return (live_main(argc, argv, make));
}
