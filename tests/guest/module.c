/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An object with a probe, to be loaded into a host that runs already.
 */
#include <stdint.h>

#include <tbuf.h>

void	module_fire(uint64_t);

void
module_fire(uint64_t n)
{
	uint64_t number;

	for (number = 0; number < n; number++)
		TBUF_PROBE(guest, module, number);
}
