/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A function with a disabled probe, for assembly.sh to inspect.
 */
#include <tbuf.h>

long	disabled(long number, const char *string);
long	asked_if(long number);

long
disabled(long number, const char *string)
{
	TBUF_PROBE(test, disabled, number, string);
	return (number + 1);
}

long
asked_if(long number)
{
	if (TBUF_ENABLED(test, disabled))
		return (disabled(number, "costly"));
	return (number + 1);
}
