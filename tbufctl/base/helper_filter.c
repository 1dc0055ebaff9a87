/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The filter of system calls of helper processes, which read hostile files.
 * They read, and write to the descriptors that they have.  Other calls fail
 * with EPERM, so that a call that a library adds is a lack, and not an end.
 */
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helper_process.h"

#if defined(__has_feature)
#define FEATURE(name)	__has_feature(name)
#else
#define FEATURE(name)	0
#endif

/* A sanitizer makes calls of its own, of another list in each version. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    FEATURE(address_sanitizer) || FEATURE(thread_sanitizer) || \
    FEATURE(memory_sanitizer)
#define SANITIZED	1
#else
#define SANITIZED	0
#endif

#if defined(__x86_64__)
#define MACHINE		AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define MACHINE		AUDIT_ARCH_AARCH64
#endif

static const int allowed[] = {
	SYS_read, SYS_pread64, SYS_readv, SYS_write, SYS_writev, SYS_close,
	SYS_lseek, SYS_fcntl, SYS_fstat, SYS_newfstatat, SYS_statx,
	SYS_readlinkat, SYS_faccessat, SYS_getdents64, SYS_munmap, SYS_brk,
	SYS_mremap, SYS_madvise, SYS_process_vm_readv, SYS_rt_sigaction,
	SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_setitimer, SYS_futex,
	SYS_clock_gettime, SYS_getrandom, SYS_getpid, SYS_gettid, SYS_getuid,
	SYS_geteuid, SYS_sched_getaffinity, SYS_sched_yield, SYS_sysinfo,
	SYS_exit, SYS_exit_group, SYS_restart_syscall,
#ifdef SYS_rseq
	SYS_rseq,
#endif
#ifdef SYS_faccessat2
	SYS_faccessat2,
#endif
#ifdef SYS_stat
	SYS_stat, SYS_lstat, SYS_readlink, SYS_access, SYS_alarm,
#endif
};
#define NALLOWED	(sizeof(allowed) / sizeof(allowed[0]))

/* Calls that are allowed without these bits in an argument. */
static const struct {
	int call;
	unsigned argument;
	uint32_t bits;
} limited[] = {
	{ SYS_openat, 2, O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND },
#ifdef SYS_open
	{ SYS_open, 1, O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND },
#endif
	{ SYS_mmap, 2, PROT_EXEC },
	{ SYS_mprotect, 2, PROT_EXEC }
};
#define NLIMITED	(sizeof(limited) / sizeof(limited[0]))

#define LOAD(offset)	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (offset))
#define RETURN(value)	BPF_STMT(BPF_RET | BPF_K, (value))
#define JUMP(test, k, yes, no)						\
	BPF_JUMP(BPF_JMP | (test) | BPF_K, (k), (yes), (no))
#define DATA(field)	offsetof(struct seccomp_data, field)

/* The low word of an argument; both machines are little-endian. */
#define ARGUMENT(n)	(DATA(args) + (n) * sizeof(uint64_t))

static size_t
make(struct sock_filter *to)
{
	struct sock_filter *p = to;
	size_t i;

	*p++ = (struct sock_filter)LOAD(DATA(nr));
	for (i = 0; i < NALLOWED; i++) {
		*p++ = (struct sock_filter)JUMP(BPF_JEQ, (unsigned)allowed[i],
		    0, 1);
		*p++ = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
	}
	for (i = 0; i < NLIMITED; i++) {
		*p++ = (struct sock_filter)JUMP(BPF_JEQ,
		    (unsigned)limited[i].call, 0, 4);
		*p++ = (struct sock_filter)LOAD(ARGUMENT(limited[i].argument));
		*p++ = (struct sock_filter)JUMP(BPF_JSET, limited[i].bits, 1,
		    0);
		*p++ = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
		*p++ = (struct sock_filter)RETURN(SECCOMP_RET_ERRNO | EPERM);
	}
	/* abort(3) and raise(3): signals of this process to itself. */
	*p++ = (struct sock_filter)JUMP(BPF_JEQ, SYS_tgkill, 0, 3);
	*p++ = (struct sock_filter)LOAD(ARGUMENT(0));
	*p++ = (struct sock_filter)JUMP(BPF_JEQ, (unsigned)getpid(), 0, 1);
	*p++ = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
	*p++ = (struct sock_filter)RETURN(SECCOMP_RET_ERRNO | EPERM);
	return ((size_t)(p - to));
}

/* Returns true under valgrind: the filter would see its own calls. */
static bool
is_emulated(void)
{
	const char *preloaded = getenv("LD_PRELOAD");

	return (preloaded != NULL && strstr(preloaded, "vgpreload") != NULL);
}

void
reader_filter(void)
{
	struct sock_filter filter[2 * NALLOWED + 5 * NLIMITED + 9] = {
		LOAD(DATA(arch)), JUMP(BPF_JEQ, MACHINE, 1, 0),
		RETURN(SECCOMP_RET_ERRNO | EPERM)
	};
	struct sock_fprog program = { .filter = filter };

	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (SANITIZED || is_emulated())
		return;
	program.len = (unsigned short)(3 + make(filter + 3));
	(void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}
