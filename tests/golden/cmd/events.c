/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Exits with 0 if perf events are available, else prints the reason and exits
 * with 1.  With arguments, EACCES | EPERM | ENOSYS COMMAND ..., it runs a
 * command for which perf_event_open(2) fails with that error.
 */
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <err.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int
look(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK, .sample_period = 1000000,
		.exclude_kernel = 1, .exclude_hv = 1
	};

	if (syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0) != -1)
		return (0);
	puts(strerror(errno));
	return (1);
}

static void
forbid(unsigned error)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		    offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
	};
	struct sock_fprog program = {
		.len = sizeof(filter) / sizeof(filter[0]), .filter = filter
	};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == -1)
		err(99, "seccomp");
}

int
main(int argc, char **argv)
{
	if (argc < 3)
		return (look());
	forbid(strcmp(argv[1], "EACCES") == 0 ? EACCES :
	    strcmp(argv[1], "EPERM") == 0 ? EPERM : ENOSYS);
	execvp(argv[2], argv + 2);
	err(99, "%s", argv[2]);
}
