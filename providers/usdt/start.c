/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Before main(), and once: what is armed then stays so, and from then on the
 * probes' enable words alone decide.
 */
#include <errno.h>

#include "usdt.h"

static void __attribute__((constructor))
start(void)
{
	static struct usdt_sites sites;
	int error = errno;

	usdt_memory_look();
	usdt_find(&sites);
	if (sites.count > 0) {
		usdt_describe_groups(&sites);
		usdt_arm(&sites);
	}
	errno = error;
}
