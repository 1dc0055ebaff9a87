/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Error codes, by what a caller can do about them.
 */
#include <errno.h>

#include "consumer/util/util.h"

bool
tbuf_error_exhausted(int error)
{
	return (error == -EMFILE || error == -ENFILE || error == -ENOMEM);
}
