/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The exit status of a process, as far as it is known.  A program has it of
 * its own children.  For other processes the kernel has it in the /proc files
 * of a zombie, for readers with ptrace permission, and newer kernels keep it
 * for the holder of a pidfd.
 */
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <linux/wait.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "consumer/target/target.h"
#include "shared/control_file.h"

/*
 * ioctl(2) of a pidfd, since Linux 6.13.  The exit status of a process that its
 * parent has waited for is in it since 6.15.
 */
struct info {
	uint64_t mask;
	uint64_t cgroup;
	uint32_t ids[11];
	int32_t exit_code;
};
#define GET_INFO	_IOWR(0xff, 11, struct info)
#define INFO_EXIT	(UINT64_C(1) << 3)

/*
 * Reads the status of a child of this program.  The command is reaped when its
 * end is returned (tbuf_spawn_ended()).
 */
static bool
waited(struct tbuf_target *t)
{
	siginfo_t info = { .si_pid = 0 };

	if (waitid((idtype_t)P_PIDFD, (id_t)t->pidfd, &info, WEXITED |
	    WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
		return (false);
	if (info.si_code == CLD_EXITED)
		t->exit_status = info.si_status;
	else
		t->exit_signal = info.si_status;
	return (true);
}

static bool
recorded(int pidfd, int *code)
{
	struct info info = { .mask = INFO_EXIT };

	if (ioctl(pidfd, GET_INFO, &info) != 0 ||
	    (info.mask & INFO_EXIT) == 0)
		return (false);
	*code = info.exit_code;
	return (true);
}

/* Without ptrace permission /proc/PID/stat shows an exit status of 0. */
static bool
permitted(pid_t pid)
{
	char path[64], text[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/user", (int)pid);
	return (readlink(path, text, sizeof(text)) != -1);
}

/* Reads a zombie's status.  Its pid is not reused while the pidfd's exists. */
static bool
zombie(pid_t pid, int pidfd, int *code)
{
	*code = (int)tbuf_stat_field(pid, TBUF_STAT_END);
	return ((*code != 0 || permitted(pid)) &&
	    (syscall(SYS_pidfd_send_signal, pidfd, 0, NULL, 0) == 0 ||
	    errno == EPERM));
}

void
tbuf_target_ended(struct tbuf_target *t)
{
	int code;

	tbuf_target_die(t);
	if (t->pidfd == -1 || waited(t))
		return;
	/* The parent may reap it at any time; newer kernels keep the status. */
	if (!recorded(t->pidfd, &code) && !zombie(t->pid, t->pidfd, &code) &&
	    !recorded(t->pidfd, &code))
		return;
	if (WIFSIGNALED(code))
		t->exit_signal = WTERMSIG(code);
	else
		t->exit_status = WEXITSTATUS(code);
}
