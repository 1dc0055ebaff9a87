/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Consumers and real targets.  See fixture.h.
 */
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"
#include "lib/check_main.h"
#include "lib/scratch.h"
#include "target/file/file.h"
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
 * Fires as often as each number on stdin says, and answers with a byte.  One
 * byte alone: answers, then executes this program again, or NEXT_IMAGE.  Two
 * bytes: exits with the second as status.
 */
static int
serve(void)
{
	unsigned long count, next = 0;
	const char *next_image = getenv("NEXT_IMAGE");
	unsigned char bytes[2];
	ssize_t n;

	while ((n = read(0, &count, sizeof(count))) == sizeof(count)) {
		fire(next, count);
		next += count;
		if (write(1, "", 1) != 1)
			return (1);
	}
	memcpy(bytes, &count, sizeof(bytes));
	if (n == sizeof(bytes))
		return (bytes[1]);
	if (next_image == NULL)
		next_image = live_self;
	if (n > 0 && write(1, "", 1) == 1)
		execl(next_image, next_image, "serve", NULL);
	return (n > 0);
}

/* Registers probes at run time, besides the one above. */
static int
many(unsigned long count)
{
	struct tbuf_site *sites = calloc(count, sizeof(*sites));
	char name[32];
	unsigned long i;

	for (i = 0; sites != NULL && i < count; i++) {
		snprintf(name, sizeof(name), "p%lu", i);
		tbuf_probe_register(&sites[i], "many", "module", "function",
		    name, 0, NULL, NULL);
	}
	return (sites == NULL);
}

/* Forks children one after another; each fires. */
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

/* Executes this program as uid 65534, which may not look its path up. */
static int
drop(char *argv[])
{
	int fd = open(live_self, O_PATH | O_CLOEXEC);

	if (fd == -1 || setresuid(65534, 65534, 65534) != 0)
		return (1);
	argv[-1] = live_self;
	syscall(SYS_execveat, fd, "", argv - 1, environ, AT_EMPTY_PATH);
	return (1);
}

/* Returns true if this process's file has the pid namespace that it is in. */
static bool
is_placed(void)
{
	return (tbuf_file.sign != NULL && tbuf_file.sign->pid_namespace ==
	    tbuf_pid_namespace(0));
}

/* Makes a child in this pid namespace, and runs this program. */
static void
nested(char *argv[])
{
	int status = 1;

	if (!is_placed())
		_exit(125);
	fire(0, 10);
	if (fork() == 0)
		_exit(!is_placed());
	wait(&status);
	if (status == 0)
		execv(live_self, argv);
	_exit(126);
}

/* Makes a child in this pid namespace that makes one in a new one. */
static int
nest(char *argv[])
{
	int status = 1;

	if (fork() == 0) {
		if (!is_placed() || unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0)
			_exit(1);
		if (fork() == 0)
			nested(argv);
		wait(&status);
		_exit(status != 0);
	}
	wait(&status);
	return (status != 0);
}

/* Forks a child that fires, waits for a byte, and executes another image. */
static int
relay(unsigned long count)
{
	char byte;

	if (fork() == 0) {
		fire(0, count);
		if (read(0, &byte, 1) == 1)
			execl(live_self, live_self, "fire", "20", NULL);
		_exit(127);
	}
	return (wait(NULL) == -1);
}

/*
 * Maps the file that the environment names, as an image does while it starts,
 * writes a byte, reads one, and goes on as the next mode, traced.
 */
static int
look(char *argv[])
{
	const char *name = getenv("TBUF_CONTROL");
	char path[4096], byte;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", getenv("TBUF_DIR"),
	    name == NULL ? "" : name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd == -1 || mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) ==
	    MAP_FAILED || write(1, "", 1) != 1 || read(0, &byte, 1) != 1)
		return (1);
	unsetenv("TBUF_DISABLE");
	execv(live_self, argv);
	return (1);
}

/* Forks a server, and waits for its end only after a signal. */
static int
ward(void)
{
	sigset_t set;
	pid_t pid;
	int got;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if ((pid = fork()) == 0) {
		sigprocmask(SIG_UNBLOCK, &set, NULL);
		execl(live_self, live_self, "serve", NULL);
		_exit(127);
	}
	if (write(1, &pid, sizeof(pid)) != sizeof(pid) ||
	    sigwait(&set, &got) != 0)
		return (1);
	return (waitpid(pid, NULL, 0) != pid);
}

/* Returns 0 if a child can make one: with a thread of a sanitizer it cannot. */
static int
has_no_namespaces(void)
{
	int status = 1;

	if (fork() == 0)
		_exit(unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0);
	wait(&status);
	return (status != 0);
}

static int
target(int argc, char *argv[])
{
	unsigned long count = argc > 2 ? strtoul(argv[2], NULL, 0) : 0;

	if (strcmp(argv[1], "serve") == 0)
		return (serve());
	if (strcmp(argv[1], "ward") == 0)
		return (ward());
	if (strcmp(argv[1], "many") == 0)
		return (many(count));
	if (strcmp(argv[1], "breed") == 0)
		return (breed(count, 10));
	if (strcmp(argv[1], "relay") == 0)
		return (relay(count));
	if (strcmp(argv[1], "look") == 0 && argc > 2)
		return (look(argv + 2));
	if (strcmp(argv[1], "nest") == 0 && argc > 2)
		return (nest(argv + 1));
	if (strcmp(argv[1], "nest") == 0)
		return (has_no_namespaces());
	fire(0, count);
	if (strcmp(argv[1], "drop") == 0 && argc > 3)
		return (drop(argv + 3));
	if (strcmp(argv[1], "idle") == 0)
		for (;;)
			pause();
	if (strcmp(argv[1], "out") == 0 && argc > 3)
		setenv("TBUF_DISABLE", "1", 1);
	if ((strcmp(argv[1], "exec") == 0 || strcmp(argv[1], "out") == 0) &&
	    argc > 3)
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
	scratch_directory(live_directory, sizeof(live_directory));
	setenv("TBUF_DIR", live_directory, 1);
	unsetenv("TBUF_MAXSIZE");
}

static void
teardown(void)
{
	scratch_remove(live_directory);
}

bool
live_filtered(void)
{
	return (prctl(PR_GET_SECCOMP) == SECCOMP_MODE_FILTER);
}

bool
live_nests(void)
{
	int status = 1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(execl(live_self, live_self, "nest", NULL));
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return (status == 0);
}

static void
start(struct live_server *s, const char *mode, const char *variable)
{
	int in[2], out[2];

	ck_assert_int_eq(pipe2(in, O_CLOEXEC), 0);
	ck_assert_int_eq(pipe2(out, O_CLOEXEC), 0);
	if ((s->pid = fork()) == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		if (variable != NULL)
			putenv((char *)(uintptr_t)variable);
		execl(live_self, live_self, mode, NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	s->in = in[1];
	s->out = out[0];
}

void
live_server_start(struct live_server *s, const char *variable)
{
	start(s, "serve", variable);
}

pid_t
live_server_start_ward(struct live_server *s)
{
	pid_t parent;

	start(s, "ward", NULL);
	parent = s->pid;
	ck_assert_int_eq(read(s->out, &s->pid, sizeof(s->pid)),
	    sizeof(s->pid));
	return (parent);
}

void
live_ward_end(pid_t parent)
{
	int status;

	kill(parent, SIGUSR1);
	ck_assert_int_eq(waitpid(parent, &status, 0), parent);
	ck_assert_int_eq(status, 0);
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
live_server_exit(const struct live_server *s, unsigned char status)
{
	unsigned char bytes[2] = { 0, status };

	ck_assert_int_eq(write(s->in, bytes, sizeof(bytes)), sizeof(bytes));
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
		live_self, (char *)(uintptr_t)mode, (char *)(uintptr_t)count,
		NULL
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

	live_self[n < 0 ? 0 : n] = '\0';
	if (argc > 1)
		return (target(argc, argv));
	return (run_suite(make()));
}
