/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The seccomp filters that this process started under.  A later filter's rules
 * cannot be known: a consumer compares the number of filters.
 */
#include "base/optimize_size.h"

#include <sys/prctl.h>

#include <fcntl.h>
#include <unistd.h>

#include "base/seccomp.h"
#include "target/self/self.h"

/*
 * Returns the number, 0 if it is not known: then all filters count as later
 * ones.
 */
static uint32_t
count(void)
{
	/*
	 * Static: a handler may fork on a small stack.  One thread at a time
	 * runs this.
	 */
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
