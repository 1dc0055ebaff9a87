/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The path of a trace file that another process sets needs a ticket in the
 * runtime directory: the control file's words alone may be those of a child
 * that has given up its privileges.
 */
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"
#include "shared/text_ticket.h"
#include "target/file/file.h"
#include "tbuf_consumer.h"

static struct tbuf_text_order *
order(void)
{
	struct tbuf_view view = tbuf_target_view();

	ck_assert_ptr_nonnull(view.base);
	return ((struct tbuf_text_order *)(void *)(view.base +
	    TBUF_TEXT_ORDER));
}

/* Writes the order as any process with the file can. */
static void
forge_at(struct tbuf_text_order *o, const char *file, uint64_t ticket)
{
	snprintf(o->setting, sizeof(o->setting), "traceFacility=File;"
	    "traceFilePath=%s", text_file_path(file));
	o->ticket = ticket;
	tbuf_store_release(&o->pending, 1);
}

static void
forge(const char *file, uint64_t ticket)
{
	forge_at(order(), file, ticket);
}

static void
send_path(const char *file)
{
	struct tbuf_consumer *c = tbuf_consumer_new();
	char setting[600];

	ck_assert_ptr_nonnull(c);
	snprintf(setting, sizeof(setting), "traceFacility=File;"
	    "traceFilePath=%s", text_file_path(file));
	ck_assert_msg(tbuf_consumer_text(c, getpid(), setting) == 0, "%s",
	    tbuf_consumer_error(c));
	tbuf_consumer_close(c);
}

/* Returns the number of tickets, and stores the path of the last one. */
static unsigned
tickets(char path[600])
{
	DIR *d = opendir(text_directory);
	const struct dirent *entry;
	unsigned n = 0;

	ck_assert_ptr_nonnull(d);
	while ((entry = readdir(d)) != NULL)
		if (strncmp(entry->d_name, "path.", 5) == 0) {
			n++;
			snprintf(path, 600, "%s/%s", text_directory,
			    entry->d_name);
		}
	closedir(d);
	return (n);
}

/* Prints a message; it makes the target take the order. */
static void
expect_taken(const char *file, bool taken)
{
	text_nlogged = 0;
	tbuf_text(&text_store, TBUF_SEVERE, "a message");
	ck_assert_uint_eq(order()->pending, 0);
	ck_assert_uint_eq(strstr(text_file_text(file), "a message\n") != NULL,
	    taken);
	ck_assert_uint_eq(text_nlogged, !taken);
	if (!taken)
		ck_assert_ptr_nonnull(strstr(text_logged[0],
		    strerror(EPERM)));
}

START_TEST(a_path_in_shared_words_alone_is_refused)
{
	char path[600];

	forge("trace", 0);
	expect_taken("trace", false);
	forge("trace", 1);
	expect_taken("trace", false);
	send_path("trace");
	ck_assert_uint_eq(tickets(path), 1);
	expect_taken("trace", true);
	/* A ticket is used once. */
	ck_assert_uint_eq(tickets(path), 0);
	unlink(text_file_path("trace"));
	forge("trace", order()->ticket);
	text_set("traceFacility=Off");
	expect_taken("trace", false);
}
END_TEST

START_TEST(a_ticket_confirms_one_path_only)
{
	char path[600];

	send_path("asked");
	forge("trace", order()->ticket);
	expect_taken("trace", false);
	/* The later path replaces the earlier one, with its ticket. */
	forge("asked", order()->ticket);
	send_path("later");
	ck_assert_uint_eq(tickets(path), 1);
	expect_taken("later", true);
	ck_assert_str_eq(text_file_text("asked"), "");
	ck_assert_uint_eq(tickets(path), 0);
}
END_TEST

/* Rewrites a ticket. */
static void
rewrite(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	ck_assert_int_ne(fd, -1);
	ck_assert_int_eq(write(fd, text, strlen(text)),
	    (ssize_t)strlen(text));
	close(fd);
}

enum way {
	MODE_GROUP, MODE_OTHER, HARD_LINK, SYMBOLIC_LINK, FIFO, DIRECTORY,
	LONGER, SHORTER, HUGE_FILE, REMOVED, OWNER, WAYS
};

static void
change(const char *path, enum way way)
{
	char aside[600], text[700];

	snprintf(aside, sizeof(aside), "%s", text_file_path("aside"));
	snprintf(text, sizeof(text), "%s/", text_file_path("trace"));
	switch (way) {
	case MODE_GROUP:
	case MODE_OTHER:
		ck_assert_int_eq(chmod(path, way == MODE_GROUP ? 0620 : 0602),
		    0);
		break;
	case HARD_LINK:
		ck_assert_int_eq(link(path, aside), 0);
		break;
	case SYMBOLIC_LINK:
		ck_assert_int_eq(rename(path, aside), 0);
		ck_assert_int_eq(symlink(aside, path), 0);
		break;
	case FIFO:
	case DIRECTORY:
		ck_assert_int_eq(unlink(path), 0);
		ck_assert_int_eq(way == FIFO ? mkfifo(path, 0600) :
		    mkdir(path, 0700), 0);
		break;
	case LONGER:
		rewrite(path, text);
		break;
	case SHORTER:
		text[strlen(text) - 2] = '\0';
		rewrite(path, text);
		break;
	case HUGE_FILE:
		ck_assert_int_eq(truncate(path, (off_t)1 << 40), 0);
		break;
	case REMOVED:
		ck_assert_int_eq(unlink(path), 0);
		break;
	case OWNER:
	default:
		ck_assert_int_eq(chown(path, 12345, 12345), 0);
	}
}

START_TEST(a_ticket_that_others_can_change_is_refused)
{
	char path[600];
	unsigned way;

	for (way = 0; way < WAYS; way++) {
		if (way == OWNER && geteuid() != 0)
			continue;
		send_path("trace");
		ck_assert_uint_eq(tickets(path), 1);
		change(path, (enum way)way);
		expect_taken("trace", false);
		unlink(text_file_path("aside"));
		if (unlink(path) != 0)
			(void)rmdir(path);
		ck_assert_uint_eq(tickets(path), 0);
	}
	send_path("trace");
	expect_taken("trace", true);
}
END_TEST

/*
 * A child that no handler sees has its parent's file, and another user: it asks
 * its parent to write to a file of the parent's user.
 */
START_TEST(a_child_of_another_user_sets_no_path)
{
	struct tbuf_text_order *o = order();
	int status;
	pid_t pid;

	if (geteuid() != 0)
		return;
	pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (pid == 0) {
		if (setresgid(12345, 12345, 12345) != 0 ||
		    setresuid(12345, 12345, 12345) != 0)
			_exit(1);
		forge_at(o, "trace", 1);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	ck_assert_uint_eq(o->pending, 1);
	expect_taken("trace", false);
}
END_TEST

/* Returns 0 if the target `pid' gets a level, but no path. */
static int
consume(pid_t pid)
{
	struct tbuf_consumer *c = tbuf_consumer_new();
	char path[600];

	if (c == NULL || tbuf_consumer_text(c, pid, "traceFilePath=/x") !=
	    -EPERM || strstr(tbuf_consumer_error(c),
	    "it has changed its user or root directory") == NULL)
		return (1);
	if (tickets(path) != 0)
		return (2);
	return (tbuf_consumer_text(c, pid, "traceLevel=severe") == 0 ? 0 : 3);
}

/* A target that has changed its user does not see the ticket. */
START_TEST(a_target_of_another_user_gets_no_path)
{
	pid_t parent = getpid(), pid;
	int up[2], status;
	char byte;

	if (geteuid() != 0)
		return;
	ck_assert_int_eq(pipe(up), 0);
	if ((pid = fork()) == 0)
		_exit(read(up[0], &byte, 1) == 1 ? consume(parent) : 4);
	ck_assert_int_eq(seteuid(12345), 0);
	ck_assert_int_eq(write(up[1], "", 1), 1);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(seteuid(0), 0);
	ck_assert_int_eq(WEXITSTATUS(status), 0);
}
END_TEST

static int
skip_left(void *unused, const struct tbuf_left *left)
{
	(void)unused;
	(void)left;
	return (0);
}

/* Makes a ticket of the control file tbuf.PID.RANDOM. */
static void
make_ticket(pid_t pid, uint64_t random)
{
	char control[TBUF_NAME_MAX], name[TBUF_TICKET_NAME_MAX];

	tbuf_control_name(control, pid, random);
	tbuf_ticket_name(name, control, 1);
	close(open(text_file_path(name), O_CREAT | O_WRONLY, 0600));
}

START_TEST(tickets_of_the_dead_are_removed)
{
	char path[600];

	make_ticket(getpid(), 12345);		/* it has no control file */
	send_path("trace");
	close(open(text_file_path("path.x"), O_CREAT | O_WRONLY, 0600));
	ck_assert_uint_eq(tickets(path), 3);
	ck_assert_int_eq(tbuf_left(skip_left, NULL), 0);
	ck_assert_uint_eq(tickets(path), 2);
	/* A process that makes a trace in memory removes them, too. */
	make_ticket(getpid(), 12345);
	text_set("traceFacility=Memory");
	ck_assert_uint_eq(tickets(path), 2);
	expect_taken("trace", true);
	ck_assert_uint_eq(tickets(path), 1);
}
END_TEST

int
main(void)
{
	const TTest *const tests[] = {
		a_path_in_shared_words_alone_is_refused,
		a_ticket_confirms_one_path_only,
		a_ticket_that_others_can_change_is_refused,
		a_child_of_another_user_sets_no_path,
		a_target_of_another_user_gets_no_path,
		tickets_of_the_dead_are_removed
	};

	return (text_main(tests, sizeof(tests) / sizeof(tests[0])));
}
