/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Values of options that are on or off.
 */
#ifndef TBUFCTL_FLAG_H
#define TBUFCTL_FLAG_H

#include <stdbool.h>

/* As DTrace has them; NULL, a bare name, sets it.  0 or -EINVAL. */
int	flag_parse(const char *value, bool *flag);

#endif
