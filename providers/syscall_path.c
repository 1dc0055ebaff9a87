/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Paths of calls that have come back: a call may have taken long, and another
 * thread have unmapped the memory that its path was in.  process_vm_readv(2) of
 * the process itself does not fault.  The call is an instruction of this file,
 * which has no stub, so that it does not fire.
 *
 * Where a filter of system calls might kill the process for it, the path is
 * read as plain memory.
 */
#include "syscall.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include <errno.h>

#define PAGE	4096u

static bool filtered;

void
syscall_path_begin(void)
{
	filtered = prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != 0;
}

/* Before the call, as it may filter other threads, too. */
void
syscall_path_look(const struct syscall_frame *f, uint64_t number)
{
	if ((number == SYS_prctl && f->rdi == PR_SET_SECCOMP) ||
	    (number == SYS_seccomp && f->rdi == SECCOMP_SET_MODE_FILTER))
		__atomic_store_n(&filtered, true, __ATOMIC_RELAXED);
}

static long
call(long number, long a, const void *b, long c, const void *d, long e)
{
	register const void *r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = 0;
	long result;

	__asm__ volatile ("syscall" : "=a" (result) : "a" (number), "D" (a),
	    "S" (b), "d" (c), "r" (r10), "r" (r8), "r" (r9) :
	    "rcx", "r11", "memory", "cc");
	return (result);
}

/* No further than to the end of a page: the next one may not be there. */
static long
read_some(uint64_t from, char *to, size_t room)
{
	size_t size = PAGE - from % PAGE < room ? PAGE - from % PAGE : room;
	const struct iovec here = { to, size };
	const struct iovec there = { (void *)(uintptr_t)from, size };

	return (call(SYS_process_vm_readv, call(SYS_getpid, 0, NULL, 0, NULL,
	    0), &here, 1, &there, 1));
}

/* The C library's would use vector registers. */
static bool
has_end(const volatile char *text, long size)
{
	while (size > 0 && *text != '\0') {
		size--;
		text++;
	}
	return (size > 0);
}

bool
syscall_path_read(uint64_t path, char *text, size_t room, uint64_t *value)
{
	size_t size = 0;
	long n;

	*value = path;
	if (path == 0 || __atomic_load_n(&filtered, __ATOMIC_RELAXED))
		return (true);
	while (size < room) {
		n = read_some(path + size, text + size, room - size);
		/* The kernel may be without it. */
		if (n <= 0) {
			*value = n == -ENOSYS || n == -EPERM ? path : 0;
			return (true);
		}
		*value = (uintptr_t)text;
		if (has_end(text + size, n))
			return (true);
		size += (size_t)n;
	}
	text[room - 1] = '\0';
	return (false);
}
