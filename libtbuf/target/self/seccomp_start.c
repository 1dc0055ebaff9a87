/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Filters of system calls that this process began under.  What one that comes
 * later forbids cannot be known: a consumer compares how many there are.
 */
#include "base/optimize_size.h"

#include <sys/prctl.h>

#include <fcntl.h>
#include <unistd.h>

#include "base/seccomp.h"
#include "target/self/self.h"

/* 0 where that is not told: then whatever there is counts as come later. */
static uint32_t
count(void)
{
	/* A handler may fork on a small stack; one thread at a time is here. */
	static char text[4096];
	int fd = open("/proc/thread-self/status", O_RDONLY | O_CLOEXEC);
	uint32_t filters;
	ssize_t n;

	if (fd == -1)
		return (0);
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	filters = tbuf_filters(text);
	return (filters == TBUF_FILTERS_UNKNOWN ? 0 : filters);
}

void
tbuf_filtered_look(void)
{
	tbuf_self.filtered = prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != 0;
	tbuf_self.filters = tbuf_self.filtered ? count() : 0;
	tbuf_self.peek = tbuf_peek_way(tbuf_self.filtered);
}
