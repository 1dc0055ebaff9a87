/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Paths of calls that have returned: a call may have taken long, and another
 * thread may have unmapped the memory of its path.
 *
 * Where a filter of system calls that has been set since might kill the process
 * for the read, the path is read as plain memory.
 */
#include "syscall.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <errno.h>

#include "base/peek.h"

static int way;		/* enum tbuf_peek */

void
syscall_path_begin(void)
{
	way = tbuf_peek_way(prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != 0);
}

/* Called before the call, as it may set a filter for other threads, too. */
void
syscall_path_look(const struct syscall_frame *f, uint64_t number)
{
	if ((number == SYS_prctl && f->args[0] == PR_SET_SECCOMP) ||
	    (number == SYS_seccomp && f->args[0] == SECCOMP_SET_MODE_FILTER))
		__atomic_store_n(&way, TBUF_PEEK_NOT, __ATOMIC_RELAXED);
}

bool
syscall_path_read(uint64_t path, int error, char *text, size_t room,
    uint64_t *value)
{
	enum tbuf_peek how = (enum tbuf_peek)__atomic_load_n(&way,
	    __ATOMIC_RELAXED);
	size_t size = 0;
	long n;

	/* A call that failed may not have read the path. */
	*value = error == 0 ? path : 0;
	if (path == 0 || error == EFAULT || how == TBUF_PEEK_NOT)
		return (true);
	while (size < room) {
		n = peek(how, path + size, text + size, room - size);
		/* The kernel may lack the call. */
		if (n <= 0) {
			*value = error == 0 && (n == -ENOSYS || n == -EPERM) ?
			    path : 0;
			return (true);
		}
		*value = (uintptr_t)text;
		if (peek_length(text + size, (size_t)n) < (size_t)n)
			return (true);
		size += (size_t)n;
	}
	text[room - 1] = '\0';
	return (false);
}
