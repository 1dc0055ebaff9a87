/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A module with probes in its constructor, in its destructor, and between.
 */
#include <module.h>

#define APART	__asm__ __volatile__ (					\
	".byte 0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0")

void	module_work(int times);

static void __attribute__((constructor))
begin(void)
{

	MODULE_BEGIN();
	APART;
	if (MODULE_ASKED_ENABLED()) {
		MODULE_ASKED();
		APART;
	}
}

/* Contains the probe alone: a jump overwrites bytes after the function. */
void __attribute__((noinline))
module_alone(void)
{

	MODULE_ALONE();
}

void
module_work(int times)
{
	int i;

	for (i = 0; i < times; i++) {
		MODULE_WORK(i, "text");
		APART;
		module_alone();
	}
}

static void __attribute__((destructor))
end(void)
{

	MODULE_END();
	APART;
}
