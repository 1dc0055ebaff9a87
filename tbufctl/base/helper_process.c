/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Functions of and for helper processes, which read files of programs.
 */
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <linux/capability.h>

#include <errno.h>
#include <grp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "helper_process.h"
#include "open_regular.h"
#include "signals.h"

#define MEMORY		(UINT64_C(4) << 30)
#define NOBODY		65534u		/* a user without files */

pid_t
reader_start(int *fd)
{
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == -1)
		return (-1);
	pid = fork();
	(void)close(ends[pid != 0]);
	*fd = ends[pid == 0];
	if (pid == -1)
		(void)close(*fd);
	return (pid);
}

int
reader_wait(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) == -1 && errno == EINTR)
		continue;
	return (status);
}

static void
limit(int which, uint64_t most)
{
	struct rlimit limit = { most, most };

	(void)setrlimit(which, &limit);
}

void
reader_confine(unsigned seconds)
{
	static const int deadly[] = { SIGBUS, SIGSEGV, SIGPIPE, SIGALRM };
	static const int others[] = {
		SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2
	};
	sigset_t set;
	size_t i;

	regular_only();
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)sigemptyset(&set);
	for (i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++) {
		(void)signal(deadly[i], SIG_DFL);
		(void)sigaddset(&set, deadly[i]);
	}
	/* They may be blocked in tbufctl, and the mask is inherited. */
	(void)sigprocmask(SIG_UNBLOCK, &set, NULL);
	/* tbufctl handles these, and then ends its helper processes. */
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		(void)signal(others[i], SIG_IGN);
	limit(RLIMIT_CORE, 0);
	if (seconds != 0)
		limit(RLIMIT_CPU, seconds);
	/* Sanitizers need more memory than this limit. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	limit(RLIMIT_DATA, MEMORY);
#endif
	reader_filter();
}

/*
 * Leaves a helper process only those of its capabilities that let it read each
 * file, and each process's files in /proc.
 */
static void
keep_reading(void)
{
	static const unsigned reads[] = { CAP_DAC_READ_SEARCH, CAP_SYS_PTRACE };
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
	uint32_t bits = 0;
	size_t i;

	memset(data, 0, sizeof(data));
	if (syscall(SYS_capget, &header, data) != 0)
		_exit(1);
	for (i = 0; i < sizeof(reads) / sizeof(reads[0]); i++)
		bits |= CAP_TO_MASK(reads[i]);
	bits &= data[0].permitted;
	memset(data, 0, sizeof(data));
	data[0].permitted = data[0].effective = bits;
	if (syscall(SYS_capset, &header, data) != 0)
		_exit(1);
}

/* In a user namespace there may be no such user, nor setgroups(2). */
void
reader_lower(void)
{
	if (geteuid() != 0)
		return;
	(void)prctl(PR_SET_KEEPCAPS, 1);
	(void)setgroups(0, NULL);
	if (setresgid(NOBODY, NOBODY, NOBODY) == 0)
		(void)setresuid(NOBODY, NOBODY, NOBODY);
	keep_reading();
}

/* Makes a helper process of root one of a user; for root itself lowers it. */
static void
become(const struct stat *st)
{
	if (geteuid() != 0)
		return;
	if (st->st_uid == 0)
		reader_lower();
	else if (setgroups(0, NULL) != 0 ||
	    setresgid(st->st_gid, st->st_gid, st->st_gid) != 0 ||
	    setresuid(st->st_uid, st->st_uid, st->st_uid) != 0)
		_exit(1);
}

/* Root owns the files in /proc of a process that is not dumpable. */
void
reader_become(pid_t pid)
{
	struct stat st = { .st_uid = 0 };
	char path[32];

	(void)snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	if (stat(path, &st) != 0)
		st.st_uid = 0;
	become(&st);
}

void
reader_become_owner(int fd)
{
	struct stat st = { .st_uid = 0 };

	if (fstat(fd, &st) != 0)
		st.st_uid = 0;
	become(&st);
}

/* Inherited pipes are closed: their readers would wait for this process. */
int
reader_alone(int fd)
{
	if (fd != STDERR_FILENO + 1)
		(void)dup2(fd, STDERR_FILENO + 1);
	closefrom(STDERR_FILENO + 2);
	return (STDERR_FILENO + 1);
}

bool
reader_write(int fd, const void *bytes, size_t size)
{
	const char *from = bytes;
	ssize_t n;

	while (size > 0) {
		n = write(fd, from, size);
		if (n == -1 && errno == EINTR && !signals_late())
			continue;
		if (n <= 0)
			return (false);
		from += n;
		size -= (size_t)n;
	}
	return (true);
}

bool
reader_read(int fd, void *bytes, size_t size)
{
	char *to = bytes;
	ssize_t n;

	while (size > 0) {
		n = read(fd, to, size);
		if (n == -1 && errno == EINTR && !signals_late())
			continue;
		if (n <= 0)
			return (false);
		to += n;
		size -= (size_t)n;
	}
	return (true);
}

const char *
reader_why(int status)
{
	static char text[64];
	char room[16];

	if (!WIFSIGNALED(status))
		return ("it is not a program, or is damaged");
	(void)snprintf(text, sizeof(text),
	    "the helper process was terminated by %s",
	    signal_name(WTERMSIG(status), room, sizeof(room)));
	return (text);
}
