/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A unit that includes the header and has no probe, so that it registers none.
 */
#include "fake.h"

int
main(void)
{
	EXPECT_INTEGER(TBUF_ARGS_MAX, 10);
	return (fake_end());
}
