/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * How much address space a target reserves for its control file.  A consumer
 * asks for its command, which will have the same environment and limits.
 */
#include "cold.h"

#include <sys/resource.h>

#include <stdlib.h>
#include <string.h>

#include "common/control.h"

#define PAGE		4096u
#define WINDOW_DEFAULT	(UINT64_C(16) << 30)
#define MEMLOCK_LOW	(UINT64_C(8) << 20)

/* $TBUF_WINDOW, or the default if that is no size. */
static uint64_t
wanted(void)
{
	static const char units[] = "kmgt";
	const char *set = secure_getenv("TBUF_WINDOW"), *unit;
	unsigned shift = 0;
	uint64_t size;
	char *end;

	if (set == NULL || *set < '0' || *set > '9')
		return (WINDOW_DEFAULT);
	size = strtoull(set, &end, 0);
	if (*end != '\0') {
		unit = strchr(units, *end | 0x20);
		if (unit == NULL || end[1] != '\0')
			return (WINDOW_DEFAULT);
		shift = 10 * (unsigned)(unit - units + 1);
	}
	if (size == 0 || size > UINT64_MAX >> shift)
		return (WINDOW_DEFAULT);
	return (size << shift);
}

uint64_t
tbuf_window_size(void)
{
	uint64_t size = wanted();
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) == 0 &&
	    limit.rlim_cur != RLIM_INFINITY && size > limit.rlim_cur / 4)
		size = limit.rlim_cur / 4;
	/* mlockall(2) counts the window, mapped or not. */
	if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 &&
	    limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur > MEMLOCK_LOW &&
	    size > limit.rlim_cur / 4)
		size = limit.rlim_cur / 4;
	return (size & ~(uint64_t)(PAGE - 1));
}
