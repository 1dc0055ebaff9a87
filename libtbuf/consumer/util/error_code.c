/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Classes of error codes.
 */
#include <errno.h>

#include "consumer/util/util.h"

bool
tbuf_error_exhausted(int error)
{
	return (error == -EMFILE || error == -ENFILE || error == -ENOMEM);
}
