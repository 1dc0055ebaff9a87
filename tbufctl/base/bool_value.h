/*-
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Parses values of options: flags and integers.
 */
#ifndef TBUFCTL_BASE_BOOL_VALUE_H
#define TBUFCTL_BASE_BOOL_VALUE_H

#include <sys/types.h>

#include <stdbool.h>
#include <stdint.h>

/* Parses a flag in DTrace's words; NULL sets it.  Returns 0 or -EINVAL. */
int	flag_parse(const char *value, bool *flag);
/* Returns the pid that a text is; 0 for other texts. */
pid_t	pid_parse(const char *);
/* Parses an integer of at most `most`; NULL is 0.  Returns false if invalid. */
bool	flag_number(const char *value, uint64_t most, uint64_t *number);

#endif
