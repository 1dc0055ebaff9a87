/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A module with probes in its constructor, in its destructor, and between.
 */
#include <sys/sdt.h>

void	module_work(int times);

static void __attribute__((constructor))
begin(void)
{

	STAP_PROBE(module, begin);
}

void
module_work(int times)
{
	int i;

	for (i = 0; i < times; i++)
		STAP_PROBE2(module, work, i, "text");
}

static void __attribute__((destructor))
end(void)
{

	STAP_PROBE(module, end);
}
