/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A library that is preloaded beside the provider.  Behind it, its constructor
 * runs before the provider's; in front, it calls the provider in its turn, for
 * libtbuf too.
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
	/* Found by the constructor: dlsym(3) is not for handlers. */
	static typeof(close) *volatile found;
	typeof(close) *next = found;
	/* What comes next sees this as its caller. */
	volatile int result;

	if (next == NULL) {
		*(void **)&next = dlsym(RTLD_NEXT, "close");
		found = next;
	}
	result = next(fd);
	return (result);
}
