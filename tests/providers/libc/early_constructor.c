/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A library that is preloaded beside the provider.  After it in the list, its
 * constructor runs before the provider's; before it, its function calls the
 * provider's, for libtbuf, too.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static void *volatile block;

static void __attribute__((constructor))
begin(void)
{
	block = malloc(4711);
	free(block);
	close(-1);
}

int
close(int fd)
{
	/* set by the constructor, as handlers must not call dlsym(3) */
	static typeof(close) *volatile found;
	typeof(close) *next = found;
	/* prevents a tail call, so that the next function sees this caller */
	volatile int result;

	if (next == NULL) {
		*(void **)&next = dlsym(RTLD_NEXT, "close");
		found = next;
	}
	result = next(fd);
	return (result);
}
