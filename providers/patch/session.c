/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Beginning and ending to patch, and the writing itself.
 *
 * The system calls that are made while code changes are instructions of this
 * object: those of the C library may be what is being replaced.
 */
#include "patch.h"

#include <sys/syscall.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#ifndef ARCH_SHSTK_STATUS
#define ARCH_SHSTK_STATUS	0x5005
#endif
#define SHSTK_ENABLED		1u

static long
call(long number, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	long result;

	__asm__ volatile ("syscall" : "=a" (result) : "a" (number), "D" (a),
	    "S" (b), "d" (c), "r" (r10) : "rcx", "r11", "memory", "cc");
	return (result);
}

/* Are there other threads, or can that not be told? */
static bool
has_threads(void)
{
	DIR *directory = opendir("/proc/self/task");
	struct dirent *entry;
	unsigned n = 0;

	if (directory == NULL)
		return (true);
	while ((entry = readdir(directory)) != NULL)
		n += entry->d_name[0] != '.';
	closedir(directory);
	return (n != 1);
}

static bool
has_shadow_stack(void)
{
	uint64_t status = 0;

	return (call(SYS_arch_prctl, ARCH_SHSTK_STATUS, (long)&status, 0, 0) ==
	    0 && (status & SHSTK_ENABLED) != 0);
}

const char *
patch_begin_loading(struct patch *p)
{
	sigset_t all;
	int flags;

	sigfillset(&all);
	p->memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	if (p->memory == -1)
		return ("/proc/self/mem cannot be written");
	/* Programs may count on low numbers being theirs. */
	flags = fcntl(p->memory, F_DUPFD_CLOEXEC, 100);
	if (flags != -1) {
		close(p->memory);
		p->memory = flags;
	}
	p->shadow = has_shadow_stack();
	sigprocmask(SIG_BLOCK, &all, &p->mask);
	return (NULL);
}

const char *
patch_begin(struct patch *p)
{
	const char *problem = patch_begin_loading(p);

	if (problem != NULL || !has_threads())
		return (problem);
	patch_end(p);
	return ("threads already run");
}

void
patch_end(struct patch *p)
{
	close(p->memory);
	sigprocmask(SIG_SETMASK, &p->mask, NULL);
}

int
patch_write(const struct patch *p, uintptr_t to, const void *bytes,
    size_t size)
{
	long n = call(SYS_pwrite64, p->memory, (long)bytes, (long)size,
	    (long)to);

	if (n == (long)size)
		return (0);
	return (n < 0 ? (int)n : -EIO);
}
