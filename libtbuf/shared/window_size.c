/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * How much address space a target reserves for its control file.  A consumer
 * asks for its command, which will have the same environment and limits.
 */
#include "base/optimize_size.h"

#include <sys/resource.h>

#include <stdlib.h>
#include <string.h>

#include "shared/control_file.h"
#include "base/option.h"

#define PAGE		4096u
#define WINDOW_DEFAULT	(UINT64_C(16) << 30)
#define WINDOW_SMALL	(UINT64_C(4) << 20)
#define MEMLOCK_LOW	(UINT64_C(8) << 20)

/*
 * valgrind's memcheck looks for what has been leaked in all that is mapped, and
 * beyond the file's end each word is a SIGBUS that it handles: of 4 MiB it
 * takes seconds, of the default days.  It preloads an object.
 */
static uint64_t
unset(void)
{
	const char *preloaded = secure_getenv("LD_PRELOAD");

	return (preloaded != NULL && strstr(preloaded,
	    "vgpreload_memcheck") != NULL ? WINDOW_SMALL : WINDOW_DEFAULT);
}

/* $TBUF_WINDOW, or the default if that is no size. */
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
