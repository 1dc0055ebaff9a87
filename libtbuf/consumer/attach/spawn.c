/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The command of a run.  Its process is made at once, and waits on a socket
 * until tracing has begun.  Its control file is made beforehand, so that the
 * first fire is recorded.
 */
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumer/attach/attach.h"
#include "consumer/run/run.h"
#include "consumer/target/target.h"
#include "consumer/util/util.h"
#include "shared/board.h"
#include "shared/control_file.h"

#define CONTROL_ENTRY	TBUF_CONTROL_ENV "="
#define RUN_ENTRY	TBUF_RUN_ENV "="

/* Sent to the child when it may go: entries of its environment. */
struct word {
	char control[sizeof(CONTROL_ENTRY) + TBUF_NAME_MAX];
	char run[sizeof(RUN_ENTRY) + 16];
};

/* Returns 0 if the file can be executed, else -ENOENT, -EACCES, ... */
static int
check_file(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return (-errno);
	if (!S_ISREG(st.st_mode))
		return (-EACCES);
	return (faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0 ? 0 : -errno);
}

/* Looks where execvp(3) will look, to report a failure beforehand. */
static int
check_command(const char *name)
{
	const char *path = getenv("PATH"), *end;
	char file[4096];
	int error, result = -ENOENT;

	if (*name == '\0')
		return (-ENOENT);
	if (strchr(name, '/') != NULL)
		return (check_file(name));
	for (path = path == NULL ? "/bin:/usr/bin" : path;; path = end + 1) {
		end = strchrnul(path, ':');
		if ((size_t)snprintf(file, sizeof(file), "%.*s%s%s",
		    (int)(end - path), path, end == path ? "" : "/", name) <
		    sizeof(file) && (error = check_file(file)) != -ENOENT &&
		    error != -ENOTDIR)
			result = error;
		if (result == 0 || *end == '\0')
			return (result);
	}
}

/* Returns true if two entries NAME=VALUE have the same name. */
static bool
same_name(const char *a, const char *b)
{
	size_t n = strcspn(a, "=");

	return (strncmp(a, b, n) == 0 && b[n] == '=');
}

static size_t
count(const char *const *list)
{
	size_t n = 0;

	while (list != NULL && list[n] != NULL)
		n++;
	return (n);
}

/*
 * Makes the command's environment: ours with `add`.  The entries of `word` come
 * first and are filled in by the child.
 */
static const char **
make_environment(const char *const *add, const struct word *word)
{
	size_t n = 0, m = count(add), i, j;
	const char **list;

	list = calloc(count((const char *const *)environ) + m + 3,
	    sizeof(*list));
	if (list == NULL)
		return (NULL);
	list[n++] = word->control;
	list[n++] = word->run;
	for (i = 0; i < m; i++)
		list[n++] = add[i];
	for (i = 0; environ[i] != NULL; i++) {
		for (j = 0; j < m + 2 && !same_name(list[j], environ[i]); j++)
			continue;
		if (j == m + 2)
			list[n++] = environ[i];
	}
	return (list);
}

static ssize_t
read_all(int fd, void *to, size_t size)
{
	size_t n = 0;
	ssize_t r;

	while (n < size) {
		r = read(fd, (char *)to + n, size - n);
		if (r == -1 && errno == EINTR)
			continue;
		if (r <= 0)
			break;
		n += (size_t)r;
	}
	return ((ssize_t)n);
}

/* Runs in the child: waits for `word`, then executes the command. */
static void
become(char *const argv[], const char **envp, struct word *word, int go,
    int failure)
{
	int error;

	if (read_all(go, word, sizeof(*word)) != sizeof(*word))
		_exit(127);
	execvpe(argv[0], argv, (char *const *)(uintptr_t)envp);
	error = errno;
	(void)!write(failure, &error, sizeof(error));
	_exit(127);
}

static int
start(struct tbuf_consumer *c, char *const argv[], const char *const *add)
{
	struct word word = { CONTROL_ENTRY, RUN_ENTRY };
	const char **envp = make_environment(add, &word);
	int go[2], failure[2];
	uint64_t tick;
	pid_t pid;

	if (envp == NULL)
		return (-ENOMEM);
	/* A socket: a pipe of a killed command would raise SIGPIPE. */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, go) != 0) {
		free(envp);
		return (-errno);
	}
	if (pipe2(failure, O_CLOEXEC) != 0) {
		free(envp);
		close(go[0]);
		close(go[1]);
		return (-EMFILE);
	}
	tick = tbuf_start_tick(TBUF_TICK_BEFORE);
	if ((pid = fork()) == 0) {
		close(go[1]);
		become(argv, envp, &word, go[0], failure[1]);
	}
	c->spawned.ticks = pid > 0 &&
	    tbuf_start_tick(TBUF_TICK_AFTER) == tick &&
	    tbuf_start_time(pid) == tick;
	free(envp);
	close(go[0]);
	close(failure[1]);
	if (pid == -1) {
		close(go[1]);
		close(failure[0]);
		return (-EAGAIN);
	}
	c->spawned.go = go[1];
	c->spawned.failure = failure[0];
	c->spawned.pid = pid;
	return (0);
}

/* Makes the control file that waits for the command, and its target. */
static int
make_target(struct tbuf_consumer *c, struct tbuf_target *t)
{
	struct tbuf_control_file file;
	int error;

	error = !tbuf_budget_file(tbuf_tables_least()) ? -ENOSPC :
	    tbuf_control_make(c->directory, c->spawned.pid, &file);
	if (error != 0)
		return (error);
	t->fd = file.fd;
	t->view.base = (unsigned char *)file.control;
	t->view.tables = file.control->tables;
	t->view.size = t->view.tables.areas;
	t->child = t->named_by_user = true;
	tbuf_copy(t->name, file.name, sizeof(t->name));
	t->pidfd = (int)syscall(SYS_pidfd_open, c->spawned.pid, 0);
	return (t->pidfd == -1 ? -errno : 0);
}

/*
 * Adds the command's target.  On failure the command is abandoned first, so
 * that the file is removed with its target.
 */
static int
add_target(struct tbuf_consumer *c)
{
	struct tbuf_target *t = tbuf_target_new(c, c->spawned.pid);
	int error = t == NULL ? -ENOMEM : make_target(c, t);

	if (error == 0)
		return (0);
	tbuf_spawn_abandon(c);
	if (t != NULL)
		tbuf_target_free(c, t);
	return (error);
}

static int
failed(struct tbuf_consumer *c, const char *command, int error)
{
	return (tbuf_consumer_fail(c, error, "failed to execute %s: %s",
	    command, strerror(-error)));
}

pid_t
tbuf_consumer_spawn(struct tbuf_consumer *c, char *const argv[],
    const char *const *envp_add)
{
	int error;

	if (c->state != TBUF_RUN_NEW || c->spawned.pid != 0)
		return (failed(c, argv[0], -EBUSY));
	if ((error = check_command(argv[0])) != 0)
		return (failed(c, argv[0], error));
	if (!tbuf_proc_is_ours())
		return (tbuf_consumer_fail(c, -ENXIO,
		    "could not enable tracing: " TBUF_NO_PROC));
	if ((error = tbuf_consumer_directory(c, true)) < 0)
		return (tbuf_consumer_fail_directory(c, error,
		    "could not enable tracing"));
	free(c->spawned.command);
	if ((c->spawned.command = strdup(argv[0])) == NULL)
		return (failed(c, argv[0], -ENOMEM));
	if ((error = start(c, argv, envp_add)) != 0)
		return (failed(c, argv[0], error));
	if ((error = add_target(c)) != 0)
		return (tbuf_consumer_refuse(c, error));
	return (c->spawned.pid);
}

static struct tbuf_target *
child_of(struct tbuf_consumer *c)
{
	struct tbuf_target *t;

	TAILQ_FOREACH(t, &c->targets, link)
		if (t->child)
			return (t);
	return (NULL);
}

static void
close_pipe(int *fd)
{
	if (*fd != -1)
		close(*fd);
	*fd = -1;
}

/* Waits for a child that has ended, or is about to end. */
static void
wait_child(struct tbuf_consumer *c)
{
	while (waitpid(c->spawned.pid, NULL, 0) == -1 && errno == EINTR)
		continue;
	c->spawned.pid = 0;
}

int
tbuf_spawn_go(struct tbuf_consumer *c)
{
	struct word word;
	const struct tbuf_target *t = child_of(c);
	int error = 0;

	if (c->spawned.go == -1 || t == NULL)
		return (0);
	memset(&word, 0, sizeof(word));
	snprintf(word.control, sizeof(word.control), "%s%s", CONTROL_ENTRY,
	    t->name);
	snprintf(word.run, sizeof(word.run), "%s%016jx", RUN_ENTRY,
	    (uintmax_t)c->run);
	if (send(c->spawned.go, &word, sizeof(word), MSG_NOSIGNAL) !=
	    sizeof(word))
		error = -errno;
	close_pipe(&c->spawned.go);
	/* exec closes the pipe; if exec fails, its errno is in it. */
	if (error == 0 && read_all(c->spawned.failure, &error,
	    sizeof(error)) == sizeof(error))
		error = -error;
	close_pipe(&c->spawned.failure);
	if (error == 0)
		return (0);
	wait_child(c);
	return (failed(c, c->spawned.command, error));
}

/*
 * Lets the command go.  If it cannot be a target, it publishes why in an entry
 * of the board that asks for nothing else; without a board the reason stays
 * unknown.
 */
static int
go_and_ask(struct tbuf_consumer *c)
{
	int error;

	c->run = tbuf_random() | 1;
	(void)tbuf_board_post(c);
	if ((error = tbuf_spawn_go(c)) != 0)
		tbuf_board_withdraw(c);
	return (error);
}

int
tbuf_consumer_run(struct tbuf_consumer *c)
{
	struct tbuf_target *t = child_of(c);
	struct pollfd p[2] = { { .fd = c->stop, .events = POLLIN } };
	int error;

	if (c->state != TBUF_RUN_NEW || c->spawned.go == -1 || t == NULL)
		return (tbuf_consumer_fail(c, -EINVAL,
		    "no command is waiting"));
	if ((error = go_and_ask(c)) != 0)
		return (error);
	p[1] = (struct pollfd){ .fd = t->pidfd, .events = POLLIN };
	while (poll(p, 2, -1) == -1)
		if (errno != EINTR)
			return (failed(c, c->spawned.command, -errno));
	if (p[1].revents == 0)
		return (failed(c, c->spawned.command, -EINTR));
	tbuf_target_ended(t);
	tbuf_board_withdraw(c);
	c->run = 0;
	return (0);
}

bool
tbuf_spawn_ended(struct tbuf_consumer *c, struct tbuf_event *event)
{
	siginfo_t info = { .si_pid = 0 };

	if (c->spawned.pid == 0 || c->spawned.go != -1 || c->spawned.reaped ||
	    waitid(P_PID, (id_t)c->spawned.pid, &info, WEXITED | WNOHANG) !=
	    0 || info.si_pid == 0)
		return (false);
	c->spawned.reaped = true;
	event->type = TBUF_EVENT_EXIT;
	event->pid = c->spawned.pid;
	event->cpu = -1;
	event->child = true;
	event->status = info.si_code == CLD_EXITED ? info.si_status : -1;
	event->signal = info.si_code == CLD_EXITED ? 0 : info.si_status;
	return (true);
}

/* Ends a command that was not let go: it exits when its socket is closed. */
void
tbuf_spawn_abandon(struct tbuf_consumer *c)
{
	bool waiting = c->spawned.go != -1 && c->spawned.pid != 0;
	struct tbuf_event event;

	(void)tbuf_spawn_ended(c, &event);
	close_pipe(&c->spawned.go);
	if (waiting)
		wait_child(c);
	close_pipe(&c->spawned.failure);
	free(c->spawned.command);
	c->spawned.command = NULL;
}
