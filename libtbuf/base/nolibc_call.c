/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * System calls by an instruction of the target side's own (nolibc.h), where the
 * C library would make them: they set the program's errno, and callers save it.
 * None is a cancellation point.  Tests define some of these functions
 * themselves; therefore they are weak.
 */
#include "base/optimize_size.h"

#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "arch/syscall.h"
#include "base/libc_facts.h"

#define TEXT(number)	TEXT_OF(number)
#define TEXT_OF(number)	#number
#define WEAK		__attribute__((weak))
#define HIDDEN		__attribute__((visibility("hidden")))

int	*tbuf_own_errno(void);
long	tbuf_own_result(long) HIDDEN;
long	tbuf_own_syscall(long, long, long, long, long, long, long);
int	tbuf_own_stat(const char *, struct stat *);
unsigned long tbuf_own_getauxval(unsigned long);
char	*tbuf_own_getenv(const char *);
char	*tbuf_own_secure_getenv(const char *);
int	tbuf_own_clock_gettime(clockid_t, struct timespec *);
int	tbuf_own_sched_getcpu(void);

/*
 * CALL begins a function with a system call's own arguments, CALL_AT one whose
 * system call has AT_FDCWD before them; the rest is the same for all.  All
 * arguments are in registers, also those of functions that have a variable
 * number of them.
 */
#define BEGIN(name)							\
    ".weak tbuf_own_" #name "\n"					\
    ".type tbuf_own_" #name ", " FUNCTION "\n"			\
    "tbuf_own_" #name ":\n\t" LANDING
#define END(name)							\
    "\n\t.size tbuf_own_" #name ", . - tbuf_own_" #name "\n"
#define CALL(name, number)	BEGIN(name) CALL_NUMBER(number) END(name)
#define CALL_AT(name, number)						\
    BEGIN(name) SHIFT CALL_NUMBER(number) END(name)

#if defined(__x86_64__)
#ifdef __CET__
#define LANDING	"endbr64\n\t"
#else
#define LANDING
#endif
#define FUNCTION	"@function"
#define SHIFT								\
    "movq %rdx, %rcx\n\tmovq %rsi, %rdx\n\tmovq %rdi, %rsi\n\t"		\
    "movl $-100, %edi\n\t"
#define CALL_NUMBER(number)						\
    "movl $" TEXT(number) ", %eax\n\tjmp .Lcall"
#define REST								\
    ".Lcall: movq %rcx, %r10\n\tsyscall\n\tmovq %rax, %rdi\n\t"		\
    "cmpq $-4096, %rax\n\tja tbuf_own_result\n\tret\n\t"
#elif defined(__aarch64__)
#define LANDING	"hint #34\n\t" /* bti c */
#define FUNCTION	"%function"
#define SHIFT								\
    "mov x3, x2\n\tmov x2, x1\n\tmov x1, x0\n\tmov x0, #-100\n\t"
#define CALL_NUMBER(number)						\
    "mov x8, #" TEXT(number) "\n\tb .Lcall"
#define REST								\
    ".Lcall: svc #0\n\tcmn x0, #4095\n\tb.cs tbuf_own_result\n\tret\n\t"
#endif

__asm__(".text\n\t.cfi_startproc\n"
    CALL_AT(access, SYS_faccessat)
    CALL(close, SYS_close)
    CALL(fallocate, SYS_fallocate)
    CALL(fcntl, SYS_fcntl)
    CALL(flock, SYS_flock)
    CALL(fstat, SYS_fstat)
    CALL(fstatfs, SYS_fstatfs)
    CALL(ftruncate, SYS_ftruncate)
    CALL(geteuid, SYS_geteuid)
    CALL(getpid, SYS_getpid)
    CALL(getrandom, SYS_getrandom)
    CALL(getrlimit, SYS_getrlimit)
    CALL(gettid, SYS_gettid)
    CALL(kill, SYS_kill)
    CALL(linkat, SYS_linkat)
    CALL(lseek, SYS_lseek)
    CALL(madvise, SYS_madvise)
    CALL(memfd_create, SYS_memfd_create)
    CALL_AT(mkdir, SYS_mkdirat)
    CALL(mmap, SYS_mmap)
    CALL(munmap, SYS_munmap)
    CALL(nanosleep, SYS_nanosleep)
    CALL_AT(open, SYS_openat)
    CALL(openat, SYS_openat)
    CALL(prctl, SYS_prctl)
    CALL(pread, SYS_pread64)
    CALL(process_vm_writev, SYS_process_vm_writev)
    CALL(pwrite, SYS_pwrite64)
    CALL(read, SYS_read)
    CALL_AT(readlink, SYS_readlinkat)
    CALL(sched_yield, SYS_sched_yield)
    CALL(sigaltstack, SYS_sigaltstack)
    CALL(unlinkat, SYS_unlinkat)
    CALL(write, SYS_write)
    REST ".cfi_endproc");

int *
tbuf_own_errno(void)
{
	return ((int *)((uintptr_t)__builtin_thread_pointer() +
	    (uintptr_t)tbuf_libc_facts()->errno_at));
}

/* Returns the result of a system call as the C library does. */
long
tbuf_own_result(long result)
{
	if ((unsigned long)result <= -4096UL)
		return (result);
	*tbuf_own_errno() = (int)-result;
	return (-1);
}

WEAK long
tbuf_own_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	return (tbuf_own_result(raw_call_six(number, a, b, c, d, e, f)));
}

WEAK int
tbuf_own_stat(const char *path, struct stat *st)
{
	return ((int)tbuf_own_result(raw_call(SYS_newfstatat, AT_FDCWD,
	    (long)path, (long)st, 0, 0)));
}

WEAK int
tbuf_own_sched_getcpu(void)
{
	unsigned cpu = 0;

	return (raw_call(SYS_getcpu, (long)&cpu, 0, 0, 0, 0) == 0 ?
	    (int)cpu : -1);
}

/*
 * The vDSO reads most clocks without a system call.  No object of a program
 * has its functions, so they have no probes.
 */
WEAK int
tbuf_own_clock_gettime(clockid_t clock, struct timespec *time)
{
	tbuf_clock_function *function = tbuf_libc_facts()->clock_gettime;

	if (function != NULL && function(clock, time) == 0)
		return (0);
	return ((int)tbuf_own_result(raw_call(SYS_clock_gettime, clock,
	    (long)time, 0, 0, 0)));
}

/* Returns 0 for a type that is not among those of tbuf_auxiliary. */
unsigned long
tbuf_own_getauxval(unsigned long type)
{
	const struct tbuf_libc_facts *facts = tbuf_libc_facts();
	unsigned i;

	for (i = 0; i < TBUF_AUXILIARY; i++)
		if (tbuf_auxiliary[i] == type)
			return (facts->auxiliary[i]);
	return (0);
}

char *
tbuf_own_getenv(const char *name)
{
	char **at;
	size_t n;

	for (at = environ; at != NULL && *at != NULL; at++) {
		for (n = 0; name[n] != '\0' && (*at)[n] == name[n]; n++)
			;
		if (name[n] == '\0' && (*at)[n] == '=')
			return (*at + n + 1);
	}
	return (NULL);
}

char *
tbuf_own_secure_getenv(const char *name)
{
	return (tbuf_own_getauxval(AT_SECURE) != 0 ? NULL :
	    tbuf_own_getenv(name));
}
