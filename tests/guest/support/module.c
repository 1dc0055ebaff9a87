/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An object with a probe that a running host loads.
 */
#include <stdint.h>

#include <tbuf.h>

void	module_fire(uint64_t);
int	module_begun(void);

/* Returns true if this process is a target. */
int
module_begun(void)
{
	return (tbuf_process_register() == 0);
}

void
module_fire(uint64_t n)
{
	uint64_t number;

	for (number = 0; number < n; number++)
		TBUF_PROBE(guest, module, number);
}
