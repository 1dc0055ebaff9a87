/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A library whose constructor runs before the provider's: it is preloaded
 * behind it.
 */
#include <stdlib.h>

static void *volatile block;

static void __attribute__((constructor))
begin(void)
{
	block = malloc(4711);
	free(block);
}
