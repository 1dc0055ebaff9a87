/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The second unit of the C program.
 */
#include "inline.h"

int
other_unit(int x)
{
	TBUF_PROBE(test, in__other, x);
	return (inline_probe(x));
}
