/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The second unit of the C++ program.
 */
extern "C" {	/* as some programs include C headers */
#include <tbuf.h>
}

#include "inline.h"

int
other_unit(int x)
{
	Widget widget(x);

	TBUF_PROBE(test, in__other, x);
	return inline_probe(comdat_probe(x)) + template_probe(x) * 0 +
	    widget.size() * 0;
}
