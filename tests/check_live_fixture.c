/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Consumers and real targets: the test's own program is both, by its first
 * argument.
 */
#include <sys/stat.h>
#include <sys/wait.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check_live_fixture.h"
#include "tbuf.h"

char live_self[4096];
char live_directory[64];

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
 * than a number: a byte goes back, and then begin anew.
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
	if (n > 0 && write(1, "", 1) == 1)
		execl(live_self, live_self, "serve", NULL);
	return (n > 0);
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
		execv(live_self, argv + 2);	/* the count becomes its name */
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
	strlcpy(live_directory, "/dev/shm/tbuf-check-XXXXXX",
	    sizeof(live_directory));
	ck_assert_ptr_nonnull(mkdtemp(live_directory));
	setenv("TBUF_DIR", live_directory, 1);
	unsetenv("TBUF_MAXSIZE");
}

static void
teardown(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r '%s'", live_directory);
	ck_assert_int_eq(system(command), 0);
}

void
live_server_start(struct live_server *s, const char *variable)
{
	int in[2], out[2];

	ck_assert_int_eq(pipe2(in, O_CLOEXEC), 0);
	ck_assert_int_eq(pipe2(out, O_CLOEXEC), 0);
	if ((s->pid = fork()) == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		if (variable != NULL)
			putenv((char *)(uintptr_t)variable);
		execl(live_self, live_self, "serve", NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	s->in = in[1];
	s->out = out[0];
}

void
live_server_fire(const struct live_server *s, unsigned long count)
{
	char byte;

	ck_assert_int_eq(write(s->in, &count, sizeof(count)), sizeof(count));
	ck_assert_int_eq(read(s->out, &byte, 1), 1);
}

void
live_server_exec(const struct live_server *s)
{
	char byte;

	ck_assert_int_eq(write(s->in, "", 1), 1);
	ck_assert_int_eq(read(s->out, &byte, 1), 1);
}

void
live_server_stop(struct live_server *s)
{
	int status;

	close(s->in);
	close(s->out);
	ck_assert_int_eq(waitpid(s->pid, &status, 0), s->pid);
	ck_assert_int_eq(status, 0);
}

void
live_go(struct tbuf_consumer *c)
{
	ck_assert_msg(tbuf_consumer_go(c) == 0, "%s", tbuf_consumer_error(c));
}

void
live_grab(struct tbuf_consumer *c, pid_t pid)
{
	ck_assert_msg(tbuf_consumer_grab(c, pid) == 0, "%s",
	    tbuf_consumer_error(c));
}

pid_t
live_spawn(struct tbuf_consumer *c, const char *mode, const char *count,
    const char *const *add)
{
	char *argv[] = {
		live_self, (char *)(uintptr_t)mode, (char *)(uintptr_t)count, NULL
	};
	pid_t pid = tbuf_consumer_spawn(c, argv, add);

	ck_assert_msg(pid > 0, "%s", tbuf_consumer_error(c));
	return (pid);
}

int
live_work(struct tbuf_consumer *c, struct tally *tally)
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

uint64_t
live_drops(const struct tally *t)
{
	return (t->drops[TBUF_CAUSE_FULL] + t->drops[TBUF_CAUSE_LARGE] +
	    t->drops[TBUF_CAUSE_NOLANE]);
}

TCase *
live_case(const char *name)
{
	TCase *t = tcase_create(name);

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	return (t);
}

int
live_main(int argc, char *argv[], Suite *(*make)(void))
{
	ssize_t n = readlink("/proc/self/exe", live_self,
	    sizeof(live_self) - 1);
	SRunner *runner;
	int failed;

	live_self[n < 0 ? 0 : n] = '\0';
	if (argc > 1)
		return (target(argc, argv));
	runner = srunner_create(make());
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return (failed != 0);
}
