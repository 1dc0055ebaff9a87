/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Values of options that are on or off, or integers.
 */
#ifndef TBUFCTL_BASE_BOOL_VALUE_H
#define TBUFCTL_BASE_BOOL_VALUE_H

#include <stdbool.h>
#include <stdint.h>

/* As DTrace has them; NULL, a bare name, sets it.  0 or -EINVAL. */
int	flag_parse(const char *value, bool *flag);
/* An integer that is no larger; NULL is 0. */
bool	flag_number(const char *value, uint64_t most, uint64_t *number);

#endif
