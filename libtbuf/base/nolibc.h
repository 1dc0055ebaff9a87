/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Names for functions of the C library, of which the target side has its own:
 *
 *	nolibc.c	copies memory, as compilers do even if they may use
 *			general registers only: the C library's functions
 *			change vector registers, which are not saved where
 *			redirected code fires
 *	nolibc_text.c	strings and numbers
 *	nolibc_call.c	system calls, the environment, errno
 *
 * A function of the C library may have a probe of its own, and a fire that
 * called it would fire again.  tests/policy/foreign_calls.sh walks all calls of
 * a fire.  Included before each file of the target side.
 */
#ifndef TBUF_BASE_NOLIBC_H
#define TBUF_BASE_NOLIBC_H

__asm__ (
    "memcpy = tbuf_plain_copy\n\t"
    "memmove = tbuf_plain_move\n\t"
    "memset = tbuf_plain_set\n\t"
    "memchr = tbuf_own_memchr\n\t"
    "memcmp = tbuf_own_memcmp\n\t"
    "bcmp = tbuf_own_memcmp\n\t"
    "strchr = tbuf_own_strchr\n\t"
    "strcmp = tbuf_own_strcmp\n\t"
    "strcpy = tbuf_own_strcpy\n\t"
    "strcspn = tbuf_own_strcspn\n\t"
    "strlen = tbuf_own_strlen\n\t"
    "strncmp = tbuf_own_strncmp\n\t"
    "strnlen = tbuf_own_strnlen\n\t"
    "strrchr = tbuf_own_strrchr\n\t"
    "strspn = tbuf_own_strspn\n\t"
    "strstr = tbuf_own_strstr\n\t"
    "strtol = tbuf_own_strtol\n\t"
    "strtoull = tbuf_own_strtoull\n\t"
    "__isoc23_strtol = tbuf_own_strtol\n\t"
    "__isoc23_strtoull = tbuf_own_strtoull\n\t"
    "access = tbuf_own_access\n\t"
    "clock_gettime = tbuf_own_clock_gettime\n\t"
    "close = tbuf_own_close\n\t"
    "fallocate = tbuf_own_fallocate\n\t"
    "fcntl = tbuf_own_fcntl\n\t"
    "flock = tbuf_own_flock\n\t"
    "fstat = tbuf_own_fstat\n\t"
    "fstatfs = tbuf_own_fstatfs\n\t"
    "ftruncate = tbuf_own_ftruncate\n\t"
    "geteuid = tbuf_own_geteuid\n\t"
    "getpid = tbuf_own_getpid\n\t"
    "getrandom = tbuf_own_getrandom\n\t"
    "getrlimit = tbuf_own_getrlimit\n\t"
    "gettid = tbuf_own_gettid\n\t"
    "kill = tbuf_own_kill\n\t"
    "linkat = tbuf_own_linkat\n\t"
    "lseek = tbuf_own_lseek\n\t"
    "madvise = tbuf_own_madvise\n\t"
    "memfd_create = tbuf_own_memfd_create\n\t"
    "mkdir = tbuf_own_mkdir\n\t"
    "mmap = tbuf_own_mmap\n\t"
    "munmap = tbuf_own_munmap\n\t"
    "nanosleep = tbuf_own_nanosleep\n\t"
    "open = tbuf_own_open\n\t"
    "openat = tbuf_own_openat\n\t"
    "prctl = tbuf_own_prctl\n\t"
    "pread = tbuf_own_pread\n\t"
    "process_vm_writev = tbuf_own_process_vm_writev\n\t"
    "pwrite = tbuf_own_pwrite\n\t"
    "read = tbuf_own_read\n\t"
    "readlink = tbuf_own_readlink\n\t"
    "sched_getcpu = tbuf_own_sched_getcpu\n\t"
    "sched_yield = tbuf_own_sched_yield\n\t"
    "sigaltstack = tbuf_own_sigaltstack\n\t"
    "stat = tbuf_own_stat\n\t"
    "syscall = tbuf_own_syscall\n\t"
    "unlinkat = tbuf_own_unlinkat\n\t"
    "write = tbuf_own_write\n\t"
    "getauxval = tbuf_own_getauxval\n\t"
    "getenv = tbuf_own_getenv\n\t"
    "secure_getenv = tbuf_own_secure_getenv\n\t"
    "__errno_location = tbuf_own_errno");

#endif
