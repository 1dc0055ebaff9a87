/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The size of the address range that a target reserves for its control file.  A
 * consumer calls this for its command, which has the same environment and
 * limits.
 */
#include "base/optimize_size.h"

#include <sys/resource.h>

#include <stdlib.h>
#include <string.h>

#include "base/option.h"
#include "shared/control_file.h"

#define PAGE		4096u
#define WINDOW_DEFAULT	(UINT64_C(16) << 30)
#define WINDOW_SMALL	(UINT64_C(4) << 20)
#define MEMLOCK_LOW	(UINT64_C(8) << 20)

/*
 * Returns the default size, or a small one under valgrind's memcheck, which is
 * recognized by the object that it preloads.  Its leak check reads all mapped
 * memory, and handles a SIGBUS for each word past the file's end: seconds for
 * 4 MiB, days for the default.
 */
static uint64_t
unset(void)
{
	const char *preloaded = secure_getenv("LD_PRELOAD");

	return (preloaded != NULL && strstr(preloaded,
	    "vgpreload_memcheck") != NULL ? WINDOW_SMALL : WINDOW_DEFAULT);
}

/* Returns $TBUF_WINDOW, or the default if that is not a size. */
static uint64_t
wanted(void)
{
	const char *set = secure_getenv("TBUF_WINDOW");
	uint64_t size;

	return (set == NULL || tbuf_option_bytes(set, &size) != 0 ||
	    size == 0 ? unset() : size);
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
