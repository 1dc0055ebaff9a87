/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A shared object with a probe, for tests/system/process_ends.sh.
 */
#include <stdint.h>

#include <tbuf.h>

void plugin_fire(uint64_t number);

void
plugin_fire(uint64_t number)
{
	const char *text = "a text of a plugin";

	TBUF_PROBE(ends, record, number, text);
}
