/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * under_seccomp COMMAND [ARGUMENT ...]: executes the command under a filter of
 * system calls that kills a process which calls process_vm_readv(2) or
 * process_vm_writev(2).  The status is 77 if there is no such filter here.
 */
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <err.h>
#include <stddef.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		    offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 0,
		    1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
	};
	struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	if (argc < 2)
		errx(2, "usage: under_seccomp command [argument ...]");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		return (77);
	execvp(argv[1], argv + 1);
	err(127, "%s", argv[1]);
}
