/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Page functions for targets (page.h), also in hosts without the library.
 */
#include <sys/mman.h>

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "page.h"

struct guest_page *
guest_page_get(const char *number)
{
	struct guest_page *page;
	int fd = atoi(number);

	if (strcmp(number, "none") == 0)
		return (NULL);
	page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED,
	    fd, 0);
	if (page == MAP_FAILED)
		_exit(3);
	close(fd);
	return (page);
}

void
guest_next(struct guest_page *page)
{
	uint32_t step = page->done + 1;
	pid_t parent = getppid();

	__atomic_store_n(&page->done, step, __ATOMIC_RELEASE);
	while (__atomic_load_n(&page->told, __ATOMIC_ACQUIRE) <= step) {
		/* A set-user-id program outlives a case that has failed. */
		if (getppid() != parent)
			_exit(7);
		sched_yield();
	}
}
